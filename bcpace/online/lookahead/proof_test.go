package lookahead

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/bcpace/proved"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// pushes is dual control with some controls in the place of the Box. The optimum is 9.372 with the
// Box, and little less with the list.
func pushes(t *testing.T) bcpace.Model {
	list, err := bcpace.Discretised(plannertest.Dual(t), 9)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// follow is the policy of Bounds.Lower.
type follow struct{ Bounds }

func (f follow) Act(s []float64, b bcpace.Belief, _ *rand.Rand) int {
	_, action := f.Lower(s, b)
	return action
}

// The upper bound at a leaf is at most QMDP, and no less than what a policy earns from there on: what
// its episodes earn on average lies below the bound or by 3 standard errors above it at most.
func TestProvedLeaves(t *testing.T) {
	m, rng := pushes(t), rand.New(rand.NewPCG(1, 1))
	bounds, _, err := boundsOf(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	g, ok := bounds.(gridBounds)
	if !ok || g.proof == nil {
		t.Fatalf("%T: want a proof", bounds)
	}
	told := g
	told.proof = nil
	start := []float64{2}
	if up, most := bounds.Upper(start, bcpace.Uniform(2)), told.Upper(start, bcpace.Uniform(2)); up >= most {
		t.Errorf("at the start the bound is %v, want less than the %v of QMDP", up, most)
	}
	play := &bcpace.Rollout{Simulator: bcpace.NewSimulator(m), Policy: follow{bounds}, Horizon: 60, Discount: m.Spec().Discount}
	for range 20 {
		at := bcpace.StartPoint{State: []float64{8*rng.Float64() - 4}, Belief: make(bcpace.Belief, 2)}
		at.Belief.SampleSimplex(rng)
		up, most := bounds.Upper(at.State, at.Belief), told.Upper(at.State, at.Belief)
		if up > most {
			t.Errorf("at %+v: %v, want the %v of QMDP at most", at, up, most)
		}
		const episodes = 200
		sum, squares := 0.0, 0.0
		for range episodes {
			if err := play.ResetAt(at, rng); err != nil {
				t.Fatal(err)
			}
			for play.More() {
				if err := play.Step(rng, rng); err != nil {
					t.Fatal(err)
				}
			}
			sum, squares = sum+play.Return, squares+play.Return*play.Return
		}
		mean := sum / episodes
		if e := math.Sqrt((squares/episodes - mean*mean) / episodes); mean-3*e > up {
			t.Errorf("at %+v: a policy earns %v ± %v, and the upper bound is %v", at, mean, e, up)
		}
	}
}

// The certificate at the start says which upper bound is proved, and withdraws what that refutes.
func TestProofInTheCertificate(t *testing.T) {
	m := pushes(t)
	silent := bcpace.Derive(m, func(_ bcpace.Model, a *bcpace.Abilities) { a.Smoothness, a.Behind = nil, nil })
	for _, x := range []struct {
		m  bcpace.Model
		by bcpace.Basis
	}{{m, bcpace.ByProof}, {silent, bcpace.ByAssumption}} {
		bounds, _, err := boundsOf(t.Context(), x.m)
		if err != nil {
			t.Fatal(err)
		}
		c, err := BoundedSearch{Bounds: bounds}.certificate(x.m, false, false)
		if err != nil || c.UpperBy != x.by || c.LowerBy != bcpace.ByAssumption || c.Lower > 9.372 || !(c.Upper >= 9.371 && c.Upper < 9.6) || c.Refuted != "" {
			t.Errorf("%+v, %v: want an upper bound of 9.372 that is %s", c, err, x.by)
		}
	}
	g := gridBounds{proof: &proved.GridBound{Start: 5}, lo: 1, hi: 10}
	c := g.withProof(bcpace.Certificate{Lower: 6, Upper: 7, LowerBy: bcpace.ByAssumption, UpperBy: bcpace.ByAssumption, Assumes: "a grid"})
	if c.Lower != 1 || c.Upper != 5 || c.LowerBy != bcpace.ByRange || c.Assumes != "" || c.Refuted == "" {
		t.Errorf("%+v: want the lower bound withdrawn", c)
	}
	g.hi = 5
	if before := (bcpace.Certificate{Lower: 4, Upper: 5}); g.withProof(before) != before {
		t.Errorf("a proof that tells no more than the range changes the certificate")
	}
}

// A set-up that ends while the bound is proved says so, with the values so far.
func TestProofEnds(t *testing.T) {
	m := pushes(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	watched := solverkit.WithControl(ctx, bcpace.Control{Progress: func(p bcpace.Progress) {
		if p.Phase == "proved upper bound" {
			cancel()
		}
	}})
	_, latent, err := boundsOf(watched, m)
	found, err := runs.Unfinished(ctx, err, m, nil, runs.LatentSoFar(latent))
	if err != nil || found.Stop != stop.Interrupted || found.Certificate.Upper < 9.371 {
		t.Errorf("%+v, %v", found, err)
	}
}
