package cpace

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"bayescpace/bcpace/internal/knn"
	"bayescpace/bcpace/runs"
)

// reference is the fixed point without any of what makes it fast: every sweep
// backs every sample up, and every estimate compares its query with every
// sample of the action. Coincident points are replaced by the first of them, so
// that the same samples count where distances tie.
type reference struct {
	est     *estimator
	sites   []pointSet // by action
	targets pointSet
	of      [][]sited   // by action: its samples
	next    [][]float64 // by sample: its target
	up      [][]float64 // by sample and action: the upper bound at its target
	near    []sited     // scratch
}

// sited is a sample and the site it is at.
type sited struct {
	x        []float64
	dist     float64
	site, id int32
}

// pointSet has each point once, but for rounding, with the first sample there.
type pointSet struct {
	points [][]float64
	first  []int32
}

// add returns the number of the nearest point, or a new one where that is farther than rounding.
func (p *pointSet) add(x []float64, id int32) int32 {
	near, least := -1, math.Inf(1)
	for i, y := range p.points {
		if d := knn.Distance(y, x); d < least {
			near, least = i, d
		}
	}
	if least > knn.Coincidence {
		near = len(p.points)
		p.points, p.first = append(p.points, slices.Clone(x)), append(p.first, id)
	}
	return int32(near)
}

func newReference(e *estimator) *reference {
	return &reference{est: e, sites: make([]pointSet, len(e.index)), of: make([][]sited, len(e.index))}
}

func (r *reference) add(x runs.Sample) {
	e, a := r.est, x.Action
	point, up := make([]float64, e.metric.Dim()), make([]float64, len(e.index))
	x.Q = x.Reward
	id := int32(e.samples.Add(x))
	e.metric.Embed(point, x.State, x.Belief)
	site := r.sites[a].add(point, id)
	r.of[a] = append(r.of[a], sited{x: r.sites[a].points[site], site: site, id: id})
	e.metric.Embed(point, x.Next, x.NextBelief)
	target := r.targets.add(point, id)
	first := e.samples.At(int(r.targets.first[target]))
	for a := range up {
		up[a] = e.upper(first.Next, first.NextBelief, a)
	}
	r.next, r.up = append(r.next, r.targets.points[target]), append(r.up, up)
}

// query averages the k nearest samples of an action.
func (r *reference) query(x []float64, action int, up float64) float64 {
	e := r.est
	k := e.set.K
	near := r.near[:0]
	for _, s := range r.of[action] {
		if s.dist = knn.Distance(s.x, x); len(near) == k && s.dist > near[k-1].dist {
			continue
		}
		at, _ := slices.BinarySearchFunc(near, s, func(n, s sited) int {
			return cmp.Or(cmp.Compare(n.dist, s.dist), cmp.Compare(n.site, s.site), -1)
		})
		if near = slices.Insert(near, at, s); len(near) > k {
			near = near[:k]
		}
	}
	r.near = near
	sum := float64(k-len(near)) * up
	for _, n := range near {
		sum += min(e.set.lip*n.dist+e.samples.Q[n.id], up)
	}
	return sum / float64(k)
}

// sweep backs every sample up, the newest first.
func (r *reference) sweep() (residual float64) {
	c := r.est.samples
	for i := c.Len() - 1; i >= 0; i-- {
		backup := c.Reward[i]
		if !c.Done[i] {
			v := math.Inf(-1)
			for a, up := range r.up[i] {
				v = max(v, r.query(r.next[i], a, up))
			}
			backup += r.est.spec.Discount * v
		}
		residual = max(residual, math.Abs(backup-c.Q[i]))
		c.Q[i] = backup
	}
	return residual
}

// BenchmarkAgainstReference finds the fixed points of a growing set of samples,
// 8,000 of an exploration of the chain with k = 20, one for each 1,000, and
// reports how many times faster that is than the reference, in the same run, to
// the same tolerance.
func BenchmarkAgainstReference(b *testing.B) {
	const n, batch = 8000, 1000
	run, err := runs.Explore(context.Background(), benchModel(b), Solver{Epsilon: 1, LipQ: 8, K: 20, Batch: 50, MaxSamples: n, Seed: 1})
	if err != nil || run.Samples.Len() != n {
		b.Fatal(err, run.Samples.Len())
	}
	set := run.Values().(paperValues).estimator.set
	slow := newReference(newEstimator(run.Spec, set, run.Values().(paperValues).estimator.latent))
	γ := run.Spec.Discount
	start, sweeps := time.Now(), 0
	for i := range n {
		if slow.add(run.Samples.At(i)); (i+1)%batch == 0 {
			for slow.sweep() > set.Epsilon/1000*(1-γ)/γ {
				sweeps++
			}
			sweeps++
		}
	}
	reference := time.Since(start)

	var fast *fixedPoint
	for b.Loop() {
		fast = newFixedPoint(newEstimator(run.Spec, set, run.Values().(paperValues).estimator.latent), 2)
		for i := range n {
			if fast.add(run.Samples.At(i)); (i+1)%batch == 0 {
				fast.solve(context.Background())
			}
		}
	}
	off := 0.0
	for i, q := range fast.est.samples.Q {
		off = max(off, math.Abs(q-slow.est.samples.Q[i]))
	}
	if off > 2*set.Epsilon/1000 {
		b.Errorf("a value differs from the reference by %v", off)
	}
	b.ReportMetric(reference.Seconds(), "reference-s")
	b.ReportMetric(float64(sweeps), "reference-sweeps")
	b.ReportMetric(reference.Seconds()/(b.Elapsed().Seconds()/float64(b.N)), "×reference")
	b.ReportMetric(off, "largest-difference")
}
