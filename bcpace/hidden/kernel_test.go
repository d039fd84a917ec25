package hidden_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
)

// TestKernelKeepsCovariance: in random linear models in which some entries of the hidden vector never move, what is seen tells of sums
// of entries. The particles are as near to the Kalman filter as where all entries move: in mean, and in the variance of the sum.
func TestKernelKeepsCovariance(t *testing.T) {
	const models = 60
	squares, logs := 0.0, 0.0
	for seed := range uint64(models) {
		rng := rand.New(rand.NewPCG(seed, 61))
		l := randomLinear(rng, 2+rng.IntN(2), 1)
		for i := range l.mean {
			clear(l.f[i])
			if l.f[i][i], l.move[i] = 1, 0; i > 0 && seed%2 == 1 {
				l.move[i] = 0.02 // slowly
			}
		}
		l.see[0] = 0.1
		m := l.model()
		s, x := []float64{0}, make([]float64, len(l.f))
		next, nextX := []float64{0}, make([]float64, len(x))
		m.DrawStart(s, x, rng)
		b, err := hidden.Particles{Number: 3000}.Begin(m, s, rng)
		if err != nil {
			t.Fatal(err)
		}
		want := l.oracle()
		for range 25 {
			m.Step(next, nextX, s, x, 0, rng)
			want.update(l, next)
			if err := b.Update(s, 0, next, rng); err != nil {
				t.Fatal(err)
			}
			s, next, x, nextX = next, s, nextX, x
		}
		sum, wanted := func(v []float64) float64 {
			of := []float64{0}
			times(l.h, v, of)
			return of[0]
		}, 0.0
		for i, row := range want.cov {
			for j, c := range row {
				wanted += c * l.h[0][i] * l.h[0][j]
			}
		}
		points, mean, variance := b.(hidden.Weighted), 0.0, 0.0
		for i := range points.Len() {
			at, w := points.At(i)
			mean += w * sum(at)
		}
		for i := range points.Len() {
			at, w := points.At(i)
			variance += w * (sum(at) - mean) * (sum(at) - mean)
		}
		squares += (mean - sum(want.mean)) * (mean - sum(want.mean)) / wanted
		logs += math.Abs(math.Log(variance/wanted)) / 2
	}
	off, factor := math.Sqrt(squares/models), math.Exp(logs/models)
	if off > 0.15 || factor > 1.1 {
		t.Errorf("sums are off by %v deviations, and deviations by a factor of %v; want less than 0.15 and 1.1", off, factor)
	}
}

// TestKernelOnCircle: a direction that does not move, near where its axis begins and ends, is learnt as one elsewhere.
func TestKernelOnCircle(t *testing.T) {
	var deviations []float64
	for _, truth := range []float64{1, math.Pi - 0.01} {
		m := &hidden.Model{
			Spec: hidden.Spec{Spec: bcpace.Spec{Name: "direction", Axes: []bcpace.Axis{{Name: "x", Min: -9, Max: 9}, {Name: "y", Min: -9, Max: 9}}, Actions: bcpace.Actions("look"), Discount: 0.9, RewardMax: 1},
				Hidden: []bcpace.Axis{{Name: "direction", Min: -math.Pi, Max: math.Pi, Period: 2 * math.Pi}}},
			Prior: func(x []float64, rng *rand.Rand) { x[0] = math.Pi * (2*rng.Float64() - 1) },
			Step: func(next, nextX, _, x []float64, _ int, rng *rand.Rand) bcpace.Outcome {
				nextX[0] = x[0]
				next[0], next[1] = math.Cos(x[0])+0.3*rng.NormFloat64(), math.Sin(x[0])+0.3*rng.NormFloat64()
				return bcpace.Outcome{}
			},
			LogDensity: func(_, _ []float64, _ int, next, x []float64) float64 {
				dx, dy := (next[0]-math.Cos(x[0]))/0.3, (next[1]-math.Sin(x[0]))/0.3
				return -(dx*dx + dy*dy) / 2
			},
		}
		rng := rand.New(rand.NewPCG(1, 62))
		b, err := hidden.Particles{Number: 2000}.Begin(m, []float64{0, 0}, rng)
		if err != nil {
			t.Fatal(err)
		}
		next := []float64{math.Cos(truth), math.Sin(truth)}
		for range 30 {
			if err := b.Update(next, 0, next, rng); err != nil {
				t.Fatal(err)
			}
		}
		points, squares := b.(hidden.Weighted), 0.0
		for i := range points.Len() {
			x, w := points.At(i)
			off := math.Remainder(x[0]-truth, 2*math.Pi)
			squares += w * off * off
		}
		deviations = append(deviations, math.Sqrt(squares))
	}
	want := 0.3 / math.Sqrt(30)
	for _, d := range deviations {
		if d < 0.8*want || d > 1.25*want {
			t.Errorf("deviations %v, want %v", deviations, want)
		}
	}
}

// TestFreshDraws: where no particle explains what followed, 10 rounds of fresh draws try, the last one too; and an axis on which nothing
// moves counts as one afterwards, though the draws have other values on it.
func TestFreshDraws(t *testing.T) {
	const number = 200
	for _, fails := range []int{10, 11} { // rounds
		calls := 0
		m := &hidden.Model{
			Spec: hidden.Spec{Spec: bcpace.Spec{Name: "late", Axes: []bcpace.Axis{{Name: "s", Max: 1}}, Actions: bcpace.Actions("wait"), Discount: 0.9, RewardMax: 1},
				Hidden: []bcpace.Axis{{Name: "x", Max: 1}}},
			Prior: func(x []float64, rng *rand.Rand) { x[0] = rng.Float64() },
			Step: func(next, nextX, _, x []float64, _ int, _ *rand.Rand) bcpace.Outcome {
				nextX[0], next[0] = x[0], 0
				return bcpace.Outcome{}
			},
			LogDensity: func(_, _ []float64, _ int, _, x []float64) float64 {
				if calls++; calls <= fails*number {
					return math.Inf(-1)
				}
				return -10 * x[0]
			},
		}
		rng := rand.New(rand.NewPCG(1, 63))
		b, err := hidden.Particles{Number: number, Threshold: 1}.Begin(m, []float64{0}, rng)
		if err != nil {
			t.Fatal(err)
		}
		err = b.Update([]float64{0}, 0, []float64{0}, rng)
		if impossible := (*hidden.ImpossibleError)(nil); errors.As(err, &impossible) != (fails == 11) || err != nil && impossible.Tried != 11*number {
			t.Errorf("%d rounds fail: error %v", fails, err)
		}
		values := map[float64]bool{}
		for i := range number {
			x, _ := b.(hidden.Weighted).At(i)
			values[x[0]] = true
		}
		if fails == 10 && len(values) < number/2 {
			t.Errorf("%d values of %d particles that were drawn anew from a kernel", len(values), number)
		}
	}
}
