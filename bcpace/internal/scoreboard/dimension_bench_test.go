package scoreboard

import (
	"context"
	"fmt"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/policysearch"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/sweep"
)

// BenchmarkDimension has the time and memory of values on a grid and of policy search against the number of
// continuous axes, and what their policies earn.
func BenchmarkDimension(b *testing.B) {
	grid := func(points int) func(context.Context, bcpace.Model) (bcpace.Policy, error) {
		return func(ctx context.Context, m bcpace.Model) (bcpace.Policy, error) {
			q, err := dp.SolveGrid(ctx, m.(bcpace.Enumerator), dp.GridOptions{MaxPoints: points, NoError: true})
			return dp.LatentPolicy(q, len(m.Spec().Actions)), err
		}
	}
	search := func(steps int) func(context.Context, bcpace.Model) (bcpace.Policy, error) {
		return func(ctx context.Context, m bcpace.Model) (bcpace.Policy, error) {
			found, err := policysearch.Solver{MaxSteps: steps, CertificateEpisodes: -1}.Solve(ctx, m, bcpace.Control{})
			return found.Policy, err
		}
	}
	for axes := 2; axes <= 5; axes++ {
		m, err := problem{env: "jumps", set: sweep.Values{"axes": axes, "layout": 2}}.model()
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range []struct {
			name  string
			solve func(context.Context, bcpace.Model) (bcpace.Policy, error)
		}{{"grid=4096", grid(1 << 12)}, {"grid=32768", grid(1 << 15)}, {"search=300000", search(3e5)}, {"search=3000000", search(3e6)}} {
			b.Run(fmt.Sprintf("axes=%d/%s", axes, c.name), func(b *testing.B) {
				b.ReportAllocs()
				var p bcpace.Policy
				for b.Loop() {
					if p, err = c.solve(b.Context(), m); err != nil {
						b.Fatal(err)
					}
				}
				r, err := eval.Rollouts(b.Context(), m, p, eval.Options{Episodes: 1000, Seed: 7})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(r.Mean, "return")
			})
		}
	}
}
