package tabular

import (
	"context"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/mdp"
)

// LatentPosterior is a Posterior over the latent MDPs of a finite model: a belief. Where the latent
// moves, the belief follows it, and means and drawn MDPs are those of a latent that stays as it
// is.
type LatentPosterior struct {
	*dp.Transitions
	spec    bcpace.Spec
	prior   bcpace.Belief
	belief  bcpace.Belief
	past    []float64 // the beliefs before each observation
	visits  []float64 // by row
	log     []int32   // rows of the observations
	scratch []float64

	mean   []float64 // P(s'|s,b,a) by entry
	reward []float64 // R(s,b,a) by row
	fresh  bool      // mean and reward are those of the belief
}

// NewLatents returns what an agent knows of m at first. The error is that of
// dp.ListTransitions.
func NewLatents(ctx context.Context, m bcpace.Finite) (*LatentPosterior, error) {
	t, err := dp.ListTransitions(ctx, m)
	if err != nil {
		return nil, err
	}
	x := &LatentPosterior{Transitions: t, spec: m.Spec(), prior: make(bcpace.Belief, t.Latents)}
	m.Prior(x.prior)
	return x.fork(x.prior), nil
}

func (x *LatentPosterior) fork(b bcpace.Belief) *LatentPosterior {
	rows := x.Transitions.States * x.Transitions.Actions
	_, entries := x.Entries(rows - 1)
	return &LatentPosterior{Transitions: x.Transitions, spec: x.spec, prior: x.prior, belief: append(bcpace.Belief(nil), b...),
		visits: make([]float64, rows), scratch: make([]float64, len(b)), mean: make([]float64, entries), reward: make([]float64, rows)}
}

// SetBelief makes b the belief, whatever was observed. The counts stay.
func (x *LatentPosterior) SetBelief(b bcpace.Belief) {
	x.fresh = x.fresh && slices.Equal(x.belief, b)
	copy(x.belief, b)
}

// visit counts a step whose consequences are in the belief.
func (x *LatentPosterior) visit(s, action int) { x.visits[s*x.Transitions.Actions+action]++ }

// forget sets the counts to 0.
func (x *LatentPosterior) forget() { clear(x.visits) }

// States implements Posterior.
func (x *LatentPosterior) States() int { return x.Transitions.States }

// Actions implements Posterior.
func (x *LatentPosterior) Actions() int { return x.Transitions.Actions }

// Discount implements Posterior.
func (x *LatentPosterior) Discount() float64 { return x.Transitions.Discount }

// Count implements Posterior. The prior counts as one observation.
func (x *LatentPosterior) Count(s, action int) float64 {
	return 1 + x.visits[s*x.Transitions.Actions+action]
}

// Tried implements Posterior.
func (x *LatentPosterior) Tried(s, action int) bool {
	return x.visits[s*x.Transitions.Actions+action] > 0
}

// Reward implements Posterior: the mean over the latents and what follows.
func (x *LatentPosterior) Reward(s, action, _ int) float64 {
	return x.Expected(s*x.Transitions.Actions+action, x.belief)
}

// refresh brings the means up to date.
func (x *LatentPosterior) refresh() {
	if x.fresh {
		return
	}
	for e := range x.mean {
		x.mean[e] = x.belief.Dot(x.Prob(e))
	}
	for r := range x.reward {
		x.reward[r] = x.Expected(r, x.belief)
	}
	x.fresh = true
}

// Backup implements Posterior.
func (x *LatentPosterior) Backup(s, action int, v []float64, _ float64) float64 {
	x.refresh()
	r := s*x.Transitions.Actions + action
	q := x.reward[r]
	from, to := x.Entries(r)
	for e := from; e < to; e++ {
		if next, done := x.Next(e); !done {
			q += x.Transitions.Discount * x.mean[e] * v[next]
		}
	}
	return q
}

// Moments implements Posterior.
func (x *LatentPosterior) Moments(s, action int, list []Moment) []Moment {
	from, to := x.Entries(s*x.Transitions.Actions + action)
	for e := from; e < to; e++ {
		next, _ := x.Next(e)
		mean, square := 0.0, 0.0
		for φ, p := range x.Prob(e) {
			mean += x.belief[φ] * p
			square += x.belief[φ] * p * p
		}
		list = append(list, Moment{next, mean, max(0, square-mean*mean)})
	}
	return list
}

// Predict implements Posterior.
func (x *LatentPosterior) Predict(s, action int, rng *rand.Rand) (next int, done bool) {
	from, to := x.Entries(s*x.Transitions.Actions + action)
	u := rng.Float64()
	for e := from; e < to; e++ {
		if p := x.belief.Dot(x.Prob(e)); p > 0 {
			next, done = x.Next(e)
			if u -= p; u < 0 {
				break
			}
		}
	}
	return next, done
}

// Draw implements Posterior.
func (x *LatentPosterior) Draw(p *mdp.MDP, rng *rand.Rand) {
	begin(p, x.Transitions.Actions, x.spec)
	φ := x.belief.Sample(rng)
	for r := range x.reward {
		from, to := x.Entries(r)
		for e := from; e < to; e++ {
			if next, done := x.Next(e); !done && x.Prob(e)[φ] > 0 {
				p.Col, p.Weight = append(p.Col, int32(next)), append(p.Weight, x.Transitions.Discount*x.Prob(e)[φ])
			}
		}
		p.Reward, p.Row = append(p.Reward, x.Transitions.Reward(r)[φ]), append(p.Row, len(p.Col))
	}
}

// Observe implements Posterior.
func (x *LatentPosterior) Observe(s, action, next int) error {
	r := s*x.Transitions.Actions + action
	from, to := x.Entries(r)
	for e := from; e < to; e++ {
		if n, _ := x.Next(e); n == next {
			before := len(x.past)
			x.past = append(x.past, x.belief...)
			if x.Update(x.belief, x.past[before:], r, e, x.scratch) > 0 {
				x.visits[r]++
				x.log = append(x.log, int32(r))
				x.fresh = false
				return nil
			}
			x.past = x.past[:before]
			break
		}
	}
	return impossible(x.spec, x.StateAt, s, action, next, x.belief)
}

// Observed implements Posterior.
func (x *LatentPosterior) Observed() int { return len(x.log) }

// Undo implements Posterior.
func (x *LatentPosterior) Undo(observed int) {
	if observed >= len(x.log) {
		return
	}
	for _, r := range x.log[observed:] {
		x.visits[r]--
	}
	n := len(x.belief)
	copy(x.belief, x.past[observed*n:])
	x.past, x.log, x.fresh = x.past[:observed*n], x.log[:observed], false
}

// Fork implements Posterior.
func (x *LatentPosterior) Fork() Posterior {
	y := x.fork(x.belief)
	copy(y.visits, x.visits)
	y.past, y.log = append([]float64(nil), x.past...), append([]int32(nil), x.log...)
	return y
}
