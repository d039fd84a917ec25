package sarsop_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/stop"
)

// TestGoals: without a discount and a horizon, bounds hold the optimal value of random models, and policies earn
// their lower bounds.
func TestGoals(t *testing.T) { goals(t, 100, 30) }

// goals looks at so many random models, some of them for so many trials at most and others for fewer.
func goals(t *testing.T, models uint64, trials int) {
	var unsolved, asked [2]int // without what can be repeated for nothing, or for a pay now and then, and with it
	for seed := range models {
		rng := rand.New(rand.NewPCG(seed, 37))
		kind := sarsop.GoalKind(seed % uint64(sarsop.GoalKinds))
		m := sarsop.Goal(rng, kind)
		s := sarsop.Solver{Epsilon: 1e-3, MaxTrials: trials}
		if rng.IntN(3) == 0 {
			s.MaxTrials = 1 + rng.IntN(10)
		}
		r, err := within(t.Context(), m, s, bcpace.Control{Workers: 1})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		name := fmt.Sprintf("seed %d, kind %d", seed, kind)
		checkGoal(t, name, m, r)
		if s.MaxTrials == trials {
			repeats := 0
			if kind > sarsop.Both {
				repeats = 1
			}
			asked[repeats]++
			if r.Stop != stop.Certified {
				unsolved[repeats]++
			}
		}
	}
	t.Logf("of %d models %d were not solved in %d trials", asked, unsolved, trials)
	if models >= 500 && (unsolved[0] > asked[0]/20 || unsolved[1] > asked[1]/10) { // the share of few is chance
		t.Errorf("of %d models %d were not solved in %d trials", asked, unsolved, trials)
	}
}

// checkGoal fails where the bounds of r do not hold the optimal value of m, where its policy earns less than the
// lower bound, or where a value of the policy is above what a step earns with the values that follow.
func checkGoal(t *testing.T, name string, m *pomdp.Model, r found) {
	t.Helper()
	low, high, closed := sarsop.GoalOutlook(m, nil, 150)
	tol := 1e-7 * max(1, math.Abs(low))
	if r.Lower > high+tol || r.Upper < low-tol || !(r.Lower <= r.Upper) {
		t.Errorf("%s: the bounds are [%v, %v], the optimal value is in [%v, %v] (closed: %v)", name, r.Lower, r.Upper, low, high, closed)
	}
	if _, high, closed := sarsop.GoalOutlook(m, r.Policy, 400); high < r.Lower-tol {
		t.Errorf("%s: the policy earns at most %v, the lower bound is %v (closed: %v, stopped by %s)", name, high, r.Lower, closed, r.Stop)
	}
}

// TestGoalWorkers: the result is the same bit for bit for any number of workers.
func TestGoalWorkers(t *testing.T) {
	for seed := range uint64(30) {
		m := sarsop.Goal(rand.New(rand.NewPCG(seed, 38)), sarsop.GoalKind(seed%uint64(sarsop.GoalKinds)))
		s := sarsop.Solver{Epsilon: 1e-6, MaxTrials: 30}
		one, err := within(t.Context(), m, s, bcpace.Control{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		eight, err := within(t.Context(), m, s, bcpace.Control{Workers: 8})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(one, eight) {
			t.Errorf("seed %d: [%v, %v] with one worker, [%v, %v] with eight", seed, one.Lower, one.Upper, eight.Lower, eight.Upper)
		}
	}
}

// TestGoalEquations: where the state is seen, the value is the best that any choice of an action for each state has by
// the linear equations of its Markov chain.
func TestGoalEquations(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 39))
		const n, actions = 4, 2 // the last state is the end
		m := pomdptest.New(n, 1, actions, 1, 1, pomdptest.Row(rng, n-1, 0))
		m.Start = slices.DeleteFunc(m.Start, func(e pomdp.Entry) bool { return e.At == n-1 })
		reach := seed%2 == 0
		for range actions {
			var moves, senses [][]float64
			rewards := make([]float64, n)
			for s := range n {
				row := pomdptest.Row(rng, n, 0)
				if s == n-1 {
					row = []float64{0, 0, 0, 1}
				} else if rewards[s] = -rng.Float64(); reach { // the rest of an end with a smaller pay
					rewards[s] = row[n-1] * rng.Float64()
				}
				moves, senses = append(moves, row), append(senses, []float64{1})
			}
			pomdptest.Append(m, moves, senses, rewards)
		}
		want := math.Inf(-1)
		for choice := range 1 << (n - 1) {
			a, b := mat.NewDense(n-1, n-1, nil), mat.NewVecDense(n-1, nil)
			for s := range n - 1 {
				act := choice >> s & 1
				col, prob := m.Move[act].At(s)
				a.Set(s, s, 1)
				for i, to := range col {
					if to < n-1 {
						a.Set(s, int(to), a.At(s, int(to))-prob[i])
					}
				}
				b.SetVec(s, m.Reward[act][s])
			}
			var v mat.VecDense
			if err := v.SolveVec(a, b); err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for _, e := range m.Start {
				sum += e.Value * v.AtVec(int(e.At))
			}
			want = max(want, sum)
		}
		r := solve(t, m, sarsop.Solver{Epsilon: 1e-7, MaxTrials: 1000})
		if r.Lower > want+1e-9 || r.Upper < want-1e-9 || r.Upper-r.Lower > 1e-6 {
			t.Errorf("seed %d: the bounds are [%v, %v], the value is %v", seed, r.Lower, r.Upper, want)
		}
	}
}

// TestUnseenEnd: where nothing is seen, not even the end, and there is one action, the value is the cost of a step over
// the probability of the end.
func TestUnseenEnd(t *testing.T) {
	for _, p := range []float64{0.5, 0.01, 1e-4} {
		m := pomdptest.New(1, 2, 1, 1, 1, []float64{1, 0})
		pomdptest.Append(m, [][]float64{{1 - p, p}, {0, 1}}, [][]float64{{1}, {1}}, []float64{-2, 0})
		r := solve(t, m, sarsop.Solver{Epsilon: 1e-4 / p, MaxTrials: 1000})
		if want := -2 / p; r.Lower > want*(1-1e-9) || r.Upper < want*(1+1e-9) || r.Upper-r.Lower > 1e-4/p {
			t.Errorf("p = %v: the bounds are [%v, %v], the value is %v", p, r.Lower, r.Upper, want)
		}
	}
}

// TestNoGoal: a model whose values are not finite, or with a policy that goes on for nothing, is refused with the state
// and the action.
func TestNoGoal(t *testing.T) {
	row := func(to int) []float64 {
		r := make([]float64, 3)
		r[to] = 1
		return r
	}
	see := [][]float64{{1}, {1}, {1}}
	for _, c := range []struct {
		what       string
		stay, move []float64 // what the actions pay in the three states
		to         []int     // where the second one leads
		want       string
	}{
		{"pay again and again", []float64{1, 0, 0}, []float64{0, 0, 0}, []int{1, 2, 2}, `in state (x0, y0), action "a0" pays 1 and can be taken again and again`},
		{"a round that pays", []float64{-1, -1, 0}, []float64{3, -2, 0}, []int{1, 0, 2}, `in state (x0, y0), action "a1" pays 3, and what brings it back does not cost more than it pays`},
		{"a round for nothing", []float64{-1, -1, 0}, []float64{2, -2, 0}, []int{1, 0, 2}, `action "a1" pays 2 and can be taken again and again, with others that take as much back`},
		{"no end", []float64{-1, -1, -1}, []float64{-1, -1, -1}, []int{1, 1, 2}, `from state (x0, y0) none can be, so that its value is −∞`},
	} {
		m := pomdptest.New(1, 3, 2, 1, 1, []float64{1, 0, 0})
		pomdptest.Append(m, [][]float64{row(0), row(1), row(2)}, see, c.stay)
		pomdptest.Append(m, [][]float64{row(c.to[0]), row(c.to[1]), row(c.to[2])}, see, c.move)
		_, err := within(t.Context(), m, sarsop.Solver{MaxTrials: 10}, bcpace.Control{})
		if !errors.As(err, new(*bcpace.UnsupportedError)) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "horizon") {
			t.Errorf("%s: error %v, want one with %q", c.what, err, c.want)
		}
	}
}

// TestNothingToEarn: where nothing is paid, every state is an end.
func TestNothingToEarn(t *testing.T) {
	m := pomdptest.New(1, 2, 1, 1, 1, []float64{.5, .5})
	pomdptest.Append(m, [][]float64{{.5, .5}, {.5, .5}}, [][]float64{{1}, {1}}, []float64{0, 0})
	if r := solve(t, m, sarsop.Solver{}); r.Lower != 0 || r.Upper != 0 {
		t.Errorf("the bounds are [%v, %v]", r.Lower, r.Upper)
	}
}

// TestGoalInterrupted: whenever the context ends, there are bounds that hold and a policy that acts, or its error.
func TestGoalInterrupted(t *testing.T) {
	for seed := range uint64(40) {
		m := sarsop.Goal(rand.New(rand.NewPCG(seed, 40)), sarsop.GoalKind(seed%uint64(sarsop.GoalKinds)))
		low, high, _ := sarsop.GoalOutlook(m, nil, 100)
		for _, asked := range []int{0, 1, 2, 3, 5, 8, 13, 30} {
			r, err := within(runtest.Asked(asked), m, sarsop.Solver{MaxTrials: 20}, bcpace.Control{Workers: 1})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if r.Lower > high+1e-6 || r.Upper < low-1e-6 {
				t.Errorf("seed %d, asked %d times: [%v, %v], the value is in [%v, %v]", seed, asked, r.Lower, r.Upper, low, high)
			}
		}
	}
}
