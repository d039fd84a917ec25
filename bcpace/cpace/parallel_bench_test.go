package cpace_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// paperProblems are those of the paper, with ε of the certified search.
var paperProblems = []struct {
	name    string
	m       bcpace.Model
	epsilon float64
}{{"tiger", envs.Tiger{}, 1e-3}, {"chain", envs.Chain{}, 1e-2}, {"dark", envs.LightDarkTiger{}, 1e-3}}

// lighter returns the tuned settings of a problem, with averages of 100 outcomes at most, for an
// exploration of seconds, and without the episodes of a certificate.
func lighter(m bcpace.Model) cpace.Solver {
	o := envs.Tuned(m)
	o.K, o.CertificateEpisodes = min(o.K, 100), -1
	return o
}

// BenchmarkParallelExploration is Bayes-CPACE with rollouts side by side and one value iteration
// after each batch of them, the concurrent exploration with delayed updates of Pazis and
// Parr (2016). The samples are the same for any number of workers. It reports them, the value
// iterations ("updates"), the steps that each of the rollouts of a batch has taken ("depth"),
// and the mean return of the policy over the same 2000 episodes.
func BenchmarkParallelExploration(b *testing.B) {
	for _, x := range paperProblems {
		for _, batch := range []int{1, 10, 100} {
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/batch=%d/workers=%d", x.name, batch, workers), func(b *testing.B) {
					o := lighter(x.m)
					o.Batch = batch
					var r *runs.Run
					for b.Loop() {
						var err error
						if r, err = o.Explore(b.Context(), x.m, bcpace.Control{Workers: workers}); err != nil {
							b.Fatal(err)
						}
					}
					earns, err := eval.Rollouts(b.Context(), x.m, r.Policy(), eval.Options{Episodes: 2000, Seed: 1})
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(r.Samples.Len()), "samples")
					b.ReportMetric(float64(len(r.Trace)/batch), "updates")
					b.ReportMetric(float64(r.Steps)/float64(batch), "depth")
					b.ReportMetric(earns.Mean, "return")
				})
			}
		}
	}
}

// BenchmarkStarts explores from so many beliefs that are drawn from the simplex, at the model's
// own start state. It reports the samples of Bayes-CPACE and of the certified search
// ("beliefs"), and how many it takes to explore from each of them alone, one run after another.
func BenchmarkStarts(b *testing.B) {
	for _, x := range paperProblems {
		spec, rng := x.m.Spec(), rand.New(rand.NewPCG(1, 2))
		points := make([]bcpace.StartPoint, 16)
		for i := range points {
			points[i] = bcpace.StartPoint{State: make([]float64, len(spec.Axes)), Belief: make(bcpace.Belief, len(spec.Latents))}
			x.m.Start(points[i].State, 0, rng)
			points[i].Belief.SampleSimplex(rng)
		}
		samples := func(s runs.Explorer) float64 {
			r, err := runs.Explore(b.Context(), x.m, s)
			if err != nil {
				b.Fatal(err)
			}
			return float64(r.Samples.Len())
		}
		from := func(starts []bcpace.StartPoint) (sampled, certain float64) {
			o := lighter(x.m)
			o.Starts = starts
			return samples(o), samples(certified.Solver{Epsilon: x.epsilon, Starts: starts})
		}
		for _, n := range []int{1, 4, 16} {
			b.Run(fmt.Sprintf("%s/starts=%d", x.name, n), func(b *testing.B) {
				var sampled, certain, sampledAlone, certainAlone float64
				for b.Loop() {
					sampled, certain = from(points[:n])
				}
				for i := range n {
					s, c := from(points[i : i+1])
					sampledAlone, certainAlone = sampledAlone+s, certainAlone+c
				}
				b.ReportMetric(sampled, "samples")
				b.ReportMetric(sampledAlone, "samples-alone")
				b.ReportMetric(certain, "beliefs")
				b.ReportMetric(certainAlone, "beliefs-alone")
			})
		}
	}
}
