package pomdp_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
)

// TestOnSeen: a policy for the states of a file, for those with what observations reveal, and for either with the steps left earns the
// same in each BAMDP of the file as on its own tables.
func TestOnSeen(t *testing.T) {
	files, err := filepath.Glob("../../data/*.pomdp*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	all := map[string]func() *pomdp.Model{}
	for _, file := range files {
		all[file] = func() *pomdp.Model {
			m, err := pomdpfile.ReadFile(t.Context(), file)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
	}
	for seed := range uint64(4) {
		all["random "+string(rune('0'+seed))] = func() *pomdp.Model {
			rng := rand.New(rand.NewPCG(seed, 11))
			m, err := pomdp.FromBAMDP(t.Context(), randmodel.AddReadings(randmodel.New(rng, randmodel.Options{States: 4, Latents: 3, Discount: 0.7}), 2, rng))
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
	}
	played := 0
	for name, read := range all {
		for _, horizon := range []int{0, 6} {
			m := read()
			m.Horizon = horizon
			revealed, err := pomdp.Reveal(t.Context(), m)
			if err != nil {
				t.Fatal(err)
			}
			for _, of := range []*pomdp.Model{m, revealed} {
				of, err := pomdp.KeepHorizon(of)
				if err != nil {
					t.Fatal(err)
				}
				p := pomdp.PolicyFunc(func(x int, b []float64) int { return (x*31 + int(b[0]*3.7)) % len(of.Actions) })
				o := eval.Options{Episodes: 4000, Horizon: 6, Seed: 1}
				own, err := pomdp.Rollouts(t.Context(), of, p, o)
				if err != nil {
					t.Fatal(err)
				}
				for _, from := range []*pomdp.Model{m, revealed} {
					b, err := pomdp.AsBAMDP(t.Context(), from)
					if errors.As(err, new(*pomdp.DependenceError)) {
						continue
					}
					if err != nil {
						t.Fatal(err)
					}
					q, err := pomdp.OnSeen(t.Context(), b, m, of, p)
					if err != nil {
						t.Errorf("%s, horizon %d: %v", name, horizon, err)
						continue
					}
					r, err := eval.Rollouts(t.Context(), b, q, o)
					if slack := 5*math.Hypot(r.StdErr, own.StdErr) + 1e-9; err != nil || math.Abs(r.Mean-own.Mean) > slack {
						t.Errorf("%s, horizon %d: %v on the tables, %v in the BAMDP, %v", name, horizon, own.Mean, r.Mean, err)
					}
					played++
				}
			}
		}
	}
	if played < 20 {
		t.Errorf("%d played", played)
	}
	if _, err := pomdp.OnSeen(t.Context(), randmodel.New(rand.New(rand.NewPCG(1, 1)), randmodel.Options{}), nil, nil, nil); !errors.As(err, new(*bcpace.UnsupportedError)) {
		t.Error(err)
	}
}
