package pointbased

import (
	"context"
	"math"

	"bayescpace/bcpace/internal/mdp"
)

// liftSweeps bounds the sweeps for lift.
const liftSweeps = 20_000

// liftShare is what is taken for rounding in lift, as a share of the largest reward.
const liftShare = 1e-12

// raise finds lift, and lifted by it. It returns the row of a reward above 0 that can be had again and again and is not paid for
// by what brings it back, −1 for none, and whether other rewards of the component may be below 0. Where ctx ends before, neither matters.
//
// Rewards in an end component may be of either sign. The lift h of a state is the most that can be earned within its
// component before one leaves it, h(s) = max(0, max_a r + Σ P h) over the rows that stay. It is finite where every policy that
// stays loses in the long run. With the rewards r + Σ P h − h, which are not above 0 on these rows, every policy that ends earns
// less by what its start is lifted, as the sum of the differences telescopes: this is a potential (Ng, Harada and Russell 1999,
// "Policy Invariance Under Reward Transformations"). One that never ends earns h(s) at most less the limit of
// its lifts, and so no more than that.
func (g *Goal) raise(ctx context.Context) (row int, round bool) {
	g.lifted, g.lift = g.mdp, make([]float64, g.mdp.States())
	pays := make([]bool, len(g.lift)+1) // by component: some row that stays in it pays; the last is for none
	some := false
	for row, stays := range g.stays {
		if r := g.mdp.Reward[row]; stays && r > 0 {
			if g.earns || g.returns(row) {
				return row, false
			}
			pays[g.of[row/g.mdp.Actions]], some = true, true
		}
	}
	if !some {
		return -1, false
	}
	scale := mdp.MaxAbs(g.mdp.Reward)
	var rows []int
	for row, stays := range g.stays {
		if stays && pays[g.of[row/g.mdp.Actions]] {
			rows = append(rows, row)
		}
	}
	rising := int32(-1) // a component whose lifts grow
	for range liftSweeps {
		if ctx.Err() != nil {
			return -1, false
		}
		rising = -1
		for _, row := range rows {
			s := row / g.mdp.Actions
			if x := g.mdp.Backup(g.lift, row); x > g.lift[s] {
				if x-g.lift[s] > liftShare*scale {
					rising = g.of[s]
				}
				g.lift[s] = x
			}
		}
		if rising < 0 {
			break
		}
	}
	if rising >= 0 {
		best := -1
		for _, row := range rows {
			if g.of[row/g.mdp.Actions] == rising && (best < 0 || g.mdp.Reward[row] > g.mdp.Reward[best]) {
				best = row
			}
		}
		return best, true
	}
	lifted := *g.mdp
	lifted.Reward = make([]float64, len(g.mdp.Reward))
	for row, r := range g.mdp.Reward {
		if g.mdp.Row[row] == g.mdp.Row[row+1] { // an end, and a state that is not reached
			lifted.Reward[row] = r
			continue
		}
		r = g.mdp.Backup(g.lift, row) - g.lift[row/g.mdp.Actions]
		if g.stays[row] && math.Abs(r) <= 2*liftShare*scale {
			r = 0
		}
		lifted.Reward[row] = r
	}
	g.lifted = &lifted
	return -1, false
}

// returns reports whether a row leads back to its own state for certain.
func (g *Goal) returns(row int) bool {
	for _, to := range g.mdp.Col[g.mdp.Row[row]:g.mdp.Row[row+1]] {
		if int(to) != row/g.mdp.Actions {
			return false
		}
	}
	return true
}
