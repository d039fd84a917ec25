package cmd

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

type wantWitness struct {
	Constant *float64 `json:"constant"`
	Witness  struct {
		Text       string   `json:"text"`
		Distance   *float64 `json:"distance"`
		Difference *float64 `json:"difference"`
	} `json:"witness"`
}

type wantConstants struct {
	Model     string `json:"model"`
	Estimated bool   `json:"estimated"`
	Paper     struct {
		State  *float64 `json:"state"`
		Belief *float64 `json:"belief"`
		LQB    *float64 `json:"lqb"`
		LQ     *float64 `json:"lq"`
	} `json:"paper"`
	Tight struct {
		State  *float64 `json:"state"`
		Belief *float64 `json:"belief"`
		LQ     *float64 `json:"lq"`
		Alpha  *float64 `json:"alpha"`
	} `json:"tight"`
	Observed struct {
		Reward     wantWitness  `json:"reward"`
		Transition wantWitness  `json:"transition"`
		Value      *wantWitness `json:"value"`
	} `json:"observed"`
	Contraction wantWitness `json:"contraction"`
}

// Tiger's rewards span 110 with γ = 0.95, so that the paper's constant in the belief is
// 110/0.05² = 44000. Its reward does not depend on what was heard last. Assumption 3.2
// fails.
func TestLipschitz(t *testing.T) {
	var x wantConstants
	if err := json.Unmarshal([]byte(succeed(t, "lipschitz", "--env", "tiger", "--json")), &x); err != nil {
		t.Fatal(err)
	}
	if x.Model != "tiger" || x.Estimated || math.Abs(*x.Paper.LQB-44000) > 1e-6 || *x.Tight.Belief >= *x.Paper.Belief/40 ||
		*x.Observed.Reward.Constant != 0 || *x.Contraction.Constant <= 1 || x.Observed.Value != nil || x.Contraction.Witness.Text == "" {
		t.Errorf("%+v", x)
	}
	if got := *x.Contraction.Witness.Difference / *x.Contraction.Witness.Distance; math.Abs(got-*x.Contraction.Constant) > 1e-9 {
		t.Errorf("the witness has ratio %v, want %v", got, *x.Contraction.Constant)
	}
	file := filepath.Join(t.TempDir(), "tiger.bcp")
	solveJSON(t, smallTiger+" --out "+file)
	if err := json.Unmarshal([]byte(succeed(t, "lipschitz", "--run", file, "--json")), &x); err != nil {
		t.Fatal(err)
	}
	if v := x.Observed.Value; v == nil || *v.Constant < 0 {
		t.Errorf("values of a run: %+v", v)
	}
	if text := succeed(t, "lipschitz", "--env", "chain"); !strings.Contains(text, "in the belief, L_B") || !strings.Contains(text, "belief update:") {
		t.Error(text)
	}
}

// TestPAC has the numbers by hand of package pac: log(Rmax/ε) = 2.
func TestPAC(t *testing.T) {
	out := succeed(t, "pac", "--epsilon", "1", "--delta", "0.1", "--gamma", "0.9", "--rmax", "7.38905609893065", "--cover", "10", "--k", "3", "--beta", "0.5", "--batch", "4", "--json")
	var x map[string]any
	if err := json.Unmarshal([]byte(out), &x); err != nil {
		t.Fatal(err)
	}
	q := 73.8905609893065
	for key, want := range map[string]float64{"horizon": 20, "qmax": q, "samples": 30, "m": 4 * q * (30 + math.Log(20)), "m_batch": 16 * q * (30 + math.Log(20)),
		"guarantee": 80, "known_guarantee": 40, "k_high": 400, "k_low": q * q * math.Log(400), "k": 3, "escape_threshold": 10 / q, "batch": 4} {
		if got, ok := x[key].(float64); !ok || math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s is %v, want %v", key, x[key], want)
		}
	}
	if x["k_admissible"] != false || x["m_reduced"] != nil || x["radius"] != nil {
		t.Errorf("%v", x)
	}
	if text := succeed(t, "pac", "--epsilon", "1", "--delta", "0.1", "--gamma", "0.9", "--rmax", "10", "--cover", "10"); !strings.Contains(text, "sample complexity m") {
		t.Error(text)
	}
}
