package pointbased

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/pomdp"
)

// GoalStates is what is known of a problem with neither a discount nor a horizon, whose values are expected
// totals of rewards up to the end of an episode: a stochastic shortest path (Bertsekas and Tsitsiklis
// 1991, "An Analysis of Stochastic Shortest Path Problems"), or the probability that something is
// reached. It is of one of two kinds.
//
// In the first, no reward is below 0, and none above 0 can be earned again and again. A policy that never
// ends has a value then as others have. What it repeats pays nothing, so that an upper bound takes what
// can be repeated for one state (bounded real-time dynamic programming needs that too, see Brázdil et al.
// 2014, "Verification of Markov Decision Processes Using Learning Algorithms").
//
// In the second, some rewards are below 0, and whoever never ends pays for it without an end, or waits where nothing is
// paid without end, which is taken for one state too. What can be repeated may pay now and then, if it costs more in the long run
// (see lift). From every state an end can be reached, or an x where an agent can wait for nothing whatever y is, so that the policy that draws
// each action with the same probability, but waits there, comes to rest from every belief.
//
// All that is said of states is said of those that the start leads to. An end is also a set of
// states that is never left and where nothing is paid. Of a model that must end (pomdp.Model.MustEnd), an end is a single state
// alone, the second kind is the only one, nobody waits, and states from where no end can be reached are worth −∞.
type GoalStates struct {
	mdp    *mdp.MDP  // that underlies the problem; ends have rows without successors
	lifted *mdp.MDP  // mdp with rewards that are not above 0 where they can be repeated, see raise
	lift   []float64 // by state: what lifted earns less
	ends   []bool    // by state
	earns  bool      // of the first kind
	costs  bool      // no reward is above 0
	must   bool      // who never ends earns −∞
	of     []int32   // end components of lifted, see mdp.EndComponents
	stays  []bool
	waitOf []int32 // end components where nothing is paid
	waits  []bool
	// bySight is nil where an end can be reached from every state; otherwise see waitBySight.
	bySight []int32
	floor   float64 // no optimal value is below it, from any belief on, but where a dead state may follow
	dead    []bool  // by state: no end can be reached, so that a policy must avoid it; nil where there is none
}

// newGoal looks at a model without a discount and a horizon. The error is that of ctx, or a
// *bcpace.UnsupportedError for a model of neither kind, which names a state where it is not.
func newGoal(ctx context.Context, title string, m *pomdp.Model, workers int) (*GoalStates, error) {
	g := &GoalStates{mdp: totals(m, workers), ends: make([]bool, m.NumStates()), must: m.MustEnd}
	need := func(format string, args ...any) error {
		return &bcpace.UnsupportedError{Model: m.Name, Algorithm: title, Need: fmt.Sprintf(format, args...) + "; or a discount below 1, or a horizon"}
	}
	back := g.mdp.Predecessors()
	paid := make([]bool, len(g.ends)) // something can be paid from there on
	g.earns, g.costs = true, true
	for row, r := range g.mdp.Reward {
		paid[row/g.mdp.Actions] = paid[row/g.mdp.Actions] || r != 0
		g.earns, g.costs = g.earns && r >= 0, g.costs && r <= 0
	}
	back.MarkAll(paid)
	for s, p := range paid {
		g.ends[s] = !p // also where the start does not lead
	}
	if g.must {
		for s, alone := range m.Ends() {
			g.ends[s] = g.ends[s] && (alone || g.mdp.Row[s*g.mdp.Actions] == g.mdp.Row[(s+1)*g.mdp.Actions])
		}
	}
	g.earns = g.earns && !g.must
	g.mdp = g.mdp.Without(g.ends)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	g.of, g.stays = g.mdp.EndComponents(ctx, func(int) bool { return true })
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	row, how := g.raise(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if row >= 0 {
		state, action := m.StateName(row/g.mdp.Actions), m.Actions[row%g.mdp.Actions]
		switch r := g.mdp.Reward[row]; how {
		case round:
			return nil, need("a cost of all that can be repeated: in state %s, action %q pays %v, and what brings it back does not cost more than it pays", state, action, r)
		case balanced:
			return nil, need("a cost of all that can be repeated: in state %s, action %q pays %v and can be taken again and again, with others that take as much back, but for rounding, so that totals have no limit", state, action, r)
		default:
			return nil, need("an end to all that is earned: in state %s, action %q pays %v and can be taken again and again, so that values have no bound", state, action, r)
		}
	}
	g.waitOf, g.waits = g.lifted.EndComponents(ctx, func(row int) bool { return g.lifted.Reward[row] == 0 })
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if g.earns {
		return g, nil
	}
	if err := g.comesToRest(ctx, m, back, need); err != nil {
		return nil, err
	}
	return g, nil
}

// totals returns the process that underlies m, without a discount: the states that the start leads to have
// the rows of m, and others have rows without successors that pay nothing.
func totals(m *pomdp.Model, workers int) *mdp.MDP {
	p := m.MDP(workers, true)
	reached := make([]bool, m.NumStates())
	for _, e := range m.Start {
		reached[e.At] = true
	}
	p.MarkAll(reached)
	for s := range reached {
		reached[s] = !reached[s]
	}
	return p.Without(reached)
}

const (
	// goalSweeps bounds the sweeps of value iteration without a discount.
	goalSweeps = 100_000
	// unknownFloor is how many times the largest upper bound values are taken to be apart where nothing is known from below.
	unknownFloor = 1000
)

// upper returns Q_a(s), as Set.Upper. The error is that of ctx, where it ends before there is any bound, or a
// *bcpace.UnsupportedError where there is none after goalSweeps sweeps.
func (g *GoalStates) upper(ctx context.Context, title string, p *SearchProblem) ([][]float64, error) {
	scale, size, unit := mdp.MaxAbs(g.lifted.Reward), mdp.MaxAbs(g.lift), g.mdp.Rounding()
	round := func(of float64) float64 { return unit(of + size) }
	groups := g.avoiding().Collapse(g.waitOf, g.waits)
	v := make([]float64, groups.Len())
	if !g.earns {
		groups.Floor = g.waiting(groups)
	}
	if most := g.most(); g.earns && !math.IsInf(most, 1) {
		for s, end := range g.ends {
			if !end {
				v[groups.Of[s]] = most
			}
		}
	} else if earned := g.earned(); earned != nil {
		once := earned.Collapse(g.of, g.stays)
		most, ok := once.FromAbove(ctx, round, 1e-7*scale, goalSweeps)
		if !ok {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, &bcpace.UnsupportedError{Model: p.Name, Algorithm: title, Need: fmt.Sprintf("rewards above 0 that are all earned within far fewer than %d steps, in the mean; or a discount below 1, or a horizon", goalSweeps)}
		}
		for s, k := range once.Of {
			v[groups.Of[s]] = most[k]
		}
	}
	groups.Fall(ctx, v, round(mdp.MaxAbs(v)), 1e-10*scale, goalSweeps)
	least := math.Inf(-1)
	if g.dead != nil { // −∞ is below any number
		least = 0
		for _, value := range v {
			if !isNever(value) {
				least = max(least, math.Abs(value))
			}
		}
		least *= -unknownFloor
		g.floor = least
		for k, value := range v {
			v[k] = max(value, least)
		}
	}
	slip := round(mdp.MaxAbs(v))
	q := make([][]float64, p.NA)
	for a := range q {
		q[a] = make([]float64, len(g.ends))
		for s, end := range g.ends {
			if !end {
				q[a][s] = max(least, min(v[groups.Of[s]], groups.Ahead(v, s*p.NA+a)+slip)+g.lift[s]+slip)
			}
		}
	}
	return q, nil
}

// most returns the largest reward that there is for an end, where rewards are paid on the way to an end
// alone: the least R such that a row that leads to an end with probability q pays qR at most. No total is
// more. It is +∞ where some row pays without that.
func (g *GoalStates) most() (most float64) {
	for row, r := range g.mdp.Reward {
		if r == 0 {
			continue
		}
		end := 0.0
		for i := g.mdp.Row[row]; i < g.mdp.Row[row+1]; i++ {
			if g.ends[g.mdp.Col[i]] {
				end += g.mdp.Weight[i]
			}
		}
		most = max(most, r/end)
	}
	return most * (1 + 1e-12)
}

// waiting returns by group what it is worth in lifted to wait in it without end.
func (g *GoalStates) waiting(groups *mdp.Groups) []float64 {
	floor := slices.Repeat([]float64{math.Inf(-1)}, groups.Len())
	for s, c := range g.waitOf {
		if c >= 0 && !g.must {
			floor[groups.Of[s]] = max(floor[groups.Of[s]], -g.lift[s])
		}
	}
	return floor
}

// earned returns lifted with rewards of 0 in the place of those below; nil where no reward is above 0.
func (g *GoalStates) earned() *mdp.MDP {
	p := *g.lifted
	p.Reward = make([]float64, len(g.lifted.Reward))
	some := false
	for i, r := range g.lifted.Reward {
		p.Reward[i] = max(r, 0)
		some = some || r > 0
	}
	if !some {
		return nil
	}
	return &p
}

// Earns reports whether no reward is below 0.
func (g *GoalStates) Earns() bool { return g.earns }

// Waits reports whether some policy goes on without end where nothing is paid, and Loses whether that is worth −∞.
func (g *GoalStates) Waits() bool { return slices.Contains(g.waits, true) }

// Loses reports whether whoever never ends earns −∞.
func (g *GoalStates) Loses() bool { return g.must }

// comesToRest returns an error unless the policy that draws its actions comes to an end from everywhere, or to where it can wait for nothing.
// back are the predecessors of mdp.
func (g *GoalStates) comesToRest(ctx context.Context, m *pomdp.Model, back *mdp.MDP, need func(string, ...any) error) error {
	reach := func(from []bool) (short int) {
		from = slices.Clone(from)
		back.MarkAll(from)
		return slices.Index(from, false)
	}
	if reach(g.ends) < 0 {
		return nil
	}
	if g.must {
		g.findDead(ctx)
		for _, e := range m.Start {
			if g.dead[e.At] {
				return need("an end that is reached with probability 1, as the model must end: from state %s none is", m.StateName(int(e.At)))
			}
		}
		return ctx.Err()
	}
	rest, wait := slices.Clone(g.ends), slices.Clone(g.ends)
	g.bySight = waitBySight(ctx, g.mdp, m.NumHidden())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for s, c := range g.waitOf {
		rest[s] = rest[s] || c >= 0
		wait[s] = wait[s] || g.bySight[s/m.NumHidden()] >= 0
	}
	if s := reach(rest); s >= 0 {
		return need("an end that can be reached from every state: from state %s none can be, so that its value is −∞", m.StateName(s))
	}
	if s := reach(wait); s >= 0 {
		return need("an end that can be reached from every state: from state %s none can be, but where an agent waits for nothing that sees what is hidden", m.StateName(s))
	}
	return nil
}

// findDead finds the states from where no end is reached with probability 1.
func (g *GoalStates) findDead(ctx context.Context) {
	g.dead = make([]bool, len(g.ends))
	for again := true; again && ctx.Err() == nil; {
		ends := slices.Clone(g.ends)
		g.avoiding().Predecessors().MarkAll(ends)
		again = false
		for s, reaches := range ends {
			if !reaches && !g.dead[s] {
				g.dead[s], again = true, true
			}
		}
	}
}

// avoiding returns lifted without what dead states may follow: such rows lead nowhere, and pay never.
func (g *GoalStates) avoiding() *mdp.MDP {
	if g.dead == nil {
		return g.lifted
	}
	p := *g.lifted
	p.Row, p.Col, p.Weight, p.Reward = make([]int, 1, len(p.Row)), nil, nil, slices.Clone(p.Reward)
	for row := range p.Reward {
		from, to := g.lifted.Row[row], g.lifted.Row[row+1]
		if g.dead[row/p.Actions] || slices.ContainsFunc(g.lifted.Col[from:to], func(s int32) bool { return g.dead[s] }) {
			p.Reward[row] = never
		} else {
			p.Col, p.Weight = append(p.Col, g.lifted.Col[from:to]...), append(p.Weight, g.lifted.Weight[from:to]...)
		}
		p.Row = append(p.Row, len(p.Col))
	}
	return &p
}

// waitBySight finds where an agent that sees x alone can wait without end for nothing: it returns by x an action that pays nothing at any y, and
// leads to other such x, −1 where there is none. ny is how many y there are.
func waitBySight(ctx context.Context, p *mdp.MDP, ny int) []int32 {
	action := make([]int32, p.States()/ny) // the first one that is not known to fail
	fails := func(x, a int) bool {
		for y := range ny {
			row := (x*ny+y)*p.Actions + a
			if p.Reward[row] != 0 {
				return true
			}
			for _, to := range p.Col[p.Row[row]:p.Row[row+1]] {
				if action[int(to)/ny] < 0 {
					return true
				}
			}
		}
		return false
	}
	again := true
	look := func(x int) {
		for action[x] >= 0 && fails(x, int(action[x])) {
			if again = true; int(action[x]) == p.Actions-1 {
				action[x] = -1
			} else {
				action[x]++
			}
		}
	}
	for again && ctx.Err() == nil { // forth and back, as it is not known which way x follow each other
		again = false
		for x := range action {
			look(x)
		}
		for x := range slices.Backward(action) {
			look(x)
		}
	}
	return action
}
