package answer

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// TigerQuestion asks for the values of a Tiger problem.
type TigerQuestion struct {
	// Accuracy is the probability from 0.6 to 0.99 that listening tells the true side.
	Accuracy float64
	// Discount is γ, from 0.5 to 0.98.
	Discount float64
	// Penalty is what the tiger's door costs, from 1 to 200 in reward units.
	Penalty float64
	// Trials is the number of trials of the search that Step shows, from 1.
	Trials int
}

// TigerAnswer has the values of a Tiger problem over beliefs.
type TigerAnswer struct {
	Actions []string
	// Belief are probabilities that the tiger is left, rising from 0 to 1.
	Belief []float64
	// Optimal brackets the optimal value at all of them, and Within is the largest gap, in
	// reward units. A policy earns the lower bound.
	Optimal Bracket
	Within  float64
	// Regions say which action is best where, in rising order, and Digits how many decimals
	// of their ends the bounds prove, from 0 to 4: an end is at most one unit of the last
	// one off, and 0 proves nothing.
	Regions []Region
	Digits  int
	// Step are the bounds of a search from the even belief alone after so many Trials:
	// those asked for, or all that it takes.
	Step   Bracket
	Trials int
	// Trace has the bounds at the even belief after each trial of that search.
	Trace Bracket
	// Limited says that a search ended at its limit, so that its bounds may be further apart
	// than elsewhere.
	Limited bool
}

// Bracket are lower and upper bounds in reward units, by index.
type Bracket struct{ Lower, Upper []float64 }

// Region is an interval of beliefs where one action is best.
type Region struct {
	From, To float64
	Action   int
}

const (
	// tigerBeliefs is the number of intervals between the beliefs of an answer. The search
	// starts from every tigerStarts-th of them, and from all near the ends, where the value
	// bends.
	tigerBeliefs = 100
	tigerStarts  = 5
	// tigerEpsilon is the gap, in reward units, at which the search ends. It suffices for
	// a curve that is drawn.
	tigerEpsilon = 0.02
)

// Tiger brackets the optimal value of a Tiger problem, over all beliefs and step by step.
func Tiger(q TigerQuestion) (*TigerAnswer, error) {
	if err := cmp.Or(
		within("Accuracy", q.Accuracy, 0.6, 0.99), within("Discount", q.Discount, 0.5, 0.98),
		within("Penalty", q.Penalty, 1, 200), within("Trials", float64(q.Trials), 1, trialsMost)); err != nil {
		return nil, err
	}
	m := tiger{envs.Tiger{Accuracy: q.Accuracy, Discount: q.Discount}, q.Penalty}
	a := &TigerAnswer{Actions: actionNames(m.Spec()), Belief: evenly(tigerBeliefs)}
	value, err := newTigerValue(m)
	if err != nil {
		return nil, err
	}
	a.Optimal, a.Within = value.over(a.Belief)
	one := certified.Solver{Epsilon: tigerEpsilon}
	whole, err := search(m, one)
	if err != nil {
		return nil, err
	}
	a.Limited = limited(value.run) || limited(whole)
	a.Trials = min(q.Trials, len(whole.Trace))
	one.MaxEpisodes = a.Trials
	step, err := search(m, one)
	if err != nil {
		return nil, err
	}
	for _, e := range whole.Trace {
		a.Trace.add(e.Value-e.Gap, e.Value)
	}
	for _, left := range a.Belief {
		a.Step.add(bounds(step, place(left)))
	}
	a.Regions, a.Digits, err = regions(m, a.Belief, value)
	return a, err
}

// actionNames are the names of the actions of a model.
func actionNames(spec bcpace.Spec) (names []string) {
	for _, a := range spec.Actions {
		names = append(names, a.Name)
	}
	return names
}

// evenly returns numbers from 0 to 1, with so many intervals between them.
func evenly(n int) (list []float64) {
	for i := range n + 1 {
		list = append(list, float64(i)/float64(n))
	}
	return list
}

// add appends a pair of bounds.
func (b *Bracket) add(lower, upper float64) {
	b.Lower, b.Upper = append(b.Lower, lower), append(b.Upper, upper)
}

// place returns a state with a probability that the tiger is left. What was heard last
// changes no value.
func place(left float64) bcpace.StartPoint {
	return bcpace.StartPoint{State: []float64{0}, Belief: bcpace.Belief{left, 1 - left}}
}

// tiger is the Tiger problem with another penalty.
type tiger struct {
	envs.Tiger
	penalty float64
}

// Spec implements bcpace.Model.
func (t tiger) Spec() bcpace.Spec {
	s := t.Tiger.Spec()
	s.Name, s.RewardMin = "tiger with a penalty", min(-t.penalty, -1)
	return s
}

// Step implements bcpace.Model.
func (t tiger) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	o := t.Tiger.Step(next, s, latent, action, rng)
	o.Reward = t.priced(o.Reward)
	return o
}

// Successors implements bcpace.Enumerator.
func (t tiger) Successors(z *bcpace.Successors, s []float64, action int) {
	n := z.Len()
	t.Tiger.Successors(z, s, action)
	for i := n; i < z.Len(); i++ {
		_, _, reward := z.Row(i)
		for latent, r := range reward {
			reward[latent] = t.priced(r)
		}
	}
}

// priced returns a reward of envs.Tiger, with the penalty in place of that for the tiger's
// door, the only one below the −1 for listening.
func (t tiger) priced(reward float64) float64 {
	if reward < -1 {
		return -t.penalty
	}
	return reward
}

// Limits of a search, which bound the work for a question. The questions that the pages
// offer end by themselves well before.
const (
	samplesMost = 8_000
	trialsMost  = 4_000
)

// search explores in one goroutine, as a browser has only one for a page's work. It ends at
// the limits above, or after fewer trials if s says so.
func search(m bcpace.Model, s certified.Solver) (*runs.Run, error) {
	s.MaxSamples = samplesMost
	if s.MaxEpisodes == 0 {
		s.MaxEpisodes = trialsMost
	}
	return s.Explore(context.Background(), m, bcpace.Control{Workers: 1})
}

// limited reports whether a search ended at a limit: its bounds hold, and may be further
// apart than its ε.
func limited(r *runs.Run) bool { return !r.Stop.ByItself() }

// bounds returns the lower and upper bound that a search on a Finite model has of the
// optimal value.
func bounds(r *runs.Run, p bcpace.StartPoint) (lower, upper float64) {
	upper, _ = r.At(p.State, p.Belief)
	lower, _ = r.Values().(interface {
		Lower(s []float64, b bcpace.Belief) (float64, int)
	}).Lower(p.State, p.Belief)
	return lower, upper
}

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
	for i, left := range evenly(tigerBeliefs) {
		if i%tigerStarts == 0 || i < tigerStarts || i > tigerBeliefs-tigerStarts {
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
	lower, upper = bounds(v.run, place(left))
	l, u := bounds(v.run, bcpace.StartPoint{State: []float64{0}, Belief: bcpace.Belief{1 - left, left}})
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
		var bounds [2]float64
		for i := range bounds {
			bounds[i] = l.Backup(bcpace.Belief{left, 1 - left}, func(_ []float64, b bcpace.Belief) float64 {
				lower, upper := v.at(b[0])
				return [2]float64{lower, upper}[i]
			})
		}
		b.add(bounds[0], bounds[1])
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
		cross := func(from, to float64, better func(b Bracket) float64) float64 {
			return crossing(func(left float64) float64 { return better(v.lookahead(lists, left)) }, from, to)
		}
		end := cross(r.To, s.From, func(b Bracket) float64 { return b.Lower[r.Action] - b.Lower[s.Action] })
		last := cross(r.inside(), end, func(b Bracket) float64 { return b.Lower[r.Action] - b.Upper[s.Action] })
		first := cross(end, s.inside(), func(b Bracket) float64 { return b.Upper[r.Action] - b.Lower[s.Action] })
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
