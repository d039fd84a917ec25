package act

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/pomdp"
)

// Observer plays a policy of a POMDP in a world that is not simulated: it is told what is seen, and keeps the belief over what is hidden. It is for one
// goroutine.
type Observer struct {
	model, of *pomdp.Model
	policy    pomdp.Policy
	revealed  *pomdp.Revealed // of which of is, or nil
	steps     int             // that of counts among what is visible, 0 for none

	x, left, taken int       // what is visible now, the steps left, those taken
	b, next        []float64 // belief over what is hidden, and scratch space
	believed       []float64 // the same for of, where that is revealed
	begun          bool
	last           int // action

	state, seen []Seen // what requests hold
}

// NewObserver returns one that plays a policy found for of: m itself, what pomdp.Reveal makes of it, or one of these with the steps left among what is
// visible (pomdp.FiniteHorizon). The error is that of ctx, or an *bcpace.InputError for models that do not go together.
func NewObserver(ctx context.Context, m, of *pomdp.Model, p pomdp.Policy) (*Observer, error) {
	if err := m.ValidateContext(ctx); err != nil {
		return nil, err
	}
	bad := bcpace.In("observer").Bad
	if p == nil || of == nil {
		return nil, bad("the policy", "nil", "one of a solver or of your own, with its model")
	}
	n := m.NumVisible()
	o := &Observer{model: m, of: of, policy: pomdp.Fork(p), b: make([]float64, m.NumHidden()), next: make([]float64, m.NumHidden()), state: []Seen{}}
	if !sameStates(of, m) {
		revealed, err := pomdp.Revealing(ctx, m)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil || !sameStates(of, revealed.Model):
			return nil, bad("the policy", fmt.Sprintf("for %d visible and %d hidden states", of.NumVisible(), of.NumHidden()),
				fmt.Sprintf("one for the %d visible and %d hidden states of model %q, for what its observations reveal of them, or for either with the steps left", n, m.NumHidden(), m.Name))
		}
		o.revealed, o.believed, n = revealed, make([]float64, of.NumHidden()), revealed.Model.NumVisible()
	}
	o.steps = of.NumVisible()/n - 1
	for _, v := range m.Visible {
		o.state = append(o.state, seen(v.Name, v.Values, 0, float64(len(v.Values)-1)))
	}
	o.seen = slices.Clone(o.state)
	if last := len(m.Observations) - 1; last > 0 {
		o.seen = append(o.seen, seen("observation", m.Observations, 0, float64(last)))
	}
	return o, nil
}

// sameStates reports whether of has the states and the actions of m, or also the steps left.
func sameStates(of, m *pomdp.Model) bool {
	own := len(m.Visible)
	return len(of.Visible) >= own && len(of.Visible) <= own+1 && len(of.Actions) == len(m.Actions) && sameVariables(of.Visible[:own], m.Visible) && sameVariables(of.Hidden, m.Hidden)
}

func sameVariables(a, b []pomdp.Variable) bool {
	return slices.EqualFunc(a, b, func(v, w pomdp.Variable) bool { return v.Name == w.Name && slices.Equal(v.Values, w.Values) })
}

// Begin begins an episode where a value of each visible variable is seen, by its number, and says what to do. The error is an *bcpace.InputError for
// what the model does not have, or the policy's.
func (o *Observer) Begin(visible []int) (Choice, error) {
	x, err := o.number("what is seen", visible)
	if err != nil {
		return Choice{}, err
	}
	o.x, o.left, o.taken = x, o.steps, 0
	surprised := o.model.StartBelief(o.b, x) == 0
	if surprised {
		o.prior(o.b)
	}
	return o.choose(surprised)
}

// Observe says what was seen after an action: a value of each visible variable, and an observation, by their numbers; and what to do now: nothing after the last
// step of a horizon, see Choice.Over. The error is like that of Begin; before Begin and after the end it is an *bcpace.InputError. An error changes nothing, unless it is the policy's:
// then an episode has to begin anew.
func (o *Observer) Observe(action int, visible []int, observation int) (Choice, error) {
	x, err := o.number("what is seen", visible)
	m, bad := o.model, bcpace.In("observer").Bad
	switch {
	case err != nil:
		return Choice{}, err
	case !o.begun:
		return Choice{}, bad("the episode", "not begun", "a first state")
	case action < 0 || action >= len(m.Actions):
		return Choice{}, bad("the action", action, fmt.Sprintf("a number from 0 to %d", len(m.Actions)-1))
	case observation < 0 || observation >= len(m.Observations):
		return Choice{}, bad("the observation", observation, fmt.Sprintf("a number from 0 to %d", len(m.Observations)-1))
	case o.steps > 0 && o.left == 0:
		return Choice{}, bad("the episode", "over", fmt.Sprintf("a first state, as the policy is for %d steps", o.steps))
	}
	surprised := o.update(action, x, observation)
	o.x, o.left, o.taken = x, o.left-1, o.taken+1
	if o.steps > 0 && o.left == 0 {
		return Choice{Action: -1, ID: -1, Belief: slices.Clone(o.b), Surprised: surprised, Over: true}, nil
	}
	return o.choose(surprised)
}

// update updates the belief, and reports whether it had ruled out what is seen. It is then what this tells after the first belief, or after an even one
// where that rules it out too; or the first belief.
func (o *Observer) update(action, x, observation int) (surprised bool) {
	if o.model.Update(o.next, o.b, o.x, action, x, observation) == 0 {
		surprised = true
		o.prior(o.b)
		if o.model.Update(o.next, o.b, o.x, action, x, observation) == 0 {
			for y := range o.b {
				o.b[y] = 1 / float64(len(o.b))
			}
			if o.model.Update(o.next, o.b, o.x, action, x, observation) == 0 {
				o.prior(o.next)
			}
		}
	}
	o.b, o.next = o.next, o.b
	return surprised
}

// prior fills b with the belief over what is hidden before anything is seen.
func (o *Observer) prior(b []float64) {
	clear(b)
	for _, e := range o.model.Start {
		b[int(e.At)%len(b)] += e.Value
	}
}

// choose asks the policy.
func (o *Observer) choose(surprised bool) (Choice, error) {
	x, b := o.x, o.b
	if o.revealed != nil {
		x, b = o.revealed.Belief(o.believed, x, b), o.believed
	}
	if o.steps > 0 {
		x = x*(o.steps+1) + o.left
	}
	a, err := o.of.Act(o.policy, o.taken, x, b)
	if o.begun = err == nil; err != nil {
		return Choice{}, err
	}
	o.last = a
	return Choice{Action: a, ID: a, Name: o.model.Actions[a], Belief: slices.Clone(o.b), Surprised: surprised}, nil
}

// number returns the number of what is visible.
func (o *Observer) number(what string, visible []int) (x int, err error) {
	m := o.model
	if len(visible) != len(m.Visible) {
		return 0, bcpace.In("observer").Bad(what, fmt.Sprint(visible), fmt.Sprintf("a value of each of the %d visible variables", len(m.Visible)))
	}
	for i, v := range m.Visible {
		if visible[i] < 0 || visible[i] >= len(v.Values) {
			return 0, bcpace.In("observer").Bad(what+" of "+v.Name, visible[i], fmt.Sprintf("a number from 0 to %d", len(v.Values)-1))
		}
		x = x*len(v.Values) + visible[i]
	}
	return x, nil
}

// Serve answers requests from in, one a line, on out, until in ends or ctx does. The error is that of ctx, of in or of out.
func (o *Observer) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	return serve(ctx, o, in, out)
}

// Hello says what requests hold.
func (o *Observer) Hello() Hello {
	h := Hello{Takes: "observations", State: o.state, Next: o.seen, Actions: o.model.Actions, Latents: make([]string, o.model.NumHidden())}
	for y := range h.Latents {
		h.Latents[y] = strings.Join(pomdp.ValueNames(o.model.Hidden, y), ",")
	}
	return h
}

func (o *Observer) lists() (state, next []Seen) { return o.state, o.seen }

func (o *Observer) begin(_ context.Context, state []float64) (Choice, error) {
	visible, err := whole("state", state, o.state)
	if err != nil {
		return Choice{}, err
	}
	return o.Begin(visible)
}

func (o *Observer) observe(_ context.Context, action *Value, reward float64, next []float64) (Choice, error) {
	a := o.last
	if action != nil {
		a = int(action.Number)
		if action.Text != "" {
			a = slices.Index(o.model.Actions, action.Text)
		}
		if a < 0 || a >= len(o.model.Actions) || action.Text == "" && float64(a) != action.Number {
			return Choice{}, bcpace.In("request").Bad("action", action, fmt.Sprintf("the name or the number of one of %q", o.model.Actions))
		}
	}
	if math.IsNaN(reward) || math.IsInf(reward, 0) {
		return Choice{}, bcpace.In("request").Bad("reward", reward, "a number")
	}
	values, err := whole("next", next, o.seen)
	if err != nil {
		return Choice{}, err
	}
	observation := 0
	if n := len(o.model.Visible); len(values) > n {
		values, observation = values[:n], values[n]
	}
	return o.Observe(a, values, observation)
}

// whole returns the numbers of values.
func whole(what string, list []float64, of []Seen) ([]int, error) {
	names := make([]string, len(of))
	for i, s := range of {
		names[i] = s.Name
	}
	if len(list) != len(of) {
		want := fmt.Sprintf("a value for each of %q", names)
		if len(of) == 0 {
			want = "an empty list, as nothing is seen there"
		}
		return nil, bcpace.In("request").Bad(what, fmt.Sprintf("a list of %d", len(list)), want)
	}
	numbers := make([]int, len(list))
	for i, x := range list {
		if numbers[i] = int(x); float64(numbers[i]) != x || x < 0 || x > *of[i].Max {
			return nil, bcpace.In("request").Bad(fmt.Sprintf("%s[%d]", what, i), x, fmt.Sprintf("the name or the number of a value of %q: %q", names[i], of[i].Values))
		}
	}
	return numbers, nil
}
