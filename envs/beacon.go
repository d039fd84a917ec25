package envs

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
)

// Beacon is the search for a beacon with a receiver that is better near by, as for who is lost
// at sea or below an avalanche: a problem of search theory (Koopman 1946, "Search and
// screening"; Stone 1975, "Theory of optimal search") as a BAMDP whose latent is the beacon's
// cell, any one of Side × Side with the same probability: up to 1,024. It does not move, no
// two cells tell the same, and no part of the latent is independent of another, so that
// beliefs are as large as the list of latents; an exact update takes a likelihood for each.
//
// The searcher starts in the south-west corner and moves to a neighbouring cell, or digs. After
// a move at a distance of d cells, as the crow flies, its receiver hears the beacon with
// probability 2^(−d/Range): for certain in the beacon's cell. To dig earns 10 where the beacon
// is, and ends the episode; elsewhere it costs 1 and hears nothing. Moves cost nothing but
// time: γ is the chance that who is looked for lasts one step more.
//
// The state is the searcher's cell, and whether it has heard or found the beacon in the last
// step.
type Beacon struct {
	// Side is the number of cells on each side, from 2 to 32. If it is 0, 10 is used.
	Side int
	// Range is the distance, in cells, at which the beacon is heard half of the time, from 0.1
	// to 1000. If it is 0, 4 is used.
	Range float64
	// Discount is γ in (0, 1). If it is 0, 0.98 is used.
	Discount float64
}

const (
	beaconName            = "beacon"
	beaconPay, beaconFine = 10, 1
)

// beaconDig is the action behind the moves.
const beaconDig = 4

// Signals.
const (
	beaconSilent = iota
	beaconHeard
	beaconFound
)

var beaconParameters = parameters[Beacon]{
	{"side", "a number of cells from %v to %v", "cells on each side of the field", counted(func(b *Beacon) *int { return &b.Side }, 10, 2, 32)},
	{"range", "a distance from %v to %v cells", "distance in cells at which the beacon is heard half of the time", positive(func(b *Beacon) *float64 { return &b.Range }, 4, 0.1, 1000)},
	discounted(func(b *Beacon) *float64 { return &b.Discount }, 0.98),
}

// Model returns the model. The error is a *bcpace.InputError.
func (b Beacon) Model() (bcpace.Enumerator, error) {
	b, err := beaconParameters.sound(beaconName, b)
	if err != nil {
		return nil, err
	}
	m := &beacon{side: b.Side}
	for dy := range m.side {
		for dx := range m.side {
			p := math.Exp2(-math.Hypot(float64(dx), float64(dy)) / b.Range)
			m.heard = append(m.heard, p)
			m.log = append(m.log, [2]float64{beaconSilent: math.Log(1 - p), beaconHeard: math.Log(p)})
		}
	}
	m.spec = bcpace.Spec{
		Name: beaconName, Params: beaconParameters.of(b),
		Axes: append(cellAxes(m.side-1, m.side-1),
			bcpace.Axis{Name: "signal", Max: beaconFound, Discrete: true, Labels: []string{"silent", "heard", "found"}}),
		Actions: bcpace.Actions("north", "east", "south", "west", "dig"), Discount: b.Discount,
		Latents:   listOf(m.side*m.side, func(cell int) string { return fmt.Sprintf("at %d, %d", cell%m.side, cell/m.side) }),
		RewardMin: -beaconFine, RewardMax: beaconPay,
	}
	return m, nil
}

// beacon is the model of Beacon. Cell (x, y) has the number y·side + x.
type beacon struct {
	spec bcpace.Spec
	side int
	// By |y − y'|·side + |x − x'|: the probability that the beacon is heard, and the logs of
	// the probabilities of both signals.
	heard []float64
	log   [][2]float64
}

var _ bcpace.Finite = (*beacon)(nil)

// Spec implements bcpace.Model.
func (m *beacon) Spec() bcpace.Spec { return m.spec }

// Prior fills b with the same probability for each cell.
func (m *beacon) Prior(b bcpace.Belief) { copy(b, bcpace.Uniform(len(b))) }

// Start sets s to the south-west corner.
func (m *beacon) Start(s []float64, _ int, _ *rand.Rand) { clear(s) }

// move returns the cell to which an action leads.
func (m *beacon) move(s []float64, action int) (x, y int) {
	x, y = int(s[axisX]), int(s[axisY])
	if s[axisSeen] == beaconFound {
		return x, y
	}
	return walk(x, y, action, m.side-1, m.side-1)
}

// apart returns the place of a cell and of the beacon's in the tables of distances.
func (m *beacon) apart(x, y, latent int) int {
	dx, dy := x-latent%m.side, y-latent/m.side
	return max(dy, -dy)*m.side + max(dx, -dx)
}

// outcome returns the reward in the cell that an action leads to, whether the episode ends, and
// whether the receiver is on.
func (m *beacon) outcome(s []float64, x, y, action, latent int) (reward float64, done, on bool) {
	switch {
	case s[axisSeen] == beaconFound:
		return 0, true, false
	case action != beaconDig:
		return 0, false, true
	case m.apart(x, y, latent) == 0:
		return beaconPay, true, false
	}
	return -beaconFine, false, false
}

// Step implements bcpace.Model.
func (m *beacon) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	x, y := m.move(s, action)
	reward, done, on := m.outcome(s, x, y, action, latent)
	next[axisX], next[axisY], next[axisSeen] = float64(x), float64(y), beaconSilent
	switch {
	case done:
		next[axisSeen] = beaconFound
	case on && rng.Float64() < m.heard[m.apart(x, y, latent)]:
		next[axisSeen] = beaconHeard
	}
	return bcpace.Outcome{Reward: reward, Done: done}
}

// LogLikelihood implements bcpace.Model.
func (m *beacon) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	x, y := m.move(s, action)
	if next[axisX] != float64(x) || next[axisY] != float64(y) {
		return math.Inf(-1)
	}
	_, done, on := m.outcome(s, x, y, action, latent)
	signal := next[axisSeen]
	switch {
	case done:
		return logOf(signal == beaconFound)
	case on && (signal == beaconSilent || signal == beaconHeard):
		return m.log[m.apart(x, y, latent)][int(signal)]
	}
	return logOf(!on && signal == beaconSilent)
}

// Starts implements bcpace.Enumerator.
func (m *beacon) Starts(z *bcpace.Successors) { sureStart(z) }

// Successors implements bcpace.Enumerator.
func (m *beacon) Successors(z *bcpace.Successors, s []float64, action int) {
	x, y := m.move(s, action)
	signals := [2]int{beaconSilent, beaconHeard}
	switch {
	case s[axisSeen] == beaconFound:
		signals = [2]int{beaconFound, -1}
	case action == beaconDig:
		signals = [2]int{beaconSilent, beaconFound}
	}
	for _, signal := range signals {
		if signal < 0 {
			break
		}
		next, p, rewards := z.Add(signal == beaconFound)
		next[axisX], next[axisY], next[axisSeen] = float64(x), float64(y), float64(signal)
		for cell := range p {
			reward, done, on := m.outcome(s, x, y, action, cell)
			rewards[cell] = reward
			switch heard := m.heard[m.apart(x, y, cell)]; {
			case on && signal == beaconHeard:
				p[cell] = heard
			case on:
				p[cell] = 1 - heard
			case done == (signal == beaconFound):
				p[cell] = 1
			}
		}
	}
}

// ReturnRange is bcpace.Abilities.ReturnRange: the beacon is found once.
func (m *beacon) ReturnRange() (lo, hi float64) { return m.spec.VMin(), beaconPay }

// NumStates implements bcpace.Finite.
func (m *beacon) NumStates() int { return m.side * m.side * (beaconFound + 1) }

// StateAt implements bcpace.Finite.
func (m *beacon) StateAt(s []float64, number int) {
	cell := number % (m.side * m.side)
	s[axisX], s[axisY], s[axisSeen] = float64(cell%m.side), float64(cell/m.side), float64(number/(m.side*m.side))
}

// StateIndex implements bcpace.Finite.
func (m *beacon) StateIndex(s []float64) int {
	x, y, signal := wholeWithin(s[axisX], 0, m.side-1), wholeWithin(s[axisY], 0, m.side-1), wholeWithin(s[axisSeen], 0, beaconFound)
	if x < 0 || y < 0 || signal < 0 {
		return -1
	}
	return (signal*m.side+y)*m.side + x
}
