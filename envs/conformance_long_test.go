//go:build long

package envs_test

import (
	"maps"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/envs"
)

// TestConformance has further models of the environments.
func TestConformance(t *testing.T) {
	models := someModels(t)
	maps.Copy(models, map[string]bcpace.Model{
		"tiger that ends":         envs.Tiger{Ends: true, Discount: 0.9},
		"tiger heard without err": envs.Tiger{Accuracy: 1},
		"tiger heard wrongly":     envs.Tiger{Accuracy: 0.1},
		"chain, intended":         envs.Chain{Intended: true},
		"chain of two":            envs.Chain{Length: 2, Slips: []float64{0.3}},
		"chain, certain slips":    envs.Chain{Length: 9, Slips: []float64{0, 1, 0.5}, SlipPrior: []float64{0.5, 0.5, 0}},
		"chain without slips":     envs.Chain{Slips: []float64{0}},
		"dark 9x9":                envs.LightDarkTiger{Width: 9, Height: 9},
		"dark 2x2":                envs.LightDarkTiger{Width: 2, Height: 2, StartAt: []float64{0, 1}},
		"dark from the light":     envs.LightDarkTiger{StartAt: []float64{0, 2}},
		"dark even":               envs.LightDarkTiger{Width: 4, Height: 6},
		"dark 0.1, 9x9":           envs.LightDarkTiger{Sigma: 0.1, Width: 9, Height: 9, Nodes: 3},
		"dark 0.5, from light":    envs.LightDarkTiger{Sigma: 0.5, StartAt: []float64{0, 1.5}, Nodes: 10},
		"dark 10, 3x2":            envs.LightDarkTiger{Sigma: 10, Width: 3, Height: 2, StartAt: []float64{1, 0.5}, Nodes: 64},
		"dark 0.1, any heading":   envs.LightDarkTiger{AnyHeading: true, Sigma: 0.1, Nodes: 3},
		"dual control, 2 axes":    made(t, envs.DualControl{Axes: 2, Sigma: 1, Nodes: 3}),
		"dual control, 3 gains":   made(t, envs.DualControl{Gains: []float64{1, -0.5, 0.2}, Sigma: 0.3, Nodes: 7}),
		"tag, discount 0.5":       envs.Tag{Discount: 0.5},
		"lasertag, map 2":         made(t, envs.LaserTag{Map: 2, Discount: 0.5}),
		"beacon 2x2":              made(t, envs.Beacon{Side: 2, Range: 0.1}),
		"beacon 32x32":            made(t, envs.Beacon{Side: 32, Range: 8, Discount: 0.99}),
		"rocksample (4, 4)":       made(t, envs.RockSample{Size: 4, Rocks: 4}),
		"rocksample (5, 1)":       made(t, envs.RockSample{Size: 5, Rocks: 1, Discount: 0.9}),
		"rocksample (4, 10)":      made(t, envs.RockSample{Size: 4, Rocks: 10}), // more rocks than a tour has
		"battery, sure gauge":     made(t, envs.Battery{Capacity: 2, Cells: 3, Accuracy: 1}),
		"wear, 100 grades":        made(t, envs.Wear{Grades: 100, Discount: 0.9}),
		"patrol, 200 phases":      made(t, envs.Patrol{Phases: 200, Side: 4, Round: 2}),
		"treatment, four kinds":   made(t, envs.Treatment{Sensitivities: []float64{0, 0.1, 2, 30}, Nodes: 5}),
		"bandit of three arms":    envs.Bandit{Arms: [][]float64{{0, 0.5, 1}, {0.3, 0.2, 0.1}}},
		"grid10, sparse":          made(t, envs.Goal{Side: 10, Sparse: true, Discount: 0.9}),
		"dark 1e-6":               envs.LightDarkTiger{Sigma: 1e-6, Width: 10000, Height: 10000, StartAt: []float64{9998.2, 9998.2}},
	})
	conform(t, models)
}
