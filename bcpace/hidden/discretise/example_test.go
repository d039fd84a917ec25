package discretise_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/family"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/hidden/discretise"
)

// room is a room whose temperature is hidden. A thermometer shows it with an error of 2 °C. Heating adds 3 °C, the night takes a
// tenth of what is above 15 °C, and each step costs how far the temperature is from 21 °C.
func room() *hidden.Model {
	clip := func(x float64) float64 { return min(max(x, 8), 32) }
	return &hidden.Model{
		Spec: hidden.Spec{
			Spec:   bcpace.Spec{Name: "room", Axes: []bcpace.Axis{{Name: "thermometer", Unit: "°C", Min: 8, Max: 32, Scale: math.Inf(1)}}, Actions: bcpace.Actions("wait", "heat"), Discount: 0.9, RewardMin: -50, Horizon: 4},
			Hidden: []bcpace.Axis{{Name: "temperature", Unit: "°C", Min: 8, Max: 32}},
		},
		Prior: func(x []float64, rng *rand.Rand) { x[0] = clip(18 + 3*rng.NormFloat64()) },
		Start: func(s, _ []float64, _ *rand.Rand) { s[0] = 18 },
		Step: func(next, nextX, _, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
			nextX[0] = clip(15 + 0.9*(x[0]-15) + 3*float64(action) + 0.5*rng.NormFloat64())
			next[0] = clip(nextX[0] + 2*rng.NormFloat64())
			return bcpace.Outcome{Reward: -math.Abs(nextX[0] - 21)}
		},
		LogDensity: func(_, _ []float64, _ int, next, nextX []float64) float64 {
			z := (next[0] - nextX[0]) / 2
			return -z * z / 2
		},
	}
}

// An offline solver takes the problem in cells, and its policy plays the problem itself.
func ExampleNew() {
	m, ctx := room(), context.Background()
	d, err := discretise.New(ctx, m, discretise.Options{Cells: 12, StateCells: 6, Parts: 2}, bcpace.Control{})
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := certified.Solver{Epsilon: 0.5}.Solve(ctx, d.Model, bcpace.Control{})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := d.Policy(found.Policy)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := hidden.Simulate(ctx, m, p, hidden.Options{Episodes: 500})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("in cells [%.1f, %.1f], in the room %.1f ± %.1f\n", found.Certificate.Lower, found.Certificate.Upper, r.Mean, r.StdErr)
	// Output: in cells [-6.4, -6.0], in the room -5.4 ± 0.1
}

// How good can a policy be for a coin whose bias is hidden, and uniform? The bracket holds that value for all biases, of which draws
// stand for the prior.
func ExampleOptions_Family() {
	m := &hidden.Model{
		Spec: hidden.Spec{
			Spec:   bcpace.Spec{Name: "coin", Axes: []bcpace.Axis{{Name: "side", Max: 1, Discrete: true}}, Actions: bcpace.Actions("bet on heads", "bet on tails"), Discount: 0.9, RewardMin: -1, RewardMax: 1},
			Hidden: []bcpace.Axis{{Name: "bias", Max: 1}},
		},
		Prior: func(x []float64, rng *rand.Rand) { x[0] = rng.Float64() },
		Step: func(next, nextX, _, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
			nextX[0], next[0] = x[0], 0
			if rng.Float64() < x[0] {
				next[0] = 1
			}
			if (next[0] == 1) == (action == 0) {
				return bcpace.Outcome{Reward: 1}
			}
			return bcpace.Outcome{Reward: -1}
		},
	}
	f, err := discretise.Options{Steps: 400}.Family(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := family.Bracket(context.Background(), f, certified.Solver{Epsilon: 0.1}, family.BracketOptions{Draws: 5, Sets: 6, Episodes: 300})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("from %.1f to %.1f\n", b.Lower, b.Upper)
	// Output:
	// from 3.4 to 4.9
}
