package envs

import (
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
)

// LightDark1D is the light-dark problem on a line as Sunberg and Kochenderfer (2018, "Online algorithms for
// POMDPs with continuous state, action, and observation spaces") play it; numbers are from their program
// (zsunberg/ContinuousPOMDPTreeSearchExperiments.jl, SimpleLightDark).
//
// Hidden is the place y of the agent, a whole number from −60 to 60, at first from −30 to 30 with equal probability.
// Moves by −10, −1, 1 and 10 are exact, stop at the ends and cost 1. After each of them the agent measures y
// with a normal error whose standard deviation is |y − Light| + 0.0001: it grows with the distance from the light. To stop
// ends the episode, and earns 100 at y = 0 and −100 elsewhere.
//
// The state is the last measurement, 0 at the start. Episodes are cut after 100 steps.
type LightDark1D struct {
	// Light is where the light is, from −60 to 60. If it is nil, it is at 10.
	Light *float64
	// Discount is γ in (0, 1). If it is 0, 0.95 is used.
	Discount float64
}

const (
	lightName        = "light-dark-1d"
	lightEnd         = 60     // the largest |y|
	lightStart       = 30     // the largest |y| at the start
	lightFloor       = 0.0001 // standard deviation of a measurement in the light
	lightFar         = 1000   // the largest |measurement|: 14 standard deviations at the least
	lightPay         = 100
	publishedHorizon = 100 // steps after which the program of Sunberg and Kochenderfer cuts episodes
)

var (
	lightMoves = []float64{-10, -1, 0, 1, 10}
	lightStop  = 2 // the index of the move by 0, which stops

	lightParameters = parameters[LightDark1D]{
		{"light", "a place from %v to %v", "place of the light", pointed(func(l *LightDark1D) **float64 { return &l.Light }, 10, -lightEnd, lightEnd)},
		discounted(func(l *LightDark1D) *float64 { return &l.Discount }, defaultDiscount),
	}
)

// Model returns the model. The error is a *bcpace.InputError.
func (l LightDark1D) Model() (*hidden.Model, error) {
	l, err := lightParameters.sound(lightName, l)
	if err != nil {
		return nil, err
	}
	deviation := func(y float64) float64 { return math.Abs(y-*l.Light) + lightFloor }
	steps, best := lightSteps()
	number := func(x []float64) int { return int(x[0]) + lightEnd }
	values := make([]float64, len(steps))
	for i, n := range steps {
		kept := math.Pow(l.Discount, float64(n))
		values[i] = kept*lightPay - (1-kept)/(1-l.Discount)
	}
	spec := hiddenSpec(lightName, lightParameters.of(l), l.Discount, -lightPay, lightPay)
	spec.Axes = []bcpace.Axis{{Name: "measurement", Min: -lightFar, Max: lightFar, Scale: math.Inf(1)}}
	spec.Hidden = []bcpace.Axis{{Name: "y", Min: -lightEnd, Max: lightEnd, Discrete: true}}
	spec.Actions = bcpace.Actions("-10", "-1", "stop", "+1", "+10")
	idle := -spec.EffectiveHorizon()
	return &hidden.Model{
		Spec:  spec,
		Prior: func(x []float64, rng *rand.Rand) { x[0] = float64(rng.IntN(2*lightStart+1) - lightStart) },
		Start: func(s, _ []float64, _ *rand.Rand) { s[0] = 0 },
		Step: func(next, nextX, s, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
			if action == lightStop {
				next[0], nextX[0] = s[0], x[0]
				return bcpace.Outcome{Reward: pick[float64](x[0] == 0, lightPay, -lightPay), Done: true}
			}
			y := min(max(x[0]+lightMoves[action], -lightEnd), lightEnd)
			nextX[0] = y
			next[0] = min(max(y+deviation(y)*rng.NormFloat64(), -lightFar), lightFar)
			return bcpace.Outcome{Reward: -1}
		},
		LogDensity: func(_, _ []float64, _ int, next, nextX []float64) float64 {
			σ := deviation(nextX[0])
			return -square((next[0]-nextX[0])/σ)/2 - math.Log(σ)
		},
		Rollout: func(_, x []float64, _ *rand.Rand) int { return best[number(x)] },
		Bounds:  func(_, x []float64) (lower, upper float64) { return idle, values[number(x)] },
	}, nil
}

// lightSteps returns for each place the least number of moves to 0, and the action that it begins with.
func lightSteps() (steps, best []int) {
	const places = 2*lightEnd + 1
	to := func(i int, move float64) int { return min(max(i+int(move), 0), places-1) }
	steps, best = slices.Repeat([]int{places}, places), make([]int, places)
	steps[lightEnd] = 0
	for range places {
		for i := range steps {
			for _, move := range lightMoves {
				steps[i] = min(steps[i], steps[to(i, move)]+1)
			}
		}
	}
	for i, n := range steps {
		best[i] = slices.IndexFunc(lightMoves, func(move float64) bool { return steps[to(i, move)] == n-1 })
	}
	best[lightEnd] = lightStop
	return steps, best
}
