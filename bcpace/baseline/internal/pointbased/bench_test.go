package pointbased_test

import (
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/internal/pointbased"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/envs"
)

// BenchmarkSolve reports lower bounds after a fixed amount of work: of PBVI and Perseus with
// 1000 beliefs, and of SARSOP with as many.
func BenchmarkSolve(b *testing.B) {
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
