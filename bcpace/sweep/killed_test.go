//go:build unix

package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/envs"
)

// A process of killedProgram reads from killedVariable what it does, as JSON.
const killedVariable = "SWEEP_TEST_KILLED"

func init() { killedRole = killedProgram }

// killed is what a process does: it computes a shard in a folder, and ends itself by a signal at a
// step of its models, or not if that is 0.
type killed struct {
	Folder string
	Shard  Shard
	At     int64
	Signal syscall.Signal
	Log    string // a file to which each update of an exploration adds a byte
}

// updatesBetween is how many updates of an exploration lie between two parts.
const updatesBetween = 4

// killedSweep are trials whose work is the updates of their explorations.
func killedSweep() Spec {
	return Spec{Base: Trial{Env: "counted", Algorithm: "bayes-cpace", Params: Values{"batch": 0, "horizon": 20, "max-episodes": 60, "certificate-episodes": -1, "return": "greedy"}, KeepRun: true},
		Grid: []Axis{{Key: "set.accuracy", Values: []any{"0.7", "0.85"}}}, Seeds: 8}
}

// steps counts the steps of this process.
var steps struct {
	sync.Mutex
	done, at int64
	signal   syscall.Signal
}

// counted is Tiger that counts its steps. It lists no successors, so that explorations take steps.
type counted struct {
	bcpace.Model
	by bcpace.Spec
}

// Step implements bcpace.Model.
func (m counted) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	steps.Lock()
	if steps.done++; steps.done == steps.at {
		_ = syscall.Kill(os.Getpid(), steps.signal)
	}
	steps.Unlock()
	return m.Model.Step(next, s, latent, action, rng)
}

// Spec implements bcpace.Model.
func (m counted) Spec() bcpace.Spec {
	s := m.Model.Spec()
	s.Name, s.Params = m.by.Name, m.by.Params
	return s
}

// countSteps registers counted.
var countSteps = sync.OnceFunc(func() {
	accuracy := envs.ParamInfo{Key: "accuracy", Default: "0.85", Want: "a probability", Doc: "of hearing right"}
	envs.Register(envs.Info{Name: "counted", Doc: "Tiger that counts its steps.", Params: []envs.ParamInfo{accuracy}}, func(v *envs.Values) (bcpace.Model, error) {
		return counted{envs.Tiger{Accuracy: v.Float("accuracy"), Discount: 0.9}, bcpace.Spec{Name: v.Name(), Params: v.Params()}}, nil
	})
})

// logged is a pace that adds a byte to a file at every update.
type logged struct {
	every
	log *os.File
}

func (l *logged) Due() bool {
	if _, err := l.log.WriteString("."); err != nil {
		panic(err)
	}
	return l.every.Due()
}

// killedProgram is a process of TestKilled. It prints its steps, and how many trials it has left.
func killedProgram(how string) {
	var k killed
	if err := json.Unmarshal([]byte(how), &k); err != nil {
		panic(err)
	}
	countSteps()
	log, err := os.OpenFile(k.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	newPace = func() pace { return &logged{every{updatesBetween, updatesBetween}, log} }
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	steps.at, steps.signal = k.At, k.Signal
	r, err := Run(ctx, killedSweep(), Options{Folder: k.Folder, Shard: k.Shard, Workers: 1})
	if err != nil && ctx.Err() == nil {
		panic(err)
	}
	left := -1 // not known
	if r != nil {
		left = 0
		for _, row := range r.Rows {
			if !row.Computed() {
				left++
			}
		}
	}
	fmt.Println(steps.done, left)
}

// run runs a process, and returns the updates that it has made, its steps, and whether its shard is
// done.
func (k killed) run(t *testing.T) (updates, taken int64, done bool) {
	text, err := json.Marshal(k)
	if err != nil {
		t.Error(err)
		return 0, 0, true
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), killedVariable+"="+string(text))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if info, err := os.Stat(k.Log); err == nil {
		updates = info.Size()
	}
	if cmd.ProcessState != nil && cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		return updates, k.At, false
	}
	if err != nil {
		t.Errorf("a process: %v: %s", err, stderr.String())
		return 0, 0, true
	}
	var left int
	if _, err := fmt.Sscan(string(out), &taken, &left); err != nil {
		t.Error(err)
	}
	return updates, taken, left == 0
}

// TestKilled ends the processes of two shards fifty times, at random steps and by SIGTERM or SIGKILL.
// The rows are those of a sweep that nobody disturbs. What is computed twice after SIGKILL is at most
// what lies between two parts, and after SIGTERM the update in which it came.
func TestKilled(t *testing.T) {
	t.Parallel()
	logs := t.TempDir()
	alone := killed{Folder: t.TempDir(), Shard: Shard{1, 1}, Log: filepath.Join(logs, "whole")}
	whole, taken, done := alone.run(t)
	if !done || whole == 0 {
		t.Fatalf("%d updates, done %v", whole, done)
	}
	folder := t.TempDir()
	var mu sync.Mutex
	kills := map[syscall.Signal]int64{}
	total := int64(0)
	var both sync.WaitGroup
	for index := 1; index <= 2; index++ {
		both.Go(func() {
			r := rand.New(rand.NewPCG(41, uint64(index)))
			for n := 0; ; n++ {
				k := killed{Folder: folder, Shard: Shard{index, 2}, Log: filepath.Join(logs, fmt.Sprint(index, n))}
				if n < 25 {
					k.At, k.Signal = 1+r.Int64N(taken/20), []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL}[r.IntN(2)]
				}
				updates, _, done := k.run(t)
				mu.Lock()
				total += updates
				if k.At > 0 && !done {
					kills[k.Signal]++
				}
				mu.Unlock()
				if done || t.Failed() {
					return
				}
			}
		})
	}
	both.Wait()
	countSteps()
	want, err := Merge(t.Context(), []string{alone.Folder}, "")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Merge(t.Context(), []string{folder}, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Missing) > 0 || got.Twice > 0 || outcomes(got.Results) != outcomes(want.Results) {
		t.Errorf("%d missing, %d twice, the rows are\n%s\nwant\n%s", len(got.Missing), got.Twice, outcomes(got.Results), outcomes(want.Results))
	}
	t.Logf("%d steps and %d updates undisturbed, %d updates in all, %d kills by SIGTERM, %d by SIGKILL", taken, whole, total, kills[syscall.SIGTERM], kills[syscall.SIGKILL])
	if n := kills[syscall.SIGTERM] + kills[syscall.SIGKILL]; n != 50 {
		t.Errorf("%d kills, want 50", n)
	}
	if again, most := total-whole, kills[syscall.SIGKILL]*updatesBetween+kills[syscall.SIGTERM]; again > most {
		t.Errorf("%d updates were made again, want %d at most", again, most)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, blobFolder, partPrefix+"*")); len(left) > 0 {
		t.Errorf("parts are left: %q", left)
	}
}
