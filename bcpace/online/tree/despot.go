package tree

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online"
)

// Scenario is one at a node: its number, and what is hidden there, by a number that the World gives it.
type Scenario struct{ Number, Hidden int32 }

// ScenarioWorld draws scenarios and plays them: the random numbers of a step are those of the scenario and the depth.
type ScenarioWorld interface {
	// Draw draws the scenarios of a decision at a state, a view that holds until the next call. The error may be that of ctx.
	Draw(ctx context.Context, s []float64, rng *rand.Rand) ([]Scenario, error)
	// Step takes an action in a scenario that is at state s. next is a view that holds until the next call.
	Step(s []float64, k Scenario, depth, action int) (next []float64, out bcpace.Outcome, hidden int32)
	// Leaf returns the mean of what a default policy earns in the scenarios of a leaf from a depth on, the
	// action that it takes first, and a mean upper bound. The error may be that of ctx.
	Leaf(ctx context.Context, s []float64, at []Scenario, depth int) (base float64, action int, upper float64, err error)
	// Full reports whether the decision has taken all the memory that it may.
	Full() bool
}

// Despot is the tree of what K scenarios can lead to. A node has the scenarios whose states agree so
// far: Scenarios[from : from+count].
type Despot struct {
	Trials
	spec  bcpace.Spec
	world ScenarioWorld
	depth int // of the tree
	root  []float64
	k     int // scenarios; 0 before they are drawn

	scenarios   []Scenario
	from, count []int32   // by node
	states      []float64 // by node

	// Of the edge that is expanded: by scenario, its child and its hidden number there; and by child,
	// the number of its scenarios.
	child, moved, counts []int32
}

// NewDespot returns an empty tree of so many steps with price λ.
func NewDespot(spec bcpace.Spec, world ScenarioWorld, depth int, price float64) *Despot {
	return &Despot{Trials: Trials{Actions: len(spec.Actions), Price: price}, spec: spec, world: world, depth: depth, root: make([]float64, len(spec.Axes))}
}

// Reset begins a decision at state s. Every decision has scenarios of its own.
func (d *Despot) Reset(s []float64) {
	copy(d.root, s)
	d.clear()
}

// clear removes all nodes and scenarios.
func (d *Despot) clear() {
	d.Trials.Clear()
	d.scenarios, d.from, d.count, d.states, d.k = d.scenarios[:0], d.from[:0], d.count[:0], d.states[:0], 0
}

// Begin draws the scenarios and adds the root, with all of them. The error may be that of ctx.
func (d *Despot) Begin(ctx context.Context, rng *rand.Rand) error {
	d.clear()
	scenarios, err := d.world.Draw(ctx, d.root, rng)
	if err != nil {
		return err
	}
	d.k = len(scenarios)
	d.scenarios, d.states = append(d.scenarios, scenarios...), append(d.states, d.root...)
	if err := d.addNode(ctx, TrialNode{Edge: None}, 0, int32(d.k)); err != nil {
		d.clear()
		return err
	}
	return nil
}

// State returns the state of a node, a view that holds until one is added.
func (d *Despot) State(n int32) []float64 {
	k := len(d.spec.Axes)
	return d.states[int(n)*k : int(n+1)*k : int(n+1)*k]
}

// At returns the scenarios of a node, a view that holds until one is added.
func (d *Despot) At(n int32) []Scenario { return d.scenarios[d.from[n] : d.from[n]+d.count[n]] }

// Count returns the number of scenarios of a node.
func (d *Despot) Count(n int32) int { return int(d.count[n]) }

// weight returns that of a node with so many scenarios.
func (d *Despot) weight(depth int32, count int) float64 {
	return math.Pow(d.spec.Discount, float64(depth)) * float64(count) / float64(d.k)
}

// Weight returns γ^Depth·Share of a node.
func (d *Despot) Weight(n int32) float64 { return d.weight(d.Nodes[n].Depth, d.Count(n)) }

// addNode adds a leaf, whose state and scenarios are there. The error may be that of ctx.
func (d *Despot) addNode(ctx context.Context, n TrialNode, from, count int32) error {
	number := int32(len(d.Nodes))
	s, at := d.State(number), d.scenarios[from:from+count]
	base, action, upper, err := d.world.Leaf(ctx, s, at, int(n.Depth))
	if err != nil {
		return err
	}
	d.from, d.count = append(d.from, from), append(d.count, count)
	n.Share, n.Action = float64(count)/float64(d.k), int32(action)
	d.AddLeaf(n, d.weight(n.Depth, int(count)), base, upper, int(n.Depth) >= d.depth)
	return nil
}

// Simulate implements online.Search: a trial, before the first of which the scenarios are drawn. Where ctx ends, the leaf that was
// expanded is left as it was.
func (d *Despot) Simulate(ctx context.Context, rng *rand.Rand) (more bool, err error) {
	if d.k == 0 {
		if err := d.Begin(ctx, rng); err != nil {
			return false, err
		}
	}
	if d.world.Full() {
		return false, nil
	}
	return d.Trial(func(n int32) error {
		nodes, scenarios := len(d.Nodes), len(d.scenarios)
		for a := range d.spec.Actions {
			if err := d.addEdge(ctx, n, a); err != nil {
				d.scenarios, d.from, d.count, d.states = d.scenarios[:scenarios], d.from[:nodes], d.count[:nodes], d.states[:nodes*len(d.spec.Axes)]
				return err
			}
		}
		return nil
	})
}

// addEdge plays the scenarios of a node for one step, and adds the nodes that they come to.
func (d *Despot) addEdge(ctx context.Context, n int32, action int) error {
	depth, from, count := d.Nodes[n].Depth, d.from[n], d.count[n]
	e := TrialEdge{Node: n, First: int32(len(d.Nodes))}
	d.child, d.moved, d.counts = d.child[:0], d.moved[:0], d.counts[:0]
	sum := 0.0
	for i, k := range d.scenarios[from : from+count] {
		if err := online.Glance(ctx, i); err != nil {
			return err
		}
		next, out, hidden := d.world.Step(d.State(n), k, int(depth), action)
		sum += out.Reward
		child := int32(None)
		for c := range d.counts {
			if slices.Equal(d.State(e.First+int32(c)), next) {
				child = int32(c)
				break
			}
		}
		if child == None || !d.spec.AllowsReward(out.Reward) {
			if err := d.spec.CheckOutcome(out, next, d.State(n), action, int(k.Hidden)); err != nil {
				return err
			}
		}
		switch {
		case out.Done:
			child = None
		case child == None:
			child = int32(len(d.counts))
			d.counts, d.states = append(d.counts, 0), append(d.states, next...)
		}
		if child != None {
			d.counts[child]++
		}
		d.child, d.moved = append(d.child, child), append(d.moved, hidden)
	}
	weight := math.Pow(d.spec.Discount, float64(depth)) / float64(d.k)
	e.Reward, e.Children = weight*sum-d.Price, int32(len(d.counts))
	number := int32(len(d.Edges))
	d.Edges = append(d.Edges, e)
	for c, count := range d.counts {
		first := int32(len(d.scenarios))
		for i, child := range d.child {
			if child == int32(c) {
				d.scenarios = append(d.scenarios, Scenario{d.scenarios[from+int32(i)].Number, d.moved[i]})
			}
		}
		if err := d.addNode(ctx, TrialNode{Edge: number, Depth: depth + 1}, first, count); err != nil {
			return err
		}
	}
	return nil
}
