// Package despot is DESPOT (Somani, Ye, Hsu and Lee 2013, "DESPOT: online POMDP planning with
// regularization"; Ye, Somani, Hsu and Lee 2017, the journal version) for a hidden vector: heuristic search in a
// tree that holds what K sampled scenarios can lead to.
//
// A scenario is a hidden vector drawn from the belief and a stream of random numbers for each step to come, under which the
// model is deterministic. The search is that of package online/despot, which says more. A node has the scenarios whose states
// agree so far. So it is for states of whole numbers: where an observation is a real number, each scenario soon has a
// node of its own, as if the hidden vector were seen, and package adaops is the better choice. No density is needed.
//
// At a leaf, μ is the mean of the upper bounds of Model.Bounds. ℓ0 is the mean of the lower ones or, where these say nothing and at
// the root, what the better one of two policies earns in the scenarios: one action for ever, and Model.Rollout for the
// hidden vector of one scenario, which all of them follow. With Solver.RandomDefault it is what a policy earns that draws each
// action, but where the bounds of Model.Bounds are equal. That is less, but a decision goes by what ℓ says of one action and not of
// another one, and a lower bound that is the same nearly everywhere tells them apart only where the tree is deep.
//
// As the scenarios are a sample, ℓ and μ do not bound the optimal value: a decision has no interval.
package despot

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/hidden/internal/search"
	"bayescpace/bcpace/internal/trials"
	"bayescpace/bcpace/solverkit"
)

// Solver has the parameters. Every zero value is useful.
type Solver struct {
	// Budget is that of a decision, in trials. The default is 1000 trials. Depth is that of the tree, and of what the
	// default policy plays. A decision ends earlier where its hidden vectors take some 200 megabytes.
	Budget bcpace.Budget
	// Scenarios is K; 0 means 100. Ye et al. (2017, Section 6) draw 500.
	Scenarios int
	// Regularisation is λ, in reward units: the price of a node of the policy's tree.
	Regularisation float64
	// RandomDefault has a random policy as the default policy, as in the program of Sunberg and Kochenderfer (2018) for LaserTag:
	// ℓ0 is what it earns, in reward units, unless the two bounds of Model.Bounds are equal. Model.Rollout is asked only there.
	RandomDefault bool
}

const (
	defaultScenarios = 100
	maxScenarios     = 1_000_000
	maxNumbers       = 1 << 24 // of hidden vectors in a decision, about 200 megabytes; one that comes to it ends
)

// Planner returns the planner for m. The error is a *bcpace.InputError for a model or parameters that cannot be used, and a
// *bcpace.UnsupportedError for actions with a Box.
func (o Solver) Planner(m *hidden.Model) (hidden.Planner, error) {
	bad := bcpace.In("options").Bad
	switch {
	case o.Scenarios < 0 || o.Scenarios > maxScenarios:
		return nil, bad("Scenarios", o.Scenarios, fmt.Sprintf("a number of scenarios up to %d, or 0 for %d", maxScenarios, defaultScenarios))
	case !(o.Regularisation >= 0) || math.IsInf(o.Regularisation, 1):
		return nil, bad("Regularisation", o.Regularisation, "a price in reward units, or 0")
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if err := search.NeedActionList(m, "despot"); err != nil {
		return nil, err
	}
	if o.Scenarios == 0 {
		o.Scenarios = defaultScenarios
	}
	if o.Budget.Depth == 0 {
		o.Budget.Depth = solverkit.SearchDepth(m.Spec.Spec)
	}
	return search.New(m, o.Budget, func() search.Search { return newWorld(search.Guarded(m), o) })
}

// world is the search. It implements trials.World: what is hidden in a scenario is the row of a vector in x.
type world struct {
	*trials.Despot
	model  *hidden.Model
	leaves *search.Leaves
	depth  int
	random bool // the default policy

	root      []float64
	belief    hidden.Belief
	scenarios []trials.Scenario // of the root
	fresh     bool              // no scenario was drawn yet
	x         []float64
	next, xTo []float64 // room
	at        points    // room
	pcg       *rand.PCG
	rng       *rand.Rand
	seed      uint64
}

func newWorld(m *hidden.Model, o Solver) *world {
	pcg := rand.NewPCG(0, 0)
	w := &world{model: m, leaves: search.NewLeaves(m), depth: o.Budget.Depth, random: o.RandomDefault, root: make([]float64, len(m.Spec.Axes)), scenarios: make([]trials.Scenario, o.Scenarios),
		next: make([]float64, len(m.Spec.Axes)), xTo: make([]float64, len(m.Spec.Hidden)), pcg: pcg, rng: rand.New(pcg)}
	for k := range w.scenarios {
		w.scenarios[k] = trials.Scenario{Number: int32(k), Hidden: int32(k)}
	}
	w.at.world = w
	w.Despot = trials.NewDespot(m.Spec.Spec, w, w.depth, o.Regularisation)
	return w
}

// vector returns the hidden vector of a scenario, a view that holds until one is added.
func (w *world) vector(k trials.Scenario) []float64 {
	dim := len(w.xTo)
	return w.x[int(k.Hidden)*dim : int(k.Hidden+1)*dim : int(k.Hidden+1)*dim]
}

// Root implements search.Search. Every decision has scenarios of its own.
func (w *world) Root(s []float64, b hidden.Belief, _ *rand.Rand) error {
	copy(w.root, s)
	w.belief, w.fresh = b, true
	w.Clear()
	return nil
}

// Simulate implements search.Search: a trial, before the first of which the scenarios are drawn.
func (w *world) Simulate(ctx context.Context, rng *rand.Rand) error {
	if w.fresh {
		w.seed = rng.Uint64()
		n := len(w.scenarios)
		w.x = slices.Grow(w.x[:0], n*len(w.xTo))[:n*len(w.xTo)]
		search.Draws(w.x, n, w.belief, rng)
		if err := w.leaves.Begin(ctx, w.root, w.of(w.scenarios, 0), w.depth, rng); err != nil {
			return err
		}
		if err := w.Begin(ctx, w.root, w.scenarios); err != nil {
			return err
		}
		w.fresh = false
	}
	if len(w.x) > maxNumbers {
		return search.ErrSettled
	}
	more, err := w.Despot.Simulate(ctx)
	if err == nil && !more {
		return search.ErrSettled
	}
	return err
}

// Step implements trials.World.
func (w *world) Step(s []float64, k trials.Scenario, depth, action int) (next []float64, out bcpace.Outcome, hidden int32) {
	out = w.model.Step(w.next, w.xTo, s, w.vector(k), action, w.stream(k, depth))
	w.x = append(w.x, w.xTo...)
	return w.next, out, int32(len(w.x)/len(w.xTo)) - 1
}

// stream returns the random numbers of a scenario at a depth.
func (w *world) stream(k trials.Scenario, depth int) *rand.Rand {
	w.pcg.Seed(w.seed^uint64(k.Number), uint64(depth))
	return w.rng
}

// Leaf implements trials.World.
func (w *world) Leaf(ctx context.Context, s []float64, at []trials.Scenario, depth int) (base float64, action int, upper float64, err error) {
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
	world *world
	at    []trials.Scenario
	depth int
}

func (w *world) of(at []trials.Scenario, depth int) *points {
	w.at.at, w.at.depth = at, depth
	return &w.at
}

// Len implements search.Points.
func (p *points) Len() int { return len(p.at) }

// At implements search.Points.
func (p *points) At(i int) (x []float64, weight float64) {
	return p.world.vector(p.at[i]), 1 / float64(len(p.at))
}

// Stream implements search.Points.
func (p *points) Stream(i, step int) *rand.Rand { return p.world.stream(p.at[i], p.depth+step) }
