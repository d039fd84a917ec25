package cpace

import (
	"fmt"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/runs"
)

// Explanation says how the optimistic value estimate Q̃(s, b, a) of Algorithm 1 comes about:
// Definition Optimistic Value Estimate line by line, on the samples of a run.
//
//	Q̃(s, b, a) = (1/K) Σ_j min(LipQ·d_j + Q̃_j, Upper)
//
// over the K nearest samples of the action, and with Upper for each one that is missing.
type Explanation struct {
	Spec   bcpace.Spec
	State  []float64
	Belief bcpace.Belief
	Action int
	// Q is Q̃(s, b, a), in reward units, and Known says that the query is known: there are K
	// samples of the action within Radius (Definition Known Query), or Latent stands for it.
	Q     float64
	Known bool
	// Latent is the latent near whose one-hot belief b is, so that Q is the value of that
	// latent MDP (Known Latent Initialization) and there are no Neighbours; −1 otherwise.
	Latent int
	// K, LipQ and Radius are k, L_Q̃ = 2·L_Q and ε/L_Q̃ of the run. Upper is the bound that
	// replaces Q̃max at this query.
	K            int
	LipQ, Radius float64
	Upper        float64
	// Neighbours are the samples that count, the nearest first. Missing is K less their number.
	Neighbours []Neighbour
	Missing    int
}

// Neighbour is a sample that counts in an Explanation.
type Neighbour struct {
	Sample int // its index in Run.Samples
	// StateDistance is α·d(s, s_j), with that of the control for an action with a Box;
	// BeliefDistance is ‖b − b_j‖₁; and Distance is d_j, their sum.
	StateDistance, BeliefDistance, Distance float64
	// Value is Q̃_j of the sample, Bonus is LipQ·d_j, and Term is what it counts:
	// min(Bonus + Value, Upper), less than the sum if it is Clipped. In reward units.
	Value, Bonus, Term float64
	Clipped            bool
}

// Explain returns how r.Q(s, b, action) comes about. The error is an *InputError for a query that
// the model does not have, and for a run of a solver that brackets values: its bounds do not
// come from neighbours.
func Explain(r *runs.Run, s []float64, b bcpace.Belief, action int) (*Explanation, error) {
	v, ok := r.Values().(paperValues)
	if !ok {
		return nil, bcpace.In("Explain").Bad("the run", "one of "+r.Solver.Name(), "one of Algorithm 1, whose values are estimates from neighbours")
	}
	if err := (bcpace.StartPoint{State: s, Belief: b}).Check(r.Model()); err != nil {
		return nil, fmt.Errorf("explaining a query: %w", err)
	}
	if !r.Spec.IsAction(action) {
		return nil, bcpace.In("explaining a query").Bad("the action", action, fmt.Sprintf("the id of an action of model %s: its index or, with a Box, what Spec.ActionID returns", strconv.Quote(r.Spec.Name)))
	}
	x := &Explanation{Spec: r.Spec, State: append([]float64(nil), s...), Belief: append(bcpace.Belief(nil), b...), Action: action, Latent: -1,
		K: v.set.K, LipQ: r.LipQ(), Radius: r.Radius(), Upper: v.upper(s, b, action)}
	w := v.borrow()
	defer v.pool.Put(w)
	x.Q, x.Known = v.query(w, s, b, action)
	if l, ok := v.seeded(b); ok {
		x.Latent = l
		return x, nil
	}
	index, metric := num.BoxIndex(action), NewQueryMetric(r.Spec, r.Alpha())
	for _, n := range w.near {
		for _, id := range v.index[index].Samples(n.Site) {
			if len(x.Neighbours) < x.K {
				x.Neighbours = append(x.Neighbours, v.neighbour(x, &metric, int(id), n.Dist))
			}
		}
	}
	x.Missing = x.K - len(x.Neighbours)
	return x, nil
}

// neighbour returns a sample at a distance as it counts in x.
func (v paperValues) neighbour(x *Explanation, metric *QueryMetric, sample int, distance float64) Neighbour {
	c := v.samples.At(sample)
	n := Neighbour{Sample: sample, Distance: distance, BeliefDistance: x.Belief.L1(c.Belief), Value: c.Q, Bonus: x.LipQ * distance}
	n.StateDistance = metric.Distance(x.State, x.Belief, x.Action, c.State, x.Belief, c.Action)
	n.Term = n.Bonus + n.Value
	if n.Clipped = n.Term > x.Upper; n.Clipped {
		n.Term = x.Upper
	}
	return n
}
