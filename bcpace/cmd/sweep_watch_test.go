//go:build unix

package cmd

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bayescpace/bcpace/sweep"
	"bayescpace/bcpace/sweep/watch"
)

// TestSweepWatch watches a sweep by a process of its own, which prints
// events until Ctrl-C.
func TestSweepWatch(t *testing.T) {
	t.Parallel()
	dir, file := sweepFile(t, endless)
	folder := filepath.Join(dir, "results")
	watcher, stdout, said := start(t, plain, "sweep status "+file+" --folder "+folder+" --watch --events")
	run, _, runSaid := start(t, plain, "sweep run "+file+" --workers 1 --folder "+folder)
	ready := func() bool {
		for _, p := range sweep.ReadPulses(folder) {
			if p.Has == 1 && p.Done == 2 {
				return true
			}
		}
		return false
	}
	for begin := time.Now(); !ready(); time.Sleep(20 * time.Millisecond) {
		if time.Since(begin) > 5*time.Minute {
			t.Fatal("no process has the last trial")
		}
	}
	time.Sleep(3 * time.Second) // in which the watcher looks twice at least
	send(t, watcher, os.Interrupt)
	rest, _ := io.ReadAll(said)
	_ = watcher.Wait()
	if code := watcher.ProcessState.ExitCode(); code != exitInterrupted || string(rest) != "bcpace: interrupted with 2 of 3 trials done; what computes them goes on\n" {
		t.Errorf("exit code %d, stderr %q", code, rest)
	}
	kinds := make(map[string]int)
	for line := range strings.Lines(stdout.String()) {
		var e watch.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		kinds[e.Event]++
		if e.Event == watch.EventBegun && *e.Trial == 2 {
			kinds["the last trial"]++
		}
	}
	if kinds[watch.EventWatching] != 1 || kinds[watch.EventDone] != 2 || kinds[watch.EventWorkerSeen] != 1 || kinds["the last trial"] != 1 || kinds[watch.EventFinished] != 0 {
		t.Errorf("the events are %v in\n%s", kinds, stdout)
	}
	send(t, run, os.Interrupt)
	_, _ = io.ReadAll(runSaid)
	_ = run.Wait()
}

// TestSweepWatchEnds watches a sweep that is done, and says what does not go together.
func TestSweepWatchEnds(t *testing.T) {
	_, file := sweepFile(t, neighbours)
	folder := t.TempDir()
	succeed(t, "sweep", "run", file, "--folder", folder)
	if out := succeed(t, "sweep", "status", file, "--folder", folder, "--watch"); !strings.HasPrefix(out, "neighbours: 8 of 8 done, 0 failed") || strings.Count(out, "\n") != 1 {
		t.Errorf("the output is %q", out)
	}
	for args, want := range map[string]string{
		"x --events":       "needs --watch",
		"x --watch --json": "contradict each other",
	} {
		code, stdout, stderr := call(t, append([]string{"sweep", "status"}, strings.Fields(args)...)...)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q, want %q", args, code, stdout, stderr, want)
		}
	}
}
