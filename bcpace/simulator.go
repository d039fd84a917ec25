package bcpace

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"bayescpace/bcpace/internal/sparse"
)

// Simulator plays episodes of a model and keeps the agent's belief. It is for one goroutine, and does
// not allocate in Step.
type Simulator struct {
	// State and Belief are where the agent is, Prev and PrevBelief where it was before. The slices are reused.
	State, Prev        []float64
	Belief, PrevBelief Belief
	Latent             int  // the hidden latent φ, of the world where that is another model
	Done               bool // the episode has ended
	// Lenient goes on where the world does what the model holds impossible, with no error:
	// the belief is then the posterior that the prior has after this one step or start or,
	// where that rules it out too, the prior. Surprises counts them in the episode.
	Lenient   bool
	Surprises int

	model Model // that the agent believes in
	spec  Spec
	bayes *Bayes

	world     Model // that makes states and rewards
	worldSpec Spec
	prior     Belief // of the world where that is not the model; nil otherwise
	mover     *sparse.Mover
}

// NewSimulator returns a simulator of m; call Reset before Step.
func NewSimulator(m Model) *Simulator {
	spec := m.Spec()
	return &Simulator{
		State: make([]float64, len(spec.Axes)), Prev: make([]float64, len(spec.Axes)),
		Belief: make(Belief, len(spec.Latents)), PrevBelief: make(Belief, len(spec.Latents)),
		model: m, spec: spec, bayes: NewBayes(m),
		world: m, worldSpec: spec, mover: newMover(m),
	}
}

// Reset starts an episode: φ0 ~ P0, s0 ~ P0(s|φ0), and b0 is the prior,
// conditioned on s0 where the start tells something.
func (x *Simulator) Reset(rng *rand.Rand) error {
	x.model.Prior(x.Belief)
	return x.begin(rng)
}

// ResetTo starts an episode from initial belief b, from which the latent is drawn as well, unless the
// world is another model.
func (x *Simulator) ResetTo(b Belief, rng *rand.Rand) error {
	if len(b) != len(x.Belief) {
		return x.spec.in().Bad("the initial belief", fmt.Sprintf("%d long", len(b)), fmt.Sprintf("%d, one probability for each latent", len(x.Belief)))
	}
	if err := b.Validate(); err != nil {
		return err
	}
	copy(x.Belief, b)
	return x.begin(rng)
}

// ResetAt starts an episode in the state of p with its belief, from which the latent is drawn. It does
// not ask the model for a start, nor what that tells.
func (x *Simulator) ResetAt(p StartPoint, rng *rand.Rand) error {
	if err := p.Check(x.model); err != nil {
		return err
	}
	x.Done, x.Surprises = false, 0
	copy(x.State, p.State)
	copy(x.Belief, p.Belief)
	x.Latent = x.Belief.Sample(rng)
	return nil
}

func (x *Simulator) begin(rng *rand.Rand) (err error) {
	defer x.worldSpec.Guard(&err, "Start or StartLogLikelihood", nil, -1, x.Latent)
	x.Done, x.Surprises = false, 0
	latents := x.Belief
	if x.prior != nil {
		x.world.Prior(x.prior)
		latents = x.prior
	}
	x.Latent = latents.Sample(rng)
	x.world.Start(x.State, x.Latent, rng)
	if off, want := x.worldSpec.OffAxes(x.State); off != "" {
		return x.worldSpec.Fault(nil, -1, x.Latent, "Start made state %v, %s, want %s", x.State, off, want)
	}
	if err := x.bayes.Condition(x.Belief, x.State); err != nil {
		if !x.Lenient {
			return err
		}
		x.Surprises++
		x.model.Prior(x.Belief)
		_ = x.bayes.Condition(x.Belief, x.State) // which leaves the prior
	}
	return nil
}

// Step takes an action and returns the reward. The error is an *InputError for an action out of range,
// a *ConformanceError, or an *ImpossibleObservationError. After an error of the model, Reset before
// the next Step.
func (x *Simulator) Step(action int, rng *rand.Rand) (reward float64, err error) {
	if !x.spec.IsAction(action) {
		return 0, x.spec.in().Bad("action", action, x.spec.WantAction())
	}
	x.State, x.Prev = x.Prev, x.State
	x.Belief, x.PrevBelief = x.PrevBelief, x.Belief
	defer x.worldSpec.Guard(&err, "Step or LogLikelihood", x.Prev, action, x.Latent)
	out := x.world.Step(x.State, x.Prev, x.Latent, action, rng)
	if err := x.worldSpec.CheckOutcome(out, x.State, x.Prev, action, x.Latent); err != nil {
		return 0, err
	}
	x.Done = out.Done
	if err := x.bayes.Update(x.Belief, x.PrevBelief, x.Prev, action, x.State); err != nil {
		if !x.Lenient {
			return 0, err
		}
		x.Surprises++
		x.model.Prior(x.Belief)
		_ = x.bayes.Update(x.Belief, x.Belief, x.Prev, action, x.State) // which leaves the prior
	}
	x.Latent = x.mover.Draw(x.Prev, action, x.Latent, rng)
	return out.Reward, nil
}

// Enter puts the agent into another world: states and rewards are those of world from now on, while
// its belief stays that of the model. Latent is drawn from the prior of the world, whatever belief an
// episode begins with. If the world does what the model holds impossible, Reset and Step return an
// *ImpossibleObservationError, unless Lenient. The error is an *InputError for a world with other
// axes, actions, discount or horizon, or that of a model that is not valid.
func (x *Simulator) Enter(world Model) error {
	for _, m := range []Model{x.model, world} {
		if err := Validate(m); err != nil {
			return err
		}
	}
	spec := world.Spec()
	if err := x.spec.sameProblem(spec); err != nil {
		return err
	}
	x.world, x.worldSpec, x.mover = world, spec, newMover(world)
	x.prior = make(Belief, len(spec.Latents))
	return nil
}

// sameProblem returns an *InputError unless a policy for s can act in the world of that
// description, for the same return.
func (s *Spec) sameProblem(world Spec) error {
	bad := func(what string, got, want any) error {
		return In("world "+strconv.Quote(world.Name)).Bad(what, got, fmt.Sprintf("%v, as in model %s", want, strconv.Quote(s.Name)))
	}
	switch {
	case len(world.Axes) != len(s.Axes):
		return bad("the number of axes", len(world.Axes), len(s.Axes))
	case len(world.Actions) != len(s.Actions):
		return bad("the number of actions", len(world.Actions), len(s.Actions))
	case world.Discount != s.Discount:
		return bad("Spec.Discount", world.Discount, s.Discount)
	case world.Horizon != s.Horizon:
		return bad("Spec.Horizon", world.Horizon, s.Horizon)
	}
	for i, a := range s.Axes {
		switch b := world.Axes[i]; {
		case b.Name != a.Name:
			return bad(fmt.Sprintf("the name of axis %d", i), strconv.Quote(b.Name), strconv.Quote(a.Name))
		case b.Min != a.Min || b.Max != a.Max:
			return bad("Min, Max of axis "+strconv.Quote(b.Name), fmt.Sprintf("%v, %v", b.Min, b.Max), fmt.Sprintf("%v, %v", a.Min, a.Max))
		case b.Discrete != a.Discrete || b.Period != a.Period:
			return bad("Discrete, Period of axis "+strconv.Quote(b.Name), fmt.Sprintf("%v, %v", b.Discrete, b.Period), fmt.Sprintf("%v, %v", a.Discrete, a.Period))
		}
	}
	for i, a := range s.Actions {
		if b := world.Actions[i]; b.Name != a.Name {
			return bad(fmt.Sprintf("the name of action %d", i), strconv.Quote(b.Name), strconv.Quote(a.Name))
		} else if !slices.EqualFunc(a.Box, b.Box, func(x, y Axis) bool { return x.Min == y.Min && x.Max == y.Max && x.Period == y.Period }) {
			return bad("the Box of action "+strconv.Quote(a.Name), fmt.Sprint(b.Box), fmt.Sprint(a.Box))
		}
	}
	return nil
}
