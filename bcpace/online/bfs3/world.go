package bfs3

import (
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/tabular"
)

// world is where the nodes of a tree lie, by number: in states, with what is known there.
type world interface {
	// root makes (s, b) the place of node 0, and forgets all others.
	root(s []float64, b bcpace.Belief)
	// draw draws what follows an action at the node in which a trial is.
	draw(node int32, action int, rng *rand.Rand) (bcpace.Outcome, error)
	// drawn reports whether what was drawn last is at a node, which an earlier draw of the same
	// action has led to.
	drawn(node int32) bool
	// add makes what was drawn last the place of the next node.
	add(from int32, action int, done bool) error
	// enter says that the trial goes on to a node, and leave that it is over.
	enter(from int32, action int, node int32)
	leave()
	// most returns an upper bound of the reward of a step from a node.
	most(node int32) float64
	// place returns the state of a node and the belief over latents there.
	place(node int32) ([]float64, bcpace.Belief)
	// advance says what followed an action of the agent.
	advance(action int, next []float64)
	// forget forgets what happened in the episode.
	forget()
}

// beliefs is the world of a model with a list of latents.
type beliefs struct {
	model   bcpace.Model
	spec    bcpace.Spec
	bayes   *bcpace.Bayes
	states  []float64 // by node
	beliefs []float64 // by node
	next    []float64 // what was drawn last
}

func newBeliefs(m bcpace.Model) *beliefs {
	spec := m.Spec()
	return &beliefs{model: m, spec: spec, bayes: bcpace.NewBayes(m), next: make([]float64, len(spec.Axes))}
}

func (w *beliefs) state(node int32) []float64 {
	n := len(w.spec.Axes)
	return w.states[int(node)*n:][:n]
}

func (w *beliefs) belief(node int32) bcpace.Belief {
	n := len(w.spec.Latents)
	return w.beliefs[int(node)*n:][:n]
}

func (w *beliefs) root(s []float64, b bcpace.Belief) {
	w.states, w.beliefs = append(w.states[:0], s...), append(w.beliefs[:0], b...)
}

func (w *beliefs) draw(node int32, action int, rng *rand.Rand) (bcpace.Outcome, error) {
	s, φ := w.state(node), w.belief(node).Sample(rng)
	out := w.model.Step(w.next, s, φ, action, rng)
	return out, w.spec.CheckOutcome(out, w.next, s, action, φ)
}

func (w *beliefs) drawn(node int32) bool { return slices.Equal(w.next, w.state(node)) }

func (w *beliefs) add(from int32, action int, done bool) error {
	w.states = append(w.states, w.next...)
	w.beliefs = append(w.beliefs, w.belief(from)...)
	if done {
		return nil
	}
	b := w.beliefs[len(w.beliefs)-len(w.spec.Latents):]
	return w.bayes.Update(b, b, w.state(from), action, w.next)
}

func (w *beliefs) place(node int32) ([]float64, bcpace.Belief) {
	return slices.Clone(w.state(node)), slices.Clone(w.belief(node))
}

func (w *beliefs) enter(int32, int, int32) {}
func (w *beliefs) leave()                  {}
func (w *beliefs) most(int32) float64      { return w.spec.RewardMax }
func (w *beliefs) advance(int, []float64)  {}
func (w *beliefs) forget()                 {}

// counts is the world of a model of unknown transitions.
type counts struct {
	model  bcpace.Finite
	know   *tabular.Rows // of what has happened, and of the path of a trial
	past   int           // observations of what has happened
	states []int32       // by node
	next   int32         // what was drawn last
	best   []float64     // the largest reward of a step by state
	belief bcpace.Belief // of the agent: what it learns is none of latents
}

func newCounts(m bcpace.Finite, know *tabular.Rows) *counts {
	spec := m.Spec()
	w := &counts{model: m, know: know, best: make([]float64, know.States())}
	for s := range w.best {
		w.best[s] = spec.RewardMin
		for a := range know.Actions() {
			for _, x := range know.Moments(s, a, nil) {
				w.best[s] = max(w.best[s], know.Reward(s, a, x.Next))
			}
		}
	}
	return w
}

func (w *counts) root(s []float64, b bcpace.Belief) {
	w.belief = append(w.belief[:0], b...)
	w.states = append(w.states[:0], int32(w.model.StateIndex(s)))
}

func (w *counts) draw(node int32, action int, rng *rand.Rand) (bcpace.Outcome, error) {
	s := int(w.states[node])
	next, done := w.know.Predict(s, action, rng)
	w.next = int32(next)
	return bcpace.Outcome{Reward: w.know.Reward(s, action, next), Done: done}, nil
}

func (w *counts) drawn(node int32) bool { return w.next == w.states[node] }

func (w *counts) add(int32, int, bool) error {
	w.states = append(w.states, w.next)
	return nil
}

func (w *counts) enter(from int32, action int, node int32) {
	_ = w.know.Observe(int(w.states[from]), action, int(w.states[node])) // it was drawn, so that it may follow
}

func (w *counts) leave() { w.know.Undo(w.past) }

func (w *counts) place(node int32) ([]float64, bcpace.Belief) {
	s := make([]float64, len(w.model.Spec().Axes))
	w.model.StateAt(s, int(w.states[node]))
	return s, slices.Clone(w.belief)
}

func (w *counts) most(node int32) float64 { return w.best[w.states[node]] }

func (w *counts) advance(action int, next []float64) {
	if err := w.know.Observe(int(w.states[0]), action, w.model.StateIndex(next)); err == nil { // else the world is none that the prior allows
		w.past++
	}
}

func (w *counts) forget() {
	w.past = 0
	w.know.Undo(0)
}
