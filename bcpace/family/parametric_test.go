package family_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/family"

	"gonum.org/v1/gonum/stat/distuv"
)

func logs(p float64) float64 { return math.Log(p) }

// half is a distribution whose density has the integral ½.
type half struct{ distuv.Uniform }

func (h half) LogProb(x float64) float64 { return h.Uniform.LogProb(x) - math.Ln2 }

// shifted is a distribution whose quantiles are those of another one.
type shifted struct{ distuv.Normal }

func (s shifted) Quantile(p float64) float64 { return s.Normal.Quantile(p) + 0.1 }

// TestPriors validates families of one parameter with all kinds of priors.
func TestPriors(t *testing.T) {
	normal := distuv.Normal{Mu: 1, Sigma: 0.5}
	for _, c := range []struct {
		prior    family.Prior
		low      float64
		high     float64
		mistakes string // in the error; "" for none
	}{
		{distuv.Uniform{Min: 0.5, Max: 2}, 0, 10, ""},
		{normal, 0, 0, ""},
		{distuv.Beta{Alpha: 0.5, Beta: 0.5}, 0, 1, ""},
		{distuv.Beta{Alpha: 30, Beta: 2}, 0, 1, ""},
		{distuv.Gamma{Alpha: 2, Beta: 3}, 0, math.Inf(1), ""},
		{distuv.Gamma{Alpha: 0.3, Beta: 3}, 0, math.Inf(1), ""},
		{distuv.LogNormal{Mu: 0, Sigma: 1}, 0, math.Inf(1), ""},
		{distuv.StudentsT{Mu: 0, Sigma: 1, Nu: 3}, 0, 0, ""},
		{distuv.Exponential{Rate: 2}, 0, math.Inf(1), ""},
		{family.Truncated{Prior: normal, Min: 0.1, Max: 3}, 0.1, 3, ""},
		{family.Truncated{Prior: family.Truncated{Prior: normal, Min: 0.1, Max: 3}, Min: 0.2, Max: 1}, 0.1, 3, ""},
		{family.PointMasses{Values: []float64{3, 1}, Weights: []float64{0.25, 0.75}}, 1, 3, ""},
		{family.PointMasses{Values: []float64{3, 1}}, 1, 3, ""},

		{nil, 0, 0, "want a distribution"},
		{normal, 0, 5, "such as a Truncated"},
		{distuv.Uniform{Min: 0, Max: 2}, 0, 1, "want one on [0, 1]"},
		{half{distuv.Uniform{Min: 0, Max: 1}}, 0, 1, "a density with the integral 1"},
		{shifted{normal}, 0, 0, "agrees with Quantile"},
		{distuv.Uniform{Min: 1, Max: 1}, 0, 0, "Points is for a list"},
		{distuv.Normal{Mu: math.NaN(), Sigma: 1}, 0, 0, "Prior of parameter"},
		{distuv.Bernoulli{P: 0.5}, 0, 1, "Points is for a list"},
		{family.PointMasses{Values: []float64{3, 1}, Weights: []float64{0.25, 0.25}}, 1, 3, "probabilities that sum to 1"},
		{family.PointMasses{Values: []float64{3, 1}, Weights: []float64{1}}, 1, 3, "a weight for each value"},
		{family.PointMasses{Values: []float64{3, 3}}, 1, 3, "different values"},
		{family.PointMasses{Values: []float64{math.NaN()}}, 1, 3, "finite numbers"},
		{family.PointMasses{}, 1, 3, "at least one value"},
		{family.PointMasses{Values: []float64{4}}, 1, 3, "want one on [1, 3]"},
		{family.Truncated{Min: 0, Max: 1}, 0, 1, "with a Prior"},
		{family.Truncated{Prior: normal, Min: 1, Max: 0}, 0, 0, "the lower one stands first"},
		{family.Truncated{Prior: normal, Min: 80, Max: 90}, 0, 0, "more of the distribution"},
	} {
		f := bandit(c.prior, 0.9)
		f.Entries = []family.Param{{Name: "x", Min: c.low, Max: c.high, Prior: c.prior}}
		err := f.Validate()
		var input *bcpace.InputError
		switch {
		case c.mistakes == "" && err != nil:
			t.Errorf("%+v: %v", c.prior, err)
		case c.mistakes != "" && (!errors.As(err, &input) || !strings.Contains(err.Error(), c.mistakes)):
			t.Errorf("%+v: error %v, want one about %q", c.prior, err, c.mistakes)
		}
	}
}

// TestTruncated compares a cut normal distribution with its definition.
func TestTruncated(t *testing.T) {
	normal := distuv.Normal{Mu: 1, Sigma: 0.5}
	cut := family.Truncated{Prior: normal, Min: 0.2, Max: 1.1}
	within := normal.CDF(1.1) - normal.CDF(0.2)
	for _, p := range []float64{0, 0.1, 0.5, 0.9, 1} {
		x := cut.Quantile(p)
		if got := (normal.CDF(x) - normal.CDF(0.2)) / within; math.Abs(got-p) > 1e-9 || math.Abs(cut.CDF(x)-p) > 1e-9 {
			t.Errorf("quantile of %v is %v, of probability %v and CDF %v", p, x, got, cut.CDF(x))
		}
	}
	if got, want := cut.LogProb(0.7), normal.LogProb(0.7)-math.Log(within); math.Abs(got-want) > 1e-12 {
		t.Errorf("log density %v, want %v", got, want)
	}
	for _, x := range []float64{0.1, 1.2, math.NaN()} {
		if !math.IsInf(cut.LogProb(x), -1) {
			t.Errorf("density at %v", x)
		}
	}
}

// TestPoints goes through the quantiles of a list.
func TestPoints(t *testing.T) {
	p := family.PointMasses{Values: []float64{5, -1, 2}, Weights: []float64{0.5, 0.25, 0.25}}
	for u, want := range map[float64]float64{0: -1, 0.2: -1, 0.25: -1, 0.26: 2, 0.5: 2, 0.51: 5, 1: 5} {
		if got := p.Quantile(u); got != want {
			t.Errorf("quantile of %v is %v, want %v", u, got, want)
		}
	}
	if got := p.LogProb(2); got != math.Log(0.25) {
		t.Errorf("log probability %v", got)
	}
	if got := p.LogProb(3); !math.IsInf(got, -1) {
		t.Errorf("log probability %v of a number that is none of them", got)
	}
}

// TestParametricModel asks for models of wrong lists.
func TestParametricModel(t *testing.T) {
	f := bandit(between(0, 1), 0.9)
	if _, err := f.Model([][]float64{{0.1}, {0.2}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		thetas [][]float64
		want   string
	}{
		{nil, "at least one θ"},
		{[][]float64{{0.1}, {0.2, 0.3}}, "one entry for each parameter"},
		{[][]float64{{0.1}, {1.2}}, "a finite number in [0, 1]"},
		{[][]float64{{math.NaN()}}, "a finite number in [0, 1]"},
		{[][]float64{{0.1}, {0.2}, {0.1}}, "not in the list yet"},
	} {
		var input *bcpace.InputError
		if _, err := f.Model(c.thetas); !errors.As(err, &input) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want one about %q", c.thetas, err, c.want)
		}
	}
	for want, f := range map[string]family.Parametric{
		"Name is":     {Entries: f.Entries, Build: f.Build},
		"Build is":    {Name: "x", Entries: f.Entries},
		"at least on": {Name: "x", Build: f.Build},
		"of its own":  {Name: "x", Entries: append(slices.Clone(f.Entries), f.Entries...), Build: f.Build},
		"lower one":   {Name: "x", Entries: []family.Param{{Name: "p", Min: 1, Prior: between(0, 1)}}, Build: f.Build},
		"a model of":  {Name: "x", Entries: f.Entries, Build: func([][]float64) (bcpace.Model, error) { return nil, nil }},
	} {
		err := f.Validate()
		if err == nil {
			_, err = f.Model([][]float64{{0.1}})
		}
		var input *bcpace.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one about %q", err, want)
		}
	}
}

// TestSupport lists the combinations of two parameters.
func TestSupport(t *testing.T) {
	f := bandit(nil, 0.9)
	f.Entries = []family.Param{{Name: "a", Prior: family.PointMasses{Values: []float64{1, 2}, Weights: []float64{0.25, 0.75}}},
		{Name: "b", Prior: family.PointMasses{Values: []float64{3, 4, 5}, Weights: []float64{0.5, 0, 0.5}}}}
	thetas, prob := f.Support()
	want := [][]float64{{1, 3}, {1, 5}, {2, 3}, {2, 5}}
	if !slices.EqualFunc(thetas, want, slices.Equal) || !slices.Equal(prob, []float64{0.125, 0.125, 0.375, 0.375}) {
		t.Errorf("%v with %v", thetas, prob)
	}
	f.Entries[1].Prior = between(3, 5)
	if thetas, _ := f.Support(); thetas != nil {
		t.Errorf("a density has the support %v", thetas)
	}
}

// Densities that are infinite at an end, or have a long tail, are as good as others.
func TestUnboundedDensities(t *testing.T) {
	for _, prior := range []family.Prior{
		distuv.Beta{Alpha: 0.3, Beta: 0.3}, distuv.Beta{Alpha: 0.1, Beta: 0.1}, distuv.Beta{Alpha: 0.1, Beta: 3}, distuv.Beta{Alpha: 0.5, Beta: 0.5},
		distuv.LogNormal{Mu: 0, Sigma: 6}, distuv.Pareto{Xm: 1, Alpha: 0.5}, distuv.Gamma{Alpha: 0.3, Beta: 1},
	} {
		f := slips(prior)
		f.Entries[0].Min, f.Entries[0].Max = 0, math.Inf(1)
		if err := f.Validate(); err != nil {
			t.Error(err)
		}
	}
}
