package lipschitz

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/internal/stat"
	"bayescpace/bcpace/metric"
)

const (
	// finestScale is the log2 of the shortest distance tried, in units of the
	// metric.
	finestScale = 12
	// likelihoodDoubt bounds the probability that a model with whole likelihoods
	// is refused, for each pair.
	likelihoodDoubt = 1e-12
	// caution is how many standard errors are taken off the ratio of a pair when
	// the worst is chosen: without it, the search finds luck instead of slope.
	caution = 3
	// A function that changes by more than jumpShare of the most possible within
	// jumpDistance, where states are hardly more than rounding apart, jumps there.
	jumpDistance = 1e-9
	jumpShare    = 1e-3
	// roundedBy is by which part of their size a difference of rewards, or of probabilities,
	// may be rounded: the local search would find pairs so close that nothing else is left.
	roundedBy = 1e-15
	// finalDraws is how many times Draws the witness is estimated with.
	finalDraws = 64
)

// sampler compares states by transitions drawn from them.
type sampler struct {
	m      bcpace.Model
	moves  bcpace.LatentDynamics // nil for a static latent
	spec   bcpace.Spec
	metric metric.Metric
	o      Options
	prior  bcpace.Belief
	none   bcpace.Belief // for the metric

	controls       *controlled // the model, if it has controls; nil otherwise
	only           bool        // pairs differ in their controls only
	free, fixed    []int       // axes of finite and of infinite scale
	next           [2][]float64
	moved1, moved2 []float64
	ends           bool // some episode ended
}

// place is a pair of states under an action and a latent.
type place struct {
	s1, s2         []float64
	action, latent int
}

// Kinds of slopes: of the rewards, and of the probabilities.
const (
	ofR = iota
	ofP
	kinds
)

// slope is an estimated ratio at a place.
type slope struct {
	at                           place
	difference, stderr, distance float64
}

// compared says what slopes are of, by kind.
var compared = [kinds]string{ofR: "|R1−R2|", ofP: "Σ|P1−P2|"}

// cautious is the ratio less its error, by which slopes are ranked; those at
// distance 0 rank above all others.
func (s slope) cautious() float64 {
	low := s.difference - caution*s.stderr
	switch {
	case low <= 0:
		return 0
	case s.distance == 0:
		return math.Inf(1)
	}
	return low / s.distance
}

// Sample streams: that of pairs, which walks to states, and that of draws.
const (
	streamPairs = iota
	streamDraws
)

// fromSample fills in what a sample tells.
func (c *Constants) fromSample(ctx context.Context, m bcpace.Model, o Options) error {
	spec := m.Spec()
	p := newSampler(m, o)
	var err error
	if c.R, c.P, err = p.slopes(ctx); err != nil {
		return err
	}
	t := &c.Tight
	t.Source, t.VMin, t.VMax = rewardSource, spec.VMin(), spec.VMax()
	t.LBByAction = slices.Repeat([]float64{(t.VMax - t.VMin) / 2}, len(spec.Actions))
	t.reachZero(p.ends)
	if p.controls != nil {
		q := newSampler(m, o)
		q.only, q.free, q.fixed = true, num.UpTo(len(q.spec.Axes))[len(spec.Axes):], nil
		if c.ControlR, c.ControlP, err = q.slopes(ctx); err != nil {
			return err
		}
		// Pairs that differ in the control alone are pairs of the joint constant too.
		c.R, c.P = c.R.largest(c.ControlR), c.P.largest(c.ControlP)
	}
	c.Method = fmt.Sprintf("estimated, the worst of %d sampled pairs improved by %d steps of local search for each action, %d draws from each state: no upper bound",
		o.Pairs, max(o.Refine, 0), o.Draws)
	return nil
}

// newSampler returns a sampler of a model, with the controls of boxes as axes of the state.
func newSampler(m bcpace.Model, o Options) *sampler {
	p := &sampler{m: m, spec: m.Spec(), o: o}
	if p.spec.HasBox() {
		p.controls = newControlled(m)
		p.m, p.spec = p.controls, p.controls.spec
	}
	p.metric = metric.New(p.spec, 1)
	p.prior, p.none = make(bcpace.Belief, len(p.spec.Latents)), make(bcpace.Belief, len(p.spec.Latents))
	p.moved1, p.moved2 = make([]float64, len(p.spec.Latents)), make([]float64, len(p.spec.Latents))
	for i := range p.next {
		p.next[i] = make([]float64, len(p.spec.Axes))
	}
	m.Prior(p.prior)
	if d, ok := p.m.(bcpace.LatentDynamics); ok && d.LatentKind() != bcpace.Static {
		p.moves = d
	}
	for i, a := range p.spec.Axes {
		switch {
		case math.IsInf(a.Scale, 1):
			p.fixed = append(p.fixed, i)
		case a.Max > a.Min:
			p.free = append(p.free, i)
		}
	}
	return p
}

// slopes estimates L_R and L_P.
func (p *sampler) slopes(ctx context.Context) (lr, lp Constant, err error) {
	o, spec := p.o, p.spec
	worst := make([][kinds]slope, len(spec.Actions))
	// Every pair has a stream of its own, so that pairs are independent.
	for i := range o.Pairs {
		if i%16 == 0 && ctx.Err() != nil {
			return lr, lp, ctx.Err()
		}
		rng := rand.New(rand.NewPCG(o.Seed, uint64(i)<<1+streamPairs))
		at, ok := p.draw(rng)
		if !ok {
			continue
		}
		at.action = i % len(spec.Actions)
		found, err := p.estimate(at, uint64(i), o.Draws)
		if err != nil {
			return lr, lp, err
		}
		for kind := range found {
			worst[at.action][kind].join(found[kind])
		}
	}
	for a := range spec.Actions {
		for kind, into := range []*Constant{&lr, &lp} {
			if ctx.Err() != nil {
				return lr, lp, ctx.Err()
			}
			stream := uint64(o.Pairs) + uint64(2*a+kind)*uint64(max(o.Refine, 0)+1)
			if err := p.refine(ctx, &worst[a][kind], kind, stream); err != nil {
				return lr, lp, err
			}
			found, err := p.final(worst[a][kind], kind, stream)
			if err != nil {
				return lr, lp, err
			}
			into.join(found)
		}
	}
	if p.controls != nil {
		lr, lp = p.controls.constant(lr), p.controls.constant(lp)
	}
	return lr, lp, nil
}

// walk takes up to Steps random actions and returns a state from which the
// episode continues, and the latent.
func (p *sampler) walk(rng *rand.Rand) (s []float64, latent int) {
	latent = p.prior.Sample(rng)
	s, next := make([]float64, len(p.spec.Axes)), make([]float64, len(p.spec.Axes))
	p.m.Start(s, latent, rng)
	for range rng.IntN(p.o.Steps + 1) {
		action := rng.IntN(len(p.spec.Actions))
		if p.m.Step(next, s, latent, action, rng).Done {
			p.ends = true
			break
		}
		if p.moves != nil && p.moves.LatentTransition(p.moved1, s, action, latent) {
			latent = bcpace.Belief(p.moved1).Sample(rng)
		}
		s, next = next, s
	}
	return s, latent
}

// draw returns a pair of different states, or false where it came upon none.
func (p *sampler) draw(rng *rand.Rand) (place, bool) {
	s, latent := p.walk(rng)
	at := place{s1: s, s2: slices.Clone(s), latent: latent}
	kind := rng.IntN(8)
	switch {
	case kind == 0 && len(p.free) > 0 && !p.only:
		at.s2, _ = p.walk(rng)
		for _, i := range p.fixed { // what does not count must not differ
			at.s2[i] = at.s1[i]
		}
	case len(p.fixed) > 0 && (kind == 1 || len(p.free) == 0):
		other, _ := p.walk(rng)
		for _, i := range p.fixed {
			at.s2[i] = other[i]
		}
	case len(p.free) > 0:
		p.shift(at.s2, math.Exp2(-finestScale*rng.Float64()), rng)
	}
	return at, !slices.Equal(at.s1, at.s2)
}

// shift moves s by a distance of about length, on one axis or on all.
func (p *sampler) shift(s []float64, length float64, rng *rand.Rand) {
	if rng.IntN(2) == 0 {
		p.nudge(s, p.free[rng.IntN(len(p.free))], length, rng)
	} else {
		for _, i := range p.free {
			p.nudge(s, i, length*rng.Float64(), rng)
		}
	}
	p.snap(s)
}

// snap moves the controls of a state, if it has any, to the places that ids stand for.
func (p *sampler) snap(s []float64) {
	if p.controls != nil {
		p.controls.snap(s)
	}
}

// nudge moves s up or down on one axis by length units of the metric, a whole
// number of at least 1 on a discrete axis.
func (p *sampler) nudge(s []float64, axis int, length float64, rng *rand.Rand) {
	a := p.spec.Axes[axis]
	step := length
	if a.Scale > 0 {
		step *= a.Scale
	}
	if a.Discrete {
		step = max(1, math.Round(step))
	}
	if rng.IntN(2) == 0 {
		step = -step
	}
	if a.Period > 0 {
		s[axis] = a.Wrap(s[axis] + step)
		return
	}
	s[axis] = min(max(s[axis]+step, a.Min), a.Max)
}

// join takes other where it is steeper.
func (s *slope) join(other slope) {
	if other.cautious() > s.cautious() {
		*s = other
	}
}

// estimate returns the slopes at a place, by kind.
func (p *sampler) estimate(at place, stream uint64, draws int) (found [kinds]slope, err error) {
	p.move(p.moved1, at.s1, at)
	p.move(p.moved2, at.s2, at)
	var reward, apart, balance stat.Moments
	seeds := rand.New(rand.NewPCG(p.o.Seed, stream<<1+streamDraws))
	var source rand.PCG
	rng := rand.New(&source)
	for range draws {
		a, b := seeds.Uint64(), seeds.Uint64()
		source.Seed(a, b)
		o1 := p.m.Step(p.next[0], at.s1, at.latent, at.action, rng)
		source.Seed(a, b)
		o2 := p.m.Step(p.next[1], at.s2, at.latent, at.action, rng)
		reward.Add(o1.Reward - o2.Reward)
		// The shares of p1 in p1+p2 at a draw from P1 and at one from P2.
		x, ok1 := p.share(at, p.next[0])
		y, ok2 := p.share(at, p.next[1])
		if !ok1 || !ok2 {
			return found, p.spec.Fault(at.s1, at.action, at.latent, "LogLikelihood is -Inf or no number at a state that Step has drawn")
		}
		apart.Add(p.gap(x) + p.gap(y))
		// E over P1 of p2/(p1+p2) and E over P2 of p1/(p1+p2) are the same
		// integral, unless the likelihoods are not those of Step.
		balance.Add(1 - x - y)
	}
	// Hoeffding for means of terms in [−1, 1].
	if math.Abs(balance.Mean) > math.Sqrt(2*math.Log(2/likelihoodDoubt)/float64(draws)) {
		return found, &bcpace.UnsupportedError{Model: p.spec.Name, Algorithm: "estimating L_P from likelihoods",
			Need: fmt.Sprintf("a LogLikelihood that leaves out no term which depends on the state: at states %v and %v, action %q, "+
				"the likelihoods do not agree with the transitions drawn", at.s1, at.s2, p.spec.ActionName(at.action))}
	}
	largest := max(math.Abs(p.spec.RewardMin), math.Abs(p.spec.RewardMax))
	distance := p.metric.Distance(at.s1, p.none, at.s2, p.none)
	return [kinds]slope{ofR: {at, math.Abs(reward.Mean), max(stderr(reward), roundedBy*largest), distance},
		ofP: {at, apart.Mean, max(stderr(apart), roundedBy), distance}}, nil
}

// move fills moved with how likely each latent follows that of a place at s, one of its states.
func (p *sampler) move(moved, s []float64, at place) {
	if p.moves == nil || !p.moves.LatentTransition(moved, s, at.action, at.latent) {
		clear(moved)
		moved[at.latent] = 1
	}
}

// share returns p1/(p1+p2) at next, where p1 and p2 are its likelihoods from the
// two states of a place, and false where both are 0 or one is not a number.
func (p *sampler) share(at place, next []float64) (float64, bool) {
	l1 := p.m.LogLikelihood(at.s1, at.action, next, at.latent)
	l2 := p.m.LogLikelihood(at.s2, at.action, next, at.latent)
	switch {
	case math.IsNaN(l1) || math.IsNaN(l2) || math.IsInf(l1, -1) && math.IsInf(l2, -1):
		return 0, false
	case math.IsInf(l2, -1):
		return 1, true
	case math.IsInf(l1, -1):
		return 0, true
	}
	return 1 / (1 + math.Exp(l2-l1)), true
}

// gap returns Σ_φ' |p1(s')·P1(φ') − p2(s')·P2(φ')| / (p1(s')+p2(s')), where x is the
// share of p1(s').
func (p *sampler) gap(x float64) float64 {
	g := 0.0
	for i, q := range p.moved1 {
		g += math.Abs(x*q - (1-x)*p.moved2[i])
	}
	return g
}

// refine improves a slope by random steps, which get smaller: the pair is moved
// as a whole, made longer or shorter and turned, or halved. Where a function is
// continuous, one half of a pair is at least as steep as the whole.
func (p *sampler) refine(ctx context.Context, worst *slope, kind int, stream uint64) error {
	if worst.cautious() == 0 || len(p.free) == 0 || math.IsInf(worst.cautious(), 1) {
		return nil // nothing to climb, or nowhere to climb to
	}
	for i := range p.o.Refine {
		if i%16 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		rng := rand.New(rand.NewPCG(p.o.Seed, (stream+uint64(i))<<1+streamPairs))
		at := place{s1: slices.Clone(worst.at.s1), s2: slices.Clone(worst.at.s2), action: worst.at.action, latent: worst.at.latent}
		if rng.IntN(4) == 0 {
			at.latent = rng.IntN(len(p.spec.Latents))
		}
		switch rng.IntN(3) {
		case 0:
			p.halve(at, rng)
		case 1:
			p.shift(at.s1, math.Exp2(-finestScale*rng.Float64()), rng)
			fallthrough
		default:
			copy(at.s2, at.s1)
			p.shift(at.s2, worst.distance*math.Exp2(2*rng.Float64()-1), rng)
		}
		if slices.Equal(at.s1, at.s2) {
			continue
		}
		found, err := p.estimate(at, stream+uint64(i), p.o.Draws)
		if err != nil {
			return err
		}
		worst.join(found[kind])
	}
	return nil
}

// halve moves one end of a pair to its middle, rounded towards the other end on
// a discrete axis.
func (p *sampler) halve(at place, rng *rand.Rand) {
	from, to := at.s1, at.s2
	if rng.IntN(2) == 0 {
		from, to = to, from
	}
	for _, i := range p.free {
		half := (to[i] - from[i]) / 2
		if p.spec.Axes[i].Discrete {
			half = math.Trunc(half)
		}
		to[i] = from[i] + half
	}
	p.snap(to)
}

// final estimates the slope at the witness anew and makes a Constant of it.
func (p *sampler) final(worst slope, kind int, stream uint64) (Constant, error) {
	if worst.cautious() == 0 {
		return Constant{}, nil
	}
	// The stream of the last step and one more, which no other action uses.
	found, err := p.estimate(worst.at, stream+uint64(max(p.o.Refine, 0)), finalDraws*p.o.Draws)
	if err != nil {
		return Constant{}, err
	}
	r, most := found[kind], [kinds]float64{p.spec.RewardMax - p.spec.RewardMin, 2} // the largest difference that there can be
	c := Constant{Value: r.difference / r.distance, StdErr: r.stderr / r.distance, Worst: Witness{What: compared[kind],
		S1: r.at.s1, S2: r.at.s2, Action: r.at.action, Latent: r.at.latent, Distance: r.distance, Difference: r.difference}}
	if r.distance == 0 || r.distance < jumpDistance && r.difference > jumpShare*most[kind] {
		c.Value, c.StdErr = math.Inf(1), 0
	}
	c.Worst.Ratio = c.Value
	return c, nil
}

// stderr returns the standard error of a mean.
func stderr(m stat.Moments) float64 { return math.Sqrt(m.Variance() / float64(m.N)) }

// controlled is a model whose states have the controls of all boxes behind them and whose
// actions have none, so that its constants in the state are those of the inner one in state
// and control. The controls after a step are drawn anew, whatever they were before it.
type controlled struct {
	inner           bcpace.Model
	spec, innerSpec bcpace.Spec
	first           []int // by action: the axis of its first control
}

func newControlled(m bcpace.Model) *controlled {
	c := &controlled{inner: m, spec: m.Spec(), innerSpec: m.Spec()}
	c.spec.Axes, c.spec.Actions = slices.Clone(c.spec.Axes), nil
	for _, a := range c.innerSpec.Actions {
		c.first = append(c.first, len(c.spec.Axes))
		c.spec.Axes = append(c.spec.Axes, a.Box...)
		c.spec.Actions = append(c.spec.Actions, bcpace.Action{Name: a.Name})
	}
	return c
}

// state returns the inner part of a state, a view.
func (c *controlled) state(s []float64) []float64 { return s[:len(c.innerSpec.Axes)] }

// id returns the inner action of an action at a state. Controls are always within their boxes.
func (c *controlled) id(s []float64, action int) int {
	at := c.first[action]
	id, err := c.innerSpec.ActionID(action, s[at:at+len(c.innerSpec.Actions[action].Box)])
	if err != nil {
		panic(err) // the sampler reports it as a fault of the model
	}
	return id
}

// snap moves the controls of a state to the places that ids stand for.
func (c *controlled) snap(s []float64) {
	for a, x := range c.innerSpec.Actions {
		c.innerSpec.Control(s[c.first[a]:c.first[a]+len(x.Box)], c.id(s, a))
	}
}

// draw draws the controls of a state.
func (c *controlled) draw(s []float64, rng *rand.Rand) {
	for i, x := range c.spec.Axes[len(c.innerSpec.Axes):] {
		s[len(c.innerSpec.Axes)+i] = x.Wrap(x.Min + rng.Float64()*(x.Max-x.Min))
	}
	c.snap(s)
}

// Spec implements bcpace.Model.
func (c *controlled) Spec() bcpace.Spec { return c.spec }

// Prior implements bcpace.Model.
func (c *controlled) Prior(b bcpace.Belief) { c.inner.Prior(b) }

// Start implements bcpace.Model.
func (c *controlled) Start(s []float64, latent int, rng *rand.Rand) {
	c.inner.Start(c.state(s), latent, rng)
	c.draw(s, rng)
}

// Step implements bcpace.Model.
func (c *controlled) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	o := c.inner.Step(c.state(next), c.state(s), latent, c.id(s, action), rng)
	c.draw(next, rng)
	return o
}

// LogLikelihood implements bcpace.Model, up to the density of the next controls.
func (c *controlled) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	return c.inner.LogLikelihood(c.state(s), c.id(s, action), c.state(next), latent)
}

// LatentKind implements bcpace.LatentDynamics.
func (c *controlled) LatentKind() bcpace.LatentKind { return bcpace.KindOf(c.inner) }

// LatentTransition implements bcpace.LatentDynamics.
func (c *controlled) LatentTransition(p []float64, s []float64, action, latent int) bool {
	d, ok := c.inner.(bcpace.LatentDynamics)
	return ok && d.LatentTransition(p, c.state(s), c.id(s, action), latent)
}

// witness returns a witness of the model with controls as one of the inner model.
func (c *controlled) witness(w Witness) Witness {
	if w.What == "" {
		return w
	}
	first, second := c.id(w.S1, w.Action), c.id(w.S2, w.Action)
	if w.Action = first; first != second {
		_, w.U2 = c.innerSpec.Control(nil, second)
	}
	w.S1, w.S2 = c.state(w.S1), c.state(w.S2)
	if slices.Equal(w.S1, w.S2) {
		w.S2 = nil
	}
	return w
}

// constant returns a constant with such witnesses.
func (c *controlled) constant(x Constant) Constant {
	x.Worst = c.witness(x.Worst)
	for a := range x.ByAction {
		x.ByAction[a].Worst = c.witness(x.ByAction[a].Worst)
	}
	return x
}
