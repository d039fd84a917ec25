package cmd

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wantVerification is the contract of verify --json, written down a second time.
type wantVerification struct {
	Model       string   `json:"model"`
	Lower       *float64 `json:"lower"`
	Upper       *float64 `json:"upper"`
	Certificate string   `json:"certificate"`
	LowerBy     *string  `json:"lower_by"`
	UpperBy     *string  `json:"upper_by"`
	PolicyEarns *string  `json:"policy_earns"`
	Assumes     *string  `json:"assumes"`
	Refuted     *string  `json:"refuted"`
	Samples     *int     `json:"samples"`
	Seconds     *float64 `json:"seconds"`

	ClaimedLower *float64 `json:"claimed_lower"`
	ClaimedUpper *float64 `json:"claimed_upper"`
	ClaimedStop  string   `json:"claimed_stop"`
}

// Chain's optimum is 48.08105, by dynamic programming over sufficient statistics.
func TestSolveCertifiedAndVerify(t *testing.T) {
	file := filepath.Join(t.TempDir(), "chain.bcp")
	r := solveJSON(t, "solve --env chain --algorithm certified --out "+file)
	if r.Certificate != "exact" || r.Stop != "certified" || r.Lower == nil || r.Upper == nil || *r.Value != *r.Lower ||
		*r.Lower > 48.08105+5e-6 || *r.Upper < 48.08105-5e-6 || *r.Upper-*r.Lower > 1e-3 {
		t.Fatalf("got %+v", r)
	}
	v := decode[wantVerification](t, succeed(t, "verify", "--run", file, "--json"))
	if v.Model != "chain" || v.Certificate != "exact" || *v.Samples != *r.Samples || *v.Lower != *r.Lower || *v.Upper != *r.Upper ||
		*v.ClaimedLower != *r.Lower || *v.ClaimedUpper != *r.Upper || v.ClaimedStop != r.Stop {
		t.Errorf("verified %+v, lower %v, upper %v", v, *v.Lower, *v.Upper)
	}
	if loose := solveJSON(t, "solve --env chain --algorithm certified --epsilon 2"); *loose.Samples >= *r.Samples || *loose.Upper-*loose.Lower > 2 {
		t.Errorf("with ε = 2: %+v", loose)
	}

	paper := filepath.Join(t.TempDir(), "tiger.bcp")
	p := solveJSON(t, "solve --env tiger --k 20 --seed 3 --max-episodes 80 --certificate-episodes 500 --out "+paper)
	if p.Certificate != "statistical" || p.Lower == nil || p.Upper == nil || *p.Lower > 19.3714 || *p.Upper < 19.3714 {
		t.Errorf("got %+v; the optimum is 19.3714", p)
	}
	v = decode[wantVerification](t, succeed(t, "verify", "--run", paper, "--json"))
	if v.Certificate != "policy interval" || *v.Samples != *p.Samples || *v.Upper < *p.Lower || *v.Lower > *p.Upper || *v.Lower == *p.Lower {
		t.Errorf("verified %+v, lower %v, upper %v", v, *v.Lower, *v.Upper)
	}
	if shown := succeed(t, "verify", "--run", paper); !strings.HasPrefix(shown, "model") || strings.Contains(shown, "\nlower  ") || !strings.Contains(shown, "\npolicy lower ") || !strings.Contains(shown, "\npolicy upper ") {
		t.Errorf("the interval of the policy's value is shown as %s", shown)
	}
	out := filepath.Join(t.TempDir(), "out.bcp")
	if r, _, _ := solveEnded(t, context.DeadlineExceeded, "solve --env tiger --algorithm bayes-cpace --out "+out); r.Certificate != "none" || r.Lower != nil || r.Upper == nil || *r.Upper < 19.3714 {
		t.Errorf("out of time: %+v", r)
	}
	text := filepath.Join(t.TempDir(), "text.bcp")
	if err := os.WriteFile(text, []byte("no run"), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"verify --run " + out:  "a run with a certificate",
		"verify --run " + text: "another kind of file",
	} {
		var out, errs strings.Builder
		if code := run(t.Context(), line(args), &out, &errs); code != exitError || !strings.Contains(errs.String(), want) {
			t.Errorf("bcpace %s: exit code %d, %q, want 1 and %q", args, code, errs.String(), want)
		}
	}
}

// smallRoom is a room with noise that is solved in half a second.
const smallRoom = "--env light-dark-tiger --set sigma=0.1 --set width=3 --set height=3 --set nodes=2 --set discount=0.8"

// Without --algorithm it is the certified one where that can be.
func TestDefaultAlgorithm(t *testing.T) {
	for args, want := range map[string]string{
		"solve --env tiger": "certified",
		"solve --env chain --epsilon 0.1 --max-samples 500":                              "certified",
		"solve --env tiger --set discount=0.8 --k 5 --max-episodes 20":                   "bayes-cpace",
		"solve " + smallRoom + " --max-episodes 20":                                      "certified",
		"solve --env tiger --set discount=0.8 --algorithm bayes-cpace --max-episodes 20": "bayes-cpace",
	} {
		if r := solveJSON(t, args); r.Algorithm != want {
			t.Errorf("bcpace %s ran %s, want %s", args, r.Algorithm, want)
		}
	}
}
