// Package ends tries whether either end of an episode tells of the latent what beliefs do not learn from: the end, where the next state does not
// show it, as an agent sees that an episode goes on, and beliefs are made of next states alone; and the start, where no likelihood speaks of it.
package ends

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/internal/side"
	"bayescpace/bcpace/internal/sparse"
	"bayescpace/bcpace/internal/stat"
)

// PlayedModel is a model of which episodes are played.
type PlayedModel struct {
	Prior      []float64
	Axes       int
	Continuous bool // some axis has values that a draw does not meet again
	Horizon    int  // steps of the longest episode, or 0
	Action     func(rng *rand.Rand) int
	Start      func(s []float64, latent int, rng *rand.Rand)
	// Step draws the next state, and says whether the episode ends; ok is false for a step that is none.
	Step func(next, s []float64, latent, action int, rng *rand.Rand) (done, ok bool)
	// StartLog and Log are the logarithms of the likelihood of a start state and of what followed a state, up to a term that is the
	// same for all latents. StartLog is nil where the start tells nothing. Log is nil where it is not known: then a latent is
	// possible while its steps are those of the latent that is played.
	StartLog func(s []float64, latent int) float64
	Log      func(s []float64, action int, next []float64, latent int) float64
	Mover    *sparse.Mover // of the latent; nil where it stays
}

// Conflict is a state and an action from which one latent ends episodes more often than another one, whatever the next state.
type Conflict struct {
	State, Next []float64
	Action      int
	Latents     [2]int
	Of          int    // steps of each that have led to the same next states
	Ended       [2]int // of them, by latent
	// Where no states are the same, of WentOn steps that did, each under one of the latents by chance, so many were of the first one, and
	// so many were to be expected by the likelihoods.
	WentOn, First int
	Expected      float64
}

// Text says what the conflict is, and what would be right.
func (c *Conflict) Text(latents []string) string {
	a, b := strconv.Quote(latents[c.Latents[0]]), strconv.Quote(latents[c.Latents[1]])
	what := fmt.Sprintf("of %d steps of each to the same states, latent %s ends %d and %s %d", c.Of, a, c.Ended[0], b, c.Ended[1])
	if c.WentOn > 0 {
		what = fmt.Sprintf("of %d steps that go on, drawn under latent %s or %s with equal chances, %d are of %s, and %.4g by the likelihoods", c.WentOn, a, b, c.First, a, c.Expected)
	}
	return fmt.Sprintf("whether the episode ends tells of the latent, and the next state, such as %v, does not show it: %s. "+
		"An agent sees that an episode goes on, and its belief would not learn from it: put the end on an axis of its own, the last one, such as "+
		`{"name":"ended","min":0,"max":1,"discrete":true}, which Step sets to 1 where the episode ends and to 0 where it goes on, and have the likelihood speak of it`, c.Next, what)
}

// Effort says how long Find looks.
type Effort struct {
	Episodes, Steps int           // that are played, and their length at most
	Places          int           // states and actions that are looked at closely, at most
	Draws           int           // pairs of steps at each: as many in any case, and 64 times as many where they look suspicious
	Workers         int           // episodes side by side, where that is cheaper; 0 is one
	Time            time.Duration // after which no step begins; 0 for no limit
	FalseAlarm      float64
}

// Until returns the Time up to the deadline of ctx.
func Until(ctx context.Context) time.Duration {
	if end, ok := ctx.Deadline(); ok {
		return max(time.Until(end), 1)
	}
	return 0
}

// Short is the effort before a model is solved.
var Short = Effort{Episodes: 24, Steps: 32, Places: 12, Draws: 64, FalseAlarm: 1e-9, Time: time.Second / 2}

// place is a state and an action at which two latents, which an agent may hold possible there, may end episodes.
type place struct {
	s       []float64
	action  int
	latents [2]int
	differ  bool // a step of each was not of one mind
}

// Find plays episodes, each with two latents side by side, and returns the first conflict that it finds, or nil. It finds one where
// there is none with probability FalseAlarm at most. A panic of the model ends an episode. steps counts those taken.
func Find(w *PlayedModel, e Effort) (c *Conflict, steps int) {
	possible := Possible(w.Prior)
	if len(possible) < 2 {
		return nil, 0
	}
	var taken atomic.Int64
	var late atomic.Bool // set by a timer: reading the clock before each step would cost more than a step of a small model
	if e.Time > 0 {
		defer time.AfterFunc(e.Time, func() { late.Store(true) }).Stop()
	}
	counted := *w
	counted.Step = func(next, s []float64, latent, action int, rng *rand.Rand) (done, ok bool) {
		if late.Load() {
			return false, false
		}
		taken.Add(1)
		return w.Step(next, s, latent, action, rng)
	}
	if w.Horizon > 0 {
		e.Steps = min(e.Steps, w.Horizon)
	}
	suspects := make([][]place, e.Episodes)
	side.Each(max(e.Workers, 1), e.Episodes, func(_, i int) {
		rng := rand.New(rand.NewPCG(uint64(i), 0x656e6473))
		φ := possible[i%len(possible)]
		ψ := possible[(i%len(possible)+1+rng.IntN(len(possible)-1))%len(possible)]
		suspects[i] = counted.play(φ, ψ, e.Steps, i%2 == 1, rng)
	})
	var places []place
	for _, differ := range []bool{true, false} {
		for _, p := range slices.Concat(suspects...) {
			if p.differ == differ && len(places) < e.Places && !slices.ContainsFunc(places, p.same) {
				places = append(places, p)
			}
		}
	}
	found := make([]*Conflict, len(places))
	side.Each(max(e.Workers, 1), len(places), func(_, i int) {
		rng := rand.New(rand.NewPCG(uint64(i), 0x7061697273))
		if found[i] = counted.compare(places[i], e, rng); found[i] == nil && w.Continuous && w.Log != nil {
			found[i] = counted.weigh(places[i], e, rng)
		}
	})
	return cmp.Or(found...), int(taken.Load())
}

// Possible returns the latents to which a belief gives a probability.
func Possible(belief []float64) (latents []int) {
	for φ, p := range belief {
		if p > 0 {
			latents = append(latents, φ)
		}
	}
	return latents
}

// unlessPanic, deferred, forgets what was found where the model panics: who asks it next says what is wrong.
func unlessPanic[T any](found **T) {
	if recover() != nil {
		*found = nil
	}
}

// same reports whether p and q compare the same.
func (p place) same(q place) bool {
	return p.action == q.action && slices.Equal(p.s, q.s) && (p.latents == q.latents || p.latents == [2]int{q.latents[1], q.latents[0]})
}

// play plays an episode under φ, and returns the places at which a step of it, or one of ψ, has ended the episode. It is over
// where ψ is ruled out. An episode that is persistent mostly repeats its action.
func (w *PlayedModel) play(φ, ψ, steps int, persistent bool, rng *rand.Rand) (list []place) {
	defer func() { _ = recover() }() // who asks the model next says what is wrong
	s, next, other := make([]float64, w.Axes), make([]float64, w.Axes), make([]float64, w.Axes)
	same := rand.NewPCG(0, 0)
	draws := rand.New(same)
	w.Start(s, φ, rng)
	if w.StartLog != nil && !(w.StartLog(s, ψ) > math.Inf(-1)) {
		return nil
	}
	action := w.Action(rng)
	for range steps {
		if !persistent || rng.IntN(8) == 0 {
			action = w.Action(rng)
		}
		seed := rng.Uint64()
		same.Seed(seed, 1)
		done, ok := w.Step(next, s, φ, action, draws)
		same.Seed(seed, 1)
		ends, okay := w.Step(other, s, ψ, action, draws)
		if !ok || !okay {
			return list
		}
		if (done || ends) && φ != ψ && !w.forgets(s, action, φ, ψ) {
			list = append(list, place{slices.Clone(s), action, [2]int{φ, ψ}, done != ends})
		}
		switch {
		case done, w.Log != nil && !(w.Log(s, action, next, ψ) > math.Inf(-1)), w.Log == nil && !slices.Equal(next, other):
			return list
		}
		φ, ψ = w.Mover.Draw(s, action, φ, rng), w.Mover.Draw(s, action, ψ, rng)
		s, next = next, s
	}
	return list
}

// forgets reports whether two latents move alike with a step, so that it does not matter which of them it was.
func (w *PlayedModel) forgets(s []float64, action, φ, ψ int) bool {
	if w.Mover == nil {
		return false
	}
	m := w.Mover.Clone()
	to, share := m.Append(nil, nil, s, action, φ)
	also, shares := m.Append(nil, nil, s, action, ψ)
	return slices.Equal(to, also) && slices.Equal(share, shares)
}

// doubt returns l, where a bet refutes what is true with probability e^−l: two at each place, of two kinds.
func (e *Effort) doubt() float64 { return math.Log(float64(4*e.Places) / e.FalseAlarm) }

// more returns how many draws there are to be, after draw i, where the sum of what was bet on has this variance if nothing is wrong.
func (e *Effort) more(i, most int, sum, variance float64) int {
	if i == most-1 && most < 64*e.Draws && sum*sum > 4*variance {
		return 4 * most
	}
	return most
}

// weigh draws steps under one of two latents with equal chances, and bets that of those that go on the likelihoods favour one of the
// latents too much.
func (w *PlayedModel) weigh(p place, e Effort, rng *rand.Rand) (found *Conflict) {
	defer unlessPanic(&found)
	c := Conflict{State: p.s, Action: p.action, Latents: p.latents}
	var bets [2]stat.Bet
	next := make([]float64, w.Axes)
	c.Next = next
	sum, variance := 0.0, 0.0
	for i, most := 0, 2*e.Draws; i < most; i++ {
		k := rng.IntN(2)
		done, ok := w.Step(next, p.s, p.latents[k], p.action, rng)
		if !ok {
			return nil
		}
		if done {
			continue
		}
		ratio := w.Log(p.s, p.action, next, p.latents[0]) - w.Log(p.s, p.action, next, p.latents[1])
		if math.IsNaN(ratio) {
			return nil
		}
		chance := 1 / (1 + math.Exp(-ratio))
		x := num.OfBool(k == 0) - chance
		c.WentOn, c.First, c.Expected = c.WentOn+1, c.First+1-k, c.Expected+chance
		sum, variance = sum+x, variance+chance*(1-chance)
		if bets[0].Put(x, e.doubt()) || bets[1].Put(-x, e.doubt()) {
			return &c
		}
		most = e.more(i, most, sum, variance)
	}
	return nil
}

// pair are steps of two latents to the same state, and whether each ended the episode.
type pair struct {
	next []float64
	done [2]bool
}

// compare draws pairs of steps, one under each latent, and bets that of those that lead to the same next state one ends more
// often. Where states do not come again, both steps of a pair have the same random numbers.
func (w *PlayedModel) compare(p place, e Effort, rng *rand.Rand) (found *Conflict) {
	defer unlessPanic(&found)
	c := Conflict{State: p.s, Action: p.action, Latents: p.latents}
	var bets [2]stat.Bet
	l := e.doubt()
	apart := 0 // pairs of which one ends
	draw := w.pairs(p, rng)
	for i, most := 0, e.Draws; i < most; i++ {
		pairs, ok := draw()
		if !ok {
			return nil
		}
		for _, d := range pairs {
			c.Of++
			x := num.OfBool(d.done[0]) - num.OfBool(d.done[1])
			for k, ended := range d.done {
				c.Ended[k] += int(num.OfBool(ended))
			}
			if x != 0 {
				apart++
				c.Next = d.next
			}
			up, down := bets[0].Put(x, l), bets[1].Put(-x, l)
			if down {
				c.Latents, c.Ended = [2]int{c.Latents[1], c.Latents[0]}, [2]int{c.Ended[1], c.Ended[0]}
			}
			if up || down {
				return &c
			}
		}
		most = e.more(i, most, float64(c.Ended[0]-c.Ended[1]), float64(apart))
	}
	return nil
}

// pairs returns what draws a step of each latent of a place, and returns the pairs that this makes with those before; ok is false
// for a step that is none.
func (w *PlayedModel) pairs(p place, rng *rand.Rand) func() (list []pair, ok bool) {
	waiting := make(map[string][2][]bool) // by next state and latent: ends without a partner
	next := [2][]float64{make([]float64, w.Axes), make([]float64, w.Axes)}
	same := rand.NewPCG(0, 0)
	draws := rand.New(same)
	var key []byte
	return func() (list []pair, ok bool) {
		var done [2]bool
		seed := rng.Uint64()
		for k, φ := range p.latents {
			if k == 0 || w.Continuous {
				same.Seed(seed, 1)
			}
			if done[k], ok = w.Step(next[k], p.s, φ, p.action, draws); !ok {
				return nil, false
			}
		}
		if w.Continuous {
			if slices.Equal(next[0], next[1]) {
				list = append(list, pair{slices.Clone(next[0]), done})
			}
			return list, true
		}
		for k := range next {
			key = num.AppendKey(key[:0], next[k])
			x := waiting[string(key)]
			if x[k] = append(x[k], done[k]); len(x[0]) > 0 && len(x[1]) > 0 {
				list = append(list, pair{slices.Clone(next[k]), [2]bool{x[0][0], x[1][0]}})
				x[0], x[1] = x[0][1:], x[1][1:]
			}
			waiting[string(key)] = x
		}
		return list, true
	}
}
