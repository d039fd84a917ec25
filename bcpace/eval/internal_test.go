package eval

import (
	"context"
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/envs"
)

// Quantiles from the table of Student (1908) as in any textbook.
func TestStudentT(t *testing.T) {
	for nu, want := range map[float64]float64{1: 12.7062, 2: 4.3027, 10: 2.2281, 30: 2.0423, 1000: 1.9623} {
		if got := studentT(0.975, nu); math.Abs(got-want) > 1e-4 {
			t.Errorf("t(.975, %v) = %v, want %v", nu, got, want)
		}
	}
}

func player(t testing.TB, m bcpace.Model, horizon int) *episodes {
	q, err := bcpace.SolveLatent(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	return newEpisodes(m, bcpace.LatentPolicy(q, len(m.Spec().Actions)), Options{Horizon: horizon})
}

func TestEpisodesDoNotAllocate(t *testing.T) {
	for _, m := range []bcpace.Model{envs.Tiger{}, envs.Chain{}, envs.LightDarkTiger{}, envs.LightDarkTiger{Sigma: 0.1}} {
		e := player(t, m, 50)
		i := 0
		if n := testing.AllocsPerRun(20, func() { e.play(i, nil, nil); i++ }); n != 0 {
			t.Errorf("%s: an episode allocates %v times", m.Spec().Name, n)
		}
	}
}

func BenchmarkRolloutStep(b *testing.B) {
	for _, m := range []bcpace.Model{envs.Tiger{}, envs.Chain{}, envs.LightDarkTiger{Sigma: 0.1}} {
		b.Run(m.Spec().Name, func(b *testing.B) {
			e := player(b, m, 100)
			b.ReportAllocs()
			b.ResetTimer()
			steps := 0
			for i := 0; steps < b.N; i++ {
				_, n, _, err := e.play(i, nil, nil)
				if err != nil {
					b.Fatal(err)
				}
				steps += n
			}
		})
	}
}
