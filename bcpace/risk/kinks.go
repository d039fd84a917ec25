package risk

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"bayescpace/bcpace"
)

// kink has returns that episodes may have: those between two numbers that are as good as equal.
type kink struct{ low, high float64 }

// mostSums are how many states with what was earned so far are listed for the kinks.
const mostSums = 50_000

// kinks returns what an episode may earn, in ascending order, where that is not too much. Returns that are no further apart than wide may be one.
// Between two that follow each other, U is the least of linear functions of the level, one for each policy, so that g is convex, and largest at one of
// the two.
func (p *problem) kinks(ctx context.Context, wide float64) (list []kink, err error) {
	var z bcpace.Successors
	if err := z.ListStarts(p.model); err != nil {
		return nil, err
	}
	// By state: what was earned, and the sum of the sizes of its parts.
	now := map[int]map[float64]float64{}
	for i := range z.Len() {
		s, _, _ := z.Row(i)
		now[p.model.StateIndex(s)] = map[float64]float64{0: 0}
	}
	lister, s := bcpace.NewLister(p.model), make([]float64, len(p.spec.Axes))
	var rewards []float64
	steps, count := 0., 0
	for discount := 1.0; len(now) > 0; discount *= p.spec.Discount {
		ends := map[float64]float64{}
		for state, sums := range now {
			if low, high := discount*p.paths.low[state], discount*p.paths.high[state]; high-low <= wide {
				for sum, size := range sums {
					list = append(list, kinkOf(sum+low, sum+high, size+math.Abs(low), steps))
				}
				delete(now, state)
			}
		}
		steps++
		next := map[int]map[float64]float64{}
		for _, state := range slices.Sorted(maps.Keys(now)) {
			for a := range p.spec.Actions {
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				p.model.StateAt(s, state)
				if err := lister.List(s, a); err != nil {
					return nil, err
				}
				rows := &lister.Successors
				for i := range rows.Len() {
					to, prob, reward := rows.Row(i)
					rewards = classesOf(rewards[:0], prob, reward)
					after := ends
					if k := p.model.StateIndex(to); !rows.Done[i] && len(rewards) > 0 {
						if next[k] == nil {
							next[k] = map[float64]float64{}
						}
						after = next[k]
					}
					before := len(after)
					for sum, size := range now[state] {
						for _, r := range rewards {
							x := sum + discount*r
							after[x] = max(after[x], size+math.Abs(discount*r))
						}
					}
					if count += len(after) - before; count > mostSums {
						return nil, nil
					}
				}
			}
		}
		for x, size := range ends {
			list = append(list, kinkOf(x, x, size, steps))
		}
		now = next
	}
	slices.SortFunc(list, func(a, b kink) int { return cmp.Compare(a.low, b.low) })
	one := list[:0]
	for _, k := range list {
		if n := len(one); n > 0 && k.low <= one[n-1].high {
			one[n-1].high = max(one[n-1].high, k.high)
			continue
		}
		one = append(one, k)
	}
	return one, nil
}

// kinkOf is from low to high, but for the rounding of sums of steps, whose parts have sizes of which size is the sum.
func kinkOf(low, high, size, steps float64) kink {
	near := (rounded + unit*(steps+1)) * size
	return kink{low - near, high + near}
}
