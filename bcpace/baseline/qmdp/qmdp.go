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
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/pomdp"
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
func (s CertaintyEquivalent) Supports(m bcpace.Model) error { return solverkit.NeedsList(m, s.Name()) }

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

// values are values Q(s, a) of a POMDP's states s = (x, y), and the policy of
// Solver.SolvePOMDP. Σ b(y)·Q((x, y), a) is never below the value of a at (x, b), but for
// rounding.
type values struct {
	// Q holds Q(s, a) at s·actions + a, in reward units.
	Q []float64
	// Error bounds how far Q is above the fixed point that defines it.
	Error float64

	actions, hidden int
}

var _ pomdp.Policy = (*values)(nil)

// SolvePOMDP implements pomdp.Solver. The policy is that of the MDP whose agent sees
// all of the state:
//
//	Q(s,a) = R(s,a) + γ Σ_s' P(s'|s,a) max_a' Q(s',a')
//
// with what bounds their error added. The value is the mean over what may be seen at the start of
// max over a of Σ_y b(y)·Q((x,y),a), and the upper bound.
func (s Solver) SolvePOMDP(ctx context.Context, m *pomdp.Model, c bcpace.Control) (*pomdp.Solution, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	m, err := pomdp.KeepHorizon(m)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(m.Validate(), m.CheckStationary("QMDP")); err != nil {
		return nil, err
	}
	v, err := solve(ctx, m, c.Processors())
	if err != nil {
		return pomdp.Unfinished(ctx, err, m, s)
	}
	value := v.meanAtStart(m)
	proved := solverkit.RangeCertificate(m.Spec())
	proved.Upper, proved.UpperBy = value, bcpace.ByProof
	return &pomdp.Solution{Solver: s, Model: m, Policy: v, Value: value, Certificate: proved, Stop: stop.Converged,
		Trace: []bcpace.Progress{{Value: value}}}, nil
}

// tolerance is the error allowed in the values, as a part of the range of rewards, or of
// solverkit.Unit where that is more: that of package dp, so that a BAMDP and its POMDP have the same values.
const tolerance = 1e-10

// solve returns the values of m.
func solve(ctx context.Context, m *pomdp.Model, workers int) (*values, error) {
	v := &values{Q: make([]float64, m.NumStates()*len(m.Actions)), actions: len(m.Actions), hidden: m.NumHidden()}
	spec := m.Spec()
	bound, err := m.MDP(workers, false).Solve(ctx, v.Q, tolerance*max(solverkit.Unit(spec), spec.RewardMax-spec.RewardMin))
	if err != nil {
		return nil, err
	}
	for i := range v.Q {
		v.Q[i] += bound
	}
	v.Error = 2 * bound
	return v, nil
}

// best returns the action with the largest Σ b(y)·Q((x, y), a), the first one on
// a tie, and that value.
func (v *values) best(x int, b []float64) (action int, value float64) {
	value = math.Inf(-1)
	for a := range v.actions {
		sum := 0.0
		for y, p := range b {
			if p > 0 {
				sum += p * v.Q[(x*v.hidden+y)*v.actions+a]
			}
		}
		if sum > value {
			action, value = a, sum
		}
	}
	return action, value
}

// Act implements pomdp.Policy: the action with the largest Σ b(y)·Q((x, y), a).
func (v *values) Act(x int, b []float64) int {
	a, _ := v.best(x, b)
	return a
}

// meanAtStart returns the mean of the value of best over what may be seen at the start of
// m, an upper bound of the optimal value there.
func (v *values) meanAtStart(m *pomdp.Model) float64 {
	sum, b := 0.0, make([]float64, v.hidden)
	for i, e := range m.Start {
		x := int(e.At) / v.hidden
		if i > 0 && int(m.Start[i-1].At)/v.hidden == x {
			continue
		}
		p := m.StartBelief(b, x)
		_, value := v.best(x, b)
		sum += p * value
	}
	return sum
}
