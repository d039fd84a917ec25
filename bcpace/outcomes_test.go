package bcpace_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/envs/envtest"

	"pgregory.net/rapid"
)

// outcomesOf writes a model with a static latent, whose start does not tell of it, as
// outcomes: one transition for each entry of its lists, in two halves.
func outcomesOf(m bcpace.Finite) bcpace.Outcomes {
	spec := m.Spec()
	o := bcpace.Outcomes{Spec: spec, Prior: make(bcpace.Belief, len(spec.Latents))}
	m.Prior(o.Prior)
	var z bcpace.Successors
	z.Reset(len(spec.Axes), len(spec.Latents))
	m.Starts(&z)
	for i := range z.Len() {
		s, prob, _ := z.Row(i)
		o.Starts = append(o.Starts, bcpace.Transition{Next: s, Prob: prob[0]})
	}
	o.Transitions = func(s []float64, latent, action int) (list []bcpace.Transition) {
		var z bcpace.Successors
		z.Reset(len(spec.Axes), len(spec.Latents))
		m.Successors(&z, s, action)
		for i := z.Len() - 1; i >= 0; i-- {
			next, prob, reward := z.Row(i)
			x := bcpace.Transition{Next: next, Prob: prob[latent] / 2, Reward: reward[latent], Done: z.Done[i]}
			list = append(list, x, x)
		}
		return list
	}
	return o
}

// TestFromOutcomes writes random models as outcomes, and expects the same probabilities,
// rewards, ends and likelihoods for every state that can be reached.
func TestFromOutcomes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		want := randmodel.New(rng, randmodel.Options{})
		got, err := bcpace.FromOutcomes(outcomesOf(want))
		if err != nil {
			t.Fatal(err)
		}
		spec := want.Spec()
		n := len(spec.Latents)
		s, to := make([]float64, 1), make([]float64, 1)
		a, b := bcpace.NewLister(want), bcpace.NewLister(got)
		last := -1.0
		if endsLast(want) {
			last = float64(want.NumStates() - 1)
		}
		for k := range got.NumStates() {
			if got.StateAt(s, k); got.StateIndex(s) != k {
				t.Fatalf("state %d is %v, whose number is %d", k, s, got.StateIndex(s))
			}
			for action := range spec.Actions {
				if err := errors.Join(a.List(s, action), b.List(s, action)); err != nil {
					t.Fatal(err)
				}
				if s[0] == last { // where nothing follows
					continue
				}
				if !slices.Equal(a.Successors.States, b.Successors.States) || !slices.Equal(a.Successors.Done, b.Successors.Done) {
					t.Fatalf("after %v come %v, want %v", s, b.Successors, a.Successors)
				}
				for i := range a.Successors.Prob {
					if p, q := a.Successors.Prob[i], b.Successors.Prob[i]; math.Abs(p-q) > 1e-15 || p > 0 && math.Abs(a.Successors.Reward[i]-b.Successors.Reward[i]) > 1e-12 {
						t.Fatalf("after %v come %v, want %v", s, b.Successors, a.Successors)
					}
				}
				for i := range want.NumStates() {
					want.StateAt(to, i)
					for φ := range n {
						if x, y := want.LogLikelihood(s, action, to, φ), got.LogLikelihood(s, action, to, φ); x != y && !(math.Abs(x-y) < 1e-12) {
							t.Fatalf("log likelihood %v of %v, want %v", y, to, x)
						}
					}
				}
			}
		}
		posterior(t, rng, got)
		how := check.Options{Episodes: 3, Steps: 10, Transitions: 6, Draws: 500}
		if rng.IntN(8) > 0 {
			how.Skip = []string{check.Goroutines} // what they may share does not depend on the numbers
		}
		if err := check.Model(got, how); err != nil {
			t.Fatal(err)
		}
	})
}

// endsLast reports whether the last state, and no other, ends the episode.
func endsLast(m bcpace.Finite) bool {
	t, err := dp.ListTransitions(context.Background(), m)
	if err != nil {
		return false
	}
	_, end := t.Entries(t.States*t.Actions - 1)
	for e := range end {
		if _, done := t.Next(e); done {
			return true
		}
	}
	return false
}

// posterior compares the belief after a step with Bayes' rule on the list.
func posterior(t *rapid.T, rng *rand.Rand, m bcpace.Finite) {
	n := len(m.Spec().Latents)
	b, got, want := make(bcpace.Belief, n), make(bcpace.Belief, n), make(bcpace.Belief, n)
	b.SampleSimplex(rng)
	s, next := make([]float64, 1), make([]float64, 1)
	latent, action := b.Sample(rng), rng.IntN(len(m.Spec().Actions))
	m.Start(s, latent, rng)
	m.Step(next, s, latent, action, rng)
	if err := bcpace.NewBayes(m).Update(got, b, s, action, next); err != nil {
		t.Fatal(err)
	}
	var z bcpace.Successors
	z.Reset(1, n)
	m.Successors(&z, s, action)
	total := 0.0
	for i := range z.Len() {
		if to, prob, _ := z.Row(i); to[0] == next[0] {
			for φ, p := range prob {
				want[φ] = b[φ] * p
				total += want[φ]
			}
		}
	}
	for φ := range want {
		if want[φ] /= total; math.Abs(got[φ]-want[φ]) > 1e-12 {
			t.Fatalf("belief %v after %v, want %v", got, next, want)
		}
	}
}

// maze is a grid of 4×3 cells with a wall, of which one corner or the other pays.
func maze() bcpace.Outcomes {
	moves := [][2]float64{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}
	return bcpace.Outcomes{
		Spec: bcpace.Spec{
			Name:    "maze",
			Axes:    []bcpace.Axis{{Name: "x", Max: 3, Discrete: true}, {Name: "y", Max: 2, Discrete: true}},
			Actions: bcpace.Actions("right", "left", "up", "down"), Latents: []string{"top", "bottom"},
			Discount: 0.9,
		},
		Transitions: func(s []float64, latent, action int) []bcpace.Transition {
			x, y := min(max(s[0]+moves[action][0], 0), 3), min(max(s[1]+moves[action][1], 0), 2)
			if x == 1 && y == 1 { // the wall
				x, y = s[0], s[1]
			}
			end := x == 3 && y != 1
			pay := 0.0
			if end && (y == 2) == (latent == 0) {
				pay = 1
			}
			return []bcpace.Transition{{Next: []float64{x, y}, Prob: 0.8, Reward: pay, Done: end}, {Next: []float64{s[0], s[1]}, Prob: 0.2}}
		},
	}
}

func TestMaze(t *testing.T) {
	m, err := bcpace.FromOutcomes(maze())
	if err != nil {
		t.Fatal(err)
	}
	if m.NumStates() != 11 || m.StateIndex([]float64{1, 1}) != -1 {
		t.Errorf("%d states, and the wall is number %d, want 11 without it", m.NumStates(), m.StateIndex([]float64{1, 1}))
	}
	if spec := m.Spec(); spec.RewardMin != 0 || spec.RewardMax != 1 {
		t.Errorf("rewards from %v to %v, want 0 to 1", spec.RewardMin, spec.RewardMax)
	}
	envtest.Run(t, m)
}

// TestStartsOfCosts expects that a list of Starts, which has no rewards, does with rewards that are all
// costs.
func TestStartsOfCosts(t *testing.T) {
	o := maze()
	o.Spec.RewardMin, o.Spec.RewardMax = -2, -1
	o.Starts = []bcpace.Transition{{Next: []float64{0, 0}, Prob: 1}}
	o.Transitions = func(s []float64, _, _ int) []bcpace.Transition {
		return []bcpace.Transition{{Next: []float64{min(s[0]+1, 3), 0}, Prob: 1, Reward: -1.5}}
	}
	m, err := bcpace.FromOutcomes(o)
	if err != nil {
		t.Fatal(err)
	}
	envtest.Run(t, m)
}

// TestFromOutcomesErrors expects an *InputError that says what is wrong, and where.
func TestFromOutcomesErrors(t *testing.T) {
	instead := func(list ...bcpace.Transition) func(*bcpace.Outcomes) {
		return func(o *bcpace.Outcomes) {
			before := o.Transitions
			o.Transitions = func(s []float64, latent, action int) []bcpace.Transition {
				if latent == 1 && action == 2 && s[0] == 1 && s[1] == 0 {
					return list
				}
				return before(s, latent, action)
			}
		}
	}
	at := `model "maze" at state [1 0], latent "bottom", action "up": `
	stay := bcpace.Transition{Next: []float64{1, 0}, Prob: 1}
	for words, spoil := range map[string]func(*bcpace.Outcomes){
		`Spec.Name is ""`:    func(o *bcpace.Outcomes) { o.Spec.Name = "" },
		"Transitions is nil": func(o *bcpace.Outcomes) { o.Transitions = nil },
		"Prior is [1]":       func(o *bcpace.Outcomes) { o.Prior = bcpace.Belief{1} },
		`Spec.Axes is a list with axis "x", which is continuous, want axes that are Discrete`: func(o *bcpace.Outcomes) { o.Spec.Axes[0].Discrete = false },
		"the sum of the probabilities in Starts is 0.5, want 1": func(o *bcpace.Outcomes) {
			o.Starts = []bcpace.Transition{{Next: []float64{0, 0}, Prob: 0.5}}
		},
		"Spec.Axes is a list of axes with 3e+07 combinations of values": func(o *bcpace.Outcomes) { o.Spec.Axes[0].Max = 1e7 - 1 },
		"Starts[0] is {Next:[0 0] To: Prob:1 Reward:1 Done:false}, want a state and its Prob alone": func(o *bcpace.Outcomes) {
			o.Starts = []bcpace.Transition{{Next: []float64{0, 0}, Prob: 1, Reward: 1}}
		},
		at + "the sum of the probabilities is 0, want 1":                          instead(),
		at + "the sum of the probabilities is 2, want 1":                          instead(stay, stay),
		at + "the probability of [1 0] is -1, want a number in [0, 1]":            instead(bcpace.Transition{Next: []float64{1, 0}, Prob: -1}),
		at + `Next is [4 0], a state whose entry "x" is 4, want it within [0, 3]`: instead(bcpace.Transition{Next: []float64{4, 0}, Prob: 1}),
		at + `Next is [1], 1 long, want 2 numbers`:                                instead(bcpace.Transition{Next: []float64{1}, Prob: 1}),
		at + `To is "home", want Next, as states have no labels`:                  instead(bcpace.Transition{To: "home", Prob: 1}),
		at + `To is "home", and Next [1 0], want one of the two`:                  instead(bcpace.Transition{To: "home", Next: []float64{1, 0}, Prob: 1}),
		at + "the reward for reaching [1 0] is NaN, want a finite number":         instead(bcpace.Transition{Next: []float64{1, 0}, Prob: 1, Reward: math.NaN()}),
		at + "Done of [1 0] is true, want the same as elsewhere":                  instead(bcpace.Transition{Next: []float64{1, 0}, Prob: 1, Done: true}),
		"the reward for reaching [3 0] is 1, want a number within [RewardMin, RewardMax] = [-1, 0.5]; or leave both 0": func(o *bcpace.Outcomes) {
			o.Spec.RewardMin, o.Spec.RewardMax = -1, 0.5
		},
		"Transitions is a function that writes to s": func(o *bcpace.Outcomes) {
			o.Transitions = func(s []float64, _, _ int) []bcpace.Transition {
				s[0]++
				return []bcpace.Transition{{Next: s, Prob: 1}}
			}
		},
		`latent "top", action "right": the result of Transitions is a panic (lost), want transitions`: func(o *bcpace.Outcomes) {
			o.Transitions = func([]float64, int, int) []bcpace.Transition { panic("lost") }
		},
	} {
		o := maze()
		spoil(&o)
		_, err := bcpace.FromOutcomes(o)
		var input *bcpace.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), words) {
			t.Errorf("got error %v\nwant an *InputError that says %q", err, words)
		}
	}
	labelled := bcpace.Outcomes{
		Spec:        bcpace.Spec{Name: "lamp", Axes: []bcpace.Axis{{Name: "light", Max: 1, Labels: []string{"off", "on"}}}, Actions: bcpace.Actions("press"), Latents: []string{"sound"}, Discount: 0.9},
		Transitions: func([]float64, int, int) []bcpace.Transition { return []bcpace.Transition{{To: "no", Prob: 1}} },
	}
	if _, err := bcpace.FromOutcomes(labelled); err == nil || !strings.Contains(fmt.Sprint(err), `To is "no", want one of the labels ["off" "on"]`) {
		t.Errorf("got error %v", err)
	}
}

func BenchmarkListSuccessors(b *testing.B) {
	outcomes, err := bcpace.FromOutcomes(maze())
	if err != nil {
		b.Fatal(err)
	}
	gaussian, err := bcpace.FromGaussian(pendulum())
	if err != nil {
		b.Fatal(err)
	}
	for name, m := range map[string]bcpace.Enumerator{"outcomes": outcomes, "gaussian": gaussian} {
		b.Run(name, func(b *testing.B) {
			var z bcpace.Successors
			s := make([]float64, 2)
			m.Start(s, 0, rand.New(rand.NewPCG(1, 1)))
			b.ReportAllocs()
			for b.Loop() {
				z.Reset(2, len(m.Spec().Latents))
				m.Successors(&z, s, 0)
			}
		})
	}
}

// TestTransitionsError: the error with which Transitions panics comes back with the place.
func TestTransitionsError(t *testing.T) {
	lost := errors.New("lost")
	o := bcpace.Outcomes{Spec: bcpace.Spec{Name: "lost", Axes: []bcpace.Axis{{Name: "x", Max: 1, Discrete: true}}, Actions: bcpace.Actions("go"), Latents: []string{"only"}, Discount: 0.9},
		Transitions: func([]float64, int, int) []bcpace.Transition { panic(lost) }}
	_, one := bcpace.FromOutcomes(o)
	_, many := o.Model(t.Context(), bcpace.Control{})
	for _, err := range []error{one, many} {
		if !errors.Is(err, lost) || !errors.As(err, new(*bcpace.InputError)) || !strings.Contains(err.Error(), `latent "only", action "go"`) {
			t.Errorf("%v, want an InputError that wraps %v", err, lost)
		}
	}
}
