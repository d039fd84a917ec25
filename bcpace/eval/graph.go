package eval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/internal/rollout"
	"bayescpace/bcpace/internal/sparse"
	"bayescpace/bcpace/solverkit"
)

// Quantum is the width to which belief entries are rounded to tell beliefs
// apart: two that round alike, and so differ by at most Quantum in each entry,
// are one node, that of the first one met. A value V(s,·) has Lipschitz constant
// ½(Vmax−Vmin) in the L1 distance, so merging b with b' moves a value by at most
// ½(Vmax−Vmin)·‖b−b'‖₁, for which Exact.Error accounts.
const Quantum = 1e-10

// ReachOptions are the options of Reach. The zero value of every field is useful.
type ReachOptions struct {
	// Depth is the number of steps after the start within which nodes are
	// listed. If it is 0, all that can ever be reached are.
	Depth int
	// MaxNodes is the most nodes allowed. If it is 0, 1,000,000 is used.
	MaxNodes int
	// State and Belief are where to start from. If State is nil, it is the model's
	// start, with every start state that has a positive probability. Belief is
	// the belief at State, and without State the one before the start state is
	// seen; if it is nil, it is the model's prior.
	State  []float64
	Belief bcpace.Belief
	// Policy, if set, leaves out what it never does: after the first step, in
	// which it may take any action, only its actions are followed.
	Policy bcpace.Policy
}

const defaultMaxNodes = 1_000_000

// Graph lists the (state, belief) nodes that can be reached in a finite model
// and the transitions between them, in flat arrays. Nodes stand in the order
// in which a breadth-first search meets them, so their depths never fall.
type Graph struct {
	// Starts are the nodes of the start and their probabilities.
	Starts    []int32
	StartProb []float64

	States  []int32   // n: number of the state in the model
	Beliefs []float64 // n × latents
	Depth   []int32   // n: fewest steps from a start

	// Expanded is the number of nodes, from the first on, whose transitions are listed:
	// all nodes but those at the last depth. If it is the number of all nodes, the graph
	// is closed.
	Expanded int
	// Row, of expanded × actions + 1, delimits the transitions of node n under
	// action a in To and Prob: Row[n·actions+a] to Row[n·actions+a+1]. They leave out
	// the transitions that end the episode, so their probabilities may sum to less
	// than 1.
	Row  []int
	To   []int32
	Prob []float64
	// Reward is the expected reward of each row.
	Reward []float64
	// Act is the action of Options.Policy at each expanded node, nil without a
	// policy. Rows of other actions are empty but for the start nodes'.
	Act []int32
	// Merged is the largest ‖b−b'‖₁ of two beliefs that share a node, at most Quantum ×
	// latents; 0 if every node is exact.
	Merged float64

	axes, latents, actions int
	model                  bcpace.Finite
	index                  sparse.HashIndex
}

// Len returns the number of nodes.
func (g *Graph) Len() int { return len(g.States) }

// Belief returns the belief of a node, a view.
func (g *Graph) Belief(node int) bcpace.Belief {
	return g.Beliefs[node*g.latents : (node+1)*g.latents : (node+1)*g.latents]
}

// State fills s with the state of a node.
func (g *Graph) State(s []float64, node int) { g.model.StateAt(s, int(g.States[node])) }

// Node returns the node of (s, b), or -1 where it is not in the graph.
func (g *Graph) Node(s []float64, b bcpace.Belief) int {
	if i := g.model.StateIndex(s); i >= 0 && len(b) == g.latents {
		n, _ := g.find(int32(i), b)
		return int(n)
	}
	return -1
}

// LimitError reports a graph with more nodes than allowed.
type LimitError struct {
	Model string
	Limit int // nodes allowed
	Depth int // steps from the start at which they were used up
	Want  int // steps asked for, or 0 for all
}

func (e *LimitError) Error() string {
	want := "without a horizon"
	if e.Want > 0 {
		want = fmt.Sprintf("of %d asked for", e.Want)
	}
	return fmt.Sprintf("model %q reaches more than %d states and beliefs within %d steps, %s: "+
		"raise MaxNodes, shorten the horizon, or estimate by Rollouts", e.Model, e.Limit, e.Depth, want)
}

// Reach lists the nodes that can be reached in m. The error is the context's; a
// *bcpace.UnsupportedError where m is not Finite or the policy randomises; a
// *LimitError for too many nodes; an *bcpace.InputError for a bad option; or a
// *bcpace.ConformanceError for successors that are not a distribution.
func Reach(ctx context.Context, m bcpace.Model, o ReachOptions) (*Graph, error) {
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	spec := m.Spec()
	f, ok := bcpace.AsFinite(m)
	if !ok {
		return nil, &bcpace.UnsupportedError{Model: spec.Name, Algorithm: "exact evaluation",
			Need: solverkit.NeedNumbered(m) + "; Rollouts estimates by simulation"}
	}
	if o.Depth < 0 || o.Depth > num.MaxHorizon || o.MaxNodes < 0 {
		return nil, bcpace.In("reachable graph").Bad("Depth, MaxNodes", fmt.Sprintf("%d, %d", o.Depth, o.MaxNodes),
			fmt.Sprintf("numbers of steps, up to %d, and of nodes, or 0 for the defaults", num.MaxHorizon))
	}
	if o.Policy != nil {
		if err := memoryless(o.Policy, "reachable graph"); err != nil {
			return nil, err
		}
	}
	o.MaxNodes = cmp.Or(o.MaxNodes, defaultMaxNodes)
	o.MaxNodes = min(o.MaxNodes, math.MaxInt32/2)
	g := &Graph{axes: len(spec.Axes), latents: len(spec.Latents), actions: len(spec.Actions), model: f, Row: make([]int, 1)}
	e := expander{graph: g, spec: spec, options: o, listed: make(map[int]*bcpace.Lister), lister: bcpace.NewLister(f), state: make([]float64, g.axes), next: make(bcpace.Belief, g.latents)}
	if err := e.start(); err != nil {
		return nil, err
	}
	if err := e.expand(ctx); err != nil {
		return nil, err
	}
	return g, nil
}

// expander grows a graph.
type expander struct {
	graph   *Graph
	spec    bcpace.Spec
	options ReachOptions
	lister  *bcpace.Lister
	// listed has, by state·actions + action, what follows where it was asked for twice,
	// and nil where it was once; of maxListed of them.
	listed map[int]*bcpace.Lister
	state  []float64
	next   bcpace.Belief
}

// start interns the start nodes.
func (e *expander) start() error {
	g, o := e.graph, e.options
	prior := make(bcpace.Belief, g.latents)
	g.model.Prior(prior)
	if o.Belief != nil {
		if err := checkBelief(o.Belief, e.spec); err != nil {
			return err
		}
		copy(prior, o.Belief)
	}
	if o.State != nil {
		i := -1
		if len(o.State) == g.axes {
			i = g.model.StateIndex(o.State)
		}
		if i < 0 {
			return bcpace.In("reachable graph").Bad("State", o.State, "a state of model "+e.spec.Name)
		}
		g.Starts, g.StartProb = []int32{g.intern(int32(i), prior, 0)}, []float64{1}
		return nil
	}
	// The joint mass b(φ)·P0(s|φ) gives the probability of s and the belief
	// that its sight leaves.
	var z bcpace.Successors
	if err := z.ListStarts(g.model); err != nil {
		return err
	}
	total := 0.0
	for i := range z.Len() {
		s, prob, _ := z.Row(i)
		p := prior.Posterior(e.next, prob)
		if p == 0 {
			continue
		}
		total += p
		number := g.model.StateIndex(s)
		if number < 0 {
			return e.spec.Fault(nil, -1, -1, "Starts lists %v, which is no state of the model", s)
		}
		node := g.intern(int32(number), e.next, 0)
		if int(node) == len(g.Starts) {
			g.Starts, g.StartProb = append(g.Starts, node), append(g.StartProb, 0)
		}
		g.StartProb[node] += p
	}
	if !(math.Abs(total-1) <= sumTolerance) {
		return e.spec.Fault(nil, -1, -1, "the probabilities of Starts sum to %v, want 1", total)
	}
	return nil
}

// sumTolerance is how far the sum of probabilities may be from 1.
const sumTolerance = 1e-9

// expand lists the transitions of one node after the other until none is left
// or the last depth is reached.
func (e *expander) expand(ctx context.Context) error {
	g, o := e.graph, e.options
	draws := &drawCounter{}
	rng := rand.New(draws)
	starts := len(g.Starts)
	can := bcpace.PolicyAbilitiesOf(o.Policy)
	for n := 0; n < g.Len(); n++ {
		if o.Depth > 0 && int(g.Depth[n]) >= o.Depth {
			break
		}
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		g.State(e.state, n)
		act := -1
		if o.Policy != nil {
			var err error
			if act, err = e.spec.Act(ctx, &can, e.state, g.Belief(n), rng); err != nil {
				if rollout.EndedBy(ctx, err) {
					return ctx.Err()
				}
				return err
			}
			if draws.n > 0 {
				return &bcpace.UnsupportedError{Model: e.spec.Name, Algorithm: "exact evaluation",
					Need: "a policy that does not randomise; Rollouts estimates by simulation"}
			}
			g.Act = append(g.Act, int32(act))
		}
		for a := range g.actions {
			if act < 0 || a == act || n < starts {
				if err := e.follow(n, a); err != nil {
					return err
				}
			} else {
				g.Reward = append(g.Reward, 0)
			}
			g.Row = append(g.Row, len(g.To))
		}
		g.Expanded++
	}
	return nil
}

// maxListed is how many lists of successors are kept, as many nodes have the same
// state: some megabytes for most models.
const maxListed = 1 << 12

// list returns what follows the state of a node under an action.
func (e *expander) list(n, action int) (*bcpace.Lister, error) {
	row := int(e.graph.States[n])*e.graph.actions + action
	l, again := e.listed[row]
	if l != nil {
		return l, nil
	}
	if err := e.lister.List(e.state, action); err != nil {
		return nil, err
	}
	switch {
	case again:
		e.listed[row] = e.lister.Clone()
	case len(e.listed) < maxListed:
		e.listed[row] = nil
	}
	return e.lister, nil
}

// follow appends the transitions of a node under an action.
func (e *expander) follow(n, action int) error {
	g := e.graph
	l, err := e.list(n, action)
	if err != nil {
		return err
	}
	total, reward := 0.0, 0.0
	for i, done := range l.Successors.Done {
		b := g.Belief(n)
		p := l.Update(e.next, b, i)
		if p == 0 {
			continue
		}
		total += p
		_, prob, rewards := l.Successors.Row(i)
		for latent, x := range b {
			if w := x * prob[latent]; w > 0 {
				reward += w * rewards[latent]
			}
		}
		if done {
			continue
		}
		number, err := l.Number(i)
		if err != nil {
			return err
		}
		node := g.intern(int32(number), e.next, g.Depth[n]+1)
		if g.Len() > e.options.MaxNodes {
			return &LimitError{Model: e.spec.Name, Limit: e.options.MaxNodes, Depth: int(g.Depth[node]), Want: e.options.Depth}
		}
		g.To, g.Prob = append(g.To, node), append(g.Prob, p)
	}
	if !(math.Abs(total-1) <= sumTolerance) {
		return e.spec.Fault(e.state, action, -1, "the probabilities of Successors sum to %v at belief %.4g, want 1", total, []float64(g.Belief(n)))
	}
	g.Reward = append(g.Reward, reward)
	return nil
}

// intern returns the node of (state, b), which it adds at the given depth where
// it is new.
func (g *Graph) intern(state int32, b bcpace.Belief, depth int32) int32 {
	n, hash := g.find(state, b)
	if n >= 0 {
		g.Merged = max(g.Merged, b.L1(g.Belief(int(n))))
		return n
	}
	g.States = append(g.States, state)
	g.Beliefs = append(g.Beliefs, b...)
	g.Depth = append(g.Depth, depth)
	return g.index.Add(hash)
}

// find returns the node of (state, b), or -1, and its hash.
func (g *Graph) find(state int32, b bcpace.Belief) (node int32, hash uint64) {
	hash = sparse.Mixed(0, uint64(state))
	for _, p := range b {
		hash = sparse.Mixed(hash, uint64(quantise(p)))
	}
	return g.index.Find(hash, func(n int32) bool {
		return g.States[n] == state && slices.EqualFunc(g.Belief(int(n)), b, func(x, y float64) bool { return quantise(x) == quantise(y) })
	}), hash
}

func quantise(p float64) int64 { return int64(math.Round(p * (1 / Quantum))) }

// drawCounter is a random source that counts its uses. What it gives must look
// random all the same, as a policy may reject draws until one suits.
type drawCounter struct {
	rand.PCG
	n int
}

// Uint64 implements rand.Source.
func (d *drawCounter) Uint64() uint64 { d.n++; return d.PCG.Uint64() }
