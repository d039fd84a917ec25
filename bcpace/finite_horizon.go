package bcpace

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"bayescpace/bcpace/internal/num"
)

// CutsEpisodes reports whether the model has a horizon that no state keeps.
func (a Abilities) CutsEpisodes() bool { return a.Spec.Horizon > 0 && !a.KeepsHorizon }

// FiniteHorizon returns m with one more axis, "steps left", which counts down from steps, or from the
// horizon of m if that is less. The episode ends when it reaches 0; a state with 0 steps left leads to
// itself and pays nothing. Algorithms for stationary values then solve the finite-horizon problem. The
// error is an *InputError for steps < 1 or > 1,000,000,000, or for a model that is not valid, and an
// *UnsupportedError for a model that AsFinite refuses or an UnknownTransitions.
func FiniteHorizon(m Finite, steps int) (Finite, error) {
	if err := Validate(m); err != nil {
		return nil, err
	}
	spec := m.Spec()
	if steps < 1 || steps > num.MaxHorizon {
		return nil, In("FiniteHorizon of model "+strconv.Quote(spec.Name)).Bad("steps", steps, fmt.Sprintf("a number of steps from 1 up to %d", num.MaxHorizon))
	}
	if _, ok := AsFinite(m); !ok {
		return nil, &UnsupportedError{Model: spec.Name, Algorithm: "FiniteHorizon", Need: "numbered states with exact successors, and actions without a Box (AsFinite)"}
	}
	if err := knowsTransitions(m, "FiniteHorizon"); err != nil {
		return nil, err
	}
	return countDown(m, steps, append(append([]Param(nil), spec.Params...), Param{Key: "steps", Value: fmt.Sprint(steps)})).(Finite), nil
}

// KeepHorizon returns m, with the steps left in its states if it has a horizon that they do not keep.
func KeepHorizon(m Model) Model {
	if !AbilitiesOf(m).CutsEpisodes() {
		return m
	}
	spec := m.Spec()
	return countDown(m, spec.Horizon, spec.Params)
}

// countdown says where the steps left on the last axis of a model come from.
type countdown struct {
	inner Abilities
	steps int
	axes  int // of the inner model
}

// countDown returns m with at most the given number of steps, which are left on one more axis, and
// with other parameters.
func countDown(m Model, steps int, params []Param) Model {
	return derive(m, func(m Model, a *Abilities) {
		c := &countdown{inner: *a, steps: steps, axes: len(a.Spec.Axes)}
		if a.Spec.Horizon > 0 {
			c.steps = min(steps, a.Spec.Horizon)
		}
		left := Axis{Name: "steps left", Min: 0, Max: float64(c.steps), Discrete: true}
		a.Spec.Axes = append(append([]Axis(nil), a.Spec.Axes...), left)
		a.Spec.Horizon, a.Spec.Goal, a.Spec.Params = c.steps, false, params
		// A state with no steps left pays nothing.
		a.Spec.RewardMin, a.Spec.RewardMax = min(a.Spec.RewardMin, 0), max(a.Spec.RewardMax, 0)
		a.KeepsHorizon, a.StepsLeft = true, c.steps
		a.Lipschitz = nil // the distance of two states is another one with one more axis
		a.Smoothness = c.smoothness(c.inner.Smoothness)
		a.OnFirstAxes(c.axes)
		a.asSaved()
		a.Start, a.Step, a.LogLikelihood = c.start, c.step, c.logLikelihood
		c.stayAtTheEnd(a)
		if a.Successors != nil {
			a.Starts, a.Successors = c.starts, c.successors
		}
		if _, ok := AsFinite(m); ok {
			a.NumberLast(c.axes, c.steps+1)
		} else {
			a.NumStates, a.StateAt, a.StateIndex = nil, nil, nil
		}
	})
}

// split returns the state of the inner model, a view, and the steps left.
func (c *countdown) split(s []float64) (inner []float64, left float64) {
	return s[:c.axes:c.axes], s[c.axes]
}

func (c *countdown) start(s []float64, latent int, rng *rand.Rand) {
	inner, _ := c.split(s)
	c.inner.Start(inner, latent, rng)
	s[c.axes] = float64(c.steps)
}

func (c *countdown) step(next, s []float64, latent, action int, rng *rand.Rand) Outcome {
	from, left := c.split(s)
	if left <= 0 {
		copy(next, s)
		return Outcome{Done: true}
	}
	to, _ := c.split(next)
	out := c.inner.Step(to, from, latent, action, rng)
	next[c.axes] = left - 1
	out.Done = out.Done || left <= 1
	return out
}

func (c *countdown) logLikelihood(s []float64, action int, next []float64, latent int) float64 {
	from, left := c.split(s)
	to, after := c.split(next)
	switch {
	case left <= 0 && after == left && slices.Equal(from, to):
		return 0
	case left <= 0 || after != left-1:
		return math.Inf(-1)
	}
	return c.inner.LogLikelihood(from, action, to, latent)
}

// smoothness returns the Smoothness of a model with one more axis, which counts down without noise. It
// is that of the states with steps left.
func (c *countdown) smoothness(inner func() Smoothness) func() Smoothness {
	if inner == nil {
		return nil
	}
	longer := func(curve []float64) []float64 {
		if curve == nil {
			return nil
		}
		return append(slices.Clone(curve), 0)
	}
	return func() Smoothness {
		x := inner()
		mean, sigma, reward, arrive := x.Mean, x.SigmaAt, x.Reward, x.Arrive
		x.Sigma, x.MeanCurve, x.SigmaCurve = longer(x.Sigma), longer(x.MeanCurve), longer(x.SigmaCurve)
		if x.Jumps != nil {
			x.Jumps = append(slices.Clone(x.Jumps), nil)
		}
		if u := x.Control; u != nil {
			x.Control = &ControlCurve{Mean: longer(u.Mean), Sigma: longer(u.Sigma), Reward: u.Reward}
		}
		x.Mean = func(to, s []float64, latent, action int) {
			from, left := c.split(s)
			next, _ := c.split(to)
			mean(next, from, latent, action)
			to[c.axes] = left - 1
		}
		if sigma != nil {
			x.SigmaAt = func(to, s []float64, latent, action int) {
				sigma(to[:c.axes:c.axes], s[:c.axes:c.axes], latent, action)
				to[c.axes] = 0
			}
		}
		if reward != nil {
			x.Reward = func(s []float64, latent, action int) float64 { return reward(s[:c.axes:c.axes], latent, action) }
		}
		x.Arrive = func(next []float64, latent int) (a Arrival) {
			to, left := c.split(next)
			if arrive != nil {
				a = arrive(to, latent)
			}
			a.Ends = a.Ends || left <= 0
			return a
		}
		return x
	}
}

// stayAtTheEnd lets the latent stay where no steps are left. There is no NextLatent, see asSaved.
func (c *countdown) stayAtTheEnd(a *Abilities) {
	if f := a.LatentTransition; f != nil {
		a.LatentTransition = func(p []float64, s []float64, action, latent int) bool {
			return s[c.axes] > 0 && f(p, s, action, latent)
		}
	}
	if f := a.LatentMoves; f != nil {
		a.LatentMoves = func(to []int32, share []float64, s []float64, action, latent int) ([]int32, []float64) {
			if s[c.axes] <= 0 {
				return append(to, int32(latent)), append(share, 1)
			}
			return f(to, share, s, action, latent)
		}
	}
}

func (c *countdown) starts(z *Successors) {
	rows := c.rows(z)
	c.inner.Starts(&rows)
	c.check(&rows, "Starts", nil, -1)
	extend(z, &rows, float64(c.steps), false)
}

func (c *countdown) successors(z *Successors, s []float64, action int) {
	inner, left := c.split(s)
	if left <= 0 {
		state, prob, _ := z.Add(true)
		copy(state, s)
		for i := range prob {
			prob[i] = 1
		}
		return
	}
	rows := c.rows(z)
	c.inner.Successors(&rows, inner, action)
	c.check(&rows, "Successors", inner, action)
	extend(z, &rows, left-1, left <= 1)
}

// rows returns a list for the model without the steps left.
func (c *countdown) rows(z *Successors) (rows Successors) {
	rows.Reset(c.axes, z.latents)
	return rows
}

// check panics with the fault of a list that the model without the steps left has made.
func (c *countdown) check(rows *Successors, call string, s []float64, action int) {
	if err := c.inner.Spec.CheckSizes(rows, call, s, action); err != nil {
		panic(err)
	}
}

// extend adds rows to z, with the steps left behind each state.
func extend(z, rows *Successors, left float64, end bool) {
	for i := range rows.Len() {
		s, p, r := rows.Row(i)
		state, prob, reward := z.Add(end || rows.Done[i])
		copy(state, s)
		state[len(state)-1] = left
		copy(prob, p)
		copy(reward, r)
	}
}
