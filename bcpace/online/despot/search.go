package despot

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/online/tree"
	"bayescpace/bcpace/solverkit"
)

// search is the search of a decision for latents of a list. It implements online.Search and, as what is hidden in a scenario is its
// latent, tree.ScenarioWorld.
type search struct {
	*tree.Despot
	spec   bcpace.Spec
	bayes  *bcpace.Bayes
	belief bcpace.Belief   // at the root
	roots  []tree.Scenario // room
	number int             // of them
	values bcpace.LatentValues
	known  dp.LatentMaxima                           // nil unless the values have their maxima at hand
	move   func(s []float64, action, latent int) int // nil where the latent does not move by a function
	walk   *online.Walk
	pcg    *rand.PCG
	rng    *rand.Rand
	seed   uint64 // of the decision
	depth  int    // of the tree

	bounds bcpace.ValueBounds // nil where the model has none
	mix    bcpace.Belief      // room for lower
	stated bool               // bounds count in place of default policies that are played
	blind  int                // the best action for ever, at the root

	// Of the plan for one latent: the states that it came to, and what it did there.
	path    []float64
	actions []int
	count   []int32 // by latent: scenarios at a leaf
}

func newSearch(m bcpace.Model, s Solver, q bcpace.LatentValues) *search {
	spec := m.Spec()
	pcg := rand.NewPCG(0, 0)
	x := &search{spec: spec, bayes: bcpace.NewBayes(m), number: cmp.Or(s.Scenarios, defaultScenarios), values: q, walk: online.NewWalk(m), pcg: pcg, rng: rand.New(pcg), depth: cmp.Or(s.Budget.Depth, solverkit.SearchDepth(spec)),
		belief: make(bcpace.Belief, len(spec.Latents)), count: make([]int32, len(spec.Latents)), mix: make(bcpace.Belief, len(spec.Latents))}
	x.move = bcpace.AbilitiesOf(m).NextLatent
	x.known, _ = q.(dp.LatentMaxima)
	x.bounds, _ = m.(bcpace.ValueBounds)
	x.Despot = tree.NewDespot(spec, x, x.depth, s.Regularisation)
	return x
}

// Root implements online.Search.
func (x *search) Root(s []float64, b bcpace.Belief) {
	copy(x.belief, b)
	x.Reset(s)
}

// Draw implements tree.ScenarioWorld: latents are drawn at equal distances of the belief's distribution.
func (x *search) Draw(ctx context.Context, s []float64, rng *rand.Rand) ([]tree.Scenario, error) {
	x.seed = rng.Uint64()
	x.roots = x.roots[:0]
	tree.Systematic(x.number, rng.Float64(), x.belief, func(k, φ int) {
		x.roots = append(x.roots, tree.Scenario{Number: int32(k), Hidden: int32(φ)})
	})
	return x.roots, x.chooseDefault(ctx, s, x.roots)
}

// Full implements tree.ScenarioWorld: a scenario takes little.
func (x *search) Full() bool { return false }

// step takes an action in a scenario that is where the walk is.
func (x *search) step(number int32, depth, action int) (reward float64) {
	x.pcg.Seed(x.seed^uint64(number), uint64(depth))
	return x.walk.Step(action, x.rng)
}

// Step implements tree.ScenarioWorld.
func (x *search) Step(s []float64, k tree.Scenario, depth, action int) (next []float64, out bcpace.Outcome, latent int32) {
	x.walk.Start(s, int(k.Hidden))
	reward := x.step(k.Number, depth, action)
	return x.walk.State, bcpace.Outcome{Reward: reward, Done: x.walk.Done}, int32(x.walk.Latent)
}

// Leaf implements tree.ScenarioWorld.
func (x *search) Leaf(ctx context.Context, s []float64, at []tree.Scenario, depth int) (base float64, action int, upper float64, err error) {
	base, action, err = x.lower(ctx, s, at, depth)
	return base, action, x.upper(s, at), err
}

// upper returns the mean of what the scenarios of a leaf can earn where their latents are
// known.
func (x *search) upper(s []float64, at []tree.Scenario) float64 {
	sum := 0.0
	for _, k := range at {
		sum += x.value(s, int(k.Hidden))
	}
	return sum / float64(len(at))
}

// value returns the largest Q(s, φ, a).
func (x *search) value(s []float64, latent int) float64 {
	if x.known != nil {
		return x.known.Max(s, latent)
	}
	top := math.Inf(-1)
	for a := range x.spec.Actions {
		top = max(top, x.values.Q(s, latent, a))
	}
	return top
}

// lower returns the mean of what a default policy earns in the scenarios of a leaf from a
// depth on, and the action that it takes first. The error is that of ctx.
func (x *search) lower(ctx context.Context, s []float64, at []tree.Scenario, depth int) (value float64, action int, err error) {
	if !x.stated {
		return x.played(ctx, s, at, depth)
	}
	if err := ctx.Err(); err != nil {
		return 0, 0, err
	}
	value, action = x.bounds.Lower(s, x.mixed(at))
	return value, action, nil
}

// mixed returns the distribution of the latents of scenarios, a view that holds until the next call.
func (x *search) mixed(at []tree.Scenario) bcpace.Belief {
	clear(x.mix)
	for _, k := range at {
		x.mix[k.Hidden]++
	}
	for φ := range x.mix {
		x.mix[φ] /= float64(len(at))
	}
	return x.mix
}

// played is lower by the better of one action for ever and what is best for the latent of most
// scenarios.
func (x *search) played(ctx context.Context, s []float64, at []tree.Scenario, depth int) (value float64, action int, err error) {
	if value, err = x.play(ctx, s, at, depth, func([]float64, int) int { return x.blind }); err != nil {
		return 0, 0, err
	}
	likely := x.likeliest(at)
	x.path, x.actions = x.path[:0], x.actions[:0]
	told, err := x.play(ctx, s, at, depth, func(s []float64, step int) int { return x.planned(s, step, likely) })
	if told > value && err == nil {
		return told, x.actions[0], nil
	}
	return value, x.blind, err
}

// likeliest returns the latent of most scenarios, the first of equal ones.
func (x *search) likeliest(at []tree.Scenario) int {
	best := at[0].Hidden
	for _, k := range at {
		x.count[k.Hidden]++
		if n := x.count[k.Hidden]; n > x.count[best] || n == x.count[best] && k.Hidden < best {
			best = k.Hidden
		}
	}
	for _, k := range at {
		x.count[k.Hidden] = 0
	}
	return int(best)
}

// planned returns the best action for a latent after so many steps. It keeps the plan of the
// scenario that got farthest, which the others mostly follow.
func (x *search) planned(s []float64, step, latent int) int {
	axes := len(s)
	if step < len(x.actions) && slices.Equal(s, x.path[step*axes:(step+1)*axes]) {
		return x.actions[step]
	}
	if x.move != nil { // the latent that was assumed has moved with the steps
		for i := range min(step, len(x.actions)) {
			latent = x.move(x.path[i*axes:(i+1)*axes], x.actions[i], latent)
		}
	}
	best, top := 0, math.Inf(-1)
	for a := range x.spec.Actions {
		if q := x.values.Q(s, latent, a); q > top {
			best, top = a, q
		}
	}
	if step == len(x.actions) {
		x.path, x.actions = append(x.path, s...), append(x.actions, best)
	}
	return best
}

// play returns the mean return of scenarios from a state and depth on. Where the depth of the tree cuts a scenario whose latent costs from
// there on, even if it is known, that counts, as it does in the upper bound. The error is that of ctx.
func (x *search) play(ctx context.Context, s []float64, at []tree.Scenario, depth int, act func(s []float64, step int) int) (mean float64, err error) {
	for _, k := range at {
		x.walk.Start(s, int(k.Hidden))
		weight := 1.0
		for step := 0; depth+step < x.depth && !x.walk.Done; step++ {
			if err := online.Glance(ctx, step); err != nil {
				return 0, err
			}
			mean += weight * x.step(k.Number, depth+step, act(x.walk.State, step))
			weight *= x.spec.Discount
		}
		if !x.walk.Done {
			mean += weight * min(0, x.value(x.walk.State, x.walk.Latent))
		}
	}
	return mean / float64(len(at)), nil
}

// chooseDefault sets the best action for ever, and whether the model's own lower bound counts: where at the root it
// is no less than what is played there. As the bound knows no depth, that is played to the end, and not to the depth of
// the tree. The error is that of ctx.
func (x *search) chooseDefault(ctx context.Context, s []float64, at []tree.Scenario) error {
	top := math.Inf(-1)
	for a := range x.spec.Actions {
		v, err := x.play(ctx, s, at, 0, func([]float64, int) int { return a })
		if err != nil {
			return err
		}
		if v > top {
			top, x.blind = v, a
		}
	}
	if x.bounds == nil {
		return nil
	}
	played, _, err := x.played(ctx, s, at, min(0, x.depth-solverkit.SearchDepth(x.spec)))
	if err != nil {
		return err
	}
	stated, _ := x.bounds.Lower(s, x.mixed(at))
	x.stated = stated >= played
	return nil
}

// Top implements online.Shower: probabilities are shares of the scenarios, visits are trials,
// and values are ℓ of a scenario. Beliefs are exact.
func (x *search) Top(most int) ([]bcpace.SearchNode, error) {
	if len(x.Nodes) == 0 {
		return nil, nil
	}
	nodes := online.Top(most, x.Visits, x.Follow, func(number int32) bcpace.SearchNode {
		n := &x.Nodes[number]
		shown := bcpace.SearchNode{
			State: slices.Clone(x.State(number)), Depth: int(n.Depth),
			Value: n.Lo / x.Weight(number), Lower: math.Inf(-1), Upper: math.Inf(1), Best: x.Best(number),
		}
		if n.Edge != tree.None {
			from := x.Edges[n.Edge].Node
			shown.Action, shown.Prob = int(n.Edge-x.Nodes[from].First), float64(x.Count(number))/float64(x.Count(from))
		}
		return shown
	})
	return nodes, online.UpdateBeliefs(nodes, x.bayes, x.belief)
}
