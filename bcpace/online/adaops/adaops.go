// Package adaops is online search with few children: AdaOPS (Wu, Yang, Zhang, Yu, Li, Liu and
// Hao 2021, "Adaptive Online Packing-guided Search for POMDPs") on a Bayes-adaptive MDP. Of all
// that may follow an action, what is within δ of each other shares one node of the tree, so
// that an action has no more children than a δ-packing of what follows has points: at most the
// largest δ-separated set, α(δ) of package cover.
//
// # What is packed
//
// What follows an action is a next state s' and the belief b' after it. They are taken in turn,
// the likeliest first. One that lies within δ of an earlier one that is the centre of a node,
//
//	d(s', s”) + ‖b' − b”‖₁ ≤ δ   (metric.Metric with α = 1),
//
// joins that node, and else is the centre of a new one. Axes of infinite Scale, such as the
// last observation, do not count. States of a Finite model, and values of an axis that has
// separate ones, must be equal otherwise. A node has the probability of all that joined it,
// the state of its centre, and the mean of their beliefs.
//
// # The error
//
// In a Finite model, let V_δ(s, b) be the value with all children packed. V*(s, ·) is convex, so
// that its value at the mean of beliefs is at most the mean of its values: merging is to forget
// which of them it was. And V*(s, ·) changes by ½(Vmax − Vmin) at most per unit of ‖·‖₁, while
// the beliefs of a node are, in the mean, no farther than 2δ from their own mean: those of
// independent draws from it differ by at most 2δ. So
//
//	0 ≤ V*(s, b) − V_δ(s, b) ≤ γ·(Vmax − Vmin)·δ / (1 − γ)
//
// with γ at each step, times half the range, times 2δ. The search looks for V_δ. The interval of
// a decision is one of V*, whatever δ is: its lower bound is that of V_δ, and to the upper bound
// is added, on the way to the root, by how much the values of the merged beliefs may exceed that
// of their mean: ½(Vmax − Vmin) times their distance to it, or less by an upper bound at the
// border of the simplex, as V*(s, ·) is convex.
//
// In continuous states, the error is at most γ·2L·δ/(1−γ) to either side, where L bounds by how
// much V* changes per unit of the distance above. L is not known there, and a decision has no
// interval unless NoPacking is set.
//
// # Departures from the paper
//
// In the paper, beliefs are weighted particles, as many as KLD sampling asks for. Here a belief
// over latents is a vector, and exact, so that only what follows an action may have to be
// sampled: where the model lists nothing, or Width says so. A node has the mean of the beliefs
// that it stands for, and not one of them, with which V_δ might err to either side. Trees grow
// best leaf first, by AEMS2, as those of package lookahead do, in place of trials that end where
// a gap is small; the two packages differ by the packing alone. A tree is kept for the next
// decision as far as beliefs are the same.
//
// # A hidden vector
//
// For a hidden vector (Solver.Planner) it is search in trials, as in the paper and in package despot, in a tree of particle beliefs.
//
// An expansion moves the particles of a leaf under each action. The next states that they come to are what may be observed,
// each with the weights that its density gives the moved particles. A next state s' with weights w joins the node of an earlier
// one that is within δ of it, the likeliest first,
//
//	d(s', s”) + ‖w − w”‖₁ ≤ δ   (package metric with α = 1),
//
// and else has a node of its own. So an action has no more nodes than a δ-packing of the beliefs has points: at most the
// number α(δ) of package cover. Axes of infinite Scale, as that of an observation that nothing depends on, do not count;
// whole numbers must be equal otherwise. A node has the state of the first that joined it, and the mean of the weights.
//
// All nodes of an action share the moved particles. Where their design effect, n·Σw², is above a threshold, they are
// drawn anew, as many as KLD sampling (Fox 2001) asks for in view of the cells that they occupy.
//
// A trial goes down by the largest upper bound and the largest excess of the gap, as in package despot. At a leaf, the upper
// bound is the mean of that of Model.Bounds. The lower one is the best of three: the mean of that of Model.Bounds; what one
// action always earns, at the root and where Model.Bounds says nothing; and what Model.Rollout earns for the hidden vector of the
// heaviest particle, which some of the particles follow to its end, and as the lower bound says from there on. What the depth cuts off counts
// as Model.Bounds say, as in package despot. Where there are few
// states and hidden vectors, and the model has neither Bounds nor Rollout, it is what a table says that is made first: of one action
// always, or the plan that package despot finds for the first decision of an episode.
//
// // Where n particles come to more than max(30, 3√n) different next states, so many are drawn of them, at equal distances of their
// probabilities: to weigh n particles for n next states is most of the time of a trial otherwise.
//
// A node has the mean of the weights that it stands for, and not those of its centre, as above. Cells of KLD
// sampling are those of the belief at the root.
//
// As particles are a sample, these bounds do not bound the optimal value: a decision has no interval.
package adaops

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/online/lookahead"
	"bayescpace/bcpace/online/vectors"
	"bayescpace/bcpace/solverkit"
)

// Solver is AdaOPS as a solver. Every zero value is useful. Simulations of its Budget are leaves
// that are expanded.
type Solver struct {
	// Budget is that of a decision. The default is online.DefaultSimulations expansions. Depth
	// is the number of steps after which the tree ends; 0 is no limit. For a hidden vector it counts trials, a Depth of 0 is the
	// default one, and a decision ends earlier where its particles take some 200 megabytes, as they soon do where a belief has thousands.
	Budget bcpace.Budget
	// Delta is δ > 0, the distance within which what follows an action shares a node, in L1
	// where only beliefs differ. 0 means 0.1. With NoPacking, each has a node of its own.
	Delta     float64
	NoPacking bool
	// Width is how many next states are drawn for each action of a node. 0 means all, where
	// the model lists them, and 30 elsewhere. From draws, nothing is bounded.
	Width int
	// Epsilon ends a decision where the interval of V_δ is no longer than that, in reward
	// units. 0 leaves that to the budget. A decision also ends where one action is best.
	Epsilon float64
	// Bounds are those at the leaves, such as an earlier run's: see lookahead.Of. nil means the
	// tighter informed bound and the blind policies of a Finite model, QMDP and blind policies of
	// a bcpace.ToldModel, and values by grids of another one that lists what follows, which
	// are assumed to be fine enough, with the upper bound of package proved for a model that
	// states its smoothness. Another model needs them, or is a bcpace.ValueBounds.
	Bounds lookahead.Bounds `json:"-"`

	// The parameters below are for a hidden vector, where Width, Epsilon and Bounds are not.

	// Least and Most are the smallest and the largest number of particles of a belief that is drawn. 0 means 30 and 100, and 300 both in
	// a model of few states and hidden vectors that has neither Bounds nor Rollout.
	Least int `json:",omitempty"`
	Most  int `json:",omitempty"`
	// Zeta is ζ: the error that KLD sampling allows with probability 0.95, a Kullback–Leibler divergence. 0 means 0.1. Cells
	// are whole numbers or, on other axes, half a standard deviation of the belief at the root.
	Zeta float64 `json:",omitempty"`
	// Threshold is the design effect beyond which particles are drawn anew, 1 or more. 0 means 2.
	Threshold float64 `json:",omitempty"`
}

const (
	defaultDelta = 0.1
	defaultWidth = 30
)

// Name implements bcpace.Solver.
func (Solver) Name() string { return "adaops" }

// Solve implements bcpace.Solver. It computes the bounds of the leaves, by which V* at the
// start is bracketed; the upper one is proved for a Finite model and for one that package proved
// takes. The policy of the solution is a planner (bcpace.PolicyAbilities.Plan), whose decisions bracket
// V* where they are made unless next states are drawn, or are merged that differ. The error is
// a *bcpace.UnsupportedError for actions with a Box, tables that are too large, or a model that
// has no bounds, see Bounds.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	x := lookahead.BoundedSearch{Budget: s.Budget, Epsilon: s.Epsilon, Bounds: s.Bounds}
	if err := cmp.Or(x.Check(s, m, c), s.check(), s.checkLatents()); err != nil {
		return nil, err
	}
	m = bcpace.KeepHorizon(m)
	return x.Solve(ctx, s, m, c, s.NoPacking && s.lists(m), func(b lookahead.Bounds) lookahead.Source { return s.source(m, b) })
}

// check returns an *bcpace.InputError for parameters that cannot be used.
func (s Solver) check() error {
	need := bcpace.In("options").Need
	return cmp.Or(
		need(s.Delta >= 0 && !math.IsInf(s.Delta, 1), "Delta", s.Delta, "a distance above 0; without one it is "+numtext.Exact(defaultDelta)),
		need(s.Delta == 0 || !s.NoPacking, "Delta", fmt.Sprint(s.Delta, " beside NoPacking"), "one of them"),
		need(s.Width >= 0, "Width", s.Width, "1 draw or more, or 0 for the default"))
}

// checkLatents returns an *bcpace.InputError for what is for a hidden vector.
func (s Solver) checkLatents() error {
	return bcpace.In("options").Need(s.Least == 0 && s.Most == 0 && s.Zeta == 0 && s.Threshold == 0, "Least, Most, Zeta, Threshold", fmt.Sprint(s.Least, s.Most, s.Zeta, s.Threshold), "0 for latents of a list, whose beliefs have no particles")
}

// lists reports whether the children in m are all that may follow.
func (s Solver) lists(m bcpace.Model) bool {
	_, ok := m.(bcpace.Enumerator)
	return ok && s.Width == 0
}

// source returns the packed children in m, with those bounds of V*.
func (s Solver) source(m bcpace.Model, b lookahead.Bounds) *packed {
	delta := cmp.Or(s.Delta, defaultDelta)
	if s.NoPacking {
		delta = -1
	}
	if s.lists(m) {
		return newPacked(m, lookahead.Listed(m.(bcpace.Enumerator)), delta, b)
	}
	return newPacked(m, newSampled(m, cmp.Or(s.Width, defaultWidth)), delta, b)
}

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "searches as lookahead does, with one node for all that follows an action within a distance, and by draws where a model lists nothing",
		Written: "AdaOPS",
		Cited:   "AdaOPS, packing-guided online search [@wu2021]",
		SetUp:   "its first bounds" + solverkit.Long,
		Params: []solverkit.Param{
			solverkit.Budget, solverkit.Depth,
			{Key: "delta", Field: "Delta", Arg: "R", Doc: "distance within which what follows an action shares a node, in L1 where only beliefs differ (default 0.1); 0 for none that share", Zero: "NoPacking"},
			{Key: "width", Field: "Width", Arg: "N", Doc: "next states that are drawn for each action (default all, where the model lists them, and 30 elsewhere)", Want: "1 draw or more"},
			solverkit.Epsilon,
		},
	}
}

// Tabulates implements solverkit.Tabulator.
func (s Solver) Tabulates(m bcpace.Model) bool { return !solverkit.Bounded(m) && s.Bounds == nil }

// sampled is the Source of next states that are drawn.
type sampled struct {
	spec  bcpace.Spec
	walk  *online.Walk
	bayes *bcpace.Bayes
	next  bcpace.Belief
	width int
}

// newSampled draws width next states of m for each action.
func newSampled(m bcpace.Model, width int) *sampled {
	spec := m.Spec()
	return &sampled{spec, online.NewWalk(m), bcpace.NewBayes(m), make(bcpace.Belief, len(spec.Latents)), width}
}

// List implements lookahead.Source.
func (sa *sampled) List(to *lookahead.Children, s []float64, b bcpace.Belief, action int, rng *rand.Rand) error {
	to.Reset(sa.spec)
	prob := 1 / float64(sa.width)
	for range sa.width {
		sa.walk.Start(s, b.Sample(rng))
		reward := sa.walk.Step(action, rng)
		if err := sa.spec.CheckOutcome(bcpace.Outcome{Reward: reward}, sa.walk.State, s, action, -1); err != nil {
			return err
		}
		to.Reward += prob * reward
		if sa.walk.Done {
			continue
		}
		if err := sa.bayes.Update(sa.next, b, s, action, sa.walk.State); err != nil {
			return err
		}
		to.Add(sa.walk.State, sa.next, prob)
	}
	return nil
}

// Bounds implements lookahead.Source.
func (*sampled) Bounds() bool { return false }

const (
	defaultLeast     = 30
	defaultMost      = 100
	fewParticles     = 300 // where leaves cost next to nothing
	defaultZeta      = 0.1
	defaultThreshold = 2
	maxParticles     = 1 << 16
	mostNext         = 30 // next states of an action, for up to 100 particles; then as their root
)

// Planner returns the planner for a hidden vector. The error is a *bcpace.InputError for a model or parameters that cannot be used, and a
// *bcpace.UnsupportedError for a model without a LogDensity, or for actions with a Box.
func (s Solver) Planner(m *hidden.Model) (hidden.Planner, error) {
	given := s
	s, err := s.settle(m)
	if err != nil {
		return nil, err
	}
	table, err := vectors.NewTable(m, s.Budget.Depth)
	if err != nil {
		return nil, err
	}
	if table != nil && given.Least == 0 && given.Most == 0 {
		s.Least, s.Most = fewParticles, fewParticles
	}
	return online.NewVectors(m, s.Budget, func() online.Search[hidden.Belief] { return newBeliefs(vectors.Guarded(m), table, s) })
}

// settle checks s and m and fills in the defaults.
func (s Solver) settle(m *hidden.Model) (Solver, error) {
	s.Least, s.Most = cmp.Or(s.Least, min(defaultLeast, cmp.Or(s.Most, defaultMost))), cmp.Or(s.Most, max(defaultMost, s.Least))
	need := bcpace.In("options").Need
	if err := cmp.Or(
		s.check(),
		need(s.Width == 0 && s.Epsilon == 0 && s.Bounds == nil, "Width, Epsilon, Bounds", fmt.Sprint(s.Width, s.Epsilon, s.Bounds), "none for a hidden vector, whose values have the bounds of its model"),
		need(s.Least >= 1 && s.Least <= maxParticles, "Least", s.Least, fmt.Sprintf("a number of particles from 1 to %d; without one it is %d", maxParticles, defaultLeast)),
		need(s.Most >= s.Least && s.Most <= maxParticles, "Most", s.Most, fmt.Sprintf("a number of particles from the least one, %d, to %d; without one it is %d or more", s.Least, maxParticles, defaultMost)),
		need(s.Zeta >= 0 && !math.IsInf(s.Zeta, 1), "Zeta", s.Zeta, "an error above 0; without one it is "+numtext.Exact(defaultZeta)),
		need(s.Threshold == 0 || s.Threshold >= 1, "Threshold", s.Threshold, "a design effect of 1 or more, or 0 for the default"),
		m.Validate(), vectors.NeedActionList(m, "adaops")); err != nil {
		return s, err
	}
	if m.LogDensity == nil {
		return s, &bcpace.UnsupportedError{Model: m.Spec.Name, Algorithm: "adaops", Need: "Model.LogDensity, which weighs the particles of a node; despot and pomcpow do without where what is observed takes few values"}
	}
	s.Delta, s.Zeta, s.Threshold = cmp.Or(s.Delta, defaultDelta), cmp.Or(s.Zeta, defaultZeta), cmp.Or(s.Threshold, defaultThreshold)
	if s.NoPacking {
		s.Delta = -1
	}
	s.Budget.Depth = cmp.Or(s.Budget.Depth, solverkit.SearchDepth(m.Spec.Spec))
	return s, nil
}

// PackVectors is Pack for a hidden vector: it returns what follows an action at (s, b), and its nodes in the tree of a decision there, which is what figures of a
// packing draw, and package cover counts. The error is that of Planner, or an *bcpace.InputError for a state, belief, action or
// rng that cannot be used.
func (s Solver) PackVectors(m *hidden.Model, state []float64, b hidden.Belief, action int, rng *rand.Rand) (z *Packing, err error) {
	s, err = s.settle(m)
	if err != nil {
		return nil, err
	}
	need := bcpace.In(fmt.Sprintf("planning in model %q", m.Spec.Name)).Need
	if err := cmp.Or(
		need(len(state) == len(m.Spec.Axes) && b != nil && rng != nil, "the state, belief or random numbers", fmt.Sprintf("%v, %v, %v", state, b, rng), fmt.Sprintf("a state of %d numbers, and two that are not nil", len(m.Spec.Axes))),
		need(m.Spec.IsAction(action), "the action", action, m.Spec.WantAction())); err != nil {
		return nil, err
	}
	defer m.Spec.Guard(&err, "a simulation from there", state, action, -1)
	t := newBeliefs(vectors.Guarded(m), nil, s)
	t.states = append(t.states, state...)
	t.draw(b, rng)
	t.follow(0, action, rng)
	f := &t.after
	z = f.nodes.packing(t.metric, t.metric.Dim()+f.n, f.prob, f.state, f.weights)
	for i := range f.n {
		z.Hidden = append(z.Hidden, slices.Clone(f.moved[i*t.dim:(i+1)*t.dim]))
	}
	return z, nil
}
