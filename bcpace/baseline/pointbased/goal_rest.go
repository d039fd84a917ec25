package pointbased

import (
	"context"
	"slices"

	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/pomdp"
)

// comesToRest returns an error unless the policy that draws its actions comes to an end from everywhere, or to where it can wait for nothing.
// back are the predecessors of mdp.
func (g *GoalStates) comesToRest(ctx context.Context, m *pomdp.Model, back *mdp.MDP, need func(string, ...any) error) error {
	reach := func(from []bool) (short int) {
		from = slices.Clone(from)
		markAll(back, from)
		return slices.Index(from, false)
	}
	if reach(g.ends) < 0 {
		return nil
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

// waitBySight finds where an agent that sees x alone can wait for ever for nothing: it returns by x an action that pays nothing at any y, and
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
