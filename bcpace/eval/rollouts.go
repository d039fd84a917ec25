package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"bayescpace/bcpace"
)

// Options of Rollouts. Every zero value is useful.
type Options struct {
	// Episodes is how many episodes are played. If it is 0, 1000 are.
	Episodes int
	// Horizon is the number of steps after which an episode is cut. If it is 0,
	// it is the model's own horizon or, without one, DefaultHorizon.
	Horizon int
	// Seed makes the result: the same model, policy, options and seed give the
	// same returns bit for bit.
	Seed uint64
	// Workers is the number of episodes side by side. If it is 0, there is one
	// for each processor. It changes the time, never the result.
	Workers int
	// Undiscounted adds rewards up without the discount.
	Undiscounted bool
	// Belief is the belief that episodes start from, and their latents are drawn
	// from. If it is nil, it is the model's prior.
	Belief bcpace.Belief
	// Progress, if set, is called after every episode with the number of those
	// done, from any goroutine but one at a time. It must return quickly.
	Progress func(done int)
}

// Result of Rollouts. All but Elapsed, Allocated and PeakHeap are the same for
// every number of workers.
type Result struct {
	Episodes int       // episodes played to their end
	Returns  []float64 // return of each, in the order of their streams
	Lengths  []int     // steps of each
	Horizon  int       // steps after which an episode was cut
	Cut      int       // how many were cut rather than ended by the model
	Steps    int       // over all episodes
	Discount float64   // γ of the returns: 1 where they are undiscounted

	// Mean is the mean return, StdDev the standard deviation of a return and
	// StdErr that of the mean. CI95 is the interval that holds the expected
	// return with probability 0.95, by Student's t; it takes the mean for
	// normally distributed, which some hundred episodes make so. StdDev, StdErr
	// and CI95 are NaN for fewer than two episodes.
	Mean, StdDev, StdErr float64
	CI95                 [2]float64
	// Truncation bounds how far cutting at Horizon moves the expected return:
	// γ^Horizon · max|reward|/(1−γ), or 0 where the model's own horizon is the
	// cut, and +Inf for undiscounted returns cut elsewhere.
	Truncation float64

	Elapsed   time.Duration // wall clock
	Allocated uint64        // bytes allocated meanwhile, by the whole process
	PeakHeap  uint64        // most bytes of live and dead objects on the process' heap, sampled
}

// DefaultHorizon returns the model's own horizon or, without one, the first T
// with γ^T/(1−γ) ≤ 10⁻⁴: what is earned after it changes an expected return by
// less than 10⁻⁴ of the largest reward. It returns 0 for γ = 1 and no horizon.
func DefaultHorizon(spec bcpace.Spec) int {
	switch {
	case spec.Horizon > 0:
		return spec.Horizon
	case spec.Discount >= 1:
		return 0
	}
	return int(math.Ceil(math.Log(negligible*(1-spec.Discount)) / math.Log(spec.Discount)))
}

const negligible = 1e-4

// defaultEpisodes puts the standard error at 3 % of a return's deviation.
const defaultEpisodes = 1000

// Rollouts plays episodes of m with policy p, forked for each worker, and
// returns the statistics of their returns.
//
// Episode i has two random streams of its own, one for the start and the
// environment, one for the policy, made from Seed and i alone. Two policies
// with the same seed are thus compared on the same latents and start states,
// and Difference makes use of it.
//
// Cancelled, it returns the episodes completed before the first that was not,
// with ctx's error; and likewise the first error of the model or policy, an
// *InputError for a bad option or action among them.
func Rollouts(ctx context.Context, m bcpace.Model, p bcpace.Policy, o Options) (Result, error) {
	spec, err := o.resolve(m)
	if err != nil {
		return Result{}, err
	}
	r := Result{
		Returns: make([]float64, o.Episodes), Lengths: make([]int, o.Episodes),
		Horizon: o.Horizon, Discount: spec.Discount,
	}
	if o.Undiscounted {
		r.Discount = 1
	}
	usage := startMeter()
	j := job{model: m, options: o, result: &r, cut: make([]bool, o.Episodes), failed: make([]error, o.Episodes)}
	// Within an episode a flag is looked at, which costs a step nothing. It may be
	// set late, so that between episodes the context itself is asked.
	stop := context.AfterFunc(ctx, func() { j.stop.Store(true) })
	defer stop()
	forks := make([]bcpace.Policy, min(o.Workers, o.Episodes))
	for w := range forks {
		forks[w] = bcpace.Fork(p) // all of them before the first acts
	}
	var wg sync.WaitGroup
	for _, q := range forks {
		wg.Go(func() { j.work(ctx, q) })
	}
	wg.Wait()
	n, err := j.completed(ctx)
	r.Elapsed, r.Allocated, r.PeakHeap = usage.stop()
	r.Returns, r.Lengths = r.Returns[:n], r.Lengths[:n]
	r.summarise(spec, j.cut[:n])
	return r, err
}

// resolve checks o against the model and fills in the defaults.
func (o *Options) resolve(m bcpace.Model) (bcpace.Spec, error) {
	if err := bcpace.Validate(m); err != nil {
		return bcpace.Spec{}, err
	}
	spec := m.Spec()
	bad := func(what string, got any, want string) (bcpace.Spec, error) {
		return spec, &bcpace.InputError{Where: "evaluation options", What: what, Got: fmt.Sprint(got), Want: want}
	}
	switch {
	case o.Episodes < 0:
		return bad("Episodes", o.Episodes, "a number of episodes, or 0 for 1000")
	case o.Horizon < 0:
		return bad("Horizon", o.Horizon, "a number of steps, or 0 for the default")
	case o.Workers < 0:
		return bad("Workers", o.Workers, "a number of episodes side by side, or 0 for one per processor")
	}
	if o.Belief != nil {
		if err := checkBelief(o.Belief, spec); err != nil {
			return spec, err
		}
	}
	if o.Horizon == 0 {
		if o.Undiscounted && spec.Horizon == 0 {
			return bad("Horizon", 0, "a number of steps, as undiscounted returns grow with it and the model has no horizon of its own")
		}
		o.Horizon = DefaultHorizon(spec)
	}
	if spec.Horizon > 0 {
		o.Horizon = min(o.Horizon, spec.Horizon)
	}
	if o.Episodes == 0 {
		o.Episodes = defaultEpisodes
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return spec, nil
}

// checkBelief returns an *InputError unless b is a belief over the latents of spec.
func checkBelief(b bcpace.Belief, spec bcpace.Spec) error {
	if len(b) != len(spec.Latents) {
		return &bcpace.InputError{Where: "belief", What: "its length", Got: fmt.Sprint(len(b)),
			Want: fmt.Sprintf("%d, one weight for each latent", len(spec.Latents))}
	}
	return b.Validate()
}

// job is a call of Rollouts under way.
type job struct {
	model   bcpace.Model
	options Options
	result  *Result
	cut     []bool  // by episode: cut at the horizon
	failed  []error // by episode

	next  atomic.Int64 // the episode to be played next
	stop  atomic.Bool  // cancelled: drop episodes under way
	drain atomic.Bool  // an episode failed: begin no more
	mu    sync.Mutex   // guards done and calls of Progress
	done  int
}

// errDropped marks an episode that was given up.
var errDropped = errors.New("episode dropped")

// work plays episodes until there are none left. Episodes are handed out in
// order, so that all before a failed one are played to their end.
func (j *job) work(ctx context.Context, p bcpace.Policy) {
	e := newEpisodes(j.model, p, j.options)
	for ctx.Err() == nil && !j.drain.Load() {
		i := int(j.next.Add(1)) - 1
		if i >= j.options.Episodes {
			return
		}
		ret, steps, done, err := e.play(i, &j.stop, nil)
		j.result.Returns[i], j.result.Lengths[i], j.cut[i], j.failed[i] = ret, steps, !done, err
		if err != nil {
			j.drain.Store(true)
			continue
		}
		j.mu.Lock()
		j.done++
		if j.options.Progress != nil {
			j.options.Progress(j.done)
		}
		j.mu.Unlock()
	}
}

// completed returns how many episodes from the first on were played to their
// end, and the error that stopped the next one.
func (j *job) completed(ctx context.Context) (int, error) {
	begun := min(int(j.next.Load()), j.options.Episodes)
	for i, err := range j.failed[:begun] {
		switch {
		case err == errDropped:
			return i, ctx.Err()
		case err != nil:
			return i, fmt.Errorf("episode %d: %w", i, err)
		}
	}
	if begun < j.options.Episodes {
		return begun, ctx.Err()
	}
	return begun, nil
}

// episodes plays episodes for one goroutine.
type episodes struct {
	sim             *bcpace.Simulator
	policy          bcpace.Policy
	options         Options
	discount        float64
	envSrc, actSrc  rand.PCG
	envRand, actRnd *rand.Rand
}

func newEpisodes(m bcpace.Model, p bcpace.Policy, o Options) *episodes {
	e := &episodes{sim: bcpace.NewSimulator(m), policy: p, options: o, discount: m.Spec().Discount}
	if o.Undiscounted {
		e.discount = 1
	}
	e.envRand, e.actRnd = rand.New(&e.envSrc), rand.New(&e.actSrc)
	return e
}

// play plays episode i and returns its return, length and whether the model
// ended it. stop, if not nil, drops it; t, if not nil, records it.
func (e *episodes) play(i int, stop *atomic.Bool, t *Trajectory) (ret float64, steps int, done bool, err error) {
	// PCG's two words of state: the seed, and the number of the stream. Streams
	// count down from the last one, as exploration counts up from 0: with the
	// same seed, a policy would be judged by the very draws it was made from.
	e.envSrc.Seed(e.options.Seed, ^uint64(2*i))
	e.actSrc.Seed(e.options.Seed, ^uint64(2*i+1))
	if e.options.Belief != nil {
		err = e.sim.ResetTo(e.options.Belief, e.envRand)
	} else {
		err = e.sim.Reset(e.envRand)
	}
	if err != nil {
		return 0, 0, false, err
	}
	t.begin(e.sim)
	weight := 1.0
	for steps < e.options.Horizon && !e.sim.Done {
		if stop != nil && stop.Load() {
			return ret, steps, false, errDropped
		}
		action := e.policy.Act(e.sim.State, e.sim.Belief, e.actRnd)
		reward, err := e.sim.Step(action, e.envRand)
		if err != nil {
			return ret, steps, false, fmt.Errorf("step %d: %w", steps, err)
		}
		ret += weight * reward
		weight *= e.discount
		steps++
		t.add(e.sim, action, reward)
	}
	return ret, steps, e.sim.Done, nil
}
