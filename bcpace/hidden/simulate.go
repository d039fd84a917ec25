package hidden

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/meter"
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

// Result of Simulate.
type Result struct {
	eval.Result
	// Surprises counts the starts and steps which nothing in the belief explained (ImpossibleError), over all episodes: where it
	// is more than a few, the belief has too few particles, or LogDensity does not fit Step.
	Surprises int
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
func Simulate(ctx context.Context, m *Model, p Policy, o Options) (Result, error) {
	if err := o.settle(m, p); err != nil {
		return Result{}, err
	}
	returns, lengths, cut := make([]float64, o.Episodes), make([]int, o.Episodes), make([]bool, o.Episodes)
	surprises, simulations, totals := make([]int, o.Episodes), make([]int, o.Episodes), make([]float64, o.Episodes)
	usage := meter.Start()
	n, err := rollout.Episodes(ctx, o.Episodes, o.Workers, func() rollout.Player {
		e := newEpisode(m, fork(p), o)
		return func(i int) error {
			err := e.play(ctx, i, nil)
			if ctx.Err() != nil {
				return rollout.ErrDropped
			}
			returns[i], lengths[i], cut[i] = e.earned, e.steps, !e.done
			surprises[i], simulations[i], totals[i] = e.surprises, e.simulations, e.total
			return rollout.InEpisode(i, err)
		}
	}, o.Progress)
	r := Result{Result: eval.Summarise(m.Spec.Spec, o.Horizon, returns[:n], lengths[:n], cut[:n])}
	r.Elapsed, r.Allocated, r.PeakHeap = usage.Stop()
	r.MeanTotal, r.MeanInterval = eval.IntervalOf(totals[:n]).Mean, math.Inf(1)
	for i := range n {
		r.Surprises += surprises[i]
		r.Simulations += simulations[i]
	}
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
	e := newEpisode(m, fork(p), o)
	err = e.play(ctx, number, func(s Step) { steps = append(steps, s) })
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
	if o.Horizon == 0 {
		o.Horizon = m.Spec.DefaultHorizon()
	}
	return rollout.Within(&o.Horizon, m.Spec.Horizon)
}

// episode plays episodes for one goroutine.
type episode struct {
	model   *Model
	policy  Policy
	options Options

	s, next, x, nextX []float64
	earned, total     float64 // with the discount, and without
	steps             int
	done              bool
	surprises         int
	simulations       int
}

func newEpisode(m *Model, p Policy, o Options) *episode {
	axes, dim := len(m.Spec.Axes), len(m.Spec.Hidden)
	return &episode{model: m, policy: p, options: o, s: make([]float64, axes), next: make([]float64, axes), x: make([]float64, dim), nextX: make([]float64, dim)}
}

// Streams of an episode.
const (
	streamWorld = iota
	streamBelief
	streamPolicy
	streams
)

// play plays an episode; see, where it is not nil, gets each step.
func (e *episode) play(ctx context.Context, number int, see func(Step)) (err error) {
	m := e.model
	stream := func(k uint64) *rand.Rand { return rand.New(rand.NewPCG(e.options.Seed, uint64(number)*streams+k)) }
	world, filter, choice := stream(streamWorld), stream(streamBelief), stream(streamPolicy)
	e.earned, e.total, e.steps, e.done, e.surprises, e.simulations = 0, 0, 0, false, 0, 0
	action := -1
	defer func() {
		if x := recover(); x != nil {
			err = m.Spec.Panicked(x, "a function of the model", e.s, action, -1)
		}
	}()
	m.DrawStart(e.s, e.x, world)
	if off, want := m.Spec.OffAxes(e.s); off != "" {
		return m.Spec.Fault(nil, -1, -1, "Start made state %v, %s, want %s", e.s, off, want)
	}
	if err := m.CheckHidden(e.x, e.s, -1); err != nil {
		return err
	}
	b, err := e.options.Filter.Begin(m, e.s, filter)
	if err = e.surprised(err); err != nil {
		return err
	}
	episodic, _ := e.policy.(Episodic)
	if episodic != nil {
		episodic.Begin()
	}
	for weight := 1.0; !e.done && e.steps < e.options.Horizon; weight *= m.Spec.Discount {
		if action, err = e.act(ctx, b, choice); err != nil {
			return err
		}
		out := m.Step(e.next, e.nextX, e.s, e.x, action, world)
		if err := m.CheckStep(out, e.next, e.nextX, e.s, action); err != nil {
			return err
		}
		if see != nil {
			see(e.record(b, action, out.Reward))
		}
		e.earned += weight * out.Reward
		e.total += out.Reward
		e.steps++
		if e.done = out.Done; e.done {
			break
		}
		if err := e.surprised(b.Update(e.s, action, e.next, filter)); err != nil {
			return err
		}
		if episodic != nil {
			episodic.Observe(action, out.Reward, e.next)
		}
		e.s, e.next, e.x, e.nextX = e.next, e.s, e.nextX, e.x
	}
	return nil
}

// surprised counts an *ImpossibleError of a belief, and returns any other error.
func (e *episode) surprised(err error) error {
	if errors.As(err, new(*ImpossibleError)) {
		e.surprises++
		return nil
	}
	return err
}

// act asks the policy.
func (e *episode) act(ctx context.Context, b Belief, rng *rand.Rand) (action int, err error) {
	if p, ok := e.policy.(Planner); ok {
		d, err := p.Plan(ctx, e.s, b, rng)
		e.simulations += d.Simulations
		action = d.Action
		if err != nil {
			return action, err
		}
	} else if action, err = e.policy.Act(ctx, e.s, b, rng); err != nil {
		return action, err
	}
	if !e.model.Spec.IsAction(action) {
		return action, e.model.in().Bad("the action of the policy", action, e.model.Spec.WantAction())
	}
	return action, nil
}

// record returns the step that is being taken.
func (e *episode) record(b Belief, action int, reward float64) Step {
	dim := len(e.x)
	r := Step{State: slices.Clone(e.s), Hidden: slices.Clone(e.x), Action: action, Reward: reward, Belief: b.Clone(), Mean: make([]float64, dim), Variance: make([]float64, dim), EffectiveSize: math.NaN()}
	b.Moments(r.Mean, r.Variance)
	if p, ok := b.(*ParticleBelief); ok {
		r.EffectiveSize = p.EffectiveSize()
	}
	return r
}
