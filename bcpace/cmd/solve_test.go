package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// wantResult is the contract of solve --json, written down a second time.
type wantResult struct {
	Algorithm   string   `json:"algorithm"`
	Model       string   `json:"model"`
	Value       *float64 `json:"value"`
	Lower       *float64 `json:"lower"`
	Upper       *float64 `json:"upper"`
	Certificate string   `json:"certificate"`
	LowerBy     *string  `json:"lower_by"`
	UpperBy     *string  `json:"upper_by"`
	PolicyEarns *string  `json:"policy_earns"`
	Assumes     *string  `json:"assumes"`
	Refuted     *string  `json:"refuted"`
	Epsilon     *float64 `json:"epsilon"`
	Delta       *float64 `json:"delta"`
	Simulated   *int     `json:"simulated_episodes"`
	Samples     *int     `json:"samples"`
	Episodes    *int     `json:"episodes"`
	Steps       *int     `json:"steps"`
	Seconds     *float64 `json:"seconds"`
	Seed        *uint64  `json:"seed"`
	Stop        string   `json:"stop"`
	Notes       *struct {
		Policy   *string
		Warnings []struct{ Kind, What, Do string }
		Settings []struct{ Parameter, Value, Why string }
		Tried    []struct {
			Solver       string
			Mean, StdErr *float64
			Episodes     int
			Seconds      *float64
			Chosen       bool
			Earned       string
		}
		Next  *string
		Spent []struct {
			Phase   string
			Seconds *float64
		}
	} `json:"notes"`
}

// smallTiger is quick, as its certificate is simulated for some steps only, and has value
// iterations and batches.
const smallTiger = "solve --env tiger --set discount=0.8 --k 20 --seed 3 --max-episodes 80"

func solveJSON(t testing.TB, args string) wantResult {
	t.Helper()
	begin := time.Now()
	r := decode[wantResult](t, succeed(t, line(args+" --json")...))
	if r.Value == nil || r.Delta == nil || r.Simulated == nil || r.Samples == nil || r.Episodes == nil || r.Steps == nil || r.Seconds == nil || r.Seed == nil {
		t.Fatalf("bcpace %s: a field is null: %+v", args, r)
	}
	if s := *r.Seconds; !(s >= 0 && s <= time.Since(begin).Seconds()) {
		t.Errorf("bcpace %s: %v seconds", args, s)
	}
	return r
}

func TestSolveRoom(t *testing.T) {
	// Eight moves by way of the light at the left wall: 10·γ⁷.
	want := 10 * math.Pow(0.95, 7)
	r := solveJSON(t, "solve --env light-dark-tiger --set width=5 --set height=5 --set start=2,2 --set sigma=0 --set discount=0.95 --algorithm bayes-cpace --seed 18446744073709551615")
	if math.Abs(*r.Value-want) > 1e-9 || r.Algorithm != "bayes-cpace" || r.Model != "light-dark-tiger" || r.Certificate != "statistical" || r.Lower == nil || r.Upper == nil || *r.Lower > want || *r.Upper < want ||
		*r.Seed != math.MaxUint64 || r.Stop != "converged" || *r.Samples == 0 || *r.Episodes < 100 || *r.Steps < *r.Episodes {
		t.Errorf("got %+v, value %v, want value %v", r, *r.Value, want)
	}
}

// TestSolveQMDP compares with values known in closed form: seeing where the
// tiger is, one always opens the right door, and gains 10 a step after the
// first listening; in the room one walks straight to the treasure.
func TestSolveQMDP(t *testing.T) {
	for _, c := range []struct {
		args string
		want float64
	}{
		// max over a: listening costs 1 and is worth −1 + 200γ = 189.
		{"solve --env tiger --algorithm qmdp", -1 + 0.95*10/0.05},
		// From (2,2) to a right corner in 4 moves; the latent is known.
		{"solve --env light-dark-tiger --algorithm qmdp --workers 3 --timeout 1m", 10 * math.Pow(0.95, 3)},
	} {
		r := solveJSON(t, c.args)
		if math.Abs(*r.Value-c.want) > 1e-8 || r.Upper == nil || *r.Upper < c.want || *r.Upper > c.want+1e-7 || r.Lower != nil ||
			r.Certificate != "none" || *r.Samples+*r.Episodes+*r.Steps != 0 || r.Stop != "converged" || r.Algorithm != "qmdp" {
			t.Errorf("bcpace %s: %+v, value %v, want %v", c.args, r, *r.Value, c.want)
		}
	}
	if r := solveJSON(t, "solve --env light-dark-tiger --set sigma=0.5 --algorithm qmdp"); r.Upper != nil {
		t.Errorf("a grid of a continuous room gives the upper bound %v", *r.Upper)
	}
}

// TestKnobs expects every flag to reach its option, and those left alone to
// keep the tuned value.
func TestKnobs(t *testing.T) {
	saved := func(args string) runs.Explorer {
		t.Helper()
		name := filepath.Join(t.TempDir(), "x.bcp")
		succeed(t, line(args+" --out "+name)...)
		return readRun(t, name).Solver
	}
	want := cpace.Solver{Epsilon: 2, K: 3, LipQ: 4, Alpha: 5, Bound: cpace.BoundConstant, Beta: 6, Batch: 7, Horizon: 8, Patience: 9, MaxSamples: 10, MaxEpisodes: 11, Policy: runs.PolicyBest, Seed: 12, CertificateEpisodes: 50}
	if got := saved("solve --env chain --epsilon 2 --k 3 --lipschitz 4 --alpha 5 --bound constant --beta 6 --batch 7 --horizon 8 --patience 9 --max-samples 10 --max-episodes 11 --seed 12 --seed-one-hot=false --return best --certificate-episodes 50"); !reflect.DeepEqual(got, runs.Explorer(want)) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	want = envs.Tuned(envs.LightDarkTiger{})
	want.CertificateEpisodes = 50
	if got := saved("solve --env light-dark-tiger --algorithm bayes-cpace --certificate-episodes 50"); !reflect.DeepEqual(got, runs.Explorer(want)) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	want.SeedOneHot, want.Batch, want.LipQ, want.Horizon, want.MaxEpisodes = false, 0, 0, 0, 3
	if got := saved("solve --env light-dark-tiger --seed-one-hot=false --batch 0 --lipschitz 0 --beta 0 --max-samples 0 --horizon 0 --max-episodes 3 --certificate-episodes 50"); !reflect.DeepEqual(got, runs.Explorer(want)) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got := saved("solve --env light-dark-tiger --bound best-case --seed-one-hot --k 2 --max-episodes 3 --certificate-episodes 50").(cpace.Solver); got.Bound != cpace.BoundBestCase || !got.SeedOneHot || got.K != 2 {
		t.Errorf("got %+v", got)
	}
	certified := certified.Solver{Epsilon: 1, MaxSamples: 50, LipState: 2.5, CertificateEpisodes: 50}
	if got := saved("solve " + smallRoom + " --epsilon 1 --max-samples 50 --lip-state 2.5 --certificate-episodes 50"); !reflect.DeepEqual(got, runs.Explorer(certified)) {
		t.Errorf("got  %+v\nwant %+v", got, certified)
	}
}

func TestSolveBudgets(t *testing.T) {
	for args, want := range map[string]string{
		"--max-episodes 40": "episode budget",
		"--max-samples 4":   "sample budget",
		"--k 9000000000000000000 --max-episodes 2 --workers 900": "episode budget",
	} {
		if r := solveJSON(t, "solve --env tiger "+args); r.Stop != want {
			t.Errorf("%s: stop %q, want %q", args, r.Stop, want)
		}
	}
	// Its exit code is that of an interrupt.
	if r, _, stderr := solveEnded(t, context.Canceled, "solve --env tiger --patience 900000"); r.Stop != "interrupted" || stderr != "bcpace: interrupted: this is the solution so far\n" ||
		strings.Contains(fmt.Sprint(r.Notes), "time was up") {
		t.Errorf("stop %q, notes %v, stderr %q", r.Stop, r.Notes, stderr)
	}
	if r, _, stderr := solveEnded(t, context.DeadlineExceeded, "solve --env tiger --patience 900000"); r.Stop != "out of time" || stderr != "" {
		t.Errorf("stop %q, stderr %q", r.Stop, stderr)
	}
}

// TestSolveFile expects the run of the file to be that of the summary, and the
// same bytes for the same seed with any number of workers.
func TestSolveFile(t *testing.T) {
	dir := t.TempDir()
	solve := func(name, args string) []byte {
		t.Helper()
		name = filepath.Join(dir, name)
		r := solveJSON(t, args+" --out "+name)
		if run := readRun(t, name); run.Value != *r.Value || run.Samples.Len() != *r.Samples || len(run.Trace) != *r.Episodes || run.Steps != *r.Steps || string(run.Stop) != r.Stop {
			t.Errorf("bcpace %s prints %+v and saves another run", args, r)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	one := solve("one.bcp", smallTiger+" --workers 1")
	for _, workers := range []string{"8", "0", "3"} {
		if !bytes.Equal(one, solve("more.bcp", smallTiger+" --workers "+workers)) {
			t.Errorf("--workers %s makes another file than --workers 1", workers)
		}
	}
	if !bytes.Equal(one, solve("more.bcp", smallTiger+" --workers 1 --timeout 10m")) {
		t.Error("a timeout that was not reached changes the file")
	}
	if bytes.Equal(one, solve("more.bcp", strings.Replace(smallTiger, "--seed 3", "--seed 4 --force", 1))) {
		t.Error("another seed makes the same file")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 2 {
		t.Errorf("files left: %v", left)
	}
}

func TestSolveTable(t *testing.T) {
	out := succeed(t, line("solve --env light-dark-tiger --algorithm bayes-cpace --seed 5")...)
	for name, want := range map[string]string{"algorithm": "bayes-cpace", "model": "light-dark-tiger", "value": "6.98337", "lower": "", "upper": "",
		"certificate": "statistical", "seed": "5", "stop": "converged", "samples": "", "episodes": "", "steps": "", "seconds": ""} {
		if row := regexp.MustCompile("(?m)^" + name + " +" + want); !row.MatchString(out) {
			t.Errorf("the table does not say %s: %s\n%s", name, want, out)
		}
	}
}

// TestUnsaved expects a summary even where the run can no longer be saved.
func TestUnsaved(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.bcp")
	var stdout bytes.Buffer
	s := &solution{PolicyFound: &problem.PolicyFound{Solution: &bcpace.Solution{Stop: stop.Deadline}}, run: failing{}}
	err := s.report(program{stdout: &stdout}, &flags{json: true}, name)
	if !errors.Is(err, errFull) || !strings.Contains(err.Error(), name) || !strings.Contains(stdout.String(), `"stop":"out of time"`) {
		t.Errorf("stdout %q, error %v", stdout.String(), err)
	}
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half a file is left: %v", err)
	}
}

// failing is a run that meets a full disk.
type failing struct{}

func (failing) WriteTo(w io.Writer) (int64, error) {
	n, _ := io.WriteString(w, "half")
	return int64(n), errFull
}

func TestInterruptedBeforeTheStart(t *testing.T) {
	var stdout, stderr bytes.Buffer
	for _, args := range []string{"solve --env tiger", "solve --env tiger --algorithm qmdp --json", "eval --env tiger"} {
		if code := run(cancelled(), line(args), &stdout, &stderr); code != exitInterrupted || !strings.Contains(stderr.String(), "interrupted before there was anything to keep") || stdout.Len() > 0 {
			t.Errorf("bcpace %s: exit code %d, stdout %q, stderr %q", args, code, stdout.String(), stderr.String())
		}
		stderr.Reset()
	}
}

// TestJSONNumbers expects numbers that are none not to break JSON.
func TestJSONNumbers(t *testing.T) {
	var b bytes.Buffer
	bad := number(math.Inf(1))
	if err := writeJSON(&b, []number{none, bad, -bad, 0.1, 1e-300}); err != nil || b.String() != "[null,null,null,0.1,1e-300]\n" {
		t.Errorf("got %q, error %v", b.String(), err)
	}
	if none.String() != "–" || number(1.0/3).String() != "0.333333" {
		t.Errorf("got %q and %q", none.String(), number(1.0/3).String())
	}
}
