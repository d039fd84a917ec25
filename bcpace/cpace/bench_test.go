package cpace

import (
	"context"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"
)

// benchModel is a chain of 5 states with three slip probabilities, from tables,
// so that the benchmarks of the core need nothing but the core.
func benchModel(tb testing.TB) bcpace.Finite {
	tb.Helper()
	const n = 5
	t := bcpace.Tables{Name: "bench", States: []string{"1", "2", "3", "4", "5"}, Actions: []string{"A", "B"}, Latents: []string{"0.2", "0.5", "0.8"}, Discount: 0.95}
	for _, slip := range []float64{0.2, 0.5, 0.8} {
		p, r := make([][][]float64, 2), make([][]float64, 2)
		for a := range 2 {
			on := 1 - slip // probability of moving on
			if a == 1 {
				on = slip
			}
			for s := range n {
				row := make([]float64, n)
				row[min(s+1, n-1)] += on
				row[0] += 1 - on
				reward := 2 * (1 - on)
				if s == n-1 {
					reward += 10 * on
				}
				p[a], r[a] = append(p[a], row), append(r[a], reward)
			}
		}
		t.P, t.R = append(t.P, p), append(t.R, r)
	}
	m, err := bcpace.FromTables(t)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func benchRun(tb testing.TB) *runs.Run {
	tb.Helper()
	r, err := runs.Explore(context.Background(), benchModel(tb), Solver{Epsilon: 1, LipQ: 5, K: 20, Batch: 50, MaxSamples: 3000, CertificateEpisodes: -1})
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// refill makes the fixed point of a run's samples anew; with sweeps > 0 one
// that makes up to so many full sweeps.
func refill(r *runs.Run, sweeps int) *fixedPoint {
	set := r.Values().(paperValues).estimator.set
	set.sweeps = sweeps
	f := newFixedPoint(newEstimator(r.Spec, set, r.Values().(paperValues).estimator.latent), 1)
	for i := range r.Samples.Len() {
		f.add(r.Samples.At(i))
	}
	return f
}

func TestQueriesDoNotAllocate(t *testing.T) {
	r := benchRun(t)
	s, b := []float64{2}, bcpace.Belief{0.2, 0.3, 0.5}
	// Not Run.Q itself: under the race detector its pool forgets on purpose.
	w := r.Values().(paperValues).estimator.scratch()
	if n := testing.AllocsPerRun(100, func() { r.Values().(paperValues).estimator.query(w, s, b, 1) }); n != 0 {
		t.Errorf("query: %v allocations", n)
	}
	p := r.Policy()
	if n := testing.AllocsPerRun(100, func() { p.Act(s, b, nil) }); n != 0 {
		t.Errorf("Policy.Act: %v allocations", n)
	}
	f := refill(r, 1)
	if n := testing.AllocsPerRun(10, func() { f.sweep() }); n != 0 {
		t.Errorf("sweep: %v allocations", n)
	}
}

func BenchmarkQuery(b *testing.B) {
	r := benchRun(b)
	s, belief := []float64{2}, bcpace.Belief{0.2, 0.3, 0.5}
	b.ReportAllocs()
	for b.Loop() {
		r.Q(s, belief, 1)
	}
	b.ReportMetric(float64(r.Samples.Len()), "samples")
}

// BenchmarkSweep is one sweep of the fixed point.
func BenchmarkSweep(b *testing.B) {
	r := benchRun(b)
	f := refill(r, 1)
	b.ReportAllocs()
	for b.Loop() {
		f.sweep()
	}
	b.ReportMetric(float64(r.Samples.Len()), "samples")
}

// BenchmarkAdd is one more sample in a set of 3,000.
func BenchmarkAdd(b *testing.B) {
	r := benchRun(b)
	f := refill(r, 0)
	i := 0
	for b.Loop() {
		f.add(r.Samples.At(i % r.Samples.Len()))
		i++
	}
}

// BenchmarkRolloutStep is one step of exploration: a greedy action, a step of
// the model and a belief update.
func BenchmarkRolloutStep(b *testing.B) {
	r := benchRun(b)
	sim, p, rng := bcpace.NewSimulator(r.Model()), r.Policy(), rand.New(rand.NewPCG(1, 1))
	if err := sim.Reset(rng); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := sim.Step(p.Act(sim.State, sim.Belief, rng), rng); err != nil {
			b.Fatal(err)
		}
	}
}
