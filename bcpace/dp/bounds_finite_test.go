package dp_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/envs"
)

var kinds = []bcpace.LatentKind{bcpace.Static, bcpace.Deterministic, bcpace.Redrawn}

// forModels runs f on n random models of every kind.
func forModels(t *testing.T, n uint64, o randmodel.Options, f func(t *testing.T, rng *rand.Rand, m bcpace.Finite, b *dp.FiniteBounds)) {
	for _, kind := range kinds {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			for seed := range n {
				rng := rand.New(rand.NewPCG(seed, uint64(kind)))
				o := o
				o.Kind = kind
				m := randmodel.New(rng, o)
				b, err := dp.SolveBounds(context.Background(), m, 0)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				f(t, rng, m, b)
				if t.Failed() {
					t.Fatalf("with seed %d, %s", seed, m.Spec().Name)
				}
			}
		})
	}
}

// query draws a state that does not end the episode, and a belief: from the
// simplex or from one of its faces.
func query(rng *rand.Rand, m bcpace.Finite) ([]float64, bcpace.Belief) {
	s, b := make([]float64, 1), make(bcpace.Belief, len(m.Spec().Latents))
	m.StateAt(s, rng.IntN(m.NumStates()-1))
	b.SampleSimplex(rng)
	if rng.IntN(2) == 0 {
		c := bcpace.OneHot(len(b), rng.IntN(len(b)))
		if w := rng.Float64(); rng.IntN(2) == 0 {
			for i := range c {
				c[i] *= w
			}
			c[rng.IntN(len(c))] += 1 - w
		}
		b = c
	}
	return s, b
}

// successors calls f with the expected reward of (s, φ, a) and, for each next
// state that does not end the episode, with P(s'|s,φ,a)·P(φ'|φ,s,a) by φ'.
func successors(m bcpace.Finite, s []float64, latent, action int, f func(next int, w []float64)) (reward float64) {
	spec := m.Spec()
	var z bcpace.Successors
	z.Reset(1, len(spec.Latents))
	m.Successors(&z, s, action)
	moved := make([]float64, len(spec.Latents))
	d, ok := m.(bcpace.LatentDynamics)
	if !ok || !d.LatentTransition(moved, s, action, latent) {
		copy(moved, bcpace.OneHot(len(moved), latent))
	}
	for i := range z.Len() {
		next, prob, rewards := z.Row(i)
		reward += prob[latent] * rewards[latent]
		if z.Done[i] || prob[latent] == 0 {
			continue
		}
		w := make([]float64, len(moved))
		for to, p := range moved {
			w[to] = prob[latent] * p
		}
		f(m.StateIndex(next), w)
	}
	return reward
}

// The tables solve their recursions, written out here from the model's own
// lists: the residual of a γ-contraction is at most (1+γ)·Error.
//
//test:race
func TestBoundsSolveTheirRecursions(t *testing.T) {
	forModels(t, 20, randmodel.Options{}, func(t *testing.T, rng *rand.Rand, m bcpace.Finite, b *dp.FiniteBounds) {
		spec := m.Spec()
		best := func(v *dp.VectorTable, sign float64) func(int, int, []float64) float64 {
			return func(next, _ int, w []float64) float64 {
				top := math.Inf(-1)
				for a := range spec.Actions {
					top = max(top, sign*product(w, v.Vector(next, a)))
				}
				return sign * top
			}
		}
		for _, c := range []struct {
			name   string
			table  *dp.VectorTable
			follow func(next, action int, w []float64) float64
		}{
			{"FIB", &b.FIB.VectorTable, best(&b.FIB.VectorTable, 1)},
			{"worst", &b.Worst.VectorTable, best(&b.Worst.VectorTable, -1)},
			{"blind", &b.Blind.VectorTable, func(next, action int, w []float64) float64 { return product(w, b.Blind.Vector(next, action)) }},
		} {
			if !(c.table.Error >= 0 && c.table.Error < 1e-7) {
				t.Errorf("%s: Error is %v", c.name, c.table.Error)
			}
			s := make([]float64, 1)
			for n := range m.NumStates() {
				m.StateAt(s, n)
				for a := range spec.Actions {
					for l := range spec.Latents {
						want := 0.0
						r := successors(m, s, l, a, func(next int, w []float64) { want += spec.Discount * c.follow(next, a, w) })
						if got := c.table.Vector(n, a)[l]; math.Abs(got-r-want) > 2*c.table.Error {
							t.Errorf("%s at state %d, action %d, latent %d is %v, its recursion gives %v", c.name, n, a, l, got, r+want)
						}
					}
				}
			}
		}
	})
}

func product(w, v []float64) float64 {
	sum := 0.0
	for i, x := range w {
		sum += x * v[i]
	}
	return sum
}

// Q* of small random models, from the graph of all beliefs that can be reached
// in as many steps as its error needs.
func TestBoundsAgainstExactValues(t *testing.T) {
	forModels(t, 20, randmodel.Options{Branch: 2, Actions: 2, Discount: 0.4}, func(t *testing.T, rng *rand.Rand, m bcpace.Finite, b *dp.FiniteBounds) {
		spec := m.Spec()
		s, b1 := query(rng, m)
		_, b2 := query(rng, m)
		exact := func(b bcpace.Belief) eval.ExactValue {
			e, err := eval.Optimal(context.Background(), m, eval.ExactOptions{State: s, Belief: b, Tolerance: 0.01})
			if err != nil {
				t.Fatal(err)
			}
			e.Error += 1e-12
			return e
		}
		e1, e2 := exact(b1), exact(b2)
		n := m.StateIndex(s)
		bounds := []dp.UpperBound{dp.ConstantBound(spec.VMax()), dp.BestCaseBound{Values: b.Latent, Slack: b.Latent.Error},
			dp.QMDPBound{Values: b.Latent, Slack: b.Latent.Error}, b.FIB, b.TIB}
		if _, v := b.Blind.Best(s, b1); !(v <= e1.Value+e1.Error) {
			t.Errorf("blind policies promise %v, the optimum is %v ± %v", v, e1.Value, e1.Error)
		}
		for a := range spec.Actions {
			up, lo := b.FIB.Vector(n, a), b.Worst.Vector(n, a)
			most, fewest := e1.Q[a]+e1.Error, e1.Q[a]-e1.Error
			for _, bound := range bounds {
				if u := bound.Upper(s, b1, a); !(u >= fewest) {
					t.Errorf("the bound %T of action %d is %v, Q* is %v ± %v", bound, a, u, e1.Q[a], e1.Error)
				}
			}
			if l := b.Blind.Lower(s, b1, a); !(l <= most) {
				t.Errorf("the blind bound of action %d is %v, Q* is %v ± %v", a, l, e1.Q[a], e1.Error)
			}
			if l := b.Worst.Lower(s, b1, a); !(l <= most) {
				t.Errorf("the worst value of action %d is %v, Q* is %v ± %v", a, l, e1.Q[a], e1.Error)
			}
			if d := dp.BoxCone(up, lo, b1, b2); !(fewest <= e2.Q[a]+e2.Error+d) {
				t.Errorf("Q* of action %d rises from %v to %v, the box cone allows %v", a, e2.Q[a], e1.Q[a], d)
			}
		}
	})
}

// A bound U of Q* that one step of value iteration does not raise,
// U(s,b,a) ≥ b·R + γ Σ P(s')·max U(s',b',·), is admissible; and the mirror image
// for lower bounds. Unlike a comparison with Q* this has no error to allow for,
// and it works at any discount.
func TestBoundsShrinkUnderABackup(t *testing.T) {
	forModels(t, 30, randmodel.Options{Discount: 0.95}, func(t *testing.T, rng *rand.Rand, m bcpace.Finite, bounds *dp.FiniteBounds) {
		spec := m.Spec()
		for range 20 {
			s, b := query(rng, m)
			for a := range spec.Actions {
				reward := 0.0
				next := make(map[int][]float64) // by state: P(s'|s,b,a)·b'
				for l, p := range b {
					reward += p * successors(m, s, l, a, func(to int, w []float64) {
						if next[to] == nil {
							next[to] = make([]float64, len(b))
						}
						for i, x := range w {
							next[to][i] += p * x
						}
					})
				}
				upper, later, blind, worst := reward, reward, reward, reward
				for to, w := range next {
					u, v, x := math.Inf(-1), math.Inf(-1), math.Inf(1)
					for a := range spec.Actions {
						u = max(u, product(w, bounds.FIB.Vector(to, a)))
						v = max(v, product(w, bounds.Blind.Vector(to, a)))
						x = min(x, product(w, bounds.Worst.Vector(to, a)))
					}
					upper += spec.Discount * u
					later += spec.Discount * bestAfter(bounds.TIB, to, w, len(spec.Actions))
					blind += spec.Discount * v
					worst += spec.Discount * x
				}
				if u := bounds.FIB.Upper(s, b, a); !(u >= upper-2*bounds.FIB.Error) {
					t.Errorf("FIB is %v, its backup %v", u, upper)
				}
				if u := bounds.TIB.Upper(s, b, a); !(u >= later-2*bounds.TIB.Error) {
					t.Errorf("TIB is %v, its backup %v", u, later)
				}
				if l := bounds.Blind.Lower(s, b, a); !(l <= blind+2*bounds.Blind.Error) {
					t.Errorf("blind is %v, its backup %v", l, blind)
				}
				if l := bounds.Worst.Lower(s, b, a); !(l <= worst+2*bounds.Worst.Error) {
					t.Errorf("worst is %v, its backup %v", l, worst)
				}
			}
		}
	})
}

// bestAfter returns the largest bound at a state over the actions, for weights over the latents.
func bestAfter(u *dp.TIBBound, state int, w []float64, actions int) float64 {
	mass := product(w, ones(len(w)))
	if mass == 0 {
		return 0
	}
	b, top := make(bcpace.Belief, len(w)), math.Inf(-1)
	for i := range b {
		b[i] = w[i] / mass
	}
	for a := range actions {
		top = max(top, u.OfRow(state*actions+a, b))
	}
	return mass * top
}

// The order of the bounds, and where TIB, FIB and QMDP are the same.
func TestOrderOfBounds(t *testing.T) {
	forModels(t, 100, randmodel.Options{}, func(t *testing.T, rng *rand.Rand, m bcpace.Finite, b *dp.FiniteBounds) {
		spec := m.Spec()
		slack := b.Latent.Error
		tiny := 2*(b.FIB.Error+b.TIB.Error+b.Blind.Error+b.Worst.Error+slack) + 1e-12
		tighter := 0.0
		for range 20 {
			s, belief := query(rng, m)
			for a := range spec.Actions {
				order := []float64{
					dp.ConstantBound(spec.VMax()).Upper(s, belief, a),
					dp.BestCaseBound{Values: b.Latent, Slack: slack}.Upper(s, belief, a),
					dp.QMDPBound{Values: b.Latent, Slack: slack}.Upper(s, belief, a),
					b.FIB.Upper(s, belief, a),
					belief.Dot(b.TIB.Vector(m.StateIndex(s), a)),
					b.TIB.Upper(s, belief, a),
					b.Blind.Lower(s, belief, a),
					b.Worst.Lower(s, belief, a),
					spec.VMin(),
				}
				for i := 1; i < len(order); i++ {
					if !(order[i] <= order[i-1]+tiny) {
						t.Errorf("constant, best case, QMDP, FIB, TIB where the latent is known, TIB, blind, worst, constant are %v, want them to fall", order)
					}
				}
				tighter = max(tighter, order[2]-order[5])
			}
		}
		if bcpace.KindOf(m) != bcpace.Redrawn && tighter > tiny {
			t.Errorf("TIB is %v below QMDP, want the same for a latent that is a function of the past", tighter)
		}
	})
}

// TestTIBOfClasses: where a class stands for several states, what is seen tells them apart all the same.
func TestTIBOfClasses(t *testing.T) {
	m, err := bcpace.FiniteHorizon(envs.Tiger{}, 5)
	if err != nil {
		t.Fatal(err)
	}
	all, err := dp.ListTransitions(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	classes := all.Aggregate()
	if classes.States == all.States {
		t.Fatal("no class has several states")
	}
	one, err := all.Bounds(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	other, err := classes.Bounds(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	s, b := make([]float64, len(m.Spec().Axes)), make(bcpace.Belief, 2)
	for n := range all.States {
		all.StateAt(s, n)
		b.SampleSimplex(rng)
		for a := range all.Actions {
			if x, y := one.TIB.Upper(s, b, a), other.TIB.Upper(s, b, a); math.Abs(x-y) > one.TIB.Error+other.TIB.Error {
				t.Errorf("state %v, belief %v, action %d: %v, by classes %v", s, b, a, x, y)
			}
		}
	}
}

// In Tiger an agent that learns the side one step late must act on an even
// belief right after a door: F(open, right door) = 10 + γ·x, where
// x = max over a of ½Σ_φ F(a)(φ) = ½·(F(listen)(l) + F(listen)(r)) = F(listen), and
// F(listen) = −1 + γ·F(open, right door). Hence F(listen) = (−1 + 10γ)/(1 − γ²),
// against QMDP's −1 + 10γ/(1−γ).
func TestFIBOfTiger(t *testing.T) {
	m := envs.Tiger{}
	b, err := dp.SolveBounds(context.Background(), m, 0)
	if err != nil {
		t.Fatal(err)
	}
	spec := m.Spec()
	γ := spec.Discount
	s := make([]float64, len(spec.Axes))
	m.StateAt(s, 0)
	listen := spec.ActionIndex("listen")
	if listen < 0 {
		t.Fatalf("Tiger has actions %v", spec.Actions)
	}
	if got, want := b.FIB.Upper(s, bcpace.Uniform(2), listen), (10*γ-1)/(1-γ*γ); math.Abs(got-want) > b.FIB.Error {
		t.Errorf("FIB is %v, want %v", got, want)
	}
	if got, want := dp.Expected(b.Latent, s, bcpace.Uniform(2), listen), -1+10*γ/(1-γ); math.Abs(got-want) > b.Latent.Error+1e-9 {
		t.Errorf("QMDP is %v, want %v", got, want)
	}
	if a, v := b.Blind.Best(s, bcpace.Uniform(2)); a != listen || math.Abs(v+1/(1-γ)) > b.Blind.Error {
		t.Errorf("the best blind policy is action %d with value %v, want listening without end, %v", a, v, -1/(1-γ))
	}
}

// Solving for one bound gives what solving for all does.
//
//test:race
func TestSolveOneByOne(t *testing.T) {
	ctx := context.Background()
	m := randmodel.New(rand.New(rand.NewPCG(7, 7)), randmodel.Options{Kind: bcpace.Redrawn})
	all, err := dp.SolveBounds(ctx, m, 0)
	if err != nil {
		t.Fatal(err)
	}
	fib, err1 := dp.SolveFIB(ctx, m)
	tib, err2 := dp.SolveTIB(ctx, m)
	worst, err3 := dp.SolveWorst(ctx, m)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string][2]dp.VectorTable{
		"FIB": {fib.VectorTable, all.FIB.VectorTable}, "TIB": {tib.VectorTable, all.TIB.VectorTable}, "worst": {worst.VectorTable, all.Worst.VectorTable},
	} {
		if fmt.Sprint(x[0].Table, x[0].Error) != fmt.Sprint(x[1].Table, x[1].Error) {
			t.Errorf("%s differs", name)
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := dp.SolveBounds(cancelled, m, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context gives %v", err)
	}
	var input *bcpace.InputError
	if _, err := dp.SolveBounds(ctx, m, math.NaN()); !errors.As(err, &input) {
		t.Errorf("tolerance NaN gives %v", err)
	}
	var unsupported *bcpace.UnsupportedError
	if _, err := dp.SolveFIB(ctx, undiscounted{m}); !errors.As(err, &unsupported) {
		t.Errorf("γ = 1 gives %v", err)
	}
	outside, b := []float64{-1}, bcpace.Uniform(len(m.Spec().Latents))
	if _, v := all.Blind.Best(outside, b); !math.IsNaN(fib.Upper(outside, b, 0)) || !math.IsNaN(all.Blind.Lower(outside, b, 0)) || !math.IsNaN(v) {
		t.Error("want NaN outside of the states")
	}
}

// undiscounted is a model with γ = 1, cut at 10 steps.
type undiscounted struct{ bcpace.Finite }

func (u undiscounted) Spec() bcpace.Spec {
	s := u.Finite.Spec()
	s.Discount, s.Horizon = 1, 10
	return s
}

// endsAfter is a context that ends after so many looks at it.
type endsAfter struct {
	context.Context
	looks atomic.Int64
}

func newEndsAfter(ctx context.Context, looks int) *endsAfter {
	c := &endsAfter{Context: ctx}
	c.looks.Store(int64(looks))
	return c
}

func (c *endsAfter) Err() error {
	if c.looks.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Wherever the fast informed bound ends with its context, also within a sweep, it is one, as
// near as its Error says.
func TestFIBSoFar(t *testing.T) {
	m := randmodel.New(rand.New(rand.NewPCG(1, 14)), randmodel.Options{States: 80, Latents: 4, Actions: 3, Discount: 0.5, Kind: bcpace.Redrawn})
	whole, err := dp.SolveBounds(t.Context(), m, 0)
	if err != nil {
		t.Fatal(err)
	}
	ended, sweeps := 0, map[float64]bool{} // by their Error
	for looks := 1; ; looks++ {
		b, err := dp.SolveBounds(newEndsAfter(t.Context(), looks), m, 0.1)
		if err == nil {
			break
		}
		if b == nil || b.FIB == nil {
			continue
		}
		ended++
		sweeps[b.FIB.Error] = true
		for i, f := range b.FIB.Table {
			if most := whole.FIB.Table[i]; f < most-whole.FIB.Error || f > most+b.FIB.Error {
				t.Fatalf("after %d looks entry %d is %v with error %v, want %v", looks, i, f, b.FIB.Error, most)
			}
		}
	}
	if ended < 2*len(sweeps) || len(sweeps) < 3 {
		t.Errorf("it ended in %d places of %d sweeps, want several in each", ended, len(sweeps))
	}
}

func TestBoundsDoNotAllocate(t *testing.T) {
	m := randmodel.New(rand.New(rand.NewPCG(8, 8)), randmodel.Options{Kind: bcpace.Redrawn})
	b, err := dp.SolveBounds(context.Background(), m, 0)
	if err != nil {
		t.Fatal(err)
	}
	bounds := []dp.UpperBound{dp.ConstantBound(100), dp.BestCaseBound{Values: b.Latent}, dp.QMDPBound{Values: b.Latent}, b.FIB}
	s, b1, b2 := []float64{0}, bcpace.Uniform(len(m.Spec().Latents)), bcpace.OneHot(len(m.Spec().Latents), 0)
	up, lo := b.FIB.Vector(0, 0), b.Worst.Vector(0, 0)
	if n := testing.AllocsPerRun(100, func() {
		for _, u := range bounds {
			u.Upper(s, b1, 0)
		}
		b.Blind.Best(s, b1)
		dp.BoxCone(up, lo, b1, b2)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkSolveBounds(b *testing.B) {
	for _, m := range []bcpace.Finite{envs.Tiger{}, envs.Chain{}, envs.LightDarkTiger{Width: 9, Height: 9, Discount: 0.95},
		randmodel.New(rand.New(rand.NewPCG(9, 9)), randmodel.Options{States: 50, Latents: 6, Actions: 4, Branch: 4, Kind: bcpace.Redrawn, Discount: 0.95})} {
		b.Run(m.Spec().Name, func(b *testing.B) {
			for b.Loop() {
				if _, err := dp.SolveBounds(context.Background(), m, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
