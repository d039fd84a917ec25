package bcpace

import (
	"fmt"
	"math"
	"slices"

	"bayescpace/bcpace/internal/sparse"
)

// Lister lists what follows the states of an Enumerator, one state and action at a time, and checks
// it: successors on the axes, rewards in the range, and distributions over the next states and the
// next latents. It is for one goroutine. List does not allocate once its lists have grown.
type Lister struct {
	Successors Successors // those of the last List, in the model's order
	Reward     []float64  // R(s,φ,a) by latent φ: the mean over the successors, 0 where none follows under φ

	model   Enumerator
	finite  Finite        // nil where the states are not numbered
	mover   *sparse.Mover // nil for a static latent
	spec    Spec
	state   []float64
	action  int
	total   []float64       // by latent: Σ P(s'|s,φ,a), 1 or 0
	latents sparse.MoveRows // of one row, where moves
	moves   bool            // the latent changes
	scratch Belief
	after   Belief // of Backup
}

// NewLister returns a Lister of m. That of nil lists nothing but an error.
func NewLister(m Enumerator) *Lister {
	if m == nil {
		return &Lister{}
	}
	spec := m.Spec()
	n := len(spec.Latents)
	l := &Lister{model: m, mover: AbilitiesOf(m).Mover(), spec: spec, Reward: make([]float64, n), total: make([]float64, n), scratch: make(Belief, n), after: make(Belief, n)}
	l.finite, _ = AsFinite(m)
	return l
}

// List lists what follows (s, action). The error is an *InputError for a state or an action that the
// model does not have, or a *ConformanceError; nothing is listed then.
func (l *Lister) List(s []float64, action int) error {
	err := l.takes(s, action)
	l.state, l.action = append(l.state[:0], s...), action
	if err == nil {
		err = l.successors()
	}
	if err == nil {
		err = l.listMoves()
	}
	if err != nil {
		l.Successors.Reset(len(l.spec.Axes), len(l.spec.Latents))
	}
	return err
}

// takes returns an *InputError unless (s, action) is a state and an action of the model.
func (l *Lister) takes(s []float64, action int) error {
	if l.model == nil {
		return In("Lister").Bad("the model", "nil", "a model that lists its successors")
	}
	switch {
	case action < 0 || action >= len(l.spec.Actions):
		return l.spec.in().Bad("action", action, fmt.Sprintf("an id from 0 to %d", len(l.spec.Actions)-1))
	case len(s) != len(l.spec.Axes):
		return l.spec.in().Bad("the state", s, fmt.Sprintf("%d numbers, one for each axis", len(l.spec.Axes)))
	}
	if off, want := l.spec.OffAxes(s); off != "" {
		return l.spec.in().Bad("the state", fmt.Sprint(s)+", "+off, want)
	}
	return nil
}

// successors lists the successors and sums them up by latent.
func (l *Lister) successors() error {
	if err := l.ask(); err != nil {
		return err
	}
	z := &l.Successors
	clear(l.Reward)
	clear(l.total)
	for i := range z.Len() {
		_, prob, reward := z.Row(i)
		for φ, p := range prob {
			if p == 0 { // of what cannot happen the reward means nothing
				continue
			}
			if !(p > 0 && p <= 1+simplexTolerance) {
				return l.fault(φ, "Successors gives probability %v, want a value in [0, 1]", p)
			}
			l.total[φ] += p
			l.Reward[φ] += p * reward[φ]
		}
	}
	// Nothing at all follows a state that cannot occur under a latent, or that has
	// ended. Anything between is a fault.
	for φ, total := range l.total {
		if total != 0 && math.Abs(total-1) > simplexTolerance {
			return l.fault(φ, "the probabilities of Successors sum to %v, want 1", total)
		}
	}
	return nil
}

// ask has the model list the successors: states on the axes, with rewards in the
// range where they can follow.
func (l *Lister) ask() (err error) {
	defer l.spec.Guard(&err, "Successors", l.state, l.action, -1)
	z := &l.Successors
	z.Reset(len(l.spec.Axes), len(l.spec.Latents))
	l.model.Successors(z, l.state, l.action)
	if err := l.spec.CheckSizes(z, "Successors", l.state, l.action); err != nil {
		return err
	}
	for i := range z.Len() {
		to, p, r := z.Row(i)
		if off, want := l.spec.OffAxes(to); off != "" {
			return l.fault(-1, "Successors lists %v, %s, want %s", to, off, want)
		}
		for φ := range p {
			if p[φ] > 0 && !l.spec.AllowsReward(r[φ]) {
				return l.fault(φ, "Successors lists reward %v, want a number within [RewardMin, RewardMax] = [%v, %v]", r[φ], l.spec.RewardMin, l.spec.RewardMax)
			}
		}
	}
	return nil
}

// listMoves lists how the latent moves.
func (l *Lister) listMoves() (err error) {
	if l.moves = false; l.mover == nil {
		return nil
	}
	defer l.spec.Guard(&err, "LatentTransition", l.state, l.action, -1)
	l.moves = l.mover.Fill(&l.latents, l.state, l.action, nil)
	for φ := range l.total {
		to, share := l.latents.Row(φ)
		if Belief(share).Validate() != nil {
			return l.fault(φ, "LatentTransition gives %.4g, want a distribution over the latents", share)
		}
		last := int32(-1)
		for _, k := range to {
			if k <= last || int(k) >= len(l.total) {
				return l.fault(φ, "the latent moves to %v, want different latents from 0 to %d, in ascending order", to, len(l.total)-1)
			}
			last = k
		}
	}
	return nil
}

// Clone returns a Lister that has the same listed as l.
func (l *Lister) Clone() *Lister {
	c := *l
	z := &c.Successors
	z.States, z.Prob, z.Reward, z.Done = slices.Clone(z.States), slices.Clone(z.Prob), slices.Clone(z.Reward), slices.Clone(z.Done)
	c.Reward, c.state, c.total, c.scratch, c.after = slices.Clone(l.Reward), slices.Clone(l.state), slices.Clone(l.total), slices.Clone(l.scratch), slices.Clone(l.after)
	c.mover, c.latents = l.mover.Clone(), sparse.MoveRows{From: slices.Clone(l.latents.From), To: slices.Clone(l.latents.To), Share: slices.Clone(l.latents.Share)}
	return &c
}

func (l *Lister) fault(latent int, format string, args ...any) error {
	return l.spec.Fault(l.state, l.action, latent, format, args...)
}

// Follows reports whether anything follows under a latent.
func (l *Lister) Follows(latent int) bool { return l.total[latent] > 0 }

// Number returns the number of successor i of a Finite model. The error is that of NotAState.
func (l *Lister) Number(i int) (int, error) {
	to, _, _ := l.Successors.Row(i)
	if l.finite != nil {
		if n := l.finite.StateIndex(to); n >= 0 {
			return n, nil
		}
	}
	return -1, l.NotAState(i)
}

// NotAState returns the error of successor i.
func (l *Lister) NotAState(i int) error {
	to, _, _ := l.Successors.Row(i)
	return l.fault(-1, "Successors lists %v, which is no state of the model", to)
}

// Moves returns the latents that φ moves to with the step, in ascending order, and P(φ'|φ,s,a) of
// each: views, until the next List. ok is false where no latent moves.
func (l *Lister) Moves(latent int) (to []int32, share []float64, ok bool) {
	if !l.moves {
		return nil, nil, false
	}
	to, share = l.latents.Row(latent)
	return to, share, true
}

// Update sets next to the belief after successor i, whose probability under b it
// returns; where that is 0, next is left as it is:
//
//	next(φ') ∝ Σ_φ b(φ)·P(s'|s,φ,a)·P(φ'|φ,s,a)
//
// next and b must not overlap where the latent moves.
func (l *Lister) Update(next, b Belief, i int) float64 {
	_, prob, _ := l.Successors.Row(i)
	if !l.moves {
		return b.Posterior(next, prob)
	}
	w := b.Posterior(l.scratch, prob)
	if w > 0 {
		l.latents.Move(next, l.scratch, 0)
	}
	return w
}

// Backup returns the value of the listed action under b, in reward units, by a value of the
// states and beliefs that follow:
//
//	R(s,b,a) + γ·Σ_s' P(s'|s,b,a)·value(s', b')
//
// with s' over the states that do not end the episode. value gets views, and must not use l.
func (l *Lister) Backup(b Belief, value func(s []float64, b Belief) float64) float64 {
	q := b.Dot(l.Reward)
	for i, done := range l.Successors.Done {
		if done {
			continue
		}
		if w := l.Update(l.after, b, i); w > 0 {
			to, _, _ := l.Successors.Row(i)
			q += l.spec.Discount * w * value(to, l.after)
		}
	}
	return q
}
