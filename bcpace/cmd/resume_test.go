package cmd

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

// sameFiles expects two files of the same bytes.
func sameFiles(t testing.TB, one, other string) {
	t.Helper()
	a, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Errorf("%s and %s differ", one, other)
	}
}

// shortTiger has episodes of few steps, so that its certificate is quick too.
const (
	endlessTiger = "solve --env tiger --set discount=0.5 --k 20 --seed 3"
	shortTiger   = endlessTiger + " --max-episodes 80"
)

// TestResume expects a run that was interrupted or has spent a limit, once gone on
// with, to be the run that was not, byte for byte.
func TestResume(t *testing.T) {
	for name, c := range map[string]struct {
		args  string
		limit string // one that ends it sooner
		lift  string // and what it is without that
	}{
		"bayes-cpace": {endlessTiger, "--max-episodes 40", "--max-episodes 80"},
		"certified":   {"solve --env chain", "--max-samples 60", "--max-samples 0"},
		"model file":  {"solve --model " + dataFolder + "chain.pomdpx", "--max-episodes 10", "--max-episodes 0"},
	} {
		dir := t.TempDir()
		whole, part, next := filepath.Join(dir, "whole.bcp"), filepath.Join(dir, "part.bcp"), filepath.Join(dir, "next.bcp")
		want := solveJSON(t, c.args+" --out "+whole+" "+c.lift)

		for ended, words := range map[error]string{context.Canceled: "interrupted", context.DeadlineExceeded: "out of time"} {
			_, _, stderr := solveEnded(t, ended, c.args+" --out "+part+" "+c.lift)
			if said := "bcpace: " + words + "; bcpace solve --resume " + part + " goes on\n"; stderr != said {
				t.Fatalf("%s: stderr %q, want %q", name, stderr, said)
			}
		}
		before, err := os.ReadFile(part)
		if err != nil {
			t.Fatal(err)
		}
		got := solveJSON(t, "solve --resume "+part+" --workers 3 --timeout 10m --out "+next)
		sameFiles(t, next, whole)
		if *got.Seconds, *want.Seconds = 0, 0; *got.Value != *want.Value || got.Stop != want.Stop || got.Algorithm != want.Algorithm || *got.Samples != *want.Samples || *got.Seed != *want.Seed {
			t.Errorf("%s: resumed, it is %+v, want %+v", name, got, want)
		}
		if after, err := os.ReadFile(part); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: the run to resume has changed (error %v)", name, err)
		}

		solveJSON(t, c.args+" --out "+part+" "+c.limit)
		solveJSON(t, "solve --resume "+part+" "+c.lift)
		sameFiles(t, part, whole)
	}
}

// TestResumeRefused expects flags with which the run would have been another one to
// be refused, and the file to stay as it is.
func TestResumeRefused(t *testing.T) {
	dir := t.TempDir()
	name, certified := filepath.Join(dir, "tiger.bcp"), filepath.Join(dir, "chain.bcp")
	succeed(t, line(shortTiger+" --out "+name)...)
	succeed(t, line("solve --env chain --epsilon 2 --out "+certified)...)
	before, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file, args string
		code       int
		want       string
	}{
		{name, "--env chain", 1, `model is "tiger"`},
		{name, "--env tiger", 1, "want the given one"},
		{name, "--model " + dataFolder + "tiger.pomdpx", 1, "want the given one"},
		{name, "--epsilon 2", 1, "--epsilon is 2, want 1, as in the run to resume"},
		{name, "--epsilon 0", 1, "--epsilon is 0, want a finite ε > 0"},
		{name, "--k 5", 1, "--k is 5, want 20, as in the run to resume"},
		{name, "--seed 4", 1, "--seed is 4, want 3, as in the run to resume"},
		{name, "--algorithm certified", 1, "--algorithm is certified, want bayes-cpace, as in the run to resume"},
		{name, "--algorithm best", 1, "--algorithm is best, want bayes-cpace"},
		{name, "--lip-state 1", 2, "--lip-state and --algorithm bayes-cpace contradict"},
		{name, "--bonus 1", 2, "--bonus and --algorithm bayes-cpace contradict"},
		{name, "--timeout 0s", 2, `"0s" for flag --timeout: want a time above 0`},
		{name, "--workers -1", 1, "--workers is -1, want"},
		{name, "--out " + filepath.Join(dir, "no", "x.bcp"), 1, "no such file or directory"},
		{certified, "--epsilon 1", 1, "--epsilon is 1, want 2, as in the run to resume"},
		{certified, "--k 5", 2, "--k and --algorithm certified contradict"},
		{dataFolder + "chain.pomdpx", "", 1, "another kind of file"},
	} {
		code, stdout, stderr := call(t, line("solve --resume "+c.file+" "+c.args)...)
		if code != c.code || stdout != "" || !strings.Contains(strings.SplitN(stderr, "\n", 2)[0], c.want) {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q\nwant %d and %q", c.args, code, stdout, stderr, c.code, c.want)
		}
	}
	// What the run has may be said again.
	succeed(t, line(shortTiger+" --algorithm bayes-cpace --epsilon 1 --resume "+name)...)
	if after, err := os.ReadFile(name); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file has changed (error %v)", err)
	}
}

// TestCheckpoints expects no checkpoint before its time, none of fewer episodes than
// the file has, and the last one to lead to the whole run.
func TestCheckpoints(t *testing.T) {
	dir := t.TempDir()
	whole, part := filepath.Join(dir, "whole.bcp"), filepath.Join(dir, "part.bcp")
	succeed(t, line("solve --env chain --out "+whole)...)
	all := readRun(t, whole)
	explore := func(episodes int, tick time.Duration) {
		t.Helper()
		now := time.Time{}
		how := bcpace.Control{}
		how.Checkpoint = checkpoints(part, episodes, func() time.Time {
			now = now.Add(tick)
			return now
		})
		if _, err := all.Solver.Explore(t.Context(), all.Model(), how); err != nil {
			t.Fatal(err)
		}
	}
	explore(0, time.Millisecond)
	explore(len(all.Trace), time.Hour)
	if _, err := os.Stat(part); err == nil {
		t.Fatal("a checkpoint is there before its time")
	}
	explore(0, time.Hour)
	if r := readRun(t, part); r.Stop != "" || len(r.Trace) == 0 || len(r.Trace) >= len(all.Trace) {
		t.Fatalf("the checkpoint has stop %q and %d episodes", r.Stop, len(r.Trace))
	}
	succeed(t, line("solve --resume "+part)...)
	sameFiles(t, part, whole)
}

// TestResumeKeepsTheCertificate: a run that has ended loses nothing where there is no
// time to simulate its policy again.
func TestResumeKeepsTheCertificate(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.bcp")
	succeed(t, line("solve --env light-dark-tiger --algorithm bayes-cpace --out "+name)...)
	was := readRun(t, name)
	cut := *was
	cut.Certificate = solverkit.RangeCertificate(was.Spec)
	longer := cut
	longer.Trace = append(slices.Clone(was.Trace), runs.Episode{})
	if !less(&cut, was) || less(was, was) || less(was, &cut) || less(&longer, was) {
		t.Error("a run with as many episodes and a wider certificate, and no other, is less")
	}
}
