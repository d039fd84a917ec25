package pointbased

import (
	"context"
	"slices"

	"bayescpace/bcpace/internal/mdp"
)

const (
	// liftSweeps bounds the sweeps for lift.
	liftSweeps = 20_000
	// liftShare is by how much no lift grows any more where they are done, as a share of the most that is paid in the component.
	liftShare = 1e-12
	// lossShare is what all that can be repeated must lose for each step, in the long run, as a share of that pay: less cannot be told
	// from nothing.
	lossShare = 1e-9
)

// surplus is how a model is refused in which something above 0 can be had again and again.
type surplus int

const (
	none     surplus = iota
	pure             // alone
	round            // with what brings it back, which does not cost as much
	balanced         // with what brings it back, which costs as much, but for rounding
)

// raise finds lift, and lifted by it. It returns the row of a reward above 0 that can be had again and again and is not paid for
// by what brings it back, and how, −1 for none. Where ctx ends before, neither matters.
//
// Rewards in an end component may be of either sign. The lift h of a state is the most that can be earned within its
// component before one leaves it, h(s) = max(0, max_a r + Σ P h) over the rows that stay. It is finite where every policy that
// stays loses in the long run. With the rewards r + Σ P h − h, which are not above 0 on these rows, every policy that ends earns
// less by what its start is lifted, as the sum of the differences telescopes: this is a potential (Ng, Harada and Russell 1999,
// "Policy Invariance Under Reward Transformations"). One that never ends earns h(s) at most less the limit of
// its lifts, and so no more than that.
//
// It may be finite too where a round gains nothing and loses nothing: the mean of a fair game is 0 however one stops at a time that is
// bounded. But who leaves it once it has paid enough earns more than any number, as it does so some day. So h is of rewards that are a
// little higher, of all rows but those by which one can move without end for nothing, between states that are taken for one.
// It is finite then only where all that is repeated loses, and the rewards r + Σ P h − h of these rows are below 0, rounding included.
func (g *GoalStates) raise(ctx context.Context) (row int, how surplus) {
	g.lifted, g.lift = g.mdp, make([]float64, g.mdp.States())
	pays := make([]float64, len(g.lift)) // by component: the most that a row that stays in it pays
	some := false
	for row, stays := range g.stays {
		if r := g.mdp.Reward[row]; stays && r > 0 {
			if g.earns || g.returns(row) {
				return row, pure
			}
			c := g.of[row/g.mdp.Actions]
			pays[c], some = max(pays[c], r), true
		}
	}
	if !some {
		return -1, none
	}
	of, free := g.mdp.EndComponents(ctx, func(row int) bool { return g.mdp.Reward[row] == 0 })
	if ctx.Err() != nil {
		return -1, none
	}
	groups := g.mdp.Collapse(of, free)
	var rows []int
	for row, stays := range g.stays {
		if stays && !free[row] && pays[g.of[row/g.mdp.Actions]] > 0 {
			rows = append(rows, row)
		}
	}
	lift, row := g.climb(ctx, groups, rows, pays, lossShare)
	if row >= 0 {
		if _, other := g.climb(ctx, groups, rows, pays, 0); other >= 0 {
			return other, round
		}
		return row, balanced
	}
	for s, k := range groups.Of {
		g.lift[s] = lift[k]
	}
	lifted := *g.mdp
	lifted.Reward = make([]float64, len(g.mdp.Reward))
	for row, r := range g.mdp.Reward {
		switch {
		case free[row]:
		case g.mdp.Row[row] == g.mdp.Row[row+1]: // an end, and a state that is not reached
			lifted.Reward[row] = r
		default:
			lifted.Reward[row] = g.mdp.Backup(g.lift, row) - g.lift[row/g.mdp.Actions]
		}
	}
	g.lifted = &lifted
	return -1, none
}

// climb returns lifts by group, with a share of what is paid more for each of the rows. Where they are not finite, or too large to be told from
// those that grow, it returns the row that pays most in such a component, otherwise −1.
func (g *GoalStates) climb(ctx context.Context, groups *mdp.Groups, rows []int, pays []float64, share float64) (lift []float64, row int) {
	lift = make([]float64, groups.Len())
	rising := int32(-1) // a component whose lifts grow
	for range liftSweeps {
		rising = -1
		for _, row := range rows {
			c, k := g.of[row/g.mdp.Actions], groups.Of[row/g.mdp.Actions]
			if x := groups.Ahead(lift, row) + share*pays[c]; x > lift[k] {
				if x-lift[k] > liftShare*pays[c] {
					rising = c
				}
				lift[k] = x
			}
		}
		if rising < 0 || ctx.Err() != nil {
			break
		}
	}
	unit := (&mdp.MDP{Row: g.mdp.Row, Reward: make([]float64, len(g.mdp.Reward))}).Rounding()
	for s, k := range groups.Of {
		if c := g.of[s]; share > 0 && c >= 0 && unit(2*lift[k]+pays[c]) > share*pays[c]/4 && pays[c] > 0 {
			rising = c
		}
	}
	row = -1
	for _, other := range rows {
		if rising >= 0 && g.of[other/g.mdp.Actions] == rising && (row < 0 || g.mdp.Reward[other] > g.mdp.Reward[row]) {
			row = other
		}
	}
	return lift, row
}

// returns reports whether a row leads back to its own state for certain.
func (g *GoalStates) returns(row int) bool {
	follow := g.mdp.Col[g.mdp.Row[row]:g.mdp.Row[row+1]]
	return !slices.ContainsFunc(follow, func(to int32) bool { return int(to) != row/g.mdp.Actions })
}
