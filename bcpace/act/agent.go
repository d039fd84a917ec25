package act

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/internal/rollout"
)

// Agent plays a policy in a world that is not simulated: it is told what is seen, and keeps the belief. It is for one goroutine.
type Agent struct {
	player rollout.Agent // the policy with its belief
	own    bcpace.Spec   // whose actions the policy takes
	shown  bcpace.Spec   // whose actions the user takes
	ids    []int         // in shown, of the actions in own; nil where these are the same
	steps  int           // of an episode, 0 without a horizon
	hello  Hello
	rng    *rand.Rand

	fits     func(seen []float64, next bool) error // is the error for what cannot be seen: first, or after an action
	believed func(c *Choice)                       // adds the belief

	begun bool
	taken int // steps
	last  int // action
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
	if err := cmp.Or(
		bcpace.Validate(m),
		bcpace.In("agent").Need(p != nil, "the policy", "nil", "one of a solver or of your own")); err != nil {
		return nil, err
	}
	played, err := bcpace.ForPolicy(m, p)
	if err != nil {
		return nil, err
	}
	can, own := bcpace.AbilitiesOf(played), played.Spec()
	x := &believer{model: played, spec: own, can: bcpace.PolicyAbilitiesOf(bcpace.Fork(p)), bayes: bcpace.NewBayes(played),
		state: make([]float64, len(own.Axes)), from: make([]float64, len(own.Axes)), belief: make(bcpace.Belief, len(own.Latents))}
	a := newAgent(x, m.Spec(), seed)
	a.own, a.hello.Latents = own, own.Latents
	if len(own.Axes) > len(a.hello.State) {
		a.steps, x.steps = can.StepsLeft, can.StepsLeft
	}
	if can.IDs != nil { // a list in place of boxes
		a.shown, a.ids = can.Behind.Spec(), can.IDs
	}
	a.believed = func(c *Choice) { c.Belief = slices.Clone(x.belief) }
	return a, nil
}

// NewVectors returns an agent with a policy for a hidden vector and the belief of a filter, nil for the default one. Its random numbers come from seed. The error is an
// *bcpace.InputError for a model or a policy that cannot be used.
func NewVectors(m *hidden.Model, p hidden.Policy, f hidden.Filter, seed uint64) (*Agent, error) {
	if err := cmp.Or(
		m.Validate(),
		bcpace.In("agent").Need(p != nil, "the policy", "nil", "one of a planner or of your own")); err != nil {
		return nil, err
	}
	x := hidden.NewAgent(m, p, f)
	a := newAgent(x, m.Spec.Spec, seed)
	a.steps = m.Spec.Horizon
	for _, h := range m.Spec.Hidden {
		a.hello.Latents = append(a.hello.Latents, h.Name)
	}
	a.believed = func(c *Choice) {
		c.Mean, c.Variance = make([]float64, len(m.Spec.Hidden)), make([]float64, len(m.Spec.Hidden))
		x.Belief().Moments(c.Mean, c.Variance)
	}
	return a, nil
}

// newAgent returns one that takes states and actions of a model, without what it believes.
func newAgent(x rollout.Agent, spec bcpace.Spec, seed uint64) *Agent {
	a := &Agent{player: x, own: spec, shown: spec, rng: rand.New(rand.NewPCG(seed, 0)), hello: Hello{Takes: "states"}}
	for _, axis := range spec.Axes {
		a.hello.State = append(a.hello.State, seen(axis.Name, axis.Labels, axis.Min, axis.Max))
	}
	a.hello.Next = a.hello.State
	for _, action := range spec.Actions {
		a.hello.Actions = append(a.hello.Actions, action.Name)
	}
	a.fits = func(state []float64, next bool) error {
		bad, what := bcpace.In("agent").Bad, "the state"
		if next {
			what = "the next state"
		}
		if len(state) != len(spec.Axes) {
			return bad(what, fmt.Sprint(state), fmt.Sprintf("%d numbers, one for each axis", len(spec.Axes)))
		}
		if off, want := spec.OffAxes(state); off != "" {
			return bad(what, fmt.Sprint(state)+", "+off, want)
		}
		return nil
	}
	return a
}

// Hello says what requests hold.
func (a *Agent) Hello() Hello { return a.hello }

// Begin begins an episode where state is seen, as Hello.State has it, and says what to do. The error is an *bcpace.InputError for what cannot be seen, that of ctx, of the
// belief, or the policy's.
func (a *Agent) Begin(ctx context.Context, state []float64) (Choice, error) {
	state = a.goesOn(state)
	if err := cmp.Or(ctx.Err(), a.fits(state, false)); err != nil {
		return Choice{}, err
	}
	a.begun, a.taken = false, 0
	surprised, err := a.player.Begin(state, a.rng)
	if err != nil {
		return Choice{}, err
	}
	return a.choose(ctx, surprised)
}

// Observe says what was seen after an action, as Hello.Next has it, and what to do now: nothing after the last step of a horizon, see Choice.Over. The action is given by
// its id. The error is like that of Begin; before Begin and after the end it is an *bcpace.InputError. After an error of ctx while the policy decides, of the policy or of
// the belief in a hidden vector, an episode has to begin anew; any other error changes nothing.
func (a *Agent) Observe(ctx context.Context, action int, reward float64, next []float64) (Choice, error) {
	next = a.goesOn(next)
	if err := cmp.Or(ctx.Err(), a.fits(next, true), a.follows(action, reward)); err != nil {
		return Choice{}, err
	}
	surprised, err := a.player.Observe(action, reward, next, a.rng)
	if err != nil {
		_, takesBack := a.player.(*believer)
		a.begun = takesBack
		return Choice{}, err
	}
	if a.taken++; a.taken == a.steps {
		c := Choice{Action: -1, ID: -1, Surprised: surprised, Over: true}
		a.believed(&c)
		return c, nil
	}
	return a.choose(ctx, surprised)
}

// goesOn returns a state with the last entry of a model whose last axis says whether the episode has ended (ended, as simulators have it), where
// the entry was left out: who asks what to do goes on.
func (a *Agent) goesOn(state []float64) []float64 {
	if n := len(a.hello.State); len(state) == n-1 && a.hello.State[n-1].Name == "ended" {
		return append(slices.Clone(state), 0)
	}
	return state
}

// follows returns an *bcpace.InputError for an action or a reward that cannot be, or where no episode goes on.
func (a *Agent) follows(action int, reward float64) error {
	in := bcpace.In("agent")
	return cmp.Or(
		in.Need(a.begun, "the episode", "not begun", "a first state"),
		in.Need(a.steps == 0 || a.taken != a.steps, "the episode", "over", fmt.Sprintf("a first state, as the policy is for %d steps", a.steps)),
		in.Need(a.own.IsAction(action), "the action", action, a.own.WantAction()),
		in.Need(!math.IsNaN(reward) && !math.IsInf(reward, 0), "the reward", reward, "a number"))
}

// choose asks the policy.
func (a *Agent) choose(ctx context.Context, surprised bool) (Choice, error) {
	d := bcpace.Decision{Lower: math.Inf(-1), Upper: math.Inf(1)}
	err := a.player.Decide(ctx, &d, a.rng)
	if a.begun = err == nil; err != nil {
		return Choice{}, err
	}
	a.last = d.Action
	c, id := Choice{ID: d.Action, Surprised: surprised}, d.Action
	if a.ids != nil {
		id = a.ids[id]
	}
	c.Action, c.Control = a.shown.Control(nil, id)
	c.Name = a.shown.ActionName(id)
	a.believed(&c)
	if !math.IsInf(d.Lower, 0) && !math.IsInf(d.Upper, 0) {
		c.Lower, c.Upper = &d.Lower, &d.Upper
	}
	return c, nil
}

// believer is a policy with a belief over latents, which it finds by Bayes' rule.
type believer struct {
	model bcpace.Model // that the policy is played in, maybe with the steps left behind the state
	spec  bcpace.Spec
	can   bcpace.PolicyAbilities
	bayes *bcpace.Bayes
	steps int // left at the start, where they stand behind the state

	state, from []float64
	belief      bcpace.Belief
}

// Begin implements rollout.Agent. The error is the model's, such as that of a simulator in another program.
func (b *believer) Begin(seen []float64, _ *rand.Rand) (surprised bool, err error) {
	defer b.spec.Guard(&err, "StartLogLikelihood", b.state, -1, -1)
	if copy(b.state, seen); len(seen) < len(b.state) {
		b.state[len(seen)] = float64(b.steps)
	}
	if surprised = b.bayes.Start(b.belief, b.state) != nil; surprised {
		b.model.Prior(b.belief)
	}
	if b.can.Begin != nil {
		b.can.Begin(b.state, b.belief)
	}
	return surprised, nil
}

// Decide implements rollout.Agent.
func (b *believer) Decide(ctx context.Context, d *bcpace.Decision, rng *rand.Rand) (err error) {
	if b.can.Plan != nil {
		*d, err = b.spec.Plan(ctx, &b.can, b.state, b.belief, rng)
		return err
	}
	d.Action, err = b.spec.Act(ctx, &b.can, b.state, b.belief, rng)
	return cmp.Or(err, ctx.Err())
}

// Observe implements rollout.Agent. The error is the model's, after which all is as before.
func (b *believer) Observe(action int, reward float64, seen []float64, _ *rand.Rand) (surprised bool, err error) {
	copy(b.from, b.state)
	if copy(b.state, seen); len(seen) < len(b.state) {
		b.state[len(seen)]--
	}
	defer func() {
		if err != nil {
			copy(b.state, b.from)
		}
	}()
	defer b.spec.Guard(&err, "LogLikelihood", b.from, action, -1)
	after := make(bcpace.Belief, len(b.belief))
	if surprised = b.bayes.Update(after, b.belief, b.from, action, b.state) != nil; surprised {
		b.model.Prior(after)
		_ = b.bayes.Update(after, after, b.from, action, b.state) // which leaves the prior
	}
	copy(b.belief, after)
	if b.can.Observe != nil {
		b.can.Observe(action, reward, b.state)
	}
	return surprised, nil
}
