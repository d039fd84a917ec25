package check_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/hidden"
	"bayescpace/envs"
)

// randomHidden returns a random model whose hidden vector moves by a saturated linear map with normal noise, and of which the state has
// noisy readings, whose noise grows with the first entry; the state's last axis counts steps. Some end at random, by how large
// the first entry is. It states its Gaussian, and bounds.
func randomHidden(rng *rand.Rand) *hidden.Model {
	dim, seen := 1+rng.IntN(3), 1+rng.IntN(2)
	matrix := func(rows int) [][]float64 {
		m := make([][]float64, rows)
		for i := range m {
			m[i] = make([]float64, dim)
			for j := range m[i] {
				m[i][j] = rng.NormFloat64()
			}
		}
		return m
	}
	f, h, move, ends := matrix(dim), matrix(seen), 0.1+rng.Float64(), rng.IntN(2) == 0
	times := func(out []float64, m [][]float64, x []float64) {
		for i, row := range m {
			out[i] = 0
			for j, v := range row {
				out[i] += v * x[j]
			}
		}
	}
	of := []int{0, 1}[:seen]
	g := &hidden.Gaussian{Mean: make([]float64, dim), Deviation: make([]float64, dim), Of: of,
		Move: func(mean, _, x []float64, action int) {
			times(mean, f, x)
			for i := range mean {
				mean[i] = math.Tanh(mean[i] + float64(action-1))
			}
		},
		MoveNoise:    func(d, _, _ []float64, _ int) { fill(d, move) },
		Observe:      func(mean, s []float64, _ int, x []float64) { times(mean, h, x); mean[0] += 0.1 * s[0] },
		ObserveNoise: func(d, _ []float64, action int, x []float64) { fill(d, 0.2+0.3*math.Abs(x[0])+0.2*float64(action)) },
	}
	for i := range dim {
		g.Mean[i], g.Deviation[i] = rng.NormFloat64(), 0.5+rng.Float64()
	}
	axes := func(n int, name string) (list []bcpace.Axis) {
		for i := range n {
			list = append(list, bcpace.Axis{Name: fmt.Sprint(name, i), Min: -1000, Max: 1000})
		}
		return list
	}
	spec := hidden.Spec{Hidden: axes(dim, "x"), Spec: bcpace.Spec{Name: "random", Axes: append(axes(seen, "z"), bcpace.Axis{Name: "steps", Max: 1e6, Discrete: true}),
		Actions: bcpace.Actions("left", "wait", "right"), Discount: 0.8, RewardMin: -1, RewardMax: 1}}
	return &hidden.Model{
		Spec: spec, Gaussian: g,
		Prior: func(x []float64, rng *rand.Rand) {
			for i := range x {
				x[i] = g.Mean[i] + g.Deviation[i]*rng.NormFloat64()
			}
		},
		Start: func(s, _ []float64, _ *rand.Rand) { clear(s) },
		Step: func(next, nextX, s, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
			g.Move(nextX, s, x, action)
			for i := range nextX {
				nextX[i] += move * rng.NormFloat64()
			}
			deviation := make([]float64, seen)
			g.Observe(next[:seen], s, action, nextX)
			g.ObserveNoise(deviation, s, action, nextX)
			for i, d := range deviation {
				next[i] = min(max(next[i]+d*rng.NormFloat64(), -1000), 1000)
			}
			next[seen] = s[seen] + 1
			done := ends && rng.Float64() < 0.1 && action == 2
			return bcpace.Outcome{Reward: math.Tanh(nextX[0]), Done: done}
		},
		LogDensity: func(s, _ []float64, action int, next, nextX []float64) float64 {
			return g.LogDensity(s, action, next, nextX, make([]float64, 2*seen))
		},
		Rollout: func(s, x []float64, _ *rand.Rand) int {
			if x[0] > 0 {
				return 2
			}
			return 0
		},
		Bounds: func(_, _ []float64) (lower, upper float64) { return -5, 5 },
	}
}

// randomCells returns a random model whose hidden vector is a cell that moves by a random table, of which the state shows a noisy
// reading; the start tells of it, too.
func randomCells(rng *rand.Rand) *hidden.Model {
	cells, readings := 2+rng.IntN(4), 2+rng.IntN(3)
	table := func(n int) [][]float64 {
		t := make([][]float64, cells)
		for i := range t {
			sum := 0.0
			for range n {
				t[i] = append(t[i], rng.ExpFloat64()+0.02)
				sum += t[i][len(t[i])-1]
			}
			for j := range t[i] {
				t[i][j] /= sum
			}
		}
		return t
	}
	draw := func(p []float64, rng *rand.Rand) float64 {
		u := rng.Float64()
		for i := range p {
			if u -= p[i]; u < 0 {
				return float64(i)
			}
		}
		return float64(len(p) - 1)
	}
	moves, see, starts := table(cells), table(readings), table(readings)
	return &hidden.Model{
		Spec: hidden.Spec{Hidden: []bcpace.Axis{{Name: "cell", Max: float64(cells - 1), Discrete: true}}, Spec: bcpace.Spec{Name: "cells", Axes: []bcpace.Axis{{Name: "reading", Max: float64(readings - 1), Discrete: true}},
			Actions: bcpace.Actions("wait", "stop"), Discount: 0.9, RewardMin: 0, RewardMax: 1}},
		Prior:           func(x []float64, rng *rand.Rand) { x[0] = float64(rng.IntN(cells)) },
		Start:           func(s, x []float64, rng *rand.Rand) { s[0] = draw(starts[int(x[0])], rng) },
		StartLogDensity: func(s, x []float64) float64 { return math.Log(starts[int(x[0])][int(s[0])]) },
		Step: func(next, nextX, s, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
			nextX[0] = draw(moves[int(x[0])], rng)
			next[0] = draw(see[int(nextX[0])], rng)
			if action == 1 && nextX[0] == 0 {
				return bcpace.Outcome{Reward: 1, Done: true}
			}
			return bcpace.Outcome{}
		},
		LogDensity: func(_, _ []float64, _ int, next, nextX []float64) float64 {
			return math.Log(see[int(nextX[0])][int(next[0])])
		},
	}
}

func fill(x []float64, v float64) {
	for i := range x {
		x[i] = v
	}
}

// TestHidden: sound models pass, the project's own and random ones.
//
//test:race
func TestHidden(t *testing.T) {
	models := map[string]*hidden.Model{}
	for _, info := range envs.ListHidden() {
		m, err := envs.NewHidden(info.Name, nil)
		if err != nil {
			t.Fatal(err)
		}
		models[info.Name] = m
	}
	random, options := uint64(8), check.HiddenOptions{Episodes: 20, Places: 40, Draws: 200}
	if testing.Short() { // what goroutines do does not depend on these
		random, options = 3, check.HiddenOptions{Episodes: 4, Places: 20, Draws: 50}
	}
	for seed := range random {
		rng := rand.New(rand.NewPCG(seed, 5))
		models[fmt.Sprint("random ", seed)], models[fmt.Sprint("cells ", seed)] = randomHidden(rng), randomCells(rng)
	}
	for name, m := range models {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report, err := check.Hidden(m, options)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range report.Tests {
				nothing := x.Name == check.Bounded && m.Bounds == nil || x.Name == check.Gaussian && m.Gaussian == nil
				if (x.Tried == 0) != nothing {
					t.Errorf("%s: %s", x.Name, x.Text)
				}
			}
		})
	}
}

// TestHiddenMistakes makes the mistakes that users make, and expects check to name them.
func TestHiddenMistakes(t *testing.T) {
	type density = func(s, x []float64, action int, next, nextX []float64) float64
	spoilDensity := func(f func(right density) density) func(*hidden.Model) {
		return func(m *hidden.Model) { m.LogDensity, m.Gaussian = f(m.LogDensity), nil }
	}
	type step = func(next, nextX, s, x []float64, action int, rng *rand.Rand) bcpace.Outcome
	spoilStep := func(f func(right step) step) func(*hidden.Model) {
		return func(m *hidden.Model) { m.Step = f(m.Step) }
	}
	for name, x := range map[string]mistake{
		"a density in place of its logarithm": {randomHidden, spoilDensity(func(right density) density {
			return func(s, x []float64, a int, next, nextX []float64) float64 {
				return math.Exp(right(s, x, a, next, nextX))
			}
		}), "LogDensity"},
		"of where the vector was": {randomHidden, spoilDensity(func(right density) density {
			return func(s, x []float64, a int, next, _ []float64) float64 { return right(s, x, a, next, x) }
		}), "LogDensity"},
		"a constant density": {randomHidden, spoilDensity(func(density) density {
			return func(_, _ []float64, _ int, _, _ []float64) float64 { return 3 }
		}), "tells more of the two than LogDensity says"},
		"a sign": {randomCells, spoilDensity(func(right density) density {
			return func(s, x []float64, a int, next, nextX []float64) float64 { return -right(s, x, a, next, nextX) }
		}), "it favours the wrong one"},
		"a σ twice that of Step": {randomHidden, spoilDensity(func(right density) density {
			return func(s, x []float64, a int, next, nextX []float64) float64 { return right(s, x, a, next, nextX) / 4 }
		}), "it tells too little"},
		"no density where it was drawn": {randomCells, spoilDensity(func(right density) density {
			return func(s, x []float64, a int, next, nextX []float64) float64 {
				if next[0] == 1 {
					return math.Inf(-1)
				}
				return right(s, x, a, next, nextX)
			}
		}), "which Step drew, is -Inf, want a finite number"},
		"a forgotten start": {randomCells, func(m *hidden.Model) { m.StartLogDensity = nil }, "StartLogDensity is nil, but states that Start draws tell of the hidden vector"},
		"a wrong start":     {randomCells, func(m *hidden.Model) { m.StartLogDensity = func(_, x []float64) float64 { return 2 * x[0] } }, "StartLogDensity"},
		"an entry left": {randomHidden, spoilStep(func(right step) step {
			return func(next, nextX, s, x []float64, a int, rng *rand.Rand) bcpace.Outcome {
				first := nextX[0]
				out := right(next, nextX, s, x, a, rng)
				nextX[0] = first
				return out
			}
		}), "Step made the hidden vector"},
		"a write to x": {randomHidden, spoilStep(func(right step) step {
			return func(next, nextX, s, x []float64, a int, rng *rand.Rand) bcpace.Outcome {
				out := right(next, nextX, s, x, a, rng)
				x[0]++
				return out
			}
		}), ""},
		"a reward too large": {randomHidden, spoilStep(func(right step) step {
			return func(next, nextX, s, x []float64, a int, rng *rand.Rand) bcpace.Outcome {
				out := right(next, nextX, s, x, a, rng)
				out.Reward *= 3
				return out
			}
		}), "want a number within [RewardMin, RewardMax]"},
		"random numbers of its own": {randomCells, spoilStep(func(right step) step {
			return func(next, nextX, s, x []float64, a int, _ *rand.Rand) bcpace.Outcome {
				return right(next, nextX, s, x, a, rand.New(rand.NewPCG(rand.Uint64(), 1)))
			}
		}), "from equal random numbers, want the same"},
		"a panic": {randomCells, spoilStep(func(step) step {
			return func(_, _, s, _ []float64, _ int, _ *rand.Rand) bcpace.Outcome { _ = s[7]; return bcpace.Outcome{} }
		}), "Step panicked"},
		"swapped bounds":          {randomHidden, func(m *hidden.Model) { m.Bounds = func(_, _ []float64) (float64, float64) { return 1, -1 } }, "want a lower bound and an upper one"},
		"a bound too low":         {randomHidden, func(m *hidden.Model) { m.Bounds = func(_, _ []float64) (float64, float64) { return -30, -20 } }, "more than the upper bound"},
		"a Rollout without sense": {randomHidden, func(m *hidden.Model) { m.Rollout = func(_, _ []float64, _ *rand.Rand) int { return 3 } }, "Rollout returned action 3"},
		"another prior":           {randomHidden, func(m *hidden.Model) { m.Gaussian.Deviation[0] *= 1.3 }, "Mean and Deviation say"},
		"another motion":          {randomHidden, func(m *hidden.Model) { m.Gaussian.Move = nil }, "Move and MoveNoise say"},
		"another noise of motion": {randomHidden, func(m *hidden.Model) { m.Gaussian.MoveNoise = func(d, _, _ []float64, _ int) { fill(d, 2) } }, "Move and MoveNoise say"},
		"no noise of motion":      {randomHidden, func(m *hidden.Model) { m.Gaussian.MoveNoise = nil }, "without noise"},
		"another noise of readings": {randomHidden, func(m *hidden.Model) {
			m.Gaussian.ObserveNoise = func(d, _ []float64, _ int, _ []float64) { fill(d, 0.4) }
		}, ""},
		"noise that several axes share": {randomHidden, func(m *hidden.Model) {
			m.LogDensity = nil
			m.Step = func(next, nextX, s, x []float64, a int, rng *rand.Rand) bcpace.Outcome {
				k := len(m.Gaussian.Of)
				m.Gaussian.Move(nextX, s, x, a)
				noise := make([]float64, len(nextX))
				m.Gaussian.MoveNoise(noise, s, x, a)
				z := rng.NormFloat64()
				for i, d := range noise {
					nextX[i] += d * z
				}
				m.Gaussian.Observe(next[:k], s, a, nextX)
				m.Gaussian.ObserveNoise(noise[:k:k], s, a, nextX)
				for i := range k {
					next[i] = min(max(next[i]+noise[i]*z, -1000), 1000)
				}
				next[k] = s[k] + 1
				return bcpace.Outcome{}
			}
		}, "takes for independent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x.find(t, name == "noise that several axes share")
		})
	}
}

// mistake is a fault of a model with a hidden vector: what it is put in, how, and words of the error that tells of it.
type mistake struct {
	of    func(rng *rand.Rand) *hidden.Model
	spoil func(m *hidden.Model)
	words string
}

// find fails where check.Hidden does not find the mistake in most of five models; of a room that some are too small for, in those that have it.
func (mi mistake) find(t *testing.T, room bool) {
	t.Helper()
	found := 0
	for seed := range uint64(5) {
		m := mi.of(rand.New(rand.NewPCG(seed, 6)))
		if room && len(m.Spec.Hidden) < len(m.Gaussian.Of) {
			found++
			continue
		}
		if m.Gaussian != nil { // that of Step stays as it is
			g := *m.Gaussian
			g.Deviation = slices.Clone(g.Deviation)
			m.Gaussian = &g
		}
		mi.spoil(m)
		_, err := check.Hidden(m, check.HiddenOptions{Episodes: 10, Steps: 30, Places: 60})
		if err != nil && strings.Contains(err.Error(), mi.words) {
			found++
		} else if err != nil {
			t.Errorf("seed %d: %v, want %q", seed, err, mi.words)
		}
	}
	if found < 4 { // a random model may hardly show it
		t.Errorf("found in %d of 5 models", found)
	}
}
