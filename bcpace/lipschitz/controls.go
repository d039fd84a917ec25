package lipschitz

import (
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
)

// controlled is a model whose states have the controls of all boxes behind them and whose
// actions have none, so that its constants in the state are those of the inner one in state
// and control. The controls after a step are drawn anew, whatever they were before it.
type controlled struct {
	inner     bcpace.Model
	spec      bcpace.Spec
	innerSpec bcpace.Spec
	first     []int // by action: the axis of its first control
}

func newControlled(m bcpace.Model) *controlled {
	c := &controlled{inner: m, spec: m.Spec(), innerSpec: m.Spec()}
	c.spec.Axes, c.spec.Actions = slices.Clone(c.spec.Axes), nil
	for _, a := range c.innerSpec.Actions {
		c.first = append(c.first, len(c.spec.Axes))
		c.spec.Axes = append(c.spec.Axes, a.Box...)
		c.spec.Actions = append(c.spec.Actions, bcpace.Action{Name: a.Name})
	}
	return c
}

// state returns the inner part of a state, a view.
func (c *controlled) state(s []float64) []float64 { return s[:len(c.innerSpec.Axes)] }

// id returns the inner action of an action at a state. Controls are always within their boxes.
func (c *controlled) id(s []float64, action int) int {
	at := c.first[action]
	id, err := c.innerSpec.ActionID(action, s[at:at+len(c.innerSpec.Actions[action].Box)])
	if err != nil {
		panic(err) // the sampler reports it as a fault of the model
	}
	return id
}

// snap moves the controls of a state to the places that ids stand for.
func (c *controlled) snap(s []float64) {
	for a, x := range c.innerSpec.Actions {
		c.innerSpec.Control(s[c.first[a]:c.first[a]+len(x.Box)], c.id(s, a))
	}
}

// draw draws the controls of a state.
func (c *controlled) draw(s []float64, rng *rand.Rand) {
	for i, x := range c.spec.Axes[len(c.innerSpec.Axes):] {
		s[len(c.innerSpec.Axes)+i] = x.Wrap(x.Min + rng.Float64()*(x.Max-x.Min))
	}
	c.snap(s)
}

// Spec implements bcpace.Model.
func (c *controlled) Spec() bcpace.Spec { return c.spec }

// Prior implements bcpace.Model.
func (c *controlled) Prior(b bcpace.Belief) { c.inner.Prior(b) }

// Start implements bcpace.Model.
func (c *controlled) Start(s []float64, latent int, rng *rand.Rand) {
	c.inner.Start(c.state(s), latent, rng)
	c.draw(s, rng)
}

// Step implements bcpace.Model.
func (c *controlled) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	o := c.inner.Step(c.state(next), c.state(s), latent, c.id(s, action), rng)
	c.draw(next, rng)
	return o
}

// LogLikelihood implements bcpace.Model, up to the density of the next controls.
func (c *controlled) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	return c.inner.LogLikelihood(c.state(s), c.id(s, action), c.state(next), latent)
}

// LatentKind implements bcpace.LatentDynamics.
func (c *controlled) LatentKind() bcpace.LatentKind { return bcpace.KindOf(c.inner) }

// LatentTransition implements bcpace.LatentDynamics.
func (c *controlled) LatentTransition(p []float64, s []float64, action, latent int) bool {
	d, ok := c.inner.(bcpace.LatentDynamics)
	return ok && d.LatentTransition(p, c.state(s), c.id(s, action), latent)
}

// witness returns a witness of the model with controls as one of the inner model.
func (c *controlled) witness(w Witness) Witness {
	if w.What == "" {
		return w
	}
	first, second := c.id(w.S1, w.Action), c.id(w.S2, w.Action)
	if w.Action = first; first != second {
		_, w.U2 = c.innerSpec.Control(nil, second)
	}
	w.S1, w.S2 = c.state(w.S1), c.state(w.S2)
	if slices.Equal(w.S1, w.S2) {
		w.S2 = nil
	}
	return w
}

// constant returns a constant with such witnesses.
func (c *controlled) constant(x Constant) Constant {
	x.Worst = c.witness(x.Worst)
	for a := range x.ByAction {
		x.ByAction[a].Worst = c.witness(x.ByAction[a].Worst)
	}
	return x
}
