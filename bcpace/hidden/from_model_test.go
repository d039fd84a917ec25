package hidden_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/envs"
)

// TestExact: the exact belief of a random model with a list of latents, which move in two of three, is that of the Bayes estimator. One of 3000
// particles is near: the errors of all its probabilities together are five times those of as many independent draws at most.
func TestExact(t *testing.T) {
	squares, expected := 0.0, 0.0
	for seed := range uint64(24) {
		rng := rand.New(rand.NewPCG(seed, 11))
		m := randmodel.New(rng, randmodel.Options{Kind: bcpace.LatentKind(seed % 3), Lists: seed%2 == 0, InformativeStart: seed%4 == 1, Horizon: int(seed % 5)})
		h, err := hidden.FromModel(m)
		if err != nil {
			t.Fatal(err)
		}
		sim := bcpace.NewSimulator(h.Listed)
		if err := sim.Reset(rng); err != nil {
			t.Fatal(err)
		}
		exact, err := hidden.DefaultFilter(h).Begin(h, sim.State, rng)
		if err != nil {
			t.Fatal(err)
		}
		const number = 3000
		particles, err := hidden.Particles{Number: number}.Begin(h, sim.State, rng)
		if err != nil {
			t.Fatal(err)
		}
		for range 6 {
			got := exact.(*hidden.LatentBelief).Belief()
			if d := got.L1(sim.Belief); d > 1e-12 {
				t.Fatalf("model %d: belief %v, want %v", seed, got, sim.Belief)
			}
			near := make(bcpace.Belief, len(got))
			points := particles.(hidden.Weighted)
			for i := range points.Len() {
				x, w := points.At(i)
				near[int(x[0])] += w
			}
			for φ, p := range got {
				squares += (near[φ] - p) * (near[φ] - p)
				expected += p * (1 - p) / number
			}
			if sim.Done {
				break
			}
			action := rng.IntN(len(m.Spec().Actions))
			s := append([]float64(nil), sim.State...)
			if _, err := sim.Step(action, rng); err != nil {
				t.Fatal(err)
			}
			if sim.Done {
				break
			}
			for _, b := range []hidden.Belief{exact, particles} {
				if err := b.Update(s, action, sim.State, rng); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if squares > 25*expected {
		t.Errorf("particles are off by %v of what independent draws are", math.Sqrt(squares/expected))
	}
}

// TestExactSurprise: what no latent explains is an ImpossibleError, and the latents move on.
func TestExactSurprise(t *testing.T) {
	h, err := hidden.FromModel(envs.Tiger{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := hidden.Exact{}.Begin(h, []float64{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Update([]float64{0}, 0, []float64{1}, nil); err != nil {
		t.Fatal(err)
	}
	before := append(bcpace.Belief(nil), b.(*hidden.LatentBelief).Belief()...)
	c := b.Clone()
	if err := b.Update([]float64{0}, 0, []float64{0}, nil); !errors.As(err, new(*hidden.ImpossibleError)) || before.L1(b.(*hidden.LatentBelief).Belief()) > 1e-12 {
		t.Errorf("error %v, belief %v: want an ImpossibleError and %v", err, b.(*hidden.LatentBelief).Belief(), before)
	}
	if err := c.Update([]float64{0}, 0, []float64{1}, nil); err != nil || before.L1(b.(*hidden.LatentBelief).Belief()) > 1e-12 {
		t.Errorf("a copy is not updated apart: %v, %v", err, b.(*hidden.LatentBelief).Belief())
	}
	if _, err := (hidden.Exact{}).Begin(room(), []float64{18}, nil); !errors.As(err, new(*bcpace.UnsupportedError)) {
		t.Errorf("error %v, want an UnsupportedError without a list", err)
	}
	if _, err := hidden.FromModel(nil); !errors.As(err, new(*bcpace.InputError)) {
		t.Errorf("error %v, want an InputError for no model", err)
	}
}

// TestWithoutDensity: where what is observed takes few values, particles without a density are as near as with one; where it does not, the
// error says which density is missing.
func TestWithoutDensity(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	h, err := hidden.FromModel(envs.Tiger{})
	if err != nil {
		t.Fatal(err)
	}
	h.LogDensity = nil
	b, err := hidden.Particles{Number: 4000}.Begin(h, []float64{0}, rng)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := b.Update([]float64{0}, 0, []float64{1}, rng); err != nil {
			t.Fatal(err)
		}
	}
	mean, variance := []float64{0}, []float64{0}
	b.Moments(mean, variance)
	want := 0.15 * 0.15 / (0.15*0.15 + 0.85*0.85) // the tiger is on the right after two growls from the left
	if math.Abs(mean[0]-want) > 5*math.Sqrt(want*(1-want)/4000*2) {
		t.Errorf("probability %v, want %v", mean[0], want)
	}
	m := room()
	m.LogDensity = nil
	if _, err := (hidden.Particles{}).Begin(m, []float64{18}, rng); !errors.As(err, new(*bcpace.UnsupportedError)) {
		t.Errorf("error %v, want an UnsupportedError", err)
	}
}

// TestStartsThatTell: the first state weighs the particles and the cells of a grid; one that nothing explains is an ImpossibleError beside
// the belief of the prior, and a surprise of Simulate.
func TestStartsThatTell(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	m := room()
	m.Gaussian = nil
	m.Start = func(s, x []float64, rng *rand.Rand) { s[0] = x[0] + rng.NormFloat64() }
	m.StartLogDensity = func(s, x []float64) float64 { return -(s[0] - x[0]) * (s[0] - x[0]) / 2 }
	want := (18.0/9 + 24) / (1.0/9 + 1)
	for _, f := range []hidden.Filter{hidden.Particles{Number: 4000}, hidden.Grid{Cells: 400}} {
		b, err := f.Begin(m, []float64{24}, rng)
		if err != nil {
			t.Fatal(err)
		}
		mean, variance := []float64{0}, []float64{0}
		if b.Moments(mean, variance); math.Abs(mean[0]-want) > 0.2 || math.Abs(variance[0]-0.9) > 0.15 {
			t.Errorf("%T: %v with variance %v, want %v with 0.9", f, mean[0], variance[0], want)
		}
	}
	m.StartLogDensity = func(_, _ []float64) float64 { return math.Inf(-1) }
	for _, f := range []hidden.Filter{hidden.Particles{Number: 50}, hidden.Grid{}} {
		if b, err := f.Begin(m, []float64{24}, rng); b == nil || !errors.As(err, new(*hidden.ImpossibleError)) {
			t.Errorf("%T: belief %v, error %v: want a belief and an ImpossibleError", f, b, err)
		}
	}
	r, err := hidden.Simulate(t.Context(), m, hidden.RandomPolicy(m), hidden.Options{Episodes: 5, Horizon: 2, Filter: hidden.Particles{Number: 50}})
	if err != nil || r.Surprises != 5 {
		t.Errorf("%d surprises, %v: want 5", r.Surprises, err)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		m.StartLogDensity = func(_, _ []float64) float64 { return bad }
		for _, f := range []hidden.Filter{hidden.Particles{Number: 50}, hidden.Grid{}} {
			if _, err := f.Begin(m, []float64{24}, rng); !errors.As(err, new(*bcpace.ConformanceError)) {
				t.Errorf("%T: error %v, want a ConformanceError", f, err)
			}
		}
	}
}

// TestQuantiles: those of a normal belief are known, and those of particles and cells are near.
func TestQuantiles(t *testing.T) {
	p := []float64{0.05, 0.5, 0.95}
	for _, f := range []hidden.Filter{hidden.Unscented{}, hidden.Particles{Number: 4000}, hidden.Grid{Cells: 800}} {
		b, _ := begin(f)
		got, err := hidden.Quantiles(b, 0, p...)
		if err != nil {
			t.Fatal(err)
		}
		mean, variance := []float64{0}, []float64{0}
		b.Moments(mean, variance)
		for k, z := range []float64{-1.6449, 0, 1.6449} {
			if want := mean[0] + z*math.Sqrt(variance[0]); math.Abs(got[k]-want) > 0.25 {
				t.Errorf("%T: quantile %v is %v, want %v", f, p[k], got[k], want)
			}
		}
		for _, bad := range []error{fault(hidden.Quantiles(b, 1, 0.5)), fault(hidden.Quantiles(b, -1, 0.5)), fault(hidden.Quantiles(b, 0, 1.5)), fault(hidden.Quantiles(b, 0, math.NaN())), fault(hidden.Quantiles(nil, 0, 0.5))} {
			if !errors.As(bad, new(*bcpace.InputError)) {
				t.Errorf("%T: error %v, want an InputError", f, bad)
			}
		}
	}
}

func fault(_ []float64, err error) error { return err }
