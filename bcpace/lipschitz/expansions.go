package lipschitz

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
)

// ExpansionOptions of Expansions. Every zero value is useful.
type ExpansionOptions struct {
	// Pairs is the number of updates of a pair. 0 means 2,000.
	Pairs int
	Seed  uint64
}

// Updates are pairs of beliefs before and after the same update: how Assumption 3.2 of the
// paper fares where nobody looks for the worst.
type Updates struct {
	Model string
	// Before and After are the L1 distances of each pair.
	Before, After []float64
	// Expanding counts the pairs that the update drove apart, by more than rounding.
	Expanding int
	// Worst is the pair of the largest ratio: a lower estimate, as in Contraction.
	Worst Witness
}

// Expansions updates random pairs of beliefs, whose distances spread evenly in their
// logarithm from 0.02 on, each after a transition that random actions lead to. A
// transition that one of the beliefs rules out makes no pair. The error is an
// *bcpace.InputError for a model or options that cannot be used, or the context's.
func Expansions(ctx context.Context, m bcpace.Model, o ExpansionOptions) (*Updates, error) {
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	spec := m.Spec()
	n := len(spec.Latents)
	if o.Pairs < 0 {
		return nil, bcpace.In("updates").Bad("Pairs", o.Pairs, "a number of pairs, or 0 for 2000")
	}
	o.Pairs = cmp.Or(o.Pairs, 2000)
	search, err := ContractionOptions{Seed: o.Seed}.resolve(n)
	if err != nil {
		return nil, err
	}
	x := &Updates{Model: spec.Name}
	if n == 1 {
		return x, nil
	}
	c := contraction{m: m, o: search, n: n}
	tau := bcpace.NewBayes(m)
	b1, b2 := make(bcpace.Belief, n), make(bcpace.Belief, n)
	after1, after2 := make(bcpace.Belief, n), make(bcpace.Belief, n)
	prior := make(bcpace.Belief, n)
	m.Prior(prior)
	walk := sampler{m: m, spec: spec, prior: prior, moved1: make([]float64, n), o: Options{Steps: min(defaultSteps, max(spec.Horizon-1, 0))}}
	if spec.Horizon == 0 {
		walk.o.Steps = defaultSteps
	}
	if d, ok := m.(bcpace.LatentDynamics); ok && d.LatentKind() != bcpace.Static {
		walk.moves = d
	}
	next := make([]float64, len(spec.Axes))
	for i := range o.Pairs {
		if i%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		rng := rand.New(rand.NewPCG(o.Seed, uint64(i)))
		s, latent := walk.walk(rng)
		action := spec.DrawAction(rng)
		m.Step(next, s, latent, action, rng)
		c.random(b1, b2, rng)
		before := b1.L1(b2)
		if before < search.MinDistance*(1-1e-9) { // drawn too close
			continue
		}
		if tau.Update(after1, b1, s, action, next) != nil || tau.Update(after2, b2, s, action, next) != nil {
			continue // a transition that one of the beliefs rules out
		}
		after := after1.L1(after2)
		x.Before, x.After = append(x.Before, before), append(x.After, after)
		if after > before*(1+1e-9) {
			x.Expanding++
		}
		if ratio := after / before; ratio > x.Worst.Ratio && !math.IsInf(ratio, 0) {
			if x.Worst, err = Expansion(m, s, action, next, b1, b2); err != nil {
				return nil, err
			}
		}
	}
	return x, nil
}
