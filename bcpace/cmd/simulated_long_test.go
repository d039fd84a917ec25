//go:build long

package cmd

import (
	"strings"
	"testing"
)

// TestSimulatorDies: whatever asks a simulator whose processes die tells of it, and check takes it for a fault.
func TestSimulatorDies(t *testing.T) {
	const told = `requests, and was started anew: the last time, it ended before it answered `
	seldom, often := dies(t, 150, `sys.exit("no power")`), dies(t, 3, `sys.exit("no power")`)
	for args, want := range map[string]string{
		"solve --algorithm policy-search --max-steps 500 --timeout 10s":  told,
		"eval --algorithm pomcpow --budget 5 --episodes 20 --horizon 10": told,
		"check --timeout 5s": told,
	} {
		code, stdout, stderr := call(t, append(line(args), "--process", seldom)...)
		if text := stdout + stderr; (code != 0) != strings.HasPrefix(args, "check") || !strings.Contains(text, want) || !strings.Contains(text, "no power") {
			t.Errorf("%s: %d, %s\nwant %s", args, code, text, want)
		}
		if code, _, stderr := call(t, append(line(args), "--process", often)...); code != exitError || !strings.Contains(stderr, "and may end once in 100") || !strings.Contains(stderr, "no power") {
			t.Errorf("%s: %d, %s", args, code, stderr)
		}
	}
}

// TestLimitOfSimulator: --limit asks bayes-cpace where nobody names an algorithm and the model lists no successors, which certified needs.
func TestLimitOfSimulator(t *testing.T) {
	code, stdout, stderr := call(t, append(line("solve --limit 5 --loss -0.9 --epsilon 100 --max-episodes 5"), "--process", walkProcess(t))...)
	if code != 0 || !strings.Contains(stdout, "constrained, with bayes-cpace") || !strings.Contains(stdout, "simulated") {
		t.Errorf("%d, %s, %s", code, stdout, stderr)
	}
}
