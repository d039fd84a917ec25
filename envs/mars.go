package envs

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
)

// Mars is RockSample with two rovers that act at once: MARS, "multi-agent rock sample" (Cai, Luo, Hsu and Lee 2018,
// "HyP-DESPOT: a hybrid parallel algorithm for online planning under uncertainty"); numbers are from their program
// (AdaCompNUS/hyp-despot). The hidden vector has 1 for each rock that is good and 0 for each bad one, at first
// with probability ½ each: with 20 rocks a million vectors, which no list of latents could hold.
//
// An action is one for each rover: a move to the north, east, south or west, a sample, or a check of one of the rocks from
// where it stands. Moves to the north, south and west out of the field are fined 100, and to the east they take the rover to the exit, which
// earns 10. A sample earns 10 where there is a good rock, which is bad from then on, costs 10 where it is bad, and is fined
// 100 where there is none. A check from a distance of d cells tells with probability (1 + 2^(−d/20))/2 whether the rock is good, after
// the samples of that step. The episode ends when both rovers are out.
//
// The state is the cell of each rover, with Size for x at the exit, and its last reading. Rovers begin in the first column, just
// above and below the middle. Rocks lie where RockSample has them. Episodes are cut after 100 steps.
type Mars struct {
	// Size is the number of cells on each side, from 4 to 50. If it is 0, 20 is used.
	Size int
	// Rocks is the number of rocks, from 1 to 27 and at most one for each cell. If it is 0, 20 is used.
	Rocks int
	// Discount is γ in (0, 1). If it is 0, 0.95 is used.
	Discount float64
}

const (
	marsName   = "mars"
	marsRovers = 2
	marsFine   = -100
	marsAxes   = 3 // of a rover: x, y and its reading
)

var marsParameters = parameters[Mars]{
	{"size", "a number of cells from %v to %v", "cells on each side of the field", counted(func(m *Mars) *int { return &m.Size }, 20, 4, rockSizeMax)},
	{"rocks", wantRocks, "rocks, each of which is good or bad", counted(func(m *Mars) *int { return &m.Rocks }, 20, 1, 27)},
	discounted(func(m *Mars) *float64 { return &m.Discount }, defaultDiscount),
}

// Model returns the model. The error is a *bcpace.InputError.
func (m Mars) Model() (*hidden.Model, error) {
	m, err := marsParameters.sound(marsName, m)
	if err == nil {
		err = checkRocks(marsName, m.Size, m.Rocks)
	}
	if err != nil {
		return nil, err
	}
	f := newMarsField(m)
	f.spec = hiddenSpec(marsName, marsParameters.of(m), m.Discount, marsRovers*marsFine, marsRovers*rockPay)
	for _, who := range []string{"1st rover", "2nd rover"} {
		f.spec.Axes = append(f.spec.Axes, bcpace.Axis{Name: who + " x", Unit: "cell", Max: float64(m.Size), Discrete: true},
			bcpace.Axis{Name: who + " y", Unit: "cell", Max: float64(m.Size - 1), Discrete: true},
			bcpace.Axis{Name: who + " reading", Max: rockGood, Labels: []string{"none", "bad", "good"}})
	}
	f.spec.Hidden = listOf(m.Rocks, func(i int) bcpace.Axis {
		return bcpace.Axis{Name: fmt.Sprintf("rock %d", i+1), Max: 1, Labels: []string{"bad", "good"}}
	})
	names := rockActions(m.Rocks)
	f.spec.Actions = listOf(f.each*f.each, func(action int) bcpace.Action {
		of := f.actions(action)
		return bcpace.Action{Name: names[of[0]] + ", " + names[of[1]]}
	})
	return &hidden.Model{
		Spec: f.spec,
		Prior: func(x []float64, rng *rand.Rand) {
			for i := range x {
				x[i] = float64(rng.IntN(2))
			}
		},
		Start: func(s, _ []float64, _ *rand.Rand) {
			clear(s)
			s[1], s[marsAxes+1] = float64(m.Size/2+1), float64(m.Size/2-1)
		},
		Step: f.step, LogDensity: f.logProbability, Rollout: f.drive, Bounds: f.bounds,
	}, nil
}

// marsField is the model of Mars.
type marsField struct {
	spec   hidden.Spec
	size   int
	each   int // actions of a rover
	place  [][2]int
	rockAt []int // by y·size + x, −1 for none
}

func newMarsField(m Mars) *marsField {
	place, rockAt := placeRocks(m.Size, m.Rocks)
	return &marsField{size: m.Size, each: rockCheck + m.Rocks, place: place, rockAt: rockAt}
}

// actions returns those of the rovers.
func (f *marsField) actions(action int) [marsRovers]int {
	return [...]int{action / f.each, action % f.each}
}

// at returns the cell of a rover, and whether it is still in the field.
func (f *marsField) at(s []float64, rover int) (x, y int, here bool) {
	x, y = int(s[rover*marsAxes]), int(s[rover*marsAxes+1])
	return x, y, x < f.size
}

func (f *marsField) step(next, nextX, s, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
	copy(next, s)
	copy(nextX, x)
	out := bcpace.Outcome{Done: true}
	for rover, a := range f.actions(action) {
		cx, cy, here := f.at(s, rover)
		next[rover*marsAxes+2] = rockNoReading
		switch {
		case !here || a >= rockCheck:
		case a == rockTake:
			out.Reward += f.sample(nextX, cx, cy)
		default:
			d := compass[a]
			tx, ty := cx+d[0], cy+d[1]
			switch {
			case tx == f.size:
				out.Reward += rockPay
				next[rover*marsAxes] = float64(tx)
			case tx < 0 || ty < 0 || ty == f.size:
				out.Reward += marsFine
			default:
				next[rover*marsAxes], next[rover*marsAxes+1] = float64(tx), float64(ty)
			}
		}
		out.Done = out.Done && int(next[rover*marsAxes]) == f.size
	}
	for rover, a := range f.actions(action) { // once all samples are taken
		if cx, cy, here := f.at(s, rover); here && a >= rockCheck {
			right := rng.Float64() < rockRight(f.place[a-rockCheck], cx, cy)
			next[rover*marsAxes+2] = pick[float64](right == (nextX[a-rockCheck] == 1), rockGood, rockBad)
		}
	}
	return out
}

// sample takes the rock in a cell out of x, and returns what that earns.
func (f *marsField) sample(x []float64, cx, cy int) float64 {
	rock := f.rockAt[cy*f.size+cx]
	switch {
	case rock < 0:
		return marsFine
	case x[rock] == 1:
		x[rock] = 0
		return rockPay
	}
	return -rockPay
}

// logProbability implements hidden.Model.LogDensity.
func (f *marsField) logProbability(s, _ []float64, action int, next, nextX []float64) (sum float64) {
	for rover, a := range f.actions(action) {
		if cx, cy, here := f.at(s, rover); here && a >= rockCheck {
			right := (next[rover*marsAxes+2] == rockGood) == (nextX[a-rockCheck] == 1)
			sum += math.Log(either(right, rockRight(f.place[a-rockCheck], cx, cy)))
		}
	}
	return sum
}

// drive implements hidden.Model.Rollout: each rover goes for the good rock that is nearest to it, the second one for another than the first,
// and to the exit where there is none, or a rock behind it is not worth the way.
func (f *marsField) drive(s, x []float64, _ *rand.Rand) int {
	action, taken := 0, -1
	for rover := range marsRovers {
		cx, cy, here := f.at(s, rover)
		one := toEast
		if here {
			target, far := -1, math.MaxInt
			for i, p := range f.place {
				if d := apart(p, [2]int{cx, cy}); x[i] == 1 && i != taken && d < far {
					target, far = i, d
				}
			}
			if out := float64(f.size - cx); target >= 0 && f.worth(far, target) > rockPay*math.Pow(f.spec.Discount, out-1) {
				one, taken = towards([2]int{cx, cy}, f.place[target]), target
			}
		}
		action = action*f.each + one
	}
	return action
}

// worth returns what a rock and then the exit earn from so far away.
func (f *marsField) worth(far, rock int) float64 {
	return rockPay * (math.Pow(f.spec.Discount, float64(far)) + math.Pow(f.spec.Discount, float64(far+f.size-f.place[rock][0])))
}

// bounds implements hidden.Model.Bounds: below by the way to the exit, and above as if the nearest rover could take each good rock at once when it
// comes there.
func (f *marsField) bounds(s, x []float64) (lower, upper float64) {
	for rover := range marsRovers {
		if cx, _, here := f.at(s, rover); here {
			lower += rockPay * math.Pow(f.spec.Discount, float64(f.size-1-cx))
		}
	}
	upper = lower
	for i, p := range f.place {
		far := math.MaxInt
		for rover := range marsRovers {
			if cx, cy, here := f.at(s, rover); here && x[i] == 1 {
				far = min(far, apart(p, [2]int{cx, cy}))
			}
		}
		if far < math.MaxInt {
			upper += rockPay * math.Pow(f.spec.Discount, float64(far))
		}
	}
	return lower, upper
}
