package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/kept"
)

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
