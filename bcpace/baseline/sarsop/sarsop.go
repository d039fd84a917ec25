// Package sarsop solves finite POMDPs with mixed observability to a gap between
// proven bounds, by point-based value iteration over the beliefs that good
// policies reach: SARSOP (Kurniawati, Hsu and Lee 2008, "SARSOP: Efficient
// point-based POMDP planning by approximating optimally reachable belief
// spaces"), for factored states as in Ong, Png, Hsu and Lee (2010, "Planning
// under uncertainty for robotic tasks with mixed observability").
//
// # Bounds
//
// The lower bound at (x, b) is max_α α·b over α-vectors of x. It starts from the
// blind policies, which repeat one action, and every backup of vectors is the
// value of a plan; the policy holds the vectors of that plan and earns the bound. The upper bound starts from the fast informed bound
// (Hauskrecht 2000), or from the MDP where that is no tighter, and is a sawtooth
// over the beliefs of the tree; see points.sawtooth for its proof. Value iteration
// for both starts is stopped early with the distance to its fixed point added. All
// is computed in float64. Beliefs whose probabilities agree to 1e-12 are one. The upper
// bound makes up for both (see tree.bounds), the lower one holds up to rounding.
//
// # Search
//
// A trial follows the greedy action of the upper bound and the outcome with the
// largest excess gap. What differs from the paper: targets are fractions of the
// gap at the start, wide and narrow in turn, in the place of a predicted value;
// upper bounds of actions are computed again only while one attains the maximum;
// beliefs that are reached twice are one node; vectors are kept where they are
// best at some node (δ = 0); and all nodes have their lower bounds backed up each
// time that their number has grown by a quarter.
package sarsop

import (
	"context"
	"math"
	"runtime"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/internal/pointbased"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/runs"
)

// Options of Solve. The zero value is useful with a context that ends.
type Options struct {
	// Epsilon is the distance of the bounds at the initial belief at which the
	// solver ends, in reward units. 0 means that only limits, the context or
	// rounding end it.
	Epsilon float64
	// MaxTrials and MaxBeliefs end the search after a trial that reaches them.
	// 0 means no such limit. Memory grows with the beliefs.
	MaxTrials, MaxBeliefs int
	// Workers is the number of goroutines, and never more than there are
	// processors. 0 means one for each. It changes the time, never the result.
	Workers int
	// Progress, if set, is called after every trial from the goroutine that
	// called Solve. It must return quickly.
	Progress func(Progress)
}

// Progress is the state of the search after a trial.
type Progress struct {
	Trials       int
	Lower, Upper float64       // bounds at the initial belief, in reward units
	Vectors      int           // α-vectors of all x that are best at some node
	Beliefs      int           // nodes of the tree
	Backups      int           // of lower bounds so far
	Elapsed      time.Duration // since Solve was called
}

// Stop says why a search ended.
type Stop string

const (
	StopGap       Stop = "gap"       // the bounds are within Epsilon
	StopTrials    Stop = "trials"    // MaxTrials
	StopBeliefs   Stop = "beliefs"   // MaxBeliefs
	StopRounding  Stop = "rounding"  // trials improve the bounds no more
	StopCancelled Stop = "cancelled" // the context ended
)

// Result is what a search has found. All but the times of the trace depends on
// the model and the options alone, unless the context ended it.
type Result struct {
	Progress
	Stop   Stop
	Trace  []Progress // one for the start, then one whenever the gap fell by 2 %, then the last
	Policy *pomdp.VectorPolicy
}

// idle is the number of trials without any improvement after which rounding is
// all that is left.
const idle = 20

// Solve searches until a limit of o or the context ends it, and returns what it
// has by then, also where the context has ended at once. The initial belief is
// that of the model, with x seen before the first action.
//
// Errors are the context's, where it ends before the tables of a large model have been
// looked through, a *bcpace.InputError for options or tables that cannot be used and a
// *bcpace.UnsupportedError where Model.CheckStationary has one: a model with a
// horizon needs pomdp.FiniteHorizon, also for γ = 1.
func Solve(ctx context.Context, m *pomdp.Model, o Options) (*Result, error) {
	start := time.Now()
	if err := o.check(); err != nil {
		return nil, err
	}
	workers := runtime.GOMAXPROCS(0)
	if o.Workers > 0 {
		workers = min(workers, o.Workers)
	}

	set, err := pointbased.New(ctx, "SARSOP", m, workers)
	if err != nil {
		return nil, err
	}
	t := newTree(set, workers)
	t.pool.start(t)
	defer t.pool.stop()

	r := &Result{Progress: Progress{Upper: math.Inf(1)}}
	report := func() {
		lower, upper := t.bounds()
		r.Lower, r.Upper = lower, min(r.Upper, upper) // tolerances may grow
		r.Vectors, r.Beliefs, r.Backups = t.Len(), len(t.nodes), t.backups
		r.Elapsed = time.Since(start)
	}
	report()
	r.Trace = append(r.Trace, r.Progress)
	searching, cancel := runs.LeaveTime(ctx, pointbased.EvaluateTime)
	defer cancel()
	var path []*node
	swept, quiet := 0, 0
	for {
		switch gap := r.Upper - r.Lower; {
		case gap <= o.Epsilon:
			r.Stop = StopGap
		case searching.Err() != nil:
			r.Stop = StopCancelled
		case o.MaxTrials > 0 && r.Trials >= o.MaxTrials:
			r.Stop = StopTrials
		case o.MaxBeliefs > 0 && len(t.nodes) >= o.MaxBeliefs:
			r.Stop = StopBeliefs
		case quiet == idle:
			r.Stop = StopRounding
		}
		if r.Stop != "" {
			break
		}
		gap, before := r.Upper-r.Lower, t.improved
		path = t.trial(searching, path, gap*widths[r.Trials%len(widths)])
		if len(t.nodes) > swept+swept/4+100 {
			t.trim()
			t.sweep(searching, gap*widths[len(widths)-1])
			swept = len(t.nodes)
		}
		r.Trials++
		quiet++
		if t.improved > before {
			quiet = 0
		}
		report()
		if last := r.Trace[len(r.Trace)-1]; r.Upper-r.Lower <= 0.98*(last.Upper-last.Lower) {
			r.Trace = append(r.Trace, r.Progress)
		}
		if o.Progress != nil {
			o.Progress(r.Progress)
		}
	}
	if r.Trace[len(r.Trace)-1].Trials < r.Trials {
		r.Trace = append(r.Trace, r.Progress)
	}
	r.Policy = t.policy(ctx)
	return r, nil
}

// check tells what is wrong with o.
func (o Options) check() error {
	bad := bcpace.In("options").Bad
	switch {
	case !(o.Epsilon >= 0) || math.IsInf(o.Epsilon, 1):
		return bad("Epsilon", o.Epsilon, "a gap above 0 in reward units, or 0 for none")
	case o.MaxTrials < 0:
		return bad("MaxTrials", o.MaxTrials, "a number of trials, or 0 for no limit")
	case o.MaxBeliefs < 0:
		return bad("MaxBeliefs", o.MaxBeliefs, "a number of beliefs, or 0 for no limit")
	}
	return bcpace.CheckWorkers("options", "Workers", o.Workers, "goroutines")
}
