package sarsop_test

import (
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/pointbased"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/envs"
)

// BenchmarkStages reports lower bounds after a fixed amount of work: of PBVI and Perseus with
// 1000 beliefs, and of SARSOP with as many.
func BenchmarkStages(b *testing.B) {
	small, err := envs.RockSample{Size: 4, Rocks: 4}.Model()
	if err != nil {
		b.Fatal(err)
	}
	for _, m := range []bcpace.Model{envs.Tiger{}, envs.Chain{}, envs.LightDarkTiger{Width: 9, Height: 9}, small, envs.Tag{}} {
		o := pointbased.Options{Epsilon: 1e-3}
		for _, s := range []bcpace.Solver{byStages["pbvi"](o), byStages["perseus"](o), sarsop.Solver{Epsilon: 1e-3, MaxBeliefs: pointbased.DefaultBeliefs}} {
			b.Run(m.Spec().Name+"/"+s.Name(), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					found, err := s.Solve(b.Context(), m, bcpace.Control{})
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(found.Certificate.Lower, "lower")
					b.ReportMetric(found.Certificate.Upper, "upper")
				}
			})
		}
	}
}

// BenchmarkAhead is the tighter informed bound at a belief that holds all of 60 hidden values likely, with and without its table.
func BenchmarkAhead(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 21))
	m := pomdptest.Random(rng, 1, 60, 0.95)
	set, err := pointbased.New(b.Context(), "test", m, 1, false)
	if err != nil {
		b.Fatal(err)
	}
	for range set.Tighten(b.Context(), 1) {
	}
	u := set.Ahead
	p, w, table := pomdptest.Row(rng, 60, 2), u.Scratch(), u.Table()
	table.Fill(1)
	b.Run("branches", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			u.At(w, 0, nil, p, 0)
		}
	})
	b.Run("table", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			table.At(w, 0, p, 0)
		}
	})
}
