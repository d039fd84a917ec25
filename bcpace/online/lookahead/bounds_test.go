package lookahead

import (
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/randmodel"
)

// told is a model that lists nothing, but whose states without the last axis are those of another
// one.
type told struct {
	bcpace.Model
	without bcpace.Finite
}

func (m told) Told() bcpace.Finite { return m.without }

// TestToldBounds: the bounds of a model that lists nothing, from the one that is told the latent,
// hold the optimal value.
func TestToldBounds(t *testing.T) {
	compared := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 29))
		without := randmodel.New(rng, randmodel.Options{States: 2, Latents: 2 + int(seed%2), Actions: 2, Branch: 2, Kind: bcpace.LatentKind(seed % 3), Discount: 0.2 + 0.2*rng.Float64()})
		m := randmodel.AddReadings(without, 2, rng)
		bounds, _, err := boundsOf(t.Context(), told{m, without})
		if err != nil {
			t.Fatal(err)
		}
		s, b := make([]float64, 2), make(bcpace.Belief, len(m.Spec().Latents))
		m.StateAt(s, rng.IntN(m.NumStates()))
		b.SampleSimplex(rng)
		best, err := eval.Optimal(t.Context(), m, eval.ExactOptions{State: s, Belief: b, Tolerance: 0.2})
		if err != nil {
			continue // the end
		}
		compared++
		lo, hi := best.Value-best.Error, best.Value+best.Error
		if v, _ := bounds.Lower(s, b); v > hi+1e-9 {
			t.Errorf("seed %d: lower bound %v, but the value lies in [%v, %v]", seed, v, lo, hi)
		}
		if v := bounds.Upper(s, b); v < lo-1e-9 {
			t.Errorf("seed %d: upper bound %v, but the value lies in [%v, %v]", seed, v, lo, hi)
		}
	}
	if compared < 150 {
		t.Errorf("%d bounds compared, want 150", compared)
	}
}
