package tabular

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/envs"
)

// On random models, a backup is the mean of what is drawn: each of 100 means of 4,000 draws is within 6
// standard errors.
func TestLatents(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 7))
		m := randmodel.New(rng, randmodel.Options{Kind: bcpace.Static})
		know, err := New(t.Context(), m, "test")
		if err != nil {
			t.Fatal(err)
		}
		x := know.(*LatentPosterior)
		b := make(bcpace.Belief, len(m.Spec().Latents))
		b.SampleSimplex(rng)
		x.SetBelief(b)
		v := make([]float64, x.States())
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		for range 5 {
			s, a := rng.IntN(x.States()), rng.IntN(x.Actions())
			const draws = 4000
			sum, squares := 0.0, 0.0
			var p mdp.MDP
			for range draws {
				x.Draw(&p, rng)
				y := p.Backup(v, s*x.Actions()+a)
				sum, squares = sum+y, squares+y*y
			}
			mean := sum / draws
			se := math.Sqrt(max(0, squares/draws-mean*mean) / draws)
			if got := x.Backup(s, a, v, 0); math.Abs(got-mean) > 6*se+1e-9 {
				t.Errorf("seed %d: backup %v, draws %v ± %v", seed, got, mean, se)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	var unsupported *bcpace.UnsupportedError
	if _, err := New(t.Context(), envs.LightDarkTiger{Sigma: 0.1}, "test"); !errors.As(err, &unsupported) {
		t.Errorf("without numbered states: error %v, want an UnsupportedError", err)
	}
	for _, m := range []bcpace.Model{envs.Tiger{}, envs.LightDarkTiger{Sigma: 0.1}} {
		if err := Check(m, "test"); !errors.As(err, &unsupported) {
			t.Errorf("%s: error %v, want an UnsupportedError", m.Spec().Name, err)
		}
	}
}
