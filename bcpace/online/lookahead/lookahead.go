// Package lookahead is best-first search for the best action, with bounds of V* at every node:
// its decisions carry an interval that holds V*(s, b). The tree of Solver has all that follows, as
// the model lists it; that of another solver, such as adaops, has what its Source makes
// (BoundedSearch).
//
// The tree alternates between actions, of which the best one counts, and next states with their
// beliefs, of which the mean counts; its leaves have bounds that are admissible. What is
// expanded next is the leaf that contributes most to the gap at the root, by AEMS2 (Ross and
// Chaib-draa 2007, "AEMS: an anytime online search algorithm for approximate policy refinement
// in large POMDPs"):
//
//	γ^depth · P(leaf | root, actions of the largest upper bound) · (upper − lower)
//
// # The interval
//
// Let L ≤ V* ≤ U at the leaves. By the Bellman equation, R + γ·Σ P·L and R + γ·Σ P·U with the
// exact list of what follows bound Q* at the node above, and their maxima over the actions
// bound V*; so up to the root. A Source may have one child stand for several; then it says what
// is to be added to the upper bound, see Children.
//
// Where states are continuous, the list stands for a density, so that the interval of a decision
// rests on it. At the leaves and at the start, package proved bounds V* from above without
// a list, for a model that states its smoothness (bcpace.Smoothness).
//
// Sums are computed in float64; the interval is widened by what they may be rounded by.
//
// The action with the largest lower bound is taken. Where the bound L at the leaves is at most
// its own backup, as for the values of a policy, that earns the bound: L of the decisions so
// far is at most what a step pays, and γ times L of the decisions to come, since what follows
// keeps its node in the tree.
package lookahead

import (
	"context"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

// Solver is the search as a solver. Every zero value is useful. Simulations of its Budget are
// leaves that are expanded.
type Solver struct {
	// Budget is that of a decision. The default is online.DefaultSimulations expansions. Depth
	// is the number of steps after which the tree ends; 0 is no limit.
	Budget bcpace.Budget
	// Epsilon ends a decision where its interval is no longer than that, in reward units. 0
	// leaves that to the budget. A decision also ends where one action is proved best.
	Epsilon float64
	// Bounds are those at the leaves, such as an earlier run's: see Of. nil means the fast
	// informed bound and the blind policies of a Finite model, or those by grids of another
	// one, which are assumed to be fine enough, with the upper bound of package proved for a model
	// that states its smoothness.
	Bounds Bounds `json:"-"`
}

// Name implements bcpace.Solver.
func (Solver) Name() string { return "lookahead" }

// Solve implements bcpace.Solver. It computes the bounds of the leaves, by which V* at the
// start is bracketed; the upper one is proved for a Finite model and for one that package proved
// takes. The policy of the solution is a planner (bcpace.PolicyAbilities.Plan), whose decisions bracket
// V* where they are made. The error is a *bcpace.UnsupportedError for a model that does not
// list what follows, or whose tables are too large.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	x := BoundedSearch{Budget: s.Budget, Epsilon: s.Epsilon, Bounds: s.Bounds}
	if err := x.Check(s, m, c); err != nil {
		return nil, err
	}
	e, ok := bcpace.KeepHorizon(m).(bcpace.Enumerator)
	if !ok {
		return nil, solverkit.NeedsList(m, s.Name())
	}
	return x.Solve(ctx, s, e, c, true, func(Bounds) Source { return Listed(e) })
}

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "searches at every decision with bounds at the leaves, so that each decision brackets the optimal value where it is made",
		Written: "lookahead",
		Cited:   "best-first search between bounds at every decision, AEMS2 [@ross2007]",
		SetUp:   "its first bounds" + solverkit.Long,
		Params:  []solverkit.Param{solverkit.Budget, solverkit.Depth, solverkit.Epsilon},
	}
}

// Tabulates implements solverkit.Tabulator.
func (s Solver) Tabulates(m bcpace.Model) bool { return !solverkit.Bounded(m) && s.Bounds == nil }

// BoundedSearch are the parameters that planners have in common that search between bounds.
type BoundedSearch struct {
	Budget bcpace.Budget // of a decision, in leaves that are expanded
	// Epsilon ends a decision where the interval of the tree is no longer than that, in reward
	// units. A decision also ends where one action is best in the tree.
	Epsilon float64
	// Bounds are those at the leaves. nil means the tighter informed bound and the blind policies
	// of a Finite model, QMDP and blind policies of a ToldModel, and the values of both by grids of
	// another Enumerator, with the proved upper bound where there is one; another model is refused.
	Bounds Bounds

	stated *bcpace.Spec // of the model, where Bounds are not computed here
}

// Check returns an *bcpace.InputError or an *bcpace.UnsupportedError for a model, a control or
// parameters that solver s cannot use.
func (bs BoundedSearch) Check(s bcpace.Solver, m bcpace.Model, c bcpace.Control) error {
	if err := online.Check(s, m, c, bs.Budget); err != nil {
		return err
	}
	if !(bs.Epsilon >= 0) || math.IsInf(bs.Epsilon, 1) {
		return bcpace.In("options").Bad("Epsilon", bs.Epsilon, "the length of an interval in reward units, or 0")
	}
	return solverkit.NeedActionList(m.Spec(), s.Name())
}

// crossed returns a *bcpace.ConformanceError where no value is between bounds that are not computed here. Of those that are, some rest
// on grids, and cross by what these miss.
func (bs BoundedSearch) crossed(s []float64, b bcpace.Belief, lower, upper float64) error {
	if bs.stated == nil || !solverkit.Crossed(*bs.stated, lower, upper) {
		return nil
	}
	return bs.stated.Fault(s, -1, -1, "Bounds for belief %v are %v and %v, want a lower bound and an upper one that is no less", b, lower, upper)
}

// needBounds returns an *bcpace.UnsupportedError for a model from which no bounds at the leaves
// follow.
func needBounds(s bcpace.Solver, m bcpace.Model) error {
	switch m.(type) {
	case bcpace.Enumerator, bcpace.ToldModel, bcpace.ValueBounds:
		return nil
	}
	return &bcpace.UnsupportedError{Model: m.Spec().Name, Algorithm: s.Name(),
		Need: "bounds of the values at the leaves, which follow from a list of what may follow an action (Enumerator; Successors in Funcs), or which the model (ValueBounds) or the field Bounds gives: " +
			"by the range of returns alone, a search cannot tell actions apart. pomcpow and pomcp do without"}
}

// Solve returns the solution of solver s for m, which Check has passed and which has the steps
// left on an axis if it has a horizon: a planner, each of whose searches takes its children
// from a source that make makes for the bounds at the leaves. earns says that decisions go on
// where those before have stopped, in a tree whose children stand for themselves, so that the
// policy earns the lower bound.
func (bs BoundedSearch) Solve(ctx context.Context, s bcpace.Solver, m bcpace.Model, c bcpace.Control, earns bool, make func(Bounds) Source) (*bcpace.Solution, error) {
	given := bs.Bounds != nil
	if !given {
		var latent bcpace.LatentValues
		err := needBounds(s, m)
		if err != nil {
			return nil, err
		}
		if bs.Bounds, latent, err = boundsOf(solverkit.WithControl(ctx, c), m); err != nil {
			return runs.Unfinished(ctx, err, m, s, runs.LatentSoFar(latent))
		}
	}
	spec := m.Spec()
	if _, own := m.(bcpace.ValueBounds); own || given {
		bs.stated = &spec
	}
	p := online.New(spec, bs.Budget, func() online.Search[bcpace.Belief] { return newTree(spec, bs, make(bs.Bounds)) })
	found := online.Solution(s, m, p)
	if _, ok := m.(bcpace.Enumerator); !ok && !given {
		return found, nil // its start states are not listed
	}
	var err error
	if found.Certificate, err = bs.certificate(m, given, earns); err != nil {
		return nil, err
	}
	found.Value = found.Certificate.Lower
	return found, nil
}

// Children are what follows an action at a state and belief, but for what ends the episode.
type Children struct {
	Reward  float64   // E[R(s, b, a)]
	States  []float64 // n × axes
	Beliefs []float64 // n × latents
	Prob    []float64 // n, given the action
	// A child that stands for several has the mean of their beliefs, so that V* there is at
	// most the mean of theirs. Spread bounds by how much, summed over the children by Prob,
	// in reward units; 0 where each stands for itself.
	Spread float64
	// Most bounds the mean of V* over what follows; +Inf if nothing but the children does.
	Most float64

	axes, latents int
}

// Reset empties x and sets the sizes of a state and a belief.
func (c *Children) Reset(spec bcpace.Spec) {
	*c = Children{States: c.States[:0], Beliefs: c.Beliefs[:0], Prob: c.Prob[:0], Most: math.Inf(1), axes: len(spec.Axes), latents: len(spec.Latents)}
}

// Add adds a child.
func (c *Children) Add(s []float64, b bcpace.Belief, prob float64) {
	c.States, c.Beliefs, c.Prob = append(c.States, s...), append(c.Beliefs, b...), append(c.Prob, prob)
}

// Len returns the number of children.
func (c *Children) Len() int { return len(c.Prob) }

// State returns the state of child i, a view.
func (c *Children) State(i int) []float64 { return c.States[i*c.axes : (i+1)*c.axes : (i+1)*c.axes] }

// Belief returns the belief of child i, a view.
func (c *Children) Belief(i int) bcpace.Belief {
	return c.Beliefs[i*c.latents : (i+1)*c.latents : (i+1)*c.latents]
}

// Source makes children. It is for one goroutine.
type Source interface {
	// List sets x to the children of an action at (s, b). All that is random comes from rng.
	List(x *Children, s []float64, b bcpace.Belief, action int, rng *rand.Rand) error
	// Bounds says that what it lists is all that may follow, so that bounds behind it are
	// bounds of V*.
	Bounds() bool
}

// listed is the Source of a model that lists what follows.
type listed struct {
	spec   bcpace.Spec
	lister *bcpace.Lister
	next   bcpace.Belief
}

// Listed returns the Source of the successors that a model lists.
func Listed(m bcpace.Enumerator) Source {
	spec := m.Spec()
	return &listed{spec, bcpace.NewLister(m), make(bcpace.Belief, len(spec.Latents))}
}

// List implements Source.
func (l *listed) List(x *Children, s []float64, b bcpace.Belief, action int, _ *rand.Rand) error {
	x.Reset(l.spec)
	if err := l.lister.List(s, action); err != nil {
		return err
	}
	x.Reward = b.Dot(l.lister.Reward)
	z := &l.lister.Successors
	for i := range z.Len() {
		if w := l.lister.Update(l.next, b, i); w > 0 && !z.Done[i] {
			next, _, _ := z.Row(i)
			x.Add(next, l.next, w)
		}
	}
	return nil
}

// Bounds implements Source.
func (*listed) Bounds() bool { return true }
