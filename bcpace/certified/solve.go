package certified

import (
	"context"
	"encoding/json"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

// search tightens the bounds of a model. restore brings a search without samples to
// where the one that made a run had been.
type search interface {
	explore(context.Context) (*runs.Run, error)
	restore(context.Context, *runs.Run) error
}

func init() {
	runs.RegisterExplorer(Solver{}.Name(), func(parameters []byte, latent bcpace.LatentValues) (runs.Explorer, error) {
		s := Solver{}
		err := json.Unmarshal(parameters, &s)
		s.Latent = latent
		return s, err
	})
}

// Solve implements bcpace.Solver. On a Finite model the policy takes the action of the
// best α-vector, and attains the lower bound. On another model it takes the action whose
// two bounds have the largest mean.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	r, err := s.Explore(ctx, m, c)
	if r == nil {
		return nil, err
	}
	return runs.SolutionOf(r), err
}

// Explore implements runs.Explorer. Run.Value is the upper bound of the search.
func (s Solver) Explore(ctx context.Context, m bcpace.Model, c bcpace.Control) (*runs.Run, error) {
	if err := s.checkController(m); err != nil {
		return nil, err
	}
	m, err := solverkit.ListControls(m, s.ControlPoints, s.Name())
	if err != nil {
		return nil, err
	}
	return s.explore(ctx, bcpace.KeepHorizon(m), c)
}

// explore is Explore for a model that has no horizon, or whose states have the number
// of steps left.
func (s Solver) explore(ctx context.Context, m bcpace.Model, c bcpace.Control) (*runs.Run, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	plan, err := s.Plan(m)
	if err != nil {
		return nil, err
	}
	setUp, cancel := plan.SetUpTime(ctx)
	defer cancel()
	begun, cut := haste(setUp, m, plan)
	defer cut()
	x, soFar, err := s.newSearch(begun, m, plan, c)
	if err != nil {
		if begun.Err() != nil && setUp.Err() == nil { // time is up for the set-up, and not for proofs
			err = context.DeadlineExceeded
			p := newProof()
			soFar.Prove = func(ctx context.Context) (lower, upper float64, err error) {
				return p.bounds(ctx, m, proofShare*plan.Epsilon)
			}
			within, cancel := runs.LeaveTime(solverkit.WithControl(ctx, c), runs.LookAhead)
			defer cancel()
			// A fault of the model has been found in the set-up.
			if lower, upper, _ := soFar.Prove(within); p.bound != nil {
				soFar.Proved, soFar.ProvedPolicy = &bcpace.Certificate{Lower: lower, Upper: upper}, p.bound.Policy()
			}
			var ended context.CancelFunc
			setUp, ended = context.WithDeadline(ctx, time.Now())
			defer ended()
		}
		return runs.UnfinishedRun(ctx, setUp, err, m, s, plan, soFar, c)
	}
	return x.explore(ctx)
}

// newSearch computes the initial bounds of a model, and returns a search from there; where
// ctx ends before, the tables so far.
func (s Solver) newSearch(ctx context.Context, m bcpace.Model, plan runs.Plan, c bcpace.Control) (search, runs.SoFar, error) {
	setUp := solverkit.WithControl(ctx, c)
	var soFar runs.SoFar
	if f, ok := bcpace.AsFinite(m); ok {
		bounds, tables, err := solveFiniteBounds(setUp, f, s)
		soFar.Finite = tables
		if err != nil {
			return nil, soFar, err
		}
		x, err := newFiniteSearch(m, bounds, s, plan, c)
		return x, soFar, err
	}
	tables, err := solveContinuousTables(setUp, m.(bcpace.Enumerator), s, 0)
	if tables != nil {
		soFar.Grid = tables.Latent
	}
	if err != nil {
		return nil, soFar, err
	}
	x, err := newContinuousSearch(newContinuousBounds(m.(bcpace.Enumerator), tables, s.LipState, s.Epsilon), s, plan, c)
	return x, soFar, err
}

// ReadValues implements runs.Explorer.
func (s Solver) ReadValues(r *runs.Run, written []byte) (runs.Values, error) {
	if f, ok := bcpace.AsFinite(r.Model()); ok {
		return readFiniteBounds(r, f, s, written)
	}
	return readContinuousBounds(r, r.Model().(bcpace.Enumerator), s, written)
}
