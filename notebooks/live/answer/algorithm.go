package answer

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// AlgorithmQuestion asks for the estimates of Algorithm 1 on Tiger after some samples.
type AlgorithmQuestion struct {
	// Accuracy is the probability from 0.6 to 0.99 that listening tells the true side.
	Accuracy float64
	// Epsilon is ε from 1 to 50, in reward units, and LipQ is L_Q from 5 to 200, in reward
	// units per unit of distance.
	Epsilon, LipQ float64
	// K is the number of neighbours, from 1 to 20.
	K int
	// Bound is the upper bound of the estimate: constant, best-case or qmdp.
	Bound cpace.Bound
	// Seed makes the random numbers.
	Seed uint64
	// Samples is how many samples have been added, from 0.
	Samples int
	// Left is the belief, as the probability that the tiger is left, and Action the action
	// whose estimate is explained.
	Left   float64
	Action int
}

// AlgorithmAnswer has what Algorithm 1 knows after some samples.
type AlgorithmAnswer struct {
	Actions []string
	// Total is the number of samples that the exploration takes, and Converged is false if
	// it would take more.
	Total     int
	Converged bool
	// Radius is ε/L_Q̃, the distance within which K samples make a query known.
	Radius float64
	// Belief are probabilities that the tiger is left, rising from 0 to 1.
	Belief []float64
	// Estimates are Q̃ over them by action, and Before what they were one sample earlier.
	Estimates, Before []Estimate
	// Value is the largest estimate at the even belief, where episodes start.
	Value float64
	// Optimal is a lower bound of the optimal value, at most OptimalWithin below it, both in
	// reward units. It is found as TigerAnswer.Optimal is.
	Optimal       []float64
	OptimalWithin float64
	// Samples are those that have been added, and Next the one that follows, or nil.
	Samples []BeliefSample
	Next    *BeliefSample
	// Explained says how the estimate at the belief and action of the question comes about.
	Explained ExplainedValue
}

// Estimate is Q̃ of one action, in reward units, and whether the query is known.
type Estimate struct {
	Q     []float64
	Known []bool
}

// BeliefSample is a sample of Algorithm 1: at belief Left an action was taken, which earned
// Reward and led to the belief Next.
type BeliefSample struct {
	Left, Next    float64
	Action        int
	Reward        float64
	Heard         string  // what was heard then: nothing, left or right
	Value         float64 // Q̃ of the sample; 0 before the value iteration after it
	Episode, Time int     // from 0
}

// ExplainedValue is a cpace.Explanation.
type ExplainedValue struct {
	Q, Upper, LipQ float64
	Known          bool
	Neighbours     []cpace.Neighbour
	Missing        int
}

const (
	algorithmBeliefs  = 100 // intervals between the beliefs of an answer
	algorithmSamples  = 200 // the page ends there
	algorithmDiscount = 0.95
	algorithmPenalty  = 100 // of envs.Tiger
)

// Algorithm runs Algorithm 1 on Tiger up to a number of samples.
func Algorithm(q AlgorithmQuestion) (*AlgorithmAnswer, error) {
	m := envs.Tiger{Accuracy: q.Accuracy, Discount: algorithmDiscount}
	spec := m.Spec()
	if err := cmp.Or(within("Accuracy", q.Accuracy, 0.6, 0.99), within("Epsilon", q.Epsilon, 1, 50), within("LipQ", q.LipQ, 5, 200),
		within("K", float64(q.K), 1, 20), within("Samples", float64(q.Samples), 0, algorithmSamples), within("Left", q.Left, 0, 1),
		within("Action", float64(q.Action), 0, float64(len(spec.Actions)-1))); err != nil {
		return nil, err
	}
	if bounds := []cpace.Bound{cpace.BoundConstant, cpace.BoundBestCase, cpace.BoundQMDP}; !slices.Contains(bounds, q.Bound) {
		return nil, bad("Bound", string(q.Bound), fmt.Sprint("one of ", bounds))
	}
	explore := func(samples int) (*runs.Run, error) {
		o := cpace.Solver{Epsilon: q.Epsilon, LipQ: q.LipQ, K: q.K, Bound: q.Bound, Seed: q.Seed, MaxSamples: samples, CertificateEpisodes: -1}
		return o.Explore(context.Background(), m, bcpace.Control{Workers: 1})
	}
	whole, err := explore(algorithmSamples)
	if err != nil {
		return nil, err
	}
	total := whole.Samples.Len()
	n := min(q.Samples, total)
	run, err := explore(max(n, 1)) // where there is no sample, its upper bound counts alone
	if err != nil {
		return nil, err
	}
	before := run
	if n > 1 {
		if before, err = explore(n - 1); err != nil {
			return nil, err
		}
	}
	a := &AlgorithmAnswer{Total: total, Converged: whole.Stop == stop.Converged, Radius: run.Radius(), Samples: []BeliefSample{},
		Actions: actionNames(spec), Belief: evenly(algorithmBeliefs), Value: math.Inf(-1)}
	for action := range spec.Actions {
		a.Estimates = append(a.Estimates, estimate(run, n, a.Belief, action))
		a.Before = append(a.Before, estimate(before, n-1, a.Belief, action))
		a.Value = max(a.Value, a.Estimates[action].Q[algorithmBeliefs/2])
	}
	for i := range n {
		a.Samples = append(a.Samples, sample(spec, run.Samples.At(i)))
	}
	if n < total {
		next := sample(spec, whole.Samples.At(n))
		next.Value = 0
		a.Next = &next
	}
	value, err := newTigerValue(tiger{m, algorithmPenalty})
	if err != nil {
		return nil, err
	}
	optimal, within := value.over(a.Belief)
	a.Optimal, a.OptimalWithin = optimal.Lower, within
	a.Explained, err = explain(run, n, q)
	return a, err
}

// estimate returns Q̃ of an action, where a run has n samples: without any, its upper bound.
func estimate(r *runs.Run, n int, beliefs []float64, action int) (e Estimate) {
	for _, left := range beliefs {
		p := place(left)
		q, known := r.Q(p.State, p.Belief, action)
		if n <= 0 {
			q, known = r.Upper(p.State, p.Belief, action), false
		}
		e.Q, e.Known = append(e.Q, q), append(e.Known, known)
	}
	return e
}

// explain says how Q̃ comes about at the belief and action of a question.
func explain(r *runs.Run, n int, q AlgorithmQuestion) (ExplainedValue, error) {
	p := place(q.Left)
	if n == 0 {
		upper := r.Upper(p.State, p.Belief, q.Action)
		return ExplainedValue{Q: upper, Upper: upper, LipQ: r.LipQ(), Neighbours: []cpace.Neighbour{}, Missing: q.K}, nil
	}
	x, err := cpace.Explain(r, p.State, p.Belief, q.Action)
	if err != nil {
		return ExplainedValue{}, err
	}
	return ExplainedValue{Q: x.Q, Upper: x.Upper, LipQ: x.LipQ, Known: x.Known, Neighbours: append([]cpace.Neighbour{}, x.Neighbours...), Missing: x.Missing}, nil
}

// sample returns a sample of Tiger as a page shows it.
func sample(spec bcpace.Spec, x runs.Sample) BeliefSample {
	heard := spec.Axes[0].Labels
	return BeliefSample{Left: x.Belief[0], Next: x.NextBelief[0], Action: x.Action, Reward: x.Reward, Value: x.Q, Episode: x.Episode, Time: x.Time,
		Heard: heard[int(x.Next[0])]}
}
