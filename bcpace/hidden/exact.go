package hidden

import (
	"errors"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

// Exact is the Bayes estimator of package bcpace, for a model that FromModel has made of one with a list of latents.
type Exact struct{}

// Begin implements Filter.
func (Exact) Begin(m *Model, s []float64, _ *rand.Rand) (Belief, error) {
	if m.Listed == nil {
		return nil, &bcpace.UnsupportedError{Model: m.Spec.Name, Algorithm: "an exact belief", Need: "Model.Listed, which FromModel sets; Grid has probabilities of one or two hidden axes"}
	}
	spec := m.Listed.Spec()
	n := len(spec.Latents)
	b := &LatentBelief{model: m, bayes: bcpace.NewBayes(m.Listed), prob: make(bcpace.Belief, n), numbers: make([]float64, n)}
	for i := range b.numbers {
		b.numbers[i] = float64(i)
	}
	if err := b.bayes.Start(b.prob, s); errors.As(err, new(*bcpace.ImpossibleObservationError)) {
		return b, &ImpossibleError{Model: m.Spec.Name, Next: slices.Clone(s), Action: "none, the start", Tried: n}
	} else if err != nil {
		return nil, err
	}
	return b, nil
}

// LatentBelief is a probability for each latent of a list, which the hidden vector numbers.
type LatentBelief struct {
	model   *Model
	bayes   *bcpace.Bayes
	prob    bcpace.Belief
	numbers []float64 // 0, 1, …
}

var _ Weighted = (*LatentBelief)(nil)

// Belief returns the probabilities of the latents, a view that holds until Update.
func (b *LatentBelief) Belief() bcpace.Belief { return b.prob }

// Len implements Weighted.
func (b *LatentBelief) Len() int { return len(b.prob) }

// At implements Weighted.
func (b *LatentBelief) At(i int) (x []float64, weight float64) {
	return b.numbers[i : i+1 : i+1], b.prob[i]
}

// Draw implements Belief.
func (b *LatentBelief) Draw(x []float64, rng *rand.Rand) { x[0] = float64(b.prob.Sample(rng)) }

// Moments implements Belief.
func (b *LatentBelief) Moments(mean, variance []float64) { moments(b, mean, variance) }

// Clone implements Belief.
func (b *LatentBelief) Clone() Belief {
	c := *b
	c.bayes, c.prob = bcpace.NewBayes(b.model.Listed), slices.Clone(b.prob)
	return &c
}

// Update implements Belief.
func (b *LatentBelief) Update(s []float64, action int, next []float64, _ *rand.Rand) error {
	err := b.bayes.Update(b.prob, b.prob, s, action, next)
	if !errors.As(err, new(*bcpace.ImpossibleObservationError)) {
		return err
	}
	if mover := solverkit.NewMover(b.model.Listed); mover != nil {
		before := slices.Clone(b.prob)
		clear(b.prob)
		for φ, p := range before {
			to, share := mover.Append(nil, nil, s, action, φ)
			for i, k := range to {
				b.prob[k] += p * share[i]
			}
		}
	}
	return &ImpossibleError{Model: b.model.Spec.Name, State: slices.Clone(s), Next: slices.Clone(next), Action: b.model.Spec.ActionName(action), Tried: len(b.prob)}
}
