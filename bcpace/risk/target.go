package risk

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/controller"
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
	chance bool // the loss is 1 for a return below the level, and otherwise how far it falls short of it
	// strict is for a chance: what may be rounding in one of the histories that came to the same, but not in all, is below the level. doubt
	// is whether there was such a thing.
	strict, doubt bool
	// missed is the most by which a reward, or what is left of the level, differed from what stands for it, in one step of the lists, as a share
	// of what it was computed from.
	missed float64

	grid   axis
	points points // by place−firstPoint
	open   bool   // the states are being listed: a value without a place gets one
	at     int    // the state of which the successors are being listed
	late   bool   // the size of a state has grown after its successors were listed

	numbers map[int64]int32 // by state of inner and value
	states  []int64
	sizes   []size // by state, for a chance: of what is left of the level
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
	t.numbers, t.open = map[int64]int32{}, true
	if t.how != exact {
		for k := range t.grid.Cells {
			t.points.list = append(t.points.list, t.grid.at(t.grid.First+k))
		}
	}
	for _, state := range t.starts {
		t.reach(state, t.begin(), size{math.Abs(t.level), math.Abs(t.level)})
	}
	for again := 0; ; again++ {
		if err := t.follow(ctx, most); err != nil {
			return nil, err
		}
		if !t.late {
			break
		}
		if again > t.spec.Horizon {
			return nil, &bcpace.ConformanceError{Model: t.spec.Name, What: "KeepsHorizon says that every episode ends by itself within Spec.Horizon steps, and from some state it may go on"}
		}
	}
	t.open = false
	return &t, nil
}

// follow lists what follows all states.
func (t *target) follow(ctx context.Context, most int) error {
	var z bcpace.Successors
	s := make([]float64, t.axes+1)
	t.late = false
	for t.at = 0; t.at < len(t.states); t.at++ {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case len(t.states) > most:
			return errMany
		}
		for a := range t.spec.Actions {
			t.stateAt(s, t.at)
			z.Reset(t.axes+1, len(t.spec.Latents))
			t.successors(&z, s, a)
		}
	}
	return nil
}

// reach gives a state of the inner model with a value a number, while they are listed.
func (t *target) reach(state, value int, of size) {
	key := int64(state)<<32 | int64(value)
	n, there := t.numbers[key]
	if !there {
		n = int32(len(t.states))
		t.numbers[key] = n
		t.states = append(t.states, key)
	}
	switch {
	case !t.chance:
	case there:
		z := t.sizes[n].with(of)
		t.late = t.late || z != t.sizes[n] && int(n) <= t.at
		t.sizes[n] = z
	default:
		t.sizes = append(t.sizes, of)
	}
}

// size returns that of a state.
func (t *target) size(s []float64) size {
	n := t.stateIndex(s)
	if !t.chance || n < 0 {
		return size{}
	}
	z := t.sizes[n]
	if place := t.place(s); place >= firstPoint { // a grid point may be further away than what was rounded to it
		x := math.Abs(t.left(place))
		z = size{max(z.least, x), max(z.most, x)}
	}
	return z
}

// unsure returns by how much what is left of a level may be wrong, where it was computed from numbers of a size: each step rounds, and what stands
// for a reward and for what is left may differ from them.
func (t *target) unsure(size float64) float64 { return 4 * rounded * size * float64(t.spec.Horizon) }

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
	if t.how != exact {
		return (firstPoint + int(math.Round(t.grid.number(t.level))) - t.grid.First) * t.classes
	}
	return t.point(left{t.level, math.Abs(t.level)}) * t.classes
}

// left is what is left of the level, and the size of the numbers of the step that it was computed from, which those of the whole history are not below.
type left struct{ y, of float64 }

// point returns the place of what is left, where each value is a point.
func (t *target) point(y left) int { return firstPoint + int(t.points.find(y.y, y.of, t.open)) }

// left returns what is left at a place that is a point.
func (t *target) left(place int) float64 { return t.points.list[place-firstPoint] }

// after returns what is left after a reward.
func (t *target) after(x, reward float64) left {
	return left{(x - reward) / t.spec.Discount, (math.Abs(x) + math.Abs(reward) + math.Abs(t.level)) / t.spec.Discount}
}

// share is a place and its probability.
type share struct {
	place int
	prob  float64
}

// miss notes by how much y, which was computed from numbers of a size, differs from x, which stands for it.
func (t *target) miss(y, x, of float64) {
	if t.open && y != x {
		t.missed = max(t.missed, math.Abs(y-x)/of)
	}
}

// arrive returns where what is left on arrival in a state comes to. Of is the size of what the whole history was computed from.
func (t *target) arrive(x left, of size, state int) (list [2]share) {
	y, near := x.y, rounded*x.of
	switch {
	case y <= t.low[state]+near:
		t.miss(max(y, t.low[state]), t.low[state], x.of)
		return [2]share{{settled, 1}}
	case t.chance && y > t.high[state]+t.unsure(of.most):
		return [2]share{{beyond, 1}}
	case !t.chance && y >= t.high[state]-near:
		t.miss(min(y, t.high[state]), t.high[state], x.of)
		return [2]share{{beyond, 1}}
	case t.how == exact:
		at := t.point(x)
		t.miss(y, t.left(at), x.of)
		return [2]share{{at, 1}}
	}
	k, there := t.grid.below(y, near)
	at := firstPoint + k - t.grid.First
	switch {
	case there:
		t.miss(y, t.left(at), x.of)
		return [2]share{{at, 1}}
	case t.how == bound && (t.chance || y < t.grid.Centre):
		return [2]share{{at, 1}}
	case t.how != mean:
		return [2]share{{at + 1, 1}}
	}
	rest := (y - t.left(at)) / (t.left(at+1) - t.left(at))
	return [2]share{{at, 1 - rest}, {at + 1, rest}}
}

// lost returns the loss of an episode that ends with y left, which was computed from numbers of a size.
func (t *target) lost(y float64, of size) float64 {
	if !t.chance {
		return t.spec.Discount * max(y, 0)
	}
	least, most := t.unsure(of.least), t.unsure(of.most)
	t.doubt = t.doubt || t.open && y > least && y <= most
	if t.strict {
		most = least
	}
	if y <= most {
		return 0
	}
	return 1
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
		controller.Stay(z, s)
		return
	}
	var rows bcpace.Successors
	rows.Reset(t.axes, len(t.spec.Latents))
	t.list(&rows, s[:t.axes:t.axes], action)
	before := t.size(s)
	var rewards []float64
	for i := range rows.Len() {
		next, prob, reward := rows.Row(i)
		rewards = classesOf(rewards[:0], prob, reward)
		first := z.Len()
		add := func(place, class, φ int, p, r float64, done bool) {
			value := float64(place*t.classes + class)
			if t.open {
				t.reach(t.inner.StateIndex(next), int(value), before.after(rewards[class], t.spec.Discount))
			}
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
			t.miss(reward[φ], paid, math.Abs(paid))
			switch {
			case place == beyond && rows.Done[i]:
				add(settled, class, φ, p, paid, true)
			case place == beyond:
				add(beyond, class, φ, p, paid, false)
			case rows.Done[i]:
				add(settled, class, φ, p, -t.lost(t.after(t.left(place), paid).y, before.after(paid, t.spec.Discount)), true)
			default:
				y := t.after(t.left(place), paid)
				for _, to := range t.arrive(y, before.after(paid, t.spec.Discount), t.inner.StateIndex(next)) {
					if to.prob > 0 {
						r, done := t.pays(to.place, y.y)
						add(to.place, class, φ, p*to.prob, r, done)
					}
				}
			}
		}
	}
}

// classesOf appends the rewards of a row that differ, in ascending order.
func classesOf(list, prob, reward []float64) []float64 {
	for φ, q := range prob {
		if q == 0 {
			continue
		}
		k, there := slices.BinarySearch(list, reward[φ])
		if !there && (k == 0 || !equal(reward[φ], list[k-1])) && (k == len(list) || !equal(list[k], reward[φ])) {
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

// class returns the class of a reward that was paid on the way from s to next: that of the nearest one on the list, and that one.
// At a place where the reward does not count it may be any.
func (t *target) class(place int, s []float64, action int, reward float64, next []float64) (class int, listed float64) {
	if listed = reward; t.classes == 1 && place < firstPoint {
		return 0, listed
	}
	var rows bcpace.Successors
	rows.Reset(t.axes, len(t.spec.Latents))
	t.list(&rows, s, action)
	for i := range rows.Len() {
		if to, prob, r := rows.Row(i); slices.Equal(to, next) {
			if list := classesOf(nil, prob, r); len(list) > 0 {
				class = nearest(list, reward)
				listed = list[class]
			}
		}
	}
	return class, listed
}

// draw returns the place on arrival in next, where y is left after a reward in state s.
func (t *target) draw(y left, s []float64, reward float64, next []float64, rng *rand.Rand) int {
	list := t.arrive(y, t.size(s).after(reward, t.spec.Discount), t.inner.StateIndex(next))
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
	class, paid := t.class(place, from, action, out.Reward, to)
	at := settled
	switch {
	case place == beyond && !out.Done:
		at = beyond
	case place == beyond:
	case out.Done:
		out.Reward = -t.lost(t.after(t.left(place), paid).y, t.size(s).after(paid, t.spec.Discount))
	default:
		y := t.after(t.left(place), paid)
		at = t.draw(y, s, paid, to, rng)
		out.Reward, out.Done = t.pays(at, y.y)
	}
	next[t.axes] = float64(at*t.classes + class)
	return out
}

// model returns the model whose optimal value is minus the least loss, or with a level of +Inf the largest return.
func (t *target) model() bcpace.Model {
	return bcpace.Derive(t.inner, func(_ bcpace.Model, a *bcpace.Abilities) {
		a.Spec.Name += ", with what is left of a level"
		last := (firstPoint+len(t.points.list))*t.classes - 1
		t.ranges(a)
		left := bcpace.Axis{Name: "left of the level", Max: float64(last), Discrete: true}
		controller.WithAxis(a, left, func([]float64) float64 { return float64(t.begin()) }, t.successors)
		a.Step, a.NextLatent = t.step, nil
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
	lo, hi := rangeOf(t.inner)
	a.Spec.RewardMin, a.Spec.RewardMax = min(a.Spec.RewardMin, 0), max(a.Spec.RewardMax, 0) // where all is settled nothing is paid
	if points := t.points.list; len(points) > 0 {
		refund := 0.0
		if t.how == bound {
			for i, x := range points[1:] {
				refund = max(refund, t.spec.Discount*(x-points[i]))
			}
		}
		// What is paid is 0, or a return minus what was left at first.
		first, last := slices.Min(points), slices.Max(points)
		a.Spec.RewardMin, a.Spec.RewardMax = min(a.Spec.RewardMin, a.Spec.RewardMin-last), max(a.Spec.RewardMax, a.Spec.RewardMax-first, refund)
		lo, hi = min(lo, lo-last), max(hi, hi-first)+refund*t.spec.EffectiveHorizon()
	}
	a.ReturnRange = func() (float64, float64) { return lo, hi }
}
