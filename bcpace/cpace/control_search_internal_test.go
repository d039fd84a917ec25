package cpace

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/knn"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/runs"
)

// boxedEstimator returns an estimator on n samples at random places, with values that vary
// smoothly and by chance.
func boxedEstimator(rng *rand.Rand, axes, controls, n, k int, lip, tolerance float64, round bool, more ...bcpace.Action) *estimator {
	spec := bcpace.Spec{Name: "boxes", Latents: []string{"one", "two"}, Discount: 0.9, RewardMin: 0, RewardMax: 1}
	for i := range axes {
		spec.Axes = append(spec.Axes, bcpace.Axis{Name: fmt.Sprint("x", i), Min: -1, Max: 1})
	}
	var box []bcpace.Axis
	for i := range controls {
		a := bcpace.Axis{Name: fmt.Sprint("u", i), Min: -1, Max: 1, Scale: 0.5 + float64(i)}
		if round && i == 0 {
			a.Period = 2
		}
		box = append(box, a)
	}
	spec.Actions = append([]bcpace.Action{{Name: "push", Box: box}}, more...)
	set := resolvedOptions{Solver: Solver{Epsilon: 0.1, K: k, Alpha: 1}, lip: lip, seed: -1, qMax: 10.1, tolerance: tolerance, radius: 0.1}
	e := newEstimator(spec, set, nil)
	s, b := make([]float64, axes), make(bcpace.Belief, 2)
	for range n {
		for i := range s {
			s[i] = 2*rng.Float64() - 1
		}
		b.SampleSimplex(rng)
		id := spec.DrawAction(rng)
		var u [num.MaxBoxAxes]float64
		_, w := spec.Control(u[:], id)
		q := 5 + rng.NormFloat64()*0.3
		for i := range w {
			q += math.Sin(3*w[i] + 2*s[0] + float64(i))
		}
		x := make([]float64, e.metric.Dim()+num.MaxBoxAxes)
		sample := runs.Sample{State: s, Belief: b, Action: id, Next: s, NextBelief: b, Q: q}
		e.samples.Add(sample)
		e.index[num.BoxIndex(id)].Add(e.embed(x, s, b, id), int32(e.samples.Len()-1))
	}
	e.setRadii()
	return e
}

// TestControlSearch: no control on a fine grid is worth more than the one found by more than
// the tolerance.
func TestControlSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 120 {
		controls, k, n := 1+i%3, []int{1, 3, 10}[i/3%3], []int{0, 5, 60, 400}[i%4]
		tolerance := []float64{1e-3, 0.05}[i%2]
		e := boxedEstimator(rng, 1+i%2, controls, n, k, []float64{0.5, 5}[i/2%2], tolerance, i%5 == 0)
		w := e.scratch()
		s, b := make([]float64, 1+i%2), make(bcpace.Belief, 2)
		for range 2 {
			for i := range s {
				s[i] = 2*rng.Float64() - 1
			}
			b.SampleSimplex(rng)
			warm := -1
			if rng.IntN(2) == 0 {
				warm = e.spec.DrawAction(rng)
			}
			value, action, _ := e.greedy(w, s, b, nil, warm)
			if q, _ := e.query(w, s, b, action); q != value {
				t.Fatalf("the value of the action found is %v, not %v", q, value)
			}
			per := []int{0, 401, 25, 9}[controls]
			u := make([]float64, controls)
			for j := range int(math.Pow(float64(per), float64(controls))) {
				for c, x := 0, j; c < controls; c, x = c+1, x/per {
					u[c] = -1 + 2*float64(x%per)/float64(per-1)
				}
				id, err := e.spec.ActionID(0, u)
				if err != nil {
					t.Fatal(err)
				}
				if q, _ := e.query(w, s, b, id); q > value+tolerance+1e-12 {
					t.Fatalf("case %d: control %v is worth %v, the one found, %v, is worth %v", i, u, q, e.spec.ActionName(action), value)
				}
			}
		}
	}
}

// controlSamples draws samples; of some sets many lead to where others have been, and earn nothing.
func controlSamples(rng *rand.Rand, spec bcpace.Spec, n int) (list []runs.Sample) {
	chained := rng.IntN(2) == 0
	for range n {
		x := runs.Sample{Action: spec.DrawAction(rng), Done: rng.IntN(20) == 0, Reward: math.Sqrt(rng.Float64())}
		if chained && rng.IntN(2) == 0 {
			x.Reward = 0
		}
		for _, at := range []*[]float64{&x.State, &x.Next} {
			for range spec.Axes {
				*at = append(*at, 2*rng.Float64()-1)
			}
		}
		x.Belief, x.NextBelief = make(bcpace.Belief, 2), make(bcpace.Belief, 2)
		x.Belief.SampleSimplex(rng)
		x.NextBelief.SampleSimplex(rng)
		if k := rng.IntN(2 + len(list)); chained && k < len(list) {
			x.Next, x.NextBelief = list[k].State, list[k].Belief
		}
		list = append(list, x)
	}
	return list
}

// controlCase returns an estimator without samples: of one action with a Box, or of one beside it in every other pair of cases,
// and of controls that are as far apart as states, or far closer.
func controlCase(rng *rand.Rand, i int) *estimator {
	controls := i / 3 % 2
	e := boxedEstimator(rng, 1+i%2, 1+controls, 0, []int{1, 3, 10}[i/3%3], []float64{0.5, 5, 50}[i%3], []float64{0.01, 0.2}[controls], i%5 == 0,
		make([]bcpace.Action, i/2%2)...)
	for k := range e.spec.Actions[0].Box {
		e.spec.Actions[0].Box[k].Scale *= []float64{1, 20}[rng.IntN(2)]
	}
	return newEstimator(e.spec, e.set, nil)
}

// TestSweepsLeaveOut: where a sweep would not look again, a search finds what one has found: bit for bit, but
// where another action than that of the Box was the best, and no control to begin the search with is known.
func TestSweepsLeaveOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	left := 0
	for i := range 30 {
		f := newControlFixedPoint(controlCase(rng, i), 2)
		e := f.est
		for _, x := range controlSamples(rng, e.spec, 110) {
			if f.add(x); rng.IntN(8) > 0 {
				continue
			}
			f.solve(t.Context())
			for target := range int32(len(f.value)) {
				if f.opened[target] {
					continue
				}
				left++
				value, action := f.value[target], f.action[target]
				if x := f.search(f.workers[0], target); math.Abs(x.value-value) > e.set.tolerance*float64(len(e.index)-1) || len(e.index) == 1 && x.action != action {
					t.Fatalf("case %d: target %d has %v by %d, and a search finds %v by %d", i, target, value, action, x.value, x.action)
				}
			}
		}
	}
	if left < 5000 {
		t.Errorf("%d targets were left out", left)
	}
}

// TestRestoredControls: what was restored goes on as what was not, bit for bit.
func TestRestoredControls(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range 18 {
		f := newControlFixedPoint(controlCase(rng, i), 2)
		list := controlSamples(rng, f.est.spec, 100)
		for k, x := range list[:70] {
			if f.add(x); k%10 == 9 {
				f.solve(t.Context())
			}
		}
		c, state := f.Snapshot()
		if i%2 == 1 { // as in a run file of version 5
			state = state[:16*len(f.value)]
		}
		again := newControlFixedPoint(newEstimator(f.est.spec, f.est.set, nil), 1)
		again.skipping()
		for _, x := range list[:70] {
			again.add(x)
		}
		if err := again.restore(t.Context(), c.Q, state); err != nil {
			t.Fatal(err)
		}
		if searched := again.next != nil; searched != (i%2 == 1) || !slices.Equal(again.est.samples.Q, f.est.samples.Q) {
			t.Fatalf("case %d: targets are searched: %v; values of samples %v, want %v", i, searched, again.est.samples.Q, f.est.samples.Q)
		}
		for k, x := range list[70:] {
			f.add(x)
			again.add(x)
			if !slices.Equal(f.opened, again.opened) {
				t.Fatalf("case %d, sample %d: %v is to be looked at, and restored %v", i, k, f.opened, again.opened)
			}
			if k%5 == 4 {
				f.solve(t.Context())
				again.solve(t.Context())
			}
			if !slices.Equal(f.value, again.value) || !slices.Equal(f.action, again.action) || !slices.Equal(f.est.samples.Q, again.est.samples.Q) {
				t.Fatalf("case %d, sample %d: the values are %v, and restored %v", i, k, f.value, again.value)
			}
		}
	}
}

// BenchmarkControlSearch compares branch and bound with 1,001 controls tried one by one: each
// by a search in the tree, and each by brute force over all samples.
func BenchmarkControlSearch(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		for _, k := range []int{1, 5, 20} {
			rng := rand.New(rand.NewPCG(1, 2))
			e := boxedEstimator(rng, 2, 1, n, k, 5, 0.01, false)
			w := e.scratch()
			s, belief := make([]float64, 2), make(bcpace.Belief, 2)
			draw := func() {
				for i := range s {
					s[i] = 2*rng.Float64() - 1
				}
				belief.SampleSimplex(rng)
			}
			b.Run(fmt.Sprintf("n=%d/k=%d/bound", n, k), func(b *testing.B) {
				cells := 0
				for b.Loop() {
					draw()
					e.greedy(w, s, belief, nil, -1)
					cells += w.search.cells
				}
				b.ReportMetric(float64(cells)/float64(b.N), "cells/op")
			})
			b.Run(fmt.Sprintf("n=%d/k=%d/each", n, k), func(b *testing.B) {
				for b.Loop() {
					draw()
					for j := range 1001 {
						id, _ := e.spec.ActionID(0, []float64{-1 + float64(j)/500})
						e.query(w, s, belief, id)
					}
				}
			})
			b.Run(fmt.Sprintf("n=%d/k=%d/brute", n, k), func(b *testing.B) {
				x := make([]float64, e.metric.Dim()+num.MaxBoxAxes)
				for b.Loop() {
					draw()
					for j := range 1001 {
						id, _ := e.spec.ActionID(0, []float64{-1 + float64(j)/500})
						y, total := e.embed(x, s, belief, id), 0
						w.near = w.near[:0]
						for site := range int32(e.index[0].Sites()) {
							w.near, total = e.index[0].Keep(w.near, total, knn.Neighbor{Site: site, Dist: knn.Distance(e.index[0].Point(site), y)}, k)
						}
						e.average(w.near, 0, e.set.qMax)
					}
				}
			})
		}
	}
}
