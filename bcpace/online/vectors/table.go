package vectors

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/online/tree"
	"bayescpace/bcpace/solverkit"
)

// GuessTable has what some policies earn that do not see the hidden vector, by the state and hidden vector from which they begin, in a
// model that has few of both: each action always, and the plan that DESPOT finds for the first decision of an episode, which begins anew
// where its tree ends. The mean over a belief bounds the value of the belief from below, but for the luck of the episodes that are played.
//
// Where to act well is to look first, an action always earns so little that a search puts off what pays, as that has such a
// value behind it. And what is simulated at each leaf takes nearly all of the time, with the luck of few episodes in it.
//
// Episodes from a place are played when it is first asked for, as a model need not know what follows a state that is never
// reached. Their random numbers are those of the place, so that a GuessTable is the same for any number of goroutines, which may share it.
type GuessTable struct {
	model    *hidden.Model
	steps    int // most
	least    []float64
	size     []int // numbers of the axes, those of the state first
	places   int
	policies []policy
	playing  sync.Mutex
}

// policy is one of a Table.
type policy struct {
	first int                                    // its only action, or that at the start
	begin func() func(s []float64, step int) int // returns what it does at a state, after so many steps, in one episode after the other
	value []atomic.Pointer[[]float64]            // by place: what it earns in 0, 1, … steps; nil before that is asked for
}

const (
	mostPlaces    = 128
	mostSteps     = 1000
	tableEpisodes = 1 << 13 // of a policy, from all places together
	tableDraws    = 100     // of a belief that is no list of points
	planScenarios = 500
	planTrials    = 200
	planLeast     = 10 // scenarios of a node by which it acts
	planRounds    = 2
)

// NewTable returns the table for simulations of so many steps, 0 for the default. It is nil where the model says itself how to play on
// (Rollout) or what is earned (Bounds), has more states and hidden vectors, or actions with a Box, and for more than 1000 steps. The error is that of the model.
func NewTable(m *hidden.Model, depth int) (t *GuessTable, err error) {
	if m.Validate() != nil || depth < 0 || m.Rollout != nil || m.Bounds != nil || m.Spec.HasBox() {
		return nil, nil // what is not valid is said by New
	}
	t = &GuessTable{model: Guarded(m), steps: depth, places: 1}
	if depth == 0 {
		t.steps = solverkit.SearchDepth(m.Spec.Spec)
	}
	if t.steps > mostSteps {
		return nil, nil
	}
	for _, a := range slices.Concat(m.Spec.Axes, m.Spec.Hidden) {
		n := a.Max - a.Min + 1
		if !a.Whole() || n*float64(t.places) > mostPlaces {
			return nil, nil
		}
		t.least, t.size = append(t.least, a.Min), append(t.size, int(n))
		t.places *= int(n)
	}
	defer m.Spec.Guard(&err, "a simulation from the start", nil, -1, -1)
	for a := range m.Spec.Actions {
		t.add(a, func() func([]float64, int) int { return func([]float64, int) int { return a } })
	}
	for range planRounds {
		if err := t.plan(); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// add adds a policy.
func (t *GuessTable) add(first int, begin func() func(s []float64, step int) int) {
	t.policies = append(t.policies, policy{first, begin, make([]atomic.Pointer[[]float64], t.places)})
}

// plan adds the plan of the first decision.
func (t *GuessTable) plan() error {
	m, rng := t.model, rand.New(rand.NewPCG(uint64(len(t.policies)), 0))
	s, x := make([]float64, len(m.Spec.Axes)), make([]float64, len(m.Spec.Hidden))
	m.DrawStart(s, x, rng)
	b, err := hidden.DefaultFilter(m).Begin(m, s, rng)
	if err != nil {
		return nil // a decision will say it
	}
	w := NewScenarios(m, t, planScenarios, t.steps, 0, false)
	w.Root(s, b)
	for range planTrials {
		if more, err := w.Simulate(context.Background(), rng); err != nil {
			return err
		} else if !more {
			break
		}
	}
	t.add(w.Best(0), func() func([]float64, int) int { return (&follower{tree: w.Despot}).act })
	for place := range t.places {
		if t.policies[0].value[place].Load() != nil { // decisions will ask for it
			t.of(len(t.policies)-1, place, 0)
		}
	}
	return nil
}

// place returns the number of a state and hidden vector.
func (t *GuessTable) place(s, x []float64) (place int) {
	for i, n := range t.size {
		v := 0.0
		if i < len(s) {
			v = s[i]
		} else {
			v = x[i-len(s)]
		}
		place = place*n + min(max(int(v-t.least[i]), 0), n-1) // a fault of the model is said where its steps are checked
	}
	return place
}

// at sets a state and hidden vector to those of a number.
func (t *GuessTable) at(s, x []float64, place int) {
	for i := len(t.size) - 1; i >= 0; i-- {
		v := t.least[i] + float64(place%t.size[i])
		if place /= t.size[i]; i < len(s) {
			s[i] = v
		} else {
			x[i-len(s)] = v
		}
	}
}

// of returns what a policy earns from a place on in so many steps.
func (t *GuessTable) of(policy, place, steps int) float64 {
	at := &t.policies[policy].value[place]
	row := at.Load()
	if row == nil {
		t.playing.Lock()
		defer t.playing.Unlock()
		if row = at.Load(); row == nil {
			row = t.play(policy, place)
			at.Store(row)
		}
	}
	return (*row)[min(steps, t.steps)]
}

// play plays a policy from a place on.
func (t *GuessTable) play(policy, place int) *[]float64 {
	m, row, episodes := t.model, make([]float64, t.steps+1), tableEpisodes/t.places
	act, rng := t.policies[policy].begin(), rand.New(rand.NewPCG(uint64(policy), uint64(place)))
	axes, dim := len(m.Spec.Axes), len(m.Spec.Hidden)
	s, next, x, xTo := make([]float64, axes), make([]float64, axes), make([]float64, dim), make([]float64, dim)
	for range episodes {
		t.at(s, x, place)
		earned, weight, done := 0.0, 1/float64(episodes), false
		for step := range t.steps {
			if !done {
				out := m.Step(next, xTo, s, x, act(s, step), rng)
				earned += weight * out.Reward
				weight *= m.Spec.Discount
				done = out.Done
				s, next, x, xTo = next, s, xTo, x
			}
			row[step+1] += earned
		}
	}
	return &row
}

// best returns what the policy earns that earns most for points at state s in so many steps, and its number.
func (t *GuessTable) best(s []float64, at WeightedVectors, steps int) (top float64, policy int) {
	return num.Largest(len(t.policies), func(p int) (sum float64) {
		for i := range at.Len() {
			if x, w := at.At(i); w > 0 {
				sum += w * t.of(p, t.place(s, x), steps)
			}
		}
		return sum
	})
}

// follower follows the tree of a plan.
type follower struct {
	tree   *tree.Despot
	node   int32
	action int
}

// act returns the action at state s, after so many steps since the plan began.
func (f *follower) act(s []float64, step int) (action int) {
	if step == 0 {
		f.node = 0
	} else {
		f.node = f.after(s)
	}
	f.action = f.tree.Best(f.node)
	return f.action
}

// after returns the node that follows the last action by state s, or the root where the tree ends.
func (f *follower) after(s []float64) int32 {
	from := f.tree.Nodes[f.node].First
	if from == tree.None {
		return 0
	}
	e := f.tree.Edges[from+int32(f.action)]
	for n := e.First; n < e.First+e.Children; n++ {
		if slices.Equal(f.tree.State(n), s) && f.tree.Nodes[n].First != tree.None && f.tree.Count(n) >= planLeast {
			return n
		}
	}
	return 0
}

// draws are points of equal weight.
type draws struct {
	x   []float64
	dim int
}

func drawn(b hidden.Belief, n, dim int, rng *rand.Rand) draws {
	d := draws{make([]float64, n*dim), dim}
	Draws(d.x, n, b, rng)
	return d
}

// Len implements Points.
func (d draws) Len() int { return len(d.x) / d.dim }

// At implements Points.
func (d draws) At(i int) (x []float64, weight float64) {
	return d.x[i*d.dim : (i+1)*d.dim], float64(d.dim) / float64(len(d.x))
}

// Stream implements Points.
func (d draws) Stream(int, int) *rand.Rand { return nil }

// Scenarios is DESPOT for a hidden vector: an online.Search in a tree of what K scenarios can lead to.
type Scenarios struct {
	*tree.Despot
	world *scenarios
}

// NewScenarios returns the search with so many scenarios in a tree of that depth, with price λ. With random, a policy that draws each
// action is the default policy. table may be nil.
func NewScenarios(m *hidden.Model, table *GuessTable, number, depth int, price float64, random bool) *Scenarios {
	pcg := rand.NewPCG(0, 0)
	w := &scenarios{model: m, leaves: NewLeaves(m, table, depth), depth: depth, random: random, roots: make([]tree.Scenario, number),
		next: make([]float64, len(m.Spec.Axes)), xTo: make([]float64, len(m.Spec.Hidden)), pcg: pcg, rng: rand.New(pcg)}
	for k := range w.roots {
		w.roots[k] = tree.Scenario{Number: int32(k), Hidden: int32(k)}
	}
	w.at.world = w
	return &Scenarios{tree.NewDespot(m.Spec.Spec, w, depth, price), w}
}

// Root implements online.Search.
func (w *Scenarios) Root(s []float64, b hidden.Belief) {
	w.world.belief = b
	w.Reset(s)
}

// scenarios are the tree.ScenarioWorld of Scenarios: what is hidden in a scenario is the row of a vector in x.
type scenarios struct {
	model  *hidden.Model
	leaves *Leaves
	depth  int
	random bool // the default policy

	belief    hidden.Belief
	roots     []tree.Scenario
	x         []float64
	next, xTo []float64 // room
	at        points    // room
	pcg       *rand.PCG
	rng       *rand.Rand
	seed      uint64
}

// Draw implements tree.ScenarioWorld.
func (w *scenarios) Draw(ctx context.Context, s []float64, rng *rand.Rand) ([]tree.Scenario, error) {
	w.seed = rng.Uint64()
	n := len(w.roots)
	w.x = slices.Grow(w.x[:0], n*len(w.xTo))[:n*len(w.xTo)]
	Draws(w.x, n, w.belief, rng)
	return w.roots, w.leaves.Begin(ctx, s, w.of(w.roots, 0), w.depth, rng)
}

// maxNumbers bounds the hidden vectors of a decision, about 200 megabytes; one that comes to it ends.
const maxNumbers = 1 << 24

// Full implements tree.ScenarioWorld.
func (w *scenarios) Full() bool { return len(w.x) > maxNumbers }

// vector returns the hidden vector of a scenario, a view that holds until one is added.
func (w *scenarios) vector(k tree.Scenario) []float64 {
	dim := len(w.xTo)
	return w.x[int(k.Hidden)*dim : int(k.Hidden+1)*dim : int(k.Hidden+1)*dim]
}

// Step implements tree.ScenarioWorld.
func (w *scenarios) Step(s []float64, k tree.Scenario, depth, action int) (next []float64, out bcpace.Outcome, hidden int32) {
	out = w.model.Step(w.next, w.xTo, s, w.vector(k), action, w.stream(k, depth))
	w.x = append(w.x, w.xTo...)
	return w.next, out, int32(len(w.x)/len(w.xTo)) - 1
}

// stream returns the random numbers of a scenario at a depth.
func (w *scenarios) stream(k tree.Scenario, depth int) *rand.Rand {
	w.pcg.Seed(w.seed^uint64(k.Number), uint64(depth))
	return w.rng
}

// Leaf implements tree.ScenarioWorld.
func (w *scenarios) Leaf(ctx context.Context, s []float64, at []tree.Scenario, depth int) (base float64, action int, upper float64, err error) {
	p := w.of(at, depth)
	base, upper, told, err := w.leaves.Of(s, p)
	switch {
	case err != nil:
	case w.random && base < upper:
		base, err = w.leaves.Randomly(ctx, s, p, w.depth-depth)
		action = w.leaves.Blind
	case depth == 0 || !told:
		base, action, err = w.leaves.Earned(ctx, s, p, w.depth-depth)
	}
	return base, action, upper, err
}

// points are the hidden vectors of scenarios at a depth, of equal weight.
type points struct {
	world *scenarios
	at    []tree.Scenario
	depth int
}

func (w *scenarios) of(at []tree.Scenario, depth int) *points {
	w.at.at, w.at.depth = at, depth
	return &w.at
}

// Len implements Points.
func (p *points) Len() int { return len(p.at) }

// At implements Points.
func (p *points) At(i int) (x []float64, weight float64) {
	return p.world.vector(p.at[i]), 1 / float64(len(p.at))
}

// Stream implements Points.
func (p *points) Stream(i, step int) *rand.Rand { return p.world.stream(p.at[i], p.depth+step) }
