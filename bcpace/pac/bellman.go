package pac

import (
	"context"
	"math"

	"bayescpace/bcpace"
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
func Bellman(ctx context.Context, r *bcpace.Run) (*Residuals, error) {
	m, ok := r.Model().(bcpace.Enumerator)
	if !ok {
		return nil, &bcpace.UnsupportedError{Model: r.Spec.Name, Algorithm: "the Bellman residual", Need: "a list of successors (Enumerator)"}
	}
	if math.IsNaN(r.Radius()) {
		return nil, &bcpace.UnsupportedError{Model: r.Spec.Name, Algorithm: "the Bellman residual", Need: "a run of Bayes-CPACE, whose Q̃ it is about"}
	}
	x := &Residuals{Samples: r.Samples.Len(), Min: math.NaN(), Max: math.NaN()}
	b := backup{run: r, lister: bcpace.NewLister(m), next: make(bcpace.Belief, len(r.Spec.Latents))}
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
		backup, err := b.at(c.State, c.Belief, c.Action)
		if err != nil {
			return nil, err
		}
		v := q - backup
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

// backup computes expected backups of a run's Q̃.
type backup struct {
	run    *bcpace.Run
	lister *bcpace.Lister
	next   bcpace.Belief
}

// at returns R(s,b,a) + γ·Σ P(s'|s,b,a)·max over a' of Q̃(s',b',a').
func (b *backup) at(s []float64, belief bcpace.Belief, action int) (float64, error) {
	if err := b.lister.List(s, action); err != nil {
		return 0, err
	}
	sum := 0.0
	for i, done := range b.lister.Successors.Done {
		to, prob, reward := b.lister.Successors.Row(i)
		p := b.lister.Update(b.next, belief, i)
		if p == 0 {
			continue
		}
		for latent, w := range belief {
			sum += w * prob[latent] * reward[latent]
		}
		if !done {
			v, _ := b.run.At(to, b.next)
			sum += b.run.Spec.Discount * p * v
		}
	}
	return sum, nil
}
