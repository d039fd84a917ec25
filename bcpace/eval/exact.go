package eval

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/internal/rollout"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

// ExactOptions of Optimal and Evaluate. Every zero value is useful.
type ExactOptions struct {
	// Horizon is the number of steps of an episode, at most the model's own horizon. If
	// it is 0, it is that or, without one, unlimited.
	Horizon int
	// Tolerance is the error allowed by cutting the graph of a model without a
	// horizon, in reward units; a thousandth of it is allowed for stopping value
	// iteration. If it is 0, 1e-6 × max(solverkit.Unit, RewardMax − RewardMin) is used.
	Tolerance float64
	// State, Belief and MaxNodes are those of ReachOptions.
	State    []float64
	Belief   bcpace.Belief
	MaxNodes int
}

// ExactValue is a value from dynamic programming.
type ExactValue struct {
	// Value is the expected discounted return from the start.
	Value float64
	// Q is that of each action taken first and, after it, the best ones
	// (Optimal) or the policy's (Evaluate). Where there are several start
	// states, it is the mean over them, as is Value.
	Q []float64
	// Error bounds what is lost by merging beliefs (see Quantum), cutting the
	// graph and stopping value iteration. Rounding, some 10⁻¹⁵ of the largest
	// value for each step, is not in it.
	Error float64
	// Nodes is the size of the graph, Horizon the number of steps, 0 where it is
	// unlimited, and Depth the depth of the last node.
	Nodes, Horizon, Depth int
}

// Optimal returns the value of the best policy, V*(s, b), from backward
// induction over all (state, belief) nodes that can be reached. A policy may use
// the number of steps that are left. For errors see Reach; γ = 1 without a
// horizon is an *bcpace.InputError.
func Optimal(ctx context.Context, m bcpace.Model, o ExactOptions) (ExactValue, error) {
	return exact(ctx, m, nil, o)
}

// Evaluate returns the value of policy p, which must be a function of state and
// belief alone, which does not plan and has no memory (bcpace.PolicyAbilities): it is asked once for each node, at the belief that stands for
// those merged with it. Error holds for the policy that acts at merged beliefs
// as p does at that one; p itself may differ from it where it changes its
// action within Quantum of a belief, as at a tie. For errors see Reach.
func Evaluate(ctx context.Context, m bcpace.Model, p bcpace.Policy, o ExactOptions) (ExactValue, error) {
	m, err := modelFor(m, p, "exact evaluation", "a policy, or Optimal for the best one")
	if err != nil {
		return ExactValue{}, err
	}
	if err := memoryless(p, "exact evaluation"); err != nil {
		return ExactValue{}, err
	}
	return exact(ctx, m, bcpace.Fork(p), o)
}

// memoryless returns an *bcpace.InputError for a policy that is no function of state and belief.
func memoryless(p bcpace.Policy, where string) error {
	if can := bcpace.PolicyAbilitiesOf(p); can.Plan != nil || can.Begin != nil {
		return bcpace.In(where).Bad("the policy", "one that plans with random numbers or remembers what has happened",
			"a function of state and belief; Rollouts simulates any policy")
	}
	return nil
}

func exact(ctx context.Context, m bcpace.Model, p bcpace.Policy, o ExactOptions) (ExactValue, error) {
	if err := bcpace.Validate(m); err != nil {
		return ExactValue{}, err
	}
	spec := m.Spec()
	bad := bcpace.In("exact evaluation").Bad
	if err := solverkit.CheckHorizon("exact evaluation", "Horizon", o.Horizon, "none"); err != nil {
		return ExactValue{}, err
	}
	if !(o.Tolerance >= 0) || math.IsInf(o.Tolerance, 1) {
		return ExactValue{}, bad("Tolerance", o.Tolerance, "a positive error in reward units, or 0 for the default")
	}
	if err := rollout.Within(&o.Horizon, spec.Horizon); err != nil {
		return ExactValue{}, err
	}
	if o.Horizon == 0 && spec.Discount == 1 {
		return ExactValue{}, bad("Horizon", 0, "a number of steps: without a discount, episodes may have no end (sarsop bounds such values)")
	}
	o.Tolerance = cmp.Or(o.Tolerance, 1e-6*max(solverkit.Unit(spec), spec.RewardMax-spec.RewardMin))
	reach := ReachOptions{Depth: o.Horizon, MaxNodes: o.MaxNodes, State: solverkit.StartFor(m, o.State), Belief: o.Belief, Policy: p}
	if o.Horizon == 0 {
		// Beyond depth D a value is anywhere in [VMin, VMax].
		spread := spec.VMax() - spec.VMin()
		reach.Depth = max(1, int(math.Ceil(math.Log(o.Tolerance/max(spread, o.Tolerance))/math.Log(spec.Discount))))
	}
	g, err := Reach(ctx, m, reach)
	if err != nil {
		return ExactValue{}, err
	}
	d := induction{g: g, discount: spec.Discount, v: make([]float64, g.Len())}
	e := ExactValue{Horizon: o.Horizon, Nodes: g.Len(), Depth: int(g.Depth[g.Len()-1])}
	if o.Horizon > 0 {
		err = d.finite(ctx, o.Horizon)
	} else {
		e.Error, err = d.infinite(ctx, spec, reach.Depth, o.Tolerance/1000)
	}
	if err != nil {
		return ExactValue{}, err
	}
	e.Error += mergeError(spec, o.Horizon, g.Merged)
	e.Q = make([]float64, g.actions)
	for i, n := range g.Starts {
		for a := range e.Q {
			e.Q[a] += g.StartProb[i] * d.backup(d.v, int(n)*g.actions+a)
		}
		e.Value += g.StartProb[i] * d.value(d.v, int(n))
	}
	return e, nil
}

// mergeError bounds what merging beliefs at distance merged does to a value:
// ½(Vmax−Vmin)·merged at every step after the first.
func mergeError(spec bcpace.Spec, horizon int, merged float64) float64 {
	spread := max(spec.RewardMax, 0) - min(spec.RewardMin, 0)
	steps, length := spec.Discount/(1-spec.Discount), 1/(1-spec.Discount)
	if horizon > 0 { // which is the smaller for γ = 1
		steps, length = min(steps, float64(horizon)), min(length, float64(horizon))
	}
	return steps * spread * length / 2 * merged
}

// induction is dynamic programming on a graph.
type induction struct {
	g        *Graph
	discount float64
	v        []float64 // by node: at the end those after the first step
}

// backup returns Q of a row.
func (d *induction) backup(v []float64, row int) float64 {
	lo, hi := d.g.Row[row], d.g.Row[row+1]
	to, prob := d.g.To[lo:hi], d.g.Prob[lo:hi]
	sum := 0.0
	for i, n := range to {
		sum += prob[i] * v[n]
	}
	return d.g.Reward[row] + d.discount*sum
}

// value returns the value of node n from those of v: its policy's action, or
// the best one.
func (d *induction) value(v []float64, n int) float64 {
	if d.g.Act != nil {
		return d.backup(v, n*d.g.actions+int(d.g.Act[n]))
	}
	best := math.Inf(-1)
	for a := range d.g.actions {
		best = max(best, d.backup(v, n*d.g.actions+a))
	}
	return best
}

// finite runs backward induction: with k steps left, nodes at depths to
// horizon−k are needed, which is a prefix of them, and theirs is read from
// values with k−1 steps left, needed one depth further.
func (d *induction) finite(ctx context.Context, horizon int) error {
	old, end := make([]float64, len(d.v)), d.g.Expanded // what is written over
	for k := 1; k < horizon; k++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for end > 0 && int(d.g.Depth[end-1]) > horizon-k {
			end--
		}
		for n := range end {
			old[n] = d.value(d.v, n)
		}
		d.v, old = old, d.v
	}
	return nil
}

// infinite solves for the stationary values and returns a bound of their error.
//
// Value iteration starts from the QMDP bound U(s,b) = max over a of Σ_φ b(φ)Q(s,φ,a),
// which is the value itself where the latent is known and static: most of a
// large graph lies close to there, and values travel from the deepest nodes up
// in one sweep. Package mdp would start below all values, in the order of the nodes. The nodes
// without transitions keep U, which is at most U − VMin too high. With ρ the last sweep's
// largest change, γρ/(1−γ) bounds the distance to the fixed point, as for any γ-contraction.
func (d *induction) infinite(ctx context.Context, spec bcpace.Spec, depth int, tol float64) (float64, error) {
	latent, err := dp.SolveFinite(ctx, d.g.model, 0)
	if err != nil {
		return 0, err
	}
	cut := 0.0
	s := make([]float64, d.g.axes)
	for n := range d.v {
		d.g.State(s, n)
		d.v[n], _ = num.Largest(d.g.actions, func(a int) float64 { return dp.Expected(latent, s, d.g.Belief(n), a) })
		if n >= d.g.Expanded {
			cut = max(cut, math.Pow(d.discount, float64(depth))*(d.v[n]+latent.Error-spec.VMin()))
		}
	}
	for {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		change, top := 0.0, 0.0
		for n := d.g.Expanded - 1; n >= 0; n-- {
			x := d.value(d.v, n)
			change = max(change, math.Abs(x-d.v[n]))
			top = max(top, math.Abs(x))
			d.v[n] = x
		}
		bound := d.discount * change / (1 - d.discount)
		if bound <= tol || change <= 0x1p-50*top { // the latter: rounding has the last word
			return cut + bound, nil
		}
	}
}

// OptimalQ returns the exact Q*(s, b, a) as a function of the belief b and the
// action a, at o.State or, without one, over the model's start states. Each
// belief is solved for by Optimal when it is first asked for and remembered;
// o.Belief plays no part. Where Optimal has an error (too many nodes, or ctx
// cancelled), and for what is not a belief or no action, the function returns NaN.
// It may be called from several goroutines.
//
// The error is Optimal's at the prior, so that a model for which there are no
// exact values is refused at once.
func OptimalQ(ctx context.Context, m bcpace.Model, o ExactOptions) (func(b bcpace.Belief, action int) float64, error) {
	o.Belief = nil
	if _, err := Optimal(ctx, m, o); err != nil {
		return nil, err
	}
	var known sync.Map // of []float64, Q by action, under the bits of the belief
	return func(b bcpace.Belief, action int) float64 {
		key := num.AppendKey(nil, b)
		q, ok := known.Load(string(key))
		if !ok {
			at := o
			at.Belief = append(bcpace.Belief{}, b...) // never nil, which would be the prior
			e, err := Optimal(ctx, m, at)
			if err != nil {
				return math.NaN()
			}
			q, _ = known.LoadOrStore(string(key), e.Q)
		}
		if values := q.([]float64); action >= 0 && action < len(values) {
			return values[action]
		}
		return math.NaN()
	}, nil
}

// Spread sums up several runs that differ in their seed alone: how good their
// policies are, and what they cost. Exploration is random, so that one run says
// little about a setting.
type Spread struct {
	// Setting names what the runs share.
	Setting string
	// Value is the mean over the runs of the exact value of the greedy policy,
	// Lowest and Highest the extremes, in reward units.
	Value, Lowest, Highest float64
	// Optimistic is the mean of Run.Value, the estimate at the start.
	Optimistic float64
	// Samples, Episodes and Sweeps (of value iteration) are means over the runs.
	Samples, Episodes, Sweeps float64
}

// SpreadOf evaluates the policies of the runs, of which there must be at least
// one, in their model. For errors see Evaluate.
func SpreadOf(ctx context.Context, setting string, m bcpace.Model, all []*runs.Run, o ExactOptions) (Spread, error) {
	values, err := valuesOf(ctx, "spread "+setting, m, all, o)
	if err != nil {
		return Spread{Setting: setting}, err
	}
	s, n := Spread{Setting: setting, Lowest: slices.Min(values), Highest: slices.Max(values)}, float64(len(all))
	for i, r := range all {
		s.Value += values[i] / n
		s.Optimistic += r.Value / n
		s.Samples += float64(r.Samples.Len()) / n
		s.Episodes += float64(len(r.Trace)) / n
		for _, t := range r.Trace {
			s.Sweeps += float64(t.Sweeps) / n
		}
	}
	return s, nil
}

// valuesOf evaluates the policies of runs. The error says of what there is none, or is that of Evaluate.
func valuesOf(ctx context.Context, what string, m bcpace.Model, all []*runs.Run, o ExactOptions) (values []float64, err error) {
	for _, r := range all {
		e, err := Evaluate(ctx, m, r.Policy(), o)
		if err != nil {
			return nil, err
		}
		values = append(values, e.Value)
	}
	return values, bcpace.In(what).Need(len(all) > 0, "runs", "none", "at least one")
}
