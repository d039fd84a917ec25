package bcpace_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/randmodel"
)

// TestListerAgrees compares what a Lister tells of random models with what the
// transitions and the estimator do.
func TestListerAgrees(t *testing.T) {
	for i := range 60 {
		rng := rand.New(rand.NewPCG(17, uint64(i)))
		m := randmodel.New(rng, randmodel.Options{Kind: bcpace.LatentKind(i % 3), InformativeStart: i%2 == 0, Lists: i/6%2 == 1, Drifts: i/12%2 == 1})
		spec := m.Spec()
		all, err := dp.ListTransitions(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		l, bayes := bcpace.NewLister(m), bcpace.NewBayes(m)
		n := len(spec.Latents)
		s, to := make([]float64, len(spec.Axes)), make([]float64, len(spec.Axes))
		b, next, tabled, want, scratch := make(bcpace.Belief, n), make(bcpace.Belief, n), make(bcpace.Belief, n), make(bcpace.Belief, n), make(bcpace.Belief, n)
		for r := range all.States * all.Actions {
			m.StateAt(s, r/all.Actions)
			a := r % all.Actions
			if err := l.List(s, a); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(l.Reward, all.Reward(r)) {
				t.Fatalf("rewards %v, tabled as %v", l.Reward, all.Reward(r))
			}
			first, end := all.Entries(r)
			if end-first != l.Successors.Len() {
				t.Fatalf("%d entries for %d successors", end-first, l.Successors.Len())
			}
			b.SampleSimplex(rng)
			value := func(s []float64, b bcpace.Belief) float64 { return s[0] - b[0] }
			backup := all.Expected(r, b)
			for k := range end - first {
				number, err := l.Number(k)
				if got, done := all.Next(first + k); err != nil || got != number || done != l.Successors.Done[k] {
					t.Fatalf("entry %d leads to %d, %v, want %d (%v)", first+k, got, done, number, err)
				}
				p := l.Update(next, b, k)
				if q := all.Update(tabled, b, r, first+k, scratch); p != q || p > 0 && !slices.Equal(next, tabled) {
					t.Fatalf("belief %v with probability %v, by table %v with %v", next, p, tabled, q)
				}
				if all.NextAt(to, first+k); p == 0 {
					continue
				}
				if !l.Successors.Done[k] {
					backup += spec.Discount * p * value(to, next)
				}
				if err := bayes.Update(want, b, s, a, to); err != nil || next.L1(want) > 1e-9 {
					t.Fatalf("belief %v, by the estimator %v (%v)", next, want, err)
				}
			}
			if got := l.Backup(b, value); got != backup {
				t.Fatalf("a backup of %v, by the table %v", got, backup)
			}
		}
	}
}

// misListed is a model of two states and two latents, of which change breaks the lists.
type misListed struct {
	bcpace.Finite
	change func(z *bcpace.Successors)
	move   func(p []float64) bool
}

func (m misListed) Successors(z *bcpace.Successors, s []float64, action int) {
	m.Finite.Successors(z, s, action)
	m.change(z)
}

func (m misListed) LatentKind() bcpace.LatentKind { return bcpace.Redrawn }

func (m misListed) LatentTransition(p, _ []float64, _, _ int) bool {
	return m.move(p)
}

// TestListerFaults expects the error to name the place and what is wrong there,
// whether the lists are asked for one by one or by an algorithm, and nothing to be
// listed.
func TestListerFaults(t *testing.T) {
	f, err := bcpace.FromTables(bcpace.Tables{Discount: 0.9,
		P: [][][][]float64{{{{0.5, 0.5}, {0.5, 0.5}}}, {{{1, 0}, {1, 0}}}}, R: [][][]float64{{{1, 2}}, {{1, 2}}}})
	if err != nil {
		t.Fatal(err)
	}
	none, stays := func(*bcpace.Successors) {}, func([]float64) bool { return false }
	for want, m := range map[string]misListed{
		"whose entry":                              {f, func(z *bcpace.Successors) { z.States[0] = -1 }, stays},
		"reward 3, want a number within":           {f, func(z *bcpace.Successors) { z.Reward[0] = 3 }, stays},
		"probability -0.5, want a value in [0, 1]": {f, func(z *bcpace.Successors) { z.Prob[0] = -0.5 }, stays},
		"probability NaN":                          {f, func(z *bcpace.Successors) { z.Prob[0] = math.NaN() }, stays},
		"sum to 0.75, want 1":                      {f, func(z *bcpace.Successors) { z.Prob[0] = 0.25 }, stays},
		"Successors panicked":                      {f, func(*bcpace.Successors) { panic("no") }, stays},
		"LatentTransition panicked":                {f, none, func([]float64) bool { panic("no") }},
		"want a distribution over the latents":     {f, none, func(p []float64) bool { return copy(p, []float64{0.5, 0.6}) > 0 }},
	} {
		l := bcpace.NewLister(m)
		lists := func() error { return l.List([]float64{0}, 0) }
		tables := func() error { _, err := dp.ListTransitions(t.Context(), m); return err }
		values := func() error { _, err := dp.SolveFinite(t.Context(), m, 0); return err }
		for _, list := range []func() error{lists, tables, values} {
			fault := new(bcpace.ConformanceError)
			if err := list(); !errors.As(err, &fault) || !strings.Contains(err.Error(), want) || fault.State == nil || fault.Action == "" {
				t.Errorf("error %v, want one that says %q and where", err, want)
			}
		}
		if l.Successors.Len() != 0 {
			t.Errorf("%s: %d successors are listed beside the error", want, l.Successors.Len())
		}
	}
}
