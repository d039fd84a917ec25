package sweep

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solvers"
	"bayescpace/bcpace/stop"
)

// job is what a task computes.
type job struct {
	Trial Trial `json:"trial"`
	// File is the name of the blob with the content of Trial.Model.
	File string `json:"file,omitempty"`
	// Model is the fingerprint of a model of the user's own.
	Model string `json:"model,omitempty"`
}

// computeTrial returns the outcome of a task as JSON.
func computeTrial(ctx context.Context, t task, own *taskPart) ([]byte, error) {
	p, err := t.Trial.problem(ctx, t.content)
	if err != nil {
		return nil, err
	}
	print, err := t.Trial.fingerprint(p)
	if err != nil {
		return nil, err
	}
	if print != t.Model {
		return nil, fmt.Errorf("the environment %s is another model than when the sweep began: want one that is the same each time", t.Trial.Env)
	}
	o, err := t.Trial.compute(ctx, p, own)
	if err != nil {
		return nil, err
	}
	return canonical(o), nil
}

// one has a solver and an evaluation work in one goroutine: trials are what runs side by side.
var one = bcpace.Control{Workers: 1}

// compute returns the outcome of a normal trial.
func (t Trial) compute(ctx context.Context, p problem.Problem, own *taskPart) (TrialOutcome, error) {
	if t.Cover != nil {
		return t.cover(ctx, p.Model)
	}
	s, err := t.solver(p)
	if err != nil {
		return TrialOutcome{}, err
	}
	found, err := t.solve(ctx, p, s, own)
	if err != nil {
		return TrialOutcome{}, err
	}
	if err := ctx.Err(); err != nil {
		own.leave(ctx, found.Solution, openPart)
		return TrialOutcome{}, err
	}
	own.finish(found.Solution)
	o := outcomeOf(found)
	if t.KeepRun {
		var b bytes.Buffer
		if _, err := runs.Of(found.Solution).WriteTo(&b); err != nil {
			return TrialOutcome{}, err
		}
		if o.Run, err = own.folder.put(b.Bytes()); err != nil {
			return TrialOutcome{}, fmt.Errorf("keeping the run: %w", err)
		}
	}
	if err = t.evaluate(ctx, p, found, &o); err != nil {
		own.leave(ctx, found.Solution, endedPart)
	}
	return o, err
}

// solver returns the solver with its parameters.
func (t Trial) solver(p problem.Problem) (bcpace.Solver, error) {
	tuned, err := p.Solver(t.Algorithm)
	if err != nil {
		return nil, err
	}
	s := tuned
	for _, param := range t.Params.params() {
		if s, err = solvers.Set(s, param.Key, param.Value); err != nil {
			return nil, fmt.Errorf("params.%s is %q: %w", param.Key, param.Value, err)
		}
	}
	if t.Params["horizon"] == nil {
		s = problem.FreeHorizon(s, tuned)
	}
	return solvers.Seeded(s, t.Seed)
}

// solve solves a problem within the trial's time.
func (t Trial) solve(ctx context.Context, p problem.Problem, s bcpace.Solver, own *taskPart) (*problem.PolicyFound, error) {
	if e, ok := t.resumes(s); ok {
		x, err := own.explore(ctx, p.Model, e, one)
		if x == nil {
			return nil, p.NeedEnd(err, "eval.horizon")
		}
		return &problem.PolicyFound{Solution: x, Play: problem.OnModel(p.Model, x.Policy)}, p.NeedEnd(err, "eval.horizon")
	}
	if t.Timeout > 0 {
		limited, cancel := context.WithTimeout(ctx, time.Duration(t.Timeout))
		defer cancel()
		ctx = limited
	}
	found, err := p.Solve(ctx, s, one)
	return found, p.NeedEnd(err, "eval.horizon")
}

// outcomeOf returns the outcome of a solver.
func outcomeOf(found *problem.PolicyFound) TrialOutcome {
	o, c, end := nothing(), found.Stated(), found.End()
	o.Value, o.Lower, o.Upper, o.Certificate, o.Stop = found.Value, c.Lower, c.Upper, string(c.Kind), string(found.Stop)
	o.Timed = found.Stop == stop.Deadline
	o.Samples, o.Episodes, o.Steps = float64(end.Samples), float64(end.Episodes), float64(end.Steps)
	if r := runs.Of(found.Solution); r != nil {
		o.Sweeps = 0
		for _, e := range r.Trace {
			o.Sweeps += float64(e.Sweeps)
		}
	}
	return o
}

// evaluate adds what the policy earns.
func (t Trial) evaluate(ctx context.Context, p problem.Problem, found *problem.PolicyFound, o *TrialOutcome) error {
	if t.Eval == nil {
		return nil
	}
	if t.Eval.Exact {
		if found.Policy == nil {
			return errors.New("eval.exact needs a Bayes-adaptive MDP and a policy for it; eval.episodes plays any policy")
		}
		x, err := eval.Evaluate(ctx, p.Model, found.Policy, eval.ExactOptions{Horizon: t.Eval.Horizon})
		if err != nil {
			return err
		}
		o.Exact = x.Value
	}
	if t.Eval.Episodes > 0 {
		r, err := found.Play(ctx, eval.Options{Episodes: t.Eval.Episodes, Horizon: t.Eval.Horizon, Seed: t.Seed, Workers: 1})
		if err != nil {
			return err
		}
		o.Return, o.ReturnLo, o.ReturnHi = r.Mean, r.CI95[0], r.CI95[1]
		o.ReturnBy = string(r.CI95By)
		o.Timed = o.Timed || r.Timed
	}
	return nil
}

// cover counts a cover of what m reaches.
func (t Trial) cover(ctx context.Context, m bcpace.Model) (TrialOutcome, error) {
	reached, err := problem.Reached(ctx, m, cover.ReachOptions{Alpha: t.Cover.Alpha, Depth: t.Cover.Depth, Seed: t.Seed})
	if err != nil {
		return TrialOutcome{}, err
	}
	x, err := cover.Number(ctx, reached.Points, t.Cover.Epsilon, cover.Options{Seed: t.Seed})
	if err != nil {
		return TrialOutcome{}, err
	}
	r := nothing()
	r.Points, r.CoverLower, r.CoverUpper = float64(x.Points), float64(x.Upper.Lower), float64(x.Upper.Upper)
	r.Independence, r.Domination = float64(x.Independence.Lower), float64(x.Domination.Upper)
	return r, nil
}

// keyVersion is part of every key: raise it when the input of a trial means something else.
const keyVersion = "bayescpace sweep 1"

// key returns the hash of what determines the result, the version of the code too.
func (j job) key(v Version) string {
	what := j
	if j.File != "" { // the name of the file does not count
		what.Trial.Model = strings.ToLower(filepath.Ext(j.Trial.Model))
	}
	return keyOf(v, canonical(what))
}

// keyOf returns the key of what is computed by the code of a version.
func keyOf[T string | []byte](v Version, what ...T) string {
	h := sha256.New()
	for _, part := range append([]T{T(keyVersion), T(canonical(v))}, what...) {
		sum := sha256.Sum256([]byte(part))
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}
