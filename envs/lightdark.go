package envs

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
)

// LightDarkTiger is the paper's variant of the Light-Dark problem (Platt et al.
// 2010): an agent in a dark room of Width × Height cells must reach one of two
// goals, the top right and the bottom right corner. A tiger waits in one of
// them, and only the left wall, x = 0, is light enough to tell in which. The
// paper gives no geometry; this one is the project's.
//
// The state is (x, y, seen). x runs from 0 to Width−1 to the right, y from 0 to
// Height−1 upwards, so the goals are at (Width−1, Height−1), the top, and
// (Width−1, 0), the bottom. seen is what was observed on arrival: the latent
// (1 tiger top, 2 tiger bottom) at x = 0, and 0 for nothing elsewhere. It
// matters to no transition or reward, and so counts nothing in the metric.
//
// A move adds one unit along its axis, and N(0, Sigma²) to both coordinates,
// which then stop at the walls. Entering a goal earns 10, or −100 where the
// tiger is, and ends the episode; nothing else earns anything. A goal is the
// corner's cell, which for Sigma > 0 is the square within half a unit of the
// corner in both coordinates.
//
// With AnyHeading, a move adds one unit in any direction: the one action has a Box with
// the heading in [0, 2π), from the x-axis towards the y-axis. Places are then as with
// Sigma > 0, also where Sigma is 0.
//
// With Sigma 0 and without AnyHeading the model is bcpace.Finite. With Sigma > 0 its
// Successors are a quadrature of independent rules for the two coordinates: a
// coordinate's probability of stopping at a wall is an exact atom there, and
// what is left, the normal distribution truncated to the room, is cut into
// Nodes strata of equal probability, each of which stands at its mean. The rule
// keeps the probability of the light, and the mean of the coordinate; parts
// below 10⁻¹² are added to their neighbour.
//
// With the default parameters the optimal value is 6.98337, and 4.63291 for
// 9 × 9 cells; with the paper's Sigma 0.01 it is 6.8088 and 4.5171, as half of
// the moves fall short of the wall. QMDP is worth 0: it never goes to look.
type LightDarkTiger struct {
	// Width and Height are the numbers of cells, from 2 to 10,000. If they are
	// 0, 5 is used.
	Width, Height int
	// StartAt is the start (x, y), outside the goals, in whole numbers where
	// Sigma is 0. If it is nil, the start is the room's centre; where Sigma is
	// 0 and a side is even, the cell before it. A start at x = 0 shows where
	// the tiger is.
	StartAt []float64
	// Sigma is the standard deviation σ of the noise, in cells: 0, or from
	// 10⁻⁶ to 10. The paper uses 0 and 0.01.
	Sigma float64
	// AnyHeading allows moves in any direction in place of four.
	AnyHeading bool
	// Discount is γ in (0, 1). If it is 0, 0.95 is used.
	Discount float64
	// Nodes is the number of strata of the quadrature in each coordinate, from
	// 1 to 64. If it is 0, 5 is used. It matters to nothing where Sigma is 0.
	Nodes int
}

// darkMoves are the moves up, down, left and right.
var darkMoves = [...][2]float64{{0, 1}, {0, -1}, {-1, 0}, {1, 0}}

const (
	darkSide     = 5
	darkNodes    = 5
	darkNodesMax = 64
	darkTreasure = 10
	darkPenalty  = -100
)

var (
	_ bcpace.Finite          = LightDarkTiger{}
	_ bcpace.StartLikelihood = LightDarkTiger{}
)

var darkParameters = parameters[LightDarkTiger]{
	{"width", wantDarkSide, "cells from left to right", counted(func(t *LightDarkTiger) *int { return &t.Width }, darkSide, 2, 10_000)},
	{"height", wantDarkSide, "cells from bottom to top", counted(func(t *LightDarkTiger) *int { return &t.Height }, darkSide, 2, 10_000)},
	{"start", "centre, or x,y", "place of the start, outside the goals", listedOr(func(t *LightDarkTiger) *[]float64 { return &t.StartAt }, "centre")},
	{"sigma", "0, or a standard deviation from %v to %v", "noise of a move, in cells; with 0 the room is a grid", darkSigma()},
	discounted(func(t *LightDarkTiger) *float64 { return &t.Discount }, defaultDiscount),
	{"nodes", "a number of strata from %v to %v", "strata of the quadrature in each coordinate, where sigma is not 0", counted(func(t *LightDarkTiger) *int { return &t.Nodes }, darkNodes, 1, darkNodesMax)},
	{"heading", "axes or any", "whether moves go along the axes or in any direction", chosen(func(t *LightDarkTiger) *bool { return &t.AnyHeading }, "axes", "any")},
}

const wantDarkSide = "a number of cells from %v to %v"

// darkSigma is the noise. With less the strata could fall together in a float64.
func darkSigma() field[LightDarkTiger] {
	const low, high = 1e-6, 10.0
	f := finite(func(t *LightDarkTiger) *float64 { return &t.Sigma })
	f.takes, f.low, f.high = func(t *LightDarkTiger) bool { return t.Sigma == 0 || t.Sigma >= low && t.Sigma <= high }, low, high
	return f
}

// Spec implements bcpace.Model.
func (t LightDarkTiger) Spec() bcpace.Spec {
	discrete := t.IsFinite()
	right, top := t.corner()
	spec := bcpace.Spec{
		Name: lightDarkTigerName, Params: darkParameters.of(t),
		Axes: []bcpace.Axis{
			{Name: "x", Unit: "cell", Min: 0, Max: right, Discrete: discrete},
			{Name: "y", Unit: "cell", Min: 0, Max: top, Discrete: discrete},
			{Name: "seen", Min: 0, Max: 2, Discrete: true, Labels: []string{"nothing", "tiger top", "tiger bottom"}, Scale: math.Inf(1)},
		},
		Actions:   bcpace.Actions("up", "down", "left", "right"),
		Latents:   []string{"tiger top", "tiger bottom"},
		Discount:  cmp.Or(t.Discount, defaultDiscount),
		RewardMin: darkPenalty, RewardMax: darkTreasure,
	}
	if t.AnyHeading {
		spec.Actions = headings.Actions
	} else { // heading came later, and run files from before name the others alone
		spec.Params = spec.Params[:len(spec.Params)-1]
	}
	return spec
}

// headings has the action of AnyHeading.
var headings = bcpace.Spec{Actions: []bcpace.Action{{Name: "move", Box: []bcpace.Axis{{Name: "heading", Unit: "rad", Max: 2 * math.Pi, Period: 2 * math.Pi}}}}}

// Validate implements bcpace.Validator.
func (t LightDarkTiger) Validate() error {
	const env = lightDarkTigerName
	if _, err := darkParameters.sound(env, t); err != nil {
		return err
	}
	if t.StartAt != nil && len(t.StartAt) != 2 {
		return inputError(env, "start", fmt.Sprintf("%d numbers", len(t.StartAt)), "two, x and y")
	}
	x, y := t.start()
	right, top := t.corner()
	got := numtext.Exact(x) + "," + numtext.Exact(y)
	switch {
	case !(x >= 0 && x <= right && y >= 0 && y <= top):
		return inputError(env, "start", got, fmt.Sprintf("a place from 0,0 to %v,%v", right, top))
	case t.IsFinite() && (x != math.Trunc(x) || y != math.Trunc(y)):
		return inputError(env, "start", got, "whole numbers, as sigma is 0")
	case t.goal(x, y) >= 0:
		return inputError(env, "start", got, "a place outside the goals, the right corners")
	}
	return nil
}

// Prior fills b with ½ for each corner.
func (t LightDarkTiger) Prior(b bcpace.Belief) { b[0], b[1] = 0.5, 0.5 }

// Start sets s to StartAt.
func (t LightDarkTiger) Start(s []float64, latent int, _ *rand.Rand) {
	s[axisX], s[axisY] = t.start()
	s[axisSeen] = seen(s[axisX], latent)
}

// StartLogLikelihood tells the latents apart where the start is in the light.
func (t LightDarkTiger) StartLogLikelihood(s []float64, latent int) float64 {
	x, y := t.start()
	return logOf(s[axisX] == x && s[axisY] == y && s[axisSeen] == seen(x, latent))
}

// Step implements bcpace.Model.
func (t LightDarkTiger) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	x, y := t.aim(s, action)
	if t.Sigma > 0 {
		x += t.Sigma * rng.NormFloat64()
		y += t.Sigma * rng.NormFloat64()
	}
	right, top := t.corner()
	x, y = clip(x, right), clip(y, top)
	next[axisX], next[axisY], next[axisSeen] = x, y, seen(x, latent)
	goal := t.goal(x, y)
	return bcpace.Outcome{Reward: darkReward(goal, latent), Done: goal >= 0}
}

// LogLikelihood implements bcpace.Model. For Sigma > 0 the measure is mixed:
// probability at the walls, density between them.
func (t LightDarkTiger) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	if next[axisSeen] != seen(next[axisX], latent) {
		return math.Inf(-1)
	}
	x, y := t.aim(s, action)
	right, top := t.corner()
	if t.Sigma == 0 {
		return logOf(next[axisX] == clip(x, right) && next[axisY] == clip(y, top))
	}
	return logClippedNormal(next[axisX], x, t.Sigma, right) + logClippedNormal(next[axisY], y, t.Sigma, top)
}

// Starts implements bcpace.Enumerator.
func (t LightDarkTiger) Starts(z *bcpace.Successors) {
	x, y := t.start()
	t.add(z, x, y, 1, false)
}

// Successors implements bcpace.Enumerator: exact for Sigma 0, and otherwise the
// quadrature described with the type.
func (t LightDarkTiger) Successors(z *bcpace.Successors, s []float64, action int) {
	x, y := t.aim(s, action)
	right, top := t.corner()
	if t.Sigma == 0 {
		t.add(z, clip(x, right), clip(y, top), 1, true)
		return
	}
	var xs, ys rule
	xs.fill(x, t.Sigma, right, t.nodes())
	ys.fill(y, t.Sigma, top, t.nodes())
	for i := range xs.n {
		for j := range ys.n {
			t.add(z, xs.at[i], ys.at[j], xs.weight[i]*ys.weight[j], true)
		}
	}
}

// add appends place (x, y) of probability p: one state in the dark, and one for
// each latent in the light. Goals count only on arrival.
func (t LightDarkTiger) add(z *bcpace.Successors, x, y, p float64, arrival bool) {
	goal := -1
	if arrival {
		goal = t.goal(x, y)
	}
	var s, prob, reward []float64
	for latent := range 2 {
		if latent == 0 || x == 0 {
			s, prob, reward = z.Add(goal >= 0)
			s[axisX], s[axisY], s[axisSeen] = x, y, seen(x, latent)
		}
		prob[latent], reward[latent] = p, darkReward(goal, latent)
	}
}

// IsFinite tells bcpace.AsFinite that the states are numbered where they are cells.
func (t LightDarkTiger) IsFinite() bool { return t.Sigma == 0 && !t.AnyHeading }

// NumStates returns (Width+1)·Height: each cell in the dark once, and each one
// at x = 0 once for each latent. It has no meaning where Sigma is not 0.
func (t LightDarkTiger) NumStates() int { return (t.width() + 1) * t.height() }

// StateAt implements bcpace.Finite: first the cells at x = 0, then the others,
// column by column.
func (t LightDarkTiger) StateAt(s []float64, number int) {
	if light := 2 * t.height(); number < light {
		s[axisX], s[axisY], s[axisSeen] = 0, float64(number/2), float64(number%2+1)
	} else {
		number -= light
		s[axisX], s[axisY], s[axisSeen] = float64(number/t.height()+1), float64(number%t.height()), 0
	}
}

// StateIndex implements bcpace.Finite.
func (t LightDarkTiger) StateIndex(s []float64) int {
	x, y := wholeWithin(s[axisX], 0, t.width()-1), wholeWithin(s[axisY], 0, t.height()-1)
	what := wholeWithin(s[axisSeen], 0, 2)
	switch {
	case x < 0 || y < 0 || what < 0 || (x == 0) != (what > 0):
		return -1
	case x == 0:
		return 2*y + what - 1
	}
	return (x+1)*t.height() + y
}

// start returns the place where an episode starts.
func (t LightDarkTiger) start() (x, y float64) {
	if len(t.StartAt) == 2 {
		return t.StartAt[0], t.StartAt[1]
	}
	x, y = t.corner()
	x, y = x/2, y/2
	if t.IsFinite() {
		x, y = math.Floor(x), math.Floor(y)
	}
	return x, y
}

// corner returns the top right corner.
func (t LightDarkTiger) corner() (right, top float64) {
	return float64(t.width() - 1), float64(t.height() - 1)
}

// goal returns which goal (x, y) lies in, as the latent that puts the tiger
// there, or -1. Where two rows leave no room between the goals, the border
// belongs to the top one.
func (t LightDarkTiger) goal(x, y float64) int {
	right, top := t.corner()
	switch {
	case x < right-0.5:
		return -1
	case y >= top-0.5:
		return 0
	case y <= 0.5:
		return 1
	}
	return -1
}

func (t LightDarkTiger) width() int { return cmp.Or(t.Width, darkSide) }

func (t LightDarkTiger) height() int { return cmp.Or(t.Height, darkSide) }

func (t LightDarkTiger) nodes() int { return cmp.Or(t.Nodes, darkNodes) }

// aim returns where action leads from s without noise and walls.
func (t LightDarkTiger) aim(s []float64, action int) (x, y float64) {
	x, y = s[axisX], s[axisY]
	if t.AnyHeading {
		var u [1]float64
		headings.Control(u[:], action)
		return x + math.Cos(u[0]), y + math.Sin(u[0])
	}
	return x + darkMoves[action][0], y + darkMoves[action][1]
}

// seen returns what is observed at x.
func seen(x float64, latent int) float64 {
	return pick(x == 0, float64(latent+1), 0)
}

// darkReward returns what entering the goal earns; goal -1 is none.
func darkReward(goal, latent int) float64 {
	switch goal {
	case -1:
		return 0
	case latent:
		return darkPenalty
	}
	return darkTreasure
}

// clip returns x, stopped at the walls 0 and top.
func clip(x, top float64) float64 { return min(max(x, 0), top) }

// Walls returns where the walls of the room stand, as left, bottom, right and
// top in cells. Where Sigma is 0 they surround the outermost cells, half a cell
// beyond these cells' centres.
func (t LightDarkTiger) Walls() [4]float64 {
	right, top := t.corner()
	return pick(t.IsFinite(), [4]float64{-0.5, -0.5, right + 0.5, top + 0.5}, [4]float64{0, 0, right, top})
}

// Goals returns the two goals as rectangles like Walls, each under the latent
// that puts the tiger there: the top one first.
func (t LightDarkTiger) Goals() [][4]float64 {
	w := t.Walls()
	right, top := t.corner()
	return [][4]float64{
		{right - 0.5, top - 0.5, w[2], w[3]},
		{right - 0.5, w[1], w[2], 0.5},
	}
}

// Light returns where the tiger's place is seen, as rectangles like Walls: the
// left column of cells or, where Sigma is not 0, the left wall itself, which
// has no width.
func (t LightDarkTiger) Light() [][4]float64 {
	w := t.Walls()
	return [][4]float64{{w[0], w[1], max(w[0], -w[0]), w[3]}}
}

// Smoothness is bcpace.Abilities.Smoothness where Sigma is not 0: a move adds a step that does not
// depend on the place, the goals are squares, and the left wall tells where the tiger is.
func (t LightDarkTiger) Smoothness() (bcpace.Smoothness, bool) {
	if t.Sigma == 0 {
		return bcpace.Smoothness{}, false
	}
	right, top := t.corner()
	s := bcpace.Smoothness{
		Sigma:     []float64{t.Sigma, t.Sigma, 0},
		Mean:      func(mean, s []float64, _, action int) { mean[axisX], mean[axisY] = t.aim(s, action) },
		MeanCurve: make([]float64, axisSeen+1),
		Jumps:     [][]float64{{right - 0.5}, {0.5}, nil},
		Arrive: func(next []float64, latent int) bcpace.Arrival {
			goal := t.goal(next[axisX], next[axisY])
			return bcpace.Arrival{Reward: darkReward(goal, latent), Ends: goal >= 0, Tells: next[axisX] == 0}
		},
	}
	if top > 1 {
		s.Jumps[axisY] = append(s.Jumps[axisY], top-0.5)
	}
	if t.AnyHeading { // a heading of u radians moves by (cos u, sin u), whose second derivatives are within 1
		unit := headings.Actions[0].Box[0].MetricUnit()
		s.Control = &bcpace.ControlCurve{Mean: []float64{unit * unit, unit * unit, 0}}
	}
	return s, true
}

// ReturnRange is bcpace.Abilities.ReturnRange: an episode earns something once, on
// entering a goal, which ends it.
func (t LightDarkTiger) ReturnRange() (lo, hi float64) { return darkPenalty, darkTreasure }
