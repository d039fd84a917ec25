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

func (l *LatentPosterior) fork(b bcpace.Belief) *LatentPosterior {
	rows := l.Transitions.States * l.Transitions.Actions
	_, entries := l.Entries(rows - 1)
	return &LatentPosterior{Transitions: l.Transitions, spec: l.spec, prior: l.prior, belief: append(bcpace.Belief(nil), b...),
		visits: make([]float64, rows), scratch: make([]float64, len(b)), mean: make([]float64, entries), reward: make([]float64, rows)}
}

// SetBelief makes b the belief, whatever was observed. The counts stay.
func (l *LatentPosterior) SetBelief(b bcpace.Belief) {
	l.fresh = l.fresh && slices.Equal(l.belief, b)
	copy(l.belief, b)
}

// visit counts a step whose consequences are in the belief.
func (l *LatentPosterior) visit(s, action int) { l.visits[s*l.Transitions.Actions+action]++ }

// forget sets the counts to 0.
func (l *LatentPosterior) forget() { clear(l.visits) }

// States implements Posterior.
func (l *LatentPosterior) States() int { return l.Transitions.States }

// Actions implements Posterior.
func (l *LatentPosterior) Actions() int { return l.Transitions.Actions }

// Discount implements Posterior.
func (l *LatentPosterior) Discount() float64 { return l.Transitions.Discount }

// Count implements Posterior. The prior counts as one observation.
func (l *LatentPosterior) Count(s, action int) float64 {
	return 1 + l.visits[s*l.Transitions.Actions+action]
}

// Tried implements Posterior.
func (l *LatentPosterior) Tried(s, action int) bool {
	return l.visits[s*l.Transitions.Actions+action] > 0
}

// Reward implements Posterior: the mean over the latents and what follows.
func (l *LatentPosterior) Reward(s, action, _ int) float64 {
	return l.Expected(s*l.Transitions.Actions+action, l.belief)
}

// refresh brings the means up to date.
func (l *LatentPosterior) refresh() {
	if l.fresh {
		return
	}
	for e := range l.mean {
		l.mean[e] = l.belief.Dot(l.Prob(e))
	}
	for r := range l.reward {
		l.reward[r] = l.Expected(r, l.belief)
	}
	l.fresh = true
}

// Backup implements Posterior.
func (l *LatentPosterior) Backup(s, action int, v []float64, _ float64) float64 {
	l.refresh()
	r := s*l.Transitions.Actions + action
	q := l.reward[r]
	from, to := l.Entries(r)
	for e := from; e < to; e++ {
		if next, done := l.Next(e); !done {
			q += l.Transitions.Discount * l.mean[e] * v[next]
		}
	}
	return q
}

// Moments implements Posterior.
func (l *LatentPosterior) Moments(s, action int, list []Moment) []Moment {
	from, to := l.Entries(s*l.Transitions.Actions + action)
	for e := from; e < to; e++ {
		next, _ := l.Next(e)
		mean, square := 0.0, 0.0
		for φ, p := range l.Prob(e) {
			mean += l.belief[φ] * p
			square += l.belief[φ] * p * p
		}
		list = append(list, Moment{next, mean, max(0, square-mean*mean)})
	}
	return list
}

// Predict implements Posterior.
func (l *LatentPosterior) Predict(s, action int, rng *rand.Rand) (next int, done bool) {
	from, to := l.Entries(s*l.Transitions.Actions + action)
	u := rng.Float64()
	for e := from; e < to; e++ {
		if p := l.belief.Dot(l.Prob(e)); p > 0 {
			next, done = l.Next(e)
			if u -= p; u < 0 {
				break
			}
		}
	}
	return next, done
}

// Draw implements Posterior.
func (l *LatentPosterior) Draw(p *mdp.MDP, rng *rand.Rand) {
	begin(p, l.Transitions.Actions, l.spec)
	φ := l.belief.Sample(rng)
	for r := range l.reward {
		from, to := l.Entries(r)
		for e := from; e < to; e++ {
			if next, done := l.Next(e); !done && l.Prob(e)[φ] > 0 {
				p.Col, p.Weight = append(p.Col, int32(next)), append(p.Weight, l.Transitions.Discount*l.Prob(e)[φ])
			}
		}
		p.Reward, p.Row = append(p.Reward, l.Transitions.Reward(r)[φ]), append(p.Row, len(p.Col))
	}
}

// Observe implements Posterior.
func (l *LatentPosterior) Observe(s, action, next int) error {
	r := s*l.Transitions.Actions + action
	from, to := l.Entries(r)
	for e := from; e < to; e++ {
		if n, _ := l.Next(e); n == next {
			before := len(l.past)
			l.past = append(l.past, l.belief...)
			if l.Update(l.belief, l.past[before:], r, e, l.scratch) > 0 {
				l.visits[r]++
				l.log = append(l.log, int32(r))
				l.fresh = false
				return nil
			}
			l.past = l.past[:before]
			break
		}
	}
	return impossible(l.spec, l.StateAt, s, action, next, l.belief)
}

// Observed implements Posterior.
func (l *LatentPosterior) Observed() int { return len(l.log) }

// Undo implements Posterior.
func (l *LatentPosterior) Undo(observed int) {
	if observed >= len(l.log) {
		return
	}
	for _, r := range l.log[observed:] {
		l.visits[r]--
	}
	n := len(l.belief)
	copy(l.belief, l.past[observed*n:])
	l.past, l.log, l.fresh = l.past[:observed*n], l.log[:observed], false
}

// Fork implements Posterior.
func (l *LatentPosterior) Fork() Posterior {
	y := l.fork(l.belief)
	copy(y.visits, l.visits)
	y.past, y.log = append([]float64(nil), l.past...), append([]int32(nil), l.log...)
	return y
}
