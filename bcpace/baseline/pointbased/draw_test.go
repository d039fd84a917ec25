package pointbased

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bayescpace/bcpace/internal/fsc"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/pomdp"
)

// leaking returns m without a discount, whose episodes end with probability 1−γ at every step. of makes its rewards of those of m.
func leaking(m *pomdp.Model, of func(r float64) float64) *pomdp.Model {
	n, ny, no := m.NumStates(), m.NumHidden(), len(m.Observations)
	start := make([]float64, n+ny)
	for _, e := range m.Start {
		start[e.At] = e.Value
	}
	leak := pomdptest.New(m.NumVisible()+1, ny, 0, no, 1, start)
	leak.Actions = m.Actions
	for a := range m.Actions {
		var move, sense [][]float64
		reward := make([]float64, n+ny)
		for s := range n + ny {
			to, seen := make([]float64, n+ny), make([]float64, no)
			if s >= n {
				to[s], seen[0] = 1, 1
			} else {
				reward[s] = of(m.Reward[a][s])
				for next := range n {
					to[next] = m.Discount * pomdptest.At(m.Move[a], s, next)
				}
				to[n+s%ny] += 1 - m.Discount
				for o := range no {
					seen[o] = pomdptest.At(m.Sense[a], s, o)
				}
			}
			move, sense = append(move, to), append(sense, seen)
		}
		pomdptest.Append(leak, move, sense, reward)
	}
	return leak
}

// plansOf returns what each plan of c is worth in each state, by the linear equations of the Markov chain over states, what is seen, and nodes, and
// what c is worth at the start.
func plansOf(m *pomdp.Model, c *fsc.Controller) (plans [][]float64, earns float64) {
	n, no := m.NumStates(), len(m.Observations)
	size := n * no * c.Nodes
	a, b := mat.NewDense(size, size, nil), mat.NewVecDense(size, nil)
	at := func(s, o, node int) int { return (s*no+o)*c.Nodes + node }
	ends := m.Ends()
	ahead := func(s, u int, do func(next int, p float64)) float64 {
		for next := range n {
			for o := range no {
				if p := pomdptest.At(m.Move[u/c.Nodes], s, next) * pomdptest.At(m.Sense[u/c.Nodes], next, o); p > 0 && !ends[s] {
					do(at(next, o, u%c.Nodes), m.Discount*p)
				}
			}
		}
		return m.Reward[u/c.Nodes][s]
	}
	for i := range size {
		s, o, node := i/c.Nodes/no, i/c.Nodes%no, i%c.Nodes
		a.Set(i, i, 1)
		reachable := false // o, at s
		for action := range m.Actions {
			reachable = reachable || pomdptest.At(m.Sense[action], s, o) > 0
		}
		for u := 0; reachable && u < c.Plans(); u++ {
			w := c.At(node, s/m.NumHidden(), o)[u]
			b.SetVec(i, b.AtVec(i)+w*ahead(s, u, func(j int, p float64) { a.Set(i, j, a.At(i, j)-w*p) }))
		}
	}
	var v mat.VecDense
	if err := v.SolveVec(a, b); err != nil {
		return nil, 0
	}
	for s := range n {
		row := make([]float64, c.Plans())
		for u := range row {
			row[u] += ahead(s, u, func(j int, p float64) { row[u] += p * v.AtVec(j) })
		}
		plans = append(plans, row)
	}
	for _, e := range m.Start {
		first := c.At(0, int(e.At)/m.NumHidden(), no)
		for u, w := range first {
			earns += e.Value * w * plans[e.At][u]
		}
	}
	return plans, earns
}

// reached returns the states that the start may lead to.
func reached(m *pomdp.Model) []bool {
	in := make([]bool, m.NumStates())
	for _, e := range m.Start {
		in[e.At] = true
	}
	for range in {
		for s := range in {
			for a := range m.Actions {
				to, _ := m.Move[a].At(s)
				for _, next := range to {
					in[next] = in[next] || in[s]
				}
			}
		}
	}
	return in
}

// TestDraw: vectors of controllers are below what their plans are worth, and near that, by linear equations over states, nodes and what is seen;
// and a memoryless policy that has climbed earns no less than the uniform one that it began with.
func TestDraw(t *testing.T) {
	kinds := map[string]func(m *pomdp.Model) *pomdp.Model{
		"discount": func(m *pomdp.Model) *pomdp.Model { return m },
		"earns":    func(m *pomdp.Model) *pomdp.Model { return leaking(m, func(r float64) float64 { return max(0, r) }) },
		"costs": func(m *pomdp.Model) *pomdp.Model {
			return leaking(m, func(r float64) float64 { return -1 - max(0, r) })
		},
		"mixed": func(m *pomdp.Model) *pomdp.Model { return leaking(m, func(r float64) float64 { return r }) },
	}
	for name, kind := range kinds {
		compared := 0
		for seed := range uint64(40) {
			rng := rand.New(rand.NewPCG(seed, 7))
			m := kind(pomdptest.Random(rng, 1+rng.IntN(2), 1+rng.IntN(3), .8))
			set, err := New(t.Context(), "test", m, 1, true)
			if err != nil {
				continue // it is without a Goal
			}
			known := len(set.gamma[0].list)
			for range set.Draw(t.Context(), 1, func() (lower, upper float64) { return -1e3, -1e3 }) {
				if list := set.gamma[0].list; len(list) > known {
					known = len(list)
					compared += compareDrawn(t, set, list[known-1])
				}
			}
			if t.Failed() {
				t.Fatalf("%s, seed %d", name, seed)
			}
		}
		if compared < 1000 {
			t.Errorf("%s: %d values were compared", name, compared)
		}
	}
}

// compareDrawn compares the vectors that were drawn together with v, and returns how many numbers these are.
func compareDrawn(t *testing.T, set *VectorSet, v *Vector) (compared int) {
	c := v.draws
	plans, earns := plansOf(set.Model, c)
	_, uniform := plansOf(set.Model, set.drawn(1).Uniform())
	if c.Nodes == 1 && earns < uniform-1e-6 {
		t.Errorf("a memoryless policy earns %v, uniform actions %v", earns, uniform)
	}
	in := reached(set.Model)
	for i, u := range v.next {
		for y, value := range u.value {
			s := int(u.x)*set.NY + y
			if plans == nil || !in[s] {
				continue
			}
			compared++
			if want := plans[s][i%c.Plans()]; value > want+1e-9 || value < want-1e-3 {
				t.Errorf("%d nodes, x %d, y %d, plan %d: %v, want %v", c.Nodes, u.x, y, i%c.Plans(), value, want)
			}
		}
	}
	return compared
}

// TestDrawNearOne: where the agent sees the state, and one action of four pays 1 in each, climbing finds that action whatever the discount.
func TestDrawNearOne(t *testing.T) {
	for _, rate := range []float64{1e-1, 1e-3, 1e-5} {
		for seed := range uint64(2) {
			rng := rand.New(rand.NewPCG(seed, 5))
			m := pomdptest.New(4, 1, 4, 1, 1-rate, []float64{1, 0, 0, 0})
			for a := range 4 {
				var move [][]float64
				reward := make([]float64, 4)
				for range 4 {
					move = append(move, pomdptest.Row(rng, 4, 0))
				}
				reward[a] = 1
				pomdptest.Append(m, move, [][]float64{{1}, {1}, {1}, {1}}, reward)
			}
			set, err := New(t.Context(), "test", m, 1, true)
			if err != nil {
				t.Fatal(err)
			}
			at := set.Starts()[0]
			earns := func() float64 { return set.NewPoint(at.X, at.Belief, Best{Lower: math.Inf(-1)}).Lower * rate }
			for range set.Draw(t.Context(), 1, func() (lower, upper float64) { return earns() / rate, 1 / rate }) {
			}
			if got := earns(); got < .99 {
				t.Errorf("1 − γ = %v, seed %d: %v of the optimum", rate, seed, got)
			}
		}
	}
}

// TestDrawWide: the work that Draw counts grows with the observations, of which a controller has as many rows, and where these are too many, there is none.
func TestDrawWide(t *testing.T) {
	work := func(observations int) (sum float64) {
		m := pomdptest.New(1, 2, 2, observations, .9, []float64{.5, .5})
		even := slices.Repeat([]float64{1 / float64(observations)}, observations)
		for a := range 2 {
			pomdptest.Append(m, [][]float64{{1, 0}, {0, 1}}, [][]float64{even, even}, []float64{float64(a), 1 - float64(a)})
		}
		set, err := New(t.Context(), "test", m, 1, true)
		if err != nil {
			t.Fatal(err)
		}
		for step := range set.Draw(t.Context(), 1, func() (lower, upper float64) { return 0, 10 }) {
			return step.Work
		}
		return 0
	}
	if few, many, most := work(10), work(10_000), work(1_000_000); many < 500*few || most > 0 {
		t.Errorf("work of the first step: %v with 10 observations, %v with 10,000, %v with a million", few, many, most)
	}
}

// TestDrawPrices: a step counts as far less where the controller earns more than what is known than where nothing that it may earn would be new.
func TestDrawPrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 20 {
		m := pomdptest.Random(rng, 2, 4, .95)
		first := func(lower float64) (work float64) {
			set, err := New(t.Context(), "test", m, 1, true)
			if err != nil {
				t.Fatal(err)
			}
			steps := 0
			for step := range set.Draw(t.Context(), 1, func() (float64, float64) { return lower, lower + 1 }) {
				if steps++; steps == 2 { // after the values of the first controller
					return step.Work
				}
			}
			return 0
		}
		if leads, vain := first(-1e6), first(1e6); leads == 0 || leads > vain/8 {
			t.Errorf("the first step counts as %v while the controller leads and as %v while it does not", leads, vain)
		}
	}
}
