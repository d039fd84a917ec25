package frame_test

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/frame"
	"bayescpace/bcpace/hidden"
)

func TestHiddenEpisode(t *testing.T) {
	spec := hidden.Spec{
		Spec:   bcpace.Spec{Name: "target", Axes: []bcpace.Axis{{Name: "heard", Labels: []string{"no", "yes"}, Max: 1}}, Actions: []bcpace.Action{{Name: "wait"}, {Name: "go", Box: []bcpace.Axis{{Name: "speed", Max: 2}}}}},
		Hidden: []bcpace.Axis{{Name: "x", Max: 9}},
	}
	fast, err := spec.ActionID(1, []float64{2})
	if err != nil {
		t.Fatal(err)
	}
	steps := []hidden.Step{
		{State: []float64{0}, Hidden: []float64{3.5}, Action: 0, Reward: -1, Mean: []float64{4}, Variance: []float64{9}, EffectiveSize: 50},
		{State: []float64{1}, Hidden: []float64{4}, Action: fast, Reward: 2, Mean: []float64{4.25}, Variance: []float64{0.25}, EffectiveSize: math.NaN()},
	}
	df := frame.HiddenEpisode(spec, steps)
	if df.Err != nil {
		t.Fatal(df.Err)
	}
	want := [][]string{
		{"step", "heard", "x (hidden)", "mean(x)", "deviation(x)", "effective size", "action", "speed", "reward"},
		{"0", "no", "3.500000", "4.000000", "3.000000", "50.000000", "wait", "NaN", "-1.000000"},
		{"1", "yes", "4.000000", "4.250000", "0.500000", "NaN", "go", "2.000000", "2.000000"},
	}
	if got := df.Records(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	steps[1].Hidden = nil
	if err := frame.HiddenEpisode(spec, steps).Err; !errors.As(err, new(*bcpace.InputError)) {
		t.Errorf("error %v, want an InputError", err)
	}
}
