package cmd

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// questionResult has the keys of all questions.
type questionResult struct {
	Lower, Upper, Nominal, Cost, Worth, Level number
	Stop, Risk, Priors                        string
	LowerBy                                   string `json:"lower_by"`
	UpperBy                                   string `json:"upper_by"`
	Solved                                    int
	Latents                                   []struct{ Prior, Earns number }
}

// TestRobust: Tiger is worth 19.3713 under its least favourable prior, which is that of the model.
func TestRobust(t *testing.T) {
	for _, args := range []string{"", " --algorithm sarsop"} {
		code, stdout, stderr := call(t, strings.Fields("solve --env tiger --robust all --epsilon 0.2 --json"+args)...)
		var r questionResult
		if err := json.Unmarshal([]byte(stdout), &r); code != 0 || err != nil {
			t.Fatalf("%q: %d, %v, %s", args, code, err, stderr)
		}
		if r.Lower > 19.3714 || r.Upper < 19.3713 || r.Upper-r.Lower > 0.2 || r.Stop != "certified" || len(r.Latents) != 2 || math.Abs(float64(r.Latents[0].Prior)-0.5) > 0.05 {
			t.Errorf("%q: %+v", args, r)
		}
	}
	code, stdout, stderr := call(t, strings.Fields("solve --env chain --robust l1=0.5 --epsilon 0.5")...)
	if code != 0 || !strings.Contains(stdout, "nominal") || !strings.Contains(stdout, "slip 0.5") {
		t.Errorf("%d, %s, %s", code, stdout, stderr)
	}
	for _, args := range []string{
		"solve --env tiger --robust all",
		"solve --env tiger --robust l2=1 --epsilon 1",
		"solve --env tiger --robust box --epsilon 1",
		"solve --env tiger --robust kl=-1 --epsilon 1",
		"solve --env tiger --robust all --epsilon 1 --algorithm qmdp",
	} {
		if code, _, stderr := call(t, strings.Fields(args)...); code != exitUsage || stderr == "" {
			t.Errorf("%s: exit code %d, %q", args, code, stderr)
		}
	}
}
