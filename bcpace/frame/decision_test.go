package frame_test

import (
	"math"
	"reflect"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/frame"
)

func TestDecision(t *testing.T) {
	spec := bcpace.Spec{Actions: []bcpace.Action{{Name: "wait"}, {Name: "push", Box: []bcpace.Axis{{Name: "u", Min: -1, Max: 1}}}}}
	half, err := spec.ActionID(1, []float64{0.5})
	if err != nil {
		t.Fatal(err)
	}
	df := frame.Decision(spec, bcpace.Decision{Action: half, Actions: []int{0, half}, Q: []float64{math.NaN(), 2}, Visits: []int{0, 7}})
	if df.Err != nil {
		t.Fatal(df.Err)
	}
	want := [][]string{{"action", "u", "visits", "Q", "chosen"}, {"wait", "NaN", "0", "NaN", "false"}, {"push", "0.500000", "7", "2.000000", "true"}}
	if got := df.Records(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
