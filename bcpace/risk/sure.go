package risk

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/controller"
	"bayescpace/bcpace/internal/num"
)

// sure is the largest return that a policy can be sure of, whatever happens: the value of a game against chance, in which the agent knows the state
// and which latents are possible. No policy has a CVaR below it that knows how to earn it. Each policy has a return of that or less with some
// probability, which bounds its CVaR from above.
type sure struct {
	low, high float64 // of that return
	prob      float64 // with which each policy has a return of high or less, at least
	game      *game   // the policy that is sure of low; nil for any
}

// upper bounds the CVaR of a share of each policy, whose returns are most at most.
func (g sure) upper(share, most float64) float64 {
	q := min(g.prob/share, 1)
	return sumAbove(q*g.high, (1-q)*most)
}

// game is the value at each node of what may happen. As a Policy of its model it is the one that is sure of most.
type game struct {
	*controller.SupportGraph
	low, high, prob []float64 // by node
	action          []int     // by node: the one for low
}

// sureReturn bounds the largest sure return of a target without a level. Where the game is too large, it is what paths tell: each policy
// is sure of the worst path, and no policy of more than the best. The error is that of ctx or of the model.
func (p *problem) sureReturn(ctx context.Context, t *target) (sure, error) {
	m, _ := bcpace.AsFinite(t.model())
	g, err := newGame(ctx, m, func(number int32) (low, high float64) {
		inner := t.states[number] >> 32
		return p.paths.low[inner], p.paths.high[inner]
	})
	if err != nil || g == nil {
		return sure{low: p.least, high: p.most}, err
	}
	found := sure{low: math.Inf(1), high: math.Inf(1), game: g}
	for _, x := range g.Starts {
		found.low = min(found.low, g.low[x.Node])
		if g.high[x.Node] < found.high {
			found.high, found.prob = g.high[x.Node], x.Prob*g.prob[x.Node]
		}
	}
	found.low, found.high = max(found.low, p.least), min(found.high, p.most)
	return found, nil
}

// newGame lists and solves the game of a model, where returns from a state with a number are from low to high. It is nil where the game is too large. The error is that of ctx or of the model.
func newGame(ctx context.Context, m bcpace.Finite, returns func(number int32) (low, high float64)) (*game, error) {
	all, err := controller.SupportOf(ctx, m, paid)
	if err != nil || all == nil {
		return nil, err
	}
	g := &game{SupportGraph: all}
	g.solve(ctx, returns)
	return g, nil
}

// Act implements Policy.
func (g *game) Act(s []float64, b bcpace.Belief, _ *rand.Rand) int {
	n := g.Find(g.Model.StateIndex(s), b)
	if n == controller.None {
		return -1
	}
	return g.action[n]
}

// paid returns the reward of a step, which is the same under all latents with weights above 0.
func paid(_ []float64, _ int, _, weights, reward []float64) float64 {
	for φ, w := range weights {
		if w > 0 {
			return reward[φ]
		}
	}
	return 0
}

// solve bounds the value of the game at each node, and the probability with which what it says is no more. Bounds hold after each sweep,
// of which there are no more once ctx ends.
func (g *game) solve(ctx context.Context, returns func(number int32) (low, high float64)) {
	nodes, actions := len(g.State), len(g.Spec.Actions)
	for _, number := range g.State {
		low, high := returns(number)
		g.low, g.high = append(g.low, low), append(g.high, high)
	}
	best, width := slices.Clone(g.high), slices.Max(g.high)-slices.Min(g.low)
	g.prob, g.action = make([]float64, nodes), make([]int, nodes)
	for change, k := true, 0; change && k < sweeps && ctx.Err() == nil; k++ {
		change = false
		for n := nodes - 1; n >= 0; n-- {
			low, high := math.Inf(-1), math.Inf(-1)
			for a := range actions {
				low, high = max(low, g.worst(n, a, g.low, -rounded)), max(high, g.worst(n, a, g.high, rounded))
			}
			if low > g.low[n] || high < g.high[n] {
				change = change || low > g.low[n] && moved(g.low[n], low, width) || high < g.high[n] && moved(g.high[n], high, width)
				g.low[n], g.high[n] = max(g.low[n], low), min(g.high[n], high)
			}
		}
	}
	for n := range nodes {
		_, g.action[n] = num.Largest(actions, func(a int) float64 { return g.worst(n, a, g.low, -rounded) })
	}
	for change, k := true, 0; change && k < sweeps && ctx.Err() == nil; k++ {
		change = false
		for n := nodes - 1; n >= 0; n-- {
			least := 1.0
			if best[n] > g.high[n] {
				for a := range actions {
					least = min(least, g.falls(n, a))
				}
			}
			change = change || least > g.prob[n]
			g.prob[n] = max(g.prob[n], least)
		}
	}
}

// worst returns the least that an action at a node is worth, as worth says.
func (g *game) worst(n, a int, value []float64, wrong float64) float64 {
	least := math.Inf(1)
	for _, b := range g.Branches(n, a) {
		least = min(least, g.worth(b, value, wrong))
	}
	return least
}

// worth returns what a branch is worth by values of nodes, and a share more of the numbers that this is computed from.
func (g *game) worth(b controller.Follower, value []float64, wrong float64) float64 {
	later := 0.0
	if b.To != controller.None {
		later = g.Spec.Discount * value[b.To]
	}
	return b.Pays + later + wrong*(math.Abs(b.Pays)+math.Abs(later))
}

// falls returns the probability with which an action at a node is followed by no more than the value there, at least: that of the likeliest
// branch that is worth no more.
func (g *game) falls(n, a int) (most float64) {
	for _, b := range g.Branches(n, a) {
		switch {
		case g.worth(b, g.high, rounded) > g.high[n]:
		case b.To == controller.None:
			most = max(most, b.Prob)
		default:
			most = max(most, b.Prob*g.prob[b.To])
		}
	}
	return most
}
