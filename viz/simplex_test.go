package viz

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// threeActions is a triangle with a curved border and one that follows a line
// of equal belief, of unequal regions.
func threeActions() simplex {
	v := simplex{model: "chain", latents: []string{"slip 0.2", "slip 0.5", "slip 0.8"}, state: "state 5"}
	v.actions = []simplexAction{{name: "A"}, {name: "B"}, {name: "wait"}}
	v.act = func(b bcpace.Belief) int {
		switch {
		case b[1] > 0.6:
			return 2
		case math.Hypot(b[0], b[1]) > 0.7:
			return 0
		}
		return 1
	}
	for up := range 6 {
		for down := range 6 - up {
			b := bcpace.Belief{float64(up) / 5, float64(down) / 5, float64(5-up-down) / 5}
			a := &v.actions[v.act(b)]
			a.samples = append(a.samples, b)
		}
	}
	v.actions[1].samples = append(v.actions[1].samples, bcpace.Belief{1, 0, 0})
	return v
}

func TestSimplexOfRun(t *testing.T) {
	run, err := runs.Explore(t.Context(), envs.Chain{}, certified.Solver{Epsilon: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []BeliefSimplex{{Run: run}, {Run: run, State: []float64{5}, Title: "At the end", Policy: constantPolicy(1)}} {
		f := must(s.Figure())
		checkMargins(t, "BeliefSimplex", f)
		want := "at state 1"
		if s.Policy != nil {
			want = "B: taken on 100% of the area"
		}
		if !strings.Contains(f.Alt, want) {
			t.Errorf("description %q, want %q in it", f.Alt, want)
		}
	}
	tiger, err := runs.Explore(t.Context(), envs.Tiger{}, certified.Solver{Epsilon: 1})
	if err != nil {
		t.Fatal(err)
	}
	for want, s := range map[string]BeliefSimplex{
		"Run is nil":      {},
		"three latents":   {Run: tiger},
		"has 2 entries":   {Run: run, State: []float64{1, 2}},
		"State[0] is NaN": {Run: run, State: []float64{math.NaN()}},
		"takes action 2":  {Run: run, Policy: constantPolicy(2)},
		"takes action -1": {Run: run, Policy: constantPolicy(-1)},
	} {
		if _, err := s.Figure(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// The areas of the regions are those of geometry: b(second) > 0.6 is a triangle
// of 0.4 times the height.
func TestSimplexShares(t *testing.T) {
	v := threeActions()
	must(v.figure())
	total := 0.0
	for _, a := range v.actions {
		total += a.share
	}
	if math.Abs(total-1) > 1e-9 || math.Abs(v.actions[2].share-0.16) > 1e-3 {
		t.Errorf("shares add up to %v, and the top has %v; want 1 and 0.16", total, v.actions[2].share)
	}
}

func TestHostileSimplex(t *testing.T) {
	for kind, s := range hostile {
		v := threeActions()
		v.title, v.subtitle, v.model, v.state, v.latents = s, s, s, words(s, 80), []string{s, s, s}
		for i := range v.actions {
			v.actions[i].name = s
		}
		f := must(v.figure())
		checkMargins(t, "BeliefSimplex of "+kind+" names", f)
		if strings.ContainsAny(f.Alt, "\n\x00\x1b\u202e") || len(f.Alt) > 10_000 {
			t.Errorf("BeliefSimplex of %s names: description %.200q", kind, f.Alt)
		}
	}
}

type constantPolicy int

func (p constantPolicy) Act([]float64, bcpace.Belief, *rand.Rand) int { return int(p) }
