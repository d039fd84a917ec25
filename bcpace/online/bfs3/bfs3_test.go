package bfs3

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/internal/tabular"
	"bayescpace/envs"
)

// searchOf returns the search of s in m, at the start of m.
func searchOf(t *testing.T, s Solver, m bcpace.Model) (*search, *bcpace.Simulator) {
	t.Helper()
	var w world = newBeliefs(m)
	if u, ok := m.(bcpace.UnknownTransitions); ok {
		know, err := tabular.NewRows(t.Context(), u)
		if err != nil {
			t.Fatal(err)
		}
		w = newCounts(u, know)
	}
	sim := bcpace.NewSimulator(m)
	if err := sim.Reset(rand.New(rand.NewPCG(1, 1))); err != nil {
		t.Fatal(err)
	}
	x := newSearch(m, s, w)
	x.Root(sim.State, sim.Belief)
	return x, sim
}

// sampled returns the value of a node in the tree of sparse sampling, as far as it is open, with
// the bounds that nodes have before: by recursion, without what trials have noted.
func (se *search) sampled(at int32, upper bool) float64 {
	n := &se.nodes[at]
	switch {
	case n.done || n.depth == se.depth:
		return 0
	case n.first == none && upper:
		return n.upper
	case n.first == none:
		return n.lower
	}
	best := math.Inf(-1)
	for _, e := range se.edges[n.first:][:len(se.spec.Actions)] {
		q, draws := e.reward, int32(0)
		for c := e.child; c != none; c = se.nodes[c].sibling {
			draws += se.nodes[c].draws
			q += se.spec.Discount / float64(se.width) * float64(se.nodes[c].draws) * se.sampled(c, upper)
		}
		if draws != int32(se.width) {
			return math.NaN()
		}
		best = max(best, q)
	}
	return best
}

// The bounds of the root are those of its tree at any time, and they close in on each other.
// Where they meet, the search ends, and its value is that of the whole tree.
func TestBounds(t *testing.T) {
	models := []bcpace.Model{plannertest.Paths(t, bcpace.TransitionPrior{}), plannertest.Paths(t, bcpace.TransitionPrior{Sparse: true}), envs.Tiger{}}
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		models = append(models, randmodel.New(rng, randmodel.Options{Actions: 2}))
	}
	for i, m := range models {
		rng := rand.New(rand.NewPCG(1, 1))
		x, _ := searchOf(t, Solver{Width: 3, Budget: bcpace.Budget{Depth: 4}}, m)
		spec := m.Spec()
		lower, upper, more := spec.VMin(), spec.VMax(), true
		for trial := 0; more; trial++ {
			var err error
			if more, err = x.Simulate(t.Context(), rng); err != nil {
				t.Fatal(err)
			}
			root := x.nodes[0]
			if root.lower < lower-1e-9 || root.upper > upper+1e-9 || root.lower > root.upper+1e-9 {
				t.Fatalf("model %d, trial %d: [%v, %v] after [%v, %v]", i, trial, root.lower, root.upper, lower, upper)
			}
			lower, upper = root.lower, root.upper
			low, high := x.sampled(0, false), x.sampled(0, true)
			if !(math.Abs(low-lower) < 1e-9 && math.Abs(high-upper) < 1e-9) {
				t.Fatalf("model %d, trial %d: [%v, %v], want [%v, %v]", i, trial, lower, upper, low, high)
			}
		}
		if !(lower == upper) {
			t.Errorf("model %d: ended with [%v, %v]", i, lower, upper)
		}
	}
}

// bandit is the Bayes value of a bandit by dynamic programming over its counts, with a prior of
// Beta(½, ½) for each arm of each state.
func bandit(discount float64, state int, counts [2][2][2]float64, steps int) (best float64, q [2]float64) {
	if steps == 0 {
		return 0, q
	}
	for a := range q {
		n := counts[state][a]
		q[a] = float64(state)
		for next := range 2 {
			p := (0.5 + n[next]) / (1 + n[0] + n[1])
			after := counts
			after[state][a][next]++
			v, _ := bandit(discount, next, after, steps-1)
			q[a] += discount * p * v
		}
	}
	return max(q[0], q[1]), q
}

// In a bandit whose arms it learns, the values of the search are the Bayes values, which count
// what a pull tells. What follows a pull is worth 0 or 1 more, so that 1,000 draws of it leave a
// standard error of 0.6·½/√1000 < 0.01. Of 6 histories one is off by four of them with
// probability 4·10⁻⁴ at most, were the seed not fixed; draws behind it are independent, and add
// little.
func TestBandit(t *testing.T) {
	const discount, steps = 0.6, 6
	m := armsOf(t, discount, bcpace.TransitionPrior{})
	x, sim := searchOf(t, Solver{Width: 1000, Budget: bcpace.Budget{Depth: steps}}, m)
	rng := rand.New(rand.NewPCG(2, 1))
	var seen [2][2][2]float64
	state := 0
	for step := range 6 {
		x.Root([]float64{float64(state)}, sim.Belief)
		for trial, more := 0, true; more && trial < 4000; trial++ {
			var err error
			if more, err = x.Simulate(t.Context(), rng); err != nil {
				t.Fatal(err)
			}
		}
		best, q := bandit(discount, state, seen, steps)
		var d bcpace.Decision
		x.Decide(&d)
		if math.Abs(d.Q[d.Action]-best) > 0.04 || best-q[d.Action] > 0.04 {
			t.Errorf("step %d: action %d of value %v, want %v of %v", step, d.Action, d.Q[d.Action], best, q)
		}
		a, next := rng.IntN(2), rng.IntN(2)
		x.Advance(a, []float64{float64(next)})
		seen[state][a][next]++
		state = next
	}
	x.Forget()
	if n := x.world.(*counts).know.Observed(); n != 0 {
		t.Errorf("it remembers %d observations", n)
	}
}

// Once a tree has had its size, a decision allocates nothing.
func TestAllocatesNothing(t *testing.T) {
	for _, m := range []bcpace.Model{envs.Tiger{}, plannertest.Paths(t, bcpace.TransitionPrior{})} {
		x, sim := searchOf(t, Solver{}, m)
		rng := rand.New(rand.NewPCG(1, 1))
		decide := func() {
			x.Root(sim.State, sim.Belief)
			for range 50 {
				_, _ = x.Simulate(t.Context(), rng)
			}
		}
		for range 200 {
			decide()
		}
		if n := testing.AllocsPerRun(5, decide); n > 1 {
			t.Errorf("%s: %v allocations in 50 trials", m.Spec().Name, n)
		}
	}
}

// What cannot be used is an error that says what would be right.
func TestBadInput(t *testing.T) {
	plannertest.Refuses(t, envs.Tiger{}, []Solver{{Width: -1}, {Budget: bcpace.Budget{Simulations: -1}}, {Budget: bcpace.Budget{Time: -1}}, {Budget: bcpace.Budget{Depth: -1}}, {Budget: bcpace.Budget{Depth: 20_000}}})
	plannertest.LacksSupport(t, Solver{}, plannertest.Dual(t))
}

// armsOf returns a bandit of two arms written as a table: a state is what was won last, which is
// paid at the next step whatever the action, so that there are two arms of their own in each.
func armsOf(t testing.TB, discount float64, knows bcpace.TransitionPrior) plannertest.Unknown {
	t.Helper()
	arms := [][]float64{{0.6, 0.4}, {0.6, 0.4}}
	m, err := bcpace.FromTables(bcpace.Tables{Name: "bandit", States: []string{"lost", "won"}, Discount: discount,
		P: [][][][]float64{{arms, arms}}, R: [][][]float64{{{0, 1}, {0, 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	return plannertest.Unknown{Finite: m, Knows: knows}
}
