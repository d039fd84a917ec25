package vectors

import (
	"context"
	"math/rand/v2"

	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/online"
)

// WeightedVectors are hidden vectors at a node, each with a weight; the weights sum to 1.
type WeightedVectors interface {
	Len() int
	At(i int) (x []float64, weight float64)
	// Stream returns the random numbers of point i after so many steps from the node.
	Stream(i, step int) *rand.Rand
}

// Leaves bounds the values of leaves, for searches between bounds. Model.Bounds are cut to the range of returns, which
// stands for them where there are none.
//
// From below, it is what the better of two policies earns, neither of which sees the hidden vector: one action always, or
// Model.Rollout for the hidden vector of the heaviest point. Beyond the root a lower bound of Model.Bounds stands in the
// place of the one action, and of all that follows the end of that Rollout, if it says more than the range of returns. Where there
// is a Table, it is what the best of its policies earns.
//
// What is played is cut after the steps of a simulation, and Model.Bounds count all that follows. So where a policy is cut before the
// horizon of the model, Model.Bounds say what it earns from there: the lower one, if that says more than the range of returns, and else the
// upper one if it is below 0, so that costs after the cut count. Without them, nothing counts after the cut.
type Leaves struct {
	// Blind is the action that is best if it is always taken, at the root.
	Blind int

	model           *hidden.Model
	table           *GuessTable // stands in the place of all that is played; nil without
	policy          int         // of table: the best one at the root
	lo, hi          float64     // range of returns
	goesOn          bool        // an episode may go on after the steps of a simulation
	choice          *rand.Rand
	s, next, x, xTo []float64
	path            []float64 // hidden vectors of the heaviest point, by step
}

// NewLeaves returns the bounds of leaves in m for simulations of so many steps. table may be nil.
func NewLeaves(m *hidden.Model, table *GuessTable, depth int) *Leaves {
	axes, dim, horizon := len(m.Spec.Axes), len(m.Spec.Hidden), m.Spec.Horizon
	return &Leaves{model: m, table: table, lo: m.Spec.VMin(), hi: m.Spec.VMax(), goesOn: horizon == 0 || depth < horizon, s: make([]float64, axes), next: make([]float64, axes), x: make([]float64, dim), xTo: make([]float64, dim)}
}

// Begin begins a decision at state s with those points, after which simulations have so many steps. The error may be that of ctx.
func (l *Leaves) Begin(ctx context.Context, s []float64, at WeightedVectors, steps int, rng *rand.Rand) (err error) {
	l.choice = rng
	if l.table != nil {
		_, l.policy = l.table.best(s, at, steps)
		l.Blind = l.table.policies[l.policy].first
		return nil
	}
	_, l.Blind, err = online.BestAction(len(l.model.Spec.Actions), 1, func(a int) (float64, error) {
		return l.play(ctx, s, at, steps, steps, func([]float64, int) int { return a })
	})
	return err
}

// Of returns mean bounds of the points at state s, and whether the lower one says more than the range of returns. Points without
// weight do not count: they may be such as are impossible there. The error is that of bounds.
func (l *Leaves) Of(s []float64, at WeightedVectors) (lower, upper float64, told bool, err error) {
	for i := range at.Len() {
		x, w := at.At(i)
		if w == 0 {
			continue
		}
		lo, up, more, err := l.bounds(s, x)
		if err != nil {
			return 0, 0, false, err
		}
		lower, upper, told = lower+w*lo, upper+w*up, told || more
	}
	return lower, upper, told, nil
}

// bounds returns those of Model.Bounds, cut to the range of returns, and whether the lower one says more than that range. The error is that
// of Model.Bound.
func (l *Leaves) bounds(s, x []float64) (lower, upper float64, told bool, err error) {
	m := l.model
	if m.Bounds == nil {
		return l.lo, l.hi, false, nil
	}
	lo, up, err := m.Bound(s, x)
	lower = min(max(lo, l.lo), l.hi)
	return lower, max(lower, min(up, l.hi)), lo > l.lo, err // they may cross by rounding
}

// Earned returns what the better default policy earns from state s in so many steps, and the action that it takes first. The error
// may be that of ctx.
func (l *Leaves) Earned(ctx context.Context, s []float64, at WeightedVectors, steps int) (value float64, action int, err error) {
	if l.table != nil {
		value, policy := l.table.best(s, at, steps)
		return value, l.table.policies[policy].first, nil
	}
	if value, err = l.play(ctx, s, at, steps, steps, l.blindly); err != nil {
		return 0, 0, err
	}
	return l.Better(ctx, s, at, steps, value)
}

// Better returns the larger one of base, with the one action always, and of what Model.Rollout for the hidden vector of the
// heaviest point earns, with the action that it takes first. The error may be that of ctx.
func (l *Leaves) Better(ctx context.Context, s []float64, at WeightedVectors, steps int, base float64) (value float64, action int, err error) {
	if l.model.Rollout == nil || steps <= 0 {
		return base, l.Blind, nil
	}
	if value, action, err = l.followed(ctx, s, at, steps); err != nil || value > base {
		return value, action, err
	}
	return base, l.Blind, nil
}

// blindly is the policy of one action always.
func (l *Leaves) blindly([]float64, int) int { return l.Blind }

// Randomly returns what a policy that draws each action earns from state s in so many steps. The error may be that of ctx.
func (l *Leaves) Randomly(ctx context.Context, s []float64, at WeightedVectors, steps int) (value float64, err error) {
	return l.play(ctx, s, at, steps, steps, func([]float64, int) int { return l.choice.IntN(len(l.model.Spec.Actions)) })
}

// Blindly returns what the policy of one action always earns for one point from state s in so many steps. The error may be that of ctx.
func (l *Leaves) Blindly(ctx context.Context, s []float64, at WeightedVectors, i, steps int) (value float64, err error) {
	if l.table != nil {
		x, _ := at.At(i)
		return l.table.of(l.policy, l.table.place(s, x), steps), nil
	}
	return l.playOne(ctx, s, at, i, steps, steps, l.blindly)
}

// followed returns what Model.Rollout for the hidden vector of the heaviest point earns, and the action that it takes first. The
// error may be that of ctx.
func (l *Leaves) followed(ctx context.Context, s []float64, at WeightedVectors, steps int) (value float64, action int, err error) {
	first, err := l.follow(ctx, s, at, steps)
	if err != nil {
		return 0, 0, err
	}
	dim, last := len(l.x), len(l.path)/len(l.x)-1
	value, err = l.play(ctx, s, at, steps, last+1, func(s []float64, step int) int {
		if step == 0 {
			return first
		}
		k := min(step, last) * dim
		return l.model.Rollout(s, l.path[k:k+dim], l.choice)
	})
	return value, first, err
}

// follow plays Model.Rollout for the heaviest point, which keeps its hidden vectors in path, and returns the first action.
func (l *Leaves) follow(ctx context.Context, s []float64, at WeightedVectors, steps int) (first int, err error) {
	heaviest, top := 0, -1.0
	for i := range at.Len() {
		if _, w := at.At(i); w > top {
			heaviest, top = i, w
		}
	}
	x, _ := at.At(heaviest)
	l.path = append(l.path[:0], x...)
	first = l.model.Rollout(s, x, l.choice)
	action := first
	copy(l.s, s)
	copy(l.x, x)
	for step := range steps {
		if err := online.Glance(ctx, step); err != nil {
			return 0, err
		}
		if step > 0 {
			action = l.model.Rollout(l.s, l.x, l.choice)
		}
		out := l.model.Step(l.next, l.xTo, l.s, l.x, action, at.Stream(heaviest, step))
		if out.Done {
			break
		}
		l.s, l.next, l.x, l.xTo = l.next, l.s, l.xTo, l.x
		l.path = append(l.path, l.x...)
	}
	return first, nil
}

// play returns the mean return of the points from state s on: of so many steps, or of those that are planned and what is told of
// what they lead to; and of what follows a cut. The error may be that of ctx.
func (l *Leaves) play(ctx context.Context, s []float64, at WeightedVectors, steps, planned int, act func(s []float64, step int) int) (mean float64, err error) {
	for i := range at.Len() {
		_, w := at.At(i)
		if w == 0 {
			continue
		}
		earned, err := l.playOne(ctx, s, at, i, steps, planned, act)
		if err != nil {
			return 0, err
		}
		mean += w * earned
	}
	return mean, nil
}

// playOne is play for one point. The error may be that of ctx.
func (l *Leaves) playOne(ctx context.Context, s []float64, at WeightedVectors, i, steps, planned int, act func(s []float64, step int) int) (earned float64, err error) {
	m := l.model
	x, _ := at.At(i)
	copy(l.s, s)
	copy(l.x, x)
	weight := 1.0
	for step := range steps {
		if err := online.Glance(ctx, step); err != nil {
			return 0, err
		}
		if step == planned {
			if lower, _, told, err := l.bounds(l.s, l.x); told || err != nil {
				return earned + weight*lower, err
			}
		}
		out := m.Step(l.next, l.xTo, l.s, l.x, act(l.s, step), at.Stream(i, step))
		earned += weight * out.Reward
		if out.Done {
			return earned, nil
		}
		weight *= m.Spec.Discount
		l.s, l.next, l.x, l.xTo = l.next, l.s, l.xTo, l.x
	}
	if !l.goesOn {
		return earned, nil
	}
	lower, upper, told, err := l.bounds(l.s, l.x)
	if !told {
		lower = min(0, upper)
	}
	return earned + weight*lower, err
}
