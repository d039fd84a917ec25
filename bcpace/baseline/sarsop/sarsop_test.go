package sarsop_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// found is a solution, its bounds and its policy.
type found struct {
	*pomdp.Solution
	Lower, Upper float64
	Policy       *pomdp.VectorPolicy
}

// within solves m, whose states stay as they are.
func within(ctx context.Context, m *pomdp.Model, s sarsop.Solver, c bcpace.Control) (found, error) {
	s.Unrevealed = true
	r, err := s.SolvePOMDP(ctx, m, c)
	if err != nil {
		return found{}, err
	}
	p, _ := r.Policy.(*pomdp.VectorPolicy) // nil in the set-up
	return found{r, r.Certificate.Lower, r.Certificate.Upper, p}, nil
}

// end is how far the search has come.
func (r found) end() bcpace.Progress { return r.Trace[len(r.Trace)-1] }

func solve(t testing.TB, m *pomdp.Model, s sarsop.Solver) found {
	t.Helper()
	r, err := within(context.Background(), m, s, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func fromBAMDP(t testing.TB, m bcpace.Finite) *pomdp.Model {
	t.Helper()
	p, err := pomdp.FromBAMDP(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestOptima: the bounds hold the optima that dynamic programming over sufficient
// statistics found (Tiger, Chain) and value iteration (Light-Dark Tiger).
func TestOptima(t *testing.T) {
	for _, c := range []struct {
		model          *pomdp.Model
		optimum, digit float64
	}{
		{pomdptest.Tiger(), 19.371368, 1e-6},
		{fromBAMDP(t, envs.Tiger{}), 19.371368, 1e-6},
		{fromBAMDP(t, envs.Chain{}), 48.08105, 1e-5},
		{fromBAMDP(t, envs.LightDarkTiger{}), 6.98337, 1e-5},
	} {
		r := solve(t, c.model, sarsop.Solver{Epsilon: 1e-3})
		if r.Stop != stop.Certified || r.Upper-r.Lower > 1e-3 {
			t.Errorf("%s: stopped by %s at [%v, %v]", c.model.Name, r.Stop, r.Lower, r.Upper)
		}
		if r.Lower > c.optimum+c.digit || r.Upper < c.optimum-c.digit {
			t.Errorf("%s: [%v, %v] is off the optimum %v", c.model.Name, r.Lower, r.Upper, c.optimum)
		}
	}
	// The interval that two other solvers agree on.
	if r := solve(t, pomdptest.Tiger(), sarsop.Solver{Epsilon: 1e-3}); r.Lower < 19.3711-1e-3 || r.Upper > 19.3726+1e-3 {
		t.Errorf("Tiger: [%v, %v]", r.Lower, r.Upper)
	}
}

// exact brackets V* at the start by the tree of all histories down to depth, with
// the extreme sums of rewards below.
func exact(m *pomdp.Model, depth int) (lower, upper float64) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, r := range m.Reward {
		for _, v := range r {
			low, high = min(low, v), max(high, v)
		}
	}
	b := make([]float64, m.NumHidden())
	for x := range m.NumVisible() {
		if p := m.StartBelief(b, x); p > 0 {
			v := history(m, x, b, depth)
			rest := math.Pow(m.Discount, float64(depth)) / (1 - m.Discount)
			lower += p * (v + rest*low)
			upper += p * (v + rest*high)
		}
	}
	return lower, upper
}

// history is the value of depth steps from (x, b).
func history(m *pomdp.Model, x int, b []float64, depth int) float64 {
	if depth == 0 {
		return 0
	}
	best := math.Inf(-1)
	next := make([]float64, len(b))
	for a := range m.Actions {
		v := 0.0
		for y, p := range b {
			v += p * m.Reward[a][x*len(b)+y]
		}
		for z := range m.NumVisible() {
			for o := range m.Observations {
				if p := m.Update(next, b, x, a, z, o); p > 0 {
					v += m.Discount * p * history(m, z, next, depth-1)
				}
			}
		}
		best = max(best, v)
	}
	return best
}

func draw(t *rapid.T) *rand.Rand { return rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)) }

// TestRandom: bounds meet on small models, within the bracket of all histories,
// and never widen.
func TestRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := draw(t)
		m := pomdptest.Random(rng, 1+rng.IntN(2), 2+rng.IntN(2), 0.4)
		depth := 5
		for n := len(m.Actions) * len(m.Observations) * m.NumVisible(); depth < 9 && math.Pow(float64(n), float64(depth+1)) < 5e4; {
			depth++
		}
		low, high := exact(m, depth)
		r, err := within(context.Background(), m, sarsop.Solver{Epsilon: 1e-4, MaxTrials: 2000}, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Stop != stop.Certified {
			t.Fatalf("stopped by %s at [%v, %v]", r.Stop, r.Lower, r.Upper)
		}
		for i, p := range r.Trace {
			if p.Value-p.Gap > high+1e-9 || p.Value < low-1e-9 {
				t.Fatalf("trial %d: %+v, V* is in [%v, %v]", p.Episodes, p, low, high)
			}
			if i == 0 {
				continue
			}
			const rounding = 1e-12 // of the lower bound, which is Value − Gap
			if last := r.Trace[i-1]; p.Value-p.Gap < last.Value-last.Gap-rounding || p.Value > last.Value || p.Episodes <= last.Episodes {
				t.Fatalf("the trace widens from %+v to %+v", last, p)
			}
		}
		if p := r.end(); p.Value != r.Upper || p.Gap != r.Upper-r.Lower {
			t.Fatalf("the trace ends with %+v, not with [%v, %v]", p, r.Lower, r.Upper)
		}
	})
}

// flatten hides x and shows it as a part of the observation.
func flatten(m *pomdp.Model) *pomdp.Model {
	nx, ny, no := m.NumVisible(), m.NumHidden(), len(m.Observations)
	f := *m
	f.Visible = nil
	f.Hidden = append(append([]pomdp.Variable(nil), m.Visible...), m.Hidden...)
	f.Observations = nil
	for x := range nx {
		for _, o := range m.Observations {
			f.Observations = append(f.Observations, m.Visible[0].Values[x]+o)
		}
	}
	f.Sense = nil
	for _, see := range m.Sense {
		g := &pomdp.Matrix{Row: see.Row, Value: see.Value}
		for s := range nx * ny {
			col, _ := see.At(s)
			for _, o := range col {
				g.Col = append(g.Col, int32(s/ny*no)+o)
			}
		}
		f.Sense = append(f.Sense, g)
	}
	return &f
}

// TestFlattened: a model whose visible part is hidden, but seen as an observation
// after every step, has the same value once x is known at the start.
func TestFlattened(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := draw(t)
		m := pomdptest.Random(rng, 2+rng.IntN(2), 2+rng.IntN(3), 0.7)
		x := int(m.Start[0].At) / m.NumHidden() // the start shows one x
		sum := 0.0
		var start []pomdp.Entry
		for _, e := range m.Start {
			if int(e.At)/m.NumHidden() == x {
				start = append(start, e)
				sum += e.Value
			}
		}
		for i := range start {
			start[i].Value /= sum
		}
		m.Start = start
		s := sarsop.Solver{Epsilon: 1e-3, MaxTrials: 300}
		a, err := within(context.Background(), m, s, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := within(context.Background(), flatten(m), s, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		if a.Lower > b.Upper+1e-9 || b.Lower > a.Upper+1e-9 {
			t.Fatalf("[%v, %v] mixed, [%v, %v] flattened", a.Lower, a.Upper, b.Lower, b.Upper)
		}
	})
}

// TestWorkers: the result does not depend on the number of workers. The model is
// large enough that they share work.
//
//test:race
func TestWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	m := pomdptest.Random(rng, 2, 120, 0.9)
	for len(m.Actions) < 3 || len(m.Observations) < 3 {
		m = pomdptest.Random(rng, 2, 120, 0.9)
	}
	numbers := []int{1, 2, 3, 8}
	if testing.Short() {
		numbers = []int{1, 8}
	}
	var first found
	for _, workers := range numbers {
		r, err := within(t.Context(), m, sarsop.Solver{MaxTrials: 5}, bcpace.Control{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if first.Solution == nil {
			first = r
		} else if !reflect.DeepEqual(r, first) {
			t.Errorf("%d workers: %+v, was %+v", workers, r.end(), first.end())
		}
	}
}

// TestInterrupted: what is known when the context ends is returned, however soon.
//
//test:race
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	trials := 0
	r, err := within(ctx, pomdptest.Tiger(), sarsop.Solver{}, bcpace.Control{Progress: func(p bcpace.Progress) {
		if trials = p.Episodes; trials == 5 {
			cancel()
		}
	}})
	if err != nil || r.Stop != stop.Interrupted || r.end().Episodes != 5 || trials != 5 {
		t.Fatalf("%+v, error %v after %d trials", r, err, trials)
	}
	if !(r.Lower > 0 && r.Lower < 19.3714 && r.Upper > 19.3713 && r.Upper < 100) {
		t.Errorf("[%v, %v] after 5 trials", r.Lower, r.Upper)
	}
	r, err = within(ctx, pomdptest.Tiger(), sarsop.Solver{}, bcpace.Control{}) // cancelled before it begins
	if err != nil || r.Stop != stop.Interrupted || r.end().Episodes != 0 || len(r.Trace) != 1 {
		t.Fatalf("%+v, error %v", r, err)
	}
	if !(r.Lower <= 19.3714 && r.Upper >= 19.3713) || r.Policy.Act(0, []float64{.5, .5}) > 2 {
		t.Errorf("[%v, %v] at once", r.Lower, r.Upper)
	}
	// On a model of a BAMDP it keeps as much.
	played, err := sarsop.Solver{}.Solve(ctx, envs.Tiger{}, bcpace.Control{})
	if err != nil || played.Stop != stop.Interrupted || !(played.Certificate.Lower <= 19.3714 && played.Certificate.Upper >= 19.3713) {
		t.Errorf("on a BAMDP %+v, error %v", played, err)
	}
}

func TestStops(t *testing.T) {
	if r := solve(t, pomdptest.Tiger(), sarsop.Solver{MaxTrials: 3}); r.Stop != stop.Episodes || r.end().Episodes != 3 {
		t.Errorf("%+v", r)
	}
	if r := solve(t, pomdptest.Tiger(), sarsop.Solver{MaxBeliefs: 4}); r.Stop != stop.Samples || r.end().Samples < 4 {
		t.Errorf("%+v", r)
	}
	// Without a gap to reach, rounding ends it, or the bounds meet.
	if r := solve(t, pomdptest.Tiger(), sarsop.Solver{}); r.Stop != stop.Rounding && r.Stop != stop.Certified || r.Upper-r.Lower > 1e-7 {
		t.Errorf("stopped by %s at [%v, %v]", r.Stop, r.Lower, r.Upper)
	}
}

//test:race
func TestErrors(t *testing.T) {
	edit := func(f func(m *pomdp.Model)) *pomdp.Model {
		m := pomdptest.Tiger()
		f(m)
		return m
	}
	var input *bcpace.InputError
	for name, c := range map[string]struct {
		m       *pomdp.Model
		s       sarsop.Solver
		workers int
	}{
		"nil":            {m: nil},
		"epsilon":        {m: pomdptest.Tiger(), s: sarsop.Solver{Epsilon: -1}},
		"not a number":   {m: pomdptest.Tiger(), s: sarsop.Solver{Epsilon: math.NaN()}},
		"trials":         {m: pomdptest.Tiger(), s: sarsop.Solver{MaxTrials: -1}},
		"beliefs":        {m: pomdptest.Tiger(), s: sarsop.Solver{MaxBeliefs: -1}},
		"workers":        {m: pomdptest.Tiger(), workers: -1},
		"no start":       {m: edit(func(m *pomdp.Model) { m.Start = nil })},
		"few tables":     {m: edit(func(m *pomdp.Model) { m.Move = m.Move[:2] })},
		"rewards":        {m: edit(func(m *pomdp.Model) { m.Reward[1][0] = math.Inf(1) })},
		"above one":      {m: edit(func(m *pomdp.Model) { m.Sense[0].Value[0] = .9 })},
		"no such column": {m: edit(func(m *pomdp.Model) { m.Move[0].Col[0] = 7 })},
	} {
		if _, err := within(context.Background(), c.m, c.s, bcpace.Control{Workers: c.workers}); !errors.As(err, &input) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	var unsupported *bcpace.UnsupportedError
	if _, err := within(context.Background(), edit(func(m *pomdp.Model) { m.Discount = 1 }), sarsop.Solver{}, bcpace.Control{}); !errors.As(err, &unsupported) {
		t.Errorf("γ = 1: error %v", err)
	}
}

// TestPolicy: the mean return of the policy is its lower bound, within four
// standard errors (error probability 1e-4 for either) and what the horizon cuts.
func TestPolicy(t *testing.T) {
	for _, m := range []*pomdp.Model{pomdptest.Tiger(), fromBAMDP(t, envs.LightDarkTiger{})} {
		r := solve(t, m, sarsop.Solver{Epsilon: 1e-2})
		e, err := pomdp.Rollouts(context.Background(), m, r.Policy, eval.Options{Episodes: 4000, Horizon: 200, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if e.Mean < r.Lower-4*e.StdErr-.01 || e.Mean > r.Upper+4*e.StdErr+.01 {
			t.Errorf("%s: mean %v ± %v, bounds [%v, %v]", m.Name, e.Mean, e.StdErr, r.Lower, r.Upper)
		}
	}
	r := solve(t, pomdptest.Tiger(), sarsop.Solver{Epsilon: 1e-3})
	for _, c := range []struct {
		b    []float64
		want int
	}{{[]float64{.5, .5}, 0}, {[]float64{.99, .01}, 2}, {[]float64{.01, .99}, 1}} {
		if a := r.Policy.Act(0, c.b); a != c.want {
			t.Errorf("action %d at %v, want %d", a, c.b, c.want)
		}
	}
	if v := r.Policy.Value(0, []float64{.5, .5}); math.Abs(v-r.Lower) > 1e-12 {
		t.Errorf("value %v at the start, lower bound %v", v, r.Lower)
	}
}
