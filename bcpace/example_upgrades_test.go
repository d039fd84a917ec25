package bcpace_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/envs"
)

// What can follow after one listens at the doors of Tiger, under each latent.
func ExampleEnumerator() {
	var tiger bcpace.Enumerator = envs.Tiger{Accuracy: 0.8}
	spec := tiger.Spec()
	var z bcpace.Successors
	z.Reset(len(spec.Axes), len(spec.Latents))
	tiger.Successors(&z, []float64{0}, spec.ActionIndex("listen"))
	for i := range z.Len() {
		state, prob, reward := z.Row(i)
		fmt.Printf("%s: probabilities %.1f, rewards %.0f\n", spec.Axes[0].Labels[int(state[0])], prob, reward)
	}
	// Output:
	// left: probabilities [0.8 0.2], rewards [-1 -1]
	// right: probabilities [0.2 0.8], rewards [-1 -1]
}

// A list for one axis and two latents.
func ExampleSuccessors() {
	var z bcpace.Successors
	z.Reset(1, 2)
	state, prob, reward := z.Add(false)
	state[0], prob[0], prob[1] = 3, 0.25, 1
	state, prob, reward = z.Add(true) // the episode ends there
	state[0], prob[0], reward[0] = 4, 0.75, 10

	fmt.Println(z.Len(), "states:", z.States)
	fmt.Println("probabilities:", z.Prob)
	// Output:
	// 2 states: [3 4]
	// probabilities: [0.25 1 0.75 0]
}

// Light-Dark Tiger numbers its states only where moves are without noise.
func ExampleFinite() {
	for _, sigma := range []float64{0, 0.1} {
		m, ok := bcpace.AsFinite(envs.LightDarkTiger{Sigma: sigma})
		if !ok {
			fmt.Println("not finite with noise", sigma)
			continue
		}
		s := make([]float64, len(m.Spec().Axes))
		m.StateAt(s, 7)
		fmt.Println(m.NumStates(), "states; number 7 is", s, "and back", m.StateIndex(s))
	}
	// Output:
	// 30 states; number 7 is [0 3 2] and back 7
	// not finite with noise 0.1
}

// The tiger stays where it is while one listens, and is placed anew after a door has
// been opened.
func ExampleLatentDynamics() {
	var tiger bcpace.LatentDynamics = envs.Tiger{}
	row := make([]float64, 2)
	for action, name := range []string{"listen", "open left"} {
		if tiger.LatentTransition(row, []float64{0}, action, 0) {
			fmt.Println(name, row)
		} else {
			fmt.Println(name, "moves nothing")
		}
	}
	// Output:
	// listen moves nothing
	// open left [0.5 0.5]
}

// The rover takes a sample of the second rock, which is good, from its cell. It is bad then.
func ExampleDeterministicLatent() {
	m, err := envs.RockSample{Size: 7, Rocks: 8}.Model()
	if err != nil {
		fmt.Println(err)
		return
	}
	const sample = 4
	names := m.Spec().Latents
	good := m.Spec().LatentIndex("good 2 4")
	next := m.(bcpace.DeterministicLatent).NextLatent([]float64{0, 1, 0}, sample, good)
	fmt.Println(names[good], "becomes", names[next])
	// Output: good 2 4 becomes good 4
}

// A blade wears from sharp to blunt: each cut dulls it by one grade with probability 0.1.
func ExampleSparseLatent() {
	const grades = 1000
	names := make([]string, grades)
	for grade := range names {
		names[grade] = fmt.Sprint("grade ", grade)
	}
	m, err := bcpace.FromFuncs(bcpace.Funcs{
		Spec: bcpace.Spec{Name: "blade", Axes: []bcpace.Axis{{Name: "clean cut", Max: 1, Discrete: true}},
			Actions: bcpace.Actions("cut"), Latents: names, Discount: 0.9, RewardMax: 1},
		Prior: bcpace.OneHot(grades, 0),
		Step: func(next, _ []float64, grade, _ int, rng *rand.Rand) bcpace.Outcome {
			if next[0] = 0; rng.Float64() < 1-float64(grade)/grades {
				next[0] = 1
			}
			return bcpace.Outcome{Reward: next[0]}
		},
		LogLikelihood: func(_ []float64, _ int, next []float64, grade int) float64 {
			if next[0] == 0 {
				return math.Log(float64(grade) / grades)
			}
			return math.Log(1 - float64(grade)/grades)
		},
		LatentMoves: func(to []int32, share, _ []float64, _, grade int) ([]int32, []float64) {
			if grade == grades-1 {
				return append(to, int32(grade)), append(share, 1)
			}
			return append(to, int32(grade), int32(grade+1)), append(share, 0.9, 0.1)
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	blade, ok := m.(bcpace.SparseLatent)
	to, share := blade.LatentMoves(nil, nil, []float64{1}, 0, 7)
	fmt.Println(ok, bcpace.KindOf(m), to, share)

	belief := bcpace.OneHot(grades, 0)
	fmt.Println(bcpace.NewBayes(m).Update(belief, belief, []float64{1}, 0, []float64{1}), belief[:3])
	// Output:
	// true redrawn [7 8] [0.9 0.1]
	// <nil> [0.9 0.1 0]
}

func ExampleLatentKind() {
	fmt.Println(bcpace.KindOf(envs.Tiger{}), bcpace.KindOf(envs.Chain{}))
	// Output: redrawn static
}

// Who starts at the light wall sees at once that the tiger is at the top.
func ExampleStartLikelihood() {
	var dark bcpace.StartLikelihood = envs.LightDarkTiger{StartAt: []float64{0, 2}}
	start := []float64{0, 2, 1} // x, y and what is seen
	fmt.Println(dark.StartLogLikelihood(start, 0), dark.StartLogLikelihood(start, 1))
	// Output: 0 -Inf
}

// LaserTag has too many readings to list. Who knows the latent does not need them.
func ExampleToldModel() {
	m, err := envs.LaserTag{}.Model()
	if err != nil {
		fmt.Println(err)
		return
	}
	told := m.(bcpace.ToldModel).Told()
	fmt.Println(len(m.Spec().Axes), "axes with readings,", len(told.Spec().Axes), "without, and", told.NumStates(), "states")
	// Output: 11 axes with readings, 3 without, and 207 states
}

func ExampleValidator() {
	var tiger bcpace.Validator = envs.Tiger{Accuracy: 2}
	fmt.Println(tiger.Validate())
	// Output: environment "tiger": accuracy is 2, want a probability in (0, 1]
}

// With the steps left in its states, a model ends by itself.
func ExampleAbilities_keepsHorizon() {
	m, err := bcpace.FiniteHorizon(envs.Tiger{}, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(bcpace.AbilitiesOf(m).KeepsHorizon, m.Spec().Axes[1].Name)
	// Output: true steps left
}

// One can earn at most 10 in an episode of Light-Dark Tiger. The range of its rewards
// alone would allow 10 at every step.
func ExampleAbilities_returnRange() {
	dark := envs.LightDarkTiger{}
	_, highest := dark.ReturnRange()
	fmt.Printf("%.0f, not %.0f\n", highest, dark.Spec().VMax())
	// Output: 10, not 200
}
