package certified_test

import (
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/randmodel"
)

// linearValue returns the value of policy p of a model of one latent or one action, from the
// linear equations of V(s, φ), which elimination solves: no belief is rounded or cut off.
func linearValue(t *testing.T, m bcpace.Finite, p bcpace.Policy) (value float64) {
	t.Helper()
	x, err := dp.ListTransitions(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	n := x.States * x.Latents
	rows := make([][]float64, n)
	s, next, scratch := make([]float64, len(m.Spec().Axes)), make([]float64, x.Latents), make([]float64, x.Latents)
	for i := range rows {
		state, latent := i/x.Latents, i%x.Latents
		b := bcpace.OneHot(x.Latents, latent)
		m.StateAt(s, state)
		r := state*x.Actions + p.Act(s, b, nil)
		rows[i] = make([]float64, n+1)
		rows[i][i], rows[i][n] = 1, x.Reward(r)[latent]
		for k, end := x.Entries(r); k < end; k++ {
			to, done := x.Next(k)
			if w := x.Update(next, b, r, k, scratch); !done && w > 0 {
				for φ, q := range next {
					rows[i][to*x.Latents+φ] -= x.Discount * w * q
				}
			}
		}
	}
	for c := range rows { // the rows are diagonally dominant
		for r := range rows {
			f := rows[r][c] / rows[c][c]
			for k := c; r != c && f != 0 && k <= n; k++ {
				rows[r][k] -= f * rows[c][k]
			}
		}
	}
	starts, err := bcpace.StartsOf(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, start := range starts {
		for φ, w := range start.Belief {
			i := m.StateIndex(start.State)*x.Latents + φ
			value += start.Weight * w * rows[i][n] / rows[i][i]
		}
	}
	return value
}

// TestBoundsHoldForDiscountsCloseToOne: with discounts up to 0.995, the policy earns the lower
// bound that is proved, and no more than the upper one. Where there is one latent or one
// action, the value is that of linear equations, and nothing is allowed for. Elsewhere it is that
// of eval, whose Error says how far its merged beliefs put it off: up to 1e-4 at such discounts.
func TestBoundsHoldForDiscountsCloseToOne(t *testing.T) {
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 78))
		o := randmodel.Options{States: 1 + rng.IntN(6), Latents: 1 + rng.IntN(3), Actions: 1 + rng.IntN(3), Branch: 1 + rng.IntN(2),
			Kind: bcpace.LatentKind(seed % 2), Sharp: seed%4 == 0, InformativeStart: seed%5 == 0, Discount: []float64{0.95, 0.99, 0.995}[seed%3]}
		linear := seed%4 > 0
		switch seed % 4 {
		case 1:
			o.Latents = 1
		case 2, 3:
			o.Actions = 1
		}
		m := randmodel.New(rng, o)
		epsilon := []float64{1, 1e-3, 1e-6}[rng.IntN(3)]
		for _, s := range []bcpace.Solver{certified.Solver{Epsilon: epsilon, MaxEpisodes: 200}, sarsop.Solver{Epsilon: epsilon, MaxTrials: 50}} {
			found, err := s.Solve(t.Context(), m, bcpace.Control{})
			if err != nil {
				t.Fatal(err)
			}
			c := found.Certificate
			earns, off := 0.0, 0.0
			if linear {
				earns = linearValue(t, m, found.Policy)
			} else {
				exact, err := eval.Evaluate(t.Context(), m, found.Policy, eval.ExactOptions{Tolerance: 1e-3, MaxNodes: 20_000})
				if err != nil { // too many beliefs
					continue
				}
				earns, off = exact.Value, exact.Error
			}
			if earns+off < c.Lower || earns-off > c.Upper {
				t.Errorf("seed %d, %s: the policy earns %.12g (off by %.2g at most), outside of [%.12g, %.12g], which is proved", seed, s.Name(), earns, off, c.Lower, c.Upper)
			}
		}
	}
}
