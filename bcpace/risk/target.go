package risk

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

// rounding says how what is left of a level comes onto the points that a target has.
type rounding int

const (
	exact rounding = iota // each value that occurs is a point
	// bound: to the grid point below, or to the one above for a refund of the difference, so that the loss is less
	bound
	up   // to the grid point above
	mean // to either, drawn such that the mean stays
)

// target is a model with what is left of a level on one more axis. A value of that axis is place·classes + class, where the place
// is settled, beyond, or a point, and the class says which of the rewards that may lead from the last state to this one was paid.
type target struct {
	inner bcpace.Finite
	spec  bcpace.Spec // of inner
	axes  int         // of inner
	list  func(z *bcpace.Successors, s []float64, action int)
	*paths
	level  float64
	how    rounding
	chance bool    // the loss is 1 for a return below the level, and otherwise how far it falls short of it
	slip   float64 // what counts as nothing
	// missed is the most by which a reward, or what is left of the level, differed from what stands for it, in one step of the lists.
	missed float64

	grid   axis
	points []float64       // by place−firstPoint
	known  map[int64]int32 // the place by value, where each that occurs is a point
	open   bool            // a value without a place gets one

	numbers map[int64]int32 // by state of inner and value
	states  []int64
}

// Places on the axis. In those that are settled, no return falls short any more, or, for a chance, each does or none.
const (
	settled = iota
	beyond  // each return falls short; unless it is a chance, rewards count from here on
	firstPoint
)

// errMany says that there are too many states.
var errMany = errors.New("too many states")

// newTarget lists the states that can be reached, most of them at most. The error is errMany, or that of ctx or of the model.
func newTarget(ctx context.Context, t target, most int) (*target, error) {
	t.spec = t.inner.Spec()
	t.axes, t.list = len(t.spec.Axes), bcpace.AbilitiesOf(t.inner).Successors
	t.numbers, t.known, t.open = map[int64]int32{}, map[int64]int32{}, true
	if t.how != exact {
		for k := range t.grid.cells {
			t.points = append(t.points, t.grid.at(t.grid.first+k))
		}
	}
	var z bcpace.Successors
	if err := z.ListStarts(t.inner); err != nil {
		return nil, err
	}
	reach := func(s []float64, value int) {
		key := int64(t.inner.StateIndex(s))<<32 | int64(value)
		if _, there := t.numbers[key]; !there {
			t.numbers[key] = int32(len(t.states))
			t.states = append(t.states, key)
		}
	}
	for i := range z.Len() {
		s, _, _ := z.Row(i)
		reach(s, t.begin())
	}
	s := make([]float64, t.axes+1)
	for n := 0; n < len(t.states); n++ {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case len(t.states) > most:
			return nil, errMany
		}
		for a := range t.spec.Actions {
			t.stateAt(s, n)
			z.Reset(t.axes+1, len(t.spec.Latents))
			t.successors(&z, s, a)
			for i := range z.Len() {
				next, _, _ := z.Row(i)
				reach(next[:t.axes], int(next[t.axes]))
			}
		}
	}
	t.open = false
	return &t, nil
}

func (t *target) stateAt(s []float64, number int) {
	key := t.states[number]
	t.inner.StateAt(s[:t.axes:t.axes], int(key>>32))
	s[t.axes] = float64(key & math.MaxInt32)
}

func (t *target) stateIndex(s []float64) int {
	if len(s) != t.axes+1 || !(s[t.axes] >= 0 && s[t.axes] <= math.MaxInt32) || s[t.axes] != math.Trunc(s[t.axes]) {
		return -1
	}
	inner := t.inner.StateIndex(s[:t.axes:t.axes])
	if n, ok := t.numbers[int64(inner)<<32|int64(s[t.axes])]; ok && inner >= 0 {
		return int(n)
	}
	return -1
}

// place returns the place of a state.
func (t *target) place(s []float64) int { return int(s[t.axes]) / t.classes }

// begin returns the value of the axis at the start.
func (t *target) begin() int {
	if math.IsInf(t.level, 1) {
		return beyond * t.classes
	}
	return t.point(t.level) * t.classes
}

// point returns the place of y, which is a point.
func (t *target) point(y float64) int {
	if t.how != exact {
		return firstPoint + int(math.Round(t.grid.number(y))) - t.grid.first
	}
	key := int64(math.Round(y / t.slip))
	at, there := t.known[key]
	switch {
	case !there && t.open:
		at = int32(firstPoint + len(t.points))
		t.known[key] = at
		t.points = append(t.points, y)
	case !there: // no reward of the lists has led here
		for i, x := range t.points {
			if at == 0 || math.Abs(x-y) < math.Abs(t.points[at-firstPoint]-y) {
				at = int32(firstPoint + i)
			}
		}
	}
	return int(at)
}

// left returns what is left at a place that is a point.
func (t *target) left(place int) float64 { return t.points[place-firstPoint] }

// after returns what is left after a reward.
func (t *target) after(x, reward float64) float64 { return (x - reward) / t.spec.Discount }

// share is a place and its probability.
type share struct {
	place int
	prob  float64
}

// miss notes by how much y differs from x, which stands for it.
func (t *target) miss(y, x float64) {
	if t.open {
		t.missed = max(t.missed, math.Abs(y-x))
	}
}

// arrive returns where y, which is left on arrival in a state, comes to.
func (t *target) arrive(y float64, state int) (list [2]share) {
	switch {
	case y <= t.low[state]+t.slip:
		t.miss(max(y, t.low[state]), t.low[state])
		return [2]share{{settled, 1}}
	case t.chance && y > t.high[state]+t.slip, !t.chance && y >= t.high[state]-t.slip:
		t.miss(min(y, t.high[state]), t.high[state])
		return [2]share{{beyond, 1}}
	case t.how == exact:
		at := t.point(y)
		t.miss(y, t.left(at))
		return [2]share{{at, 1}}
	}
	k, there := t.grid.below(y)
	at := firstPoint + k - t.grid.first
	switch {
	case there:
		t.miss(y, t.left(at))
		return [2]share{{at, 1}}
	case t.how == bound && (t.chance || y < t.grid.centre):
		return [2]share{{at, 1}}
	case t.how != mean:
		return [2]share{{at + 1, 1}}
	}
	rest := (y - t.left(at)) / (t.left(at+1) - t.left(at))
	return [2]share{{at, 1 - rest}, {at + 1, rest}}
}

// lost returns the loss of an episode that ends with y left.
func (t *target) lost(y float64) float64 {
	switch {
	case y <= t.slip:
		t.miss(max(y, 0), 0)
		return 0
	case t.chance:
		return 1
	}
	return t.spec.Discount * y
}

// pays returns what arriving at a place pays, with y left, and whether the episode ends there.
func (t *target) pays(place int, y float64) (reward float64, done bool) {
	switch {
	case place == settled:
		return 0, true
	case place == beyond && t.chance:
		return -1, true
	case place == beyond:
		return -t.spec.Discount * y, false
	case t.how == bound && !t.chance:
		return t.spec.Discount * max(t.left(place)-y, 0), false
	}
	return 0, false
}

// ended reports whether nothing follows a place.
func (t *target) ended(place int) bool { return place == settled || place == beyond && t.chance }

// successors lists what follows.
func (t *target) successors(z *bcpace.Successors, s []float64, action int) {
	place := t.place(s)
	if t.ended(place) {
		state, prob, _ := z.Add(true)
		copy(state, s)
		for φ := range prob {
			prob[φ] = 1
		}
		return
	}
	var rows bcpace.Successors
	rows.Reset(t.axes, len(t.spec.Latents))
	t.list(&rows, s[:t.axes:t.axes], action)
	var rewards []float64
	for i := range rows.Len() {
		next, prob, reward := rows.Row(i)
		rewards = t.classesOf(rewards[:0], prob, reward)
		first := z.Len()
		add := func(place, class, φ int, p, r float64, done bool) {
			value := float64(place*t.classes + class)
			for k := first; k < z.Len(); k++ {
				if to, prob, reward := z.Row(k); to[t.axes] == value {
					prob[φ], reward[φ] = p, r
					return
				}
			}
			to, prob, reward := z.Add(done)
			copy(to, next)
			to[t.axes], prob[φ], reward[φ] = value, p, r
		}
		for φ, p := range prob {
			if p == 0 {
				continue
			}
			class := nearest(rewards, reward[φ])
			paid := rewards[class] // the same under all latents of the class
			t.miss(reward[φ], paid)
			switch {
			case place == beyond && rows.Done[i]:
				add(settled, class, φ, p, paid, true)
			case place == beyond:
				add(beyond, class, φ, p, paid, false)
			case rows.Done[i]:
				add(settled, class, φ, p, -t.lost(t.after(t.left(place), paid)), true)
			default:
				y := t.after(t.left(place), paid)
				for _, to := range t.arrive(y, t.inner.StateIndex(next)) {
					if to.prob > 0 {
						r, done := t.pays(to.place, y)
						add(to.place, class, φ, p*to.prob, r, done)
					}
				}
			}
		}
	}
}

// classesOf appends the rewards of a row that differ, in ascending order.
func (p *paths) classesOf(list, prob, reward []float64) []float64 {
	for φ, q := range prob {
		if q == 0 {
			continue
		}
		k, there := slices.BinarySearch(list, reward[φ])
		if !there && (k == 0 || reward[φ]-list[k-1] > p.same) && (k == len(list) || list[k]-reward[φ] > p.same) {
			list = slices.Insert(list, k, reward[φ])
		}
	}
	return list
}

// nearest returns which entry of a list is nearest to x.
func nearest(list []float64, x float64) (at int) {
	for k, y := range list {
		if math.Abs(y-x) < math.Abs(list[at]-x) {
			at = k
		}
	}
	return at
}

// class returns the class of a reward that was paid on the way from s to next: that of the nearest one on the list.
func (t *target) class(s []float64, action int, reward float64, next []float64) (class int) {
	if t.classes == 1 {
		return 0
	}
	var rows bcpace.Successors
	rows.Reset(t.axes, len(t.spec.Latents))
	t.list(&rows, s, action)
	for i := range rows.Len() {
		if to, prob, r := rows.Row(i); slices.Equal(to, next) {
			class = nearest(t.classesOf(nil, prob, r), reward)
		}
	}
	return class
}

// draw returns the place on arrival in next.
func (t *target) draw(y float64, next []float64, rng *rand.Rand) int {
	list := t.arrive(y, t.inner.StateIndex(next))
	if list[1].prob > 0 && rng.Float64() < list[1].prob {
		return list[1].place
	}
	return list[0].place
}

// step simulates.
func (t *target) step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	place := t.place(s)
	if t.ended(place) {
		copy(next, s)
		return bcpace.Outcome{Done: true}
	}
	from, to := s[:t.axes:t.axes], next[:t.axes:t.axes]
	out := t.inner.Step(to, from, latent, action, rng)
	class, at := t.class(from, action, out.Reward, to), settled
	switch {
	case place == beyond && !out.Done:
		at = beyond
	case place == beyond:
	case out.Done:
		out.Reward = -t.lost(t.after(t.left(place), out.Reward))
	default:
		y := t.after(t.left(place), out.Reward)
		at = t.draw(y, to, rng)
		out.Reward, out.Done = t.pays(at, y)
	}
	next[t.axes] = float64(at*t.classes + class)
	return out
}

// logLikelihood is the density of the lists.
func (t *target) logLikelihood(s []float64, action int, next []float64, latent int) float64 {
	var z bcpace.Successors
	z.Reset(t.axes+1, len(t.spec.Latents))
	t.successors(&z, s, action)
	sum := 0.0
	for i := range z.Len() {
		if to, prob, _ := z.Row(i); slices.Equal(to, next) {
			sum += prob[latent]
		}
	}
	return math.Log(sum)
}

// model returns the model whose optimal value is minus the least loss, or with a level of +Inf the largest return.
func (t *target) model() bcpace.Model {
	return bcpace.Derive(t.inner, func(_ bcpace.Model, a *bcpace.Abilities) {
		start, starts := a.Start, a.Starts
		a.Spec.Name += ", with what is left of a level"
		last := (firstPoint+len(t.points))*t.classes - 1
		a.Spec.Axes = append(append([]bcpace.Axis(nil), a.Spec.Axes...), bcpace.Axis{Name: "left of the level", Max: float64(last), Discrete: true})
		t.ranges(a)
		a.Lipschitz, a.Smoothness, a.FinerList, a.Validate, a.NextLatent = nil, nil, nil, nil, nil
		a.OnFirstAxes(t.axes)
		a.Start = func(s []float64, latent int, rng *rand.Rand) {
			start(s[:t.axes:t.axes], latent, rng)
			s[t.axes] = float64(t.begin())
		}
		a.Starts = func(z *bcpace.Successors) {
			var rows bcpace.Successors
			rows.Reset(t.axes, len(t.spec.Latents))
			starts(&rows)
			for i := range rows.Len() {
				s, p, _ := rows.Row(i)
				state, prob, _ := z.Add(false)
				copy(state, s)
				copy(prob, p)
				state[t.axes] = float64(t.begin())
			}
		}
		a.Step, a.LogLikelihood, a.Successors = t.step, t.logLikelihood, t.successors
		a.NumStates, a.StateAt, a.StateIndex = func() int { return len(t.states) }, t.stateAt, t.stateIndex
	})
}

// ranges sets the ranges of rewards and returns.
func (t *target) ranges(a *bcpace.Abilities) {
	if t.chance {
		a.Spec.Discount, a.Spec.RewardMin, a.Spec.RewardMax = 1, -1, 0
		a.ReturnRange = func() (float64, float64) { return -1, 0 }
		return
	}
	lo, hi := solverkit.RangeOfReturns(t.inner)
	a.Spec.RewardMin, a.Spec.RewardMax = min(a.Spec.RewardMin, 0), max(a.Spec.RewardMax, 0) // where all is settled nothing is paid
	if len(t.points) > 0 {
		refund := 0.0
		if t.how == bound {
			for i, x := range t.points[1:] {
				refund = max(refund, t.spec.Discount*(x-t.points[i]))
			}
		}
		// What is paid is 0, or a return minus what was left at first.
		first, last := slices.Min(t.points), slices.Max(t.points)
		a.Spec.RewardMin, a.Spec.RewardMax = min(a.Spec.RewardMin, a.Spec.RewardMin-last), max(a.Spec.RewardMax, a.Spec.RewardMax-first, refund)
		lo, hi = min(lo, lo-last), max(hi, hi-first)+refund*t.spec.EffectiveHorizon()
	}
	a.ReturnRange = func() (float64, float64) { return lo, hi }
}
