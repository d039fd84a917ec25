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
// what the model does not have, or the policy's.
func (o *Observer) Begin(visible []int) (Choice, error) {
	x, err := o.number("what is seen", visible)
	if err != nil {
		return Choice{}, err
	}
	surprised, _ := o.agent.Begin([]float64{float64(x)}, nil)
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
	case o.agent.Over():
		return Choice{}, bad("the episode", "over", fmt.Sprintf("a first state, as the policy is for %d steps", o.agent.Steps))
	}
	surprised, _ := o.agent.Observe(action, 0, []float64{float64(x), float64(observation)}, nil)
	if o.agent.Over() {
		return Choice{Action: -1, ID: -1, Belief: slices.Clone(o.agent.Belief()), Surprised: surprised, Over: true}, nil
	}
	return o.choose(surprised)
}

// choose asks the policy.
func (o *Observer) choose(surprised bool) (Choice, error) {
	var d bcpace.Decision
	err := o.agent.Decide(context.Background(), &d, nil)
	if o.begun = err == nil; err != nil {
		return Choice{}, err
	}
	o.last = d.Action
	return Choice{Action: d.Action, ID: d.Action, Name: o.model.Actions[d.Action], Belief: slices.Clone(o.agent.Belief()), Surprised: surprised}, nil
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
func (o *Observer) Hello() Hello { return o.hello }

func (o *Observer) begin(_ context.Context, state []float64) (Choice, error) {
	visible, err := whole("state", state, o.hello.State)
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
	values, err := whole("next", next, o.hello.Next)
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
