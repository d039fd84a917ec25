package viz

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
)

// twoClouds are particles before and after a reading of how far a target is.
func twoClouds() BeliefPoints {
	rng := rand.New(rand.NewPCG(7, 8))
	v := BeliefPoints{
		Title: "Where the target is", Subtitle: "600 particles; the agent hears how far the target is from (0, 0)",
		X: bcpace.Axis{Name: "east", Unit: "m", Min: -5, Max: 5}, Y: bcpace.Axis{Name: "north", Unit: "m", Min: -5, Max: 5},
		Beliefs: []WeightedCloud{{Label: "before", True: []float64{2, 1}}, {Label: "after the reading"}},
	}
	for range 600 {
		x, y := 1.6*rng.NormFloat64(), 1.6*rng.NormFloat64()
		off := (math.Hypot(x, y) - math.Hypot(2, 1)) / 0.2
		for i := range v.Beliefs {
			v.Beliefs[i].X, v.Beliefs[i].Y = append(v.Beliefs[i].X, x), append(v.Beliefs[i].Y, y)
		}
		v.Beliefs[1].Weight = append(v.Beliefs[1].Weight, math.Exp(-off*off/2))
	}
	return v
}

// positionQuantiles is a belief that narrows as the agent comes to a light.
func positionQuantiles() BeliefQuantiles {
	v := BeliefQuantiles{Title: "Position on the way to the light and back", Axis: bcpace.Axis{Name: "position", Unit: "cell"}, Levels: []float64{0.05, 0.25, 0.5, 0.75, 0.95}}
	for t := range 16 {
		at := 2 + 10*math.Sin(float64(t)/5)
		σ := 0.3 + 2.7*math.Exp(-float64(t)/4)
		var q []float64
		for _, z := range []float64{-1.64, -0.67, 0, 0.67, 1.64} {
			q = append(q, at+0.6*math.Cos(float64(3*t))*σ+z*σ)
		}
		v.Quantiles, v.True = append(v.Quantiles, q), append(v.True, at)
	}
	return v
}

// TestBeliefErrors: what cannot be drawn is an error that says where.
func TestBeliefErrors(t *testing.T) {
	for want, change := range map[string]func(*BeliefPoints){
		"0 beliefs":    func(v *BeliefPoints) { v.Beliefs = nil },
		"0 points":     func(v *BeliefPoints) { v.Beliefs[0].X = nil },
		"and Y has 1":  func(v *BeliefPoints) { v.Beliefs[0].Y = []float64{1} },
		"is NaN":       func(v *BeliefPoints) { v.Beliefs[0].X[3] = math.NaN() },
		"Weight[0] is": func(v *BeliefPoints) { v.Beliefs[1].Weight[0] = -1 },
		"the sum of":   func(v *BeliefPoints) { clear(v.Beliefs[1].Weight) },
		"True has 1":   func(v *BeliefPoints) { v.Beliefs[0].True = []float64{1} },
		"True[0] is":   func(v *BeliefPoints) { v.Beliefs[0].True = []float64{math.Inf(1), 0} },
	} {
		v := twoClouds()
		change(&v)
		if _, err := v.Figure(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	for want, change := range map[string]func(*BeliefQuantiles){
		"0 Levels":           func(v *BeliefQuantiles) { v.Levels = nil },
		"Levels[1] is":       func(v *BeliefQuantiles) { v.Levels[1] = 0.01 },
		"0 steps":            func(v *BeliefQuantiles) { v.Quantiles = nil },
		"Quantiles has 4":    func(v *BeliefQuantiles) { v.Quantiles[2] = v.Quantiles[2][:4] },
		"step 1: quantile 1": func(v *BeliefQuantiles) { v.Quantiles[1][0] = 100 },
		"True has 2":         func(v *BeliefQuantiles) { v.True = v.True[:2] },
	} {
		v := positionQuantiles()
		change(&v)
		if _, err := v.Figure(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestBeliefNames draws both figures with every kind of name, and a belief of one point at one step.
func TestBeliefNames(t *testing.T) {
	for kind, s := range hostile {
		points, course := twoClouds(), positionQuantiles()
		points.Title, points.Subtitle, points.X.Name, points.Y.Unit, points.Beliefs[0].Label = s, s, s, s, s
		course.Title, course.Subtitle, course.Axis.Name, course.Axis.Unit = s, s, s, s
		for _, v := range []Chart{points, course} {
			checkMargins(t, kind, must(v.Figure()))
		}
	}
	checkMargins(t, "one point", must(BeliefPoints{Beliefs: []WeightedCloud{{X: []float64{3}, Y: []float64{-1e20}}}}.Figure()))
	checkMargins(t, "one step", must(BeliefQuantiles{Levels: []float64{0.5}, Quantiles: [][]float64{{1e20}}, True: []float64{-4}}.Figure()))
}
