package check_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/hidden"
)

// side is a model with a hidden number, of whose sign nothing tells but that episodes go on.
func side(ends func(next, x float64, rng *rand.Rand) bool) *hidden.Model {
	return &hidden.Model{
		Spec: hidden.Spec{Spec: bcpace.Spec{Name: "side", Axes: []bcpace.Axis{{Name: "place", Min: -100, Max: 100}}, Actions: bcpace.Actions("on"), Discount: 0.9, RewardMax: 1},
			Hidden: []bcpace.Axis{{Name: "side", Min: -100, Max: 100}}},
		Prior: func(x []float64, rng *rand.Rand) { x[0] = rng.NormFloat64() },
		Start: func(s, _ []float64, _ *rand.Rand) { s[0] = 0 },
		Step: func(next, nextX, s, x []float64, _ int, rng *rand.Rand) bcpace.Outcome {
			next[0], nextX[0] = s[0]+rng.NormFloat64(), x[0]
			return bcpace.Outcome{Done: ends(next[0]-s[0], x[0], rng)}
		},
		LogDensity: func(s, _ []float64, _ int, next, _ []float64) float64 {
			return -(next[0] - s[0]) * (next[0] - s[0]) / 2
		},
	}
}

// TestHiddenVectorEnds: beliefs learn from an episode that goes on where its end depends on the hidden vector alone, and a model in which it
// depends on the next state too, or which states a Gaussian, whose filters do not learn from it, is refused.
func TestHiddenVectorEnds(t *testing.T) {
	byX := func(_, x float64, rng *rand.Rand) bool { return x > 0 && rng.IntN(2) == 0 }
	sound := side(byX)
	if _, err := check.Hidden(sound, check.HiddenOptions{}); err != nil {
		t.Errorf("an end that depends on the hidden vector alone: %v", err)
	}
	sound.Spec.Hidden[0] = bcpace.Axis{Name: "side", Max: 1, Discrete: true}
	sound.Prior = func(x []float64, rng *rand.Rand) { x[0] = float64(rng.IntN(2)) }
	b, err := hidden.Particles{Number: 4000}.Begin(sound, []float64{0}, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 3 {
		if err := b.Update([]float64{0}, 0, []float64{0.3}, rng); err != nil {
			t.Fatal(err)
		}
	}
	mean, variance := []float64{0}, []float64{0}
	b.Moments(mean, variance)
	if want := 1.0 / 9; math.Abs(mean[0]-want) > 0.05 { // as the half of those with x = 1 end at each: 1/8 to 1 after three steps that went on
		t.Errorf("the mean after three steps that went on is %v, want about %v", mean[0], want)
	}
	if _, err := check.Hidden(side(func(move, x float64, _ *rand.Rand) bool { return move*x > 0.5 }), check.HiddenOptions{}); err == nil || !strings.Contains(err.Error(), "LogDensity") {
		t.Errorf("an end that depends on the next state and the hidden vector: %v", err)
	}
	stated := side(func(_, x float64, rng *rand.Rand) bool { return x > 0 && rng.IntN(10) > 0 })
	stated.Gaussian = &hidden.Gaussian{Mean: []float64{0}, Deviation: []float64{1}, Of: []int{0},
		Observe:      func(mean, s []float64, _ int, _ []float64) { mean[0] = s[0] },
		ObserveNoise: func(deviation, _ []float64, _ int, _ []float64) { deviation[0] = 1 }}
	if _, err := check.Hidden(stated, check.HiddenOptions{}); err == nil || !strings.Contains(err.Error(), "leave Gaussian nil") {
		t.Errorf("a Gaussian beside an end that depends on the hidden vector: %v", err)
	}
}

// TestStartTells: a start that tells of the latent what no StartLogLikelihood says is refused by check, and by a solver where it tells all; one
// that does not, or whose likelihood is stated, is sound.
func TestStartTells(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	for i := range 20 {
		shift, wide := 0.2+0.3*rng.Float64(), 0.1+0.4*rng.Float64()
		for _, apart := range []float64{0, 1} {
			f := cart()
			centre := func(latent int) float64 { return apart * shift * float64(2*latent-1) }
			f.Start = func(s []float64, latent int, rng *rand.Rand) { s[0] = centre(latent) + wide*(2*rng.Float64()-1) }
			m, err := bcpace.FromFuncs(f)
			if err != nil {
				t.Fatal(err)
			}
			o := check.Options{Draws: 1000, Episodes: 5, Transitions: 20}
			if err := check.Model(m, o); (err == nil) != (apart == 0) || err != nil && !strings.Contains(err.Error(), "the first state tells of the latent") {
				t.Errorf("model %d, starts around %v and %v within %v: %v", i, centre(0), centre(1), wide, err)
			}
			if err := bcpace.Validate(m); err == nil && shift*apart > wide || err != nil && apart == 0 {
				t.Errorf("model %d, starts around %v and %v within %v: Validate says %v", i, centre(0), centre(1), wide, err)
			}
			f.StartLogLikelihood = func(s []float64, latent int) float64 {
				if math.Abs(s[0]-centre(latent)) > wide {
					return math.Inf(-1)
				}
				return 0
			}
			if m, err = bcpace.FromFuncs(f); err != nil {
				t.Fatal(err)
			}
			if err := check.Model(m, o); err != nil {
				t.Errorf("model %d with a likelihood of starts: %v", i, err)
			}
		}
	}
}

// TestLatePanic: a Step that panics where nothing but a stated Gaussian is compared is a fault of the model.
func TestLatePanic(t *testing.T) {
	m := side(func(_, _ float64, _ *rand.Rand) bool { return false })
	m.LogDensity = nil
	m.Gaussian = &hidden.Gaussian{Mean: []float64{0}, Deviation: []float64{1}, Of: []int{0},
		Observe:      func(mean, s []float64, _ int, _ []float64) { mean[0] = s[0] },
		ObserveNoise: func(deviation, _ []float64, _ int, _ []float64) { deviation[0] = 1 }}
	var calls, most atomic.Int64
	most.Store(math.MaxInt64)
	step := m.Step
	m.Step = func(next, nextX, s, x []float64, a int, rng *rand.Rand) bcpace.Outcome {
		if calls.Add(1) > most.Load() {
			panic("too many steps")
		}
		return step(next, nextX, s, x, a, rng)
	}
	if _, err := check.Hidden(m, check.HiddenOptions{}); err != nil {
		t.Fatal(err)
	}
	// The goroutines at the end take some ten thousand steps, and the comparison before them sixteen thousand.
	most.Store(calls.Swap(0) - 18_000)
	if _, err := check.Hidden(m, check.HiddenOptions{}); err == nil || !strings.Contains(err.Error(), "too many steps") {
		t.Errorf("error %v, want that Step panicked", err)
	}
}
