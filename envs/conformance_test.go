package envs_test

import (
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/eval"
	"bayescpace/envs"
	"bayescpace/envs/envtest"
)

// TestConformanceOfSome has a model or two of every environment; TestConformance has all.
func TestConformanceOfSome(t *testing.T) {
	conform(t, someModels(t))
}

// TestGoroutines: goroutines call and play the models, whose contract TestConformanceOfSome checks with more draws.
//
//test:race
func TestGoroutines(t *testing.T) {
	for name, m := range someModels(t) {
		if err := check.Model(m, check.Options{Episodes: 2, Transitions: 5, Draws: 40}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := eval.Rollouts(t.Context(), m, bcpace.RandomPolicy(m), eval.Options{Episodes: 8, Horizon: 30, Workers: 4}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func conform(t *testing.T, models map[string]bcpace.Model) {
	for name, m := range models {
		t.Run(name, func(t *testing.T) { envtest.Run(t, m) })
	}
}

func someModels(t *testing.T) map[string]bcpace.Model {
	return map[string]bcpace.Model{
		"tiger":             envs.Tiger{},
		"chain":             envs.Chain{},
		"dark":              envs.LightDarkTiger{},
		"dark 0.01":         envs.LightDarkTiger{Sigma: 0.01},
		"dark, any heading": envs.LightDarkTiger{AnyHeading: true},
		"dual control":      made(t, envs.DualControl{}),
		"pendulum":          made(t, envs.Pendulum{}),
		"cart-pole":         made(t, envs.CartPole{}),
		"double integrator": made(t, envs.DoubleIntegrator{}),
		"mountain car":      made(t, envs.MountainCar{Powers: []float64{1, -1}}),
		"peg":               made(t, envs.Peg{}),
		"tag":               envs.Tag{},
		"lasertag":          made(t, envs.LaserTag{}),
		"beacon":            made(t, envs.Beacon{}),
		"rocksample (7, 8)": made(t, envs.RockSample{}),
		"battery":           made(t, envs.Battery{}),
		"wear":              made(t, envs.Wear{}),
		"patrol":            made(t, envs.Patrol{}),
		"treatment":         made(t, envs.Treatment{}),
		"bandit":            envs.Bandit{},
		"double-loop":       made(t, envs.DoubleLoop{}),
		"grid5":             made(t, envs.Goal{}),
		"maze":              made(t, envs.Maze{Sparse: true}),
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
