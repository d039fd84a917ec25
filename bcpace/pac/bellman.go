package pac

import (
	"context"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"
)

// Residuals are Q̃ − BQ̃ at the samples of a run whose query is known, B being the
// Bellman operator with the model's own expectation. Corollary Near-optimality on Known
// Belief MDP has them from −ε to 2ε with probability 1−δ, where k is large enough.
type Residuals struct {
	// Samples is the size of the sample set, Known how many of its queries are known.
	Samples, Known int
	// Values has the residual of each known one, and At the number of its sample.
	Values []float64
	At     []int
	// Min and Max are the ends of Values, NaN where there are none.
	Min, Max float64
	// Below and Above count those less than −ε and greater than 2ε.
	Below, Above int
}

// Bellman computes the residuals of a run of Bayes-CPACE. The model must be an
// Enumerator; where it is not Finite, its successors are a quadrature and the residuals
// as good as that. The error is an *bcpace.UnsupportedError, a *bcpace.ConformanceError
// of the model, or the context's.
func Bellman(ctx context.Context, r *runs.Run) (*Residuals, error) {
	m, ok := r.Model().(bcpace.Enumerator)
	if !ok {
		return nil, &bcpace.UnsupportedError{Model: r.Spec.Name, Algorithm: "the Bellman residual", Need: "a list of successors (Enumerator)"}
	}
	if math.IsNaN(r.Radius()) {
		return nil, &bcpace.UnsupportedError{Model: r.Spec.Name, Algorithm: "the Bellman residual", Need: "a run of Bayes-CPACE, whose Q̃ it is about"}
	}
	x := &Residuals{Samples: r.Samples.Len(), Min: math.NaN(), Max: math.NaN()}
	lister := bcpace.NewLister(m)
	value := func(s []float64, b bcpace.Belief) float64 {
		v, _ := r.At(s, b)
		return v
	}
	for i := range r.Samples.Len() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c := r.Samples.At(i)
		q, known := r.Q(c.State, c.Belief, c.Action)
		if !known {
			continue
		}
		x.Known++
		if err := lister.List(c.State, c.Action); err != nil {
			return nil, err
		}
		v := q - lister.Backup(c.Belief, value)
		x.Values, x.At = append(x.Values, v), append(x.At, i)
		if x.Known == 1 {
			x.Min, x.Max = v, v
		}
		x.Min, x.Max = min(x.Min, v), max(x.Max, v)
		if v < -r.Epsilon() {
			x.Below++
		}
		if v > 2*r.Epsilon() {
			x.Above++
		}
	}
	return x, nil
}
