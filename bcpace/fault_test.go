package bcpace_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/eval"
	"bayescpace/envs"
)

// faulty is Chain with a fault in Step and in Successors at state 2.
type faulty struct {
	envs.Chain
	fault func(next []float64, reward *float64)
}

func (f faulty) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	out := f.Chain.Step(next, s, latent, action, rng)
	if s[0] == 2 {
		f.fault(next, &out.Reward)
	}
	return out
}

func (f faulty) Successors(z *bcpace.Successors, s []float64, action int) {
	f.Chain.Successors(z, s, action)
	if s[0] == 2 {
		to, _, reward := z.Row(0)
		f.fault(to, &reward[0])
	}
}

// TestFaults: what a model does against its contract is an error that names it, in
// every algorithm and every goroutine, and no certificate.
func TestFaults(t *testing.T) {
	for words, fault := range map[string]func(next []float64, reward *float64){
		"panicked: runtime error: index out of range": func(next []float64, _ *float64) { next[len(next)] = 0 },
		"panicked: none":                    func([]float64, *float64) { panic("none") },
		"reward 1000, want a number within": func(_ []float64, reward *float64) { *reward = 1000 },
		"whose entry":                       func(next []float64, _ *float64) { next[0] = 99 },
	} {
		m := faulty{fault: fault}
		listed := listed{m}
		for name, explore := range map[string]func() error{
			"paper": func() error {
				_, err := bcpace.Explore(t.Context(), listed, bcpace.Options{Epsilon: 1, LipQ: 10, K: 1, MaxEpisodes: 50, Latent: noValues{}})
				return err
			},
			"batch": func() error {
				_, err := bcpace.Options{Epsilon: 1, LipQ: 10, K: 1, MaxEpisodes: 50, Batch: 8, Latent: noValues{}}.Explore(t.Context(), listed, bcpace.Control{Workers: 2})
				return err
			},
			"certified": func() error {
				_, err := bcpace.Explore(t.Context(), m, certified.Solver{Epsilon: 1})
				return err
			},
			"certified, states not numbered": func() error {
				_, err := bcpace.Explore(t.Context(), listed, certified.Solver{Epsilon: 1, MaxSamples: 100})
				return err
			},
			"rollouts": func() error {
				_, err := eval.Rollouts(t.Context(), m, bcpace.RandomPolicy(2), eval.Options{Episodes: 200, Workers: 2})
				return err
			},
			"check": func() error { return check.Model(m, check.Options{}) },
		} {
			err := explore()
			if at := new(bcpace.ConformanceError); !errors.As(err, &at) || !strings.Contains(err.Error(), words) {
				t.Errorf("%s: error %v, want a ConformanceError with %q", name, err, words)
			}
		}
	}
}

// noValues are latent values, so that none are computed from the model.
type noValues struct{}

func (noValues) Q([]float64, int, int) float64 { return 50 }

// TestEndlessRewards: values that are not numbers have no bounds.
func TestEndlessRewards(t *testing.T) {
	spec := envs.Chain{}.Spec()
	for _, r := range [][2]float64{{-1e308, 1}, {0, 1e308}, {-8e306, 8e306}, {-3e148, 3e148}} {
		spec.RewardMin, spec.RewardMax = r[0], r[1]
		if err := spec.Validate(); err == nil || !strings.Contains(err.Error(), "sums over an episode") {
			t.Errorf("rewards %v: %v", r, err)
		}
	}
}

// TestControlCharacters: no name of a model breaks a line or moves a cursor.
func TestControlCharacters(t *testing.T) {
	for _, name := range []string{"a\nb", "\x1b[2J", "\x00", "\x7f", "\u009b", "\t"} {
		for i := range 4 {
			x := bcpace.Tables{Name: "t", States: []string{"s"}, Actions: []string{"a"}, Latents: []string{"l"}, Discount: 0.5,
				P: [][][][]float64{{{{1}}}}, R: [][][]float64{{{0}}}}
			switch i {
			case 0:
				x.Name = name
			case 1:
				x.States[0] = name
			case 2:
				x.Actions[0] = name
			case 3:
				x.Latents[0] = name
			}
			_, err := bcpace.FromTables(x)
			if input := new(bcpace.InputError); !errors.As(err, &input) || !strings.Contains(err.Error(), "control characters") {
				t.Errorf("name %d %q: %v", i, name, err)
			}
		}
	}
	spec := envs.Chain{}.Spec()
	spec.Axes = []bcpace.Axis{{Name: "a", Unit: "m\r"}}
	if err := spec.Validate(); err == nil || !strings.Contains(err.Error(), `"m\r", want a name without control characters`) {
		t.Error(err)
	}
}

// TestNil: what is not there is an error.
func TestNil(t *testing.T) {
	_, explored := bcpace.Explore(t.Context(), nil, bcpace.Options{Epsilon: 1})
	_, certified := bcpace.Explore(t.Context(), nil, certified.Solver{Epsilon: 1})
	_, resumed := bcpace.Resume(t.Context(), nil, bcpace.Options{Epsilon: 1})
	_, verified := bcpace.Verify(t.Context(), nil)
	for _, err := range []error{bcpace.Validate(nil), explored, certified, resumed, verified} {
		if input := new(bcpace.InputError); !errors.As(err, &input) {
			t.Errorf("error %v, want an InputError", err)
		}
	}
}
