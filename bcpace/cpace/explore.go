package cpace

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/side"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

func init() {
	runs.RegisterExplorer(Solver{}.Name(), func(parameters []byte, latent bcpace.LatentValues) (runs.Explorer, error) {
		o := Solver{Latent: latent}
		err := json.Unmarshal(parameters, &o)
		return o, err
	})
}

// Solve implements Solver: it is Explore with runs.PolicyBest, unless Solver.Policy says
// otherwise. The run's Choice (runs.Of) names the policy, which is worth what the certificate
// says. The value is the optimistic one at the start, an estimate.
func (o Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	if o.Policy == "" {
		o.Policy = runs.PolicyBest
	}
	r, err := o.Explore(ctx, m, c)
	if r == nil {
		return nil, err
	}
	return runs.SolutionOf(r), err
}

// Explore runs Bayes-CPACE (Algorithm 1 of the paper) on m: it rolls the greedy
// policy of the optimistic estimate Q̃ out from the start, adds every sample
// whose query is not known, and finds the fixed point of Q̃ again, until no new
// sample has turned up for Solver.Patience episodes (terminal condition G), a
// budget is spent, or ctx is cancelled. In the latter cases the Run so far comes
// back, with the reason in Run.Stop and no error; see Run.InSetUp for one that ended while
// the values of the latent MDPs were computed. The function Explore says what else
// holds of every Explorer.
func (o Solver) Explore(ctx context.Context, m bcpace.Model, c bcpace.Control) (*runs.Run, error) {
	if err := cmp.Or(bcpace.Validate(m), c.Check()); err != nil {
		return nil, err
	}
	if bcpace.AbilitiesOf(m).CutsEpisodes() && o.Latent != nil {
		return nil, solverkit.CheckStationary(m, "Solver.Latent")
	}
	m = bcpace.KeepHorizon(m)
	set, err := o.resolve(m)
	if err != nil {
		return nil, err
	}
	setUp, cancel := set.plan.SetUpTime(ctx)
	defer cancel()
	var latent bcpace.LatentValues
	if err = set.bind(solverkit.WithControl(setUp, c), m); err == nil { // which refuses some models
		latent, err = latentValues(solverkit.WithControl(setUp, c), m, o)
	}
	if err != nil {
		return runs.UnfinishedRun(ctx, setUp, err, m, o, set.plan, runs.LatentSoFar(latent), c)
	}
	x, err := newExplorer(m, o, set, latent, c)
	if err != nil {
		return nil, err
	}
	return x.explore(ctx)
}

// TimeShares implements solverkit.Scheduled.
func (o Solver) TimeShares(bcpace.Model) []solverkit.TimeShare {
	return runs.ExplorationShares(o.Policy)
}

// Describe implements Explorer.
func (o Solver) Describe(r *runs.Run) (heading string, details []runs.Detail) {
	return "Bayes-CPACE on", []runs.Detail{{Name: "k", Value: max(o.K, 1)}, {Name: "L_Q", Value: r.LipQ() / 2}, {Name: "α", Value: r.Alpha()},
		{Name: "known radius ε/2L_Q", Value: r.Radius()}, {Name: "horizon T", Value: r.Horizon()}, {Name: "seed", Value: fmt.Sprint(o.Seed)}}
}

// Plan implements Explorer.
func (o Solver) Plan(m bcpace.Model) (runs.Plan, error) {
	if err := bcpace.Validate(m); err != nil {
		return runs.Plan{}, err
	}
	set, err := o.resolve(m)
	return set.plan, err
}

// Unlimited implements Explorer.
func (o Solver) Unlimited() runs.Explorer {
	o.Patience, o.MaxEpisodes, o.MaxSamples, o.CertificateEpisodes, o.Delta, o.Policy, o.Controller = 0, 0, 0, 0, 0, "", nil
	return o
}

// WithHorizon returns o with episodes of so many steps; own is true, and o is as it was, where
// its Horizon is a number of its own. A run file keeps the number that was in force.
func (o Solver) WithHorizon(steps int) (e runs.Explorer, own bool) {
	if o.Horizon != 0 {
		return o, true
	}
	o.Horizon = steps
	return o, false
}

// explore plays rounds until there is a reason to stop, and then simulates the policy.
func (ex *explorer) explore(ctx context.Context) (*runs.Run, error) {
	exploring, cancel := ctx, func() {}
	if ex.set.Policy == runs.PolicyBest {
		exploring, cancel = runs.LeaveTime(ctx, runs.LookAhead)
	}
	defer cancel()
	for ex.run.Stop == "" {
		if err := ex.round(exploring); err != nil && ex.est.samples.Len() == 0 {
			return nil, err
		} else if err != nil {
			ex.run.Finish()
			ex.est.freeze()
			return ex.run, ex.run.Failed(err)
		}
	}
	if ex.run.Values().ResumableEpisodes(ex.run) == len(ex.run.Trace) {
		ex.run.Keep(true)
	}
	ex.run.Finish()
	ex.est.freeze()
	if ex.set.Policy == runs.PolicyBest {
		if err := ex.run.Choose(ctx, runs.ChoiceEpisodes, ex.control.Workers); err != nil {
			return ex.run, err
		}
	}
	return ex.run, ex.run.Simulate(ctx, ex.control.Workers)
}

// fixedPointSolver computes the fixed point of B̃ on the samples that are added.
type fixedPointSolver interface {
	runs.Snapshotter
	add(runs.Sample)
	solve(context.Context) (sweeps int, residual float64)

	// For a run that is resumed: skipping comes before the samples are added again, with
	// calls of solve that leave values alone, and restore puts what Snapshot has returned.
	skipping()
	restore(ctx context.Context, q []float64, state []byte) error
}

// explorer is the state of an exploration.
type explorer struct {
	run     *runs.Run
	set     resolvedOptions
	control bcpace.Control
	est     *estimator
	fixed   fixedPointSolver
	starts  []bcpace.Start
	workers []*worker
	quiet   int // episodes in a row without a new sample
	scratch *scratch
	replay  replay // the rounds that Resume repeats
}

// newExplorer returns an explorer before its first episode.
func newExplorer(m bcpace.Model, opts Solver, set resolvedOptions, latent bcpace.LatentValues, c bcpace.Control) (*explorer, error) {
	spec := m.Spec()
	if latent == nil && opts.needsLatent() {
		return nil, &bcpace.UnsupportedError{Model: spec.Name, Algorithm: "Bayes-CPACE with SeedOneHot or a best-case or QMDP bound",
			Need: solverkit.NeedSuccessors(", or Solver.Latent, the values Q(s, φ, a) of the latent MDPs, or the bound cpace.BoundConstant")}
	}
	x := &explorer{set: set, control: c, est: newEstimator(spec, set, latent)}
	if x.est.boxed {
		x.fixed = newControlFixedPoint(x.est, c.Processors())
	} else {
		x.fixed = newFixedPoint(x.est, c.Processors())
	}
	x.scratch = x.est.scratch()
	var err error
	if x.starts, err = bcpace.StartsOf(m); err != nil {
		return nil, err
	}
	side := min(max(set.Batch, 1), max(c.Processors(), c.Workers)) // more than processors, for a simulator that answers many at once
	for range side {
		x.workers = append(x.workers, newWorker(m, x.est))
	}
	x.run = runs.New(m, opts, set.plan, paperValues{x.est}, x.fixed)
	x.run.Samples = x.est.samples
	x.run.Value = x.value()
	return x, nil
}

// needsLatent reports whether the options make no sense without latent values.
func (o Solver) needsLatent() bool {
	return o.SeedOneHot || o.Bound == BoundBestCase || o.Bound == BoundQMDP
}

// round runs Algorithm 1 for one episode or, with Solver.Batch, for one batch of
// episodes.
func (ex *explorer) round(ctx context.Context) error {
	before, samples, batch := len(ex.run.Trace), ex.est.samples.Len(), max(ex.set.Batch, 1)
	// A limit may cut this round off.
	ex.run.Keep(ex.set.MaxSamples > 0 && (ex.set.MaxSamples-samples)/batch <= ex.set.Horizon || ex.set.MaxEpisodes > 0 && ex.set.MaxEpisodes-before < batch)
	play, again := ex.episode, ex.replay.covers(ex)
	switch {
	case again:
		play = func(ctx context.Context) error { ex.replayRound(ctx); return nil }
	case ex.set.Batch > 0:
		play = ex.batch
	}
	failed := play(ctx)
	if ex.est.samples.Len() > samples {
		ex.run.Value = ex.value()
	}
	for i := before; i < len(ex.run.Trace); i++ {
		row := &ex.run.Trace[i]
		row.Value = ex.run.Value
		ex.count(*row)
	}
	if failed != nil {
		return failed
	}
	if again && ctx.Err() == nil {
		if err := ex.checkReplayed(before); err != nil {
			return err
		}
	}
	if n := len(ex.run.Model().Spec().Actions); n != len(ex.run.Spec.Actions) {
		return &bcpace.ConformanceError{Model: ex.run.Spec.Name,
			What: fmt.Sprintf("Spec now lists %d actions, and listed %d when the exploration began: it must stay the same", n, len(ex.run.Spec.Actions))}
	}
	p := bcpace.Progress{Episodes: len(ex.run.Trace), Samples: ex.est.samples.Len(), Steps: ex.run.Steps,
		Quiet: ex.quiet, Patience: ex.set.Patience, Known: ex.run.Known(len(ex.run.Trace)), Horizon: ex.set.Horizon, Value: ex.run.Value}
	if ex.control.Progress != nil {
		ex.control.Progress(p)
	}
	if ex.run.Stop = ex.stop(ctx); ex.run.Stop == "" && !again && ex.control.Checkpoint != nil {
		ex.control.Checkpoint(p, ex.run)
	}
	return nil
}

// count counts an episode.
func (ex *explorer) count(row runs.Episode) {
	ex.run.Steps += row.Steps
	if ex.quiet++; row.Added > 0 {
		ex.quiet = 0
	}
}

// episode plays one episode and finds the fixed point after every new sample.
func (ex *explorer) episode(ctx context.Context) error {
	row, _, err := ex.workers[0].play(ctx, len(ex.run.Trace), func(row *runs.Episode, s runs.Sample) {
		if ex.samplesSpent() {
			return
		}
		ex.fixed.add(s)
		row.Added++
		sweeps, residual := ex.fixed.solve(ctx)
		row.Sweeps, row.Residual = row.Sweeps+sweeps, residual
	})
	ex.run.Trace = append(ex.run.Trace, row)
	return err
}

// batch plays a batch of episodes with one policy, merges their samples in the
// order of the episodes, and finds the fixed point once.
func (ex *explorer) batch(ctx context.Context) error {
	rolls, err := ex.rollouts(ctx)
	if err != nil {
		return err
	}
	grown := false
	for _, r := range rolls {
		if ex.samplesSpent() || ctx.Err() != nil {
			break
		}
		for _, s := range r.found {
			if ctx.Err() != nil {
				break
			}
			// An earlier rollout of this batch may have made it known.
			if _, known := ex.est.query(ex.scratch, s.State, s.Belief, s.Action); !known && !ex.samplesSpent() {
				ex.fixed.add(s)
				r.row.Added++
				grown = true
			}
		}
		ex.run.Trace = append(ex.run.Trace, r.row)
	}
	if grown {
		last := &ex.run.Trace[len(ex.run.Trace)-1]
		last.Sweeps, last.Residual = ex.fixed.solve(ctx)
	}
	return nil
}

// stop returns the reason to stop now, or "" to continue.
func (ex *explorer) stop(ctx context.Context) stop.Reason {
	if ctx.Err() == nil && ex.quiet >= ex.set.Patience {
		return stop.Converged
	}
	return ex.set.plan.Spent(ctx, len(ex.run.Trace), ex.est.samples.Len())
}

// samplesSpent reports whether the exploration has all the samples that it may take.
func (ex *explorer) samplesSpent() bool {
	return ex.set.MaxSamples > 0 && ex.est.samples.Len() >= ex.set.MaxSamples
}

// value returns the mean over start states of max_a Q̃(s0, b0, a).
func (ex *explorer) value() float64 {
	v := 0.0
	for _, s := range ex.starts {
		q, _, _ := ex.est.greedy(ex.scratch, s.State, s.Belief, nil, -1)
		v += s.Weight * q
	}
	return v
}

// rollout is one episode of a batch.
type rollout struct {
	played bool
	row    runs.Episode
	found  []runs.Sample // the samples whose query was not known, in order
	err    error
}

// rollouts plays the episodes of the next batch side by side, all with the estimate as it
// stands. Each episode has its own random stream, so that the number of workers does not
// matter.
func (ex *explorer) rollouts(ctx context.Context) ([]rollout, error) {
	first, n := len(ex.run.Trace), ex.set.Batch
	if ex.set.MaxEpisodes > 0 {
		n = min(n, ex.set.MaxEpisodes-first)
	}
	rolls := make([]rollout, n)
	side.Each(len(ex.workers), n, func(w, i int) {
		if r := &rolls[i]; ctx.Err() == nil {
			r.row, r.played, r.err = ex.workers[w].play(ctx, first+i, func(_ *runs.Episode, s runs.Sample) { r.found = append(r.found, s.Clone()) })
		}
	})
	for i, r := range rolls {
		if r.err != nil {
			return nil, r.err
		}
		if !r.played { // ctx has ended; the rollouts before this one are whole
			return rolls[:i], nil
		}
	}
	return rolls, nil
}

// stepsBetweenChecks is how many steps of an episode pass between two checks of the
// context, as an episode may have millions of steps.
const stepsBetweenChecks = 64

// worker plays episodes with the greedy policy of the estimate.
type worker struct {
	bcpace.Rollout
	est     *estimator
	scratch *scratch
	belief  bcpace.Belief
	known   bool // the query of the last step
}

func newWorker(m bcpace.Model, e *estimator) *worker {
	w := &worker{est: e, scratch: e.scratch(), belief: make(bcpace.Belief, len(e.spec.Latents))}
	w.Rollout = bcpace.Rollout{Simulator: bcpace.NewSimulator(m), Policy: w, Horizon: e.set.Horizon, Discount: e.spec.Discount}
	return w
}

// Act implements Policy.
func (w *worker) Act(s []float64, b bcpace.Belief, _ *rand.Rand) (action int) {
	_, action, w.known = w.est.greedy(w.scratch, s, b, nil, -1)
	return action
}

// play plays episode number n with the policy, with a random stream of its own, and calls
// unknown with every step whose query is not known. unknown must not keep the slices of
// the sample. whole is false if ctx ended before the episode did.
func (w *worker) play(ctx context.Context, n int, unknown func(*runs.Episode, runs.Sample)) (row runs.Episode, whole bool, err error) {
	rng := rand.New(rand.NewPCG(w.est.set.Seed, uint64(n)))
	if err := w.start(n, rng); err != nil {
		return row, false, err
	}
	for w.More() {
		if w.Steps%stepsBetweenChecks == stepsBetweenChecks-1 && ctx.Err() != nil {
			return row, false, nil
		}
		if err := w.Step(rng, rng); err != nil {
			return row, false, fmt.Errorf("episode %d, %w", n, err)
		}
		row.Return, row.Steps = w.Return, w.Steps
		if !w.known {
			row.Escapes++
			unknown(&row, runs.Sample{
				State: w.Prev, Belief: w.PrevBelief, Action: w.Action, Reward: w.Reward,
				Next: w.State, NextBelief: w.Belief, Done: w.Done, Episode: n, Time: w.Steps - 1,
			})
		}
	}
	return row, true, nil
}

// start begins episode number n from the start that the options choose for it.
func (w *worker) start(n int, rng *rand.Rand) error {
	if list := w.est.set.Starts; len(list) > 0 {
		return w.ResetAt(list[n%len(list)], rng)
	}
	if !w.est.set.RandomBelief {
		return w.Reset(rng)
	}
	w.belief.SampleSimplex(rng)
	return w.ResetTo(w.belief, rng)
}
