package eval_test

import (
	"context"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/envs"
)

func player(t testing.TB, m bcpace.Model, horizon int) func(episode int) (steps int, err error) {
	q, err := dp.SolveLatent(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	return eval.Player(m, dp.LatentPolicy(q, len(m.Spec().Actions)), horizon)
}

func TestEpisodesDoNotAllocate(t *testing.T) {
	for _, m := range []bcpace.Model{envs.Tiger{}, envs.Chain{}, envs.LightDarkTiger{}, envs.LightDarkTiger{Sigma: 0.1}} {
		play, i := player(t, m, 50), 0
		if n := testing.AllocsPerRun(20, func() { _, _ = play(i); i++ }); n != 0 {
			t.Errorf("%s: an episode allocates %v times", m.Spec().Name, n)
		}
	}
}

func BenchmarkRolloutStep(b *testing.B) {
	for _, m := range []bcpace.Model{envs.Tiger{}, envs.Chain{}, envs.LightDarkTiger{Sigma: 0.1}} {
		b.Run(m.Spec().Name, func(b *testing.B) {
			play := player(b, m, 100)
			b.ReportAllocs()
			b.ResetTimer()
			for i, steps := 0, 0; steps < b.N; i++ {
				n, err := play(i)
				if err != nil {
					b.Fatal(err)
				}
				steps += n
			}
		})
	}
}
