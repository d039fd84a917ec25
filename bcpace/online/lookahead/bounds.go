package lookahead

import (
	"context"
	"errors"
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/proved"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

// Bounds are admissible bounds of V*, those of a model or others.
type Bounds = bcpace.ValueBounds

// tableBounds are the bounds of a Finite model from its tables.
type tableBounds struct {
	model   bcpace.Finite
	tib     *dp.TIBBound
	blind   *dp.BlindBound
	actions int

	policies [][]int32 // that look at the state alone
	fixed    *dp.VectorTable
}

// fixedEntries is how many numbers the vectors of fixed policies have at most.
const fixedEntries = 1 << 22

// newTableBounds computes the bounds of a Finite model. Beside an error of the context it
// returns the latent values so far.
func newTableBounds(ctx context.Context, m bcpace.Finite) (*tableBounds, bcpace.LatentValues, error) {
	t, err := dp.ListTransitions(ctx, m)
	if err != nil {
		return nil, nil, err
	}
	b, err := t.Bounds(ctx, 0)
	if err != nil {
		return nil, latentSoFar(b), err
	}
	x := &tableBounds{model: m, tib: b.TIB, blind: b.Blind, actions: t.Actions}
	prior := make(bcpace.Belief, t.Latents)
	m.Prior(prior)
	spec := m.Spec()
	x.policies = [][]int32{bestForDrawn(t, prior, spec.RewardMax-spec.RewardMin)}
	if t.States*t.Latents*t.Latents <= fixedEntries {
		x.policies = append(x.policies, dp.BestForOne(b.FIB.Table, t.States, t.Actions, t.Latents)...)
	}
	if x.fixed, err = t.Evaluate(ctx, x.policies, 0); err != nil {
		return nil, latentSoFar(b), err
	}
	return x, b.Latent, nil
}

// latentSoFar returns the latent values of bounds that are not whole, nil without any.
func latentSoFar(b *dp.FiniteBounds) bcpace.LatentValues {
	if b == nil || b.Latent == nil {
		return nil
	}
	return b.Latent
}

// Lower implements Bounds: the best policy that looks at nothing, or at the state alone.
func (t *tableBounds) Lower(s []float64, b bcpace.Belief) (value float64, action int) {
	n := t.model.StateIndex(s)
	value, action = num.Largest(t.actions, func(a int) float64 { return b.Dot(t.blind.Vector(n, a)) })
	for k, policy := range t.policies {
		if v := b.Dot(t.fixed.Vector(n, k)); v > value {
			value, action = v, int(policy[n])
		}
	}
	return value, action
}

// Upper implements Bounds: the tighter informed bound.
func (t *tableBounds) Upper(s []float64, b bcpace.Belief) float64 {
	n := t.model.StateIndex(s)
	top, _ := num.Largest(t.actions, func(a int) float64 { return t.tib.OfRow(n*t.actions+a, b) })
	return top
}

// toldBounds are the bounds of a ToldModel: told policies earn no less than others, and those
// that look at the state alone need not be told.
type toldBounds struct {
	table  *tableBounds
	latent bcpace.LatentValues
	axes   int // of the model that is told the latent
}

// Lower implements Bounds: that of the model that is told the latent.
func (t toldBounds) Lower(s []float64, b bcpace.Belief) (value float64, action int) {
	return t.table.Lower(s[:t.axes], b)
}

// Upper implements Bounds: QMDP.
func (t toldBounds) Upper(s []float64, b bcpace.Belief) float64 {
	return qmdp(t.latent, s[:t.axes], b, t.table.actions)
}

// qmdp returns the largest of Σ b(φ)·Q(s, φ, a).
func qmdp(q bcpace.LatentValues, s []float64, b bcpace.Belief, actions int) float64 {
	top, _ := num.Largest(actions, func(a int) float64 { return dp.Expected(q, s, b, a) })
	return top
}

// gridBounds are the bounds of another model by grids of its states, and the upper one that is
// proved.
type gridBounds struct {
	latent, fixed     *dp.GridValues
	proof             *proved.GridBound // nil where nothing is proved
	actions, policies int
	lo, hi            float64 // range of returns
}

// Lower implements Bounds: the best blind policy, or policy that is best for one latent.
func (g gridBounds) Lower(s []float64, b bcpace.Belief) (value float64, action int) {
	value = g.lo
	for k := range g.policies {
		if v := dp.Expected(g.fixed, s, b, k); v > value {
			value, action = v, k
		}
	}
	if φ := action - g.actions; φ >= 0 {
		_, action = num.Largest(g.actions, func(a int) float64 { return g.latent.Q(s, φ, a) })
	}
	return value, action
}

// Upper implements Bounds: QMDP, or what is proved where that is less.
func (g gridBounds) Upper(s []float64, b bcpace.Belief) float64 {
	up := min(qmdp(g.latent, s, b, g.actions), g.hi)
	if g.proof != nil {
		up = min(up, g.proof.At(s, b))
	}
	return up
}

// boundsOf computes the default bounds of m. Beside an error of the context it returns the
// latent values so far.
func boundsOf(ctx context.Context, m bcpace.Model) (Bounds, bcpace.LatentValues, error) {
	actions := len(m.Spec().Actions)
	if own, ok := m.(bcpace.ValueBounds); ok {
		return own, nil, nil
	}
	if f, ok := bcpace.AsFinite(m); ok {
		return newTableBounds(ctx, f)
	}
	lo, hi := solverkit.RangeOfReturns(m)
	if x, ok := m.(bcpace.ToldModel); ok {
		told := x.Told()
		t, latent, err := newTableBounds(ctx, told)
		return toldBounds{t, latent, len(told.Spec().Axes)}, latent, err
	}
	g, err := dp.SolveGridBounds(ctx, m.(bcpace.Enumerator), dp.GridOptions{}) // as needBounds has seen
	if err != nil {
		if g == nil || g.Latent == nil {
			return nil, nil, err
		}
		return nil, g.Latent, err
	}
	proof, err := prove(ctx, m, hi-lo)
	if err != nil {
		return nil, g.Latent, err
	}
	return gridBounds{g.Latent, g.Fixed, proof, actions, g.Policies, lo, hi}, g.Latent, nil
}

// certificate brackets V* at the start of m by the bounds at the leaves. given says that they
// are the user's, earned that the policy earns the lower one if it holds.
func (bs BoundedSearch) certificate(m bcpace.Model, given, earned bool) (c bcpace.Certificate, err error) {
	starts, err := bcpace.StartsOf(m)
	if err != nil {
		return c, err
	}
	for _, at := range starts {
		lo, _ := bs.Bounds.Lower(at.State, at.Belief)
		up := bs.Bounds.Upper(at.State, at.Belief)
		if err := bs.crossed(at.State, at.Belief, lo, up); err != nil {
			return c, err
		}
		c.Lower, c.Upper = c.Lower+at.Weight*lo, c.Upper+at.Weight*up
	}
	_, finite := bcpace.AsFinite(m)
	if finite && !given {
		c.Kind, c.LowerBy, c.UpperBy, c.PolicyEarns = bcpace.ExactCertificate, bcpace.ByProof, bcpace.ByProof, bcpace.NotKnown
		if earned {
			c.PolicyEarns = bcpace.ByProof
		}
		return c, nil
	}
	c.Kind, c.LowerBy, c.UpperBy, c.PolicyEarns = bcpace.NoCertificate, bcpace.ByAssumption, bcpace.ByAssumption, bcpace.NotKnown
	if c.Assumes = "grids of states are fine enough"; given {
		c.Assumes = "the bounds that were given hold"
	}
	if g, ok := bs.Bounds.(gridBounds); ok {
		c = g.withProof(c)
	}
	return c, nil
}

// bestForDrawn returns the policy that is best if the latent were drawn from b anew before
// each step, as actions by the number of the state: one that remembers nothing, and learns
// from the state alone, as where an opponent is in sight. It comes from value iteration to a
// hundredth of the range of rewards; whatever it misses, the policy is one. The sweeps
// read the tables of t, where package mdp would need a copy for b.
func bestForDrawn(t *dp.Transitions, b bcpace.Belief, rewards float64) []int32 {
	v, policy := make([]float64, t.States), make([]int32, t.States)
	for change := math.Inf(1); change > rewards/100*t.Rate; {
		change = 0
		for s := range v {
			top, best := num.Largest(t.Actions, func(a int) float64 {
				r := s*t.Actions + a
				q := t.Expected(r, b)
				for e, end := t.Entries(r); e < end; e++ {
					if next, done := t.Next(e); !done {
						q += t.Discount * b.Dot(t.Prob(e)) * v[next]
					}
				}
				return q
			})
			policy[s] = int32(best)
			change = max(change, math.Abs(top-v[s]))
			v[s] = top
		}
	}
	return policy
}

// Of returns the bounds of a run of certified.Solver on a Finite model, as far as they have
// come, for a search in the same model. The error is a *bcpace.UnsupportedError for another
// run.
func Of(r *runs.Run) (Bounds, error) {
	v := r.Values()
	if x, ok := v.(lower); ok {
		return runBounds{x, v, r}, nil
	}
	return nil, &bcpace.UnsupportedError{Model: r.Spec.Name, Algorithm: "bounds of a run", Need: "a run that bounds values from below: one of certified.Solver on a Finite model"}
}

// lower is runs.Values with a lower bound.
type lower interface {
	Lower(s []float64, b bcpace.Belief) (value float64, action int)
}

// runBounds are the bounds of a run.
type runBounds struct {
	lower
	values runs.Values
	run    *runs.Run
}

// RunOf returns the run whose bounds Of made; nil of other bounds.
func RunOf(b Bounds) *runs.Run {
	x, _ := b.(runBounds)
	return x.run
}

// Upper implements Bounds.
func (r runBounds) Upper(s []float64, b bcpace.Belief) float64 {
	v, _ := r.values.At(s, b)
	return v
}

const (
	// proofShare is the part of the range of returns by which a finer grid lowers the proved bound
	// for it to be refined: a search closes the rest of the gap soon.
	proofShare = 0.01
	// proofLeaves is the part of the time before a deadline that a proof leaves for what follows.
	proofLeaves = 0.5
	// proofWork is proved.Options.Work: a proof is worth some seconds to a planner.
	proofWork = 3e8
)

// prove returns the proved upper bound of m, whose returns have that range, or nil for a model that
// package proved cannot do.
func prove(ctx context.Context, m bcpace.Model, width float64) (*proved.GridBound, error) {
	within, cancel := runs.LeaveTime(ctx, proofLeaves)
	defer cancel()
	b, err := proved.Upper(within, m, proved.Options{Tolerance: proofShare * width, Work: proofWork})
	if unsupported := new(bcpace.UnsupportedError); errors.As(err, &unsupported) || within.Err() != nil && ctx.Err() == nil {
		return b, nil
	}
	return b, err
}

// withProof returns c with the upper bound that is proved, where that is more than the range of
// returns tells. It withdraws a lower bound that the proof refutes.
func (g gridBounds) withProof(c bcpace.Certificate) bcpace.Certificate {
	if g.proof == nil || g.proof.Start >= g.hi {
		return c
	}
	c.Upper, c.UpperBy = g.proof.Start, bcpace.ByProof
	if c.Lower > c.Upper {
		c.Refuted = fmt.Sprintf("the lower bound %.6g that is assumed, as no policy is worth more than %.6g (%s)", c.Lower, c.Upper, c.UpperBy)
		c.Lower, c.LowerBy, c.Assumes = g.lo, bcpace.ByRange, ""
	}
	return c
}
