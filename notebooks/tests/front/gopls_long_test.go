//go:build unix && long

package front

import (
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"bayescpace/notebooks/internal/runnertest"
)

// Tab and Shift+Tab help from the first time on, also on half of a line, and show
// nothing of how they do it.
func TestHelp(t *testing.T) {
	t.Parallel()
	s := runnertest.Kernel(t, "testdata/passing")
	var got struct {
		Seconds   []float64
		Tab, Bare struct {
			Matches []string
			Start   int `json:"cursor_start"`
		}
		Name, Half, Nothing struct {
			Found bool
			Data  map[string]string
		}
	}
	drive(t, s, &got, "help", kernel)
	t.Logf("the first Tab took %.1f s, the second %.1f s", got.Seconds[0], got.Seconds[1])
	if !slices.Contains(got.Tab.Matches, "QOverBelief") {
		t.Errorf("Tab offers %q", got.Tab.Matches)
	}
	if at := len("import \"bayescpace/viz\"\nf := viz."); got.Bare.Start != at || !slices.Contains(got.Bare.Matches, "QOverBelief") {
		t.Errorf("without a line %%%%, Tab offers %q from character %d, want QOverBelief from %d", got.Bare.Matches, got.Bare.Start, at)
	}
	if text := got.Name.Data["text/markdown"]; !strings.Contains(text, "func nb.Show(") || strings.Contains(text, "pkg.go.dev/bayescpace") {
		t.Errorf("help on nb.Show is\n%s", text)
	}
	if text := got.Half.Data["text/markdown"]; !strings.Contains(text, "Explore(") {
		t.Errorf("help on half of a call is\n%s", text)
	}
	if got.Nothing.Found {
		t.Errorf("help on nothing is %q", got.Nothing.Data)
	}
}

// Whatever ends a kernel, nothing that it started stays: neither the running cell, be
// it deaf to interrupts, nor gopls.
func TestNothingStays(t *testing.T) {
	t.Parallel()
	s := runnertest.Kernel(t, "testdata/passing")
	for _, how := range []string{"shutdown", "TERM", "HUP", "KILL", "orphan"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			var pids []int
			drive(t, s, &pids, "end", kernel, how)
			if len(pids) < 5 { // the kernel, its minder, GoNB, the cell and gopls
				t.Errorf("there were the processes %v only", pids)
			}
			for _, pid := range pids {
				for begin := time.Now(); syscall.Kill(pid, 0) == nil; time.Sleep(20 * time.Millisecond) {
					if time.Since(begin) > runnertest.Patience {
						t.Errorf("process %d is still there", pid)
						break
					}
				}
			}
		})
	}
}
