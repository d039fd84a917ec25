package bcpace

import (
	"cmp"
	"context"
	"fmt"
	"math"
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
		world: m, worldSpec: spec, mover: AbilitiesOf(m).Mover(),
	}
}

// Reset starts an episode: φ0 ~ P0, s0 ~ P0(s|φ0), and b0 is the prior,
// conditioned on s0 where the start tells something.
func (s *Simulator) Reset(rng *rand.Rand) error {
	s.model.Prior(s.Belief)
	return s.begin(rng)
}

// ResetTo starts an episode from initial belief b, from which the latent is drawn as well, unless the
// world is another model.
func (s *Simulator) ResetTo(b Belief, rng *rand.Rand) error {
	if len(b) != len(s.Belief) {
		return s.spec.in().Bad("the initial belief", fmt.Sprintf("%d long", len(b)), fmt.Sprintf("%d, one probability for each latent", len(s.Belief)))
	}
	if err := b.Validate(); err != nil {
		return err
	}
	copy(s.Belief, b)
	return s.begin(rng)
}

// ResetAt starts an episode in the state of p with its belief, from which the latent is drawn. It does
// not ask the model for a start, nor what that tells.
func (s *Simulator) ResetAt(p StartPoint, rng *rand.Rand) error {
	if err := p.Check(s.model); err != nil {
		return err
	}
	s.Done, s.Surprises = false, 0
	copy(s.State, p.State)
	copy(s.Belief, p.Belief)
	s.Latent = s.Belief.Sample(rng)
	return nil
}

func (s *Simulator) begin(rng *rand.Rand) (err error) {
	defer s.worldSpec.Guard(&err, "Start or StartLogLikelihood", nil, -1, s.Latent)
	s.Done, s.Surprises = false, 0
	latents := s.Belief
	if s.prior != nil {
		s.world.Prior(s.prior)
		latents = s.prior
	}
	s.Latent = latents.Sample(rng)
	s.world.Start(s.State, s.Latent, rng)
	if off, want := s.worldSpec.OffAxes(s.State); off != "" {
		return s.worldSpec.Fault(nil, -1, s.Latent, "Start made state %v, %s, want %s", s.State, off, want)
	}
	if err := s.bayes.Condition(s.Belief, s.State); err != nil {
		if !s.Lenient {
			return err
		}
		s.Surprises++
		s.model.Prior(s.Belief)
		_ = s.bayes.Condition(s.Belief, s.State) // which leaves the prior
	}
	return nil
}

// Step takes an action and returns the reward. The error is an *InputError for an action out of range,
// a *ConformanceError, or an *ImpossibleObservationError. After an error of the model, Reset before
// the next Step.
func (s *Simulator) Step(action int, rng *rand.Rand) (reward float64, err error) {
	if !s.spec.IsAction(action) {
		return 0, s.spec.in().Bad("action", action, s.spec.WantAction())
	}
	s.State, s.Prev = s.Prev, s.State
	s.Belief, s.PrevBelief = s.PrevBelief, s.Belief
	defer s.worldSpec.Guard(&err, "Step or LogLikelihood", s.Prev, action, s.Latent)
	out := s.world.Step(s.State, s.Prev, s.Latent, action, rng)
	if err := s.worldSpec.CheckOutcome(out, s.State, s.Prev, action, s.Latent); err != nil {
		return 0, err
	}
	s.Done = out.Done
	if err := s.bayes.Update(s.Belief, s.PrevBelief, s.Prev, action, s.State); err != nil {
		if !s.Lenient {
			return 0, err
		}
		s.Surprises++
		s.model.Prior(s.Belief)
		_ = s.bayes.Update(s.Belief, s.Belief, s.Prev, action, s.State) // which leaves the prior
	}
	s.Latent = s.mover.Draw(s.Prev, action, s.Latent, rng)
	return out.Reward, nil
}

// Enter puts the agent into another world: states and rewards are those of world from now on, while
// its belief stays that of the model. Latent is drawn from the prior of the world, whatever belief an
// episode begins with. If the world does what the model holds impossible, Reset and Step return an
// *ImpossibleObservationError, unless Lenient. The error is an *InputError for a world with other
// axes, actions, discount or horizon, or that of a model that is not valid.
func (s *Simulator) Enter(world Model) error {
	for _, m := range []Model{s.model, world} {
		if err := Validate(m); err != nil {
			return err
		}
	}
	spec := world.Spec()
	if err := s.spec.sameProblem(spec); err != nil {
		return err
	}
	s.world, s.worldSpec, s.mover = world, spec, AbilitiesOf(world).Mover()
	s.prior = make(Belief, len(spec.Latents))
	return nil
}

// sameProblem returns an *InputError unless a policy for s can act in the world of that
// description, for the same return.
func (s *Spec) sameProblem(world Spec) (err error) {
	same := func(what string, got, want any) {
		if err == nil && got != want {
			err = In("world "+strconv.Quote(world.Name)).Bad(what, got, fmt.Sprintf("%v, as in model %s", want, strconv.Quote(s.Name)))
		}
	}
	same("the number of axes", len(world.Axes), len(s.Axes))
	same("the number of actions", len(world.Actions), len(s.Actions))
	same("Spec.Discount", world.Discount, s.Discount)
	same("Spec.Horizon", world.Horizon, s.Horizon)
	if err != nil {
		return err
	}
	for i, a := range s.Axes {
		b := world.Axes[i]
		same(fmt.Sprintf("the name of axis %d", i), strconv.Quote(b.Name), strconv.Quote(a.Name))
		same("Min, Max of axis "+strconv.Quote(b.Name), fmt.Sprintf("%v, %v", b.Min, b.Max), fmt.Sprintf("%v, %v", a.Min, a.Max))
		same("Discrete, Period of axis "+strconv.Quote(b.Name), fmt.Sprintf("%v, %v", b.Discrete, b.Period), fmt.Sprintf("%v, %v", a.Discrete, a.Period))
	}
	for i, a := range s.Actions {
		b := world.Actions[i]
		same(fmt.Sprintf("the name of action %d", i), strconv.Quote(b.Name), strconv.Quote(a.Name))
		if !slices.EqualFunc(a.Box, b.Box, func(x, y Axis) bool { return x.Min == y.Min && x.Max == y.Max && x.Period == y.Period }) {
			same("the Box of action "+strconv.Quote(a.Name), fmt.Sprint(b.Box), fmt.Sprint(a.Box))
		}
	}
	return err
}

// Rollout plays episodes with a policy, one step at a time:
//
//	err := r.Reset(rng)
//	for err == nil && r.More() {
//		err = r.Step(rng, rng)
//	}
//
// Its Simulator has the state and belief where the episode is. A policy with memory is told what
// happens. A Rollout is for one goroutine, and does not allocate in Step unless its policy does.
type Rollout struct {
	*Simulator
	Policy   Policy          // the same from the first episode on
	Context  context.Context // ends the decisions of the policy; nil is context.Background
	Horizon  int             // steps after which an episode is cut
	Discount float64         // γ of Return, in (0, 1]

	// Of the episode so far, in reward units: the sums of discounted rewards and of rewards without the
	// discount and, where the Policy plans, of simulations and of Upper − Lower (otherwise +Inf).
	Steps         int
	Return, Total float64
	Simulations   int
	Intervals     float64
	// Of the last step; the Decision is that of a Policy that plans.
	Action   int
	Reward   float64
	Decision Decision

	weight float64         // γ^Steps
	can    PolicyAbilities // of the policy
}

// Reset starts an episode as Simulator.Reset does.
func (r *Rollout) Reset(rng *rand.Rand) error { return r.begin(r.Simulator.Reset(rng)) }

// ResetTo starts an episode as Simulator.ResetTo does.
func (r *Rollout) ResetTo(b Belief, rng *rand.Rand) error {
	return r.begin(r.Simulator.ResetTo(b, rng))
}

// ResetAt starts an episode as Simulator.ResetAt does.
func (r *Rollout) ResetAt(p StartPoint, rng *rand.Rand) error {
	return r.begin(r.Simulator.ResetAt(p, rng))
}

// begin begins an episode where the Simulator is, unless it could not be reset.
func (r *Rollout) begin(err error) error {
	r.Steps, r.Simulations, r.Intervals, r.Return, r.Total, r.weight = 0, 0, 0, 0, 0, 1
	if r.can.Act == nil {
		r.can = PolicyAbilitiesOf(r.Policy)
	}
	if r.can.Plan == nil {
		r.Intervals = math.Inf(1)
	}
	if r.can.Begin != nil && err == nil {
		r.can.Begin(r.State, r.Belief)
	}
	return err
}

// More reports whether neither the model nor the horizon has ended it.
func (r *Rollout) More() bool { return !r.Done && r.Steps < r.Horizon }

// Step takes the action of the policy, which draws from act as the model draws from env. They may be
// the same. For errors, which name the step, see Simulator.Step.
func (r *Rollout) Step(env, act *rand.Rand) error {
	reward, err := 0.0, r.decide(act)
	if err == nil {
		reward, err = r.Simulator.Step(r.Action, env)
	}
	if err != nil {
		return fmt.Errorf("step %d: %w", r.Steps, err)
	}
	r.Reward = reward
	r.Return += r.weight * reward
	r.Total += reward
	r.weight *= r.Discount
	r.Steps++
	if r.can.Observe != nil && !r.Done {
		r.can.Observe(r.Action, reward, r.State)
	}
	return nil
}

// decide sets the Action.
func (r *Rollout) decide(act *rand.Rand) (err error) {
	ctx := cmp.Or(r.Context, context.Background())
	if r.can.Plan == nil {
		r.Action, err = r.spec.Act(ctx, &r.can, r.State, r.Belief, act)
		return err
	}
	r.Decision, err = r.spec.Plan(ctx, &r.can, r.State, r.Belief, act)
	r.Action = r.Decision.Action
	r.Simulations += r.Decision.Simulations
	r.Intervals += r.Decision.Upper - r.Decision.Lower
	return err
}
