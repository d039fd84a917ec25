package sarsop

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/stop"
)

// TestHull: the hull is the largest convex function that is not above any bound it was told: at a probability, the least value there of the
// lines through two bounds on either side.
func TestHull(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Float64Range(-3, 3)
		h := &hull{p: []float64{0, 1}, v: []float64{value.Draw(t, "left"), value.Draw(t, "right")}}
		p, v := append([]float64(nil), h.p...), append([]float64(nil), h.v...)
		probability := rapid.Map(rapid.IntRange(0, 16), func(k int) float64 { return float64(k) / 16 })
		for range rapid.IntRange(0, 20).Draw(t, "bounds") {
			at, bound := probability.Draw(t, "p"), value.Draw(t, "v")
			h.lower(at, bound)
			p, v = append(p, at), append(v, bound)
		}
		x := rapid.OneOf(probability, rapid.Float64Range(0, 1)).Draw(t, "x")
		want := math.Inf(1)
		for i := range p {
			for j := range p {
				switch {
				case p[i] == x:
					want = min(want, v[i])
				case p[i] < x && x < p[j]:
					want = min(want, v[i]+(v[j]-v[i])*(x-p[i])/(p[j]-p[i]))
				}
			}
		}
		if got := h.at(x); math.Abs(got-want) > 1e-9 {
			t.Fatalf("at %v the hull of %v, %v is %v, want %v", x, p, v, got, want)
		}
	})
}

// TestTwoHiddenValues: problems with two hidden values, whose beliefs are one number, are solved to a small gap in few trials. Without the
// hull, six of them are not.
func TestTwoHiddenValues(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 41))
		actions, observations := 2+rng.IntN(3), 2+rng.IntN(3)
		m := pomdptest.New(1, 2, actions, observations, 0.95, []float64{0.5, 0.5})
		for range actions {
			var moves, senses [][]float64
			var rewards []float64
			size := math.Pow(10, float64(rng.IntN(3)))
			for range 2 {
				moves, senses = append(moves, pomdptest.Row(rng, 2, 0)), append(senses, pomdptest.Row(rng, observations, 0))
				rewards = append(rewards, size*(2*rng.Float64()-1))
			}
			pomdptest.Append(m, moves, senses, rewards)
		}
		found, err := Solver{Epsilon: 1e-3, MaxTrials: 300}.SolvePOMDP(t.Context(), m, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		if found.Stop != stop.Certified {
			t.Errorf("seed %d: %+v after %s", seed, found.Certificate, found.Stop)
		}
		low, high := Outlook(m, nil, 400, 1e-6)
		if c := found.Certificate; c.Lower > high+1e-6 || c.Upper < low-1e-6 {
			t.Errorf("seed %d: [%v, %v], the value is in [%v, %v]", seed, c.Lower, c.Upper, low, high)
		}
	}
}
