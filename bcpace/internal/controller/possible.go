package controller

import (
	"context"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/sparse"
)

// SupportGraph has a node for each state and set of possible latents that can be reached.
type SupportGraph struct {
	Model  bcpace.Finite
	Spec   bcpace.Spec // of Model
	Starts []StartNode
	State  []int32 // by node: the number of its state

	possible [][]bool // by node and latent
	index    sparse.HashIndex
	first    []int32 // the branches of node n and action a are first[n·actions+a] to first[n·actions+a+1]
	branch   []Follower
	mover    *sparse.Mover
}

// StartNode is a node in which an episode may begin, and its probability under each latent that is possible then, at least.
type StartNode struct {
	Node int32
	Prob float64
}

// Follower is what may follow an action.
type Follower struct {
	To     int32   // None where the episode ends
	Number int32   // of the next state
	Pays   float64 // what the step pays
	Prob   float64 // of it, under each latent that is possible after it, at least
}

const (
	// None stands for no node.
	None = -1
	// mostBranches are how many branches a graph may have, some 100 MB.
	mostBranches = 4_000_000
)

// Pays says what a step pays to next, where the latents with weights above 0 are possible and each would pay its reward.
type Pays func(s []float64, action int, next, weights, reward []float64) float64

// SupportOf lists the graph of m. It is nil where that is too large. The error is that of ctx or of the model.
func SupportOf(ctx context.Context, m bcpace.Finite, pays Pays) (*SupportGraph, error) {
	g := &SupportGraph{Model: m, Spec: m.Spec(), mover: bcpace.AbilitiesOf(m).Mover(), first: []int32{0}}
	var z bcpace.Successors
	if err := z.ListStarts(m); err != nil {
		return nil, err
	}
	prior := make(bcpace.Belief, len(g.Spec.Latents))
	m.Prior(prior)
	weights := make(bcpace.Belief, len(prior))
	for i := range z.Len() {
		s, prob, _ := z.Row(i)
		for φ, q := range prob {
			weights[φ] = q * prior[φ]
		}
		if least, there := leastOf(weights); there {
			g.Starts = append(g.Starts, StartNode{g.node(m.StateIndex(s), weights), least})
		}
	}
	if fits, err := g.list(ctx, pays); err != nil || !fits {
		return nil, err
	}
	return g, nil
}

// Branches returns what may follow an action at a node.
func (g *SupportGraph) Branches(n, a int) []Follower {
	at := n*len(g.Spec.Actions) + a
	return g.branch[g.first[at]:g.first[at+1]]
}

// NumBranches returns how many branches all nodes have together.
func (g *SupportGraph) NumBranches() int { return len(g.branch) }

// Find returns the node of a state where the latents with weights above 0 are possible, or None.
func (g *SupportGraph) Find(state int, weights []float64) int32 {
	n, _ := g.find(state, weights)
	return n
}

// IsPossible reports whether a latent is possible at a node.
func (g *SupportGraph) IsPossible(n int32, latent int) bool { return g.possible[n][latent] }

// leastOf returns the least of the numbers above 0, if there is one.
func leastOf(list []float64) (least float64, there bool) {
	least = math.Inf(1)
	for _, x := range list {
		if x > 0 {
			least = min(least, x)
		}
	}
	return least, !math.IsInf(least, 1)
}

// find is Find, and returns the hash.
func (g *SupportGraph) find(state int, weights []float64) (n int32, hash uint64) {
	hash = sparse.Mixed(0, uint64(state))
	for φ, w := range weights {
		if w > 0 {
			hash = sparse.Mixed(hash, uint64(φ))
		}
	}
	return g.index.Find(hash, func(k int32) bool {
		return int(g.State[k]) == state && slices.EqualFunc(g.possible[k], weights, func(yes bool, w float64) bool { return yes == (w > 0) })
	}), hash
}

// node returns the node of a state where the latents with weights above 0 are possible, a new one where there is none.
func (g *SupportGraph) node(state int, weights []float64) int32 {
	n, hash := g.find(state, weights)
	if n != None {
		return n
	}
	possible := make([]bool, len(weights))
	for φ, w := range weights {
		possible[φ] = w > 0
	}
	g.State, g.possible = append(g.State, int32(state)), append(g.possible, possible)
	return g.index.Add(hash)
}

// list lists the branches of all nodes, and reports whether they are not too many.
func (g *SupportGraph) list(ctx context.Context, pays Pays) (fits bool, err error) {
	list, s, latents := bcpace.NewLister(g.Model), make([]float64, len(g.Spec.Axes)), len(g.Spec.Latents)
	var rows sparse.MoveRows
	weights, unit, to := make([]float64, latents), make([]float64, latents), make([]float64, latents)
	for n := 0; n < len(g.State); n++ {
		for a := range g.Spec.Actions {
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
			if len(g.branch)+len(g.State)*latents/8 > mostBranches {
				return false, nil
			}
			g.Model.StateAt(s, int(g.State[n]))
			if err := list.List(s, a); err != nil {
				return false, err
			}
			moving := g.mover != nil && g.mover.Fill(&rows, s, a, nil)
			z := &list.Successors
			for i := range z.Len() {
				next, prob, reward := z.Row(i)
				for φ, q := range prob {
					if weights[φ] = 0; g.possible[n][φ] {
						weights[φ] = q
					}
				}
				least, there := leastOf(weights)
				if !there {
					continue
				}
				b := Follower{To: None, Number: int32(g.Model.StateIndex(next)), Pays: pays(s, a, next, weights, reward), Prob: least}
				if !z.Done[i] {
					after := weights
					if moving {
						likely, _ := leastOf(rows.Share) // to move to another one or stay
						after, b.Prob = moved(to, unit, weights, &rows), b.Prob*min(1, likely)
					}
					b.To = g.node(int(b.Number), after)
				}
				g.branch = append(g.branch, b)
			}
			g.first = append(g.first, int32(len(g.branch)))
		}
	}
	return true, nil
}

// moved sets to to weights above 0 for the latents that are possible after the latent has moved.
func moved(to, unit, weights []float64, rows *sparse.MoveRows) []float64 {
	for φ, w := range weights {
		if unit[φ] = 0; w > 0 {
			unit[φ] = 1
		}
	}
	rows.Move(to, unit, 0)
	return to
}
