package lipschitz_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/lipschitz"
	"bayescpace/bcpace/metric"
	"bayescpace/bcpace/runs"
)

// cart returns a model whose next state is normal with mean 0.5·x + gain·u, on an axis that is
// so long that its ends are never met, and whose reward is slope·u.
func cart(t *testing.T, gain, slope, scale, sigma float64) bcpace.Model {
	m, err := bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{Name: "cart", Discount: 0.9, RewardMin: -4, RewardMax: 4, Latents: []string{"right", "left"},
			Axes:    []bcpace.Axis{{Name: "x", Min: -1000, Max: 1000}},
			Actions: []bcpace.Action{{Name: "rest"}, {Name: "push", Box: []bcpace.Axis{{Name: "u", Min: -1, Max: 1, Scale: scale}}}}},
		Starts: [][]float64{{0}}, Sigma: []float64{sigma}, Nodes: 3,
		MeanAt: func(mean, s []float64, latent, action int, u []float64) {
			if mean[0] = 0.5 * s[0]; action == 1 {
				mean[0] += []float64{1, -1}[latent] * gain * u[0]
			}
		},
		RewardAt: func(_ []float64, _, action int, u, _ []float64) float64 {
			if action == 0 {
				return 0
			}
			return slope * u[0]
		}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestConstantsOfBoxes: two normal distributions whose means differ by little are
// √(2/π)/σ times that apart, so that both constants are known. The larger one of state and
// control counts, and that of the control is given on its own.
func TestConstantsOfBoxes(t *testing.T) {
	for _, x := range []struct{ gain, slope, scale, sigma float64 }{{3, 2, 0.5, 0.7}, {0.1, 1, 2, 0.3}, {1, 0, 1, 1}} {
		c, err := lipschitz.FromModel(t.Context(), cart(t, x.gain, x.slope, x.scale, x.sigma), lipschitz.Options{Pairs: 400, Draws: 64, Refine: 60})
		if err != nil {
			t.Fatal(err)
		}
		steep := math.Sqrt(2/math.Pi) / x.sigma
		control := x.gain * x.scale
		for _, k := range []struct {
			what      string
			got, want float64
		}{
			{"L_R", c.R.Value, x.slope * x.scale}, {"L_R of the control", c.ControlR.Value, x.slope * x.scale},
			{"L_P", c.P.Value, steep * max(0.5, control)}, {"L_P of the control", c.ControlP.Value, steep * control},
			{"L_S of the control", c.Tight.ControlLS, c.ControlR.Value + 0.45*c.Tight.DeltaV*c.ControlP.Value},
		} {
			if math.Abs(k.got-k.want) > 0.08*k.want+1e-9 {
				t.Errorf("%+v: %s is %v, want %v", x, k.what, k.got, k.want)
			}
		}
		if w := c.ControlP.Worst; w.U2 == nil || w.S2 != nil || !strings.Contains(w.Describe(cart(t, 1, 1, 1, 1).Spec()), "other control") {
			t.Errorf("the witness of the control is %+v", w)
		}
	}
}

// TestObserveBoxes: queries of the same action are compared by state, belief and control, and
// a bound that is too low is broken, with its witness.
func TestObserveBoxes(t *testing.T) {
	m := cart(t, 1, 2, 0.5, 0.5)
	r, err := runs.Explore(t.Context(), m, cpace.Solver{Epsilon: 1, LipQ: 3, MaxSamples: 60, ControlPoints: 3, CertificateEpisodes: -1, Grid: dp.GridOptions{MaxPoints: 33}})
	if err != nil {
		t.Fatal(err)
	}
	v, err := lipschitz.RunValues(r)
	if err != nil {
		t.Fatal(err)
	}
	queries := metric.NewQueries(r.Spec, 1)
	steepest := 0.0
	for i := range v.Len() {
		for j := range i {
			d := queries.Distance(v.State(i), v.Belief(i), v.Actions[i], v.State(j), v.Belief(j), v.Actions[j])
			if d > 1e-9 && !math.IsInf(d, 1) {
				steepest = max(steepest, math.Abs(v.Q[i]-v.Q[j])/d)
			}
		}
	}
	x, err := v.Observe(t.Context(), lipschitz.ObserveOptions{Bounds: []lipschitz.NamedConstant{{Name: "low", Value: steepest / 2}, {Name: "high", Value: steepest}}})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(x.LQ.Value-steepest) > 1e-9*steepest || x.Broken[0] == 0 || x.Broken[1] != 0 {
		t.Errorf("L_Q is %v, want %v; broken %v", x.LQ.Value, steepest, x.Broken)
	}
	p, q := make([]float64, queries.Dim()), make([]float64, queries.Dim())
	for i := range min(v.Len(), 20) {
		a, b := queries.Embed(p, v.State(i), v.Belief(i), v.Actions[i]), queries.Embed(q, v.State(0), v.Belief(0), v.Actions[0])
		d := 0.0
		for k := range p {
			d += math.Abs(p[k] - q[k])
		}
		if want := queries.Distance(v.State(i), v.Belief(i), v.Actions[i], v.State(0), v.Belief(0), v.Actions[0]); a == b && math.Abs(d-want) > 1e-12 || a != b && !math.IsInf(want, 1) {
			t.Fatalf("query %d is at distance %v by coordinates and %v by Distance", i, d, want)
		}
	}
	if !slices.ContainsFunc(v.Actions, func(a int) bool { return a > 1 }) {
		t.Error("no query has a control")
	}
}

// TestExpansionsWithControls: the walk to where beliefs are updated takes controls, not numbers of actions.
func TestExpansionsWithControls(t *testing.T) {
	x, err := lipschitz.Expansions(t.Context(), cart(t, 1, 1, 1, 0.5), lipschitz.ExpansionOptions{Pairs: 50})
	if err != nil || len(x.Before) == 0 || len(x.Before) != len(x.After) {
		t.Errorf("%+v, %v, want pairs", x, err)
	}
}
