package bcpace

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// StartPoint is a state and the belief held there, to explore from.
type StartPoint struct {
	State  []float64
	Belief Belief
}

// StartsFor returns starts as points of m: where m counts down the steps left of a
// model, with all of them behind the states of that one. The error is an *InputError
// for what is no state and belief of m.
func StartsFor(m Model, starts []StartPoint) ([]StartPoint, error) {
	starts = clockedStarts(m, starts)
	for i, p := range starts {
		if err := p.check(m); err != nil {
			return nil, fmt.Errorf("options: Starts[%d]: %w", i, err)
		}
	}
	return starts, nil
}

// check says what keeps p from being a state and a belief of m.
func (p StartPoint) check(m Model) error {
	spec := m.Spec()
	bad := func(what string, got any, want string) error {
		return &InputError{Where: "model " + quote(spec.Name), What: what, Got: fmt.Sprint(got), Want: want}
	}
	if len(p.State) != len(spec.Axes) {
		return bad("the state", p.State, fmt.Sprintf("%d numbers, one for each axis", len(spec.Axes)))
	}
	for i, x := range p.State {
		switch a := spec.Axes[i]; {
		case !(x >= a.Min && x <= a.Max):
			return bad("the state on axis "+quote(a.Name), x, fmt.Sprintf("a value from %v to %v", a.Min, a.Max))
		case a.Discrete && x != math.Trunc(x):
			return bad("the state on axis "+quote(a.Name), x, "a whole number")
		}
	}
	if f, ok := AsFinite(m); ok && f.StateIndex(p.State) < 0 {
		return bad("the state", p.State, "one of its numbered states")
	}
	if len(p.Belief) != len(spec.Latents) {
		return bad("the belief", p.Belief, fmt.Sprintf("%d probabilities, one for each latent", len(spec.Latents)))
	}
	return p.Belief.Validate()
}

// Start is a start state of a model with the belief that it leaves of the prior, and its
// probability.
type Start struct {
	State  []float64
	Belief Belief
	Weight float64
}

// startDraws is how many start states stand for P0(s) where the model does not
// list them.
const startDraws = 256

// AtStart returns the mean of f over the start states of m, each with the
// belief that it leaves of the prior: the value at the start of an algorithm
// whose values f gives. Start states that m does not list are drawn, always the
// same ones. The error is that of Validate, or the model's.
func AtStart(m Model, f func(s []float64, b Belief) float64) (float64, error) {
	if err := Validate(m); err != nil {
		return 0, err
	}
	starts, err := StartsOf(m)
	v := 0.0
	for _, s := range starts {
		v += s.Weight * f(s.State, s.Belief)
	}
	return v, err
}

// StartsOf returns the start states of m: all of them for an Enumerator, and
// otherwise the distinct ones among startDraws draws with a fixed seed.
func StartsOf(m Model) ([]Start, error) {
	if e, ok := m.(Enumerator); ok {
		return enumeratedStarts(e), nil
	}
	sim, rng := NewSimulator(m), rand.New(rand.NewPCG(0, 0))
	var list []Start
draws:
	for range startDraws {
		if err := sim.Reset(rng); err != nil {
			return nil, err
		}
		for i := range list {
			if equal(list[i].State, sim.State) {
				list[i].Weight += 1.0 / startDraws
				continue draws
			}
		}
		list = append(list, Start{append([]float64(nil), sim.State...), append(Belief(nil), sim.Belief...), 1.0 / startDraws})
	}
	return list, nil
}

// enumeratedStarts conditions the prior on each start state of e.
func enumeratedStarts(e Enumerator) []Start {
	spec := e.Spec()
	prior := make(Belief, len(spec.Latents))
	e.Prior(prior)
	var z Successors
	z.Reset(len(spec.Axes), len(spec.Latents))
	e.Starts(&z)
	var list []Start
	for i := range z.Len() {
		s, p, _ := z.Row(i)
		b := make(Belief, len(prior))
		if w := Posterior(b, prior, p); w > 0 {
			list = append(list, Start{append([]float64(nil), s...), b, w})
		}
	}
	return list
}

func equal(x, y []float64) bool {
	for i, v := range x {
		if v != y[i] {
			return false
		}
	}
	return true
}
