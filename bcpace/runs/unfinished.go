package runs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// SoFar is what a set-up has found when its context ends. The zero value is nothing.
type SoFar struct {
	Finite *dp.FiniteBounds    // of a Finite model, see dp.SolveBounds; nil if there are none
	Grid   *dp.GridValues      // of another Enumerator, see dp.SolveGrid; nil if there are none
	Other  bcpace.LatentValues // by which a policy can act, and of whose error nothing is known; nil if there are none
	// Proved has Lower and Upper at the start that rest on a model without numbered states alone, and
	// ProvedPolicy is a policy that was found with them; nil if there are none. Prove goes on with
	// proving such bounds, as Run.Prove does; nil where it cannot.
	Proved       *bcpace.Certificate
	ProvedPolicy bcpace.Policy
	Prove        func(context.Context) (lower, upper float64, err error)
}

// LatentSoFar returns the latent values that dp.SolveLatent has returned beside an error.
func LatentSoFar(q bcpace.LatentValues) SoFar {
	finite, _ := q.(*dp.FiniteValues)
	grid, _ := q.(*dp.GridValues)
	return SoFar{Finite: &dp.FiniteBounds{Latent: finite}, Grid: grid, Other: q}
}

// Unfinished returns what a solver knows of m if ctx has ended its set-up with err: a
// policy that acts, and bounds that hold. The policy is the best of the blind ones of
// found.Finite, with their values as a proved lower bound; without these QMDP on the latent
// values so far; and without those the one that always takes the first action. The upper
// bound is that of QMDP, where the error of the values is known: proved for a Finite model,
// and assumed for a grid. Any other err is returned as it is. It is for authors of solvers.
func Unfinished(ctx context.Context, err error, m bcpace.Model, s bcpace.Solver, found SoFar) (*bcpace.Solution, error) {
	v, err := unfinished(ctx, err, m, found)
	if err != nil {
		return nil, err
	}
	c, value := v.certificate, math.NaN()
	switch bcpace.ByProof {
	case c.LowerBy:
		value = c.Lower
	case c.UpperBy:
		value = c.Upper
	}
	return &bcpace.Solution{Solver: s, Spec: v.spec, Policy: bcpace.PolicyOf(m, v.policy), Value: value, Certificate: c,
		Trace: []bcpace.Progress{{Value: c.Upper, Gap: c.Gap()}}, Stop: stop.Of(ctx), InSetUp: true, StandIn: v.standIn}, nil
}

// SetUpTime returns the context for the set-up of an explorer: with a Controller, it leaves
// time of ctx for simulating that.
func (p Plan) SetUpTime(ctx context.Context) (context.Context, context.CancelFunc) {
	if p.Controller == nil {
		return ctx, func() {}
	}
	return LeaveTime(ctx, LookAhead)
}

// UnfinishedRun is Unfinished for an Explorer, whose context for the set-up SetUpTime has
// returned. The run has no samples; see Run.InSetUp. With a Controller, it has a Choice and
// its policy is simulated, as far as ctx leaves time for that.
func UnfinishedRun(ctx, setUp context.Context, err error, m bcpace.Model, s Explorer, p Plan, found SoFar, c bcpace.Control) (*Run, error) {
	v, err := unfinished(setUp, err, m, found)
	if err != nil {
		return nil, err
	}
	r := New(m, s, p, v, nil)
	r.Samples = NewSamples(v.spec)
	r.Value, r.Certificate, r.Stop = v.certificate.Upper, v.certificate, p.Spent(setUp, 0, 0)
	switch {
	case p.Controller == nil && found.ProvedPolicy == nil:
		return r, nil
	case p.Controller == nil:
		return r, r.Simulate(ctx, c.Workers)
	}
	if err := r.Choose(ctx, ChoiceEpisodes, c.Workers); err != nil || p.CertificateEpisodes < 0 {
		return r, err
	}
	return r, r.Simulate(ctx, c.Workers)
}

// InSetUp reports whether the context ended the run in its set-up, before the first
// episode. Then it has no samples; its policy and bounds are those of Unfinished, and Resume
// explores from the beginning. It cannot be saved, as there is nothing to go on from.
func (r *Run) InSetUp() bool {
	_, ok := r.values.(*unfinishedValues)
	return ok
}

// StandIn is Solution.StandIn.
func (r *Run) StandIn() string {
	v, ok := r.values.(*unfinishedValues)
	switch {
	case !ok:
		return ""
	case r.Choice != nil:
		return r.Choice.Name() + ", which was simulated"
	}
	return v.standIn
}

// unfinishedValues are the values of a run that ended in its set-up.
type unfinishedValues struct {
	model       bcpace.Model
	spec        bcpace.Spec
	upper       dp.UpperBound // nil for the range of returns
	most        float64       // the largest return
	policy      bcpace.Policy
	standIn     string // what policy is
	certificate bcpace.Certificate
	proved      *bcpace.Certificate // SoFar.Proved
	prove       func(context.Context) (lower, upper float64, err error)
}

// ProvedAtStart implements provingValues.
func (v *unfinishedValues) ProvedAtStart(ctx context.Context, _ *Run) (lower, upper float64, err error) {
	switch {
	case v.prove != nil:
		return v.prove(ctx)
	case v.proved != nil:
		return v.proved.Lower, v.proved.Upper, nil
	}
	return math.Inf(-1), math.Inf(1), nil
}

// unfinished returns what is known where ctx has ended a set-up with err.
func unfinished(ctx context.Context, err error, m bcpace.Model, found SoFar) (*unfinishedValues, error) {
	if ended := ctx.Err(); ended == nil || !errors.Is(err, ended) {
		return nil, err
	}
	v := &unfinishedValues{model: m, spec: m.Spec(), standIn: StandInFirst, prove: found.Prove}
	v.policy = bcpace.PolicyFunc(func(s []float64, b bcpace.Belief, _ *rand.Rand) int {
		if !v.knows(s, b) {
			return -1
		}
		return v.spec.CornerActions()[0]
	})
	v.certificate = solverkit.RangeCertificate(v.spec)
	c := &v.certificate
	c.Lower, c.Upper = solverkit.RangeOfReturns(m)
	v.most = c.Upper
	by := bcpace.ByProof
	switch f, g := found.Finite, found.Grid; {
	case f != nil && f.Latent != nil:
		v.policy, v.standIn = dp.LatentPolicy(f.Latent, len(v.spec.Actions)), standInQMDP
		v.upper = dp.QMDPBound{Values: f.Latent, Slack: f.Latent.Error}
		if f.FIB != nil {
			v.upper = f.FIB
		}
		if f.TIB != nil {
			v.upper = f.TIB
		}
	case g != nil:
		v.policy, v.standIn = dp.LatentPolicy(g, len(v.spec.Actions)), standInQMDP
		if !math.IsNaN(g.Error) {
			v.upper, by = dp.QMDPBound{Values: g, Slack: g.Error}, bcpace.ByAssumption
		}
	case found.Other != nil:
		v.policy, v.standIn = dp.LatentPolicy(found.Other, len(v.spec.Actions)), standInQMDP
	}
	if p := found.Proved; p != nil && p.Upper < c.Upper {
		c.Upper, c.UpperBy = p.Upper, bcpace.ByProof
		if p.Lower > c.Lower {
			c.Lower, c.LowerBy = p.Lower, bcpace.ByProof
		}
		v.proved, v.policy, v.standIn = p, found.ProvedPolicy, "the policy that is best in the finite model by which bounds are proved"
		return v, nil
	}
	if v.upper == nil {
		return v, nil
	}
	upper, err := solverkit.MeanAtStart(m, func(s []float64, b bcpace.Belief) float64 { u, _ := v.At(s, b); return u })
	if err != nil {
		return nil, err
	}
	if upper < c.Upper {
		if c.Upper, c.UpperBy = upper, by; by == bcpace.ByAssumption {
			c.Assumes = assuming(m, AssumesGrid)
		}
	}
	if found.Finite == nil || found.Finite.Blind == nil {
		return v, nil
	}
	blind := found.Finite.Blind
	v.policy = bcpace.PolicyFunc(func(s []float64, b bcpace.Belief, _ *rand.Rand) int {
		if len(b) == len(v.spec.Latents) {
			if a, worth := blind.Best(s, b); !math.IsNaN(worth) {
				return a
			}
		}
		return -1
	})
	v.standIn = "the policy that takes the action which is worth most if it is repeated without end"
	lower, err := solverkit.MeanAtStart(m, func(s []float64, b bcpace.Belief) float64 { _, x := blind.Best(s, b); return x })
	if err != nil {
		return nil, err
	}
	if lower > c.Lower {
		c.Lower, c.LowerBy, c.PolicyEarns = lower, bcpace.ByProof, bcpace.ByProof
	}
	_, err = c.Checked(v.spec.Name)
	return v, err
}

// StandInFirst is Solution.StandIn where nothing is known yet.
const StandInFirst = "the policy that always takes the first action"

const standInQMDP = "QMDP on the latent values so far, of a coarse grid or not converged"

// knows reports whether these are a state and a belief of the model.
func (v *unfinishedValues) knows(s []float64, b bcpace.Belief) bool {
	return v.spec.IsPlace(v.model, s, b)
}

// Query implements Values.
func (v *unfinishedValues) Query(s []float64, b bcpace.Belief, action int) (q float64, known bool) {
	return v.Upper(s, b, action), false
}

// At implements Values.
func (v *unfinishedValues) At(s []float64, b bcpace.Belief) (value float64, action int) {
	value = math.Inf(-1)
	for a := range v.spec.Actions {
		value = max(value, v.Upper(s, b, a))
	}
	return value, max(0, v.policy.Act(s, b, nil))
}

// Upper implements Values.
func (v *unfinishedValues) Upper(s []float64, b bcpace.Belief, action int) float64 {
	switch {
	case v.upper != nil:
		return min(v.most, v.upper.Upper(s, b, action))
	case v.knows(s, b):
		return v.most
	}
	return math.NaN()
}

// Policy implements Values.
func (v *unfinishedValues) Policy() bcpace.Policy { return v.policy }

// LatentValues implements Values: there are none, as those so far may be far off.
func (v *unfinishedValues) LatentValues() bcpace.LatentValues { return nil }

// Bytes implements Values.
func (v *unfinishedValues) Bytes() ([]byte, error) {
	return nil, bcpace.In("saving a run of model "+strconv.Quote(v.spec.Name)).Bad("the run", "one that ended in its set-up, before the first episode",
		"one with episodes: there is nothing to go on from; solve again, with more time")
}

// ResumableEpisodes implements Values.
func (v *unfinishedValues) ResumableEpisodes(*Run) int { return 0 }

// UpperAtStart implements Values.
func (v *unfinishedValues) UpperAtStart(context.Context, *Run) (upper, grid float64, err error) {
	return v.certificate.Upper, 0, nil
}

// Verify implements Values: there is nothing to verify an upper bound by.
func (v *unfinishedValues) Verify(context.Context, *Run) (bcpace.Certificate, error) {
	return bcpace.Certificate{}, fmt.Errorf("verifying a run that ended in its set-up: %w", errors.ErrUnsupported)
}
