package act

import (
	"cmp"
	"context"
	"io"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
)

// VectorAgent plays a policy for a hidden vector in a world that is not simulated: it is told the states, and keeps the belief. It is for one goroutine.
type VectorAgent struct {
	model *hidden.Model
	agent *hidden.Agent
	rng   *rand.Rand
	begun bool
	taken int // steps
	last  int // action
}

// NewVectors returns an agent with a policy for m and the belief of a filter, nil for the default one. Its random numbers come from seed. The error is an
// *bcpace.InputError for a model or a policy that cannot be used.
func NewVectors(m *hidden.Model, p hidden.Policy, f hidden.Filter, seed uint64) (*VectorAgent, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if p == nil {
		return nil, bcpace.In("agent").Bad("the policy", "nil", "one of a planner or of your own")
	}
	return &VectorAgent{model: m, agent: hidden.NewAgent(m, p, f), rng: rand.New(rand.NewPCG(seed, 0))}, nil
}

// Begin begins an episode in a state and says what to do. The error is an *bcpace.InputError for what is no state of the model, that of ctx, of the belief or of the
// policy.
func (v *VectorAgent) Begin(ctx context.Context, state []float64) (Choice, error) {
	if err := cmp.Or(ctx.Err(), onAxes(v.model.Spec.Axes, "the state", state)); err != nil {
		return Choice{}, err
	}
	v.taken, v.begun = 0, false
	surprised, err := v.agent.Begin(state, v.rng)
	return v.choose(ctx, surprised, err)
}

// Observe says what followed an action, by its id, and what to do now: nothing after the last step of a horizon, see Choice.Over. The error is like that of Begin;
// before Begin and after the end it is an *bcpace.InputError. After an error of the belief or the policy an episode has to begin anew; any other error changes nothing.
func (v *VectorAgent) Observe(ctx context.Context, action int, reward float64, next []float64) (Choice, error) {
	err := cmp.Or(ctx.Err(), onAxes(v.model.Spec.Axes, "the next state", next), followed(&v.model.Spec.Spec, v.begun, action, reward))
	if err != nil {
		return Choice{}, err
	}
	v.taken, v.begun = v.taken+1, false
	surprised, err := v.agent.Observe(action, reward, next, v.rng)
	if err == nil && v.taken == v.model.Spec.Horizon {
		return v.with(Choice{Action: -1, ID: -1, Surprised: surprised, Over: true}), nil
	}
	return v.choose(ctx, surprised, err)
}

// choose asks the policy, unless there is an error.
func (v *VectorAgent) choose(ctx context.Context, surprised bool, err error) (Choice, error) {
	d := bcpace.Decision{Lower: math.Inf(-1), Upper: math.Inf(1)}
	if err == nil {
		err = v.agent.Decide(ctx, &d, v.rng)
	}
	if v.begun = err == nil; err != nil {
		return Choice{}, err
	}
	v.last = d.Action
	c := v.with(Choice{ID: d.Action, Name: v.model.Spec.ActionName(d.Action), Surprised: surprised})
	c.Action, c.Control = v.model.Spec.Control(nil, d.Action)
	return c.between(d), nil
}

// with adds the moments of the belief.
func (v *VectorAgent) with(c Choice) Choice {
	c.Mean, c.Variance = make([]float64, len(v.model.Spec.Hidden)), make([]float64, len(v.model.Spec.Hidden))
	v.agent.Belief().Moments(c.Mean, c.Variance)
	return c
}

// Serve answers requests from in, one a line, on out, until in ends or ctx does. The error is that of ctx, of in or of out.
func (v *VectorAgent) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	return serve(ctx, v, in, out)
}

// Hello says what requests hold.
func (v *VectorAgent) Hello() Hello {
	h := helloOf(v.model.Spec.Spec)
	for _, a := range v.model.Spec.Hidden {
		h.Latents = append(h.Latents, a.Name)
	}
	return h
}

func (v *VectorAgent) action(a *Value) (int, error) { return idOf(&v.model.Spec.Spec, a, v.last) }
