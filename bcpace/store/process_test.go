//go:build unix

package store

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// TestMain runs this binary as a program of its own where a test asks for it.
func TestMain(m *testing.M) {
	switch os.Getenv("STORE_TEST_PROGRAM") {
	case "":
		os.Exit(m.Run())
	case "explore":
		exploreProgram()
	case "full":
		fullProgram()
	case "read-only":
		readOnlyProgram()
	case "killed":
		killedProgram()
	}
}

var (
	room        = envs.LightDarkTiger{Sigma: 0.1}
	roomOptions = cpace.Solver{Epsilon: 0.5, Bound: cpace.BoundConstant, LipQ: 10, K: 3, Batch: 5, Horizon: 60, MaxSamples: 6000, Seed: 1, CertificateEpisodes: -1}
)

// problem is what exploreProgram explores.
type problem struct {
	m bcpace.Model
	o runs.Explorer
}

var problems = map[string]problem{
	"room": {room, roomOptions},
	"certified": {randmodel.New(rand.New(rand.NewPCG(7, 1)), randmodel.Options{States: 30, Latents: 6, Actions: 3, Branch: 3, Discount: 0.9}),
		certified.Solver{Epsilon: 0.002, Batch: 2, MaxSamples: 9000}},
}

func fatal(err error) {
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

// ends are the moments at which exploreProgram kills itself: all that lie between
// two checkpoints.
var ends = []string{"within the write", "before the rename", "after the rename", "after the checkpoint"}

// die ends the process as the system does that has no memory left.
func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// exploreProgram explores with a checkpoint at every fifth update or more often,
// and says what it has. Where it is told an end, it comes to it at the checkpoint
// with that number.
func exploreProgram() {
	s, err := Open(os.Getenv("BAYESCPACE_STORE"))
	fatal(err)
	p := problems[os.Getenv("STORE_TEST_PROBLEM")]
	samples, err := strconv.Atoi(os.Getenv("STORE_TEST_SAMPLES"))
	fatal(err)
	m := p.m
	o, batch := p.limited(samples)
	end := os.Getenv("STORE_TEST_END")
	left := 0 // checkpoints up to the one at which it ends
	if end != "" {
		left, err = strconv.Atoi(os.Getenv("STORE_TEST_CHECKPOINT"))
		fatal(err)
	}
	k, err := resumeKey(m, o)
	fatal(err)
	c := &clock{time.Unix(0, 0)}
	t := &checkpoints{store: s, key: k, interval: Interval{now: c.now}}
	said := 0
	how := bcpace.Control{Workers: 1}
	how.Checkpoint = func(bcpace.Progress, io.WriterTo) {
		if t.saved > said {
			said = t.saved
			fmt.Println("saved", said)
			if left--; left == 0 && end == "after the checkpoint" {
				die()
			}
		}
	}
	from, first := 0, 0 // episodes of the checkpoint, and those after the first update
	how.Progress = func(p bcpace.Progress) {
		c.t = c.t.Add(time.Second)
		if first == 0 {
			from, first = t.saved, p.Episodes
			fmt.Println("from", from)
			said = from
		}
	}
	if end != "" && end != "after the checkpoint" {
		rename = func(from, to string) error {
			if left == 1 && end == "within the write" {
				fatal(os.Truncate(from, 700)) // no checkpoint is so short
				die()
			}
			if left == 1 && end == "before the rename" {
				die()
			}
			err := os.Rename(from, to)
			if left == 1 {
				die()
			}
			return err
		}
	}
	origin := Origin{}
	r, err := t.explore(context.Background(), m, o, how, &origin)
	fatal(err)
	fatal(origin.Damaged)
	fatal(t.err)
	// The last batch may be shorter. A checkpoint that another process has taken beyond the
	// budget of this one is played again, up to the budget.
	if goesOn := first > from && first <= from+batch; !goesOn && len(r.Trace) > from {
		fatal(fmt.Errorf("%d episodes after the first update, from a checkpoint of %d", first, from))
	}
	key, err := RunKey(m, o)
	fatal(err)
	fatal(s.PutRun(key, r))
	fmt.Println("done 1")
}

// program returns a command that runs this binary as one of the programs above.
func program(t *testing.T, name, dir string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), "STORE_TEST_PROGRAM="+name, "BAYESCPACE_STORE="+dir), env...)
	cmd.Stderr = os.Stderr
	return cmd
}

// said reads what exploreProgram says to its end: the last number after each word.
func said(t *testing.T, r io.Reader) map[string]int {
	t.Helper()
	words := make(map[string]int)
	for lines := bufio.NewScanner(r); lines.Scan(); {
		var word string
		var n int
		if _, err := fmt.Sscan(lines.Text(), &word, &n); err != nil {
			t.Errorf("the process says %q", lines.Text())
			continue
		}
		words[word] = n
	}
	return words
}

// limited returns the solver with a number of samples, and its batch.
func (p problem) limited(samples int) (o runs.Explorer, batch int) {
	switch s := p.o.(type) {
	case cpace.Solver:
		s.MaxSamples = samples
		return s, s.Batch
	case certified.Solver:
		s.MaxSamples = samples
		return s, s.Batch
	}
	return p.o, 0
}

func (p problem) want(t *testing.T, samples int) []byte {
	t.Helper()
	o, _ := p.limited(samples)
	r, err := runs.Explore(t.Context(), p.m, o)
	if err != nil {
		t.Fatal(err)
	}
	return contents(t, r)
}

// stored returns the run of a number of samples in the store.
func (p problem) stored(t *testing.T, s *Store, samples int) []byte {
	t.Helper()
	o, _ := p.limited(samples)
	data, err := os.ReadFile(s.runFile(key(t, p.m, o)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestKilled has a process die at every moment of a checkpoint, again and again. The
// next one continues from the last checkpoint that has its name, all files are whole,
// and the run that comes out at last is that in one piece.
func TestKilled(t *testing.T) {
	for name, p := range problems {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			killed(t, name, p)
		})
	}
}

func killed(t *testing.T, name string, p problem) {
	plan, err := p.o.Plan(p.m)
	if err != nil {
		t.Fatal(err)
	}
	samples := plan.MaxSamples
	k, err := resumeKey(p.m, p.o)
	if err != nil {
		t.Fatal(err)
	}
	s, last := open(t), 0
	explore := func(env ...string) map[string]int {
		t.Helper()
		cmd := program(t, "explore", s.Dir(), append(env, "STORE_TEST_PROBLEM="+name, fmt.Sprint("STORE_TEST_SAMPLES=", samples))...)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		words := said(t, out)
		if err := cmd.Wait(); (err == nil) != (words["done"] == 1) {
			t.Fatalf("the process says %v and ends with %v", words, err)
		}
		if from, ok := words["from"]; ok && from != last {
			t.Fatalf("it goes on from %d episodes, and %d were saved", from, last)
		}
		return words
	}
	kills := 0
	for _, checkpoint := range []int{1, 2} { // of the process
		for _, end := range ends {
			words := explore("STORE_TEST_END="+end, fmt.Sprint("STORE_TEST_CHECKPOINT=", checkpoint))
			if words["done"] == 1 {
				t.Fatalf("%s %d: the process came to its end; explore more", end, checkpoint)
			}
			kills++
			all := (&checkpoints{store: s, key: k}).list()
			for _, c := range all {
				if r, err := readRun(c.name, p.m, nil); err != nil || len(r.Trace) != c.episodes {
					t.Fatalf("%s %d: %v", end, checkpoint, err)
				}
			}
			saved := max(last, words["saved"])
			if last = 0; len(all) > 0 {
				last = all[0].episodes
			}
			if named := strings.HasPrefix(end, "after"); named && last < saved || !named && last != saved || end == "after the rename" && last == saved {
				t.Fatalf("%s %d: a checkpoint of %d episodes, and %d were saved", end, checkpoint, last, saved)
			}
		}
	}
	if words := explore(); words["done"] != 1 {
		t.Fatalf("the last process says %v", words)
	}
	if !bytes.Equal(p.stored(t, s, samples), p.want(t, samples)) {
		t.Errorf("after %d kills the run differs from that in one piece", kills)
	}
}

// TestTwoAtATime has processes with different budgets share checkpoints: the longest
// checkpoint never gets shorter, and each comes to its run, also one that comes so late that
// the checkpoint is beyond its budget.
//
//test:race
func TestTwoAtATime(t *testing.T) {
	s := open(t)
	budgets := []int{1500, 2500, 2500}
	k, err := resumeKey(room, roomOptions)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan map[string]int)
	for _, samples := range budgets {
		cmd := program(t, "explore", s.Dir(), "STORE_TEST_PROBLEM=room", fmt.Sprint("STORE_TEST_SAMPLES=", samples))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer cmd.Wait()
		go func() { ended <- said(t, out) }()
	}
	longest := 0
	for left := len(budgets); left > 0; {
		select {
		case words := <-ended:
			if left--; words["done"] != 1 {
				t.Errorf("a process says %v", words)
			}
		case <-time.After(time.Millisecond):
		}
		if all := (&checkpoints{store: s, key: k}).list(); len(all) > 0 {
			if all[0].episodes < longest {
				// The folder may have been read while a name came and another went.
				if all = (&checkpoints{store: s, key: k}).list(); len(all) == 0 || all[0].episodes < longest {
					t.Fatalf("the longest checkpoint has %v, and had %d episodes", all, longest)
				}
			}
			longest = all[0].episodes
		}
	}
	if longest == 0 {
		t.Error("no checkpoint was seen")
	}
	late, err := program(t, "explore", s.Dir(), "STORE_TEST_PROBLEM=room", fmt.Sprint("STORE_TEST_SAMPLES=", budgets[0]/3)).Output()
	if words := said(t, bytes.NewReader(late)); err != nil || words["done"] != 1 || words["from"] == 0 {
		t.Errorf("a process that comes late says %v and ends with %v", words, err)
	}
	budgets = append(budgets[:2], budgets[0]/3)
	for _, samples := range budgets {
		if !bytes.Equal(problems["room"].stored(t, s, samples), problems["room"].want(t, samples)) {
			t.Errorf("the run of %d samples differs", samples)
		}
	}
}

// fullProgram explores where no file may become longer than 4 kB, as on a disk
// that is full.
func fullProgram() {
	signal.Ignore(syscall.SIGXFSZ)
	fatal(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4096, Max: 4096}))
	o := roomOptions
	o.MaxSamples = 2000
	r, origin, err := Memo(context.Background(), room, o, bcpace.Control{})
	fatal(err)
	fmt.Println(r.Samples.Len(), origin.Unsaved)
}

// TestFullDisk: the run comes back, the error says why it is not kept, and no half
// file is left.
func TestFullDisk(t *testing.T) {
	s := open(t)
	out, err := program(t, "full", s.Dir()).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if want := "2000 store: writing " + s.Dir(); !strings.HasPrefix(string(out), want) || !strings.Contains(string(out), "file too large") {
		t.Errorf("it says %q, want %q and why", out, want)
	}
	if files, _ := filepath.Glob(filepath.Join(s.Dir(), "*")); len(files) > 0 {
		t.Errorf("files left: %v", files)
	}
	if files, _ := filepath.Glob(filepath.Join(s.Dir(), ".*")); len(files) > 0 {
		t.Errorf("files left: %v", files)
	}
}

// readOnlyProgram explores as a user who may not write to the store.
func readOnlyProgram() {
	if os.Getuid() == 0 {
		fatal(syscall.Setuid(65534))
	}
	_, _, err := Memo(context.Background(), room, roomOptions, bcpace.Control{})
	fmt.Println(err)
}

func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	out, err := program(t, "read-only", dir).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if want := "store: results cannot be kept in " + dir + ": permission denied; set BAYESCPACE_STORE to a folder that can be written to\n"; string(out) != want {
		t.Errorf("it says %q, want %q", out, want)
	}
}
