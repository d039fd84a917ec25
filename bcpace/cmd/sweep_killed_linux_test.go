package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"bayescpace/bcpace/internal/runtest"
)

// TestSweepKilledOfFewerTrials is TestSweepKilled with fewer trials.
func TestSweepKilledOfFewerTrials(t *testing.T) { killSweep(t, 600, 60) }

// killSweep kills a sweep that cannot know of it in the middle of many quick trials, when more
// than some of them are done, and expects its worker processes to end and the next run to compute
// what is missing.
func killSweep(t *testing.T, trials, some int) {
	t.Parallel()
	dir, file := sweepFile(t, fmt.Sprintf(`{"base": {"env": "tiger", "algorithm": "qmdp", "eval": {"episodes": 5, "horizon": 5}}, "seeds": %d}`, trials))
	folder, out := filepath.Join(dir, "results"), filepath.Join(dir, "rows.csv")
	args := "sweep run " + file + " --engine embedded --workers 2 --folder " + folder + " --out " + out + " --json"
	cmd, _, _ := start(t, plain, args)
	done := func() int {
		return decode[sweepStates](t, succeed(t, "sweep", "status", file, "--folder", folder, "--json")).Sweeps[0].Done
	}
	until := func(what string, ok func() bool) {
		t.Helper()
		for begin := time.Now(); !ok(); time.Sleep(10 * time.Millisecond) {
			if time.Since(begin) > 5*time.Minute {
				t.Fatal("not after five minutes: ", what)
			}
		}
	}
	until("a part of the trials is done", func() bool { return done() > some })
	children := childrenOf(t, cmd.Process.Pid)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // "killed"
	if n := done(); n == trials {
		t.Error("all trials were done before the end")
	}
	for _, child := range children {
		until("process "+child+" ends", func() bool { return ended(child) })
	}
	cmd, stdout, _ := start(t, plain, args)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if sum, all := decode[sweepSummary](t, stdout.String()), (counts{Trials: trials, Done: trials}); sum.counts != all || sum.Cached == 0 {
		t.Errorf("the next run says %+v", sum)
	}
	if got, want := reproducible(t, out), sweepRows(t, file); !reflect.DeepEqual(got, want) {
		t.Error("the rows are others than those of a sweep that was not killed")
	}
}

// childrenOf returns the processes that any thread of a process has started.
func childrenOf(t *testing.T, process int) (children []string) {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", process))
	if err != nil || len(lists) == 0 {
		runtest.Lacks(t, "this kernel does not tell the children of a process")
	}
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		children = append(children, strings.Fields(string(text))...)
	}
	if len(children) != 2 {
		t.Fatalf("the workers are %q, want two", children)
	}
	return children
}

// ended reports whether a process does not run any more; nobody may have asked how it ended.
func ended(process string) bool {
	text, err := os.ReadFile("/proc/" + process + "/status")
	return err != nil || strings.Contains(string(text), "\nState:\tZ")
}
