// Package randmodel draws finite BAMDPs for tests: small enough to be solved
// exactly, varied enough to break what is wrong.
package randmodel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
)

// Options of New. What is zero is drawn.
type Options struct {
	States, Latents, Actions int // 0 draws 2 to 12, 2 to 6, 2 to 4
	// Branch is the number of states that can follow a state and action, over
	// all latents. 0 draws 1 to 4.
	Branch int
	// Kind says how the latent moves. The zero value is Static.
	Kind bcpace.LatentKind
	// Drifts lets a Redrawn latent move to the one before or after it at most, in a list of
	// latents that is a circle.
	Drifts bool
	// Lists gives a model whose latent moves the faster methods: NextLatent where it is
	// Deterministic, else LatentMoves.
	Lists bool
	// Discount is γ. 0 draws from [0.3, 0.95).
	Discount float64
	// Horizon is the number of steps of an episode, or 0 for no limit.
	Horizon int
	// Reward draws a reward. nil is uniform in [−10, 10].
	Reward func(*rand.Rand) float64
	// InformativeStart gives each latent start states of its own distribution.
	InformativeStart bool
	// Sharp puts half of the rows of probabilities within 10⁻² to 10⁻¹⁰ of
	// certainty: the beliefs that follow are next to one another and to the corners.
	Sharp bool
}

// Varied draws Options that leave nothing out: latents that stay, change and are
// drawn again, informative starts, rewards with ties, of one sign or all alike,
// with a horizon in half of the models. Models are small enough to be solved by
// brute force: at most 4 states, 3 latents, 3 actions and 3 successors.
func Varied(rng *rand.Rand) Options {
	rewards := []func(*rand.Rand) float64{
		nil,
		func(rng *rand.Rand) float64 { return float64(rng.IntN(3) - 1) },
		func(rng *rand.Rand) float64 { return -1 - rng.Float64() },
		func(rng *rand.Rand) float64 { return 1 + float64(rng.IntN(2)) },
		func(*rand.Rand) float64 { return 2 },
	}
	o := Options{
		States: 1 + rng.IntN(4), Latents: 1 + rng.IntN(3), Actions: 1 + rng.IntN(3), Branch: 1 + rng.IntN(3),
		Kind: bcpace.LatentKind(rng.IntN(3)), Reward: rewards[rng.IntN(len(rewards))], InformativeStart: rng.IntN(2) == 0,
	}
	if rng.IntN(2) == 0 {
		o.Horizon = 1 + rng.IntN(4)
	}
	return o
}

// New draws a model with rewards in [−10, 10]. Half of the models have an end
// state, the last one. The latents share the successors of a state and action;
// each has probabilities of its own, some of them 0, or those of the latent
// before it, so that a step may tell everything, something or nothing. Rewards
// belong to the next state in half of the models. Where the latent moves, it
// does so at about half of the states and actions.
func New(rng *rand.Rand, o Options) bcpace.Finite {
	o = o.drawn(rng)
	t := tables(rng, o)
	m, err := bcpace.FromTables(t)
	if err != nil {
		panic(err) // the draw is at fault, and with it the test that asked for it
	}
	if o.Kind == bcpace.Static && !o.InformativeStart {
		return m
	}
	x := added{o: o}
	if o.Kind != bcpace.Static {
		x.rows = moves(rng, o)
	}
	if o.InformativeStart {
		x.start = tellingStarts(rng, t.Start, o.Latents)
	}
	return bcpace.Derive(m, x.change).(bcpace.Finite)
}

// drawn returns o with what is zero drawn.
func (o Options) drawn(rng *rand.Rand) Options {
	draw := func(n *int, lo, hi int) {
		if *n == 0 {
			*n = lo + rng.IntN(hi-lo+1)
		}
	}
	draw(&o.States, 2, 12)
	draw(&o.Latents, 2, 6)
	draw(&o.Actions, 2, 4)
	draw(&o.Branch, 1, 4)
	o.Branch = min(o.Branch, o.States)
	if o.Discount == 0 {
		o.Discount = 0.3 + 0.65*rng.Float64()
	}
	if o.Reward == nil {
		o.Reward = func(rng *rand.Rand) float64 { return 20*rng.Float64() - 10 }
	}
	return o
}

// tables draws a model with a static latent that does not tell the start state.
func tables(rng *rand.Rand, o Options) bcpace.Tables {
	t := bcpace.Tables{Name: fmt.Sprintf("random %d×%d×%d %v", o.States, o.Latents, o.Actions, o.Kind), Discount: o.Discount, Horizon: o.Horizon,
		Prior: simplex(rng, o.Latents), Start: make([]float64, o.States), P: make([][][][]float64, o.Latents)}
	if o.States > 1 && rng.IntN(2) == 0 {
		t.Ends = make([]bool, o.States)
		t.Ends[o.States-1] = true
		copy(t.Start, simplex(rng, o.States-1))
	} else {
		copy(t.Start, simplex(rng, o.States))
	}
	next := rng.IntN(2) == 0 // rewards belong to the next state
	for l := range o.Latents {
		t.P[l] = make([][][]float64, o.Actions)
		if next {
			t.RNext = append(t.RNext, make([][][]float64, o.Actions))
		} else {
			t.R = append(t.R, make([][]float64, o.Actions))
		}
	}
	for a := range o.Actions {
		for from := range o.States {
			support := rng.Perm(o.States)[:o.Branch]
			for l := range o.Latents {
				row := successors(rng, o, support)
				if l > 0 && rng.IntN(3) == 0 {
					copy(row, t.P[l-1][a][from])
				}
				t.P[l][a] = append(t.P[l][a], row)
				if !next {
					t.R[l][a] = append(t.R[l][a], o.Reward(rng))
					continue
				}
				rewards := make([]float64, o.States)
				for _, s := range support {
					rewards[s] = o.Reward(rng)
				}
				t.RNext[l][a] = append(t.RNext[l][a], rewards)
			}
		}
	}
	return t
}

// successors draws a distribution of the next state, which is in support.
func successors(rng *rand.Rand, o Options, support []int) []float64 {
	row := make([]float64, o.States)
	weights := simplex(rng, o.Branch)
	if o.Sharp && rng.IntN(2) == 0 {
		sharpen(rng, weights)
	}
	if i := rng.IntN(2 * o.Branch); i < o.Branch && o.Branch > 1 {
		clear(weights) // this latent is certain of what follows
		weights[i] = 1
	}
	for i, s := range support {
		row[s] = weights[i]
	}
	return row
}

// tellingStarts draws a distribution of the start state for each latent, on states that common
// allows.
func tellingStarts(rng *rand.Rand, common []float64, latents int) (starts []bcpace.Belief) {
	first := slices.IndexFunc(common, func(p float64) bool { return p > 0 })
	for range latents {
		p, sum := slices.Clone(common), 0.0
		for i := range p {
			p[i] *= 0.1 + rng.Float64()
			if i != first && rng.IntN(4) == 0 { // a start there rules this latent out
				p[i] = 0
			}
			sum += p[i]
		}
		for i := range p {
			p[i] /= sum
		}
		starts = append(starts, p)
	}
	return starts
}

// drift draws where a latent moves: to itself, the one before or the one after.
func drift(rng *rand.Rand, latents, φ int) bcpace.Belief {
	row, weights := make(bcpace.Belief, latents), simplex(rng, 3)
	for i, p := range weights {
		row[(φ+i+latents-1)%latents] += p
	}
	return row
}

// moves draws P(φ'|φ,s,a) by (a, s, φ), an empty row where the latent stays.
func moves(rng *rand.Rand, o Options) [][]float64 {
	var rows [][]float64
	for range o.Actions * o.States {
		stays, prior := rng.IntN(2) == 0, rng.IntN(2) == 0
		common := simplex(rng, o.Latents)
		for φ := range o.Latents {
			switch {
			case stays:
				rows = append(rows, nil)
			case o.Kind == bcpace.Deterministic:
				rows = append(rows, bcpace.OneHot(o.Latents, rng.IntN(o.Latents)))
			case o.Drifts:
				rows = append(rows, drift(rng, o.Latents, φ))
			case prior:
				rows = append(rows, common)
			default:
				rows = append(rows, simplex(rng, o.Latents))
			}
		}
	}
	return rows
}

// added is what a model has beyond tables: a latent that moves, and a start that tells of it.
type added struct {
	o     Options         // drawn
	rows  [][]float64     // as moves draws them; nil where the latent stays
	start []bcpace.Belief // by latent: P0(s|φ); nil where that is the same for all
}

func (ad added) change(_ bcpace.Model, a *bcpace.Abilities) {
	if a.LatentKind = ad.o.Kind; ad.rows != nil {
		a.LatentTransition = ad.transition
	}
	switch {
	case !ad.o.Lists:
	case ad.o.Kind == bcpace.Deterministic:
		a.NextLatent = ad.next
	case ad.o.Kind == bcpace.Redrawn:
		a.LatentMoves = ad.list
	}
	if ad.start != nil {
		a.Starts = ad.starts
		a.Start = func(s []float64, latent int, rng *rand.Rand) { s[0] = float64(ad.start[latent].Sample(rng)) }
		a.StartLogLikelihood = func(s []float64, latent int) float64 { return math.Log(ad.start[latent][int(s[0])]) }
	}
}

// row returns P(φ'|φ,s,a), nil where the latent stays.
func (ad added) row(s []float64, action, latent int) []float64 {
	return ad.rows[(action*ad.o.States+int(s[0]))*ad.o.Latents+latent]
}

func (ad added) transition(p []float64, s []float64, action, latent int) bool {
	row := ad.row(s, action, latent)
	copy(p, row)
	return row != nil
}

func (ad added) next(s []float64, action, latent int) int {
	if row := ad.row(s, action, latent); row != nil {
		return slices.Index(row, 1)
	}
	return latent
}

func (ad added) list(to []int32, share []float64, s []float64, action, latent int) ([]int32, []float64) {
	row := ad.row(s, action, latent)
	if row == nil {
		return append(to, int32(latent)), append(share, 1)
	}
	for φ, p := range row {
		if p > 0 {
			to, share = append(to, int32(φ)), append(share, p)
		}
	}
	return to, share
}

func (ad added) starts(z *bcpace.Successors) {
	for i := range ad.o.States {
		if !slices.ContainsFunc(ad.start, func(p bcpace.Belief) bool { return p[i] > 0 }) {
			continue
		}
		s, prob, _ := z.Add(false)
		s[0] = float64(i)
		for latent, p := range ad.start {
			prob[latent] = p[i]
		}
	}
}

func simplex(rng *rand.Rand, n int) bcpace.Belief {
	b := make(bcpace.Belief, n)
	b.SampleSimplex(rng)
	return b
}

// sharpen moves all but a little of a distribution to one entry.
func sharpen(rng *rand.Rand, p []float64) {
	at, rest := rng.IntN(len(p)), 0.0
	little := math.Pow(10, -2-8*rng.Float64())
	for i := range p {
		if p[i] *= little; i != at {
			rest += p[i]
		}
	}
	p[at] = 1 - rest
}

// SmallGoal is a room of one to four axes from 0 to 1 with a goal of the given half width that
// pays 10, ends the episode and lies between the points of a coarse grid. Steps of 0.06 lead
// along an axis, or of 0.04 where the latent is slow.
func SmallGoal(axes int, half float64) bcpace.Enumerator { return SmallGoalNoisy(axes, half, axes) }

// SmallGoalNoisy is SmallGoal with noise along the first axes alone, so many of them: a fine grid of it is soon solved.
func SmallGoalNoisy(axes int, half float64, noisy int) bcpace.Enumerator {
	at := []float64{0.73, 0.37, 0.57, 0.61}[:axes]
	inGoal := func(x []float64) bool {
		for i := range x {
			if math.Abs(x[i]-at[i]) > half {
				return false
			}
		}
		return true
	}
	g := bcpace.Gaussian{
		Spec: bcpace.Spec{Name: "small goal", Latents: []string{"steady", "slow"}, Discount: 0.97, RewardMax: 10},
		Mean: func(mean, s []float64, latent, action int) {
			copy(mean, s)
			mean[action/2] += (0.06 - 0.02*float64(latent)) * float64(1-2*(action%2))
		},
		Reward: func(_ []float64, _, _ int, next []float64) float64 {
			if inGoal(next) {
				return 10
			}
			return 0
		},
		Ends: inGoal,
	}
	start := make([]float64, axes)
	for i := range axes {
		g.Spec.Axes = append(g.Spec.Axes, bcpace.Axis{Name: fmt.Sprint("x", i), Max: 1})
		g.Spec.Actions = append(g.Spec.Actions, bcpace.Actions(fmt.Sprint("up ", i), fmt.Sprint("down ", i))...)
		g.Sigma, start[i] = append(g.Sigma, 0), 0.13
		if i < noisy {
			g.Sigma[i] = 0.005
		}
	}
	g.Starts = [][]float64{start}
	m, err := bcpace.FromGaussian(g)
	if err != nil {
		panic(err)
	}
	return m
}
