package constrained

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/controller"
	"bayescpace/bcpace/solverkit"
)

// free is a model without what may cost something: at each node of its graph, an action after which a cost is possible, now or later whatever
// is done then, does what another one does. An expected cost of 0 forbids these actions, and no multiplier is large enough to say so: where
// less and less likely costs earn more and more, the best return is another one for every cost above 0.
type free struct {
	*controller.SupportGraph
	axes    int
	instead []int32 // by node and action: what is done
}

// newFree forbids what may cost, and returns nil where an episode may begin in a node in which each action may. Each policy then costs least
// or more, which is above 0.
func newFree(g *controller.SupportGraph) (f *free, least float64) {
	actions, nodes := len(g.Spec.Actions), len(g.State)
	f = &free{SupportGraph: g, axes: len(g.Spec.Axes), instead: make([]int32, nodes*actions)}
	left := make([]int, nodes)             // by node: how many actions are not forbidden
	costs := make([]float64, nodes)        // by node, where none is left: what each policy costs from there, at least
	cost := make([]float64, nodes*actions) // of a forbidden action
	type edge struct {
		from, action int32
		prob         float64
	}
	before := make([][]edge, nodes)
	var lost []int32
	forbid := func(n, a int, least float64) {
		if i := n*actions + a; cost[i] == 0 {
			cost[i] = least
			if left[n]--; left[n] == 0 {
				costs[n] = slices.Min(cost[n*actions : (n+1)*actions])
				lost = append(lost, int32(n))
			}
		}
	}
	for n := range nodes {
		left[n] = actions
		for a := range actions {
			most := 0.0
			for _, b := range g.Branches(n, a) {
				if b.Pays > 0 {
					most = max(most, b.Prob*b.Pays, math.SmallestNonzeroFloat64)
				}
				if b.To != controller.None {
					before[b.To] = append(before[b.To], edge{int32(n), int32(a), b.Prob})
				}
			}
			if most > 0 {
				forbid(n, a, most)
			}
		}
	}
	for len(lost) > 0 {
		n := lost[len(lost)-1]
		lost = lost[:len(lost)-1]
		for _, e := range before[n] {
			forbid(int(e.from), int(e.action), max(g.Spec.Discount*e.prob*costs[n], math.SmallestNonzeroFloat64))
		}
	}
	for n := range nodes {
		first := slices.Index(cost[n*actions:(n+1)*actions], 0)
		for a := range actions {
			f.instead[n*actions+a] = int32(a)
			if first >= 0 && cost[n*actions+a] > 0 {
				f.instead[n*actions+a] = int32(first)
			}
		}
	}
	for _, s := range g.Starts {
		least = max(least, s.Prob*costs[s.Node])
	}
	if least > 0 {
		return nil, least
	}
	return f, 0
}

// does returns what is done at a node in the place of an action.
func (f *free) does(node int32, action int) int {
	return int(f.instead[int(node)*len(f.Spec.Actions)+action])
}

// ended is the node of a state in which the episode has ended.
func (f *free) ended(number int32) int32 { return int32(len(f.State)) + number }

// number returns the number of a state in the model that the graph is of.
func (f *free) number(node int32) int32 {
	if int(node) < len(f.State) {
		return f.State[node]
	}
	return node - int32(len(f.State))
}

// follow returns the node that follows an action which is done at a node; controller.None for what no latent brings about that is possible.
func (f *free) follow(node int32, action int, next []float64, done bool) int32 {
	number := int32(f.Model.StateIndex(next))
	for _, b := range f.Branches(int(node), action) {
		switch {
		case b.Number != number || done != (b.To == controller.None):
		case done:
			return f.ended(number)
		default:
			return b.To
		}
	}
	return controller.None
}

// after is follow, where what no possible latent brings about ends the episode.
func (f *free) after(node int32, action int, next []float64, done bool) int32 {
	if n := f.follow(node, action, next, done); n != controller.None {
		return n
	}
	return f.ended(int32(f.Model.StateIndex(next)))
}

// model returns the model, whose states have their node on one more axis.
func (f *free) model() bcpace.Model {
	return bcpace.Derive(f.Model, func(_ bcpace.Model, a *bcpace.Abilities) {
		in := *a
		states := len(f.State) + a.NumStates()
		a.Spec.Name += ", without what may cost"
		a.Spec.Axes = append(slices.Clone(a.Spec.Axes), bcpace.Axis{Name: "node", Max: float64(states - 1), Discrete: true})
		a.Spec.RewardMin, a.Spec.RewardMax = min(a.Spec.RewardMin, 0), max(a.Spec.RewardMax, 0)
		a.Lipschitz, a.Smoothness, a.FinerList, a.Validate = nil, nil, nil, nil
		a.OnFirstAxes(f.axes)
		a.MoveAt(func(s []float64, action int) ([]float64, int) { return s, f.at(s, action) })
		a.Starts, a.Successors = f.starts, f.successors
		a.LogLikelihood = solverkit.ListedLikelihood(f.axes+1, len(a.Spec.Latents), f.successors)
		a.Start = func(s []float64, latent int, rng *rand.Rand) {
			in.Start(s[:f.axes:f.axes], latent, rng)
			s[f.axes] = float64(f.startAt(s))
		}
		a.Step = func(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
			node := int32(s[f.axes])
			if int(node) >= len(f.State) {
				copy(next, s)
				return bcpace.Outcome{Done: true}
			}
			action = f.does(node, action)
			out := in.Step(next[:f.axes:f.axes], s[:f.axes:f.axes], latent, action, rng)
			n := f.after(node, action, next[:f.axes], out.Done)
			next[f.axes], out.Done = float64(n), int(n) >= len(f.State)
			return out
		}
		a.NumStates = func() int { return states }
		a.StateAt = func(s []float64, number int) {
			in.StateAt(s[:f.axes:f.axes], int(f.number(int32(number))))
			s[f.axes] = float64(number)
		}
		a.StateIndex = func(s []float64) int {
			if n := s[f.axes]; n >= 0 && n < float64(states) && int(f.number(int32(n))) == in.StateIndex(s[:f.axes:f.axes]) {
				return int(n)
			}
			return -1
		}
	})
}

// at returns what is done in a state of the model in the place of an action.
func (f *free) at(s []float64, action int) int {
	if node := int32(s[f.axes]); int(node) < len(f.State) {
		return f.does(node, action)
	}
	return action
}

// startAt returns the node of a start.
func (f *free) startAt(s []float64) int32 {
	number := int32(f.Model.StateIndex(s[:f.axes:f.axes]))
	for _, x := range f.Starts {
		if f.State[x.Node] == number {
			return x.Node
		}
	}
	return f.ended(number) // no latent with a prior begins there
}

// starts lists the starts of the model.
func (f *free) starts(z *bcpace.Successors) {
	var rows bcpace.Successors
	rows.Reset(f.axes, len(f.Spec.Latents))
	f.Model.Starts(&rows)
	for i := range rows.Len() {
		s, p, _ := rows.Row(i)
		to, prob, _ := z.Add(false)
		copy(to, s)
		copy(prob, p)
		to[f.axes] = float64(f.startAt(s))
	}
}

// successors lists what follows.
func (f *free) successors(z *bcpace.Successors, s []float64, action int) {
	node := int32(s[f.axes])
	if int(node) >= len(f.State) {
		to, prob, _ := z.Add(true)
		copy(to, s)
		for φ := range prob {
			prob[φ] = 1
		}
		return
	}
	action = f.does(node, action)
	var rows bcpace.Successors
	rows.Reset(f.axes, len(f.Spec.Latents))
	f.Model.Successors(&rows, s[:f.axes:f.axes], action)
	for i := range rows.Len() {
		next, p, r := rows.Row(i)
		n := f.after(node, action, next, rows.Done[i])
		to, prob, reward := z.Add(int(n) >= len(f.State))
		copy(to, next)
		copy(prob, p)
		copy(reward, r)
		to[f.axes] = float64(n)
	}
}

// player plays a policy of the model of a free in the model that it is of.
type player struct {
	*free
	policy bcpace.Policy
	can    bcpace.PolicyAbilities // of the policy
	state  []float64              // with the node
	told   bool                   // Begin, and Observe after each Act, say what happens
}

func newPlayer(f *free, policy bcpace.Policy) *player {
	return &player{free: f, policy: policy, can: bcpace.PolicyAbilitiesOf(policy), state: make([]float64, f.axes+1)}
}

// Begin is bcpace.PolicyAbilities.Begin.
func (p *player) Begin(s []float64, b bcpace.Belief) {
	p.enter(s, p.Find(p.Model.StateIndex(s), b))
	if p.can.Begin != nil {
		p.can.Begin(p.state, b)
	}
	p.told = true
}

// enter goes to a node.
func (p *player) enter(s []float64, node int32) {
	copy(p.state, s)
	p.state[p.axes] = float64(node)
}

// Observe is bcpace.PolicyAbilities.Observe.
func (p *player) Observe(action int, reward float64, next []float64) {
	if node := int32(p.state[p.axes]); node != controller.None {
		p.enter(next, p.follow(node, action, next, false))
	}
	if p.can.Observe != nil {
		p.can.Observe(action, reward, p.state)
	}
	p.told = true
}

// Act implements Policy.
func (p *player) Act(s []float64, b bcpace.Belief, rng *rand.Rand) int {
	action, _ := p.Decide(context.Background(), s, b, rng)
	return action
}

// Decide is bcpace.PolicyAbilities.Act. Where nobody tells what happens, the belief says what is possible.
func (p *player) Decide(ctx context.Context, s []float64, b bcpace.Belief, rng *rand.Rand) (action int, err error) {
	if !p.told {
		p.Begin(s, b)
	}
	p.told = false
	node := int32(p.state[p.axes])
	if node == controller.None {
		return -1, fmt.Errorf("state %v with belief %v is none that is reached without a cost", s, b)
	}
	if action, err = p.can.Act(ctx, p.state, b, rng); err != nil || !p.Spec.IsAction(action) {
		return action, err
	}
	return p.does(node, action), nil
}

// Fork is bcpace.PolicyAbilities.Fork.
func (p *player) Fork() bcpace.Policy { return newPlayer(p.free, bcpace.Fork(p.policy)) }
