// Package adaops is AdaOPS (Wu, Yang, Zhang, Yu, Li, Liu and Hao 2021, "Adaptive Online Packing-guided Search for
// POMDPs") for a hidden vector: search between bounds in a tree of particle beliefs, of which those that are near share a
// node.
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
// action for ever earns, at the root and where Model.Bounds says nothing; and what Model.Rollout earns for the hidden vector of the
// heaviest particle, which some of the particles follow to its end, and as the lower bound says from there on. What the depth cuts off counts
// as Model.Bounds say, as in package despot. Where there are few
// states and hidden vectors, and the model has neither Bounds nor Rollout, it is what a table says that is made first: of one action
// for ever, or the plan that package despot finds for the first decision of an episode.
//
// # Departures from the paper
//
// Where n particles come to more than max(30, 3√n) different next states, so many are drawn of them, at equal distances of their
// probabilities: to weigh n particles for n next states is most of the time of a trial otherwise.
//
// A node has the mean of the weights that it stands for, and not those of its centre, as in package online/adaops. Cells of KLD
// sampling are those of the belief at the root.
//
// As particles are a sample, these bounds do not bound the optimal value: a decision has no interval.
package adaops

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/hidden/internal/search"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/solverkit"
)

// Solver has the parameters. Every zero value is useful.
type Solver struct {
	// Budget is that of a decision, in trials. The default is 1000 trials. A decision ends earlier where its particles take some 200
	// megabytes, as they soon do where a belief has thousands.
	Budget bcpace.Budget
	// Delta is δ > 0, the distance within which what follows an action shares a node, in L1 where only the weights differ. 0
	// means 0.1. With NoPacking, each next state has a node of its own.
	Delta     float64
	NoPacking bool
	// Least and Most are the smallest and the largest number of particles of a belief that is drawn. 0 means 30 and 100, and 300 both in
	// a model of few states and hidden vectors that has neither Bounds nor Rollout.
	Least, Most int
	// Zeta is ζ: the error that KLD sampling allows with probability 0.95, a Kullback–Leibler divergence. 0 means 0.1. Cells
	// are whole numbers or, on other axes, half a standard deviation of the belief at the root.
	Zeta float64
	// Threshold is the design effect beyond which particles are drawn anew, 1 or more. 0 means 2.
	Threshold float64
}

const (
	defaultDelta     = 0.1
	defaultLeast     = 30
	defaultMost      = 100
	fewParticles     = 300 // where leaves cost next to nothing
	defaultZeta      = 0.1
	defaultThreshold = 2
	maxParticles     = 1 << 16
	mostNext         = 30 // next states of an action, for up to 100 particles; then as their root
)

// Planner returns the planner for m. The error is a *bcpace.InputError for a model or parameters that cannot be used, and a
// *bcpace.UnsupportedError for a model without a LogDensity, or for actions with a Box.
func (o Solver) Planner(m *hidden.Model) (hidden.Planner, error) {
	given := o
	o, err := o.settle(m)
	if err != nil {
		return nil, err
	}
	table, err := search.NewTable(m, o.Budget.Depth)
	if err != nil {
		return nil, err
	}
	if table != nil && given.Least == 0 && given.Most == 0 {
		o.Least, o.Most = fewParticles, fewParticles
	}
	return search.New(m, o.Budget, func() search.Search { return newBeliefs(search.Guarded(m), table, o) })
}

// settle checks o and m and fills in the defaults.
func (o Solver) settle(m *hidden.Model) (Solver, error) {
	o.Least, o.Most = cmp.Or(o.Least, min(defaultLeast, cmp.Or(o.Most, defaultMost))), cmp.Or(o.Most, max(defaultMost, o.Least))
	bad := bcpace.In("options").Bad
	switch {
	case !(o.Delta >= 0) || math.IsInf(o.Delta, 1):
		return o, bad("Delta", o.Delta, "a distance above 0; without one it is "+numtext.Exact(defaultDelta))
	case o.Delta > 0 && o.NoPacking:
		return o, bad("Delta", fmt.Sprint(o.Delta, " beside NoPacking"), "one of them")
	case o.Least < 1 || o.Least > maxParticles:
		return o, bad("Least", o.Least, fmt.Sprintf("a number of particles from 1 to %d; without one it is %d", maxParticles, defaultLeast))
	case o.Most < o.Least || o.Most > maxParticles:
		return o, bad("Most", o.Most, fmt.Sprintf("a number of particles from the least one, %d, to %d; without one it is %d or more", o.Least, maxParticles, defaultMost))
	case !(o.Zeta >= 0) || math.IsInf(o.Zeta, 1):
		return o, bad("Zeta", o.Zeta, "an error above 0; without one it is "+numtext.Exact(defaultZeta))
	case o.Threshold != 0 && !(o.Threshold >= 1):
		return o, bad("Threshold", o.Threshold, "a design effect of 1 or more, or 0 for the default")
	}
	if err := cmp.Or(m.Validate(), search.NeedActionList(m, "adaops")); err != nil {
		return o, err
	}
	if m.LogDensity == nil {
		return o, &bcpace.UnsupportedError{Model: m.Spec.Name, Algorithm: "adaops", Need: "Model.LogDensity, which weighs the particles of a node; despot and pomcpow do without where what is observed takes few values"}
	}
	o.Delta, o.Zeta, o.Threshold = cmp.Or(o.Delta, defaultDelta), cmp.Or(o.Zeta, defaultZeta), cmp.Or(o.Threshold, defaultThreshold)
	if o.NoPacking {
		o.Delta = -1
	}
	if o.Budget.Depth == 0 {
		o.Budget.Depth = solverkit.SearchDepth(m.Spec.Spec)
	}
	return o, nil
}

// Packing is what follows an action at a state and belief, but for what ends the episode, and the nodes of the tree that stand
// for it.
type Packing struct {
	States  [][]float64 // of what follows, each once
	Prob    []float64   // of it
	Hidden  [][]float64 // the moved particles
	Weights [][]float64 // by what follows: of the moved particles
	// Points are coordinates of what follows, in which the distance of the packing is that of L1 but on axes with
	// a Period: for cover.FromRows.
	Points [][]float64
	// Centre has, for each node, the number of what it was made for. Any two are more than δ apart, and the others are within
	// δ of that of their node.
	Centre []int
	Node   []int       // by what follows: its node
	Means  [][]float64 // by node: its weights
}

// Pack returns what follows an action at (s, b), and its nodes in the tree of a decision there, which is what figures of a
// packing draw, and package cover counts. The error is that of Planner, or an *bcpace.InputError for a state, belief, action or
// rng that cannot be used.
func (o Solver) Pack(m *hidden.Model, s []float64, b hidden.Belief, action int, rng *rand.Rand) (z *Packing, err error) {
	o, err = o.settle(m)
	if err != nil {
		return nil, err
	}
	bad := bcpace.In(fmt.Sprintf("planning in model %q", m.Spec.Name)).Bad
	switch {
	case len(s) != len(m.Spec.Axes) || b == nil || rng == nil:
		return nil, bad("the state, belief or random numbers", fmt.Sprintf("%v, %v, %v", s, b, rng), fmt.Sprintf("a state of %d numbers, and two that are not nil", len(m.Spec.Axes)))
	case !m.Spec.IsAction(action):
		return nil, bad("the action", action, m.Spec.WantAction())
	}
	defer m.Spec.Guard(&err, "a simulation from there", s, action, -1)
	t := newBeliefs(search.Guarded(m), nil, o)
	t.states = append(t.states, s...)
	t.draw(b, rng)
	t.follow(0, action, rng)
	return t.packing(), nil
}
