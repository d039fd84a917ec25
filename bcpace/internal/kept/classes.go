package kept

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/alpha"
)

// ByClass is the kind of a policy that takes the best α-vector of the class of the state.
const ByClass = "bounds"

func init() { Register(ByClass, readClasses) }

// Classes are the data of a policy of α-vectors whose states are in classes that are alike.
type Classes struct {
	// Class is by state of the model: whose vectors it has, as states that are alike share them; −1 for a state that is never reached.
	Class []int `json:"class"`
	Vectors
}

// ClassesOf returns the data for a model whose state s has the class classOf(s), without the vectors.
func ClassesOf(m bcpace.Finite, classOf func(s []float64) int) *Classes {
	list := &Classes{}
	s := make([]float64, len(m.Spec().Axes))
	for n := range m.NumStates() {
		m.StateAt(s, n)
		list.Class = append(list.Class, classOf(s))
	}
	return list
}

// readClasses is a Read.
func readClasses(_ context.Context, m bcpace.Model, data json.RawMessage) (bcpace.Policy, error) {
	var list Classes
	f, err := Numbered(m, data, &list)
	if err != nil {
		return nil, err
	}
	spec := f.Spec()
	p := classPolicy{model: f, latents: len(spec.Latents), class: list.Class}
	if len(p.class) != f.NumStates() {
		return nil, Bad("its vectors", fmt.Sprintf("for %d states", len(p.class)), fmt.Sprintf("some for each of the %d states of the model", f.NumStates()))
	}
	for n, class := range p.class {
		if class < -1 || class >= len(list.Count) {
			return nil, Bad(fmt.Sprintf("the class of state %d", n), class, fmt.Sprintf("a number from -1 to %d", len(list.Count)-1))
		}
	}
	err = list.Each(len(list.Count), 0, p.latents, len(spec.Actions), func(s, action int, entries []float64) {
		if s == len(p.best) {
			p.best = append(p.best, alpha.NewSet(p.latents))
		}
		p.best[s].Append(entries, action)
	})
	return p, err
}

// classPolicy takes the action of the best vector.
type classPolicy struct {
	model   bcpace.Finite
	latents int
	class   []int        // by state
	best    []*alpha.Set // by class, with actions
}

// Act implements bcpace.Policy.
func (p classPolicy) Act(s []float64, b bcpace.Belief, _ *rand.Rand) int {
	i := p.model.StateIndex(s)
	if i < 0 || len(b) != p.latents {
		return -1
	}
	if i = p.class[i]; i < 0 {
		return -1
	}
	k, _ := p.best[i].Best(b)
	if k < 0 {
		return -1
	}
	return p.best[i].Action(k)
}
