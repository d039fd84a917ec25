package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// What the bounds rest on is said by every algorithm, and null where there is no
// bound.
func TestSolveSaysWhatItsBoundsRestOn(t *testing.T) {
	type said struct {
		LowerBy     *string `json:"lower_by"`
		UpperBy     *string `json:"upper_by"`
		PolicyEarns *string `json:"policy_earns"`
		Assumes     *string `json:"assumes"`
	}
	text := func(s *string) string {
		if s == nil {
			return "–"
		}
		return *s
	}
	check := func(args, out, want string) {
		t.Helper()
		var s said
		if err := json.Unmarshal([]byte(out), &s); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join([]string{text(s.LowerBy), text(s.UpperBy), text(s.PolicyEarns), text(s.Assumes)}, ", "); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
	for args, want := range map[string]string{
		"--env chain --algorithm certified": "proved, proved, proved, –",
		"--env tiger --set discount=0.8 --algorithm bayes-cpace --max-episodes 3 --certificate-episodes 20": "simulated, proved, simulated, –",
		smallRoom + " --algorithm certified --max-samples 50 --certificate-episodes 20":                     "proved, proved, simulated, –",
		smallRoom + " --algorithm bayes-cpace --max-episodes 3 --certificate-episodes 20":                   "simulated, reward range, simulated, –",
		"--env dual-control --bound proved --max-samples 10 --max-episodes 3 --certificate-episodes 20":     "simulated, proved, simulated, –",
		"--env light-dark-tiger --algorithm qmdp":                                                           "–, proved, –, –",
		"--env light-dark-tiger --algorithm sarsop":                                                         "proved, proved, proved, –",
		"--env light-dark-tiger --algorithm pbvi":                                                           "proved, proved, proved, –",
		"--env light-dark-tiger --algorithm perseus":                                                        "proved, proved, proved, –",
		"--env light-dark-tiger --set sigma=0.1 --algorithm qmdp":                                           "–, –, –, –",
		"--env chain --algorithm pomdp-lite":                                                                "–, –, –, –",
		"--model " + dataFolder + "tiger.pomdp --algorithm qmdp":                                            "–, proved, –, –",
	} {
		check(args, succeed(t, line("solve "+args+" --json")...), want)
	}
	_, out, _ := solveEnded(t, context.DeadlineExceeded, "solve --env tiger --algorithm bayes-cpace")
	check("out of time", out, "–, proved, –, –")
}

// TestTablesRoundOutward: the bounds of a table hold, where six digits are not all.
func TestTablesRoundOutward(t *testing.T) {
	if low, high := fmt.Sprint(lower{19.3713576}), fmt.Sprint(upper{19.37225149}); low != "19.3713" || high != "19.3723" {
		t.Errorf("%s, %s", low, high)
	}
	if low, high := fmt.Sprint(lower{none}), fmt.Sprint(upper{none}); low != "–" || high != "–" {
		t.Errorf("%s, %s", low, high)
	}
	shown := strings.Join(strings.Fields(succeed(t, "solve", "--env", "tiger")), " ")
	if !strings.Contains(shown, "value 19.3713 lower 19.3713 upper 19.3723") {
		t.Errorf("the bounds of Tiger, 19.371317… and 19.37223…, are shown as %s", shown)
	}
}
