package certified_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/runs"
)

// treasure lies below one of the cells of a row. A scan beeps the more often the closer it
// is, and to dig at the wrong place costs 1. QMDP never scans, as it believes that it will
// know the cell after the next step.
func treasure(t *testing.T, cells int) bcpace.Finite {
	t.Helper()
	var names []string
	for i := range cells {
		names = append(names, fmt.Sprintf("below %d", i))
	}
	m, err := bcpace.FromOutcomes(bcpace.Outcomes{
		Spec: bcpace.Spec{
			Name: "treasure", Latents: names, Discount: 0.95, Actions: bcpace.Actions("left", "right", "scan", "dig"),
			Axes: []bcpace.Axis{{Name: "cell", Max: float64(cells - 1), Discrete: true}, {Name: "beep", Max: 1, Discrete: true}},
		},
		Transitions: func(s []float64, latent, action int) []bcpace.Transition {
			at := s[0]
			away := math.Abs(at - float64(latent))
			switch action {
			case 2:
				p := 0.05 + 0.9*math.Exp(-away/2)
				return []bcpace.Transition{{Next: []float64{at, 1}, Prob: p, Reward: -0.2}, {Next: []float64{at, 0}, Prob: 1 - p, Reward: -0.2}}
			case 3:
				if away == 0 {
					return []bcpace.Transition{{Next: []float64{at, 1}, Prob: 1, Reward: 10, Done: true}}
				}
				return []bcpace.Transition{{Next: []float64{at, 0}, Prob: 1, Reward: -2}}
			}
			to := min(max(at+float64(2*action-1), 0), float64(cells-1))
			return []bcpace.Transition{{Next: []float64{to, 0}, Prob: 0.9, Reward: -0.1}, {Next: []float64{at, 0}, Prob: 0.1, Reward: -0.1}}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The lower bound rises although the actions with the largest upper bound never earn
// anything: to dig never is worth −2. The policy attains it, the run is verified, and its
// checkpoint resumed as the search went on.
func TestLowerBoundOfWhatOptimismNeverDoes(t *testing.T) {
	m, o := treasure(t, 12), certified.Solver{Epsilon: 1e-3, MaxSamples: 1500}
	r, saved := checkpointed(t, m, o, 150)
	if c := r.Certificate; c.Lower < 0.4 {
		t.Errorf("[%v, %v] after %d samples, want a lower bound of 0.4 at least", c.Lower, c.Upper, r.Samples.Len())
	}
	if err := certified.CheckNodes(r); err != nil {
		t.Error(err)
	}
	if res, err := eval.Rollouts(t.Context(), m, r.Policy(), eval.Options{Episodes: 1000, Seed: 1}); err != nil || res.Mean+4*res.StdErr < r.Certificate.Lower {
		t.Errorf("%v: the policy earns %v ± %v, want %v at least", err, res.Mean, res.StdErr, r.Certificate.Lower)
	}
	want := runtest.Bytes(t, r)
	for what, file := range map[string][]byte{"run": want, "checkpoint": saved} {
		again, err := runs.Read(bytes.NewReader(file), runs.FixedModel(m), nil)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if c, err := runs.Verify(t.Context(), again); err != nil || c != again.Certificate {
			t.Errorf("%s: %v, found %+v, was %+v", what, err, c, again.Certificate)
		}
		if again, err = runs.Resume(t.Context(), again, o); err != nil || !bytes.Equal(runtest.Bytes(t, again), want) {
			t.Errorf("%s: resumed: %v, or another run", what, err)
		}
	}
}
