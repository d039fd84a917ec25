package envs_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"sync"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/envs"
)

func ExampleNew() {
	m, err := envs.New("chain", []bcpace.Param{{Key: "length", Value: "7"}, {Key: "slips", Value: "0.1, 0.9"}})
	fmt.Println(m.Spec().Latents, err)
	_, err = envs.New("chain", []bcpace.Param{{Key: "lenght", Value: "7"}})
	fmt.Println(err)
	// Output:
	// [slip 0.1 slip 0.9] <nil>
	// environment "chain": parameter is "lenght", want one of length, slips, prior, discount, reward; did you mean "length"?
}

// TestRoundTrip makes each environment again from its Spec.
func TestRoundTrip(t *testing.T) {
	for _, m := range []bcpace.Model{
		envs.Tiger{}, envs.Tiger{Accuracy: 0.1 + 0.2, Discount: 1.0 / 3, Ends: true},
		envs.Chain{}, envs.Chain{Length: 7, Slips: []float64{1.0 / 3, 0}, SlipPrior: []float64{0.1, 0.9}, Discount: 0.5, Intended: true},
		envs.LightDarkTiger{}, envs.LightDarkTiger{Width: 9, Height: 4, StartAt: []float64{math.Pi, 0}, Sigma: 0.1, Nodes: 7, Discount: 0.9},
		envs.Tag{}, envs.Tag{Discount: 0.3}, made(t, envs.RockSample{Size: 6, Rocks: 3, Discount: 0.9}),
		made(t, envs.LaserTag{Map: 4}), made(t, envs.Beacon{Side: 5, Range: 1.0 / 3}),
	} {
		spec := m.Spec()
		again, err := envs.New(spec.Name, spec.Params)
		if err != nil {
			t.Errorf("%#v: %v", m, err)
			continue
		}
		if got := again.Spec(); !reflect.DeepEqual(got, spec) {
			t.Errorf("made again, %#v describes itself as\n%+v, want\n%+v", m, got, spec)
		}
		third, err := envs.New(spec.Name, again.Spec().Params)
		if err != nil || !reflect.DeepEqual(third, again) {
			t.Errorf("made a third time, %#v became %#v (error %v)", again, third, err)
		}
		if !reflect.DeepEqual(starts(m), starts(again)) {
			t.Errorf("%#v: the start differs", m)
		}
	}
}

// TestNoLatents: an empty list of latents is an error of each environment that takes a list.
func TestNoLatents(t *testing.T) {
	for name, model := range map[string]func() (bcpace.Enumerator, error){
		"gains": envs.DualControl{Gains: []float64{}}.Model, "masses": envs.Pendulum{Masses: []float64{}}.Model, "powers": envs.MountainCar{Powers: []float64{}}.Model,
		"lengths": envs.CartPole{Lengths: []float64{}}.Model, "sensitivities": envs.Treatment{Sensitivities: []float64{}}.Model,
	} {
		_, err := model()
		wantInputError(t, err, name+" is empty")
	}
}

// TestLatentKey makes environments whose list of latents is given by the name of one.
func TestLatentKey(t *testing.T) {
	n := 0
	for _, e := range envs.List() {
		if e.Latents == "" {
			continue
		}
		n++
		var specs [2]bcpace.Spec
		for i, key := range []string{e.Latents, e.Latent} {
			m, err := envs.New(e.Name, []bcpace.Param{{Key: key, Value: "0.4,0.5,0.6,0.7"}})
			if err != nil {
				t.Fatal(err)
			}
			specs[i] = m.Spec()
		}
		if len(specs[0].Latents) != 4 || !reflect.DeepEqual(specs[0], specs[1]) {
			t.Errorf("%s: %d latents by %s, want 4 by either name", e.Name, len(specs[1].Latents), e.Latent)
		}
		if _, err := envs.New(e.Name, []bcpace.Param{{Key: e.Latents, Value: "0.4"}, {Key: e.Latent, Value: "0.5"}}); err == nil {
			t.Errorf("%s: no error for %s and %s", e.Name, e.Latents, e.Latent)
		}
	}
	if n == 0 {
		t.Error("no environment lists latents")
	}
}

func starts(m bcpace.Model) (z bcpace.Successors) {
	z.Reset(len(m.Spec().Axes), len(m.Spec().Latents))
	if e, ok := m.(bcpace.Enumerator); ok {
		e.Starts(&z)
	}
	return z
}

// TestList expects the list to tell the truth about keys and defaults.
func TestList(t *testing.T) {
	for _, info := range envs.List() {
		m, err := envs.New(info.Name, nil)
		if err != nil {
			t.Fatal(err)
		}
		spec := m.Spec()
		if spec.Name != info.Name || info.Doc == "" {
			t.Errorf("%q describes itself as %q", info.Name, spec.Name)
		}
		var params []bcpace.Param
		for _, p := range info.Params {
			if p.Doc == "" || p.Want == "" {
				t.Errorf("%s: parameter %s has no doc", info.Name, p.Key)
			}
			params = append(params, bcpace.Param{Key: p.Key, Value: p.Default})
		}
		// Parameters that came later are left out where they have their default, since run
		// files from before name the others alone.
		if n := len(spec.Params); !reflect.DeepEqual(params[:n], spec.Params) {
			t.Errorf("%s: listed parameters %v, the default's own %v", info.Name, params, spec.Params)
		}
		if again, err := envs.New(info.Name, params); err != nil || !reflect.DeepEqual(again.Spec(), spec) {
			t.Errorf("%s: the listed defaults %v make another model (%v)", info.Name, params, err)
		}
	}
	for name, zero := range map[string]bcpace.Model{"tiger": envs.Tiger{}, "chain": envs.Chain{}, "light-dark-tiger": envs.LightDarkTiger{}} {
		if m, err := envs.New(name, nil); err != nil || !reflect.DeepEqual(m.Spec(), zero.Spec()) {
			t.Errorf("%s: the defaults are not those of the zero value (error %v)", name, err)
		}
	}
}

func TestNewErrors(t *testing.T) {
	for _, x := range []struct{ name, key, value, words string }{
		{"tigre", "", "", `environment is "tigre", want one of tiger, chain, light-dark-tiger, dual-control, pendulum, mountain-car, peg, cart-pole, double-integrator, rocksample, tag, lasertag, beacon`},
		{"tiger", "", "1", `parameter is "", want one of accuracy, discount, reset`},
		{"tiger", "accuracy", "high", `accuracy is "high", want a probability in (0, 1]`},
		{"tiger", "accuracy", "0", `accuracy is "0", want a probability in (0, 1]`},
		{"tiger", "accuracy", "1.5", `accuracy is 1.5, want a probability in (0, 1]`},
		{"tiger", "accuracy", "NaN", `accuracy is "NaN"`},
		{"tiger", "discount", "0", `discount is "0", want a value in (0, 1)`},
		{"tiger", "discount", "1", `discount is 1, want a value in (0, 1)`},
		{"tiger", "reset", "yes", `reset is "yes", want true or false`},
		{"chain", "length", "0", `length is "0"`},
		{"chain", "length", "5.5", `length is "5.5"`},
		{"chain", "length", "99999999999999999999", `length is "99999999999999999999"`},
		{"chain", "slips", "", `slips is "", want different probabilities`},
		{"chain", "slips", "0.2,,0.5", `slips is "0.2,,0.5"`},
		{"chain", "slips", "0.2,2", `slips is 2, want probabilities`},
		{"chain", "prior", "1", `prior is 1 numbers, want 3`},
		{"chain", "reward", "both", `reward is "both", want executed or intended`},
		{"light-dark-tiger", "start", "2", `start is 1 numbers, want two, x and y`},
		{"light-dark-tiger", "start", "a,b", `start is "a,b", want centre, or x,y`},
		{"light-dark-tiger", "start", "4,0", `start is 4,0, want a place outside the goals`},
		{"light-dark-tiger", "sigma", "Inf", `sigma is "Inf"`},
		{"light-dark-tiger", "nodes", "0", `nodes is "0"`},
		{"rocksample", "rocks", "0", `rocks is "0", want a number of rocks from 1 to 15`},
		{"rocksample", "rocks", "16", `rocks is 16, want a number of rocks from 1 to 15`},
		{"rocksample", "size", "1", `size is 1, want a number of cells from 2 to 50`},
		{"rocksample", "discount", "1", `discount is 1, want a value in (0, 1)`},
		{"lasertag", "map", "0", `map is "0", want the number of a map from 1 to 1000000`},
		{"lasertag", "map", "1000001", `map is 1000001, want the number of a map from 1 to 1000000`},
		{"lasertag", "discount", "1", `discount is 1, want a value in (0, 1)`},
		{"beacon", "side", "33", `side is 33, want a number of cells from 2 to 32`},
		{"beacon", "side", "1", `side is 1, want a number of cells from 2 to 32`},
		{"beacon", "range", "0.01", `range is 0.01, want a distance from 0.1 to 1000 cells`},
		{"beacon", "range", "0", `range is "0", want a distance from 0.1 to 1000 cells`},
		{"beacon", "discount", "1", `discount is 1, want a value in (0, 1)`},
		{"battery", "capacity", "1", `capacity is 1, want a number of units from 2 to 100`},
		{"battery", "cells", "0", `cells is "0", want a number of cells from 3 to 100`},
		{"battery", "accuracy", "2", `accuracy is 2, want a probability in (0, 1]`},
		{"wear", "grades", "1", `grades is 1, want a number of grades from 2 to 10000`},
		{"patrol", "phases", "1", `phases is 1, want a number of steps from 2 to 100000`},
		{"patrol", "side", "51", `side is 51, want a number of cells from 2 to 50`},
		{"patrol", "round", "1000001", `round is 1000001, want the number of a round from 1 to 1000000`},
		{"patrol", "discount", "1", `discount is 1, want a value in (0, 1)`},
		{"treatment", "sensitivities", "-1", `sensitivities is -1, want numbers from 0 to 1000`},
		{"treatment", "toxicity", "11", `toxicity is 11, want a number from 0 to 10`},
		{"tag", "discount", "1", `discount is 1, want a value in (0, 1)`},
	} {
		params := []bcpace.Param{{Key: x.key, Value: x.value}}
		if x.name == "tigre" {
			params = nil
		}
		_, err := envs.New(x.name, params)
		wantInputError(t, err, x.words)
	}
	_, err := envs.New("tiger", []bcpace.Param{{Key: "reset", Value: "true"}, {Key: "reset", Value: "false"}})
	wantInputError(t, err, "reset is given twice")
}

// FuzzNew expects of any text either an *InputError or a sound model that can
// be made again from its Spec.
func FuzzNew(f *testing.F) {
	for _, info := range envs.List() {
		for _, p := range info.Params {
			f.Add(info.Name, p.Key, p.Default)
		}
	}
	for _, value := range []string{"", "0", "-1", "NaN", "1e309", "0x1p-2", "1,2,3", ",", " 3 ", "1_0", "10000", "1e-400"} {
		f.Add("chain", "slips", value)
		f.Add("light-dark-tiger", "start", value)
		f.Add("light-dark-tiger", "sigma", value)
		f.Add("tiger", "accuracy", value)
	}
	var sound sync.Map
	f.Fuzz(func(t *testing.T, name, key, value string) {
		m, err := envs.New(name, []bcpace.Param{{Key: key, Value: value}})
		if err != nil {
			var input *bcpace.InputError
			if !errors.As(err, &input) || m != nil {
				t.Fatalf("error %v with model %v, want an *InputError alone", err, m)
			}
			return
		}
		if err := bcpace.Validate(m); err != nil {
			t.Fatal(err)
		}
		again, err := envs.New(name, m.Spec().Params)
		if err != nil || !reflect.DeepEqual(again.Spec(), m.Spec()) {
			t.Fatalf("%v cannot be made again: %v", m.Spec().Params, err)
		}
		made := fmt.Sprint(m.Spec().Name, m.Spec().Params)
		if _, known := sound.Load(made); known { // by another of its parameters
			return
		}
		if err := check.Model(m, check.Options{Episodes: 2, Steps: 10, Transitions: 5, Draws: 50}); err != nil {
			t.Fatal(err)
		}
		sound.Store(made, true)
	})
}
