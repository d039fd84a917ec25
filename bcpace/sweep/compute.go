package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solvers"
)

// trialKind is the kind of the tasks that are trials.
const trialKind = "trial"

func init() { Handle(trialKind, computeTrial) }

// job is the input of a task that is a trial.
type job struct {
	Trial Trial `json:"trial"`
	// File is the name of the blob with the content of Trial.Model.
	File string `json:"file,omitempty"`
	// Model is the fingerprint of a model of the user's own.
	Model string `json:"model,omitempty"`
}

// computeTrial is the Handler of trials.
func computeTrial(ctx context.Context, input []byte, blobs Blobs) ([]byte, error) {
	var j job
	if err := json.Unmarshal(input, &j); err != nil {
		return nil, fmt.Errorf("not a trial: %w", err)
	}
	t, err := j.Trial.normal()
	if err != nil {
		return nil, err
	}
	var content []byte
	if j.File != "" {
		if content, err = blobs.Get(ctx, j.File); err != nil {
			return nil, fmt.Errorf("the content of %s: %w", t.Model, err)
		}
	}
	p, err := t.problem(ctx, content)
	if err != nil {
		return nil, err
	}
	print, err := t.fingerprint(p)
	if err != nil {
		return nil, err
	}
	if print != j.Model {
		return nil, fmt.Errorf("the environment %s of this worker is not that of the sweep: build both programs from the same code", t.Env)
	}
	o, err := t.compute(ctx, p, blobs)
	if err != nil {
		return nil, err
	}
	return canonical(o), nil
}

// one has a solver and an evaluation work in one goroutine: trials are what runs side by side.
var one = bcpace.Control{Workers: 1}

// compute returns the outcome of a normal trial.
func (t Trial) compute(ctx context.Context, p problem, blobs Blobs) (Outcome, error) {
	if t.Cover != nil {
		return t.cover(ctx, p.model)
	}
	s, err := t.solver(p)
	if err != nil {
		return Outcome{}, err
	}
	found, err := t.solve(ctx, p, s)
	if err != nil {
		return Outcome{}, err
	}
	if err := ctx.Err(); err != nil {
		return Outcome{}, err
	}
	if t.KeepRun {
		if err := found.keep(ctx, blobs); err != nil {
			return Outcome{}, err
		}
	}
	return found.outcome, t.evaluate(ctx, found)
}

// solver returns the solver with its parameters.
func (t Trial) solver(p problem) (bcpace.Solver, error) {
	s, err := solvers.New(t.Algorithm, p.tunedFor())
	if err != nil {
		return nil, err
	}
	for _, param := range t.Params.params() {
		if s, err = solvers.Set(s, param.Key, param.Value); err != nil {
			return nil, fmt.Errorf("params.%s is %q: %w", param.Key, param.Value, err)
		}
	}
	if _, tables := s.(pomdp.Solver); p.model == nil && !tables {
		return nil, fmt.Errorf("%s needs a Bayes-adaptive MDP: %w", t.Algorithm, p.none)
	}
	if x, _ := solvers.Find(t.Algorithm); hasSeed(x) {
		return solvers.Set(s, seedKey, strconv.FormatUint(t.Seed, 10))
	}
	return s, nil
}

func hasSeed(x solvers.Info) bool {
	_, has := x.Param(seedKey)
	return has
}

// found is what a solver has found.
type found struct {
	outcome Outcome
	run     *runs.Run // nil of a solver without
	plays   func(ctx context.Context, o eval.Options) (eval.Result, error)
	exact   func(ctx context.Context, o eval.ExactOptions) (eval.Exact, error)
}

// solve solves a problem within the trial's time.
func (t Trial) solve(ctx context.Context, p problem, s bcpace.Solver) (*found, error) {
	if t.Timeout > 0 {
		limited, cancel := context.WithTimeout(ctx, time.Duration(t.Timeout))
		defer cancel()
		ctx = limited
	}
	if tables, ok := s.(pomdp.Solver); ok && p.tables != nil {
		x, err := tables.SolvePOMDP(ctx, p.tables, one)
		if err != nil {
			return nil, err
		}
		f := &found{outcome: outcomeOf(x.Value, x.Certificate, x.Trace, x.Stop)}
		f.plays = func(ctx context.Context, o eval.Options) (eval.Result, error) {
			return pomdp.Rollouts(ctx, x.Model, x.Policy, o)
		}
		f.exact = func(context.Context, eval.ExactOptions) (eval.Exact, error) {
			return eval.Exact{}, errors.New("eval.exact needs a Bayes-adaptive MDP and a policy for it; eval.episodes plays any policy")
		}
		return f, nil
	}
	x, err := s.Solve(ctx, p.model, one)
	if err != nil {
		return nil, err
	}
	f := &found{outcome: outcomeOf(x.Value, x.Certificate, x.Trace, x.Stop), run: runs.Of(x)}
	if f.run != nil {
		f.outcome.Sweeps = 0
		for _, e := range f.run.Trace {
			f.outcome.Sweeps += float64(e.Sweeps)
		}
	}
	f.plays = func(ctx context.Context, o eval.Options) (eval.Result, error) {
		return eval.Rollouts(ctx, p.model, x.Policy, o)
	}
	f.exact = func(ctx context.Context, o eval.ExactOptions) (eval.Exact, error) {
		return eval.Evaluate(ctx, p.model, x.Policy, o)
	}
	return f, nil
}

// outcomeOf returns the outcome of a solver. Bounds that only the range of rewards gives are
// left out, as the command line does.
func outcomeOf(value float64, c bcpace.Certificate, trace []bcpace.Progress, stop bcpace.StopReason) Outcome {
	o := nothing()
	o.Value, o.Lower, o.Upper, o.Certificate, o.Stop = value, c.Lower, c.Upper, string(c.Kind), string(stop)
	o.Timed = stop == bcpace.StopDeadline
	if c.Kind == bcpace.NoCertificate {
		if c.LowerBy == bcpace.ByRange {
			o.Lower = nothing().Lower
		}
		if c.UpperBy == bcpace.ByRange {
			o.Upper = nothing().Upper
		}
	}
	o.Samples, o.Episodes, o.Steps = 0, 0, 0
	if len(trace) > 0 {
		end := trace[len(trace)-1]
		o.Samples, o.Episodes, o.Steps = float64(end.Samples), float64(end.Episodes), float64(end.Steps)
	}
	return o
}

// keep keeps the run.
func (f *found) keep(ctx context.Context, blobs Blobs) error {
	var b buffer
	if _, err := f.run.WriteTo(&b); err != nil {
		return err
	}
	name, err := blobs.Put(ctx, b)
	if err != nil {
		return fmt.Errorf("keeping the run: %w", err)
	}
	f.outcome.Run = name
	return nil
}

type buffer []byte

// Write implements io.Writer.
func (b *buffer) Write(p []byte) (int, error) {
	*b = append(*b, p...)
	return len(p), nil
}

// evaluate adds what the policy earns.
func (t Trial) evaluate(ctx context.Context, f *found) error {
	if t.Eval == nil {
		return nil
	}
	if t.Eval.Exact {
		x, err := f.exact(ctx, eval.ExactOptions{Horizon: t.Eval.Horizon})
		if err != nil {
			return err
		}
		f.outcome.Exact = x.Value
	}
	if t.Eval.Episodes > 0 {
		r, err := f.plays(ctx, eval.Options{Episodes: t.Eval.Episodes, Horizon: t.Eval.Horizon, Seed: t.Seed, Workers: 1})
		if err != nil {
			return err
		}
		f.outcome.Return, f.outcome.ReturnLo, f.outcome.ReturnHi = r.Mean, r.CI95[0], r.CI95[1]
		f.outcome.ReturnBy = string(r.CI95By)
		f.outcome.Timed = f.outcome.Timed || r.Timed
	}
	return nil
}

// cover counts a cover of what m reaches.
func (t Trial) cover(ctx context.Context, m bcpace.Model) (Outcome, error) {
	o := cover.ReachOptions{Alpha: t.Cover.Alpha, Depth: t.Cover.Depth, Seed: t.Seed}
	var reached *cover.Reached
	var err error
	if _, finite := bcpace.AsFinite(m); finite {
		reached, err = cover.Reach(ctx, m, o)
	} else {
		reached, err = cover.Sample(ctx, m, o, bcpace.RandomPolicy(m))
	}
	if err != nil {
		return Outcome{}, err
	}
	x, err := cover.Number(ctx, reached.Points, t.Cover.Epsilon, cover.Options{Seed: t.Seed})
	if err != nil {
		return Outcome{}, err
	}
	r := nothing()
	r.Points, r.CoverLower, r.CoverUpper = float64(x.Points), float64(x.Upper.Lower), float64(x.Upper.Upper)
	r.Independence, r.Domination = float64(x.Independence.Lower), float64(x.Domination.Upper)
	return r, nil
}
