package pomdp

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
)

// Rollouts plays episodes of m with policy p, forked for each worker, and
// returns the statistics of their returns. The agent's belief is exact. Rewards
// are the means R(s, a), so that returns spread less than those of a model that
// draws its rewards, around the same mean. An episode ends in a state that leads
// to itself and pays nothing, and is cut at the horizon otherwise.
//
// Of o, Belief must be nil: episodes start from Model.Start. Episode i has a
// random stream of its own, made from Seed and i alone, so that the result is
// the same for every number of workers and eval.Difference compares two policies
// on the same draws. Allocated and PeakHeap of the result are not measured.
//
// Cancelled, it returns the episodes completed before the first that was not,
// with ctx's error; and likewise the first error of an action out of range. The
// error is a *bcpace.InputError for a model or options that cannot be used.
func Rollouts(ctx context.Context, m *Model, p Policy, o eval.Options) (eval.Result, error) {
	spec, err := resolve(m, &o)
	if err != nil {
		return eval.Result{}, err
	}
	begin := time.Now()
	j := job{model: m, options: o, discount: spec.Discount, ends: m.Ends(),
		returns: make([]float64, o.Episodes), lengths: make([]int, o.Episodes), cut: make([]bool, o.Episodes), failed: make([]error, o.Episodes)}
	policies := make([]Policy, min(o.Workers, o.Episodes))
	for w := range policies {
		policies[w] = Fork(p) // all of them before the first acts
	}
	var wg sync.WaitGroup
	for _, q := range policies {
		wg.Go(func() { j.work(ctx, q) })
	}
	wg.Wait()
	n := min(int(j.next.Load()), o.Episodes)
	if n < o.Episodes {
		err = ctx.Err()
	}
	for i, e := range j.failed[:n] {
		if e == errDropped {
			n, err = i, ctx.Err()
			break
		}
		if e != nil {
			n, err = i, fmt.Errorf("episode %d: %w", i, e)
			break
		}
	}
	r := eval.Summarise(spec, o.Horizon, j.returns[:n], j.lengths[:n], j.cut[:n])
	r.Elapsed = time.Since(begin)
	return r, err
}

// resolve checks the model and the options, fills in the defaults and returns
// what of the model is read to sum up.
func resolve(m *Model, o *eval.Options) (bcpace.Spec, error) {
	spec := bcpace.Spec{Discount: m.Discount}
	if err := m.Validate(); err != nil {
		return spec, err
	}
	if o.Undiscounted {
		spec.Discount = 1
	}
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
	case o.Belief != nil:
		return bad("Belief", o.Belief, "nil: episodes of a POMDP start from its own initial belief")
	}
	if o.Horizon == 0 {
		switch {
		case spec.Discount == 1:
			return bad("Horizon", 0, "a number of steps, as undiscounted returns grow with it")
		case spec.Discount == 0:
			o.Horizon = 1
		default:
			o.Horizon = eval.DefaultHorizon(spec)
		}
	}
	if o.Episodes == 0 {
		o.Episodes = 1000
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	for _, list := range m.Reward {
		for _, r := range list {
			spec.RewardMin, spec.RewardMax = min(spec.RewardMin, r), max(spec.RewardMax, r)
		}
	}
	return spec, nil
}

// errDropped marks an episode that was given up.
var errDropped = errors.New("episode dropped")

// job is a call of Rollouts under way.
type job struct {
	model    *Model
	options  eval.Options
	discount float64
	ends     []bool // by state

	returns []float64
	lengths []int
	cut     []bool
	failed  []error

	next  atomic.Int64 // the episode to be played next
	drain atomic.Bool  // an episode failed: begin no more
	mu    sync.Mutex   // guards done and calls of Progress
	done  int
}

// work plays episodes until there are none left. They are handed out in order,
// so that all before a failed one are played to their end.
func (j *job) work(ctx context.Context, p Policy) {
	b, next := make([]float64, j.model.NumHidden()), make([]float64, j.model.NumHidden())
	var source rand.PCG
	rng := rand.New(&source)
	for ctx.Err() == nil && !j.drain.Load() {
		i := int(j.next.Add(1)) - 1
		if i >= j.options.Episodes {
			return
		}
		// Streams count down from the last one, as those of eval do.
		source.Seed(j.options.Seed, ^uint64(i))
		if j.failed[i] = j.play(ctx, p, i, b, next, rng); j.failed[i] != nil {
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

// play plays episode i with the scratch beliefs b and next.
func (j *job) play(ctx context.Context, p Policy, i int, b, next []float64, rng *rand.Rand) error {
	m := j.model
	s := drawStart(m.Start, rng)
	x := s / len(b)
	m.StartBelief(b, x)
	weight := 1.0
	for t := range j.options.Horizon {
		if j.ends[s] {
			return nil
		}
		if t%64 == 63 && ctx.Err() != nil {
			return errDropped
		}
		a := p.Act(x, b)
		if a < 0 || a >= len(m.Actions) {
			return &bcpace.InputError{Where: fmt.Sprintf("policy at step %d", t), What: "action", Got: fmt.Sprint(a), Want: fmt.Sprintf("a number from 0 to %d", len(m.Actions)-1)}
		}
		j.returns[i] += weight * m.Reward[a][s]
		j.lengths[i]++
		weight *= j.discount
		s = m.Move[a].draw(s, rng)
		obs := m.Sense[a].draw(s, rng)
		if m.Update(next, b, x, a, s/len(b), obs) == 0 {
			return fmt.Errorf("step %d: observation %q has underflown to probability 0", t, m.Observations[obs])
		}
		x = s / len(b)
		b, next = next, b
	}
	j.cut[i] = !j.ends[s]
	return nil
}

// drawStart draws a state.
func drawStart(start []Entry, rng *rand.Rand) int {
	u := rng.Float64()
	for _, e := range start {
		if u < e.Value {
			return int(e.At)
		}
		u -= e.Value
	}
	return int(start[len(start)-1].At)
}
