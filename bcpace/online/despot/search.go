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
	blind  int                // the action that is best if it is always taken, at the root

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
func (se *search) Root(s []float64, b bcpace.Belief) {
	copy(se.belief, b)
	se.Reset(s)
}

// Draw implements tree.ScenarioWorld: latents are drawn at equal distances of the belief's distribution.
func (se *search) Draw(ctx context.Context, s []float64, rng *rand.Rand) ([]tree.Scenario, error) {
	se.seed = rng.Uint64()
	se.roots = se.roots[:0]
	tree.Systematic(se.number, rng.Float64(), se.belief, func(k, φ int) {
		se.roots = append(se.roots, tree.Scenario{Number: int32(k), Hidden: int32(φ)})
	})
	return se.roots, se.chooseDefault(ctx, s, se.roots)
}

// Full implements tree.ScenarioWorld: a scenario takes little.
func (se *search) Full() bool { return false }

// step takes an action in a scenario that is where the walk is.
func (se *search) step(number int32, depth, action int) (reward float64) {
	se.pcg.Seed(se.seed^uint64(number), uint64(depth))
	return se.walk.Step(action, se.rng)
}

// Step implements tree.ScenarioWorld.
func (se *search) Step(s []float64, k tree.Scenario, depth, action int) (next []float64, out bcpace.Outcome, latent int32) {
	se.walk.Start(s, int(k.Hidden))
	reward := se.step(k.Number, depth, action)
	return se.walk.State, bcpace.Outcome{Reward: reward, Done: se.walk.Done}, int32(se.walk.Latent)
}

// Leaf implements tree.ScenarioWorld.
func (se *search) Leaf(ctx context.Context, s []float64, at []tree.Scenario, depth int) (base float64, action int, upper float64, err error) {
	base, action, err = se.lower(ctx, s, at, depth)
	return base, action, se.upper(s, at), err
}

// upper returns the mean of what the scenarios of a leaf can earn where their latents are
// known.
func (se *search) upper(s []float64, at []tree.Scenario) float64 {
	sum := 0.0
	for _, k := range at {
		sum += se.value(s, int(k.Hidden))
	}
	return sum / float64(len(at))
}

// value returns the largest Q(s, φ, a).
func (se *search) value(s []float64, latent int) float64 {
	if se.known != nil {
		return se.known.Max(s, latent)
	}
	top := math.Inf(-1)
	for a := range se.spec.Actions {
		top = max(top, se.values.Q(s, latent, a))
	}
	return top
}

// lower returns the mean of what a default policy earns in the scenarios of a leaf from a
// depth on, and the action that it takes first. The error is that of ctx.
func (se *search) lower(ctx context.Context, s []float64, at []tree.Scenario, depth int) (value float64, action int, err error) {
	if !se.stated {
		return se.played(ctx, s, at, depth)
	}
	if err := ctx.Err(); err != nil {
		return 0, 0, err
	}
	value, action = se.bounds.Lower(s, se.mixed(at))
	return value, action, nil
}

// mixed returns the distribution of the latents of scenarios, a view that holds until the next call.
func (se *search) mixed(at []tree.Scenario) bcpace.Belief {
	clear(se.mix)
	for _, k := range at {
		se.mix[k.Hidden]++
	}
	for φ := range se.mix {
		se.mix[φ] /= float64(len(at))
	}
	return se.mix
}

// played is lower by the better of one action always and what is best for the latent of most
// scenarios.
func (se *search) played(ctx context.Context, s []float64, at []tree.Scenario, depth int) (value float64, action int, err error) {
	if value, err = se.play(ctx, s, at, depth, func([]float64, int) int { return se.blind }); err != nil {
		return 0, 0, err
	}
	likely := se.likeliest(at)
	se.path, se.actions = se.path[:0], se.actions[:0]
	told, err := se.play(ctx, s, at, depth, func(s []float64, step int) int { return se.planned(s, step, likely) })
	if told > value && err == nil {
		return told, se.actions[0], nil
	}
	return value, se.blind, err
}

// likeliest returns the latent of most scenarios, the first of equal ones.
func (se *search) likeliest(at []tree.Scenario) int {
	best := at[0].Hidden
	for _, k := range at {
		se.count[k.Hidden]++
		if n := se.count[k.Hidden]; n > se.count[best] || n == se.count[best] && k.Hidden < best {
			best = k.Hidden
		}
	}
	for _, k := range at {
		se.count[k.Hidden] = 0
	}
	return int(best)
}

// planned returns the best action for a latent after so many steps. It keeps the plan of the
// scenario that got farthest, which the others mostly follow.
func (se *search) planned(s []float64, step, latent int) int {
	axes := len(s)
	if step < len(se.actions) && slices.Equal(s, se.path[step*axes:(step+1)*axes]) {
		return se.actions[step]
	}
	if se.move != nil { // the latent that was assumed has moved with the steps
		for i := range min(step, len(se.actions)) {
			latent = se.move(se.path[i*axes:(i+1)*axes], se.actions[i], latent)
		}
	}
	best, top := 0, math.Inf(-1)
	for a := range se.spec.Actions {
		if q := se.values.Q(s, latent, a); q > top {
			best, top = a, q
		}
	}
	if step == len(se.actions) {
		se.path, se.actions = append(se.path, s...), append(se.actions, best)
	}
	return best
}

// play returns the mean return of scenarios from a state and depth on. Where the depth of the tree cuts a scenario whose latent costs from
// there on, even if it is known, that counts, as it does in the upper bound. The error is that of ctx.
func (se *search) play(ctx context.Context, s []float64, at []tree.Scenario, depth int, act func(s []float64, step int) int) (mean float64, err error) {
	for _, k := range at {
		se.walk.Start(s, int(k.Hidden))
		weight := 1.0
		for step := 0; depth+step < se.depth && !se.walk.Done; step++ {
			if err := online.Glance(ctx, step); err != nil {
				return 0, err
			}
			mean += weight * se.step(k.Number, depth+step, act(se.walk.State, step))
			weight *= se.spec.Discount
		}
		if !se.walk.Done {
			mean += weight * min(0, se.value(se.walk.State, se.walk.Latent))
		}
	}
	return mean / float64(len(at)), nil
}

// chooseDefault sets the action that is best if it is always taken, and whether the model's own lower bound counts: where at the root it
// is no less than what is played there. As the bound knows no depth, that is played to the end, and not to the depth of
// the tree. The error is that of ctx.
func (se *search) chooseDefault(ctx context.Context, s []float64, at []tree.Scenario) error {
	top := math.Inf(-1)
	for a := range se.spec.Actions {
		v, err := se.play(ctx, s, at, 0, func([]float64, int) int { return a })
		if err != nil {
			return err
		}
		if v > top {
			top, se.blind = v, a
		}
	}
	if se.bounds == nil {
		return nil
	}
	played, _, err := se.played(ctx, s, at, min(0, se.depth-solverkit.SearchDepth(se.spec)))
	if err != nil {
		return err
	}
	stated, _ := se.bounds.Lower(s, se.mixed(at))
	se.stated = stated >= played
	return nil
}

// Top implements online.Shower: probabilities are shares of the scenarios, visits are trials,
// and values are ℓ of a scenario. Beliefs are exact.
func (se *search) Top(most int) ([]bcpace.SearchNode, error) {
	if len(se.Nodes) == 0 {
		return nil, nil
	}
	nodes := online.Top(most, se.Visits, se.Follow, func(number int32) bcpace.SearchNode {
		n := &se.Nodes[number]
		shown := bcpace.SearchNode{
			State: slices.Clone(se.State(number)), Depth: int(n.Depth),
			Value: n.Lo / se.Weight(number), Lower: math.Inf(-1), Upper: math.Inf(1), Best: se.Best(number),
		}
		if n.Edge != tree.None {
			from := se.Edges[n.Edge].Node
			shown.Action, shown.Prob = int(n.Edge-se.Nodes[from].First), float64(se.Count(number))/float64(se.Count(from))
		}
		return shown
	})
	return nodes, online.UpdateBeliefs(nodes, se.bayes, se.belief)
}
