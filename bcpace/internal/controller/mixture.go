package controller

import (
	"context"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
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
