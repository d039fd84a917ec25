package hidden_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
)

// linear is a random linear model with normal noise: x' = F·x + noise, z = H·x' + noise.
type linear struct {
	f, h       [][]float64
	move, see  []float64
	mean, dev0 []float64
}

func randomLinear(rng *rand.Rand, dim, seen int) linear {
	draw := func(n int, scale float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = scale * rng.NormFloat64()
		}
		return x
	}
	l := linear{mean: draw(dim, 1), dev0: make([]float64, dim), move: make([]float64, dim), see: make([]float64, seen)}
	for i := range dim {
		row := draw(dim, 0.3)
		row[i] += 0.7
		l.f = append(l.f, row)
		l.dev0[i], l.move[i] = 0.5+rng.Float64(), 0.2+0.5*rng.Float64()
	}
	for i := range seen {
		l.h = append(l.h, draw(dim, 1))
		l.see[i] = 0.5 + rng.Float64()
	}
	return l
}

func times(m [][]float64, x, out []float64) {
	for i, row := range m {
		out[i] = 0
		for j, v := range row {
			out[i] += v * x[j]
		}
	}
}

func (l linear) model() *hidden.Model {
	wide := func(n int, prefix string) (axes []bcpace.Axis) {
		for i := range n {
			axes = append(axes, bcpace.Axis{Name: prefix + string(rune('1'+i)), Min: -1e6, Max: 1e6})
		}
		return axes
	}
	of := make([]int, len(l.h))
	for i := range of {
		of[i] = i
	}
	g := &hidden.Gaussian{Mean: l.mean, Deviation: l.dev0, Of: of,
		Move:         func(mean, _, x []float64, _ int) { times(l.f, x, mean) },
		MoveNoise:    func(d, _, _ []float64, _ int) { copy(d, l.move) },
		Observe:      func(mean, _ []float64, _ int, x []float64) { times(l.h, x, mean) },
		ObserveNoise: func(d, _ []float64, _ int, _ []float64) { copy(d, l.see) },
	}
	return &hidden.Model{
		Spec: hidden.Spec{Spec: bcpace.Spec{Name: "linear", Axes: wide(len(l.h), "z"), Actions: bcpace.Actions("wait"), Discount: 0.9, RewardMax: 1}, Hidden: wide(len(l.f), "x")},
		Prior: func(x []float64, rng *rand.Rand) {
			for i := range x {
				x[i] = l.mean[i] + l.dev0[i]*rng.NormFloat64()
			}
		},
		Start: func(s, _ []float64, _ *rand.Rand) { clear(s) },
		Step: func(next, nextX, _, x []float64, _ int, rng *rand.Rand) bcpace.Outcome {
			times(l.f, x, nextX)
			for i := range nextX {
				nextX[i] += l.move[i] * rng.NormFloat64()
			}
			times(l.h, nextX, next)
			for i := range next {
				next[i] += l.see[i] * rng.NormFloat64()
			}
			return bcpace.Outcome{}
		},
		LogDensity: func(s, _ []float64, a int, next, nextX []float64) float64 {
			return g.LogDensity(s, a, next, nextX, make([]float64, 2*len(l.h)))
		},
		Gaussian: g,
	}
}

// oracle is the Kalman filter by the information of each observation one after the other (a scalar update each), an
// independent way to write it.
type oracle struct {
	mean []float64
	cov  [][]float64
}

func (l linear) oracle() *oracle {
	k := &oracle{mean: append([]float64(nil), l.mean...)}
	for i := range l.mean {
		row := make([]float64, len(l.mean))
		row[i] = l.dev0[i] * l.dev0[i]
		k.cov = append(k.cov, row)
	}
	return k
}

func (k *oracle) update(l linear, z []float64) {
	n := len(k.mean)
	mean, cov := make([]float64, n), make([][]float64, n)
	times(l.f, k.mean, mean)
	for i := range n {
		cov[i] = make([]float64, n)
		for j := range n {
			for p := range n {
				for q := range n {
					cov[i][j] += l.f[i][p] * k.cov[p][q] * l.f[j][q]
				}
			}
		}
		cov[i][i] += l.move[i] * l.move[i]
	}
	for o, h := range l.h {
		side, variance, off := make([]float64, n), l.see[o]*l.see[o], z[o]
		for i := range n {
			for j := range n {
				side[i] += cov[i][j] * h[j]
			}
		}
		for i := range n {
			variance += h[i] * side[i]
			off -= h[i] * mean[i]
		}
		for i := range n {
			mean[i] += side[i] * off / variance
		}
		for i := range n {
			for j := range n {
				cov[i][j] -= side[i] * side[j] / variance
			}
		}
	}
	k.mean, k.cov = mean, cov
}

// TestLinear: on 500 random linear models the unscented filter is the Kalman filter. The error of a mean of particles falls at
// least as one over the root of their number, so that 16 times as many particles leave a quarter of it; the test asks for a third.
// It is in posterior deviations, and its mean square with 1600 particles was 0.0028. The standard error of that over the models was
// 0.00023, and the limit of 0.01 is 31 of these above it, so that other seeds would fail with a probability of less than 10⁻⁶.
func TestLinear(t *testing.T) {
	models := uint64(500)
	if testing.Short() {
		models = 60
	}
	numbers := []int{100, 1600}
	squares, compared := make([]float64, len(numbers)), 0
	for seed := range models {
		rng := rand.New(rand.NewPCG(seed, 38))
		l := randomLinear(rng, 1+rng.IntN(3), 1+rng.IntN(2))
		m := l.model()
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
		s, x := make([]float64, len(l.h)), make([]float64, len(l.f))
		next, nextX := make([]float64, len(s)), make([]float64, len(x))
		m.DrawStart(s, x, rng)
		begin := func(f hidden.Filter) hidden.Belief {
			b, err := f.Begin(m, s, rng)
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		beliefs := []hidden.Belief{begin(hidden.Unscented{})}
		for _, n := range numbers {
			beliefs = append(beliefs, begin(hidden.Particles{Number: n}))
		}
		want := l.oracle()
		mean, variance := make([]float64, len(x)), make([]float64, len(x))
		for range 8 {
			m.Step(next, nextX, s, x, 0, rng)
			want.update(l, next)
			for k, b := range beliefs {
				if err := b.Update(s, 0, next, rng); err != nil {
					t.Fatal(err)
				}
				b.Moments(mean, variance)
				for i := range mean {
					off := (mean[i] - want.mean[i]) / math.Sqrt(want.cov[i][i])
					if k > 0 {
						squares[k-1] += off * off
					} else if math.Abs(off) > 1e-8 || math.Abs(variance[i]/want.cov[i][i]-1) > 1e-8 {
						t.Fatalf("seed %d: normal belief %v, %v, want %v, %v", seed, mean[i], variance[i], want.mean[i], want.cov[i][i])
					}
				}
			}
			compared += len(mean)
			s, next, x, nextX = next, s, nextX, x
		}
	}
	few, many := math.Sqrt(squares[0]/float64(compared)), math.Sqrt(squares[1]/float64(compared))
	if few < 3*many || many > 4/math.Sqrt(float64(numbers[1])) {
		t.Errorf("root mean square %v of %d particles and %v of %d, in posterior deviations", few, numbers[0], many, numbers[1])
	}
}

// TestSameForAllWorkers: an episode is the same whoever plays beside it.
//
//test:race
func TestSameForAllWorkers(t *testing.T) {
	m := randomLinear(rand.New(rand.NewPCG(1, 1)), 2, 1).model()
	m.Spec.RewardMin, m.Spec.RewardMax = -1e7, 1e7
	step := m.Step
	m.Step = func(next, nextX, s, x []float64, a int, rng *rand.Rand) bcpace.Outcome {
		step(next, nextX, s, x, a, rng)
		return bcpace.Outcome{Reward: next[0]}
	}
	var returns [2][]float64
	for i, workers := range []int{1, 8} {
		r, err := hidden.Simulate(context.Background(), m, hidden.RandomPolicy(m), hidden.Options{Episodes: 40, Workers: workers, Filter: hidden.Particles{Number: 50}})
		if err != nil {
			t.Fatal(err)
		}
		returns[i] = r.Returns
	}
	for i, v := range returns[0] {
		if v != returns[1][i] {
			t.Fatalf("episode %d: %v and %v", i, v, returns[1][i])
		}
	}
}
