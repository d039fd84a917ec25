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
	spec   bcpace.Spec
	belief bcpace.Belief
	visits []float64 // by row
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
	rows := t.States * t.Actions
	_, entries := t.Entries(rows - 1)
	l := &LatentPosterior{Transitions: t, spec: m.Spec(), belief: make(bcpace.Belief, t.Latents),
		visits: make([]float64, rows), mean: make([]float64, entries), reward: make([]float64, rows)}
	m.Prior(l.belief)
	return l, nil
}

// fork implements Posterior.
func (l *LatentPosterior) fork() Posterior {
	y := *l
	y.belief, y.visits, y.mean, y.reward = slices.Clone(l.belief), slices.Clone(l.visits), slices.Clone(l.mean), slices.Clone(l.reward)
	return &y
}

// SetBelief makes b the belief, whatever was observed. The counts stay.
func (l *LatentPosterior) SetBelief(b bcpace.Belief) {
	l.fresh = l.fresh && slices.Equal(l.belief, b)
	copy(l.belief, b)
}

// learn implements Posterior: it counts the step.
func (l *LatentPosterior) learn(s, action, _ int) error {
	l.visits[s*l.Transitions.Actions+action]++
	return nil
}

// forget implements Posterior.
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
	for e, end := l.Entries(r); e < end; e++ {
		if next, done := l.Next(e); !done {
			q += l.Transitions.Discount * l.mean[e] * v[next]
		}
	}
	return q
}

// Moments implements Posterior.
func (l *LatentPosterior) Moments(s, action int, list []Moment) []Moment {
	for e, end := l.Entries(s*l.Transitions.Actions + action); e < end; e++ {
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

// Draw implements Posterior.
func (l *LatentPosterior) Draw(p *mdp.MDP, rng *rand.Rand) {
	begin(p, l.Transitions.Actions, l.spec)
	φ := l.belief.Sample(rng)
	for r := range l.reward {
		for e, end := l.Entries(r); e < end; e++ {
			if next, done := l.Next(e); !done && l.Prob(e)[φ] > 0 {
				p.Col, p.Weight = append(p.Col, int32(next)), append(p.Weight, l.Transitions.Discount*l.Prob(e)[φ])
			}
		}
		p.Reward, p.Row = append(p.Reward, l.Transitions.Reward(r)[φ]), append(p.Row, len(p.Col))
	}
}
