package main

import (
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
	Samples     *int     `json:"samples"`
	Seconds     *float64 `json:"seconds"`
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
	if v.Model != "chain" || v.Certificate != "exact" || *v.Samples != *r.Samples || *v.Lower < *r.Lower-1e-6 || *v.Upper > *r.Upper+1e-6 {
		t.Errorf("verified %+v, lower %v, upper %v", v, *v.Lower, *v.Upper)
	}
	if loose := solveJSON(t, "solve --env chain --algorithm certified --epsilon 2"); *loose.Samples >= *r.Samples || *loose.Upper-*loose.Lower > 2 {
		t.Errorf("with ε = 2: %+v", loose)
	}

	paper := filepath.Join(t.TempDir(), "tiger.bcp")
	solveJSON(t, smallTiger+" --out "+paper)
	text := filepath.Join(t.TempDir(), "text.bcp")
	if err := os.WriteFile(text, []byte("no run"), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"verify --run " + paper: "exact certificate",
		"verify --run " + text:  "another kind of file",
		"solve --env light-dark-tiger --set sigma=0.1 --algorithm certified": "numbered states",
	} {
		var out, errs strings.Builder
		if code := run(t.Context(), line(args), &out, &errs); code != exitError || !strings.Contains(errs.String(), want) {
			t.Errorf("bcpace %s: exit code %d, %q, want 1 and %q", args, code, errs.String(), want)
		}
	}
}

// Without --algorithm it is the certified one where that can be.
func TestDefaultAlgorithm(t *testing.T) {
	for args, want := range map[string]string{
		"solve --env tiger": "certified",
		"solve --env chain --epsilon 0.1 --max-samples 500":              "certified",
		"solve --env tiger --k 5 --max-episodes 20":                      "bayes-cpace",
		"solve --env light-dark-tiger --set sigma=0.1 --max-episodes 20": "bayes-cpace",
		"solve --env tiger --algorithm bayes-cpace --max-episodes 20":    "bayes-cpace",
	} {
		if r := solveJSON(t, args); r.Algorithm != want {
			t.Errorf("bcpace %s ran %s, want %s", args, r.Algorithm, want)
		}
	}
}
