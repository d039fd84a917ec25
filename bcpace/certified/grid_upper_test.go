package certified_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// The optima are from dynamic programming on cells of 0.01, whose probabilities are
// differences of the normal distribution: no quadrature, no interpolation. At σ = 0.02
// and 0.05 they are the same to 10⁻⁴.
func TestGridUpperOfTheNoisyRooms(t *testing.T) {
	for width, optimum := range map[int]float64{5: 6.80879, 9: 4.51709} {
		for _, sigma := range []float64{0.01, 0.05} {
			if testing.Short() && width == 9 {
				continue
			}
			m := envs.LightDarkTiger{Width: width, Height: width, Sigma: sigma}
			upper, err := certified.GridUpper(t.Context(), m, 0.3)
			if err != nil || upper < optimum || upper > optimum+0.15 {
				t.Errorf("%d×%d, σ = %v: upper bound %v, %v, and the optimum is %v", width, width, sigma, upper, err, optimum)
			}
		}
	}
}

// Between the points of a grid values are interpolated, which may err on either side.
func TestGridUpperHoldsOnLines(t *testing.T) {
	for seed := range uint64(3) {
		m := runtest.NewLine(rand.New(rand.NewPCG(seed, 9)), seed%2 == 1)
		optimum := solveLine(m, 100, 25).at(0.35, 0.4)
		upper, err := certified.GridUpper(t.Context(), m, 0.3)
		if err != nil || upper < optimum || upper > optimum+0.3 {
			t.Errorf("seed %d: upper bound %v, %v, and the optimum is %v", seed, upper, err, optimum)
		}
	}
}

// unnumbered hides that a model is Finite.
type unnumbered struct{ bcpace.Finite }

func (unnumbered) IsFinite() bool                  { return false }
func (m unnumbered) LatentKind() bcpace.LatentKind { return bcpace.KindOf(m.Finite) }
func (m unnumbered) LatentTransition(p, s []float64, a, l int) bool {
	d, ok := m.Finite.(bcpace.LatentDynamics)
	return ok && d.LatentTransition(p, s, a, l)
}
func (m unnumbered) IsSparse() bool {
	return bcpace.AbilitiesOf(m.Finite).LatentMoves != nil
}
func (m unnumbered) LatentMoves(to []int32, share, s []float64, a, l int) ([]int32, []float64) {
	return bcpace.AbilitiesOf(m.Finite).LatentMoves(to, share, s, a, l)
}

// A grid of discrete states is the model itself: the bound is as near to the optimum as
// was asked for, whatever the latent does and whatever the start tells.
func TestGridUpperOfDiscreteStates(t *testing.T) {
	for seed := range uint64(24) {
		rng := rand.New(rand.NewPCG(seed, 10))
		m := randmodel.New(rng, randmodel.Options{Kind: bcpace.LatentKind(seed % 3), Lists: seed/3%2 == 1, Drifts: seed/6%2 == 1, States: 4, Latents: 3})
		exact, err := runs.Explore(t.Context(), m, certified.Solver{Epsilon: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		upper, err := certified.GridUpper(t.Context(), unnumbered{m}, 0.08)
		if c := exact.Certificate; err != nil || upper < c.Lower || upper > math.Max(c.Upper, c.Lower+0.01)+1e-3 {
			t.Errorf("seed %d: %v, %v, and the optimum is in [%v, %v]", seed, upper, err, c.Lower, c.Upper)
		}
	}
}

// TestGridUpperOfACoarseList: a single node for the noise, at the mean, pays nothing beyond
// a threshold that it is below; the model pays there, and its bound says so.
func TestGridUpperOfACoarseList(t *testing.T) {
	const discount, threshold, sigma = 0.8, 0.55, 0.1
	m, err := bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{Name: "threshold", Axes: []bcpace.Axis{{Name: "x", Max: 1}}, Actions: bcpace.Actions("go"), Latents: []string{"one", "other"},
			Discount: discount, RewardMax: 1},
		Mean:  func(mean, _ []float64, _, _ int) { mean[0] = 0.5 },
		Sigma: []float64{sigma},
		Reward: func(_ []float64, _, _ int, next []float64) float64 {
			if next[0] > threshold {
				return 1
			}
			return 0
		},
		Nodes: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	value := math.Erfc((threshold-0.5)/sigma/math.Sqrt2) / 2 / (1 - discount)
	if upper, err := certified.GridUpper(t.Context(), m, 0.3); err != nil || upper < value {
		t.Errorf("upper bound %v, %v, and the model is worth %v", upper, err, value)
	}
}

// needle pays 1 per step close to a point of the grid of the latent values, to which "go"
// leads; no coarser grid has a point where it pays. So it is worth γ/(1−γ), and 0 on coarser
// grids, which agree.
type needle struct {
	spike
	at, width float64
}

func newNeedle(t *testing.T) needle {
	axes, err := dp.GridOptions{}.Grid(spike{}.Spec())
	if err != nil {
		t.Fatal(err)
	}
	k := axes[0].Points / 2
	k += 1 - k%2 // a coarser grid has the even points
	return needle{at: float64(k) * axes[0].Step, width: axes[0].Step}
}

func (m needle) Step(next, s []float64, _, action int, _ *rand.Rand) bcpace.Outcome {
	if next[0] = s[0]; action == 2 {
		next[0] = m.at
	}
	return bcpace.Outcome{Reward: max(0, 1-math.Abs(s[0]-m.at)/m.width)}
}

func (m needle) Successors(z *bcpace.Successors, s []float64, action int) { addStep(z, m, s, action) }

// TestGridUpperOfGridsThatAgree: where coarse grids agree by chance, the latent values on a
// finer one tell.
func TestGridUpperOfGridsThatAgree(t *testing.T) {
	value := spikeDiscount / (1 - spikeDiscount)
	if upper, err := certified.GridUpper(t.Context(), newNeedle(t), 0.3); err != nil || upper < value {
		t.Errorf("upper bound %v, %v, and the model is worth %v", upper, err, value)
	}
}
