package family_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/family"
	"bayescpace/envs"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestSampledFinite compares a family whose prior is a list to the model of the list: the same
// values and the same bracket.
//
//test:race
func TestSampledFinite(t *testing.T) {
	slip, prior := []float64{0.2, 0.5, 0.8}, []float64{0.5, 0.2, 0.3}
	for _, prior := range [][]float64{prior, nil} {
		f := slips(family.PointMasses{Values: slip, Weights: prior})
		m, err := family.Sampled(f, 10, 1)
		if err != nil {
			t.Fatal(err)
		}
		direct := envs.Chain{Slips: slip, SlipPrior: prior, Discount: 0.9}
		var values [2]eval.ExactValue
		var bracket [2]bcpace.Certificate
		for i, m := range []bcpace.Model{m, direct} {
			if values[i], err = eval.Optimal(t.Context(), m, eval.ExactOptions{Horizon: 8}); err != nil {
				t.Fatal(err)
			}
			s, err := certified.Solver{Epsilon: 0.01}.Solve(t.Context(), m, bcpace.Control{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			bracket[i] = s.Certificate
		}
		if math.Abs(values[0].Value-values[1].Value) > 1e-9 || bracket[0] != bracket[1] {
			t.Errorf("prior %v: value %v and bracket %+v, want %v and %+v", prior, values[0].Value, bracket[0], values[1].Value, bracket[1])
		}
	}
}

// TestSampled looks at models of draws: equal draws make one latent, the model is that of the
// family with all it can, and it conforms.
func TestSampled(t *testing.T) {
	many := slips(family.PointMasses{Values: []float64{0.1, 0.3, 0.7}, Weights: []float64{0.8, 0.1, 0.1}})
	m, err := family.Sampled(many, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	spec := m.Spec()
	b := make(bcpace.Belief, len(spec.Latents))
	if m.Prior(b); len(b) > 2 || b.Validate() != nil {
		t.Errorf("prior %v of latents %v", b, spec.Latents)
	}
	for _, c := range []struct {
		f      family.Family
		finite bool
	}{{slips(between(0.1, 0.9)), true}, {bandit(distuv.Beta{Alpha: 2, Beta: 2}, 0.9), true}, {masses(between(0.5, 2)), false}} {
		m, err := family.Sampled(c.f, 4, 5)
		if err != nil {
			t.Fatal(err)
		}
		if _, finite := bcpace.AsFinite(m); finite != c.finite {
			t.Errorf("model %s is finite: %v", m.Spec().Name, finite)
		}
		if finer := bcpace.AbilitiesOf(m).FinerList != nil; finer == c.finite {
			t.Errorf("model %s has finer lists: %v", m.Spec().Name, finer)
		}
		if err := check.Model(m, check.Options{Episodes: 5, Steps: 20, Transitions: 20, Draws: 500}); err != nil {
			t.Error(err)
		}
	}
	var input *bcpace.InputError
	for want, f := range map[string]func() (bcpace.Model, error){
		"a number from 1": func() (bcpace.Model, error) { return family.Sampled(many, 0, 1) },
		"want a Family":   func() (bcpace.Model, error) { return family.Sampled(nil, 1, 1) },
		"such as a Trunc": func() (bcpace.Model, error) { return family.Sampled(slips(distuv.UnitNormal), 1, 1) },
		`or "shifted"`:    func() (bcpace.Model, error) { return family.Sampling{Draws: 1, Design: "even"}.Model(many) },
		"no Quantile": func() (bcpace.Model, error) {
			return family.Sampling{Draws: 1, Design: family.Shifted}.Model(struct{ family.Family }{many})
		},
		"one latent for": func() (bcpace.Model, error) {
			f := slips(between(0, 1))
			f.Build = func([][]float64) (bcpace.Model, error) { return envs.Chain{}, nil }
			return family.Sampled(f, 2, 1)
		},
		"static": func() (bcpace.Model, error) {
			f := slips(between(0, 1))
			f.Build = func([][]float64) (bcpace.Model, error) { return envs.Tiger{}, nil }
			return family.Sampled(f, 2, 1)
		},
		"the same for each": func() (bcpace.Model, error) {
			f := slips(between(0, 1))
			f.Build = func([][]float64) (bcpace.Model, error) { return envs.Chain{SlipPrior: []float64{0.5, 0.25, 0.25}}, nil }
			return family.Sampled(f, 3, 1)
		},
	} {
		if _, err := f(); !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one about %q", err, want)
		}
	}
}

// sound is a family that is known to be valid, so that its prior is not integrated for every
// set of draws.
type sound struct{ family.Parametric }

// Validate implements bcpace.Validator.
func (sound) Validate() error { return nil }

// TestDesigns compares the draws of every design with the prior: each single draw has its
// distribution, the n draws of a Latin hypercube lie in different strata, and the points of
// Halton's sequence differ by what they differ by without the shift.
func TestDesigns(t *testing.T) {
	f := bandit(nil, 0.9)
	gamma := distuv.Gamma{Alpha: 2, Beta: 3}
	f.Entries = []family.Param{{Name: "a", Prior: between(-1, 1)}, {Name: "b", Prior: gamma}}
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	const n, sets = 8, 1500
	for _, d := range []family.Design{family.Independent, family.Stratified, family.Shifted} {
		first := make([][]float64, 2) // by entry: those of the first draw, over all sets
		for seed := range uint64(sets) {
			thetas, err := family.Sampling{Draws: n, Design: d, Seed: seed}.Thetas(sound{f})
			if err != nil {
				t.Fatal(err)
			}
			u := make([][]float64, 2)
			for _, θ := range thetas {
				u[0], u[1] = append(u[0], (θ[0]+1)/2), append(u[1], gamma.CDF(θ[1]))
			}
			for j, u := range u {
				first[j] = append(first[j], u[seed%n])
				switch d {
				case family.Stratified:
					strata := make([]int, n)
					for i, x := range u {
						strata[i] = int(x * n)
					}
					slices.Sort(strata)
					if want := []int{0, 1, 2, 3, 4, 5, 6, 7}; !slices.Equal(strata, want) {
						t.Fatalf("seed %d: strata %v", seed, strata)
					}
				case family.Shifted:
					third := []float64{1. / 2, 1. / 3}[j] // of the base's first digit
					if _, gap := math.Modf(u[1] - u[0] + 1); math.Abs(gap-third) > 1e-6 {
						t.Fatalf("seed %d: the second point of entry %d is %v from the first, want %v", seed, j, gap, third)
					}
				}
			}
		}
		for j, u := range first {
			slices.Sort(u)
			// Of the largest difference of a distribution function, by Massart (1990): larger
			// with probability 1e-9 at most.
			limit := math.Sqrt(math.Log(2/1e-9) / (2 * sets))
			for i, x := range u {
				if off := max(x-float64(i)/sets, float64(i+1)/sets-x); off > limit {
					t.Fatalf("design %s, entry %d: the distribution of a draw is off by %v", d, j, off)
				}
			}
		}
	}
}

// TestNested compares few draws with many of the same seed.
func TestNested(t *testing.T) {
	f := bandit(between(0, 1), 0.9)
	few, err := family.Sampling{Draws: 5, Seed: 7}.Thetas(f)
	if err != nil {
		t.Fatal(err)
	}
	many, err := family.Sampling{Draws: 50, Seed: 7}.Thetas(f)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(few, many[:5], slices.Equal) {
		t.Errorf("%v, and of more draws %v", few, many[:5])
	}
	other, err := family.Sampling{Draws: 5, Seed: 8}.Thetas(f)
	if err != nil {
		t.Fatal(err)
	}
	if slices.EqualFunc(few, other, slices.Equal) {
		t.Error("two seeds make the same draws")
	}
	θ := []float64{0}
	if f.Draw(θ, rand.New(rand.NewPCG(7, 0))); θ[0] != few[0][0] {
		t.Errorf("the first draw is %v, want %v", few[0], θ)
	}
}
