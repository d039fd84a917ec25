package kept_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/pointbased"
	"bayescpace/bcpace/baseline/policysearch"
	"bayescpace/bcpace/baseline/qmdp"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/constrained"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/kept"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/risk"
	"bayescpace/bcpace/robust"
	"bayescpace/envs"
)

// found has a policy of m by each kind of solver.
func found(t *testing.T, m bcpace.Model) map[string]bcpace.Policy {
	t.Helper()
	all := make(map[string]bcpace.Policy)
	add := func(name string, p bcpace.Policy, err error) {
		if unsupported := (*bcpace.UnsupportedError)(nil); errors.As(err, &unsupported) {
			return
		}
		if err != nil {
			t.Fatalf("%s of %s: %v", name, m.Spec().Name, err)
		}
		all[name] = p
	}
	for _, s := range []bcpace.Solver{sarsop.Solver{Epsilon: 0.5}, pointbased.PBVI{Epsilon: 1, MaxStages: 3}, certified.Solver{Epsilon: 0.5, MaxSamples: 2000}, policysearch.Solver{MaxSteps: 20_000, CertificateEpisodes: 10}} {
		x, err := s.Solve(t.Context(), m, bcpace.Control{})
		if err != nil {
			add(s.Name(), nil, err)
			continue
		}
		add(s.Name(), x.Policy, nil)
	}
	near, err := robust.ParseSet("l1=0.3")
	if err != nil {
		t.Fatal(err)
	}
	if x, err := (robust.Solver{Set: near, Epsilon: 1, MaxPriors: 4}).Solve(t.Context(), m, bcpace.Control{}); err != nil {
		add("robust", nil, err)
	} else {
		add("robust", x.Policy, nil)
	}
	lose := m.Spec().RewardMin
	for _, limit := range []float64{0, 0.5} {
		if x, err := (constrained.Solver{Cost: constrained.Losses("losses", lose+0.1), Limit: limit, Epsilon: 1, MaxSolves: 4}).Solve(t.Context(), m, bcpace.Control{}); err != nil {
			if !strings.Contains(err.Error(), "no policy has an expected") {
				add("constrained", nil, err)
			}
		} else {
			add("constrained", x.Policy, nil)
		}
	}
	if x, err := (risk.Solver{Share: 0.5, Epsilon: 5, MaxLevels: 3}).Solve(t.Context(), m, bcpace.Control{}); err != nil {
		add("risk", nil, err)
	} else {
		add("risk", x.Policy, nil)
	}
	if m.Spec().Horizon == 0 {
		return all
	}
	x, err := (risk.Chance{Level: 0, Epsilon: 0.3}).Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	add("chance", x.Policy, nil)
	return all
}

// again writes a policy as data, and makes it again of the data for m.
func again(t *testing.T, m bcpace.Model, p bcpace.Policy) bcpace.Policy {
	t.Helper()
	data, err := kept.Of(p)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	var back kept.Policy
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	played := bcpace.KeepHorizon(m)
	q, err := back.On(t.Context(), played)
	if err != nil {
		t.Fatalf("%.200s: %v", text, err)
	}
	return bcpace.PolicyOf(played, q)
}

// TestSamePolicy: what is read of a policy's data plays the same episodes, return for return, over environments and random models.
func TestSamePolicy(t *testing.T) {
	models := []bcpace.Model{envs.Tiger{Discount: 0.8}, envs.Chain{Discount: 0.9}, envs.LightDarkTiger{Width: 3, Height: 3}}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 4 {
		models = append(models, randmodel.New(rng, randmodel.Varied(rng)))
	}
	kinds := make(map[string]int)
	for _, m := range models {
		for name, p := range found(t, m) {
			kinds[name]++
			o := eval.Options{Episodes: 200, Horizon: 20, Seed: 3}
			if h := m.Spec().Horizon; h > 0 {
				o.Horizon = min(h, 20)
			}
			want, err := eval.Rollouts(t.Context(), m, p, o)
			if err != nil {
				t.Fatal(err)
			}
			got, err := eval.Rollouts(t.Context(), m, again(t, m, p), o)
			if err != nil || !reflect.DeepEqual(got.Returns, want.Returns) {
				t.Errorf("%s of %s: mean %v, want %v, error %v", name, m.Spec().Name, got.Mean, want.Mean, err)
			}
		}
	}
	t.Log(kinds)
	for _, name := range []string{"sarsop", "pbvi", "certified", "policy-search", "robust", "constrained", "risk"} {
		if kinds[name] < 3 {
			t.Errorf("%d policies of %s", kinds[name], name)
		}
	}
}

// TestRefused: data that are none of a policy of the model are refused with what is wrong, and never panic.
func TestRefused(t *testing.T) {
	m := envs.Tiger{Discount: 0.8}
	for name, p := range found(t, m) {
		data, err := kept.Of(p)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data.Data)
		for i := 0; i < len(text); i += max(1, len(text)/200) {
			for _, c := range []string{"-", "9", "e9", ",", ""} {
				bad := kept.Policy{Kind: data.Kind, Data: json.RawMessage(text[:i] + c + text[i+1:])}
				if q, err := bad.On(t.Context(), m); err == nil { // another number may be one of a policy too
					_, _ = eval.Rollouts(t.Context(), m, bcpace.PolicyOf(m, q), eval.Options{Episodes: 2, Horizon: 3})
				}
			}
		}
		if _, err := data.On(t.Context(), envs.Chain{Length: 7}); err == nil {
			t.Errorf("%s: a policy of Tiger is one of RockSample", name)
		}
	}
	if _, err := (kept.Policy{Kind: "new"}).On(t.Context(), m); err == nil || !strings.Contains(err.Error(), `"new"`) {
		t.Errorf("a kind of a later version: %v", err)
	}
	x, err := qmdp.Solver{}.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kept.Of(x.Policy); !errors.Is(err, kept.ErrNoData) {
		t.Errorf("a policy of QMDP, which has no data: %v", err)
	}
}
