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
	model *pomdp.Model
	agent *pomdp.Agent
	begun bool
	last  int // action

	hello Hello
}

// NewObserver returns one that plays a policy found for of: m itself, what pomdp.Reveal makes of it, or one of these with the steps left among what is
// visible (pomdp.FiniteHorizon). The error is that of ctx, or an *bcpace.InputError for models that do not go together.
func NewObserver(ctx context.Context, m, of *pomdp.Model, p pomdp.Policy) (*Observer, error) {
	agent, err := pomdp.NewAgent(ctx, m, of, p)
	if err != nil {
		return nil, err
	}
	o := &Observer{model: m, agent: agent, hello: Hello{Takes: "observations", State: []SeenEntry{}, Actions: m.Actions, Latents: make([]string, m.NumHidden())}}
	for _, v := range m.Visible {
		o.hello.State = append(o.hello.State, seen(v.Name, v.Values, 0, float64(len(v.Values)-1)))
	}
	o.hello.Next = slices.Clone(o.hello.State)
	if last := len(m.Observations) - 1; last > 0 {
		o.hello.Next = append(o.hello.Next, seen("observation", m.Observations, 0, float64(last)))
	}
	for y := range o.hello.Latents {
		o.hello.Latents[y] = strings.Join(pomdp.ValueNames(m.Hidden, y), ",")
	}
	return o, nil
}

// Begin begins an episode where a value of each visible variable is seen, by its number, and says what to do. The error is an *bcpace.InputError for
// what the model does not have, that of ctx, or the policy's.
func (o *Observer) Begin(ctx context.Context, state []float64) (Choice, error) {
	values, err := whole("state", state, o.hello.State)
	if err != nil {
		return Choice{}, err
	}
	surprised, _ := o.agent.Begin([]float64{o.visible(values)}, nil)
	return o.choose(ctx, surprised)
}

// Observe says what was seen after an action, as Hello.Next has it: a value of each visible variable and, where there is more than one, an observation, by
// their numbers; and what to do now: nothing after the last step of a horizon, see Choice.Over. The error is like that of Begin; before Begin and after the
// end it is an *bcpace.InputError. An error changes nothing, unless it is the policy's or that of ctx: then an episode has to begin anew.
func (o *Observer) Observe(ctx context.Context, action int, reward float64, next []float64) (Choice, error) {
	values, err := whole("next", next, o.hello.Next)
	m, bad := o.model, bcpace.In("observer").Bad
	switch {
	case err != nil:
		return Choice{}, err
	case !o.begun:
		return Choice{}, bad("the episode", "not begun", "a first state")
	case action < 0 || action >= len(m.Actions):
		return Choice{}, bad("the action", action, fmt.Sprintf("a number from 0 to %d", len(m.Actions)-1))
	case math.IsNaN(reward) || math.IsInf(reward, 0):
		return Choice{}, bad("the reward", reward, "a number")
	case o.agent.Over():
		return Choice{}, bad("the episode", "over", fmt.Sprintf("a first state, as the policy is for %d steps", o.agent.Steps))
	}
	observation := 0.0
	if n := len(m.Visible); len(values) > n {
		observation = next[n]
	}
	surprised, _ := o.agent.Observe(action, 0, []float64{o.visible(values), observation}, nil)
	if o.agent.Over() {
		return Choice{Action: -1, ID: -1, Belief: slices.Clone(o.agent.Belief()), Surprised: surprised, Over: true}, nil
	}
	return o.choose(ctx, surprised)
}

// choose asks the policy.
func (o *Observer) choose(ctx context.Context, surprised bool) (Choice, error) {
	var d bcpace.Decision
	err := o.agent.Decide(ctx, &d, nil)
	if o.begun = err == nil; err != nil {
		return Choice{}, err
	}
	o.last = d.Action
	return Choice{Action: d.Action, ID: d.Action, Name: o.model.Actions[d.Action], Belief: slices.Clone(o.agent.Belief()), Surprised: surprised}, nil
}

// visible returns the number of what is visible, from those of its values.
func (o *Observer) visible(values []int) float64 {
	x := 0
	for i, v := range o.model.Visible {
		x = x*len(v.Values) + values[i]
	}
	return float64(x)
}

// Serve answers requests from in, one a line, on out, until in ends or ctx does. The error is that of ctx, of in or of out.
func (o *Observer) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	return serve(ctx, o, in, out)
}

// Hello says what requests hold.
func (o *Observer) Hello() Hello { return o.hello }

// action returns the number of an action, that of the last answer for nil.
func (o *Observer) action(v *Value) (int, error) {
	if v == nil {
		return o.last, nil
	}
	a := int(v.Number)
	if v.Text != "" {
		a = slices.Index(o.model.Actions, v.Text)
	}
	if a < 0 || a >= len(o.model.Actions) || v.Text == "" && float64(a) != v.Number {
		return 0, bcpace.In("request").Bad("action", v, fmt.Sprintf("the name or the number of one of %q", o.model.Actions))
	}
	return a, nil
}

// whole returns the numbers of values.
func whole(what string, list []float64, of []SeenEntry) ([]int, error) {
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
