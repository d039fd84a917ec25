package games

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

	"bayescpace/bcpace"
)

// mostLastRewards is how many rewards an end of an episode may tell apart.
const mostLastRewards = 256

// lastRewards are what the end of an episode tells of the latent in a model whose next state
// tells less: that the episode is over, and which reward came with that. An end has a number
// from 1 on; nil has the one end 1, and tells nothing.
type lastRewards struct {
	values  []float64 // by end − 1, ascending; empty where they tell nothing, and there is one end
	slack   float64   // by which rewards that count as equal may differ
	axes    int       // of the model, and the number of its latents
	latents int
	pool    sync.Pool // of *bcpace.Successors
}

// newLastRewards returns those of m, or nil where the end of an episode tells nothing.
func newLastRewards(m bcpace.Finite) (*lastRewards, error) {
	spec := m.Spec()
	e := &lastRewards{slack: 1e-9 * (spec.RewardMax - spec.RewardMin)}
	e.axes, e.latents = len(spec.Axes), len(spec.Latents)
	e.pool.New = func() any { return new(bcpace.Successors) }
	var rewards []float64
	var informative, doubtful bool // by the reward, by that it ends
	err := eachRow(m, func(z *bcpace.Successors, i int, _ []float64, _ int) error {
		if !z.Done[i] {
			return nil
		}
		to, p, r := z.Row(i)
		first := math.NaN()
		for φ := range p {
			if p[φ] == 0 {
				continue
			}
			if math.IsNaN(first) {
				first = r[φ]
			}
			informative = informative || math.Abs(r[φ]-first) > e.slack
			if at, _ := e.find(rewards, r[φ]); at < 0 {
				k, _ := slices.BinarySearch(rewards, r[φ])
				rewards = slices.Insert(rewards, k, r[φ])
			}
		}
		for j := range z.Done {
			other, _, _ := z.Row(j)
			doubtful = doubtful || j != i && slices.Equal(other, to)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	switch {
	case informative && len(rewards) > mostLastRewards:
		return nil, bcpace.In("OneShot of model "+strconv.Quote(spec.Name)).Bad("the number of rewards that may end an episode", len(rewards),
			fmt.Sprintf("at most %d: put what the agent sees of them into the state", mostLastRewards))
	case informative:
		e.values = rewards
	case !doubtful:
		return nil, nil
	}
	return e, nil
}

// find returns the place of a reward among ascending ones, −1 where it is not among them, and
// the nearest place.
func (e *lastRewards) find(rewards []float64, r float64) (at, near int) {
	k, _ := slices.BinarySearch(rewards, r)
	if k == len(rewards) || k > 0 && r-rewards[k-1] < rewards[k]-r {
		k--
	}
	if k < 0 || math.Abs(rewards[k]-r) > e.slack {
		return -1, max(k, 0)
	}
	return k, k
}

// len returns the number of ends.
func (e *lastRewards) len() int {
	if e == nil || len(e.values) == 0 {
		return 1
	}
	return len(e.values)
}

// end returns that of an episode that pays so in its last step, on average.
func (e *lastRewards) end(reward float64) int {
	if e.len() == 1 {
		return 1
	}
	_, near := e.find(e.values, reward)
	return near + 1
}

// drawn returns the end that a step to next has, which drew a reward: a row of m's list says what
// it pays on average.
func (e *lastRewards) drawn(m bcpace.Finite, next, s []float64, latent, action int, reward float64) int {
	if e.len() == 1 {
		return 1
	}
	z := e.list(m, s, action)
	defer e.pool.Put(z)
	best, apart := e.end(reward), math.Inf(1)
	for i, done := range z.Done {
		to, p, r := z.Row(i)
		if d := math.Abs(r[latent] - reward); done && p[latent] > 0 && d < apart && slices.Equal(to, next) {
			best, apart = e.end(r[latent]), d
		}
	}
	return best
}

// logShare returns the logarithm of the probability of an end, 0 for none, given that next
// follows (s, action) under a latent.
func (e *lastRewards) logShare(m bcpace.Finite, s []float64, action int, next []float64, latent, end int) float64 {
	if e == nil {
		return 0
	}
	z := e.list(m, s, action)
	defer e.pool.Put(z)
	all, so := 0.0, 0.0
	for i, done := range z.Done {
		to, p, r := z.Row(i)
		if p[latent] == 0 || !slices.Equal(to, next) {
			continue
		}
		all += p[latent]
		if done == (end > 0) && (end == 0 || e.end(r[latent]) == end) {
			so += p[latent]
		}
	}
	if all == 0 {
		return 0 // next does not follow, and the likelihood of m says so
	}
	return math.Log(so / all)
}

// list lists what follows (s, action); the list goes back into the pool.
func (e *lastRewards) list(m bcpace.Finite, s []float64, action int) *bcpace.Successors {
	z := e.pool.Get().(*bcpace.Successors)
	z.Reset(e.axes, e.latents)
	m.Successors(z, s, action)
	return z
}

// eachRow calls visit with each row i of the list z of what follows a state and an action of m.
func eachRow(m bcpace.Finite, visit func(z *bcpace.Successors, i int, s []float64, action int) error) error {
	spec, l := m.Spec(), bcpace.NewLister(m)
	s := make([]float64, len(spec.Axes))
	for g := range m.NumStates() {
		m.StateAt(s, g)
		for a := range spec.Actions {
			if err := l.List(s, a); err != nil {
				return err
			}
			for i := range l.Successors.Len() {
				if err := visit(&l.Successors, i, s, a); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// refuseTelling returns an error of the algorithm name where a reward of m, before the end of an
// episode, tells of the latent what the next state does not: the belief never hears of it.
func refuseTelling(m bcpace.Finite, name string) error {
	spec := m.Spec()
	slack := 1e-9 * (spec.RewardMax - spec.RewardMin)
	return eachRow(m, func(z *bcpace.Successors, i int, s []float64, action int) error {
		if z.Done[i] || !tells(z, i, slack) {
			return nil
		}
		return &bcpace.UnsupportedError{Model: spec.Name, Algorithm: name,
			Need: fmt.Sprintf("rewards that tell no more of the latent than the next state does, until an episode ends. Those of action %s at state %v tell more: put the last reward on an axis of the state",
				strconv.Quote(spec.ActionName(action)), s)}
	})
}

// tells reports whether the reward of row i of z tells of the latent what the next state does not:
// it differs between two latents, or from that of an earlier row with the same next state, of which
// the two latents make another share.
func tells(z *bcpace.Successors, i int, slack float64) bool {
	to, p, r := z.Row(i)
	for j := range i + 1 {
		other, q, x := z.Row(j)
		if z.Done[j] || !slices.Equal(other, to) {
			continue
		}
		for φ := range p {
			for k := range p {
				if p[φ]*q[k] > 0 && math.Abs(r[φ]-x[k]) > slack && (i == j || math.Abs(p[φ]*q[k]-p[k]*q[φ]) > 1e-12) {
					return true
				}
			}
		}
	}
	return false
}
