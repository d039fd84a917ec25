package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/kept"
)

// Member is a policy of a mixture: it believes in its own prior, whatever the model that it is played in.
type Member struct {
	Model  bcpace.Model // with the prior of the policy
	Policy bcpace.Policy
	// Graph is played in place of the policy as far as it is written out; nil for none.
	Graph *Controller
}

// Mixture draws one of several policies for each episode, and plays that.
type Mixture struct {
	members []Member
	weight  []float64
	players []*player // made when first drawn
	now     int       // the one of this episode, or −1 before it has been drawn
	s       []float64 // where the episode began
	told    bool      // Begin, and Observe after each Act, say what happens
}

// NewMixture returns the mixture of members with these weights, which sum to 1.
func NewMixture(members []Member, weight []float64) *Mixture {
	return &Mixture{members: members, weight: weight, players: make([]*player, len(members)), now: none}
}

// Begin is bcpace.PolicyAbilities.Begin. The member is drawn at the first Act, which has the random numbers.
func (mi *Mixture) Begin(s []float64, _ bcpace.Belief) {
	mi.now, mi.s, mi.told = none, append(mi.s[:0], s...), true
}

// Act implements Policy.
func (mi *Mixture) Act(s []float64, b bcpace.Belief, rng *rand.Rand) int {
	action, _ := mi.Decide(context.Background(), s, b, rng)
	return action
}

// Decide is bcpace.PolicyAbilities.Act. Where nobody tells what happens, it is what a member does at (s, b).
func (mi *Mixture) Decide(ctx context.Context, s []float64, b bcpace.Belief, rng *rand.Rand) (int, error) {
	if !mi.told {
		return bcpace.PolicyAbilitiesOf(mi.members[mi.draw(rng.Float64())].Policy).Act(ctx, s, b, rng)
	}
	mi.told = false
	if mi.now == none {
		mi.now = mi.draw(rng.Float64())
		if mi.players[mi.now] == nil {
			mi.players[mi.now] = newPlayer(mi.members[mi.now])
		}
		mi.players[mi.now].begin(mi.s)
	}
	return mi.players[mi.now].act(ctx, s, rng)
}

// Observe is bcpace.PolicyAbilities.Observe.
func (mi *Mixture) Observe(action int, reward float64, next []float64) {
	if mi.told = true; mi.now != none {
		mi.players[mi.now].observe(action, reward, next)
	}
}

// draw returns the member that u in [0, 1) stands for.
func (mi *Mixture) draw(u float64) (k int) {
	for i, w := range mi.weight {
		if w > 0 {
			if k = i; u < w {
				break
			}
			u -= w
		}
	}
	return k
}

// Fork is bcpace.PolicyAbilities.Fork.
func (mi *Mixture) Fork() bcpace.Policy {
	members := slices.Clone(mi.members)
	for i := range members {
		members[i].Policy = bcpace.Fork(members[i].Policy)
	}
	return NewMixture(members, mi.weight)
}

// player plays a member through an episode.
type player struct {
	Member
	can   bcpace.PolicyAbilities // of the policy
	bayes *bcpace.Bayes
	b     bcpace.Belief
	s     []float64
	node  int32 // of the graph, or none where that is left
}

func newPlayer(m Member) *player {
	return &player{Member: m, can: bcpace.PolicyAbilitiesOf(m.Policy), bayes: bcpace.NewBayes(m.Model), b: make(bcpace.Belief, len(m.Model.Spec().Latents))}
}

// begin begins an episode in s.
func (p *player) begin(s []float64) {
	p.s, p.node = append(p.s[:0], s...), none
	if p.Graph != nil {
		if n := p.Graph.startAt(s); n != none {
			p.enter(n)
			return
		}
	}
	if p.bayes.Start(p.b, s) != nil { // the prior of the policy has no such start
		copy(p.b, bcpace.Uniform(len(p.b)))
		_ = p.bayes.Condition(p.b, s)
	}
	if p.can.Begin != nil {
		p.can.Begin(s, p.b)
	}
}

// enter goes to a node of the graph, and leaves the graph with its belief where that is a leaf.
func (p *player) enter(n int32) {
	if p.node = n; n == none {
		return
	}
	if at := &p.Graph.nodes[n]; at.inner < 0 {
		p.node = none
		copy(p.b, at.belief)
		if p.can.Begin != nil {
			p.can.Begin(p.s, p.b)
		}
	}
}

func (p *player) act(ctx context.Context, s []float64, rng *rand.Rand) (int, error) {
	if p.node != none {
		return int(p.Graph.nodes[p.node].action), nil
	}
	return p.can.Act(ctx, s, p.b, rng)
}

func (p *player) observe(action int, reward float64, next []float64) {
	if p.node != none {
		to := p.Graph.follow(p.node, next)
		p.s = append(p.s[:0], next...)
		if p.enter(to); to == none { // no model that lists what follows comes here
			copy(p.b, bcpace.Uniform(len(p.b)))
		}
		return
	}
	// A belief that rules out what has happened stays as it is: it knows nothing better.
	_ = p.bayes.Update(p.b, p.b, p.s, action, next)
	if p.can.Observe != nil {
		p.can.Observe(action, reward, next)
	}
	p.s = append(p.s[:0], next...)
}

// startAt returns the node of a start state, or none.
func (c *Controller) startAt(s []float64) int32 {
	number := c.model.StateIndex(s)
	for _, x := range c.starts {
		if x.state == number {
			return x.node
		}
	}
	return none
}

// follow returns the node that follows n with a next state, or none.
func (c *Controller) follow(n int32, next []float64) int32 {
	number := int32(c.model.StateIndex(next))
	inner := c.nodes[n].inner
	for e := c.first[inner]; e < c.first[inner+1]; e++ {
		if c.next[e] == number {
			return c.to[e]
		}
	}
	return none
}

const keptKind = "mixture"

func init() { kept.Register(keptKind, readKept) }

// keptMember is a Member as data.
type keptMember struct {
	Weight float64       `json:"weight"`
	Prior  bcpace.Belief `json:"prior"`
	Policy kept.Policy   `json:"policy"`
	Graph  *keptGraph    `json:"graph,omitempty"`
}

// keptGraph is what a Controller is played by.
type keptGraph struct {
	Starts [][2]int  `json:"starts"` // number of the state, and node
	State  []int32   `json:"state"`  // by node, as Action and Inner are
	Action []int32   `json:"action"`
	Inner  []int32   `json:"inner"`
	Belief []float64 `json:"belief"` // of the leaves
	First  []int32   `json:"first"`
	Next   []int32   `json:"next"`
	To     []int32   `json:"to"`
}

// Keep is bcpace.PolicyAbilities.Keep.
func (mi *Mixture) Keep() (kind string, data any, err error) {
	var list []keptMember
	for i, m := range mi.members {
		k := keptMember{Weight: mi.weight[i], Prior: make(bcpace.Belief, len(m.Model.Spec().Latents))}
		m.Model.Prior(k.Prior)
		if k.Policy, err = kept.Of(m.Policy); err != nil {
			return "", nil, err
		}
		if m.Graph != nil {
			k.Graph = m.Graph.kept()
		}
		list = append(list, k)
	}
	return keptKind, list, nil
}

func (c *Controller) kept() *keptGraph {
	g := &keptGraph{First: c.first, Next: c.next, To: c.to}
	for _, s := range c.starts {
		g.Starts = append(g.Starts, [2]int{s.state, int(s.node)})
	}
	for _, n := range c.nodes {
		g.State, g.Action, g.Inner = append(g.State, n.state), append(g.Action, n.action), append(g.Inner, n.inner)
		if n.inner < 0 {
			g.Belief = append(g.Belief, n.belief...)
		}
	}
	return g
}

// readKept is a kept.Read.
func readKept(ctx context.Context, m bcpace.Model, data json.RawMessage) (bcpace.Policy, error) {
	var list []keptMember
	if err := kept.Decode(data, &list); err != nil {
		return nil, err
	}
	m = Open(m)
	var members []Member
	var weight []float64
	total := 0.0
	for i, k := range list {
		if !(k.Weight >= 0) {
			return nil, kept.Bad(fmt.Sprintf("the share of policy %d", i), k.Weight, "a probability")
		}
		with, err := bcpace.WithPrior(m, k.Prior)
		if err != nil {
			return nil, err
		}
		member := Member{Model: with}
		if member.Policy, err = k.Policy.On(ctx, with); err != nil {
			return nil, err
		}
		if k.Graph != nil {
			f, ok := bcpace.AsFinite(with)
			if !ok {
				return nil, kept.Bad("its graph", "for numbered states", "those of a model that numbers its states")
			}
			if member.Graph, err = k.Graph.of(f); err != nil {
				return nil, err
			}
		}
		members, weight = append(members, member), append(weight, k.Weight)
		total += k.Weight
	}
	if math.Abs(total-1) > 1e-9 {
		return nil, kept.Bad("the shares of its policies", fmt.Sprintf("with the sum %v", total), "1")
	}
	return NewMixture(members, weight), nil
}

// of returns the Controller of a graph, or says what is wrong with it.
func (g *keptGraph) of(m bcpace.Finite) (*Controller, error) {
	spec := m.Spec()
	latents, nodes, inner := len(spec.Latents), len(g.State), len(g.First)-1
	bad := func(what string, got any) (*Controller, error) {
		return nil, kept.Bad("its graph", fmt.Sprintf("with %s %v", what, got), "a graph as solve --out writes it")
	}
	c := &Controller{model: m, latents: latents, first: g.First, next: g.Next, to: g.To}
	if inner < 0 || g.First[0] != 0 || !slices.IsSorted(g.First) || int(g.First[inner]) != len(g.To) || len(g.To) != len(g.Next) {
		return bad("edges that begin at", len(g.First))
	}
	if len(g.Action) != nodes || len(g.Inner) != nodes {
		return bad("numbers of nodes", []int{nodes, len(g.Action), len(g.Inner)})
	}
	rest := g.Belief
	for i, s := range g.State {
		n := node{state: s, action: g.Action[i], inner: g.Inner[i]}
		switch {
		case n.action < none || int(n.action) >= len(spec.Actions) || int(n.inner) >= inner || n.inner >= 0 && n.action < 0:
			return bad("the node", i)
		case n.inner < 0 && len(rest) < latents:
			return bad("no belief of the leaf", i)
		case n.inner < 0:
			n.belief, rest = rest[:latents], rest[latents:]
			if err := bcpace.Belief(n.belief).Validate(); err != nil {
				return nil, err
			}
		}
		c.nodes = append(c.nodes, n)
	}
	for _, to := range g.To {
		if to < none || int(to) >= nodes {
			return bad("an edge to node", to)
		}
	}
	for _, s := range g.Starts {
		if s[1] < none || s[1] >= nodes {
			return bad("a start at node", s[1])
		}
		c.starts = append(c.starts, start{state: s[0], node: int32(s[1])})
	}
	return c, nil
}

// Open returns m without what it says of its own values, which would be false with another prior or other rewards.
func Open(m bcpace.Model) bcpace.Model {
	switch m.(type) {
	case bcpace.ValueBounds, bcpace.LatentValues, bcpace.ToldModel:
		return bcpace.Derive(m, func(bcpace.Model, *bcpace.Abilities) {})
	}
	return m
}
