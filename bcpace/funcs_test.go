package bcpace_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/envs"
	"bayescpace/envs/envtest"
)

// A boat on a line of 10 m drifts with a current of unknown direction; rowing
// to either end earns 1 and ends the trip.
func ExampleFuncs() {
	mean := func(s []float64, action, latent int) float64 {
		return s[0] + float64(2*action-1) + 0.5*float64(2*latent-1)
	}
	boat, err := bcpace.FromFuncs(bcpace.Funcs{
		Spec: bcpace.Spec{Name: "boat", Axes: []bcpace.Axis{{Name: "x", Unit: "m", Min: -20, Max: 20}},
			Actions: bcpace.Actions("row left", "row right"), Latents: []string{"current left", "current right"},
			Discount: 0.95, RewardMin: 0, RewardMax: 1},
		Start: func(s []float64, _ int, _ *rand.Rand) { s[0] = 0 },
		Step: func(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
			next[0] = mean(s, action, latent) + 0.2*rng.NormFloat64()
			if math.Abs(next[0]) > 5 {
				return bcpace.Outcome{Reward: 1, Done: true}
			}
			return bcpace.Outcome{}
		},
		LogLikelihood: func(s []float64, action int, next []float64, latent int) float64 {
			z := (next[0] - mean(s, action, latent)) / 0.2
			return -z * z / 2
		},
	})
	fmt.Println(err, check.Model(boat, check.Options{}))
	// Output: <nil> <nil>
}

// funcsOf takes the methods of a model as functions.
func funcsOf(m bcpace.Enumerator) bcpace.Funcs {
	f := bcpace.Funcs{Spec: m.Spec(), Prior: make(bcpace.Belief, len(m.Spec().Latents)),
		Start: m.Start, Step: m.Step, LogLikelihood: m.LogLikelihood, Starts: m.Starts, Successors: m.Successors}
	m.Prior(f.Prior)
	if l, ok := m.(bcpace.StartLikelihood); ok {
		f.StartLogLikelihood = l.StartLogLikelihood
	}
	if d, ok := m.(bcpace.LatentDynamics); ok {
		f.LatentKind, f.LatentTransition = d.LatentKind(), d.LatentTransition
	}
	return f
}

func TestFromFuncs(t *testing.T) {
	for name, e := range map[string]bcpace.Enumerator{
		"tiger": envs.Tiger{}, "chain": envs.Chain{}, "dark from the light": envs.LightDarkTiger{StartAt: []float64{0, 1}},
		"dark": envs.LightDarkTiger{Sigma: 0.2},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := bcpace.FromFuncs(funcsOf(e))
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := m.(bcpace.Enumerator); !ok {
				t.Error("it is no Enumerator, though Successors is set")
			}
			if bcpace.KindOf(m) != bcpace.KindOf(e) {
				t.Errorf("its latent is %v, want %v", bcpace.KindOf(m), bcpace.KindOf(e))
			}
			envtest.Run(t, m)
		})
	}
	f := funcsOf(envs.Chain{})
	f.Starts, f.Successors = nil, nil
	m, err := bcpace.FromFuncs(f)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := m.(bcpace.Enumerator); ok {
		t.Error("it is an Enumerator, though Successors is not set")
	}
	envtest.Run(t, m)

	f = funcsOf(envs.Chain{})
	f.Start, f.Starts, f.Prior = nil, nil, nil
	if m, err = bcpace.FromFuncs(f); err != nil {
		t.Fatal(err)
	}
	envtest.Run(t, m)
}

func TestFromFuncsErrors(t *testing.T) {
	for words, spoil := range map[string]func(*bcpace.Funcs){
		`Spec.Name is ""`:          func(f *bcpace.Funcs) { f.Spec.Name = "" },
		"Step is nil":              func(f *bcpace.Funcs) { f.Step = nil },
		"LogLikelihood is nil":     func(f *bcpace.Funcs) { f.LogLikelihood = nil },
		"Successors is nil":        func(f *bcpace.Funcs) { f.Successors = nil },
		"Starts is nil":            func(f *bcpace.Funcs) { f.Starts = nil },
		"LatentTransition is nil":  func(f *bcpace.Funcs) { f.LatentTransition = nil },
		"Lipschitz is {R:-1 P:0}":  func(f *bcpace.Funcs) { f.Lipschitz = &bcpace.Lipschitz{R: -1} },
		"Lipschitz is {R:0 P:NaN}": func(f *bcpace.Funcs) { f.Lipschitz = &bcpace.Lipschitz{P: math.NaN()} },
		"Prior is [1]":             func(f *bcpace.Funcs) { f.Prior = bcpace.Belief{1} },
		"Prior is [0.5 0.6], want": func(f *bcpace.Funcs) { f.Prior = bcpace.Belief{0.5, 0.6} },
	} {
		f := funcsOf(envs.Tiger{})
		spoil(&f)
		_, err := bcpace.FromFuncs(f)
		var input *bcpace.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), words) {
			t.Errorf("got error %v\nwant an *InputError that says %q", err, words)
		}
	}
}
