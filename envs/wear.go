package envs

import (
	"fmt"
	"math"

	"bayescpace/bcpace"
)

// Wear is a machine that wears, in the manner of the machine maintenance problem (Smallwood and
// Sondik 1973): its wear, from 0 to Grades − 1, is the latent. It is hidden, and drifts up at
// random, by one grade at a time (bcpace.SparseLatent). A run is slow, makes one product and
// wears the machine by a grade with probability 0.1, or fast, makes three and wears it with
// probability 0.4. A product is bad with probability 0.05 + 0.9·wear/(Grades − 1); those of a
// run are all good, or all bad. A good one earns 1 and a bad one costs 1. Maintenance takes a
// step, costs 5 and makes the machine new.
//
// The state is what the last run has made: nothing, good products or bad ones. It tells of the
// wear before the run, and matters to nothing that follows. The machine is bought used: each
// grade has the same probability at the start. Maintenance makes the wear certain.
//
// With the defaults the optimal value at the start is 20.2.
type Wear struct {
	// Grades is the number of grades of wear, from 2 to 10,000. If it is 0, 10 is used.
	Grades int
	// Discount is γ in (0, 1). If it is 0, 0.95 is used.
	Discount float64
}

const (
	wearName    = "wear"
	wearRepair  = 5    // cost of maintenance
	wearFast    = 3    // products of a fast run
	wearGood    = 0.95 // chance of good products from a new machine
	wearFall    = 0.9  // what that loses until the machine is worn out
	wearSlowly  = 0.1  // chance of a grade in a slow run
	wearQuickly = 0.4  // and in a fast one
)

// Actions of Wear.
const (
	wearRunSlow = iota
	wearRunFast
	wearMaintain
)

// Products of Wear.
const (
	wearNothing = iota
	wearMadeGood
	wearMadeBad
)

var wearParameters = parameters[Wear]{
	{"grades", "a number of grades from %v to %v", "grades of wear", counted(func(e *Wear) *int { return &e.Grades }, 10, 2, 10_000)},
	discounted(func(e *Wear) *float64 { return &e.Discount }, defaultDiscount),
}

// Model returns the model. The error is a *bcpace.InputError.
func (e Wear) Model() (bcpace.Finite, error) {
	e, err := wearParameters.sound(wearName, e)
	if err != nil {
		return nil, err
	}
	m := wear{e.Grades}
	return branches(m.follow).model(bcpace.Funcs{
		Spec: bcpace.Spec{
			Name: wearName, Params: wearParameters.of(e),
			Axes: []bcpace.Axis{{
				Name: "made", Max: wearMadeBad, Discrete: true, Labels: []string{"nothing", "good", "bad"}, Scale: math.Inf(1),
			}},
			Actions: bcpace.Actions("run slow", "run fast", "maintain"), Latents: listOf(e.Grades, func(w int) string { return fmt.Sprintf("wear %d", w) }),
			Discount: e.Discount, RewardMin: -wearRepair, RewardMax: wearFast,
		},
		LatentMoves: m.moves,
	})
}

// wear is the model of Wear.
type wear struct{ grades int }

// moves lists the grades of wear after an action.
func (m wear) moves(to []int32, share []float64, _ []float64, action, grade int) ([]int32, []float64) {
	up := wearSlowly
	switch {
	case action == wearMaintain:
		return append(to, 0), append(share, 1)
	case grade == m.grades-1:
		return append(to, int32(grade)), append(share, 1)
	case action == wearRunFast:
		up = wearQuickly
	}
	return append(to, int32(grade), int32(grade)+1), append(share, 1-up, up)
}

// follow is the branches of the model.
func (m wear) follow(_ []float64, grade, action, k int) (branch, bool) {
	if action == wearMaintain {
		return branch{next: [3]float64{wearNothing}, prob: 1, reward: -wearRepair}, k == 0
	}
	good, products := wearGood-wearFall*float64(grade)/float64(m.grades-1), pick[float64](action == wearRunFast, wearFast, 1)
	if k == 0 {
		return branch{next: [3]float64{wearMadeGood}, prob: good, reward: products}, true
	}
	return branch{next: [3]float64{wearMadeBad}, prob: 1 - good, reward: -products}, k == 1
}
