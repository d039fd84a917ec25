package cover_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// Tiger's beliefs are those of a number of growls more on one side than on the other,
// from −depth to depth; its state counts nothing in the metric.
func TestReachTiger(t *testing.T) {
	for _, depth := range []int{1, 2, 5, 8} {
		r, err := cover.Reach(t.Context(), envs.Tiger{}, cover.ReachOptions{Depth: depth})
		if err != nil || r.Sampled {
			t.Fatal(err)
		}
		var want []float64
		for k := -depth; k <= depth; k++ {
			odds := math.Pow(0.85/0.15, float64(k))
			want = append(want, odds/(1+odds))
		}
		var got []float64
		for _, i := range r.Points.Distinct() {
			got = append(got, r.Belief(i)[0])
		}
		slices.Sort(got)
		got = slices.CompactFunc(got, func(x, y float64) bool { return math.Abs(x-y) < 1e-9 })
		if !slices.EqualFunc(got, want, func(x, y float64) bool { return math.Abs(x-y) < 1e-9 }) {
			t.Errorf("depth %d: beliefs %v, want %v", depth, got, want)
		}
	}
}

// All that Chain reaches, enumerated by the test itself: a position with counts of
// slips and no slips, whose beliefs differ.
func TestReachChain(t *testing.T) {
	const depth = 6
	type node struct{ at, slips, kept int }
	level, all := map[node]bool{{1, 0, 0}: true}, map[node]bool{{1, 0, 0}: true}
	for range depth {
		next := map[node]bool{}
		for n := range level {
			up := min(n.at+1, 5)
			for _, to := range []node{{up, n.slips, n.kept + 1}, {up, n.slips + 1, n.kept}, {1, n.slips, n.kept + 1}, {1, n.slips + 1, n.kept}} {
				next[to], all[to] = true, true
			}
		}
		level = next
	}
	// Slips of 0.2, 0.5 and 0.8: the belief depends on both counts, 0.5 being in the
	// middle of the geometric mean of neither.
	r, err := cover.Reach(t.Context(), envs.Chain{}, cover.ReachOptions{Depth: depth})
	if err != nil || len(r.Points.Distinct()) != len(all) {
		t.Errorf("%d points, want %d: %v", len(r.Points.Distinct()), len(all), err)
	}
}

// The optimal policy of Tiger opens a door once two more growls were heard on the
// other side (Kaelbling, Littman and Cassandra 1998), and so meets 5 beliefs.
func TestOptimallyReachTiger(t *testing.T) {
	r, err := cover.OptimallyReach(t.Context(), envs.Tiger{}, cover.ReachOptions{Depth: 20})
	if err != nil {
		t.Fatal(err)
	}
	var beliefs []float64
	for i := range r.Len() {
		beliefs = append(beliefs, r.Belief(i)[0])
	}
	slices.Sort(beliefs)
	beliefs = slices.CompactFunc(beliefs, func(x, y float64) bool { return math.Abs(x-y) < 1e-9 })
	if len(beliefs) != 5 {
		t.Errorf("beliefs %v, want 5", beliefs)
	}
}

// TestOptimallyReachable compares with rollouts of the certified policy, which is
// within 1e-4 of the best: with that tolerance it leaves no point out.
func TestOptimallyReachable(t *testing.T) {
	for _, m := range []bcpace.Model{envs.Tiger{}, envs.Chain{}, envs.LightDarkTiger{}} {
		run, err := runs.Explore(t.Context(), m, certified.Solver{Epsilon: 1e-4})
		if err != nil {
			t.Fatal(err)
		}
		name := m.Spec().Name
		o := cover.ReachOptions{Depth: 8, Tolerance: 1e-3, Episodes: 300}
		all, err := cover.Reach(t.Context(), m, o)
		if err != nil {
			t.Fatal(name, err)
		}
		best, err := cover.OptimallyReach(t.Context(), m, o)
		if err != nil {
			t.Fatal(name, err)
		}
		met, err := cover.Sample(t.Context(), m, o, run.Policy())
		if err != nil || !met.Sampled {
			t.Fatal(name, err)
		}
		mixed, err := cover.Sample(t.Context(), m, o, cover.Mixture(0.5, run.Policy(), bcpace.RandomPolicy(m)), bcpace.RandomPolicy(m))
		if err != nil {
			t.Fatal(name, err)
		}
		// An optimal policy may follow a small error for some steps: count.
		if n := outside(met, best); n > 0 {
			t.Errorf("%s: %d of %d points of the certified policy are not optimally reachable", name, n, met.Len())
		}
		if n := outside(best, all); n > 0 {
			t.Errorf("%s: %d optimally reachable points are not reachable", name, n)
		}
		if n := outside(mixed, all); n > 0 {
			t.Errorf("%s: %d sampled points are not reachable", name, n)
		}
		if best.Len() > all.Len() {
			t.Errorf("%s: %d of %d points", name, best.Len(), all.Len())
		}
	}
}

// outside counts the points of a that are none of b.
func outside(a, b *cover.Reached) int {
	key := func(r *cover.Reached, i int) string {
		k := fmt.Sprint(r.State(i))
		for _, p := range r.Belief(i) {
			k += fmt.Sprintf(" %d", int64(math.Round(p*1e7)))
		}
		return k
	}
	in := make(map[string]bool)
	for i := range b.Len() {
		in[key(b, i)] = true
	}
	n := 0
	for i := range a.Len() {
		if !in[key(a, i)] {
			n++
		}
	}
	return n
}

// The bounds of Optimum enclose the exact value at the start.
func TestOptimum(t *testing.T) {
	for _, c := range []struct {
		m    bcpace.Model
		want float64
	}{{envs.Tiger{}, 19.3714}, {envs.LightDarkTiger{}, 6.98337}, {envs.Chain{Length: 3}, math.NaN()}} {
		x, err := cover.NewOptimum(t.Context(), c.m, cover.ReachOptions{Depth: 3, Tolerance: 1e-2})
		if err != nil {
			t.Fatal(err)
		}
		if math.IsNaN(c.want) {
			e, err := eval.Optimal(t.Context(), c.m, eval.ExactOptions{Tolerance: 1e-3})
			if err != nil {
				t.Fatal(err)
			}
			c.want = e.Value
		}
		lo, up := 0.0, 0.0
		for i, n := range x.Graph.Starts {
			lo, up = lo+x.Graph.StartProb[i]*x.Lower[n], up+x.Graph.StartProb[i]*x.Upper[n]
		}
		if spec := c.m.Spec(); x.Graph.Merged > 0 && x.Error < spec.Discount*(spec.VMax()-spec.VMin())/2*x.Graph.Merged {
			t.Errorf("%s: error %v allows for less than one step of beliefs %v apart", spec.Name, x.Error, x.Graph.Merged)
		}
		if lo > c.want+1e-4 || up < c.want-1e-4 || up-lo > 1e-2+1e-9 {
			t.Errorf("%s: [%v, %v], want %v", c.m.Spec().Name, lo, up, c.want)
		}
	}
}

// TestReduced expects the points near one-hot beliefs to be left out, and the cover
// not to grow by it.
func TestReduced(t *testing.T) {
	r, err := cover.Reach(t.Context(), envs.Chain{}, cover.ReachOptions{Depth: 10})
	if err != nil {
		t.Fatal(err)
	}
	last := r.Len() + 1
	for _, radius := range []float64{0, 0.05, 0.2, 1, 2} {
		q := r.Reduced(radius)
		if q.Len() >= last {
			t.Errorf("radius %v: %d points, and %d before", radius, q.Len(), last)
		}
		last = q.Len()
		for i := range q.Len() {
			if _, d := q.Belief(i).NearestOneHot(); d <= radius {
				t.Fatalf("belief %v is within %v", q.Belief(i), radius)
			}
		}
	}
	if last != 0 {
		t.Errorf("%d points farther than 2 from every one-hot belief", last)
	}
}

// TestHoles: a run that has converged has no holes where its policy goes, and a run
// cut short has; the interval holds the share that many more draws show.
func TestHoles(t *testing.T) {
	o := cpace.Solver{Epsilon: 1, LipQ: 60, K: 1, Seed: 3, CertificateEpisodes: -1}
	done, err := runs.Explore(t.Context(), envs.Tiger{Ends: true}, o)
	if err != nil {
		t.Fatal(err)
	}
	h, err := cover.MeasureHoles(t.Context(), done, cover.HoleOptions{Draws: 400})
	if err != nil || h.Uncovered != 0 || h.Largest > h.Radius || h.CI95[0] != 0 || math.Abs(h.CI95[1]-(1-math.Pow(0.025, 1.0/400))) > 1e-12 {
		t.Errorf("converged: %+v, %v", h, err)
	}
	o.MaxSamples = 2
	cut, err := runs.Explore(t.Context(), envs.Tiger{Ends: true}, o)
	if err != nil {
		t.Fatal(err)
	}
	random := bcpace.RandomPolicy(envs.Tiger{})
	few, err := cover.MeasureHoles(t.Context(), cut, cover.HoleOptions{Draws: 300, Policy: random, EveryAction: true})
	if err != nil {
		t.Fatal(err)
	}
	many, err := cover.MeasureHoles(t.Context(), cut, cover.HoleOptions{Draws: 30_000, Policy: random, EveryAction: true, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	// Holds with probability 0.95 but for the seeds, which are fixed.
	if few.CI95[0] > many.Share || few.CI95[1] < many.Share || many.Uncovered == 0 || !math.IsInf(many.Largest, 1) {
		t.Errorf("few %+v, many %+v", few, many)
	}
	certified, err := runs.Explore(t.Context(), envs.Tiger{}, certified.Solver{Epsilon: 1})
	if err != nil {
		t.Fatal(err)
	}
	input := (*bcpace.InputError)(nil)
	if _, err := cover.MeasureHoles(t.Context(), certified, cover.HoleOptions{}); !errors.As(err, &input) {
		t.Errorf("certified run without a radius: %v", err)
	}
	if _, err := cover.MeasureHoles(t.Context(), certified, cover.HoleOptions{Radius: 0.1}); err != nil {
		t.Error(err)
	}
	if _, err := cover.MeasureHoles(t.Context(), nil, cover.HoleOptions{}); !errors.As(err, &input) {
		t.Errorf("no run: %v", err)
	}
}

// With Known Latent Initialization the queries at certain beliefs need no samples. In
// Light-Dark Tiger beliefs are the prior or certain, and without it the same queries
// are holes.
func TestHolesSeeded(t *testing.T) {
	o := envs.Tuned(envs.LightDarkTiger{})
	o.CertificateEpisodes = -1
	r, err := runs.Explore(t.Context(), envs.LightDarkTiger{}, o)
	if err != nil {
		t.Fatal(err)
	}
	h, err := cover.MeasureHoles(t.Context(), r, cover.HoleOptions{Draws: 500})
	if err != nil || h.Seeded == 0 || h.Uncovered != 0 || len(h.Missed) != 0 {
		t.Errorf("%+v, %v", h, err)
	}
	plan, err := r.Solver.Plan(r.Model())
	if err != nil {
		t.Fatal(err)
	}
	plan.SeedRadius = -1
	bare := runs.New(r.Model(), r.Solver, plan, r.Values(), nil)
	bare.Samples = r.Samples
	b, err := cover.MeasureHoles(t.Context(), bare, cover.HoleOptions{Draws: 500, Policy: r.Policy()})
	if err != nil || b.Seeded != 0 || b.Uncovered == 0 || b.Uncovered > h.Seeded || h.Share != 0 || b.Share != float64(b.Uncovered)/500 || len(b.Missed) != 3*b.Uncovered {
		t.Errorf("%+v, %v", b, err)
	}
}

// Values of Clopper and Pearson's interval: for k = 0 in closed form, 5 of 10 from
// the tables of the binomial distribution.
func TestClopperPearson(t *testing.T) {
	for _, c := range []struct {
		k, n   int
		lo, hi float64
	}{{0, 10, 0, 1 - math.Pow(0.025, 0.1)}, {10, 10, math.Pow(0.025, 0.1), 1}, {5, 10, 0.18709, 0.81291}} {
		if ci := cover.ClopperPearson(c.k, c.n); math.Abs(ci[0]-c.lo) > 1e-5 || math.Abs(ci[1]-c.hi) > 1e-5 {
			t.Errorf("%d of %d: %v", c.k, c.n, ci)
		}
	}
}

func TestReachErrors(t *testing.T) {
	input, unsupported := (*bcpace.InputError)(nil), (*bcpace.UnsupportedError)(nil)
	for name, o := range map[string]cover.ReachOptions{"alpha": {Alpha: -1}, "NaN": {Alpha: math.NaN()}, "depth": {Depth: -1},
		"tolerance": {Tolerance: -1}, "episodes": {Episodes: -1}} {
		if _, err := cover.Reach(t.Context(), envs.Tiger{}, o); !errors.As(err, &input) {
			t.Errorf("%s: %v", name, err)
		}
	}
	noisy := envs.LightDarkTiger{Sigma: 0.1}
	if _, err := cover.Reach(t.Context(), noisy, cover.ReachOptions{Depth: 2}); !errors.As(err, &unsupported) {
		t.Errorf("continuous: %v", err)
	}
	if _, err := cover.Sample(t.Context(), noisy, cover.ReachOptions{}); !errors.As(err, &input) {
		t.Errorf("no policy: %v", err)
	}
	r, err := cover.Sample(t.Context(), noisy, cover.ReachOptions{Episodes: 20, MaxNodes: 50}, bcpace.RandomPolicy(noisy))
	if err != nil || r.Len() != 50 {
		t.Errorf("%v, %v", r, err)
	}
	limit := (*eval.LimitError)(nil)
	if _, err := cover.Reach(t.Context(), envs.Chain{}, cover.ReachOptions{Depth: 50, MaxNodes: 100}); !errors.As(err, &limit) {
		t.Errorf("limit: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := cover.Sample(ctx, noisy, cover.ReachOptions{}, bcpace.RandomPolicy(noisy)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestMixture plays two policies of one action each.
func TestMixture(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, weight := range []float64{0, 0.25, 1} {
		p, n := bcpace.Fork(cover.Mixture(weight, always(0), always(1))), 0
		const draws = 10_000
		for range draws {
			n += 1 - p.Act(nil, nil, rng)
		}
		// Off by more with probability 10⁻⁶ (Hoeffding).
		if got := float64(n) / draws; math.Abs(got-weight) > 0.027 || weight == float64(int(weight)) && got != weight {
			t.Errorf("the first policy acts in %v of the steps, want %v", got, weight)
		}
	}
}

// short is Chain with a horizon.
type short struct{ envs.Chain }

func (m short) Spec() bcpace.Spec {
	spec := m.Chain.Spec()
	spec.Horizon = 3
	return spec
}

// TestReachHorizon: no more steps are taken than the horizon has, however many are
// asked for.
func TestReachHorizon(t *testing.T) {
	want, err := cover.Reach(t.Context(), envs.Chain{}, cover.ReachOptions{Depth: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, depth := range []int{0, 3, 9} {
		o := cover.ReachOptions{Depth: depth, Episodes: 2000}
		all, err := cover.Reach(t.Context(), short{}, o)
		if err != nil || all.Len() != want.Len() {
			t.Errorf("depth %d: %v, %v, want %d points", depth, all, err, want.Len())
		}
		met, err := cover.Sample(t.Context(), short{}, o, bcpace.RandomPolicy(short{}))
		if err != nil || slices.Max(met.Depth) != 3 || outside(met, want) > 0 {
			t.Errorf("depth %d: met at depths to %d, %v", depth, slices.Max(met.Depth), err)
		}
	}
	if one, err := cover.Reach(t.Context(), short{}, cover.ReachOptions{Depth: 1}); err != nil || slices.Max(one.Depth) != 1 {
		t.Errorf("%+v, %v", one, err)
	}
}
