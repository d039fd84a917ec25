package family_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/family"
	"bayescpace/envs"

	"gonum.org/v1/gonum/stat/distuv"
)

// quick are options with which models are looked at briefly.
var quick = family.CheckOptions{Draws: 4000, Model: check.Options{Episodes: 5, Steps: 20, Transitions: 20, Draws: 500}}

// TestCheck passes sound families.
func TestCheck(t *testing.T) {
	for _, f := range []family.Family{
		bandit(distuv.Beta{Alpha: 2, Beta: 2}, 0.9), slips(between(0.1, 0.9)), masses(between(0.5, 2)), undense{bandit(between(0, 1), 0.9)},
		slips(family.PointMasses{Values: []float64{0.1, 0.5}, Weights: []float64{0.9, 0.1}}), broken{Parametric: bandit(between(0, 1), 0.9)},
	} {
		if err := family.Check(f, quick); err != nil {
			t.Error(err)
		}
	}
}

// broken is a family some of whose methods are replaced.
type broken struct {
	family.Parametric
	draw     func(θ []float64, rng *rand.Rand)
	quantile func(θ, u []float64)
	density  func(θ []float64) float64
	support  func() ([][]float64, []float64)
	model    func(thetas [][]float64) (bcpace.Model, error)
}

func (b broken) Draw(θ []float64, rng *rand.Rand) {
	if b.draw == nil {
		b.Parametric.Draw(θ, rng)
		return
	}
	b.draw(θ, rng)
}

func (b broken) Quantile(θ, u []float64) {
	if b.quantile == nil {
		b.Parametric.Quantile(θ, u)
		return
	}
	b.quantile(θ, u)
}

func (b broken) LogDensity(θ []float64) float64 {
	if b.density == nil {
		return b.Parametric.LogDensity(θ)
	}
	return b.density(θ)
}

func (b broken) Support() ([][]float64, []float64) {
	if b.support == nil {
		return b.Parametric.Support()
	}
	return b.support()
}

func (b broken) Model(thetas [][]float64) (bcpace.Model, error) {
	if b.model == nil {
		return b.Parametric.Model(thetas)
	}
	return b.model(thetas)
}

// TestCheckFinds makes a mistake of each kind.
func TestCheckFinds(t *testing.T) {
	f := slips(between(0.1, 0.9))
	list := slips(family.PointMasses{Values: []float64{0.1, 0.5}})
	for want, f := range map[string]family.Family{
		`set parameter "slip" to NaN`:        broken{Parametric: f, draw: func([]float64, *rand.Rand) {}},
		`set parameter "slip" to 1.5`:        broken{Parametric: f, draw: func(θ []float64, _ *rand.Rand) { θ[0] = 1.5 }},
		"from equal random numbers":          broken{Parametric: f, draw: func(θ []float64, _ *rand.Rand) { θ[0] = rand.Float64() }},
		"want the same distribution":         broken{Parametric: f, quantile: func(θ, u []float64) { θ[0] = 0.1 + 0.8*u[0]*u[0] }},
		"Quantile set parameter":             broken{Parametric: f, quantile: func(θ, u []float64) { θ[0] = -u[0] }},
		"has the integral 1.7":               broken{Parametric: f, density: func(θ []float64) float64 { return f.LogDensity(θ) + math.Ln2 }},
		"LogDensity is -Inf at":              broken{Parametric: f, density: func([]float64) float64 { return math.Inf(-1) }},
		"which Support does not list":        broken{Parametric: f, support: func() ([][]float64, []float64) { return [][]float64{{0.1}}, []float64{1} }},
		"has the probability 0.1 in Support": broken{Parametric: list, support: func() ([][]float64, []float64) { return [][]float64{{0.1}, {0.5}}, []float64{0.1, 0.9} }},
		"a probability for each":             broken{Parametric: list, support: func() ([][]float64, []float64) { return [][]float64{{0.1}, {0.5}}, []float64{0.1} }},
		"in the list of θ turned round": broken{Parametric: f, model: func(thetas [][]float64) (bcpace.Model, error) {
			x := family.Column(thetas, 0)
			slices.Sort(x)
			return envs.Chain{Slips: x}, nil
		}},
		"in the list of θ without the": broken{Parametric: f, model: func(thetas [][]float64) (bcpace.Model, error) {
			x := family.Column(thetas, 0)
			most := slices.Max(x)
			for i := range x {
				x[i] /= most
			}
			return envs.Chain{Slips: x}, nil
		}},
		"want the same for all θ": broken{Parametric: f, model: func(thetas [][]float64) (bcpace.Model, error) {
			return paying{envs.Chain{Slips: family.Column(thetas, 0)}, 10 + float64(len(thetas))}, nil
		}},
		"one latent for each": broken{Parametric: f, model: func([][]float64) (bcpace.Model, error) { return envs.Chain{}, nil }},
	} {
		err := family.Check(f, quick)
		var conformance *bcpace.ConformanceError
		var input *bcpace.InputError
		if !errors.As(err, &conformance) && !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one about %q", err, want)
		}
	}
	var input *bcpace.InputError
	for _, o := range []family.CheckOptions{{Draws: 5}, {Latents: -1}} {
		if err := family.Check(f, o); !errors.As(err, &input) {
			t.Errorf("%+v: error %v", o, err)
		}
	}
	if err := family.Check(nil, quick); !errors.As(err, &input) {
		t.Errorf("no family: %v", err)
	}
}

// plane is a family of two entries that depend on each other: a point of the triangle below
// the diagonal.
type plane struct {
	family.Family
	log float64 // of the density
}

func (plane) Params() []family.Param {
	return []family.Param{{Name: "x", Max: 1}, {Name: "y", Max: 1}}
}

func (plane) Draw(θ []float64, rng *rand.Rand) {
	a, b := rng.Float64(), rng.Float64()
	θ[0], θ[1] = max(a, b), min(a, b)
}

func (p plane) LogDensity(θ []float64) float64 {
	if θ[1] > θ[0] {
		return math.Inf(-1)
	}
	return p.log
}

// Model is that of chains that slip with probability x.
func (plane) Model(thetas [][]float64) (bcpace.Model, error) {
	return envs.Chain{Slips: family.Column(thetas, 0)}, nil
}

// TestCheckPlane integrates a density in the plane.
func TestCheckPlane(t *testing.T) {
	if err := family.Check(plane{log: math.Ln2}, quick); err != nil {
		t.Error(err)
	}
	if err := family.Check(plane{log: 0}, quick); err == nil || !strings.Contains(err.Error(), "LogDensity has the integral 0.4") {
		t.Errorf("half a density: %v", err)
	}
}
