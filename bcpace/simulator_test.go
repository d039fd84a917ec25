package bcpace_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/envs"
)

// TestSimulatorCalibrated expects the belief to be right on average: among all
// steps, the latent is φ as often as b(φ) says, also after it was redrawn.
func TestSimulatorCalibrated(t *testing.T) {
	for name, m := range map[string]bcpace.Model{
		"tiger": envs.Tiger{}, "chain": envs.Chain{SlipPrior: []float64{0.2, 0.3, 0.5}}, "dark from the light": envs.LightDarkTiger{StartAt: []float64{0, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			const episodes = 4000
			rng := rand.New(rand.NewPCG(1, 2))
			sim := bcpace.NewSimulator(m)
			actions, off := len(m.Spec().Actions), make([]float64, len(m.Spec().Latents))
			for range episodes {
				if err := sim.Reset(rng); err != nil {
					t.Fatal(err)
				}
				for range rng.IntN(6) {
					if sim.Done {
						break
					}
					if _, err := sim.Step(rng.IntN(actions), rng); err != nil {
						t.Fatal(err)
					}
				}
				for i, p := range sim.Belief {
					off[i] -= p / episodes
				}
				off[sim.Latent] += 1.0 / episodes
			}
			for i, x := range off {
				// Hoeffding, for 1{φ=i} − b(i) in [−1, 1]: beyond this with
				// probability 2e-9.
				if math.Abs(x) > math.Sqrt(2*math.Log(1e9)/episodes) {
					t.Errorf("latent %d is %v more frequent than believed", i, x)
				}
			}
		})
	}
}

// TestSimulatorStep follows one step by hand.
func TestSimulatorStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	sim := bcpace.NewSimulator(envs.Tiger{Accuracy: 1})
	if err := sim.ResetTo(bcpace.Belief{0.3, 0.7}, rng); err != nil {
		t.Fatal(err)
	}
	if r, err := sim.Step(0, rng); err != nil || r != -1 {
		t.Fatalf("listening: reward %v, error %v", r, err)
	}
	if want := bcpace.OneHot(2, sim.Latent); !slices.Equal(sim.Belief, want) || sim.State[0] != float64(sim.Latent+1) {
		t.Errorf("heard %v with latent %d: belief %v, want %v", sim.State, sim.Latent, sim.Belief, want)
	}
	if !slices.Equal(sim.PrevBelief, bcpace.Belief{0.3, 0.7}) || sim.Prev[0] != 0 {
		t.Errorf("before: belief %v in state %v, want [0.3 0.7] in [0]", sim.PrevBelief, sim.Prev)
	}
	if r, err := sim.Step(2-sim.Latent, rng); err != nil || r != 10 || sim.Done {
		t.Errorf("opening the other door: reward %v, done %t, error %v", r, sim.Done, err)
	}
}

// priceless is Tiger with rewards that are no finite numbers.
type priceless struct{ envs.Tiger }

func (m priceless) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	out := m.Tiger.Step(next, s, latent, action, rng)
	out.Reward = []float64{math.NaN(), math.Inf(1), 0}[action]
	return out
}

// impossible is Chain with a likelihood that nothing can follow.
type impossible struct{ envs.Chain }

func (impossible) LogLikelihood([]float64, int, []float64, int) float64 { return math.Inf(-1) }

func TestSimulatorErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	bad := priceless{envs.Tiger{}}
	for action := range 2 {
		sim := bcpace.NewSimulator(bad)
		if err := sim.Reset(rng); err != nil {
			t.Fatal(err)
		}
		latent := sim.Latent
		_, err := sim.Step(action, rng)
		var fault *bcpace.ConformanceError
		if !errors.As(err, &fault) {
			t.Fatalf("got %v, want a *ConformanceError", err)
		}
		spec := bad.Spec()
		if fault.Action != spec.Actions[action].Name || fault.Latent != spec.Latents[latent] || fault.State[0] != 0 {
			t.Errorf("%v names the wrong place", fault)
		}
	}

	sim := bcpace.NewSimulator(envs.Tiger{})
	var input *bcpace.InputError
	if err := sim.Reset(rng); err != nil {
		t.Fatal(err)
	}
	for _, action := range []int{-1, 3} {
		if _, err := sim.Step(action, rng); !errors.As(err, &input) {
			t.Errorf("action %d: got %v, want an *InputError", action, err)
		}
	}
	for _, b := range []bcpace.Belief{{1}, {0.5, 0.6}, {math.NaN(), 1}} {
		if err := sim.ResetTo(b, rng); !errors.As(err, &input) {
			t.Errorf("belief %v: got %v, want an *InputError", []float64(b), err)
		}
	}

	sim = bcpace.NewSimulator(impossible{envs.Chain{}})
	if err := sim.Reset(rng); err != nil {
		t.Fatal(err)
	}
	var impossible *bcpace.ImpossibleObservationError
	if _, err := sim.Step(0, rng); !errors.As(err, &impossible) {
		t.Errorf("got %v, want an *ImpossibleObservationError", err)
	}
}

func TestSimulatorAllocations(t *testing.T) {
	for name, m := range map[string]bcpace.Model{"tiger": envs.Tiger{}, "chain": envs.Chain{}, "dark": envs.LightDarkTiger{Sigma: 0.1}} {
		rng := rand.New(rand.NewPCG(1, 2))
		sim := bcpace.NewSimulator(m)
		actions := len(m.Spec().Actions)
		if err := sim.Reset(rng); err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(200, func() {
			if sim.Done {
				if err := sim.Reset(rng); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := sim.Step(rng.IntN(actions), rng); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("%s: Step and Reset allocate %v times, want 0", name, n)
		}
	}
}

func BenchmarkSimulatorStep(b *testing.B) {
	for _, x := range []struct {
		name string
		m    bcpace.Model
	}{{"tiger", envs.Tiger{}}, {"chain", envs.Chain{}}, {"dark", envs.LightDarkTiger{}}, {"noisy dark", envs.LightDarkTiger{Sigma: 0.1}}} {
		b.Run(x.name, func(b *testing.B) {
			b.ReportAllocs()
			rng := rand.New(rand.NewPCG(1, 2))
			sim := bcpace.NewSimulator(x.m)
			actions := len(x.m.Spec().Actions)
			sim.Done = true
			for b.Loop() {
				if sim.Done {
					if err := sim.Reset(rng); err != nil {
						b.Fatal(err)
					}
				}
				if _, err := sim.Step(rng.IntN(actions), rng); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
