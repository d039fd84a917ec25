// Package qmdp is QMDP (Littman, Cassandra and Kaelbling 1995, "Learning
// policies for partially observable environments: scaling up"): it acts as if
// all that is hidden would be known after the next step,
//
//	a = argmax Σ b(y) · Q_MDP(x, y, a)
//
// and so never acts to learn. Its values bound those of the POMDP from above. The fast
// informed bound of dp.FIBBound is tighter. CertaintyEquivalent acts by the same values, as if the
// most likely latent were the true one.
package qmdp

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// Solver is QMDP as a solver.
type Solver struct {
	// ControlPoints is for a model some of whose actions have a Box: the latent MDPs and
	// the policy have a list of so many points on each axis in its place, as
	// bcpace.Discretised makes it. 0 means its default.
	ControlPoints int `json:",omitempty"`
}

// Name implements bcpace.Solver.
func (Solver) Name() string { return "qmdp" }

// Solve implements bcpace.Solver. The latent MDPs are solved by dp.SolveLatent:
// exactly where m is Finite, and on a grid where it lists its successors. The value is
// max over a of Σ_φ b(φ)·Q(s,φ,a) at the start. If m is Finite, no policy exceeds it that takes
// actions of the list, and it is the upper bound. On a grid it is an estimate, which may lie
// below the optimal value, and no bound is given.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	m, err := solverkit.ListControls(m, s.ControlPoints, s.Name())
	if err != nil {
		return nil, err
	}
	m = bcpace.KeepHorizon(m)
	q, err := dp.SolveLatentOn(solverkit.WithControl(ctx, c), m, dp.GridOptions{NoError: true})
	if err != nil {
		return runs.Unfinished(ctx, err, m, s, runs.LatentSoFar(q))
	}
	spec := m.Spec()
	value, err := solverkit.MeanAtStart(m, func(s []float64, b bcpace.Belief) float64 {
		best := math.Inf(-1)
		for a := range spec.Actions {
			best = max(best, dp.Expected(q, s, b, a))
		}
		return best
	})
	if err != nil {
		return nil, err
	}
	proved := solverkit.RangeCertificate(spec)
	if v, ok := q.(*dp.FiniteValues); ok {
		proved.Upper, proved.UpperBy = value+v.Error, bcpace.ByProof
	}
	return &bcpace.Solution{Solver: s, Spec: spec, Value: value, Certificate: proved, Stop: stop.Converged,
		Policy: bcpace.PolicyOf(m, dp.LatentPolicy(q, len(spec.Actions))), Trace: []bcpace.Progress{{Value: value}}}, nil
}

// CertaintyEquivalent is certainty equivalence as a solver: it acts as is best for the most likely
// latent, as if that were the true one. It is the agent beside which the dual control of Feldbaum
// (1960) is set, which counts what an action tells.
type CertaintyEquivalent struct {
	// ControlPoints is for a model some of whose actions have a Box: there is a list of so many
	// points on each axis in its place, as bcpace.Discretised makes it. 0 means its default.
	ControlPoints int `json:",omitempty"`
}

func init() { solverkit.Register(CertaintyEquivalent{}) }

// About implements solverkit.Described.
func (CertaintyEquivalent) About() solverkit.About {
	about := Solver{}.About()
	about.Doc, about.Written = "takes the best action for the most likely latent", "certainty equivalence"
	about.Cited = "certainty equivalence, which acts as is best for the most likely latent and which dual control [@feldbaum1960] is set against"
	return about
}

// Tabulates implements solverkit.Tabulator.
func (CertaintyEquivalent) Tabulates(m bcpace.Model) bool { return Solver{}.Tabulates(m) }

// Supports implements solverkit.Selective.
func (s CertaintyEquivalent) Supports(m bcpace.Model) error {
	return solverkit.NeedsList(m, s.Name())
}

// Name implements bcpace.Solver.
func (CertaintyEquivalent) Name() string { return "certainty-equivalent" }

// Solve implements bcpace.Solver. Value and bounds are those of Solver: what no policy
// exceeds.
func (s CertaintyEquivalent) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	return Told(ctx, s, s.ControlPoints, m, c, likeliest)
}

// likeliest returns the policy that takes the action of p where the most likely latent, the
// first of equal ones, is known to be the true one.
func likeliest(p bcpace.Policy, latents int) bcpace.Policy {
	certain := make([]bcpace.Belief, latents)
	for φ := range certain {
		certain[φ] = bcpace.OneHot(latents, φ)
	}
	return bcpace.PolicyFunc(func(s []float64, b bcpace.Belief, rng *rand.Rand) int {
		if len(b) != latents {
			return -1
		}
		φ, sum := 0, 0.0
		for i, x := range b {
			if sum += x; x > b[φ] {
				φ = i
			}
		}
		if math.IsNaN(sum) {
			return -1
		}
		return p.Act(s, certain[φ], rng)
	})
}

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "acts as if the latent were known after the next step",
		Written: "QMDP",
		Cited:   "QMDP [@littman1995]",
		SetUp:   "the values of the latent MDPs" + solverkit.Long,
		Params:  []solverkit.Param{solverkit.ControlPoints},
	}
}

// Tabulates implements solverkit.Tabulator.
func (Solver) Tabulates(m bcpace.Model) bool { return !solverkit.Valued(m) }

// Supports implements solverkit.Selective.
func (s Solver) Supports(m bcpace.Model) error { return solverkit.NeedsList(m, s.Name()) }

// Told returns the solution of a solver s whose policy acts as that of QMDP does where a latent
// is certain, which is the best for that latent; make makes it from the policy of QMDP. Value
// and bounds are those of Solver.
func Told(ctx context.Context, s bcpace.Solver, controlPoints int, m bcpace.Model, c bcpace.Control, make func(qmdp bcpace.Policy, latents int) bcpace.Policy) (*bcpace.Solution, error) {
	found, err := Solver{ControlPoints: controlPoints}.Solve(ctx, m, c)
	if other := new(bcpace.UnsupportedError); errors.As(err, &other) {
		other.Algorithm = s.Name()
	}
	if err != nil {
		return nil, err
	}
	list, err := solverkit.ListControls(m, controlPoints, s.Name())
	if err != nil {
		return nil, err
	}
	found.Solver, found.Policy = s, bcpace.PolicyOf(bcpace.KeepHorizon(list), make(found.Policy, len(found.Spec.Latents)))
	return found, nil
}
