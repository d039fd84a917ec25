package constrained

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/controller"
	"bayescpace/bcpace/internal/kept"
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

// does returns what is done at a node in the place of an action; that action where the episode has ended.
func (f *free) does(node int32, action int) int {
	if int(node) >= len(f.State) {
		return action
	}
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
		a.Spec.RewardMin, a.Spec.RewardMax = min(a.Spec.RewardMin, 0), max(a.Spec.RewardMax, 0)
		node := bcpace.Axis{Name: "node", Max: float64(states - 1), Discrete: true}
		controller.WithAxis(a, node, func(s []float64) float64 { return float64(f.startAt(s)) }, f.successors)
		a.MoveAt(func(s []float64, action int) ([]float64, int) { return s, f.does(int32(s[f.axes]), action) })
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

// startAt returns the node of a start.
func (f *free) startAt(s []float64) int32 {
	number := int32(f.Model.StateIndex(s))
	for _, x := range f.Starts {
		if f.State[x.Node] == number {
			return x.Node
		}
	}
	return f.ended(number) // no latent with a prior begins there
}

// successors lists what follows.
func (f *free) successors(z *bcpace.Successors, s []float64, action int) {
	node := int32(s[f.axes])
	if int(node) >= len(f.State) {
		controller.Stay(z, s)
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

// newPlayer returns the policy that plays a policy of the model of f in the model that f is of. Where nobody tells it what
// happens, the belief says what is possible.
func newPlayer(f *free, policy bcpace.Policy) bcpace.Policy {
	return bcpace.DerivePolicy(policy, func(policy bcpace.Policy, can *bcpace.PolicyAbilities) {
		of, state := *can, make([]float64, f.axes+1) // with the node
		told := false                                // Begin, and Observe after each Act, say what happens
		enter := func(s []float64, node int32) {
			copy(state, s)
			state[f.axes] = float64(node)
		}
		begin := func(s []float64, b bcpace.Belief) {
			enter(s, f.Find(f.Model.StateIndex(s), b))
			if told = true; of.Begin != nil {
				of.Begin(state, b)
			}
		}
		observe := func(action int, reward float64, next []float64) {
			if node := int32(state[f.axes]); node != controller.None {
				enter(next, f.follow(node, action, next, false))
			}
			if told = true; of.Observe != nil {
				of.Observe(action, reward, state)
			}
		}
		act := func(ctx context.Context, s []float64, b bcpace.Belief, rng *rand.Rand) (action int, err error) {
			if !told {
				begin(s, b)
			}
			told = false
			node := int32(state[f.axes])
			if node == controller.None {
				return -1, fmt.Errorf("state %v with belief %v is none that is reached without a cost", s, b)
			}
			if action, err = of.Act(ctx, state, b, rng); err != nil || !f.Spec.IsAction(action) {
				return action, err
			}
			return f.does(node, action), nil
		}
		keep := func() (kind string, data any, err error) { // the model says which nodes there are
			k := keptPlayer{Nodes: len(f.State), Branches: f.NumBranches(), Instead: f.instead}
			k.Policy, err = kept.Of(policy)
			return keptKind, k, err
		}
		*can = bcpace.PolicyAbilities{Act: act, Begin: begin, Observe: observe, Keep: keep, Fork: of.Fork}
	})
}

const keptKind = "without a cost"

// keptPlayer is a policy of newPlayer as data.
type keptPlayer struct {
	Nodes    int         `json:"nodes"`
	Branches int         `json:"branches"`
	Instead  []int32     `json:"instead"` // by node and action
	Policy   kept.Policy `json:"policy"`
}

// readKept is a kept.Read. It lists the nodes again.
func readKept(ctx context.Context, m bcpace.Model, data json.RawMessage) (bcpace.Policy, error) {
	var k keptPlayer
	finite, err := kept.Numbered(m, data, &k)
	if err != nil {
		return nil, err
	}
	g, err := controller.SupportOf(ctx, finite, func([]float64, int, []float64, []float64, []float64) float64 { return 0 })
	if err != nil {
		return nil, err
	}
	actions := len(finite.Spec().Actions)
	if g == nil || k.Nodes != len(g.State) || k.Branches != g.NumBranches() || len(k.Instead) != k.Nodes*actions {
		return nil, kept.Bad("its policy without a cost", fmt.Sprintf("for %d nodes and %d branches", k.Nodes, k.Branches), "that of the model")
	}
	for _, a := range k.Instead {
		if a < 0 || int(a) >= actions {
			return nil, kept.Bad("its policy without a cost", fmt.Sprintf("with action %d", a), "actions of the model")
		}
	}
	f := &free{SupportGraph: g, axes: len(g.Spec.Axes), instead: k.Instead}
	policy, err := k.Policy.On(ctx, f.model())
	return newPlayer(f, policy), err
}
