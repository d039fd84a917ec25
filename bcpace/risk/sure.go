package risk

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/intern"
	"bayescpace/bcpace/internal/moves"
	"bayescpace/bcpace/solverkit"
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
	return q*g.high + (1-q)*most
}

// game is the graph of what may happen, by state and possible latents. As a Policy of its model it is the one that is sure of most.
type game struct {
	model    bcpace.Finite
	spec     bcpace.Spec // of model
	mover    *moves.Mover
	index    intern.Index
	state    []int32
	possible [][]bool // by node and latent
	start    []start
	first    []int32 // the branches of node n and action a are first[n·actions+a] to first[n·actions+a+1]
	branch   []branch

	low, high, prob []float64 // by node
	action          []int     // by node: the one for low
}

// start is a node in which an episode may begin, and its probability under each latent that is possible then, at least.
type start struct {
	node int32
	prob float64
}

// branch is what may follow an action.
type branch struct {
	to     int32 // none where the episode ends
	reward float64
	prob   float64 // of it, under each latent that is possible after it, at least
}

const (
	none = -1
	// mostBranches are how many branches a game may have, some 100 MB.
	mostBranches = 4_000_000
)

// sureReturn bounds the largest sure return of a target without a level. Where the game is too large, it is what paths tell: each policy
// is sure of the worst path, and no policy of more than the best. The error is that of ctx or of the model.
func (p *problem) sureReturn(ctx context.Context, t *target) (sure, error) {
	m, _ := bcpace.AsFinite(t.model())
	g, err := newGame(ctx, m, func(number int32) (low, high float64) {
		inner := t.states[number] >> 32
		return p.paths.low[inner], p.paths.high[inner]
	}, t.slip)
	if err != nil || g == nil {
		return sure{low: p.least, high: p.most}, err
	}
	found := sure{low: math.Inf(1), high: math.Inf(1), game: g}
	for _, x := range g.start {
		found.low = min(found.low, g.low[x.node])
		if g.high[x.node] < found.high {
			found.high, found.prob = g.high[x.node], x.prob*g.prob[x.node]
		}
	}
	slack := p.slack(t)
	found.low, found.high = max(found.low-slack, p.least), min(found.high+slack+t.slip, p.most)
	return found, nil
}

// newGame lists and solves the game of a model, where returns from a state with a number are from low to high. Returns that differ by slip
// are one. It is nil where the game is too large. The error is that of ctx or of the model.
func newGame(ctx context.Context, m bcpace.Finite, returns func(number int32) (low, high float64), slip float64) (*game, error) {
	g := &game{model: m, spec: m.Spec(), mover: solverkit.NewMover(m), first: []int32{0}}
	var z bcpace.Successors
	if err := z.ListStarts(m); err != nil {
		return nil, err
	}
	prior := make(bcpace.Belief, len(g.spec.Latents))
	m.Prior(prior)
	weights := make(bcpace.Belief, len(prior))
	for i := range z.Len() {
		s, prob, _ := z.Row(i)
		for φ, q := range prob {
			weights[φ] = q * prior[φ]
		}
		if least, possible := leastOf(weights); possible {
			g.start = append(g.start, start{g.node(m.StateIndex(s), weights), least})
		}
	}
	if fits, err := g.list(ctx); err != nil || !fits {
		return nil, err
	}
	g.solve(ctx, returns, slip)
	return g, nil
}

// leastOf returns the least of the numbers above 0, if there is one.
func leastOf(list []float64) (least float64, there bool) {
	least = math.Inf(1)
	for _, x := range list {
		if x > 0 {
			least = min(least, x)
		}
	}
	return least, !math.IsInf(least, 1)
}

// find returns the node of a state where the latents with weights above 0 are possible, or none, and its hash.
func (g *game) find(state int, weights []float64) (n int32, hash uint64) {
	hash = intern.Mixed(0, uint64(state))
	for φ, w := range weights {
		if w > 0 {
			hash = intern.Mixed(hash, uint64(φ))
		}
	}
	return g.index.Find(hash, func(k int32) bool {
		return int(g.state[k]) == state && slices.EqualFunc(g.possible[k], weights, func(yes bool, w float64) bool { return yes == (w > 0) })
	}), hash
}

// node returns the node of a state where the latents with weights above 0 are possible, a new one where there is none.
func (g *game) node(state int, weights []float64) int32 {
	n, hash := g.find(state, weights)
	if n != none {
		return n
	}
	possible := make([]bool, len(weights))
	for φ, w := range weights {
		possible[φ] = w > 0
	}
	g.state, g.possible = append(g.state, int32(state)), append(g.possible, possible)
	return g.index.Add(hash)
}

// Act implements Policy.
func (g *game) Act(s []float64, b bcpace.Belief, _ *rand.Rand) int {
	n, _ := g.find(g.model.StateIndex(s), b)
	if n == none {
		return -1
	}
	return g.action[n]
}

// list lists the branches of all nodes, and reports whether they are not too many.
func (g *game) list(ctx context.Context) (fits bool, err error) {
	list, s, latents := bcpace.NewLister(g.model), make([]float64, len(g.spec.Axes)), len(g.spec.Latents)
	var rows moves.Rows
	weights, unit, to := make([]float64, latents), make([]float64, latents), make([]float64, latents)
	for n := 0; n < len(g.state); n++ {
		for a := range g.spec.Actions {
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
			if len(g.branch)+len(g.state)*latents/8 > mostBranches {
				return false, nil
			}
			g.model.StateAt(s, int(g.state[n]))
			if err := list.List(s, a); err != nil {
				return false, err
			}
			moving := g.mover != nil && g.mover.Fill(&rows, s, a, nil)
			z := &list.Successors
			for i := range z.Len() {
				next, prob, reward := z.Row(i)
				for φ, q := range prob {
					if weights[φ] = 0; g.possible[n][φ] {
						weights[φ] = q
					}
				}
				least, possible := leastOf(weights)
				if !possible {
					continue
				}
				b := branch{to: none, reward: paid(weights, reward), prob: least}
				if !z.Done[i] {
					after := weights
					if moving {
						after, b.prob = g.moved(to, unit, weights, &rows), b.prob*leastMove(&rows)
					}
					b.to = g.node(g.model.StateIndex(next), after)
				}
				g.branch = append(g.branch, b)
			}
			g.first = append(g.first, int32(len(g.branch)))
		}
	}
	return true, nil
}

// paid returns the reward of a step, which is the same under all latents with weights above 0.
func paid(weights, reward []float64) float64 {
	for φ, w := range weights {
		if w > 0 {
			return reward[φ]
		}
	}
	return 0
}

// moved sets to to weights above 0 for the latents that are possible after the latent has moved.
func (g *game) moved(to, unit, weights []float64, rows *moves.Rows) []float64 {
	for φ, w := range weights {
		if unit[φ] = 0; w > 0 {
			unit[φ] = 1
		}
	}
	rows.Move(to, unit, 0)
	return to
}

// leastMove returns the least probability above 0 with which a latent moves to another one or stays.
func leastMove(rows *moves.Rows) float64 {
	least := 1.0
	for _, p := range rows.Share {
		if p > 0 {
			least = min(least, p)
		}
	}
	return least
}

// solve bounds the value of the game at each node, and the probability with which what it says is no more. Bounds hold after each sweep,
// of which there are no more once ctx ends.
func (g *game) solve(ctx context.Context, returns func(number int32) (low, high float64), slip float64) {
	nodes, actions := len(g.state), len(g.spec.Actions)
	for _, number := range g.state {
		low, high := returns(number)
		g.low, g.high = append(g.low, low), append(g.high, high)
	}
	best := slices.Clone(g.high)
	g.prob, g.action = make([]float64, nodes), make([]int, nodes)
	for change, k := true, 0; change && k < sweeps && ctx.Err() == nil; k++ {
		change = false
		for n := nodes - 1; n >= 0; n-- {
			low, high := math.Inf(-1), math.Inf(-1)
			for a := range actions {
				low, high = max(low, g.worst(n, a, g.low)), max(high, g.worst(n, a, g.high))
			}
			if low > g.low[n] || high < g.high[n] {
				change = change || low > g.low[n]+slip || high < g.high[n]-slip
				g.low[n], g.high[n] = max(g.low[n], low), min(g.high[n], high)
			}
		}
	}
	for n := range nodes {
		most := math.Inf(-1)
		for a := range actions {
			if worst := g.worst(n, a, g.low); worst > most {
				g.action[n], most = a, worst
			}
		}
	}
	for change, k := true, 0; change && k < sweeps && ctx.Err() == nil; k++ {
		change = false
		for n := nodes - 1; n >= 0; n-- {
			least := 1.0
			if best[n] > g.high[n]+slip {
				for a := range actions {
					least = min(least, g.falls(n, a))
				}
			}
			change = change || least > g.prob[n]
			g.prob[n] = max(g.prob[n], least)
		}
	}
}

// branches returns what may follow an action at a node.
func (g *game) branches(n, a int) []branch {
	at := n*len(g.spec.Actions) + a
	return g.branch[g.first[at]:g.first[at+1]]
}

// worst returns the least that an action at a node is worth.
func (g *game) worst(n, a int, value []float64) float64 {
	least := math.Inf(1)
	for _, b := range g.branches(n, a) {
		least = min(least, g.worth(b, value))
	}
	return least
}

// worth returns what a branch is worth by values of nodes.
func (g *game) worth(b branch, value []float64) float64 {
	if b.to == none {
		return b.reward
	}
	return b.reward + g.spec.Discount*value[b.to]
}

// falls returns the probability with which an action at a node is followed by no more than the value there, at least: that of the likeliest
// branch that is worth no more.
func (g *game) falls(n, a int) (most float64) {
	for _, b := range g.branches(n, a) {
		switch {
		case g.worth(b, g.high) > g.high[n]:
		case b.to == none:
			most = max(most, b.prob)
		default:
			most = max(most, b.prob*g.prob[b.to])
		}
	}
	return most
}
