package risk

import (
	"context"
	"maps"
	"math"
	"slices"

	"bayescpace/bcpace"
)

// kink is a return that an episode may have, which is between two numbers, whatever rounding does.
type kink struct{ low, high float64 }

// mostSums are how many states with what was earned so far are listed for the kinks.
const mostSums = 50_000

// kinks returns what an episode may earn, in ascending order, or nil where the model has no horizon or that is too much. Between two of them that
// follow each other U is the least of linear functions of the level, one for each policy, so that g is convex, and largest at one of the two.
func (p *problem) kinks(ctx context.Context) (list []kink, err error) {
	if p.spec.Horizon == 0 {
		return nil, nil
	}
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
	ends, lister, s := map[float64]float64{}, bcpace.NewLister(p.model), make([]float64, len(p.spec.Axes))
	var rewards []float64
	for count, discount := 0, 1.0; len(now) > 0; discount *= p.spec.Discount {
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
		now = next
	}
	for x, size := range ends {
		near := (rounded + unit*float64(p.spec.Horizon)) * size
		list = append(list, kink{x - near, x + near})
	}
	slices.SortFunc(list, func(a, b kink) int {
		if a.low < b.low {
			return -1
		}
		return 1
	})
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
