package cpace

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"
)

// room draws samples like those of a noisy Light-Dark Tiger of 9×9: a real
// position, a belief over two latents that x = 0 reveals, four moves. Episodes
// are 50 random moves from a random position, so that no two points coincide.
func room(rng *rand.Rand, n int) (bcpace.Spec, resolvedOptions, []runs.Sample) {
	const side, sigma = 8.0, 0.1
	spec := bcpace.Spec{Name: "room", Axes: make([]bcpace.Axis, 2), Latents: make([]string, 2), Actions: make([]bcpace.Action, 4), Discount: 0.95, RewardMin: -100, RewardMax: 10}
	set := resolvedOptions{Solver: Solver{K: 3, Epsilon: 0.1, Alpha: 1}, lip: 0.5, seed: -1, qMax: 10}
	samples := make([]runs.Sample, n)
	var s []float64
	var b bcpace.Belief
	tiger, left := 0, 0
	for i := range samples {
		if left == 0 {
			s, b, tiger, left = []float64{side * rng.Float64(), side * rng.Float64()}, bcpace.Uniform(2), rng.IntN(2), 50
		}
		left--
		x := runs.Sample{State: s, Belief: b, Action: rng.IntN(4)}
		next := []float64{s[0] + sigma*rng.NormFloat64(), s[1] + sigma*rng.NormFloat64()}
		next[x.Action/2] += float64(2*(x.Action%2) - 1)
		for j, v := range next {
			next[j] = max(0, min(v, side))
		}
		if x.Next, x.NextBelief = next, b; next[0] == 0 {
			x.NextBelief = bcpace.OneHot(2, tiger)
		}
		if next[0] > side-0.5 && (next[1] < 0.5 || next[1] > side-0.5) {
			if x.Done, x.Reward = true, 10; (next[1] < 0.5) == (tiger == 0) {
				x.Reward = -100
			}
			left = 0
		}
		samples[i] = x
		s, b = x.Next, x.NextBelief
	}
	return spec, set, samples
}

// chain draws samples of the benchmark's chain, 50 random actions from the start
// at a time, as an exploration does: beliefs are what so many slips and so many
// others make of the prior, and many samples share a site. With anywhere they
// start from random beliefs, ten actions at a time, and no two points coincide.
func chain(tb testing.TB, rng *rand.Rand, n int, anywhere bool) (bcpace.Spec, resolvedOptions, []runs.Sample) {
	m := benchModel(tb)
	spec := m.Spec()
	set, err := (Solver{Epsilon: 1, LipQ: 2, K: 20}).resolve(m)
	if err != nil {
		tb.Fatal(err)
	}
	sim, samples := bcpace.NewSimulator(m), make([]runs.Sample, n)
	for i := range samples {
		switch {
		case anywhere && i%10 == 0:
			b := make(bcpace.Belief, len(spec.Latents))
			b.SampleSimplex(rng)
			err = sim.ResetTo(b, rng)
		case !anywhere && i%50 == 0:
			err = sim.Reset(rng)
		}
		if err != nil {
			tb.Fatal(err)
		}
		a := rng.IntN(len(spec.Actions))
		r, err := sim.Step(a, rng)
		if err != nil {
			tb.Fatal(err)
		}
		samples[i] = runs.Sample{State: sim.Prev, Belief: sim.PrevBelief, Action: a, Reward: r, Next: sim.State, NextBelief: sim.Belief}.Clone()
	}
	return spec, set, samples
}

// BenchmarkGrowth adds up to 100,000 samples and reports the exponents of the
// costs of a sample in the number of samples: the slopes of the logarithms, from
// 1,000 samples on; and the memory of a sample, what is in use at the end and the
// most that the process asked for on the way.
//
// A solve reaches all targets whose value it moves by more than the tolerance,
// which here are all of them: it costs some backups for each target. What a
// sample costs thus hangs on how many of them share a solve. With one whenever
// there are 1 % more, solves are as many in each decade, and the exponent is that
// of the work of a solve for a target. An exploration solves after each batch of
// episodes, or after each sample without batches: with one after every 100, as
// for batches that find as much throughout, the cost of a sample would grow with
// the number of targets, were it not that a solve moves values by less and less.
func BenchmarkGrowth(b *testing.B) {
	const n = 100_000
	draw := map[string]func(*rand.Rand) (bcpace.Spec, resolvedOptions, []runs.Sample){
		"room":    func(rng *rand.Rand) (bcpace.Spec, resolvedOptions, []runs.Sample) { return room(rng, n) },
		"chain":   func(rng *rand.Rand) (bcpace.Spec, resolvedOptions, []runs.Sample) { return chain(b, rng, n, false) },
		"beliefs": func(rng *rand.Rand) (bcpace.Spec, resolvedOptions, []runs.Sample) { return chain(b, rng, n, true) },
	}
	for _, name := range []string{"room", "chain", "beliefs"} {
		spec, set, samples := draw[name](rand.New(rand.NewPCG(1, 1)))
		for _, c := range []struct {
			name  string
			until func(done int) int
		}{
			{"each1percent", func(done int) int { return done + max(10, done/100) }},
			{"each100", func(done int) int { return done + 100 }},
		} {
			samples := samples
			if name == "beliefs" && c.name == "each100" {
				samples = samples[:30_000] // minutes all the same
			}
			b.Run(name+"/"+c.name, func(b *testing.B) {
				for b.Loop() {
					grow(b, newFixedPoint(newEstimator(spec, set, nil), 1), samples, c.until)
				}
			})
		}
	}
}

// grow adds samples with solves in between, and reports what that costs.
func grow(b *testing.B, f *fixedPoint, samples []runs.Sample, until func(done int) int) {
	before, held, peak := heap(), asked(), uint64(0)
	var size, total, add, backups []float64 // at four points in each decade
	counted := 0
	var adding, solving time.Duration
	for done, last := 0, 0; done < len(samples); {
		start := time.Now()
		end := min(until(done), len(samples))
		for _, x := range samples[done:end] {
			f.add(x)
		}
		added := time.Now()
		f.solve(context.Background())
		adding += added.Sub(start)
		solving += time.Since(added)
		peak = max(peak, asked())
		if done = end; float64(done) >= 1000*math.Pow(10, float64(len(size))/4) {
			count := float64(done - last)
			size = append(size, float64(done+last)/2)
			add = append(add, adding.Seconds()/count)
			total = append(total, (adding+solving).Seconds()/count)
			backups = append(backups, float64(f.changes.backups-counted)/count)
			i := len(size) - 1
			b.Logf("%6d samples: %7.1f µs to add one, %8.1f µs with solving, %6.0f backups", done, add[i]*1e6, total[i]*1e6, backups[i])
			last, counted, adding, solving = done, f.changes.backups, 0, 0
		}
	}
	b.ReportMetric(slope(size[1:], total[1:]), "exponent")
	b.ReportMetric(slope(size[1:], add[1:]), "exponent-of-add")
	b.ReportMetric(slope(size[1:], backups[1:]), "exponent-of-backups")
	b.ReportMetric(float64(heap()-before)/float64(len(samples)), "B/sample")
	b.ReportMetric(float64(peak-min(peak, held))/float64(len(samples)), "peak-B/sample")
	runtime.KeepAlive(f)
}

// slope returns the exponent of a power law through the points.
func slope(x, y []float64) float64 {
	var n, sx, sy, sxx, sxy float64
	for i := range x {
		u, v := math.Log(x[i]), math.Log(y[i])
		n, sx, sy, sxx, sxy = n+1, sx+u, sy+v, sxx+u*u, sxy+u*v
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// heap returns the bytes in use, and gives the others back.
func heap() uint64 {
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// asked returns the bytes that the heap has from the system.
func asked() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapSys - m.HeapReleased
}
