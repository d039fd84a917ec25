package check_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/envs"
)

// cart is a mass that a wind pushes to either side between two walls. It has no lists of
// successors, so that what is wrong with its likelihood shows in what Step draws alone.
func cart() bcpace.Funcs {
	const sigma = 0.1
	mean := func(s []float64, latent, action int) float64 {
		return s[0] + 0.1*float64(action-1) + 0.06*float64(2*latent-1)
	}
	return bcpace.Funcs{
		Spec: bcpace.Spec{Name: "cart", Axes: []bcpace.Axis{{Name: "x", Min: -1, Max: 1}}, Actions: bcpace.Actions("left", "wait", "right"),
			Latents: []string{"wind from the right", "wind from the left"}, Discount: 0.95, RewardMin: -1, RewardMax: 1},
		Start: func(s []float64, _ int, _ *rand.Rand) { s[0] = 0 },
		Step: func(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
			next[0] = min(max(mean(s, latent, action)+sigma*rng.NormFloat64(), -1), 1)
			return bcpace.Outcome{Reward: -math.Abs(next[0])}
		},
		LogLikelihood: func(s []float64, action int, next []float64, latent int) float64 {
			z := (next[0] - mean(s, latent, action)) / sigma
			switch next[0] {
			case -1:
				return math.Log(math.Erfc(-z/math.Sqrt2) / 2)
			case 1:
				return math.Log(math.Erfc(z/math.Sqrt2) / 2)
			}
			return -z * z / 2
		},
	}
}

// TestMistakes makes the mistakes that users make, and expects check to name them.
//
//test:race
func TestMistakes(t *testing.T) {
	for name, x := range map[string]struct {
		spoil func(f *bcpace.Funcs)
		words string // "" for no fault
		test  string // that finds it
	}{
		"none": {spoil: func(*bcpace.Funcs) {}},
		"the density in place of its logarithm": {func(f *bcpace.Funcs) {
			right := f.LogLikelihood
			f.LogLikelihood = func(s []float64, action int, next []float64, latent int) float64 {
				return math.Exp(right(s, action, next, latent))
			}
		}, "it returns the density itself, want its logarithm", check.Calibration},
		"a constant": {func(f *bcpace.Funcs) {
			f.LogLikelihood = func([]float64, int, []float64, int) float64 { return 0 }
		}, "its difference between the two is 0 wherever the step leads, so that it tells nothing of the latent", check.Calibration},
		"constants that differ by rounding": {func(f *bcpace.Funcs) {
			f.LogLikelihood = func(_ []float64, _ int, next []float64, latent int) float64 {
				return math.Log(0.3*next[0]*next[0]+1+1e-16*float64(latent)) + 1e-15*math.Sin(1e6*next[0])*float64(latent)
			}
		}, "is 0 wherever the step leads, so that it tells nothing of the latent; want the logarithm", check.Calibration},
		"a constant for each latent": {func(f *bcpace.Funcs) {
			f.Spec.Latents = append(f.Spec.Latents, "a third wind")
			f.LogLikelihood = func(_ []float64, _ int, _ []float64, latent int) float64 { return 0.7 * float64(latent*latent) }
		}, "wherever the step leads, so that it tells nothing of the latent; want the logarithm", check.Calibration},
		"a likelihood of something else": {func(f *bcpace.Funcs) {
			f.LogLikelihood = func(_ []float64, _ int, next []float64, latent int) float64 {
				return 2 * math.Sin(1e5*next[0]+float64(latent))
			}
		}, "what it says has nothing to do with the latent under which the step was drawn; want the logarithm", check.Calibration},
		"σ doubled": {func(f *bcpace.Funcs) {
			right := f.LogLikelihood
			f.LogLikelihood = func(s []float64, action int, next []float64, latent int) float64 {
				return right(s, action, next, latent) / 4
			}
		}, "it tells too little", check.Calibration},
		"σ halved": {func(f *bcpace.Funcs) {
			right := f.LogLikelihood
			f.LogLikelihood = func(s []float64, action int, next []float64, latent int) float64 {
				return right(s, action, next, latent) * 4
			}
		}, "it tells too much", check.Calibration},
		"a density that ignores walls": {func(f *bcpace.Funcs) {
			right := f.LogLikelihood
			f.LogLikelihood = func(s []float64, action int, next []float64, latent int) float64 {
				if math.Abs(next[0]) == 1 {
					z := (next[0] - s[0] - 0.1*float64(action-1) - 0.06*float64(2*latent-1)) / 0.1
					return -z * z / 2
				}
				return right(s, action, next, latent)
			}
		}, "these steps end at a limit of an axis", check.Calibration},
		"scratch that goroutines share": {func(f *bcpace.Funcs) {
			right := f.Step
			var scratch atomic.Uint64 // which the race detector does not mind
			f.Step = func(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
				scratch.Store(math.Float64bits(s[0]))
				out := right(next, s, latent, action, rng)
				out.Reward += math.Float64frombits(scratch.Load()) - s[0]
				return out
			}
		}, "when several goroutines call the model at once", check.Goroutines},
	} {
		t.Run(name, func(t *testing.T) {
			f, few := cart(), check.Options{Transitions: 100, Draws: 2000}
			x.spoil(&f)
			m, err := bcpace.FromFuncs(f)
			if err != nil {
				t.Fatal(err)
			}
			report, err := check.Examine(m, few)
			if x.words == "" {
				if err != nil {
					t.Fatal(err)
				}
				if s := report.String(); !strings.Contains(s, "calibration  50000 steps") || !strings.Contains(s, "lists        nothing to try") {
					t.Errorf("got\n%s\nwant it to say what was tried", s)
				}
				return
			}
			var fault *bcpace.ConformanceError
			if !errors.As(err, &fault) || !strings.Contains(err.Error(), x.words) {
				t.Fatalf("%v\nwant a *ConformanceError that says %q", err, x.words)
			}
			if _, err := check.Examine(m, check.Options{Transitions: 20, Draws: 500, Skip: []string{x.test, check.Draws}}); err != nil {
				t.Errorf("without the test: %v", err)
			}
		})
	}
}

// mountainCar swings in a valley. Neither random steps nor one action alone come to the
// left limit of its position; ignored says that the likelihood takes no notice of limits.
func mountainCar(t *testing.T, ignored bool) bcpace.Model {
	g := bcpace.Gaussian{
		Spec: bcpace.Spec{Name: "mountain car", Axes: []bcpace.Axis{{Name: "position", Min: -1.2, Max: 0.6}, {Name: "velocity", Min: -0.07, Max: 0.07}},
			Actions: bcpace.Actions("back", "coast", "forward"), Latents: []string{"weak", "strong"}, Discount: 0.99, RewardMin: -1},
		Starts: [][]float64{{-0.5, 0}}, Sigma: []float64{0.002, 0.0005},
		Mean: func(mean, s []float64, latent, action int) {
			mean[1] = s[1] + []float64{0.0007, 0.0012}[latent]*float64(action-1) - 0.0025*math.Cos(3*s[0])
			mean[0] = s[0] + mean[1]
		},
		Reward: func([]float64, int, int, []float64) float64 { return -1 },
		Ends:   func(next []float64) bool { return next[0] >= 0.5 },
	}
	sound, err := bcpace.FromGaussian(g)
	if err != nil || !ignored {
		return must(t, sound, err)
	}
	f := bcpace.Funcs{Spec: sound.Spec(), Start: sound.Start, Step: sound.Step,
		LogLikelihood: func(s []float64, action int, next []float64, latent int) float64 {
			mean, log := make([]float64, 2), 0.0
			g.Mean(mean, s, latent, action)
			for i, sigma := range g.Sigma {
				z := (next[i] - mean[i]) / sigma
				log -= z * z / 2
			}
			return log
		}}
	m, err := bcpace.FromFuncs(f)
	return must(t, m, err)
}

func must[M bcpace.Model](t *testing.T, m M, err error) M {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestLimitsFarAway: a likelihood that is wrong at limits alone is found where it takes a
// plan to come to one, and the report says which limits no step came to.
func TestLimitsFarAway(t *testing.T) {
	o := check.Options{Draws: 400, Skip: []string{check.Goroutines, check.Draws}}
	for o.Seed = range uint64(2) {
		var fault *bcpace.ConformanceError
		err := check.Model(mountainCar(t, true), o)
		if !errors.As(err, &fault) || fault.State[0] > -1 || !strings.Contains(err.Error(), "these steps end at a limit of an axis") {
			t.Errorf("seed %d: %v, want a fault at the left limit", o.Seed, err)
		}
		report, err := check.Examine(mountainCar(t, false), o)
		if err != nil || !strings.Contains(report.String(), "more beside limits of axes, and none came to position = 0.6") {
			t.Errorf("seed %d: %v, and\n%v\nwant no fault, and the limit beyond the end", o.Seed, err, report)
		}
	}
}

// TestRewardOfTheLatent: a reward that tells of the latent what the state does not makes a
// note, unless the episode ends or the latent moves there, as in Tiger. So does a likelihood that
// tells nothing of the latent where Step does.
func TestRewardOfTheLatent(t *testing.T) {
	f := cart()
	right := f.Step
	f.Step = func(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
		if action != 1 {
			return right(next, s, latent, action, rng)
		}
		next[0] = s[0]
		return bcpace.Outcome{Reward: 0.5 * float64(latent)}
	}
	likelihood := f.LogLikelihood
	f.LogLikelihood = func(s []float64, action int, next []float64, latent int) float64 {
		if action != 1 {
			return likelihood(s, action, next, latent)
		}
		return 0
	}
	flat := bcpace.Funcs{
		Spec: bcpace.Spec{Name: "jumps", Axes: []bcpace.Axis{{Name: "x", Max: 1}}, Actions: bcpace.Actions("stay", "cross"), Latents: []string{"as told", "the other way"}, Discount: 0.9, RewardMax: 1},
		Step: func(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
			next[0] = 0.4*float64((latent+action)%2) + 0.6*rng.Float64()
			return bcpace.Outcome{Reward: next[0]}
		},
		LogLikelihood: func([]float64, int, []float64, int) float64 { return 0 },
	}
	weak := flat
	weak.Spec.Axes = []bcpace.Axis{{Name: "x", Max: 1, Discrete: true}}
	weak.Step = func(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
		next[0] = 0
		if rng.Float64() < 0.5+0.1*float64(latent) {
			next[0] = 1
		}
		return bcpace.Outcome{Reward: float64(latent)}
	}
	weak.LogLikelihood = func(s []float64, action int, next []float64, latent int) float64 {
		return math.Log(0.5 + (next[0]-0.5)*0.2*float64(latent))
	}
	for name, x := range map[string]struct {
		m    func() (bcpace.Model, error)
		note string
	}{
		"weak state":            {func() (bcpace.Model, error) { return bcpace.FromFuncs(weak) }, "times as likely under one as under the other: the belief does not learn from this reward"},
		"flat likelihood":       {func() (bcpace.Model, error) { return bcpace.FromFuncs(flat) }, "each time LogLikelihood was the same for both"},
		"cart":                  {func() (bcpace.Model, error) { return bcpace.FromFuncs(f) }, `action "wait" pays`},
		"tiger":                 {func() (bcpace.Model, error) { return envs.Tiger{}, nil }, ""},
		"tiger that ends":       {func() (bcpace.Model, error) { return envs.Tiger{Ends: true}, nil }, ""},
		"chain":                 {func() (bcpace.Model, error) { return envs.Chain{}, nil }, ""},
		"light-dark tiger":      {func() (bcpace.Model, error) { return envs.LightDarkTiger{}, nil }, ""},
		"noisy":                 {func() (bcpace.Model, error) { return envs.LightDarkTiger{Sigma: 0.3}, nil }, ""},
		"large and noisy":       {func() (bcpace.Model, error) { return envs.LightDarkTiger{Width: 9, Height: 9, Sigma: 0.1}, nil }, ""},
		"tiger without a sound": {func() (bcpace.Model, error) { return envs.Tiger{Accuracy: 1}, nil }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := x.m()
			if err != nil {
				t.Fatal(err)
			}
			report, err := check.Examine(m, check.Options{Draws: 100})
			if err != nil {
				t.Fatal(err)
			}
			if notes := strings.Join(report.Notes, "\n"); x.note == "" && notes != "" || !strings.Contains(notes, x.note) {
				t.Errorf("notes %q, want %q", notes, x.note)
			}
			if without, err := check.Examine(m, check.Options{Draws: 100, Skip: []string{check.Rewards}}); err != nil || len(without.Notes) > 0 || !strings.Contains(without.String(), "rewards      skipped") {
				t.Errorf("without the test: %v\n%v", err, without)
			}
		})
	}
}

// TestNoFalseAlarm: no random model is refused. Their methods change nothing, so that
// goroutines need not be tried.
func TestNoFalseAlarm(t *testing.T) {
	models := 500
	if testing.Short() {
		models = 50
	}
	for seed := range uint64(models) {
		rng := rand.New(rand.NewPCG(seed, 7))
		o := randmodel.Varied(rng)
		if seed%4 == 0 {
			o = randmodel.Options{Kind: bcpace.LatentKind(seed / 4 % 3)}
		}
		o.Sharp = seed%2 == 0
		if err := check.Model(randmodel.New(rng, o), check.Options{Seed: seed, Episodes: 5, Steps: 10, Transitions: 10, Draws: 100, Skip: []string{check.Goroutines}}); err != nil {
			t.Errorf("model %d: %v", seed, err)
		}
	}
}

// A Scale of +Inf on an axis that matters is found, and one that keeps its promise passes.
func TestInfiniteScale(t *testing.T) {
	model := func(speed, pay, tell float64) bcpace.Model {
		m, err := bcpace.FromFuncs(bcpace.Funcs{
			Spec: bcpace.Spec{Name: "cart", Axes: []bcpace.Axis{{Name: "x", Max: 3}, {Name: "v", Min: -1, Max: 1, Scale: math.Inf(1)}},
				Actions: bcpace.Actions("left", "right"), Latents: []string{"low", "high"}, Discount: 0.9, RewardMin: -1, RewardMax: 2},
			Start: func(s []float64, _ int, rng *rand.Rand) { s[0], s[1] = 1, rng.Float64() },
			Step: func(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
				next[0] = min(max(s[0]+0.1*float64(2*action-1)+speed*s[1], 0), 3)
				next[1] = 2*rng.Float64() - 1
				return bcpace.Outcome{Reward: pay * s[1]}
			},
			LogLikelihood: func(s []float64, _ int, _ []float64, latent int) float64 { return tell * s[1] * float64(latent) },
		})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	only := check.Options{Skip: []string{check.Calibration, check.Draws}}
	if err := check.Model(model(0, 0, 0), only); err != nil {
		t.Error(err)
	}
	for want, m := range map[string]bcpace.Model{`the next entry "x" is`: model(0.1, 0, 0), "the reward is": model(0, 0.5, 0), "LogLikelihood under latent": model(0, 0, 1)} {
		if err := check.Model(m, only); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "Scale +Inf") {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestRareStarts: a start that leaves the axes, or panics, in one of a hundred episodes is found, although the
// model lists nothing.
func TestRareStarts(t *testing.T) {
	for name, start := range map[string]func(s []float64, _ int, rng *rand.Rand){
		`whose entry "x" is 2`: func(s []float64, _ int, rng *rand.Rand) {
			if s[0] = 0; rng.Float64() < 0.01 {
				s[0] = 2
			}
		},
		"Start panicked": func(s []float64, _ int, rng *rand.Rand) {
			if s[0] = 0; rng.Float64() < 0.01 {
				panic("lost")
			}
		},
	} {
		f := cart()
		f.Start = start
		m, err := bcpace.FromFuncs(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := check.Model(m, check.Options{}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
	}
}

// TestSkip refuses a name that no test has.
func TestSkip(t *testing.T) {
	m, err := bcpace.FromFuncs(cart())
	if err != nil {
		t.Fatal(err)
	}
	var input *bcpace.InputError
	if err := check.Model(m, check.Options{Skip: []string{"nothing"}}); !errors.As(err, &input) {
		t.Errorf("%v, want an *InputError", err)
	}
}
