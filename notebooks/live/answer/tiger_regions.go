package answer

import (
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/runs"
)

// tigerValue brackets the optimal value of a Tiger problem at every belief.
type tigerValue struct {
	run    *runs.Run
	starts []float64 // of the search, rising from 0 to 1 and the same from both ends
	upper  []float64 // at the starts
}

// newTigerValue searches from many beliefs.
func newTigerValue(m tiger) (*tigerValue, error) {
	v := &tigerValue{}
	var starts []bcpace.StartPoint
	for i := range tigerBeliefs + 1 {
		if i%tigerStarts == 0 || i < tigerStarts || i > tigerBeliefs-tigerStarts {
			left := float64(i) / tigerBeliefs
			v.starts, starts = append(v.starts, left), append(starts, place(left))
		}
	}
	var err error
	if v.run, err = search(m, certified.Solver{Epsilon: tigerEpsilon, Starts: starts}); err != nil {
		return nil, err
	}
	for _, left := range v.starts {
		_, upper := v.both(left)
		v.upper = append(v.upper, upper)
	}
	return v, nil
}

// both returns the bounds of the search at a belief. The problem is the same with its sides
// exchanged, so that those of the mirrored belief hold as well.
func (v *tigerValue) both(left float64) (lower, upper float64) {
	belief := func(left, right float64) bcpace.StartPoint {
		return bcpace.StartPoint{State: []float64{0}, Belief: bcpace.Belief{left, right}}
	}
	lower, upper = bounds(v.run, belief(left, 1-left))
	l, u := bounds(v.run, belief(1-left, left))
	return max(lower, l), min(upper, u)
}

// at returns the bounds at a belief. The optimal value is convex in the belief, and so at
// most on the line between the upper bounds at the two starts around it.
func (v *tigerValue) at(left float64) (lower, upper float64) {
	lower, upper = v.both(left)
	if k, found := slices.BinarySearch(v.starts, left); !found && k > 0 && k < len(v.starts) {
		share := (left - v.starts[k-1]) / (v.starts[k] - v.starts[k-1])
		upper = min(upper, (1-share)*v.upper[k-1]+share*v.upper[k])
	}
	return lower, upper
}

// over returns the bounds at beliefs, and their largest gap.
func (v *tigerValue) over(beliefs []float64) (b Bracket, within float64) {
	for _, left := range beliefs {
		lower, upper := v.at(left)
		b.add(lower, upper)
		within = max(within, upper-lower)
	}
	return b, within
}

// lookahead brackets the value of each action at a belief, by the values one step later.
func (v *tigerValue) lookahead(lists []*bcpace.Lister, left float64) (b Bracket) {
	for _, l := range lists {
		backup := func(bound func(left float64) float64) float64 {
			return l.Backup(bcpace.Belief{left, 1 - left}, func(_ []float64, b bcpace.Belief) float64 { return bound(b[0]) })
		}
		b.add(backup(func(left float64) float64 { lower, _ := v.at(left); return lower }),
			backup(func(left float64) float64 { _, upper := v.at(left); return upper }))
	}
	return b
}

// regions says which action of a Tiger problem is best where, and how many decimals of the
// ends of the regions the bounds prove.
func regions(m tiger, beliefs []float64, v *tigerValue) (list []Region, digits int, err error) {
	var lists []*bcpace.Lister
	for action := range m.Spec().Actions {
		l := bcpace.NewLister(m)
		if err := l.List([]float64{0}, action); err != nil {
			return nil, 0, err
		}
		lists = append(lists, l)
	}
	for _, left := range beliefs {
		lower := v.lookahead(lists, left).Lower
		best := slices.Index(lower, slices.Max(lower))
		if n := len(list); n > 0 && list[n-1].Action == best {
			list[n-1].To = left
			continue
		}
		list = append(list, Region{From: left, To: left, Action: best})
	}
	off := 0.0 // how far an end may be from the true one
	for k := range len(list) - 1 {
		r, s := &list[k], &list[k+1]
		// Between these two beliefs the policy changes. It is r's action that is best at the
		// last belief where even its lower bound is the higher one, and s's so from the first.
		better := func(left float64) float64 {
			b := v.lookahead(lists, left)
			return b.Lower[r.Action] - b.Lower[s.Action]
		}
		end := crossing(better, r.To, s.From)
		last := crossing(func(left float64) float64 {
			b := v.lookahead(lists, left)
			return b.Lower[r.Action] - b.Upper[s.Action]
		}, r.inside(), end)
		first := crossing(func(left float64) float64 {
			b := v.lookahead(lists, left)
			return b.Upper[r.Action] - b.Lower[s.Action]
		}, end, s.inside())
		off = max(off, end-last, first-end)
		r.To, s.From = end, end
	}
	return list, decimals(off), nil
}

// decimals returns how many decimals of a printed number are right to one unit, from 0 to
// 4, if the number may be off by so much: to print it adds half a unit.
func decimals(off float64) int {
	return min(max(int(math.Floor(-math.Log10(2*max(off, 1e-12)))), 0), 4)
}

// inside returns a belief where the action of a region is as clearly the best as anywhere.
func (r Region) inside() float64 {
	switch {
	case r.From == 0:
		return 0
	case r.To == 1:
		return 1
	}
	return (r.From + r.To) / 2
}

// crossing returns where a function that falls from one belief to another crosses 0.
func crossing(f func(left float64) float64, from, to float64) float64 {
	for range 40 {
		if middle := (from + to) / 2; f(middle) >= 0 {
			from = middle
		} else {
			to = middle
		}
	}
	return (from + to) / 2
}
