package act

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/pomdp"
)

// NewObserver returns an agent that plays a policy of a POMDP, and is told what is observed in place of states: a value of each visible variable and,
// after an action and where there is more than one, an observation, by their numbers. The policy was found for of: m itself, what pomdp.Reveal makes of
// it, or one of these with the steps left among what is visible (pomdp.FiniteHorizon). The error is that of ctx, or an *bcpace.InputError for models that
// do not go together.
func NewObserver(ctx context.Context, m, of *pomdp.Model, p pomdp.Policy) (*Agent, error) {
	agent, err := pomdp.NewAgent(ctx, m, of, p)
	if err != nil {
		return nil, err
	}
	a := newAgent(&observing{agent, m}, bcpace.Spec{Actions: bcpace.Actions(m.Actions...)}, 0)
	a.steps, a.fits = agent.Steps, a.hasValues
	a.believed = func(c *Choice) { c.Belief = slices.Clone(agent.Belief()) }
	a.hello = Hello{Takes: "observations", State: []SeenEntry{}, Actions: m.Actions, Latents: make([]string, m.NumHidden())}
	for _, v := range m.Visible {
		a.hello.State = append(a.hello.State, seen(v.Name, v.Values, 0, float64(len(v.Values)-1)))
	}
	a.hello.Next = slices.Clone(a.hello.State)
	if last := len(m.Observations) - 1; last > 0 {
		a.hello.Next = append(a.hello.Next, seen("observation", m.Observations, 0, float64(last)))
	}
	for y := range a.hello.Latents {
		a.hello.Latents[y] = strings.Join(pomdp.ValueNames(m.Hidden, y), ",")
	}
	return a, nil
}

// hasValues returns an *bcpace.InputError for a list that has not the number of a value for each entry of hello.
func (a *Agent) hasValues(list []float64, next bool) error {
	what, of, bad := "state", a.hello.State, bcpace.In("request").Bad
	if next {
		what, of = "next", a.hello.Next
	}
	if len(list) != len(of) {
		want := "an empty list, as nothing is seen there"
		if len(of) > 0 {
			names := make([]string, len(of))
			for i, s := range of {
				names[i] = s.Name
			}
			want = fmt.Sprintf("a value for each of %q", names)
		}
		return bad(what, fmt.Sprintf("a list of %d", len(list)), want)
	}
	for i, x := range list {
		if float64(int(x)) != x || x < 0 || x > *of[i].Max {
			return bad(fmt.Sprintf("%s[%d]", what, i), x, fmt.Sprintf("the name or the number of a value of %q: %q", of[i].Name, of[i].Values))
		}
	}
	return nil
}

// observing is an agent of a POMDP that is told values of visible variables one by one.
type observing struct {
	*pomdp.Agent
	model *pomdp.Model
}

// Begin implements rollout.Agent.
func (o *observing) Begin(seen []float64, rng *rand.Rand) (surprised bool, err error) {
	return o.Agent.Begin([]float64{o.visible(seen)}, rng)
}

// Observe implements rollout.Agent.
func (o *observing) Observe(action int, reward float64, seen []float64, rng *rand.Rand) (surprised bool, err error) {
	observation := 0.0
	if n := len(o.model.Visible); len(seen) > n {
		observation = seen[n]
	}
	return o.Agent.Observe(action, reward, []float64{o.visible(seen), observation}, rng)
}

// visible returns the number of what is visible, from those of its values.
func (o *observing) visible(values []float64) (x float64) {
	for i, v := range o.model.Visible {
		x = x*float64(len(v.Values)) + values[i]
	}
	return x
}
