package pointbased

import (
	"context"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/internal/num"
)

// Lower bounds without a discount. The policy of a search takes the action of the highest vector, and its
// vectors are at most a backup of each other (see Set.Policy). That is no proof that it earns them where it
// may go on without an end: it may then put off without end what it is said to earn. So these vectors are of a
// problem in which going on costs something, and in which nobody earns more than in the true one:
//
//   - Where no reward is below 0, they have the discount endlessDiscount. With a discount, a policy
//     earns what is at most its backup, and without one it earns as much or more.
//   - Where no reward is above 0, no vector is either. So the highest one L is at most what the policy earns in n steps, and
//     with that at most what it earns. A step costs Problem.charge more, which is no less than its rounding.
//   - Otherwise every step costs Problem.charge more. Let L be the highest vector, and R_n what the policy π
//     earns in n steps, of which it takes N_n before an end. Then L(b) ≤ E R_n − charge·E N_n + E L(b_n).
//     L is bounded, and E R_n is bounded from above: with the rewards of Goal.lifted, which differ by the lifts of the
//     first and the last state, what pays more than 0 is in no end component, and so is
//     taken a bounded number of times, in the mean, whatever the policy. So E N_n is bounded as well, π ends, where
//     L is 0, and it earns L + charge·E N at least. That is also more than the rounding of all N backups, each of
//     which is below the charge.
//   - The vectors of a blind policy, and of one that waits, are 0, and cost nothing, in states where what it does is never paid for, again and again. A belief in
//     such states alone counts no step. Where the policy goes on without end, the mean number of steps that count is bounded as
//     before, so that the belief tends to such states, and there L tends to 0.

const (
	// endlessDiscount is γ of lower bounds where no reward is below 0: what is earned in a thousand steps
	// is worth a millionth less.
	endlessDiscount = 1 - 1e-9
	// chargeShare is the charge of a step as a share of the largest reward.
	chargeShare = 1e-9
)

// lower adds to each x the vectors of the policy that draws each action with the same probability, or waits (see Goal), and, where
// they end, those of the blind policies. A vector of the first one begins with one of the actions. It is not
// above its backup, as the highest of these vectors is not below the policy's value anywhere. The error is that of
// ctx, or a *bcpace.UnsupportedError where the policy takes too long.
func (g *GoalStates) lower(ctx context.Context, title string, p *SearchProblem, gamma []vectors) error {
	all := num.UpTo(p.NA)
	drawn := g.drawn(func(int) []int { return all })
	if g.earns {
		p.LowerDiscount = endlessDiscount
		g.addDrawn(p, gamma, g.rise(ctx, drawn, func(s int) int { return s }))
		for a := range p.NA {
			p.addBlind(gamma, a, g.rise(ctx, g.mdp, func(s int) int { return s*p.NA + a }), 0)
		}
		return ctx.Err()
	}
	rest := g.rests(p.NY)
	lost := make([]bool, len(rest)) // a dead state may follow what is drawn
	if g.dead != nil {
		drawn, lost = g.drawnSafely(p)
	}
	out := slices.Clone(rest)
	for s, is := range lost {
		out[s] = out[s] || is
	}
	var c mdp.MarkovChain
	c.Fix(drawn.Without(out), func(s int) int { return s })
	v := make([]float64, p.NX*p.NY)
	w, e, ok := c.Totals(ctx, v, 0)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !ok:
		return &bcpace.UnsupportedError{Model: p.Name, Algorithm: title, Need: "a policy that draws its actions at random and comes to an end: here it takes more steps than can be counted; or a discount below 1, or a horizon"}
	}
	if p.charge = 4 * g.mdp.Rounding()(mdp.MaxAbs(v)); !g.costs {
		p.charge = max(p.charge, chargeShare*mdp.MaxAbs(g.mdp.Reward))
	}
	for s := range v {
		v[s] -= (e + 2*p.charge) * w[s]
		if out[s] {
			v[s] = 0
		}
	}
	g.floor = min(g.floor, slices.Min(v))
	for s, is := range lost {
		if is {
			v[s] = never
		}
	}
	g.addDrawn(p, gamma, v)
	for a := range p.NA {
		g.addProper(ctx, p, gamma, a)
	}
	p.pay = make([][]float64, p.NA)
	for a := range p.pay {
		p.pay[a] = make([]float64, len(g.ends))
		for s, end := range g.ends {
			if !end {
				p.pay[a][s] = p.Reward[a][s] - p.charge
			}
		}
	}
	return ctx.Err()
}

// drawnSafely returns the process of a policy that draws, at each x, those actions that lead to no lost state from any other, with the same
// probability, and the states that are lost: dead ones, those of an x without such an action, and those from where the policy need not end.
func (g *GoalStates) drawnSafely(p *SearchProblem) (drawn *mdp.MDP, lost []bool) {
	lost = slices.Clone(g.dead)
	safe := make([][]int, p.NX)
	for again := true; again; {
		again = false
		for x := range safe {
			safe[x] = safe[x][:0]
			for a := range p.NA {
				if !g.risks(x, a, p.NY, lost) {
					safe[x] = append(safe[x], a)
				}
			}
		}
		drawn = g.drawn(func(s int) []int { return safe[s/p.NY] })
		ends := slices.Clone(g.ends)
		drawn.Predecessors().MarkAll(ends)
		for s, reaches := range ends {
			if !reaches && !lost[s] {
				lost[s], again = true, true
			}
		}
	}
	return drawn, lost
}

// risks reports whether action a leads from a state of x that is neither lost nor an end to a lost one.
func (g *GoalStates) risks(x, a, ny int, lost []bool) bool {
	for s := x * ny; s < (x+1)*ny; s++ {
		row := s*g.mdp.Actions + a
		if !lost[s] && !g.ends[s] && slices.ContainsFunc(g.mdp.Col[g.mdp.Row[row]:g.mdp.Row[row+1]], func(to int32) bool { return lost[to] }) {
			return true
		}
	}
	return false
}

// drawn returns the process of one action that takes each of some actions of the problem with the same probability: those of a state.
func (g *GoalStates) drawn(of func(s int) []int) *mdp.MDP {
	n := g.mdp.States()
	p := &mdp.MDP{Actions: 1, Discount: 1, Workers: g.mdp.Workers, Row: make([]int, 1, n+1), Reward: make([]float64, n),
		Col: make([]int32, 0, len(g.mdp.Col)), Weight: make([]float64, 0, len(g.mdp.Col))}
	place := make([]int, n) // of a successor among those of the state, plus 1
	for s := range n {
		first, actions := len(p.Col), of(s)
		share := 1 / float64(len(actions))
		for _, a := range actions {
			row := s*g.mdp.Actions + a
			p.Reward[s] += share * g.mdp.Reward[row]
			for i := g.mdp.Row[row]; i < g.mdp.Row[row+1]; i++ {
				to := g.mdp.Col[i]
				if place[to] == 0 {
					p.Col, p.Weight = append(p.Col, to), append(p.Weight, 0)
					place[to] = len(p.Col)
				}
				p.Weight[place[to]-1] += share * g.mdp.Weight[i]
			}
		}
		for _, to := range p.Col[first:] {
			place[to] = 0
		}
		p.Row = append(p.Row, len(p.Col))
	}
	return p
}

// riseSweeps bounds the sweeps for the values of a policy where no reward is below 0.
const riseSweeps = 2000

// rise returns values of the chain of some rows, with endlessDiscount: value iteration from 0, which is at most
// a backup of itself at any time.
func (g *GoalStates) rise(ctx context.Context, p *mdp.MDP, row func(s int) int) []float64 {
	v := make([]float64, p.States())
	tol := 1e-9 * mdp.MaxAbs(p.Reward)
	for k := 0; k < riseSweeps && ctx.Err() == nil; k++ {
		change := 0.0
		for s := range num.InTurn(len(v), k%2 == 1) {
			r := row(s)
			x := p.Reward[r] + endlessDiscount*(p.Backup(v, r)-p.Reward[r])
			change = max(change, x-v[s])
			v[s] = max(v[s], x)
		}
		if change <= tol {
			break
		}
	}
	return v
}

// addDrawn adds the vectors of the policy that draws its actions, whose values are v, and where it waits those of that.
func (g *GoalStates) addDrawn(p *SearchProblem, gamma []vectors, v []float64) {
	next := make([]*Vector, 0, p.NX*p.NA)
	for a := range p.NA {
		for x := range p.NX {
			value := make([]float64, p.NY)
			for y := range value {
				if s := x*p.NY + y; !g.ends[s] {
					row := s*p.NA + a
					value[y] = g.mdp.Backup(v, row)
					if !isNever(value[y]) {
						value[y] = g.mdp.Reward[row] - p.charge + p.LowerDiscount*(value[y]-g.mdp.Reward[row])
					}
				}
			}
			next = append(next, gamma[x].add(Vector{x: int32(x), action: int32(a), value: value}))
		}
	}
	g.addWaits(gamma, next, p.NY)
}

// addWaits adds the vectors of an agent that waits to those of next, each of which goes on with any of them all.
func (g *GoalStates) addWaits(gamma []vectors, next []*Vector, ny int) {
	for x, a := range g.bySight {
		if a >= 0 {
			next = append(next, gamma[x].add(Vector{x: int32(x), action: a, value: make([]float64, ny)}))
		}
	}
	for _, u := range next {
		u.next = next
	}
}

// addProper adds the vectors of the blind policy of an action, if it leads from every state to an end, or to states where it
// goes on without end and is never paid.
func (g *GoalStates) addProper(ctx context.Context, p *SearchProblem, gamma []vectors, a int) {
	blind := g.drawn(func(int) []int { return []int{a} })
	pays := make([]bool, len(g.ends)) // at some time
	for s, r := range blind.Reward {
		pays[s] = r != 0 || g.must && !g.ends[s]
	}
	back := blind.Predecessors()
	back.MarkAll(pays)
	over := make([]bool, len(pays))
	for s, pay := range pays {
		over[s] = g.ends[s] || !pay
	}
	left := append([]bool(nil), over...)
	back.MarkAll(left)
	if slices.Contains(left, false) {
		return
	}
	var c mdp.MarkovChain
	c.Fix(blind.Without(over), func(s int) int { return s })
	v := make([]float64, len(over))
	w, e, ok := c.Totals(ctx, v, 0)
	if !ok {
		return
	}
	for s := range v {
		v[s] -= (e + 2*p.charge) * w[s]
		if over[s] {
			v[s] = 0
		}
	}
	p.addBlind(gamma, a, v, 0)
}

// Pay returns what an action pays at n by the rewards of lower bounds, of which reward is the mean of Reward there.
func (p *SearchProblem) Pay(reward float64, n *BeliefPoint, a int) float64 {
	if p.charge == 0 {
		return reward
	}
	return n.Dot(p.pay[a][int(n.X)*p.NY:][:p.NY])
}
