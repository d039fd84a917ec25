package cmd

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestAdvise(t *testing.T) {
	var got struct {
		Algorithm, Why string
		Earned         []struct{ Policy string }
		Expect         struct {
			Points   float64
			Radius   *float64 `json:"known_radius"`
			Warnings []struct{ Kind string }
		}
		Settings []struct{ Parameter, Value, Why string }
	}
	if err := json.Unmarshal([]byte(succeed(t, "advise", "--env", "light-dark-tiger", "--json")), &got); err != nil {
		t.Fatal(err)
	}
	if got.Algorithm != "certified" || got.Why == "" || len(got.Earned) != 7 || got.Expect.Points != 30 || got.Expect.Radius != nil || len(got.Settings) < 5 {
		t.Errorf("%+v", got)
	}
	if err := json.Unmarshal([]byte(succeed(t, "advise", "--env", "tiger", "--algorithm", "bayes-cpace", "--k", "1", "--json")), &got); err != nil {
		t.Fatal(err)
	}
	if got.Algorithm != "bayes-cpace" || got.Expect.Radius == nil || len(got.Expect.Warnings) != 1 || got.Expect.Warnings[0].Kind != "noise ignored" {
		t.Errorf("%+v", got)
	}
	var alone struct {
		Algorithm string
		Schedule  []struct {
			What    string
			Seconds float64
		}
	}
	if err := json.Unmarshal([]byte(succeed(t, "advise", "--model", "../../data/maze.pomdp", "--timeout", "40s", "--json")), &alone); err != nil {
		t.Fatal(err)
	}
	if alone.Algorithm != "sarsop" || len(alone.Schedule) != 1 || alone.Schedule[0].What != "sarsop" || alone.Schedule[0].Seconds != 40 {
		t.Errorf("%+v, want sarsop for a file that holds no Bayes-adaptive MDP", alone)
	}
	if text := succeed(t, "advise", "--env", "light-dark-tiger"); !strings.Contains(text, "states are numbered") || !strings.Contains(text, "set-up") {
		t.Errorf("%s", text)
	}
}

// A model file is solved with the settings that suit it, unless a flag says some; the
// policy is the best that was tried, and warnings say what is wrong.
func TestSolveSuggestsSettings(t *testing.T) {
	solve := func(flags string) wantResult {
		t.Helper()
		return solveJSON(t, "solve --algorithm bayes-cpace "+flags)
	}
	if n := solve("--model ../../data/tiger.pomdpx --horizon 3").Notes; n == nil || n.Policy == nil || len(n.Settings) < 5 {
		t.Errorf("%+v", n)
	}
	n := solve("--env chain --set discount=0.8 --max-samples 200 --epsilon 0.01 --return best").Notes
	if n == nil || n.Policy == nil || n.Settings != nil || len(n.Warnings) == 0 || n.Warnings[0].Kind != "never known" || n.Warnings[0].Do == "" {
		t.Errorf("%+v", n)
	}
	if n := solve("--env light-dark-tiger").Notes; n != nil && (n.Policy != nil || n.Warnings != nil || n.Settings != nil || n.Tried != nil || n.Next != nil) {
		t.Errorf("%+v, want the paper's policy with tuned settings, and nothing to say but the time spent", n)
	}
}
