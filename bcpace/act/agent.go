package act

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
)

// Agent plays a policy in a world that is not simulated. It is for one goroutine.
type Agent struct {
	model bcpace.Model           // that the policy is played in, maybe with the steps left behind the state
	spec  bcpace.Spec            // of the model that the user has
	own   bcpace.Spec            // of model
	can   bcpace.PolicyAbilities // of the policy
	bayes *bcpace.Bayes
	rng   *rand.Rand

	state, from []float64
	belief      bcpace.Belief
	begun       bool
	last        int // action
}

// Choice is what to do, and what is believed.
type Choice struct {
	Action  int       `json:"action"`            // its number in Spec.Actions
	Name    string    `json:"name"`              // with its controls, where it has any
	Control []float64 `json:"control,omitempty"` // of a box
	Belief  []float64 `json:"belief"`            // by latent; nil of a hidden vector
	// Mean and Variance are those of each entry of a hidden vector.
	Mean     []float64 `json:"mean,omitempty"`
	Variance []float64 `json:"variance,omitempty"`
	// Lower and Upper bound the optimal value from here on, in reward units, where the policy knows: it plans between bounds.
	Lower *float64 `json:"lower,omitempty"`
	Upper *float64 `json:"upper,omitempty"`
	// Surprised says that the belief had ruled out what was seen, and has begun anew from the prior.
	Surprised bool `json:"surprised,omitempty"`
	// Over says that the episode has come to the end of the model's horizon, so that there is nothing more to do: Action is −1.
	Over bool `json:"over,omitempty"`

	ID int `json:"-"` // of the action in the model that the policy plays in (bcpace.ForPolicy), as Observe takes it
}

// New returns an agent with a policy for m, whose random numbers come from seed. The error is an *bcpace.InputError for a model or a policy that do not go
// together.
func New(m bcpace.Model, p bcpace.Policy, seed uint64) (*Agent, error) {
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	if p == nil {
		return nil, bcpace.In("agent").Bad("the policy", "nil", "one of a solver or of your own")
	}
	played, err := bcpace.ForPolicy(m, p)
	if err != nil {
		return nil, err
	}
	own := played.Spec()
	p = bcpace.Fork(p)
	return &Agent{model: played, spec: m.Spec(), own: own, can: bcpace.PolicyAbilitiesOf(p), bayes: bcpace.NewBayes(played), rng: rand.New(rand.NewPCG(seed, 0)),
		state: make([]float64, len(own.Axes)), from: make([]float64, len(own.Axes)), belief: make(bcpace.Belief, len(own.Latents))}, nil
}

// Spec describes the model whose states the agent takes.
func (a *Agent) Spec() bcpace.Spec { return a.spec }

// Begin begins an episode in a state and says what to do. The error is an *bcpace.InputError for what is no state of the model, that of ctx, or the
// policy's.
func (a *Agent) Begin(ctx context.Context, state []float64) (Choice, error) {
	state = a.goesOn(state)
	if err := cmp.Or(ctx.Err(), onAxes(a.spec.Axes, "the state", state)); err != nil {
		return Choice{}, err
	}
	a.begun = false
	copy(a.state, state)
	if len(a.state) > len(state) {
		a.state[len(state)] = float64(bcpace.AbilitiesOf(a.model).StepsLeft)
	}
	surprised, err := a.start()
	if err != nil {
		return Choice{}, err
	}
	c, err := a.choose(ctx, surprised)
	a.begun = err == nil
	return c, err
}

// Observe says what followed an action, by its id, and what to do now: nothing after the last step of a horizon, see Choice.Over. The error is like that of Begin; before Begin and after the end it is
// an *bcpace.InputError. After an error of ctx while the policy decides, or of the policy, an episode has to begin anew; any other error changes nothing.
func (a *Agent) Observe(ctx context.Context, action int, reward float64, next []float64) (Choice, error) {
	next = a.goesOn(next)
	if err := cmp.Or(ctx.Err(), onAxes(a.spec.Axes, "the next state", next), followed(&a.own, a.begun, action, reward)); err != nil {
		return Choice{}, err
	}
	left := len(a.state) > len(next)
	copy(a.from, a.state)
	copy(a.state, next)
	if left {
		a.state[len(next)]--
	}
	surprised, err := a.follow(action, reward)
	if err != nil {
		copy(a.state, a.from)
		return Choice{}, err
	}
	if left && a.state[len(next)] < 1 {
		a.begun = false
		return Choice{Action: -1, ID: -1, Belief: append([]float64(nil), a.belief...), Surprised: surprised, Over: true}, nil
	}
	c, err := a.choose(ctx, surprised)
	a.begun = err == nil
	return c, err
}

// start sets the belief at a start and tells the policy. The error is the model's, such as that of a simulator in another program.
func (a *Agent) start() (surprised bool, err error) {
	defer a.own.Guard(&err, "StartLogLikelihood", a.state, -1, -1)
	if surprised = a.bayes.Start(a.belief, a.state) != nil; surprised {
		a.model.Prior(a.belief)
	}
	if a.can.Begin != nil {
		a.can.Begin(a.state, a.belief)
	}
	return surprised, nil
}

// follow updates the belief after an action and tells the policy. The error is the model's; the belief is then as before.
func (a *Agent) follow(action int, reward float64) (surprised bool, err error) {
	defer a.own.Guard(&err, "LogLikelihood", a.from, action, -1)
	after := make(bcpace.Belief, len(a.belief))
	if surprised = a.bayes.Update(after, a.belief, a.from, action, a.state) != nil; surprised {
		a.model.Prior(after)
		_ = a.bayes.Update(after, after, a.from, action, a.state) // which leaves the prior
	}
	copy(a.belief, after)
	if a.can.Observe != nil {
		a.can.Observe(action, reward, a.state)
	}
	return surprised, nil
}

// goesOn returns a state with the last entry of a model whose last axis says whether the episode has ended (ended, as simulators have it), where
// the entry was left out: who asks what to do goes on.
func (a *Agent) goesOn(state []float64) []float64 {
	if n := len(a.spec.Axes); len(state) == n-1 && a.spec.Axes[n-1].Name == "ended" {
		return append(slices.Clone(state), 0)
	}
	return state
}

// onAxes returns an *bcpace.InputError for what is no state.
func onAxes(axes []bcpace.Axis, what string, state []float64) error {
	bad, spec := bcpace.In("agent").Bad, bcpace.Spec{Axes: axes}
	if len(state) != len(axes) {
		return bad(what, fmt.Sprint(state), fmt.Sprintf("%d numbers, one for each axis", len(axes)))
	}
	if off, want := spec.OffAxes(state); off != "" {
		return bad(what, fmt.Sprint(state)+", "+off, want)
	}
	return nil
}

// followed returns an *bcpace.InputError for an action or a reward that cannot be, or where no episode has begun.
func followed(spec *bcpace.Spec, begun bool, action int, reward float64) error {
	bad := bcpace.In("agent").Bad
	switch {
	case !begun:
		return bad("the episode", "not begun", "a first state")
	case !spec.IsAction(action):
		return bad("the action", action, spec.WantAction())
	case math.IsNaN(reward) || math.IsInf(reward, 0):
		return bad("the reward", reward, "a number")
	}
	return nil
}

// between returns c with the bounds of a decision that has any.
func (c Choice) between(d bcpace.Decision) Choice {
	if !math.IsInf(d.Lower, 0) && !math.IsInf(d.Upper, 0) {
		c.Lower, c.Upper = &d.Lower, &d.Upper
	}
	return c
}

// choose asks the policy.
func (a *Agent) choose(ctx context.Context, surprised bool) (Choice, error) {
	c := Choice{Surprised: surprised}
	if a.can.Plan != nil {
		d, err := a.can.Plan(ctx, a.state, a.belief, a.rng)
		if err != nil {
			return Choice{}, err
		}
		c.ID = d.Action
		c = c.between(d)
	} else {
		id, err := a.own.Act(ctx, &a.can, a.state, a.belief, a.rng)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return Choice{}, err
		}
		c.ID = id
	}
	a.last = c.ID
	spec, id := a.spec, c.ID
	if can := bcpace.AbilitiesOf(a.model); can.IDs != nil { // a list in place of boxes
		spec, id = can.Behind.Spec(), can.IDs[id]
	}
	c.Action, c.Control = spec.Control(nil, id)
	c.Name, c.Belief = spec.ActionName(id), append([]float64(nil), a.belief...)
	return c, nil
}
