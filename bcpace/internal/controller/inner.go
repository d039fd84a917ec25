package controller

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// Settings are what cutting-plane methods around a solver have in common.
type Settings struct {
	Title    string  // of the method, in errors
	Epsilon  float64 // in reward units
	Most     int     // calls of the inner solver
	Episodes int     // with a policy whose values cannot be computed
	Delta    float64 // the probability with which some bound by these fails
}

const (
	defaultEpisodes = 10_000
	defaultDelta    = 0.05
)

// Checked returns the settings with their defaults, most being that of Most. The error is an *bcpace.InputError for a setting, a control or
// a model that cannot be used, and an *bcpace.UnsupportedError for a model with a Spec.Goal or UnknownTransitions.
func (s Settings) Checked(m bcpace.Model, c bcpace.Control, mostName string, most int) (Settings, error) {
	if err := cmp.Or(c.Check(), solverkit.CheckDiscount(m, s.Title)); err != nil {
		return s, err
	}
	if _, learns := m.(bcpace.UnknownTransitions); learns {
		return s, &bcpace.UnsupportedError{Model: m.Spec().Name, Algorithm: s.Title, Need: "a model that is no UnknownTransitions: its latents are known"}
	}
	s.Most, s.Episodes, s.Delta = cmp.Or(s.Most, most), cmp.Or(s.Episodes, defaultEpisodes), cmp.Or(s.Delta, defaultDelta)
	lo, hi := solverkit.RangeOfReturns(m)
	in := bcpace.In(s.Title)
	return s, cmp.Or(
		in.Need(s.Epsilon > 0 && !math.IsInf(s.Epsilon, 1), "Epsilon", s.Epsilon, "a number above 0, in reward units"),
		in.Need(s.Most >= 0, mostName, s.Most, "1 or more, or 0 for the default"),
		in.Need(s.Episodes >= 0, "Episodes", s.Episodes, "1 episode or more, or 0 for the default"),
		in.Need(s.Delta >= 0 && s.Delta < 1, "Delta", s.Delta, "a probability in (0, 1), or 0 for the default"),
		in.Need(!math.IsInf(hi-lo, 1), "the model", "of returns without a bound", "one with RewardMin and RewardMax"))
}

const (
	// leftTime is the share of the time that is left which a call of the inner solver leaves for what follows it, and lastTime that
	// share where what is best to solve next was solved with too little time.
	leftTime = 0.7
	lastTime = 0.2
)

// Inner asks the inner solver of such a method.
type Inner struct {
	Settings
	Control bcpace.Control
	Trace   []bcpace.Progress
	cut     bool // the last call had too little time
	last    bool // calls have nearly all the time that is left
}

// Solve has s solve m, and returns what it has found, whose certificate has an upper bound, and its policy, to be played in a model with the latents and
// states of m. The phase is what the progress says.
func (i *Inner) Solve(ctx context.Context, s bcpace.Solver, m, played bcpace.Model, phase string) (*bcpace.Solution, Member, error) {
	c := i.Control
	c.Checkpoint, c.Progress = nil, func(p bcpace.Progress) {
		if i.Control.Progress != nil {
			i.Control.Progress(bcpace.Progress{Phase: cmp.Or(p.Phase, phase), Share: -1})
		}
	}
	leave := leftTime
	if i.last {
		leave = lastTime
	}
	solving, cancel := runs.LeaveTime(ctx, leave)
	defer cancel()
	found, err := s.Solve(solving, m, c)
	if err != nil {
		return nil, Member{}, err
	}
	i.cut = found.Stop == stop.Deadline
	if c := &found.Certificate; c.UpperBy == bcpace.NotKnown || math.IsNaN(c.Upper) {
		return nil, Member{}, &bcpace.UnsupportedError{Model: m.Spec().Name, Algorithm: i.Title, Need: fmt.Sprintf("an upper bound of the optimal value from %s, such as certified gives", s.Name())}
	}
	_, most := solverkit.RangeOfReturns(m)
	found.Certificate.Upper = min(found.Certificate.Upper, most)
	played, err = bcpace.ForPolicy(played, found.Policy)
	return found, Member{Model: played, Policy: found.Policy}, err
}

// Report tells the progress.
func (i *Inner) Report(now bcpace.Progress) {
	if i.Trace = append(i.Trace, now); i.Control.Progress != nil {
		i.Control.Progress(now)
	}
}

// End says why to end after n calls, with bounds that are a gap apart; "" where the next call is to come. Where that is not new, it is to ask
// again, with more time, if there was too little.
func (i *Inner) End(ctx context.Context, gap float64, n int, isNew bool) (why stop.Reason) {
	switch {
	case gap <= i.Epsilon:
		return stop.Certified
	case ctx.Err() != nil:
		return stop.Of(ctx)
	case n >= i.Most:
		return stop.Episodes
	case isNew:
		return ""
	case !i.cut:
		return stop.Rounding
	case i.last:
		return stop.Deadline
	}
	i.last = true
	return ""
}

// Play plays a member in m for a share of the time that is left. Where that is over, the result has the episodes till then: bounds of their mean that are
// planned for all episodes hold all the same.
func (i *Inner) Play(ctx context.Context, m bcpace.Model, p *Member, o eval.Options, share float64) (eval.Result, error) {
	o.Workers = i.Control.Workers
	playing, cancel := runs.LeaveTime(ctx, 1-share)
	defer cancel()
	r, err := eval.Rollouts(playing, m, NewMixture([]Member{*p}, []float64{1}), o)
	if playing.Err() != nil {
		err = nil
	}
	return r, err
}

// Writable returns the model of p as a Finite, if p is a function of state and belief in such a model.
func (p *Member) Writable() (bcpace.Finite, bool) {
	can := bcpace.PolicyAbilitiesOf(p.Policy)
	finite, ok := bcpace.AsFinite(p.Model)
	return finite, ok && can.Plan == nil && can.Begin == nil
}

// WithAxis gives the states of a model one more axis, with the value at that a start has there, and has follow list what follows.
func WithAxis(a *bcpace.Abilities, axis bcpace.Axis, at func(s []float64) float64, follow func(z *bcpace.Successors, s []float64, action int)) {
	start, starts, axes, latents := a.Start, a.Starts, len(a.Spec.Axes), len(a.Spec.Latents)
	a.Spec.Axes = append(slices.Clone(a.Spec.Axes), axis)
	a.Lipschitz, a.Smoothness, a.FinerList, a.Validate = nil, nil, nil, nil
	a.OnFirstAxes(axes)
	a.Start = func(s []float64, latent int, rng *rand.Rand) {
		start(s[:axes:axes], latent, rng)
		s[axes] = at(s[:axes:axes])
	}
	a.Starts = func(z *bcpace.Successors) {
		var rows bcpace.Successors
		rows.Reset(axes, latents)
		starts(&rows)
		for i := range rows.Len() {
			s, p, _ := rows.Row(i)
			to, prob, _ := z.Add(false)
			copy(to, s)
			copy(prob, p)
			to[axes] = at(s)
		}
	}
	a.Successors = follow
	a.LogLikelihood = solverkit.ListedLikelihood(axes+1, latents, follow)
}

// Stay lists that a state in which an episode has ended stays as it is.
func Stay(z *bcpace.Successors, s []float64) {
	to, prob, _ := z.Add(true)
	copy(to, s)
	for φ := range prob {
		prob[φ] = 1
	}
}

// Certify sets what the bounds of c rest on, where the lower one is by computation, or by so many episodes.
func (s Settings) Certify(c *bcpace.Certificate, simulated bool) {
	c.Kind, c.LowerBy, c.PolicyEarns = bcpace.ExactCertificate, bcpace.ByProof, bcpace.ByProof
	if simulated {
		c.LowerBy, c.PolicyEarns, c.Delta, c.Episodes = bcpace.BySimulation, bcpace.BySimulation, s.Delta, s.Episodes
	}
	if simulated || c.UpperBy != bcpace.ByProof {
		c.Kind = bcpace.StatisticalCertificate
	}
}
