package randmodel_test

import (
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/internal/randmodel"
)

func TestNewPassesCheck(t *testing.T) {
	for seed := range uint64(2) {
		rng := rand.New(rand.NewPCG(seed, 1))
		for _, kind := range []bcpace.LatentKind{bcpace.Static, bcpace.Deterministic, bcpace.Redrawn} {
			m := randmodel.New(rng, randmodel.Options{Kind: kind})
			if err := check.Model(m, check.Options{Draws: 500}); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if bcpace.KindOf(m) != kind {
				t.Fatalf("seed %d: latent is %v, want %v", seed, bcpace.KindOf(m), kind)
			}
			listed := randmodel.New(rng, randmodel.Options{Kind: kind, Lists: true, Drifts: true})
			starts := randmodel.New(rng, randmodel.Options{Kind: kind, Lists: true, InformativeStart: true})
			for _, m := range []bcpace.Finite{listed, starts, randmodel.AddReadings(listed, 3, rng)} {
				if err := check.Model(m, check.Options{Episodes: 5, Draws: 100, Transitions: 20}); err != nil {
					t.Fatalf("seed %d, with lists of moves: %v", seed, err)
				}
				if ok := bcpace.AbilitiesOf(m).LatentMoves != nil; ok != (kind != bcpace.Static) {
					t.Fatalf("seed %d: a latent that is %v has lists of moves: %v", seed, kind, ok)
				}
			}
			if err := check.Model(randmodel.AddReadings(m, 3, rng), check.Options{Draws: 500, Transitions: 50}); err != nil {
				t.Fatalf("seed %d, with readings: %v", seed, err)
			}
		}
	}
}

func TestVariedPassesCheck(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 2))
		o := randmodel.Varied(rng)
		o.Sharp = seed%2 == 0
		m := randmodel.New(rng, o)
		if err := check.Model(m, check.Options{Draws: 500, Transitions: 50}); err != nil {
			t.Fatalf("seed %d, %+v: %v", seed, o, err)
		}
	}
}
