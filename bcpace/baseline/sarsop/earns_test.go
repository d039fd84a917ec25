package sarsop_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
)

// game draws a POMDP of a kind in which few beliefs can be reached: actions that
// move and show the state, that move unseen, that only listen, and that do nothing.
// Starts are certain, skewed or spread, seen in part or not at all; rewards are small
// integers, so that there are ties, or any number; some states end the episode.
func game(rng *rand.Rand) *pomdp.Model {
	nx, ny := 1+rng.IntN(2)*rng.IntN(2), 2+rng.IntN(2)
	na, no := 2+rng.IntN(2), 1+rng.IntN(3)
	n := nx * ny
	row := func(n int) []float64 { return pomdptest.Row(rng, n, rng.IntN(3)) }
	m := pomdptest.New(nx, ny, na, no, []float64{.3, .5, .8, .9, .95}[rng.IntN(5)], row(n))
	end := -1
	if rng.IntN(3) == 0 {
		end = rng.IntN(n)
	}
	certain := func(n, i int) []float64 {
		r := make([]float64, n)
		r[i] = 1
		return r
	}
	uniform := slices.Repeat([]float64{1 / float64(no)}, no)
	few, shift := rng.IntN(2) == 0, float64(rng.IntN(3)-1)
	for range na {
		move, sense, rewards := rng.IntN(3), rng.IntN(4), make([]float64, n)
		var moves, senses [][]float64
		right := .6 + .35*rng.Float64()
		for s := range n {
			if s == end {
				moves = append(moves, certain(n, s))
			} else {
				switch move {
				case 0:
					moves = append(moves, certain(n, s))
				case 1:
					moves = append(moves, certain(n, rng.IntN(n)))
				default:
					moves = append(moves, row(n))
				}
				if few {
					rewards[s] = shift + float64(rng.IntN(3)*rng.IntN(2))
				} else {
					rewards[s] = shift + rng.NormFloat64()
				}
			}
			switch sense {
			case 0:
				senses = append(senses, uniform)
			case 1:
				senses = append(senses, certain(no, s%no))
			case 2:
				senses = append(senses, row(no))
			default: // s is heard aright or as any other
				r := slices.Repeat([]float64{(1 - right) / float64(max(no-1, 1))}, no)
				if r[s%no] = right; no == 1 {
					r[0] = 1
				}
				senses = append(senses, r)
			}
		}
		pomdptest.Append(m, moves, senses, rewards)
	}
	return m
}

// outlook brackets what p earns in m from the start, or the optimal value where p is
// nil, by the beliefs that can follow the start, at most so many of them: beyond those
// nothing is known but the range of rewards. Neither end is off by more than tol of
// what these beliefs tell, nor on the wrong side of it.
func outlook(m *pomdp.Model, p pomdp.Policy, most int, tol float64) (low, high float64) {
	type outcome struct {
		p  float64
		to int // −1 beyond the beliefs listed
	}
	type place struct {
		x       int
		b       []float64
		rewards []float64
		follow  [][]outcome // by action
	}
	var places []*place
	seen := make(map[string]int)
	visit := func(x int, b []float64) int {
		key := []byte{byte(x)}
		for _, v := range b {
			key = fmt.Appendf(key, " %d", int64(math.Round(v*1e11)))
		}
		i, ok := seen[string(key)]
		switch {
		case ok:
			return i
		case len(places) == most:
			return -1
		}
		seen[string(key)] = len(places)
		places = append(places, &place{x: x, b: slices.Clone(b)})
		return len(places) - 1
	}
	var roots []outcome
	b := make([]float64, m.NumHidden())
	for x := range m.NumVisible() {
		if q := m.StartBelief(b, x); q > 0 {
			roots = append(roots, outcome{q, visit(x, b)})
		}
	}
	for i := 0; i < len(places); i++ {
		at := places[i]
		for a := range m.Actions {
			if p != nil && p.Act(at.x, at.b) != a {
				continue
			}
			r := 0.0
			for y, q := range at.b {
				r += q * m.Reward[a][at.x*len(b)+y]
			}
			var list []outcome
			for x := range m.NumVisible() {
				for o := range m.Observations {
					if q := m.Update(b, at.b, at.x, a, x, o); q > 0 {
						list = append(list, outcome{q, visit(x, b)})
					}
				}
			}
			at.rewards, at.follow = append(at.rewards, r), append(at.follow, list)
		}
	}
	least, largest := math.Inf(1), math.Inf(-1)
	for _, list := range m.Reward {
		least, largest = min(least, slices.Min(list)), max(largest, slices.Max(list))
	}
	value := func(beyond float64) float64 {
		beyond /= 1 - m.Discount
		v := slices.Repeat([]float64{beyond}, len(places)+1) // the last one is that of −1
		of := func(list []outcome) (sum float64) {
			for _, k := range list {
				sum += k.p * v[(k.to+len(v))%len(v)]
			}
			return sum
		}
		for change := math.Inf(1); change*m.Discount > tol*(1-m.Discount); {
			change = 0
			for i, at := range slices.Backward(places) {
				best := math.Inf(-1)
				for k, list := range at.follow {
					best = max(best, at.rewards[k]+m.Discount*of(list))
				}
				change = max(change, math.Abs(best-v[i]))
				v[i] = best
			}
		}
		return of(roots)
	}
	return value(least), value(largest)
}

// checkEarned fails where the policy of r earns less than the lower bound of r, or where
// the bounds do not hold the optimal value.
func checkEarned(t *testing.T, name string, m *pomdp.Model, r *sarsop.Result) {
	t.Helper()
	const tol = 1e-8
	if _, high := outlook(m, r.Policy, 300, tol); high < r.Lower-2*tol {
		t.Errorf("%s: the policy earns at most %v, the lower bound is %v (stopped by %s)", name, high, r.Lower, r.Stop)
	}
	if low, high := outlook(m, nil, 200, tol); r.Lower > high+2*tol || r.Upper < low-2*tol {
		t.Errorf("%s: the bounds are [%v, %v], the optimal value is in [%v, %v]", name, r.Lower, r.Upper, low, high)
	}
}

// checkClosed fails where the value of the policy at a belief is above what its action
// earns in one step and then the value at the belief that follows: values that nowhere
// are belong to vectors that the policy attains.
func checkClosed(t *testing.T, name string, m *pomdp.Model, p *sarsop.Policy, rng *rand.Rand) {
	t.Helper()
	scale := 0.0
	for _, list := range m.Reward {
		scale = max(scale, slices.Max(list), -slices.Min(list))
	}
	next := make([]float64, m.NumHidden())
	for i := range 40 {
		x, b := rng.IntN(m.NumVisible()), pomdptest.Row(rng, len(next), i%3)
		a, step := p.Act(x, b), 0.0
		for y, q := range b {
			step += q * m.Reward[a][x*len(b)+y]
		}
		for xNext := range m.NumVisible() {
			for o := range m.Observations {
				if q := m.Update(next, b, x, a, xNext, o); q > 0 {
					step += m.Discount * q * p.Value(xNext, next)
				}
			}
		}
		if v := p.Value(x, b); v > step+1e-12*scale/(1-m.Discount) {
			t.Errorf("%s: the value at (%d, %v) is %v, and by a step of action %d it is %v", name, x, b, v, a, step)
			return
		}
	}
}

// TestEarns: the policy earns the lower bound, exactly, wherever the search was
// stopped.
func TestEarns(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 5))
		m := game(rng)
		o := sarsop.Options{Epsilon: 1e-3, MaxTrials: 300, Workers: 1}
		ctx, cancel := context.WithCancel(context.Background())
		if rng.IntN(2) == 0 { // stopped early, by a limit or by the context
			o.MaxTrials = 1 + rng.IntN(20)
			if most := o.MaxTrials; rng.IntN(2) == 0 {
				o.MaxTrials = 0
				o.Progress = func(p sarsop.Progress) {
					if p.Trials == most {
						cancel()
					}
				}
			}
		}
		r, err := sarsop.Solve(ctx, m, o)
		cancel()
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		name := fmt.Sprintf("seed %d", seed)
		checkEarned(t, name, m, r)
		checkClosed(t, name, m, r.Policy, rng)
	}
}

// TestClosed: so is the set of vectors in models of many beliefs, seen in part or not,
// that were not solved to the end.
func TestClosed(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 6))
		m := random(rng, 1+rng.IntN(4), 2+rng.IntN(6), []float64{.5, .9, .99}[rng.IntN(3)])
		checkClosed(t, fmt.Sprintf("seed %d", seed), m, solve(t, m, sarsop.Options{MaxTrials: 1 + rng.IntN(30), Workers: 1}).Policy, rng)
		r, err := sarsop.Solve(ctx, m, sarsop.Options{})
		if err != nil {
			t.Fatal(err)
		}
		checkClosed(t, fmt.Sprintf("seed %d at once", seed), m, r.Policy, rng)
	}
}

// TestFewVectors: where the search goes round the same beliefs many times, the policy does
// not hold all the vectors that it went by, and earns the lower bound all the same.
func TestFewVectors(t *testing.T) {
	m, err := pomdpfile.ReadFile(t.Context(), "../../../data/chain.pomdp")
	if err != nil {
		t.Fatal(err)
	}
	patient := *m
	patient.Discount = .99
	r := solve(t, &patient, sarsop.Options{Epsilon: 1e-3})
	if n := len(r.Policy.Vectors[0]); r.Backups < 1000 || n > 2*r.Vectors {
		t.Errorf("%d vectors after %d backups, of which %d are best at some belief", n, r.Backups, r.Vectors)
	}
	b := make([]float64, m.NumHidden())
	if m.StartBelief(b, 0); r.Policy.Value(0, b) < r.Lower {
		t.Errorf("the vectors are worth %v at the start, the lower bound is %v", r.Policy.Value(0, b), r.Lower)
	}
	checkClosed(t, "chain", &patient, r.Policy, rand.New(rand.NewPCG(1, 2)))
}

// TestUnvisited: where a plan continues at a belief that the search has not visited, since
// its bounds were near enough, the policy has the vector for it: here that of staying,
// once the state is known to be good. It has it when it is written and read again, too.
func TestUnvisited(t *testing.T) {
	m, err := pomdpfile.Read(t.Context(), strings.NewReader(pomdptest.Unvisited), "unvisited.pomdp")
	if err != nil {
		t.Fatal(err)
	}
	r := solve(t, m, sarsop.Options{Epsilon: 1e-3})
	checkEarned(t, "solved", m, r)
	var list []pomdpfile.Vector
	for _, v := range r.Policy.Vectors[0] {
		list = append(list, pomdpfile.Vector{Action: v.Action, Value: v.Value})
	}
	var file strings.Builder
	if err := pomdpfile.WritePolicy(&file, m, list); err != nil {
		t.Fatal(err)
	}
	if list, err = pomdpfile.ReadPolicy(t.Context(), strings.NewReader(file.String()), "unvisited.policy", m); err != nil {
		t.Fatal(err)
	}
	r.Policy = &sarsop.Policy{Vectors: make([][]sarsop.Vector, 1)}
	for _, v := range list {
		r.Policy.Vectors[0] = append(r.Policy.Vectors[0], sarsop.Vector{Action: v.Action, Value: v.Value})
	}
	checkEarned(t, "read", m, r)
	if v := r.Policy.Value(0, []float64{.86, .14}); v != r.Lower {
		t.Errorf("the vectors read are worth %v at the start, the lower bound is %v", v, r.Lower)
	}
}

// TestEarnsUndiscounted: the same for a number of steps without a discount, which the
// context may end before the first trial.
func TestEarnsUndiscounted(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	var earned func(m *pomdp.Model, p pomdp.Policy, x int, b []float64, steps int) float64
	earned = func(m *pomdp.Model, p pomdp.Policy, x int, b []float64, steps int) (v float64) {
		if steps == 0 {
			return 0
		}
		a, next := p.Act(x, b), make([]float64, len(b))
		for y, q := range b {
			v += q * m.Reward[a][x*len(b)+y]
		}
		for xNext := range m.NumVisible() {
			for o := range m.Observations {
				if q := m.Update(next, b, x, a, xNext, o); q > 0 {
					v += q * earned(m, p, xNext, next, steps-1)
				}
			}
		}
		return v
	}
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 8))
		m := game(rng)
		m.Discount = 1
		steps := 1 + rng.IntN(4)
		clock, err := pomdp.FiniteHorizon(m, steps)
		if err != nil {
			t.Fatal(err)
		}
		for _, ctx := range []context.Context{ended, t.Context()} {
			r, err := sarsop.Solve(ctx, clock, sarsop.Options{Epsilon: 1e-3, MaxTrials: 1 + rng.IntN(30), Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			v, b := 0.0, make([]float64, clock.NumHidden())
			for x := range clock.NumVisible() {
				if q := clock.StartBelief(b, x); q > 0 {
					v += q * earned(clock, r.Policy, x, b, steps)
				}
			}
			if v < r.Lower-1e-9 || v > r.Upper+1e-9 {
				t.Errorf("seed %d, %d steps: the policy earns %v, the bounds are [%v, %v] (stopped by %s)", seed, steps, v, r.Lower, r.Upper, r.Stop)
			}
		}
	}
}

// TestEarnsInBAMDP: the same on BAMDPs, with latents that stay, change and are redrawn,
// by the exact value of the policy on the model itself.
func TestEarnsInBAMDP(t *testing.T) {
	judged := 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 9))
		m := randmodel.New(rng, randmodel.Options{States: 2 + rng.IntN(4), Latents: 2 + rng.IntN(2), Actions: 2 + rng.IntN(2),
			Kind: bcpace.LatentKind(rng.IntN(3)), Discount: .3 + .4*rng.Float64()})
		flat := fromBAMDP(t, m)
		r := solve(t, flat, sarsop.Options{Epsilon: 1e-2, MaxTrials: 1 + rng.IntN(60), Workers: 1})
		p, err := pomdp.AsBAMDPPolicy(m, flat, r.Policy)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		e, err := eval.Evaluate(t.Context(), m, p, eval.ExactOptions{MaxNodes: 3000, Tolerance: 1e-2})
		if limit := (*eval.LimitError)(nil); errors.As(err, &limit) {
			continue
		} else if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		judged++
		if tol := e.Error + 1e-9; e.Value < r.Lower-tol || e.Value > r.Upper+tol {
			t.Errorf("seed %d: the policy earns %v ± %v, the bounds are [%v, %v]", seed, e.Value, e.Error, r.Lower, r.Upper)
		}
	}
	if judged < 300 {
		t.Errorf("%d policies have an exact value, want 300", judged)
	}
}
