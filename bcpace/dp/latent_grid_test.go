package dp_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/envs"
)

// shrink is a model with a solution by hand. Its state is (x, k, y, mark): x and
// y real, k a whole number, mark of no consequence. Every step earns x + k·y/10
// and leads to (x/2, k, y, mark'), whatever the latent and, but for a cost of 1
// for action 1, whatever the action. Hence
//
//	V(x,k,y) = x/(1 − γ/2) + (k·y/10)/(1 − γ)
//
// which is linear in x and in y, and a multilinear interpolation is exact.
type shrink struct{ discount float64 }

func (m shrink) Spec() bcpace.Spec {
	return bcpace.Spec{Name: "shrink", Discount: m.discount, RewardMin: -3, RewardMax: 10,
		Axes: []bcpace.Axis{{Name: "x", Min: -1, Max: 4.3}, {Name: "k", Min: 2, Max: 5, Discrete: true},
			{Name: "y", Min: 0, Max: 0.7, Scale: 0.1}, {Name: "mark", Min: 3, Max: 9, Scale: math.Inf(1)}},
		Actions: bcpace.Actions("free", "dear"), Latents: []string{"one", "other"}}
}
func (m shrink) Prior(b bcpace.Belief)                                { copy(b, bcpace.Uniform(2)) }
func (m shrink) Start(s []float64, _ int, _ *rand.Rand)               { copy(s, []float64{1, 2, 0, 3}) }
func (m shrink) LogLikelihood([]float64, int, []float64, int) float64 { return 0 }
func (m shrink) Starts(z *bcpace.Successors)                          { s, _, _ := z.Add(false); m.Start(s, 0, nil) }
func (m shrink) Step(next, s []float64, _, _ int, _ *rand.Rand) bcpace.Outcome {
	copy(next, s)
	next[0] /= 2
	return bcpace.Outcome{Reward: s[0] + s[1]*s[2]/10}
}

func (m shrink) Successors(z *bcpace.Successors, s []float64, action int) {
	next, p, r := z.Add(false)
	copy(next, []float64{s[0] / 2, s[1], s[2], 8.5})
	for latent := range p {
		p[latent], r[latent] = 1, s[0]+s[1]*s[2]/10-float64(action)
	}
}

func (m shrink) q(s []float64, action int) float64 {
	return s[0]/(1-m.discount/2) + s[1]*s[2]/10/(1-m.discount) - float64(action)
}

func TestSolveGridByHand(t *testing.T) {
	m := shrink{0.9}
	for _, o := range []dp.GridOptions{{}, {Step: 0.9}, {Step: 100}, {MaxPoints: 32}} {
		v, err := dp.SolveGrid(context.Background(), m, o)
		if err != nil {
			t.Fatal(err)
		}
		if v.Error > 1e-8 || v.MeanError > v.Error {
			t.Errorf("%+v: errors %v and %v, want none on a multilinear value", o, v.Error, v.MeanError)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for range 1000 {
			s := []float64{-1 + 5.3*rng.Float64(), float64(2 + rng.IntN(4)), 0.7 * rng.Float64(), 3 + 6*rng.Float64()}
			latent, a := rng.IntN(2), rng.IntN(2)
			if got, want := v.Q(s, latent, a), m.q(s, a); !(math.Abs(got-want) < 1e-8) {
				t.Fatalf("%+v: Q(%v, φ%d, a%d) = %v, want %v", o, s, latent, a, got, want)
			}
		}
		for _, s := range [][]float64{{-1.1, 2, 0, 3}, {0, 2.5, 0, 3}, {0, 6, 0, 3}, {math.NaN(), 2, 0, 3}, {0, 2, 0}} {
			if q := v.Q(s, 0, 0); !math.IsNaN(q) {
				t.Errorf("Q(%v) = %v, want NaN", s, q)
			}
		}
	}
}

// On whole numbers only, a grid is the state set.
func TestSolveGridOfDiscreteAxes(t *testing.T) {
	m := envs.LightDarkTiger{Width: 6, Height: 4}
	ctx := context.Background()
	f, err := dp.SolveFinite(ctx, m, 0)
	if err != nil {
		t.Fatal(err)
	}
	g, err := dp.SolveGrid(ctx, m, dp.GridOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := make([]float64, 3)
	for i := range m.NumStates() {
		m.StateAt(s, i)
		for latent := range 2 {
			for a := range 4 {
				if x, y := f.Q(s, latent, a), g.Q(s, latent, a); !(math.Abs(x-y) < 1e-8) {
					t.Fatalf("Q(%v, φ%d, a%d) is %v on states and %v on a grid", s, latent, a, x, y)
				}
			}
		}
	}
}

// Far from goals' borders the values of a nearly certain model are those of the
// certain one: the room's corner is n steps away, 10·γ^(n−1).
func TestSolveGridLightDark(t *testing.T) {
	m := envs.LightDarkTiger{Width: 9, Height: 9, Sigma: 0.01}
	v, err := dp.SolveGrid(context.Background(), m, dp.GridOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		x, y   float64
		latent int
		steps  int
	}{{4, 4, 0, 8}, {4, 4, 1, 8}, {1, 3, 1, 12}, {7, 1, 1, 8}, {7, 7, 1, 2}} {
		best := math.Inf(-1)
		for a := range 4 {
			best = max(best, v.Q([]float64{c.x, c.y, 0}, c.latent, a))
		}
		if want := 10 * math.Pow(0.95, float64(c.steps-1)); math.Abs(best-want) > 0.01 {
			t.Errorf("V(%v, %v) under φ%d is %v, want %v", c.x, c.y, c.latent, best, want)
		}
	}
	if !(v.MeanError < 0.5) || !(v.Error > v.MeanError) {
		t.Errorf("errors %v and %v", v.Error, v.MeanError)
	}
}

//test:race
func TestGridOptionErrors(t *testing.T) {
	ctx := context.Background()
	var input *bcpace.InputError
	for _, o := range []dp.GridOptions{{Step: -1}, {Step: math.NaN()}, {Step: math.Inf(1)}, {Step: 1e-9}, {Step: 1e-300},
		{MaxPoints: -1}, {MaxPoints: 3}, {Step: 0.1, MaxPoints: 9}, {Tolerance: -1}} {
		if _, err := dp.SolveGrid(ctx, shrink{0.9}, o); !errors.As(err, &input) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := dp.SolveGrid(cancelled, shrink{0.9}, dp.GridOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func BenchmarkSolveGrid(b *testing.B) {
	for _, sigma := range []float64{0.01, 0.1} {
		m := envs.LightDarkTiger{Width: 9, Height: 9, Sigma: sigma}
		b.Run(m.Spec().Params[3].Value, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := dp.SolveGrid(context.Background(), m, dp.GridOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkGridQ(b *testing.B) {
	v, err := dp.SolveGrid(context.Background(), envs.LightDarkTiger{Sigma: 0.1}, dp.GridOptions{NoError: true})
	if err != nil {
		b.Fatal(err)
	}
	s := []float64{1.23, 2.71, 0}
	b.ReportAllocs()
	for b.Loop() {
		v.Q(s, 1, 3)
	}
}
