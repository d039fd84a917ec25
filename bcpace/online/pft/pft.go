// Package pft is planning with particle-filter trees for a hidden vector: PFT-DPW (Sunberg and Kochenderfer 2018, "Online
// algorithms for POMDPs with continuous state, action, and observation spaces") and Sparse-PFT (Lim, Becker, Kochenderfer,
// Tomlin and Sunberg 2023, "Optimality guarantees for particle belief approximation of POMDPs").
//
// A node is a belief of so many weighted particles, all of which are moved and weighted when a node is added. So the tree is that of
// a Markov decision process of beliefs. PFT-DPW gives an edge more and more next beliefs, by progressive widening;
// Sparse-PFT gives each edge the same number C of them.
//
// # What is proved
//
// The paper on Sparse-PFT is about the problem whose beliefs are particles. It proves that what a planner guarantees there holds, with
// high probability, for the problem itself but for an error that falls as particles grow in number. A planner with a guarantee there is
// sparse sampling, which searches the whole tree of C next beliefs an edge. A tree that simulations have searched in part, as here,
// has none. So a decision has no interval.
//
// Nor would the whole tree give one that is of use. Its guarantee takes Hoeffding's inequality at each node: an
// error of ε at the root but with probability δ asks, by that alone, for
//
//	C ≥ (VMax−VMin)²/(2ε²(1−γ)²) · (ln(2/δ) + D·ln(|A|·C))
//
// for a depth D. With three actions, rewards from −1 to 1, γ = 0.9, ε = 0.1 and δ = 0.05 these are 2·10⁹ next beliefs for each edge
// at the depth of 44 that a search has by default and, at a depth of 6, 2.5·10⁸ of them and 10⁵³ nodes. Where the value is known,
// the tests have simulations come within 0.06 of it with 12 next beliefs and 200 particles.
package pft

import (
	"cmp"
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/online/tree"
	"bayescpace/bcpace/online/vectors"
)

// Solver has the parameters. Every zero value is useful.
type Solver struct {
	// Budget is that of a decision. The default is 1000 simulations.
	Budget bcpace.Budget
	// Particles is how many a node has. 0 means 20.
	Particles int
	// Exploration is c of UCB1, in reward units. 0 means the range of the model's rewards.
	Exploration float64
	// Width is C of Sparse-PFT: how many next beliefs each edge has. 0 means progressive widening, as in PFT-DPW.
	Width int
	// StateK and StateAlpha are k > 0 and α in (0, 1) of next beliefs. 0 means 4 and ¼.
	StateK, StateAlpha float64
	// ActionK and ActionAlpha are k > 0 and α in (0, 1) of the controls of a model some of
	// whose actions have a Box: every second of them is that of Model.Rollout, if there is one, for a hidden vector of the node. 0 means 4
	// and ⅓.
	ActionK, ActionAlpha float64
}

const (
	defaultParticles = 20
	maxParticles     = 1 << 16
	rounds           = 4 // of fresh particles, where none explains what is seen
)

// Planner returns the planner for m. The error is a *bcpace.InputError for a model or parameters that cannot be used, and a
// *bcpace.UnsupportedError for a model without a LogDensity.
func (o Solver) Planner(m *hidden.Model) (hidden.Planner, error) {
	states, actions := tree.Widening{K: o.StateK, Alpha: o.StateAlpha}, tree.Widening{K: o.ActionK, Alpha: o.ActionAlpha}
	if err := cmp.Or(states.Check("State"), actions.Check("Action"), online.CheckExploration(o.Exploration)); err != nil {
		return nil, err
	}
	bad := bcpace.In("options").Bad
	switch {
	case o.Particles < 0 || o.Particles > maxParticles:
		return nil, bad("Particles", o.Particles, fmt.Sprintf("a number up to %d, or 0 for %d", maxParticles, defaultParticles))
	case o.Width < 0 || o.Width > math.MaxInt32:
		return nil, bad("Width", o.Width, "a number of next beliefs, or 0 for progressive widening")
	case o.Width > 0 && (o.StateK != 0 || o.StateAlpha != 0):
		return nil, bad("StateK, StateAlpha", fmt.Sprintf("%v, %v beside Width", o.StateK, o.StateAlpha), "0 beside a Width, or a Width of 0")
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if m.LogDensity == nil {
		return nil, &bcpace.UnsupportedError{Model: m.Spec.Name, Algorithm: "a particle-filter tree", Need: "Model.LogDensity, which weighs the particles of a node; pomcpow does without where what is observed takes few values"}
	}
	states, actions = states.Or(4, 1.0/4), actions.Or(4, 1.0/3)
	n := cmp.Or(o.Particles, defaultParticles)
	table, err := vectors.NewTable(m, o.Budget.Depth)
	if err != nil {
		return nil, err
	}
	return online.NewVectors(m, o.Budget, func() online.Search[hidden.Belief] {
		x := newClouds(vectors.NewHistories(m, table, o.Budget.Depth, o.Exploration, actions), n)
		x.Width, x.States = int32(o.Width), states
		return x
	})
}
