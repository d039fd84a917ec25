package envs

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
)

// Patrol is the search for a target that makes the same round again and again, a search problem
// whose target moves (Eagle 1984). The round is known: a cycle of Phases cells of a field of
// Side × Side, from each to a neighbour or to itself, drawn at random. Where in its round the
// target is, its phase, is the latent: it is hidden, and the next one follows with each step
// (bcpace.DeterministicLatent), so that a belief moves in time that grows with the number of
// phases, and not with its square.
//
// The searcher starts in the south-west corner, and moves to a neighbouring cell or stays, at a
// cost of 0.1. It comes upon the target where both are in the same cell after a step: that
// earns 10 and ends the episode. Else it hears whether the target is near, within two cells as
// a king moves: rightly with probability 0.9. The state is its cell and what it has heard.
//
// With the defaults the optimal value at the start is 7.8; QMDP earns 6.9.
type Patrol struct {
	// Phases is the number of steps of the round, from 2 to 100,000. If it is 0, 24 is used.
	Phases int
	// Side is the number of cells on each side, from 2 to 50. If it is 0, 6 is used.
	Side int
	// Round is the number that draws the round, from 1 to 1,000,000. If it is 0, 1 is used.
	Round int
	// Discount is γ in (0, 1). If it is 0, 0.95 is used.
	Discount float64
}

const (
	patrolName     = "patrol"
	patrolPay      = 10
	patrolCost     = 0.1 // of a step
	patrolRadius   = 2   // how far the target is heard, in cells
	patrolAccuracy = 0.9
)

// Signals of Patrol.
const (
	patrolFar = iota
	patrolNear
	patrolCaught
)

var patrolParameters = parameters[Patrol]{
	{"phases", "a number of steps from %v to %v", "steps of the round, one for each latent", counted(func(e *Patrol) *int { return &e.Phases }, 24, 2, 100_000)},
	{"side", "a number of cells from %v to %v", "cells on each side of the field", counted(func(e *Patrol) *int { return &e.Side }, 6, 2, 50)},
	{"round", "the number of a round from %v to %v", "the round, drawn at random", counted(func(e *Patrol) *int { return &e.Round }, 1, 1, 1_000_000)},
	discounted(func(e *Patrol) *float64 { return &e.Discount }, defaultDiscount),
}

// Model returns the model. The error is a *bcpace.InputError.
func (e Patrol) Model() (bcpace.Finite, error) {
	e, err := patrolParameters.sound(patrolName, e)
	if err != nil {
		return nil, err
	}
	m := patrol{e.Side, patrolRound(e.Phases, e.Side, rand.New(rand.NewPCG(uint64(e.Round), 0)))}
	names := listOf(e.Phases, func(φ int) string { return fmt.Sprintf("phase %d at %d, %d", φ, m.round[φ][0], m.round[φ][1]) })
	f, err := branches(m.follow).model(bcpace.Funcs{
		Spec: bcpace.Spec{
			Name: patrolName, Params: patrolParameters.of(e),
			Axes: append(cellAxes(e.Side-1, e.Side-1),
				bcpace.Axis{Name: "signal", Max: patrolCaught, Discrete: true, Labels: []string{"far", "near", "caught"}}),
			Actions: bcpace.Actions("north", "east", "south", "west", "stay"), Latents: names,
			Discount: e.Discount, RewardMin: -patrolCost, RewardMax: patrolPay,
		},
		NextLatent: m.next,
	})
	if err != nil {
		return nil, err
	}
	return bcpace.Derive(f, func(_ bcpace.Model, a *bcpace.Abilities) {
		spec := a.Spec
		a.StartLogLikelihood = nil                                                // as when it had no such method
		a.ReturnRange = func() (lo, hi float64) { return spec.VMin(), patrolPay } // the target is come upon once
	}).(bcpace.Finite), nil
}

// patrolRound draws a cycle of cells, from each to a neighbour or to itself: at random until
// there are just enough steps left for the way back to the first one.
func patrolRound(phases, side int, rng *rand.Rand) [][2]int {
	round := make([][2]int, phases)
	round[0] = [2]int{rng.IntN(side), rng.IntN(side)}
	for i := 1; i < phases; i++ {
		to := round[i-1]
		axis := rng.IntN(2)
		to[axis] = min(max(to[axis]+2*rng.IntN(2)-1, 0), side-1)
		if left := phases - i; apart(to, round[0]) > left {
			to = round[i-1]
			if axis = 0; to[0] == round[0][0] {
				axis = 1
			}
			switch {
			case apart(to, round[0]) <= left: // stays for a step
			case to[axis] < round[0][axis]:
				to[axis]++
			default:
				to[axis]--
			}
		}
		round[i] = to
	}
	return round
}

// patrol is the model of Patrol.
type patrol struct {
	side  int
	round [][2]int // by phase: the cell of the target
}

// next returns the phase that follows.
func (m patrol) next(_ []float64, _, phase int) int { return (phase + 1) % len(m.round) }

// follow is the branches of the model.
func (m patrol) follow(s []float64, phase, action, k int) (branch, bool) {
	if s[axisSeen] == patrolCaught {
		return branch{next: [3]float64{s[axisX], s[axisY], patrolCaught}, prob: 1, done: true}, k == 0
	}
	x, y := walk(s[axisX], s[axisY], action, float64(m.side-1), float64(m.side-1))
	target := m.round[m.next(nil, 0, phase)]
	distance := math.Max(math.Abs(x-float64(target[0])), math.Abs(y-float64(target[1])))
	if distance == 0 {
		return branch{next: [3]float64{x, y, patrolCaught}, prob: 1, reward: patrolPay, done: true}, k == 0
	}
	near := pick(distance > patrolRadius, 1-patrolAccuracy, patrolAccuracy)
	if k == 0 {
		return branch{next: [3]float64{x, y, patrolNear}, prob: near, reward: -patrolCost}, true
	}
	return branch{next: [3]float64{x, y, patrolFar}, prob: 1 - near, reward: -patrolCost}, k == 1
}
