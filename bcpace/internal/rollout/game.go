package rollout

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"

	"bayescpace/bcpace"
)

// Simulated is the world of a simulator, with the agent that a policy makes there: its belief is that of the simulator.
type Simulated struct {
	*bcpace.Simulator
	From bcpace.Belief // that episodes begin with, nil for the prior

	spec bcpace.Spec
	can  bcpace.PolicyAbilities
}

// NewGame returns a game of a simulator of m with a policy, which is for this goroutine.
func NewGame(m bcpace.Model, sim *bcpace.Simulator, p bcpace.Policy, horizon int) (*Game, *Simulated) {
	x := &Simulated{Simulator: sim, spec: m.Spec(), can: bcpace.PolicyAbilitiesOf(p)}
	return &Game{World: x, Agent: (*seat)(x), Horizon: horizon, Discount: x.spec.Discount}, x
}

// Begin implements World.
func (s *Simulated) Begin(rng *rand.Rand) (seen []float64, err error) {
	if s.From != nil {
		return s.State, s.ResetTo(s.From, rng)
	}
	return s.State, s.Reset(rng)
}

// Step implements World.
func (s *Simulated) Step(action int, rng *rand.Rand) (reward float64, seen []float64, err error) {
	reward, err = s.Simulator.Step(action, rng)
	return reward, s.State, err
}

// Over implements World.
func (s *Simulated) Over() bool { return s.Done }

// seat is the agent.
type seat Simulated

// Begin implements Agent.
func (s *seat) Begin([]float64, *rand.Rand) (surprised bool, err error) {
	if s.can.Begin != nil {
		s.can.Begin(s.State, s.Belief)
	}
	return false, nil
}

// Decide implements Agent.
func (s *seat) Decide(ctx context.Context, d *bcpace.Decision, rng *rand.Rand) (err error) {
	if s.can.Plan == nil {
		d.Action, err = s.spec.Act(ctx, &s.can, s.State, s.Belief, rng)
		return err
	}
	*d, err = s.spec.Plan(ctx, &s.can, s.State, s.Belief, rng)
	return err
}

// Observe implements Agent.
func (s *seat) Observe(action int, reward float64, _ []float64, _ *rand.Rand) (surprised bool, err error) {
	if s.can.Observe != nil {
		s.can.Observe(action, reward, s.State)
	}
	return false, nil
}

// World makes what is seen and what is paid, as a model does, a simulator or a robot. It is for one goroutine.
type World interface {
	// Begin begins an episode, and returns what is first seen.
	Begin(rng *rand.Rand) (seen []float64, err error)
	// Step takes an action, and returns what it pays and what is seen then.
	Step(action int, rng *rand.Rand) (reward float64, seen []float64, err error)
	// Over reports whether the episode has ended.
	Over() bool
}

// Agent is a policy with its own belief. It is for one goroutine.
type Agent interface {
	// Begin begins an episode in which seen is first seen. surprised says that the belief had ruled it out.
	Begin(seen []float64, rng *rand.Rand) (surprised bool, err error)
	// Decide sets Action and, where the policy plans, the rest of d. It soon ends after ctx, with an error that wraps that of ctx.
	Decide(ctx context.Context, d *bcpace.Decision, rng *rand.Rand) error
	// Observe says what an action has paid and what was seen then, and that the episode goes on.
	Observe(action int, reward float64, seen []float64, rng *rand.Rand) (surprised bool, err error)
}

// Game plays episodes of an agent in a world. It is for one goroutine.
type Game struct {
	World    World
	Agent    Agent
	Horizon  int     // steps after which an episode is cut
	Discount float64 // γ of Return, in (0, 1]
	// Streams returns the random numbers of an episode: of the world, of the belief and of the decisions.
	Streams func(episode int) (world, belief, choice *rand.Rand)
	// Stop drops the episode when it is true. nil means that the context is asked at each step.
	Stop *atomic.Bool
	// Each, if it is not nil, is called at the start and after each step, before the agent is told what is seen.
	Each func()

	// Of the episode so far, in reward units: the sums of discounted rewards and of rewards without the discount, of
	// simulations and of Upper − Lower.
	Steps         int
	Return, Total float64
	Simulations   int
	Intervals     float64
	Surprises     int
	// Of the last step.
	Decision bcpace.Decision
	Reward   float64
}

// Play plays the episode of that number. The error is ErrDropped where ctx has ended it.
func (g *Game) Play(ctx context.Context, episode int) error {
	if err := g.play(ctx, episode); !EndedBy(ctx, err) {
		return err
	}
	return ErrDropped
}

func (g *Game) play(ctx context.Context, episode int) error {
	world, belief, choice := g.Streams(episode)
	g.Steps, g.Simulations, g.Surprises, g.Intervals, g.Return, g.Total = 0, 0, 0, 0, 0, 0
	g.Decision = bcpace.Decision{Lower: math.Inf(-1), Upper: math.Inf(1)}
	seen, err := g.World.Begin(world)
	if err != nil {
		return err
	}
	if err := g.told(g.Agent.Begin(seen, belief)); err != nil {
		return err
	}
	g.each()
	for weight := 1.0; !g.World.Over() && g.Steps < g.Horizon; weight *= g.Discount {
		if g.Stop != nil && g.Stop.Load() || g.Stop == nil && ctx.Err() != nil {
			return ErrDropped
		}
		if err := g.step(ctx, weight, world, belief, choice); err != nil {
			return fmt.Errorf("step %d: %w", g.Steps, err)
		}
	}
	return nil
}

func (g *Game) step(ctx context.Context, weight float64, world, belief, choice *rand.Rand) error {
	d := &g.Decision
	err := g.Agent.Decide(ctx, d, choice)
	g.Simulations += d.Simulations
	g.Intervals += d.Upper - d.Lower
	if err != nil {
		return err
	}
	reward, seen, err := g.World.Step(d.Action, world)
	if err != nil {
		return err
	}
	g.Reward = reward
	g.Return += weight * reward
	g.Total += reward
	g.Steps++
	g.each()
	if g.World.Over() {
		return nil
	}
	if err := g.told(g.Agent.Observe(d.Action, reward, seen, belief)); err != nil {
		g.Steps-- // the step is not whole
		return err
	}
	return nil
}

func (g *Game) each() {
	if g.Each != nil {
		g.Each()
	}
}

// told counts what the agent was surprised by.
func (g *Game) told(surprised bool, err error) error {
	if surprised {
		g.Surprises++
	}
	return err
}
