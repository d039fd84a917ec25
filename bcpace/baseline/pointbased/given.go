package pointbased

import (
	"cmp"
	"context"
	"fmt"

	"gonum.org/v1/gonum/floats"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/fsc"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/stop"
)

// mostGiven bounds the states, and the entries, of the chain of a controller.
const mostGiven = 20_000_000

// SolveController returns what a finite-state controller of m earns, Value, which is proved from below, and exact but for rounding and some 1e-9 of the largest reward
// for each step; and a policy that earns no less: of the α-vectors that are the values of its nodes, it follows the highest one. The upper bound is that of any policy.
// Where c.Start is nil, it becomes the nodes that earn most.
//
// The model may have a discount, the steps left among its states, or neither (see GoalStates). The error is that of ctx, a *bcpace.UnsupportedError for another model, or a
// *bcpace.InputError for a controller that may come to where it does not say what follows, that may pay without end, or whose values take too much memory or time.
func SolveController(ctx context.Context, m *pomdp.Model, c *pomdp.Controller, workers int) (*pomdp.Solution, error) {
	t, err := New(ctx, "the value of a controller", m, workers, true)
	if err != nil {
		return nil, err
	}
	g := given{VectorSet: t, c: c, rows: t.MDP(workers, true), over: m.Ends(), pays: t.Goal != nil && t.Goal.earns}
	if t.Goal != nil {
		g.rows, g.over = t.Goal.mdp, t.Goal.ends
	}
	bad := bcpace.In("controller").Bad
	if !g.lay(ctx) {
		return nil, cmp.Or(ctx.Err(), bad("its size", fmt.Sprintf("%d nodes at %d hidden states", len(c.Nodes), t.NY), fmt.Sprintf("fewer, whose Markov chain has at most %d entries", mostGiven)))
	}
	e := g.values()
	charge := func(size float64) (float64, bool) { // of a step, for values of a size
		return max(t.charge, (1-t.LowerDiscount)*size, 4*g.rows.Rounding()(size)), true
	}
	if !e.Bound(ctx, chargeShare*t.scale(), charge) {
		return nil, cmp.Or(ctx.Err(), bad("its values", "not found", "values of a controller that comes to an end, or repeats itself, within far fewer steps"))
	}
	if t.Goal == nil {
		floats.AddConst(-1e-12*t.scale()/t.Rate(), e.Value())
	}
	value := func(i int) []float64 { return e.Value()[i*t.NY:][:t.NY] }
	t.gamma = make([]vectors, t.NX)
	for i, n := range c.Nodes {
		t.gamma[n.Visible].add(Vector{x: int32(n.Visible), action: int32(n.Action), value: value(i)})
	}
	lower, upper, begins := 0.0, 0.0, c.Start == nil
	for _, r := range t.Starts() {
		upper += r.P * t.InitialUpper(make([]float64, t.NA), r.X, r.Belief)
		best := -1
		for i, n := range c.Nodes {
			if begins && n.Visible == int(r.X) && (best < 0 || r.Dot(value(i)) > r.Dot(value(best))) {
				best = i
			}
		}
		if best >= 0 {
			c.Start = append(c.Start, pomdp.Entry{At: int32(best), Value: 1})
		}
		for _, s := range c.Start {
			if c.Nodes[s.At].Visible == int(r.X) {
				lower += r.P * s.Value * r.Dot(value(int(s.At)))
			}
		}
	}
	if err := g.lost(); err != nil {
		return nil, err
	}
	if isNever(lower) {
		return nil, bad("the controller", "one that may go on without end, which is worth −∞", "one that comes to the end of an episode with probability 1")
	}
	return &pomdp.Solution{Model: m, Policy: t.Policy(ctx, nil, nil, 0), Value: lower, Certificate: Proved(lower, upper), Stop: stop.Converged}, nil
}

// given is a controller that is given, with its Markov chain. That has a state for each node and y, one for what follows where the controller does not say it, which
// is worth no more than anything else, and one for what is over.
type given struct {
	*VectorSet
	c      *pomdp.Controller
	rows   *mdp.MDP
	over   []bool // by state: nothing is paid any more
	pays   bool   // nobody can lose
	chain  *mdp.MDP
	unsaid [][2]int // states of the chain, and observations that may follow, of which the controller says nothing
}

// lay lays the chain, and reports whether it is one of reasonable size, and ctx has not ended before.
func (g *given) lay(ctx context.Context) bool {
	n, rows := len(g.c.Nodes)*g.NY, g.rows
	q := &mdp.MDP{Actions: 1, Discount: rows.Discount, Rate: rows.Rate, Workers: rows.Workers, Row: []int{0}}
	g.chain = q
	to := func(i int, weight float64) { q.Col, q.Weight = append(q.Col, int32(i)), append(q.Weight, weight) }
	for i, v := range g.c.Nodes {
		if n > mostGiven || len(q.Col) > mostGiven || ctx.Err() != nil {
			return false
		}
		for y := range g.NY {
			row := (v.Visible*g.NY+y)*g.NA + v.Action
			for k := rows.Row[row]; k < rows.Row[row+1]; k++ {
				next := int(rows.Col[k])
				if g.over[next] {
					to(n+1, rows.Weight[k])
					continue
				}
				obs, prob := g.Sense[v.Action].At(next)
				for j, o := range obs {
					after := v.Next[pomdp.Sight{Visible: int32(next / g.NY), Observation: o}]
					for _, e := range after {
						to(int(e.At)*g.NY+next%g.NY, rows.Weight[k]*prob[j]*e.Value)
					}
					if len(after) == 0 {
						to(n, rows.Weight[k]*prob[j])
						g.unsaid = append(g.unsaid, [2]int{i*g.NY + y, int(o)})
					}
				}
			}
			q.Row, q.Reward = append(q.Row, len(q.Col)), append(q.Reward, rows.Reward[row])
		}
	}
	worst := -1 - g.scale()
	if g.pays {
		worst = 0
	}
	to(n, q.Discount)
	q.Row, q.Reward = append(q.Row, len(q.Col), len(q.Col)), append(q.Reward, worst, 0)
	return true
}

// values returns those of the chain, which are to be found.
func (g *given) values() *fsc.Values {
	e, rest := fsc.NewValues(g.chain), []bool(nil)
	if g.Goal != nil && g.Goal.must {
		for _, n := range g.c.Nodes {
			rest = append(rest, g.over[n.Visible*g.NY:][:g.NY]...)
		}
		rest = append(rest, false, true)
	}
	if g.Discount == 1 {
		e.Cut(rest, !g.pays)
	}
	return e
}

// lost returns an error where the controller may come to where it does not say what follows.
func (g *given) lost() error {
	met := make([]bool, g.chain.States())
	for _, begin := range g.c.Start {
		for _, s := range g.Start {
			if int(s.At)/g.NY == g.c.Nodes[begin.At].Visible {
				met[int(begin.At)*g.NY+int(s.At)%g.NY] = true
			}
		}
	}
	g.chain.MarkAll(met)
	for _, at := range g.unsaid {
		if n := g.c.Nodes[at[0]/g.NY]; met[at[0]] {
			return bcpace.In("controller").Bad(fmt.Sprintf("%s, what follows observation %q", cmp.Or(n.Place, fmt.Sprintf("node %d", at[0]/g.NY)), g.Observations[at[1]]), "nothing",
				fmt.Sprintf("something, as it can be seen after action %q in state %s", g.Actions[n.Action], g.StateName(n.Visible*g.NY+at[0]%g.NY)))
		}
	}
	return nil
}
