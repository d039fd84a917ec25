package hidden

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/rollout"
)

// Options of Simulate. Every zero value is useful.
type Options struct {
	// Episodes is how many episodes are played. If it is 0, 1000 are.
	Episodes int
	// Horizon is the number of steps after which an episode is cut, at most the model's own horizon. If it is
	// 0, it is that or, without one, Spec.DefaultHorizon.
	Horizon int
	// Seed makes the result: the same model, policy, options and seed give the same returns bit for bit, but for a
	// policy whose budget is a time.
	Seed uint64
	// Workers is the number of episodes side by side. If it is 0, there is one for each processor. It changes
	// the time, never the result.
	Workers int
	// Filter makes the agent's belief. nil means DefaultFilter.
	Filter Filter
	// Progress, if set, is called after every episode with the number of those done, from any goroutine but one at
	// a time.
	Progress func(done int)
}

// Step is what an Episode has at a step.
type Step struct {
	State  []float64
	Hidden []float64 // the true vector, of which a policy knows nothing
	Action int
	Reward float64
	// Belief is a copy of the agent's belief before the action, and Mean and Variance are its moments.
	Belief         Belief
	Mean, Variance []float64
	// EffectiveSize is that of the particles (ParticleBelief.EffectiveSize), NaN for another belief.
	EffectiveSize float64
}

// Simulate plays episodes of m with policy p, forked for each worker, and returns the statistics of their returns.
//
// Episode i has three random streams of its own, for the world, the belief and the policy, made from Seed and i
// alone. Two policies with the same seed are compared on the same hidden vectors and starts.
//
// Cancelled, it returns a part of the episodes with ctx's error, as eval.Rollouts does; at the first error of the model or
// policy, the episodes before that one.
func Simulate(ctx context.Context, m *Model, p Policy, o Options) (eval.Result, error) {
	if err := o.settle(m, p); err != nil {
		return eval.Result{}, err
	}
	r := eval.Result{Range: [2]float64{math.Inf(-1), math.Inf(1)}}
	shared := eval.Options{Episodes: o.Episodes, Horizon: o.Horizon, Workers: o.Workers, Progress: o.Progress}
	err := r.Play(ctx, m.Spec.Spec, shared, func() *rollout.Game {
		g, _, _ := newGame(m, p, o)
		return g
	})
	return r, err
}

// Episode plays the episode of that number of Simulate, and returns its steps.
func Episode(ctx context.Context, m *Model, p Policy, o Options, number int) (steps []Step, err error) {
	if err := o.settle(m, p); err != nil {
		return nil, err
	}
	if number < 0 {
		return nil, rollout.Bad("the number of the episode", number, "0 or more")
	}
	g, w, a := newGame(m, p, o)
	g.Each = func() {
		if g.Steps > 0 {
			steps = append(steps, w.step(a.belief, g.Decision.Action, g.Reward))
		}
	}
	if err = g.Play(ctx, number); err == rollout.ErrDropped {
		err = ctx.Err()
	}
	return steps, err
}

// settle checks o and fills in the defaults.
func (o *Options) settle(m *Model, p Policy) error {
	if err := m.Validate(); err != nil {
		return err
	}
	if p == nil {
		return rollout.Bad("the policy", "nil", "a policy to play")
	}
	if err := rollout.Settle(&o.Episodes, &o.Horizon, &o.Workers); err != nil {
		return err
	}
	if o.Filter == nil {
		o.Filter = DefaultFilter(m)
	}
	o.Horizon = cmp.Or(o.Horizon, m.Spec.DefaultHorizon())
	return rollout.Within(&o.Horizon, m.Spec.Horizon)
}

// Streams of an episode.
const (
	streamWorld = iota
	streamBelief
	streamPolicy
	streams
)

// newGame returns a game of m with a policy, forked.
func newGame(m *Model, p Policy, o Options) (*rollout.Game, *world, *Agent) {
	axes, dim := len(m.Spec.Axes), len(m.Spec.Hidden)
	w := &world{model: m, s: make([]float64, axes), was: make([]float64, axes), x: make([]float64, dim), before: make([]float64, dim)}
	a := NewAgent(m, p, o.Filter)
	return &rollout.Game{World: w, Agent: a, Horizon: o.Horizon, Streams: func(episode int) (world, belief, choice *rand.Rand) {
		stream := func(k uint64) *rand.Rand { return rand.New(rand.NewPCG(o.Seed, uint64(episode)*streams+k)) }
		return stream(streamWorld), stream(streamBelief), stream(streamPolicy)
	}}, w, a
}

// world plays a model.
type world struct {
	model     *Model
	s, was    []float64 // the state, and the one before
	x, before []float64 // the hidden vector
	done      bool
}

// Begin implements rollout.World.
func (w *world) Begin(rng *rand.Rand) (seen []float64, err error) {
	m := w.model
	w.done = false
	defer m.Spec.Guard(&err, "a function of the model", w.s, -1, -1)
	m.DrawStart(w.s, w.x, rng)
	if off, want := m.Spec.OffAxes(w.s); off != "" {
		return nil, m.Spec.Fault(nil, -1, -1, "Start made state %v, %s, want %s", w.s, off, want)
	}
	return w.s, m.CheckHidden(w.x, w.s, -1)
}

// Step implements rollout.World.
func (w *world) Step(action int, rng *rand.Rand) (reward float64, seen []float64, err error) {
	w.s, w.was, w.x, w.before = w.was, w.s, w.before, w.x
	defer w.model.Spec.Guard(&err, "a function of the model", w.was, action, -1)
	out := w.model.Step(w.s, w.x, w.was, w.before, action, rng)
	w.done = out.Done
	return out.Reward, w.s, w.model.CheckStep(out, w.s, w.x, w.was, action)
}

// Over implements rollout.World.
func (w *world) Over() bool { return w.done }

// step returns the step that was taken where the agent believed b.
func (w *world) step(b Belief, action int, reward float64) Step {
	dim := len(w.x)
	r := Step{State: slices.Clone(w.was), Hidden: slices.Clone(w.before), Action: action, Reward: reward, Belief: b.Clone(), Mean: make([]float64, dim), Variance: make([]float64, dim), EffectiveSize: math.NaN()}
	b.Moments(r.Mean, r.Variance)
	if p, ok := b.(*ParticleBelief); ok {
		r.EffectiveSize = p.EffectiveSize()
	}
	return r
}
