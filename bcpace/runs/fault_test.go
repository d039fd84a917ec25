package runs_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/lipschitz"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
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
//
//test:race
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
				_, err := runs.Explore(t.Context(), listed, cpace.Solver{Epsilon: 1, LipQ: 10, K: 1, MaxEpisodes: 50, Latent: noValues{}})
				return err
			},
			"batch": func() error {
				_, err := cpace.Solver{Epsilon: 1, LipQ: 10, K: 1, MaxEpisodes: 50, Batch: 8, Latent: noValues{}}.Explore(t.Context(), listed, bcpace.Control{Workers: 2})
				return err
			},
			"certified": func() error {
				_, err := runs.Explore(t.Context(), m, certified.Solver{Epsilon: 1})
				return err
			},
			"certified, states not numbered": func() error {
				_, err := runs.Explore(t.Context(), listed, certified.Solver{Epsilon: 1, MaxSamples: 100})
				return err
			},
			"rollouts": func() error {
				_, err := eval.Rollouts(t.Context(), m, bcpace.RandomPolicy(m), eval.Options{Episodes: 200, Workers: 2})
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
	_, explored := runs.Explore(t.Context(), nil, cpace.Solver{Epsilon: 1})
	_, certified := runs.Explore(t.Context(), nil, certified.Solver{Epsilon: 1})
	_, resumed := runs.Resume(t.Context(), nil, cpace.Solver{Epsilon: 1})
	_, verified := runs.Verify(t.Context(), nil)
	_, listed := dp.ListTransitions(t.Context(), nil)
	_, latent := dp.SolveLatent(t.Context(), nil)
	_, starts := bcpace.StartsOf(nil)
	_, plan := cpace.Solver{Epsilon: 1}.Plan(nil)
	for _, err := range []error{bcpace.Validate(nil), explored, certified, resumed, verified, listed, latent, starts, plan,
		new(bcpace.Successors).ListStarts(nil), solverkit.CheckStationary(nil, ""), bcpace.NewLister(nil).List(nil, 0), new(bcpace.Lister).List(nil, 0)} {
		if input := new(bcpace.InputError); !errors.As(err, &input) {
			t.Errorf("error %v, want an InputError", err)
		}
	}
}

// resized is Chain, whose lists of the successors of state 2 and, if it says so, of the
// starts have other sizes than its states and beliefs.
type resized struct {
	envs.Chain
	starts bool
	spoil  func(z *bcpace.Successors)
}

func (m resized) Starts(z *bcpace.Successors) {
	m.Chain.Starts(z)
	if m.starts {
		m.spoil(z)
	}
}

func (m resized) Successors(z *bcpace.Successors, s []float64, action int) {
	m.Chain.Successors(z, s, action)
	if !m.starts && s[0] == 2 {
		m.spoil(z)
	}
}

// unnumbered hides the numbering of the states.
type unnumbered struct{ resized }

func (unnumbered) IsFinite() bool { return false }

// TestSizes: lists with rows of other sizes are an error everywhere.
func TestSizes(t *testing.T) {
	for words, spoil := range map[string]func(z *bcpace.Successors){
		"rows of 3 axes and 3 latents": func(z *bcpace.Successors) {
			z.Reset(3, 3)
			_, p, _ := z.Add(false)
			p[0], p[1], p[2] = 1, 1, 1
		},
		"numbers in States, Prob": func(z *bcpace.Successors) { z.Prob = append(z.Prob, 1) },
		"in States, Prob and":     func(z *bcpace.Successors) { z.Prob = z.Prob[:len(z.Prob)-1] },
		"Prob and Reward":         func(z *bcpace.Successors) { z.Done = append(z.Done, true) },
	} {
		for _, starts := range []bool{false, true} {
			m := resized{starts: starts, spoil: spoil}
			asks := map[string]func() error{
				"check":     func() error { return check.Model(m, check.Options{}) },
				"optimal":   func() error { _, err := eval.Optimal(t.Context(), m, eval.ExactOptions{}); return err },
				"certified": func() error { _, err := runs.Explore(t.Context(), m, certified.Solver{Epsilon: 1}); return err },
				"tables":    func() error { _, err := pomdp.FromBAMDP(t.Context(), m); return err },
				"lipschitz": func() error { _, err := lipschitz.FromModel(t.Context(), m, lipschitz.Options{}); return err },
				"certified, states not numbered": func() error {
					_, err := runs.Explore(t.Context(), unnumbered{m}, certified.Solver{Epsilon: 1, MaxSamples: 100})
					return err
				},
			}
			if starts {
				asks["starts"] = func() error { _, err := bcpace.StartsOf(m); return err }
			} else {
				asks["transitions"] = func() error { _, err := dp.ListTransitions(t.Context(), m); return err }
				asks["lister"] = func() error { return bcpace.NewLister(m).List([]float64{2}, 0) }
			}
			for name, ask := range asks {
				err := ask()
				if fault := new(bcpace.ConformanceError); !errors.As(err, &fault) || !strings.Contains(err.Error(), words) {
					t.Errorf("%s, of starts %t: error %v, want a ConformanceError with %q", name, starts, err, words)
				}
			}
			// The steps left are one more axis.
			h, err := bcpace.FiniteHorizon(m, 9)
			if err != nil {
				t.Fatal(err)
			}
			_, err = eval.Optimal(t.Context(), h, eval.ExactOptions{})
			if fault := new(bcpace.ConformanceError); !errors.As(err, &fault) || !strings.Contains(err.Error(), words) {
				t.Errorf("with the steps left, of starts %t: error %v, want a ConformanceError with %q", starts, err, words)
			}
		}
	}
}

// TestListerInput: what is no state or action of the model has no successors.
func TestListerInput(t *testing.T) {
	l := bcpace.NewLister(envs.Chain{})
	for _, x := range []struct {
		s      []float64
		action int
	}{{[]float64{2}, -1}, {[]float64{2}, 2}, {[]float64{7}, 0}, {[]float64{0.5}, 0}, {nil, 0}, {[]float64{2, 2}, 0}} {
		err := l.List(x.s, x.action)
		if input := new(bcpace.InputError); !errors.As(err, &input) || l.Successors.Len() > 0 {
			t.Errorf("state %v, action %d: error %v, want an InputError", x.s, x.action, err)
		}
	}
	if err := l.List([]float64{2}, 1); err != nil || l.Successors.Len() == 0 {
		t.Error(err)
	}
}

// TestQueriesOfOtherModels: a run has no value for what is no query of its model.
func TestQueriesOfOtherModels(t *testing.T) {
	for _, s := range []runs.Explorer{cpace.Solver{Epsilon: 1, MaxSamples: 20, CertificateEpisodes: -1}, certified.Solver{Epsilon: 1}} {
		r, err := runs.Explore(t.Context(), envs.Tiger{}, s)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []struct {
			s      []float64
			b      bcpace.Belief
			action int
		}{{nil, bcpace.Uniform(2), 0}, {[]float64{0, 0}, bcpace.Uniform(2), 0}, {[]float64{0}, bcpace.Uniform(1), 0}, {[]float64{0}, bcpace.Uniform(3), 0},
			{[]float64{0}, bcpace.Uniform(2), -1}, {[]float64{0}, bcpace.Uniform(2), 3}} {
			q, known := r.Q(x.s, x.b, x.action)
			v := math.NaN()
			if x.action == 0 {
				v, _ = r.At(x.s, x.b)
			}
			if known || !math.IsNaN(q) || !math.IsNaN(v) || !math.IsNaN(r.Upper(x.s, x.b, x.action)) {
				t.Errorf("%s, %+v: Q %v, known %t, value %v, want NaN", s.Name(), x, q, known, v)
			}
			if x.action != 0 {
				continue
			}
			if a := r.Policy().Act(x.s, x.b, nil); a != -1 {
				t.Errorf("%s, %+v: action %d, want none", s.Name(), x, a)
			}
		}
	}
}
