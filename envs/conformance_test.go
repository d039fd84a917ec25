package envs_test

import (
	"testing"

	"bayescpace/bcpace"
	"bayescpace/envs"
	"bayescpace/envs/envtest"
)

func TestConformance(t *testing.T) {
	for name, m := range map[string]bcpace.Model{
		"tiger":                   envs.Tiger{},
		"tiger that ends":         envs.Tiger{Ends: true, Discount: 0.9},
		"tiger heard without err": envs.Tiger{Accuracy: 1},
		"tiger heard wrongly":     envs.Tiger{Accuracy: 0.1},
		"chain":                   envs.Chain{},
		"chain, intended":         envs.Chain{Intended: true},
		"chain of two":            envs.Chain{Length: 2, Slips: []float64{0.3}},
		"chain, certain slips":    envs.Chain{Length: 9, Slips: []float64{0, 1, 0.5}, SlipPrior: []float64{0.5, 0.5, 0}},
		"chain without slips":     envs.Chain{Slips: []float64{0}},
		"dark":                    envs.LightDarkTiger{},
		"dark 9x9":                envs.LightDarkTiger{Width: 9, Height: 9},
		"dark 2x2":                envs.LightDarkTiger{Width: 2, Height: 2, StartAt: []float64{0, 1}},
		"dark from the light":     envs.LightDarkTiger{StartAt: []float64{0, 2}},
		"dark even":               envs.LightDarkTiger{Width: 4, Height: 6},
		"dark 0.01":               envs.LightDarkTiger{Sigma: 0.01},
		"dark 0.1, 9x9":           envs.LightDarkTiger{Sigma: 0.1, Width: 9, Height: 9, Nodes: 3},
		"dark 0.5, from light":    envs.LightDarkTiger{Sigma: 0.5, StartAt: []float64{0, 1.5}, Nodes: 10},
		"dark 10, 3x2":            envs.LightDarkTiger{Sigma: 10, Width: 3, Height: 2, StartAt: []float64{1, 0.5}, Nodes: 64},
		"dark, any heading":       envs.LightDarkTiger{AnyHeading: true},
		"dark 0.1, any heading":   envs.LightDarkTiger{AnyHeading: true, Sigma: 0.1, Nodes: 3},
		"dual control":            made(t, envs.DualControl{}),
		"pendulum":                made(t, envs.Pendulum{}),
		"cart-pole":               made(t, envs.CartPole{}),
		"double integrator":       made(t, envs.DoubleIntegrator{}),
		"peg":                     made(t, envs.Peg{}),
		"mountain car":            made(t, envs.MountainCar{Powers: []float64{1, -1}}),
		"dual control, 3 gains":   made(t, envs.DualControl{Gains: []float64{1, -0.5, 0.2}, Sigma: 0.3, Nodes: 7}),
		"tag":                     envs.Tag{},
		"tag, discount 0.5":       envs.Tag{Discount: 0.5},
		"lasertag":                made(t, envs.LaserTag{}),
		"lasertag, map 2":         made(t, envs.LaserTag{Map: 2, Discount: 0.5}),
		"beacon":                  made(t, envs.Beacon{}),
		"beacon 2x2":              made(t, envs.Beacon{Side: 2, Range: 0.1}),
		"beacon 32x32":            made(t, envs.Beacon{Side: 32, Range: 8, Discount: 0.99}),
		"rocksample (4, 4)":       made(t, envs.RockSample{Size: 4, Rocks: 4}),
		"rocksample (5, 1)":       made(t, envs.RockSample{Size: 5, Rocks: 1, Discount: 0.9}),
		"rocksample (7, 8)":       made(t, envs.RockSample{}),
		"rocksample (4, 10)":      made(t, envs.RockSample{Size: 4, Rocks: 10}), // more rocks than a tour has
		"battery":                 made(t, envs.Battery{}),
		"battery, sure gauge":     made(t, envs.Battery{Capacity: 2, Cells: 3, Accuracy: 1}),
		"wear":                    made(t, envs.Wear{}),
		"wear, 100 grades":        made(t, envs.Wear{Grades: 100, Discount: 0.9}),
		"patrol":                  made(t, envs.Patrol{}),
		"patrol, 200 phases":      made(t, envs.Patrol{Phases: 200, Side: 4, Round: 2}),
		"treatment":               made(t, envs.Treatment{}),
		"treatment, four kinds":   made(t, envs.Treatment{Sensitivities: []float64{0, 0.1, 2, 30}, Nodes: 5}),
		"bandit":                  envs.Bandit{},
		"bandit of three arms":    envs.Bandit{Arms: [][]float64{{0, 0.5, 1}, {0.3, 0.2, 0.1}}},
		"double-loop":             made(t, envs.DoubleLoop{}),
		"grid5":                   made(t, envs.Goal{}),
		"grid10, sparse":          made(t, envs.Goal{Side: 10, Sparse: true, Discount: 0.9}),
		"maze":                    made(t, envs.Maze{Sparse: true}),
		"dark 1e-6":               envs.LightDarkTiger{Sigma: 1e-6, Width: 10000, Height: 10000, StartAt: []float64{9998.2, 9998.2}},
	} {
		t.Run(name, func(t *testing.T) { envtest.Run(t, m) })
	}
}

// made returns the model of an environment.
func made[M bcpace.Model](t *testing.T, env interface{ Model() (M, error) }) bcpace.Model {
	t.Helper()
	m, err := env.Model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestUpgrades pins which algorithms a model admits.
func TestUpgrades(t *testing.T) {
	for _, x := range []struct {
		m      bcpace.Model
		finite bool
		kind   bcpace.LatentKind
	}{
		{envs.Tiger{}, true, bcpace.Redrawn},
		{envs.Tiger{Ends: true}, true, bcpace.Static},
		{envs.Chain{}, true, bcpace.Static},
		{envs.LightDarkTiger{}, true, bcpace.Static},
		{envs.LightDarkTiger{Sigma: 0.1}, false, bcpace.Static},
		{envs.Tag{}, true, bcpace.Redrawn},
		{made(t, envs.LaserTag{}), false, bcpace.Redrawn},
		{made(t, envs.Beacon{}), true, bcpace.Static},
		{made(t, envs.RockSample{}), true, bcpace.Deterministic},
		{made(t, envs.Battery{}), true, bcpace.Deterministic},
		{made(t, envs.Wear{}), true, bcpace.Redrawn},
		{made(t, envs.Patrol{}), true, bcpace.Deterministic},
		{made(t, envs.Treatment{}), false, bcpace.Static},
	} {
		if _, ok := bcpace.AsFinite(x.m); ok != x.finite {
			t.Errorf("%#v: finite is %t, want %t", x.m, ok, x.finite)
		}
		if k := bcpace.KindOf(x.m); k != x.kind {
			t.Errorf("%#v: latent is %v, want %v", x.m, k, x.kind)
		}
	}
}
