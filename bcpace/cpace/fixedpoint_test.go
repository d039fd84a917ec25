package cpace

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/knn"
	"bayescpace/bcpace/runs"
	"bayescpace/envs/envtest"

	"pgregory.net/rapid"
)

// flat are latent values that depend on nothing.
type flat float64

func (v flat) Q([]float64, int, int) float64 { return float64(v) }

// randomSamples draws samples of no model: on a lattice, where sites have many
// samples and distances tie, or anywhere.
func randomSamples(rng *rand.Rand, spec bcpace.Spec, n int, lattice bool) []runs.Sample {
	state := func() []float64 {
		s := make([]float64, len(spec.Axes))
		for i := range s {
			if s[i] = rng.Float64() * 3; lattice {
				s[i] = math.Floor(s[i])
			}
		}
		return s
	}
	belief := func() bcpace.Belief {
		b := make(bcpace.Belief, len(spec.Latents))
		if b.SampleSimplex(rng); lattice {
			clear(b)
			b[rng.IntN(len(b))] += 0.5
			b[rng.IntN(len(b))] += 0.5
		}
		return b
	}
	samples := make([]runs.Sample, n)
	for i := range samples {
		samples[i] = runs.Sample{State: state(), Belief: belief(), Action: rng.IntN(len(spec.Actions)), Reward: float64(rng.IntN(4)),
			Next: state(), NextBelief: belief(), Done: rng.IntN(10) == 0}
		if !lattice {
			samples[i].Reward += rng.Float64()
		}
	}
	return samples
}

// The propagation against full sweeps, after every solve of a growing set:
// residuals of all samples within the limit, and values as near to those of the
// sweeps as both are to the fixed point.
func TestPropagationAgainstSweeps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := bcpace.Spec{Axes: make([]bcpace.Axis, rapid.IntRange(1, 2).Draw(t, "axes")), Latents: make([]string, rapid.IntRange(1, 3).Draw(t, "latents")),
			Actions: make([]bcpace.Action, rapid.IntRange(1, 3).Draw(t, "actions")), Discount: envtest.Evenly(0.2, 0.95).Draw(t, "discount"), RewardMax: 5}
		set := resolvedOptions{Solver: Solver{K: rapid.OneOf(rapid.IntRange(1, 12), rapid.IntRange(33, 50)).Draw(t, "k"), Epsilon: rapid.SampledFrom([]float64{1, 1e-3, 1e-9}).Draw(t, "epsilon"), Alpha: 1},
			lip: rapid.Float64Range(0.1, 20).Draw(t, "lip"), seed: rapid.SampledFrom([]float64{-1, 0.2}).Draw(t, "seed"), qMax: spec.VMax()}
		swept := set
		swept.sweeps = 1 << 30
		fast, slow := newFixedPoint(newEstimator(spec, set, flat(7)), 1), newFixedPoint(newEstimator(spec, swept, flat(7)), 1)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "stream"), 1))
		samples := randomSamples(rng, spec, rapid.OneOf(rapid.IntRange(1, 150), rapid.IntRange(65, 250)).Draw(t, "n"), rapid.Bool().Draw(t, "lattice"))
		every := rapid.IntRange(1, 30).Draw(t, "every")
		for i, x := range samples {
			fast.add(x)
			slow.add(x)
			if i%every != 0 && i != len(samples)-1 {
				continue
			}
			_, residual := fast.solve(context.Background())
			slow.solve(context.Background())
			checkPropagation(t, fast, residual)
			noise := 1e-10 * (1 + spec.VMax())
			for j, q := range fast.est.samples.Q {
				if want := slow.est.samples.Q[j]; math.Abs(q-want) > 2*set.Epsilon/1000+noise/(1-spec.Discount) {
					t.Fatalf("after sample %d: Q[%d] = %v, sweeps give %v", i, j, q, want)
				}
			}
		}
	})
}

// checkPropagation checks the lists and the invariants of the propagation.
func checkPropagation(t rapid.TB, f *fixedPoint, reported float64) {
	t.Helper()
	p, e := f.changes, f.est
	if target, _, ok := p.queue.pop(); ok {
		t.Fatalf("target %d waits in the queue", target)
	}
	noise := 0x1p-40 * p.scale // of a mean
	for target := range int32(f.targets.Sites()) {
		for a := range e.index {
			var want []knn.Neighbor
			if math.IsNaN(f.certain[target]) {
				want = e.index[a].Nearest(nil, f.targets.Point(target), f.est.set.K)
			}
			near := f.near[int(target)*len(e.index)+a].near
			if total := f.near[int(target)*len(e.index)+a].total; !slices.Equal(near, want) || int(total) != e.index[a].Count(want) {
				t.Fatalf("list of target %d, action %d: %v with %d samples, want %v", target, a, near, total, want)
			}
			_, means := p.row(target)
			if got, want := means[a], f.average(target, a); math.Abs(got-want) > noise {
				t.Fatalf("mean of target %d, action %d: %v, want %v", target, a, got, want)
			}
			for _, n := range near {
				uses := p.source(a, n.Site).uses
				if count := len(slices.DeleteFunc(slices.Clone(uses), func(u use) bool { return u.target != target })); count != 1 {
					t.Fatalf("site %d of action %d knows %d times that target %d holds it", n.Site, a, count, target)
				}
			}
		}
		for _, i := range f.targets.Samples(target) {
			backup := e.samples.Reward[i] + e.spec.Discount*f.value(target)
			if residual := math.Abs(backup - e.samples.Q[i]); residual > max(p.tolerance, 10*noise) || residual > reported+2*noise {
				t.Fatalf("sample %d has residual %v, reported %v, tolerance %v", i, residual, reported, p.tolerance)
			}
		}
	}
	for a := range p.at {
		for site := range p.at[a] {
			src := p.source(a, int32(site))
			if len(src.uses) > 0 && 4*int(src.gone) > len(src.uses) {
				t.Fatalf("site %d of action %d keeps %d uses of which %d are gone", site, a, len(src.uses), src.gone)
			}
		}
	}
}
