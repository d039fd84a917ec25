package lipschitz

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
)

// ContractionOptions of Contraction. Every zero value is useful.
type ContractionOptions struct {
	// MinProb is the least probability of a latent in the beliefs searched, at
	// most 1/latents. If it is 0, 0.01 is used, or half of 1/latents where that is
	// less; if it is negative, latents may have none.
	MinProb float64
	// MinDistance is the least ‖b1−b2‖₁ of a pair, in (0, 2). If it is 0, 0.02 is
	// used.
	MinDistance float64
	// Random is the number of random pairs of beliefs tried at each transition,
	// and Refine the number of steps of the local search from the worst pair
	// found there. If they are 0, 50 and 200 are used; negative ones mean none.
	Random, Refine int
	// MaxStates is the most states of a Finite model whose transitions are all
	// tried; of any other model, Transitions are drawn by random actions. If they
	// are 0, 4,000 and 500 are used.
	MaxStates, Transitions int
	// Seed makes the search: the same seed finds the same witness.
	Seed uint64
}

// Contraction looks for the pair of beliefs whose distance grows most in one and
// the same update, a witness against Assumption 3.2 of the paper wherever its Ratio
// is above 1:
//
//	‖τ(s,b1,a,s') − τ(s,b2,a,s')‖₁ ≤ ‖b1 − b2‖₁.
//
// The assumption fails wherever two latents give an outcome different
// probabilities: for p(φ) = P(s'|s,φ,a) of two latents, the update of b = (x, 1−x)
// has the slope p(0)p(1)/(x·p(0) + (1−x)·p(1))², which is max p/min p at the vertex
// of the less likely one. In general ‖b1'−b2'‖₁ ≤ (max p / max(p·b1, p·b2))·‖b1−b2‖₁:
// take what b1 and b2 have in common; after the update, with the larger
// p·b in the denominator, it is still common to both, and all that is left has at
// most max p/max(p·b1, p·b2) times the mass that was left before. So no ratio
// exceeds max p/min p, and it is close to that where beliefs may come close to a
// vertex and to each other, which MinProb and MinDistance keep readable.
//
// At each transition it tries pairs that lie between two vertices, in the corners
// of what is allowed, and random ones, and improves the worst of them by moving
// probability between two latents. The witness is a lower estimate of the largest
// ratio: all of its numbers are exact, and there may be a worse pair. A Witness
// of ratio 0 and no beliefs comes from a model with one latent or where every
// update gives the same belief.
//
// The error is an *bcpace.InputError for a model or options that cannot be used,
// or the context's.
func Contraction(ctx context.Context, m bcpace.Model, o ContractionOptions) (Witness, error) {
	if err := bcpace.Validate(m); err != nil {
		return Witness{}, err
	}
	n := len(m.Spec().Latents)
	o, err := o.resolve(n)
	if err != nil || n == 1 {
		return Witness{}, err
	}
	c := &contraction{m: m, o: o, n: n, tried: make(map[string]bool), like: make([]float64, n)}
	if d, ok := m.(bcpace.LatentDynamics); ok && d.LatentKind() != bcpace.Static {
		c.dynamics, c.move, c.unmoved = d, make([]float64, n*n), make(bcpace.Belief, n)
	}
	for i := range c.after {
		c.after[i] = make(bcpace.Belief, n)
	}
	if f, ok := bcpace.AsFinite(m); ok && f.NumStates() <= o.MaxStates {
		err = c.all(ctx, f)
	} else {
		err = c.sample(ctx)
	}
	if err != nil || c.worst.Ratio == 0 {
		return Witness{}, err
	}
	w := c.worst
	return Expansion(m, w.S1, w.Action, w.Next, w.B1, w.B2)
}

// Expansion updates two beliefs by the model's Bayes estimator after the same
// transition and returns by how much their L1 distance has grown. The error is an
// *bcpace.InputError for something that is not a belief, or for two that are
// equal, or an *bcpace.ImpossibleObservationError.
func Expansion(m bcpace.Model, s []float64, action int, next []float64, b1, b2 bcpace.Belief) (Witness, error) {
	if err := bcpace.Validate(m); err != nil {
		return Witness{}, err
	}
	w := Witness{What: "‖b1'−b2'‖₁", S1: slices.Clone(s), Action: action, Latent: -1, Next: slices.Clone(next),
		B1: slices.Clone(b1), B2: slices.Clone(b2), After1: make(bcpace.Belief, len(b1)), After2: make(bcpace.Belief, len(b2))}
	spec := m.Spec()
	for _, b := range []bcpace.Belief{b1, b2} {
		if err := b.Validate(); err != nil {
			return Witness{}, err
		}
		if len(b) != len(spec.Latents) {
			return Witness{}, bcpace.In("belief").Bad("its length", len(b), fmt.Sprintf("%d, one for each latent", len(spec.Latents)))
		}
	}
	if len(s) != len(spec.Axes) || len(next) != len(spec.Axes) || !spec.IsAction(action) {
		return Witness{}, bcpace.In("transition").Bad("s, a, s'", fmt.Sprintf("%v, %d, %v", s, action, next), "states and an action of model "+spec.Name)
	}
	if w.Distance = b1.L1(b2); w.Distance == 0 {
		return Witness{}, bcpace.In("beliefs").Bad("‖b1−b2‖₁", "0", "two that differ")
	}
	tau := bcpace.NewBayes(m)
	if err := cmp.Or(tau.Update(w.After1, b1, s, action, next), tau.Update(w.After2, b2, s, action, next)); err != nil {
		return Witness{}, err
	}
	w.Difference = w.After1.L1(w.After2)
	w.Ratio = w.Difference / w.Distance
	return w, nil
}

func (o ContractionOptions) resolve(latents int) (ContractionOptions, error) {
	need := bcpace.In("contraction options").Need
	o.MinProb = cmp.Or(o.MinProb, min(0.01, 0.5/float64(latents)))
	o.MinDistance = cmp.Or(o.MinDistance, 0.02)
	o.MinProb = max(o.MinProb, 0)
	// What is left above the least probabilities is shared out freely.
	free := 1 - float64(latents)*o.MinProb
	if err := cmp.Or(
		need(free >= 0, "MinProb", o.MinProb, fmt.Sprintf("at most 1/%d", latents)),
		need(o.MinDistance > 0 && (latents <= 1 || o.MinDistance <= 2*free), "MinDistance", o.MinDistance, fmt.Sprintf("a positive number of at most %.4g, the largest distance of two beliefs with every latent at MinProb or above", 2*free)),
		need(o.MaxStates >= 0 && o.Transitions >= 0, "MaxStates, Transitions", fmt.Sprintf("%d, %d", o.MaxStates, o.Transitions), "positive numbers, or 0 for the defaults")); err != nil {
		return o, err
	}
	o.Random = cmp.Or(o.Random, 50)
	o.Refine = cmp.Or(o.Refine, 200)
	o.MaxStates = cmp.Or(o.MaxStates, defaultMaxStates)
	o.Transitions = cmp.Or(o.Transitions, 500)
	return o, nil
}

// contraction is a search under way.
type contraction struct {
	m        bcpace.Model
	dynamics bcpace.LatentDynamics // nil for a static latent
	o        ContractionOptions
	n        int
	worst    Witness
	tried    map[string]bool // likelihoods and moves already searched

	like    []float64        // likelihoods of the transition, the largest 1
	move    []float64        // n × n: P(φ'|φ,s,a); nil for a static latent
	unmoved bcpace.Belief    // scratch of update, for a latent that moves
	after   [2]bcpace.Belief // scratch of expansion
}

// all searches every transition of a finite model from where an episode can be.
func (c *contraction) all(ctx context.Context, f bcpace.Finite) error {
	d, err := findLive(ctx, f)
	if err != nil {
		return err
	}
	axes := len(f.Spec().Axes)
	s, next := make([]float64, axes), make([]float64, axes)
	for _, number := range d.live {
		f.StateAt(s, number)
		for a := range d.all.Actions {
			for e, end := d.all.Entries(number*d.all.Actions + a); e < end; e++ {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				d.all.NextAt(next, e)
				c.transition(s, a, next)
			}
		}
	}
	return nil
}

// sample searches transitions of random rollouts.
func (c *contraction) sample(ctx context.Context) error {
	spec := c.m.Spec()
	limit := cmp.Or(spec.Horizon, defaultSteps)
	prior, moved := make(bcpace.Belief, c.n), make(bcpace.Belief, c.n)
	c.m.Prior(prior)
	s, next := make([]float64, len(spec.Axes)), make([]float64, len(spec.Axes))
	left := c.o.Transitions
	for episode := uint64(0); left > 0; episode++ {
		rng := rand.New(rand.NewPCG(c.o.Seed, episode<<1+streamPairs))
		latent := prior.Sample(rng)
		c.m.Start(s, latent, rng)
		for step := 0; step < limit && left > 0; step++ {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			a := spec.DrawAction(rng)
			out := c.m.Step(next, s, latent, a, rng)
			c.transition(s, a, next)
			left--
			if out.Done {
				break
			}
			if c.dynamics != nil && c.dynamics.LatentTransition(moved, s, a, latent) {
				latent = moved.Sample(rng)
			}
			s, next = next, s
		}
	}
	return nil
}

// transition searches pairs of beliefs before (s, a, s'), unless one with the same
// likelihoods has been searched.
func (c *contraction) transition(s []float64, action int, next []float64) {
	for i := range c.like {
		c.like[i] = c.m.LogLikelihood(s, action, next, i)
	}
	top := slices.Max(c.like)
	if math.IsInf(top, 0) || math.IsNaN(top) {
		return
	}
	for i, l := range c.like {
		c.like[i] = math.Exp(l - top)
	}
	clear(c.move)
	for i := range len(c.move) / c.n {
		row := c.move[i*c.n : (i+1)*c.n]
		if !c.dynamics.LatentTransition(row, s, action, i) {
			row[i] = 1
		}
	}
	key := fmt.Sprintf("%.12g %.12g", c.like, c.move)
	if c.tried[key] {
		return
	}
	rng := rand.New(rand.NewPCG(c.o.Seed, uint64(len(c.tried))<<1+streamDraws))
	c.tried[key] = true

	var worst pair
	try := func(b1, b2 bcpace.Belief) {
		if r := c.expansion(b1, b2); r > worst.ratio {
			worst = pair{slices.Clone(b1), slices.Clone(b2), r}
		}
	}
	b1, b2 := make(bcpace.Belief, c.n), make(bcpace.Belief, c.n)
	c.edges(b1, b2, try)
	for range c.o.Random {
		c.random(b1, b2, rng)
		try(b1, b2)
	}
	c.refine(&worst, rng)
	if worst.ratio > c.worst.Ratio {
		c.worst = Witness{S1: slices.Clone(s), Action: action, Next: slices.Clone(next), B1: worst.b1, B2: worst.b2, Ratio: worst.ratio}
	}
}

// pair is two beliefs and the ratio of their distances.
type pair struct {
	b1, b2 bcpace.Belief
	ratio  float64
}

// expansion returns ‖b1'−b2'‖₁/‖b1−b2‖₁, or 0 where the observation is impossible.
func (c *contraction) expansion(b1, b2 bcpace.Belief) float64 {
	d := b1.L1(b2)
	if d < c.o.MinDistance*(1-1e-9) || !c.update(c.after[0], b1) || !c.update(c.after[1], b2) {
		return 0
	}
	return c.after[0].L1(c.after[1]) / d
}

func (c *contraction) update(next, b bcpace.Belief) bool {
	if c.move == nil {
		return b.Posterior(next, c.like) != 0
	}
	if b.Posterior(c.unmoved, c.like) == 0 {
		return false
	}
	clear(next)
	for i, w := range c.unmoved {
		if w > 0 {
			for j, t := range c.move[i*c.n : (i+1)*c.n] {
				next[j] += w * t
			}
		}
	}
	return true
}

// edges tries pairs in the corners: all that is free on one latent, against
// MinDistance of it moved to another.
func (c *contraction) edges(b1, b2 bcpace.Belief, try func(b1, b2 bcpace.Belief)) {
	for from := range c.n {
		for to := range c.n {
			if from == to {
				continue
			}
			for i := range b1 {
				b1[i] = c.o.MinProb
			}
			b1[from] = 1 - float64(c.n-1)*c.o.MinProb
			copy(b2, b1)
			b2[from] -= c.o.MinDistance / 2
			b2[to] += c.o.MinDistance / 2
			try(b1, b2)
		}
	}
}

// random draws a pair at a random distance.
func (c *contraction) random(b1, b2 bcpace.Belief, rng *rand.Rand) {
	c.interior(b1, rng)
	c.interior(b2, rng)
	d := b1.L1(b2)
	if d <= c.o.MinDistance {
		return
	}
	// Distances spread evenly in their logarithm.
	share := math.Exp(math.Log(c.o.MinDistance/d) * rng.Float64())
	for i := range b2 {
		b2[i] = b1[i] + share*(b2[i]-b1[i])
	}
}

func (c *contraction) interior(b bcpace.Belief, rng *rand.Rand) {
	b.SampleSimplex(rng)
	for i := range b {
		b[i] = c.o.MinProb + (1-float64(c.n)*c.o.MinProb)*b[i]
	}
}

// refine moves probability between two latents, in either belief or in both, and
// keeps what makes the pair worse.
func (c *contraction) refine(worst *pair, rng *rand.Rand) {
	if worst.ratio == 0 {
		return
	}
	for range c.o.Refine {
		b1, b2 := slices.Clone(worst.b1), slices.Clone(worst.b2)
		i, j := rng.IntN(c.n), rng.IntN(c.n)
		amount := math.Exp2(-finestScale * rng.Float64())
		which := rng.IntN(3)
		if which != 1 {
			c.shift(b1, i, j, amount)
		}
		if which != 0 {
			c.shift(b2, i, j, amount)
		}
		if r := c.expansion(b1, b2); r > worst.ratio {
			*worst = pair{b1, b2, r}
		}
	}
}

// shift moves up to amount from latent i to j.
func (c *contraction) shift(b bcpace.Belief, i, j int, amount float64) {
	amount = min(amount, b[i]-c.o.MinProb)
	if amount > 0 && i != j {
		b[i] -= amount
		b[j] += amount
	}
}

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
	walk := newSampler(m, Options{Steps: min(defaultSteps, cmp.Or(spec.Horizon, defaultSteps+1)-1)})
	next := make([]float64, len(spec.Axes))
	for i := range o.Pairs {
		if i%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		rng := rand.New(rand.NewPCG(o.Seed, uint64(i)))
		s, latent := walk.walk(rng)
		s = s[:len(spec.Axes)] // without controls
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
