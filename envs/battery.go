package envs

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
)

// Battery is a robot whose charge is hidden and falls by one unit with each action: its latent
// moves within the episode by a function of state and action (bcpace.DeterministicLatent). It
// drives on a line of Cells. In the first one, the dock, a step of work charges two units, up to
// Capacity; in the second one it earns 1, and in the last one 5. The action that takes the last
// unit strands the robot: that costs 20, earns nothing, and ends the episode. A look at the gauge
// takes a step, but no charge. It shows the charge as it is with probability Accuracy, and else
// one unit more or one less, with the same chance; what would be none, or more than Capacity, it
// shows as it is.
//
// The episode starts in the last cell. Nothing is known of the charge but that it is from 1 to
// Capacity. The state is the cell and what the gauge shows: 0 of a robot that is stranded, and
// Capacity + 1 where the last action was no look.
//
// With the defaults the optimal value at the start is 33.63. QMDP never looks, as it takes the
// charge for known after one step, and earns 28.8.
type Battery struct {
	// Capacity is the charge of a full battery, in units of one action, from 2 to 100. If it
	// is 0, 20 is used.
	Capacity int
	// Cells is the number of cells, from 3 to 100. If it is 0, 6 is used.
	Cells int
	// Accuracy is the probability in (0, 1] that the gauge shows the charge as it is. If it is
	// 0, 0.5 is used.
	Accuracy float64
	// Discount is γ in (0, 1). If it is 0, 0.95 is used.
	Discount float64
}

const (
	batteryName                           = "battery"
	batteryCharge                         = 2         // units of a step at the dock
	batteryNear, batteryFar, batteryStuck = 1, 5, -20 // rewards
)

// Actions of Battery.
const (
	batteryDock = iota // one cell towards the first one
	batteryAway
	batteryWork // charges in the first cell
	batteryLook
)

// Axes of Battery.
const (
	batteryCell = iota
	batteryGauge
)

var batteryParameters = parameters[Battery]{
	{"capacity", "a number of units from %v to %v", "charge of a full battery, in units of one action", counted(func(e *Battery) *int { return &e.Capacity }, 20, 2, 100)},
	{"cells", "a number of cells from %v to %v", "cells from the dock to the far job", counted(func(e *Battery) *int { return &e.Cells }, 6, 3, 100)},
	{"accuracy", wantProbability, "probability that the gauge shows the charge as it is", positive(func(e *Battery) *float64 { return &e.Accuracy }, 0.5, 0, 1)},
	discounted(func(e *Battery) *float64 { return &e.Discount }, defaultDiscount),
}

// Model returns the model. The error is a *bcpace.InputError.
func (e Battery) Model() (bcpace.Finite, error) {
	e, err := batteryParameters.sound(batteryName, e)
	if err != nil {
		return nil, err
	}
	names := listOf(e.Capacity, func(i int) string { return fmt.Sprintf("charge %d", i+1) })
	b := battery{e.Capacity, e.Cells, e.Accuracy}
	return branches(b.follow).model(bcpace.Funcs{
		Spec: bcpace.Spec{
			Name: batteryName, Params: batteryParameters.of(e),
			Axes: []bcpace.Axis{
				{Name: "cell", Unit: "cell", Max: float64(e.Cells - 1), Discrete: true},
				{Name: "gauge", Unit: "unit", Max: float64(e.Capacity + 1), Discrete: true},
			},
			Actions: bcpace.Actions("to the dock", "away", "work", "look"), Latents: names,
			Discount: e.Discount, RewardMin: batteryStuck, RewardMax: batteryFar,
		},
		Start:      func(s []float64, _ int, _ *rand.Rand) { b.start(s) },
		Starts:     func(z *bcpace.Successors) { b.start(sureStart(z)) },
		NextLatent: func(s []float64, action, latent int) int { return max(b.charge(s, action, latent), 1) - 1 },
	})
}

// battery is the model of Battery. Latent φ is a charge of φ + 1.
type battery struct {
	capacity, cells int
	accuracy        float64
}

// start puts the robot into the last cell.
func (b battery) start(s []float64) { s[batteryCell], s[batteryGauge] = float64(b.cells-1), b.off() }

// charge returns the charge after an action.
func (b battery) charge(s []float64, action, latent int) int {
	switch {
	case s[batteryGauge] == 0, action == batteryLook:
		return latent + 1
	case s[batteryCell] == 0 && action == batteryWork:
		return min(latent+1+batteryCharge, b.capacity)
	}
	return latent
}

// off is what the gauge shows of a charge that was not looked at.
func (b battery) off() float64 { return float64(b.capacity + 1) }

// follow is the branches of the model.
func (b battery) follow(s []float64, latent, action, k int) (branch, bool) {
	cell := s[batteryCell]
	if s[batteryGauge] == 0 { // it stays where it is stranded
		return branch{next: [3]float64{cell, 0}, prob: 1, done: true}, k == 0
	}
	reward, last := 0.0, float64(b.cells-1)
	switch {
	case action == batteryDock:
		cell = math.Max(cell-1, 0)
	case action == batteryAway:
		cell = math.Min(cell+1, last)
	case action == batteryLook:
	case cell == 1:
		reward = batteryNear
	case cell == last:
		reward = batteryFar
	}
	charge := b.charge(s, action, latent)
	if charge == 0 {
		return branch{next: [3]float64{cell, 0}, prob: 1, reward: batteryStuck, done: true}, k == 0
	}
	if action != batteryLook {
		return branch{next: [3]float64{cell, b.off()}, prob: 1, reward: reward}, k == 0
	}
	// The gauge shows the charge as it is, one unit less, or one more.
	off := [...]int{0, -1, 1}
	if k >= len(off) {
		return branch{}, false
	}
	wrong := (1 - b.accuracy) / 2
	shown, prob := charge+off[k], wrong
	if k == 0 {
		prob = b.accuracy
		if charge == 1 {
			prob += wrong
		}
		if charge == b.capacity {
			prob += wrong
		}
	} else if shown == 0 || shown > b.capacity {
		prob = 0
	}
	return branch{next: [3]float64{cell, float64(shown)}, prob: prob, reward: reward}, true
}
