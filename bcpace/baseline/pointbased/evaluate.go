package pointbased

import (
	"context"
	"errors"
	"iter"
	"math"
)

// evaluate returns, by x, the vectors of a plan that uses no old vector: it replaces each
// by the vector that is now the best at the belief where the old one was made. So the
// plan has few vectors, also if the search has visited the same beliefs many times.
// evaluate computes the value of the plan by value iteration, with at most the given
// number of backups and up to the deadline of ctx, and returns nil if this does not show that
// the plan earns the lower bound at the start. The plan may earn less, if an old vector was
// used at another belief than the one where it was made.
//
// A sweep replaces v by T v, vector by vector in place. If no entry fell by more than e
// in the sweep, then v ≤ T v + γe, as the entries from which T v was made have fallen by
// at most e since. Then u = v − γe/(1−γ) has u ≤ T u: every vector of u is at most a
// backup of vectors of u, whatever v was. So v may be extrapolated on the way: from time
// to time every entry moves to the limit of its changes, taken as a geometric series.
func (t *VectorSet) evaluate(ctx context.Context, roots []Root, points iter.Seq[*BeliefPoint], backups int) [][]*Vector {
	if t.Discount == 1 {
		return nil // γ/(1−γ) is not a number
	}
	plan := t.newest(roots, points)
	w := NewScratch(t.SearchProblem)
	scale := 0.0
	for _, list := range t.Reward {
		for _, r := range list {
			scale = max(scale, math.Abs(r))
		}
	}
	lower := 0.0
	for _, r := range roots {
		lower += r.Share * r.Lower
	}
	rest := t.Discount / (1 - t.Discount)
	row, last := make([]float64, t.NY), make([]float64, len(plan)*t.NY)
	for sweep := 1; sweep*len(plan) <= backups && !errors.Is(ctx.Err(), context.DeadlineExceeded); sweep++ {
		jump, fall, rise := sweep%8 == 0, 0.0, 0.0
		for i := len(plan) - 1; i >= 0; i-- {
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return nil
			}
			v := plan[i]
			t.follow(w, row, v.x, int(v.action), v.next)
			for y, value := range row {
				change, before := value-v.value[y], last[i*t.NY+y]
				fall, rise = min(fall, change), max(rise, change)
				if r := change / before; jump && r > 0 && r <= t.Discount {
					value += change * r / (1 - r)
				}
				v.value[y], last[i*t.NY+y] = value, change
			}
		}
		if jump {
			continue
		}
		start := 0.0
		for i, r := range roots {
			start += r.Share * r.Dot(plan[i].value)
		}
		drop := rest*fall - 1e-12*scale/(1-t.Discount)
		switch {
		case start+drop >= lower:
			found := make([][]*Vector, t.NX)
			for _, v := range plan {
				for y := range v.value {
					v.value[y] += drop
				}
				found[v.x] = append(found[v.x], v)
			}
			return found
		case start+rest*rise < lower:
			return nil
		}
	}
	return nil
}

// newest returns copies of the vectors of the plan for evaluate: those of the roots, in
// their order, then those of the search, then what else they continue with. The next of a
// copy are copies, as follow takes them.
func (t *VectorSet) newest(roots []Root, points iter.Seq[*BeliefPoint]) []*Vector {
	for n := range points {
		n.origin.best = n.Vec
	}
	copies := make(map[*Vector]*Vector)
	var plan, from []*Vector
	add := func(v *Vector) *Vector {
		v = v.top()
		c := copies[v]
		if c == nil {
			c = &Vector{x: v.x, action: v.action, value: append([]float64(nil), v.value...)}
			copies[v] = c
			plan, from = append(plan, c), append(from, v)
		}
		return c
	}
	for _, r := range roots {
		add(r.Vec)
	}
	for x := range t.gamma {
		for _, v := range t.gamma[x].list {
			add(v)
		}
	}
	newer := func(v *Vector) *Vector {
		if v = v.top(); v.origin != nil {
			return v.origin.best
		}
		return v
	}
	for i := 0; i < len(plan); i++ {
		c, v := plan[i], from[i]
		if v.origin != nil {
			for _, w := range v.next {
				c.next = append(c.next, add(newer(w)))
			}
			continue
		}
		for _, to := range t.move[int(v.action)*t.NX+int(v.x)].to {
			w := add(newer(v.next[to]))
			for range t.sense[int(v.action)*t.NX+int(to)].obs {
				c.next = append(c.next, w)
			}
		}
	}
	return plan
}
