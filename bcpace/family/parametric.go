package family

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"bayescpace/bcpace"
)

// Parametric is a Family from functions, as in a notebook cell: numbers with priors, and a
// function that makes a model of a list of them. Any environment that takes a list of latents
// becomes a family with one closure:
//
//	Build: func(thetas [][]float64) (bcpace.Model, error) {
//		return envs.Pendulum{Masses: family.Column(thetas, 0)}.Model()
//	}
//
// The entries of θ are independent. If all priors are Points, the prior is a list.
type Parametric struct {
	Name    string
	Entries []Param // of θ, each with a Prior
	// Build is Family.Model for values that are within their limits and differ from each
	// other.
	Build func(thetas [][]float64) (bcpace.Model, error)
}

var (
	_ Quantiled        = Parametric{}
	_ Dense            = Parametric{}
	_ Supported        = Parametric{}
	_ bcpace.Validator = Parametric{}
)

func (f Parametric) where() string { return "family " + strconv.Quote(f.Name) }

// Validate implements bcpace.Validator. It integrates the densities of the priors.
func (f Parametric) Validate() error {
	if err := cmp.Or(
		bcpace.In("family").Need(f.Name != "", "Name", `""`, "a name"),
		bcpace.In(f.where()).Need(f.Build != nil, "Build", "nil", "a function"),
		checkParams(f.where(), f.Entries)); err != nil {
		return err
	}
	for _, p := range f.Entries {
		if err := checkPrior(f.where(), p); err != nil {
			return err
		}
	}
	return nil
}

// Params implements Family.
func (f Parametric) Params() []Param { return f.Entries }

// Draw implements Family.
func (f Parametric) Draw(θ []float64, rng *rand.Rand) {
	for i, p := range f.Entries {
		θ[i] = p.Prior.Quantile(inside(rng.Float64()))
	}
}

// Quantile implements Quantiled: entry by entry, that of the prior.
func (f Parametric) Quantile(θ, u []float64) {
	for i, p := range f.Entries {
		θ[i] = p.Prior.Quantile(u[i])
	}
}

// LogDensity implements Dense. For an entry whose prior is Points, a probability stands in the
// place of a density.
func (f Parametric) LogDensity(θ []float64) float64 {
	sum := 0.0
	for i, p := range f.Entries {
		if low, high := p.limits(); !(θ[i] >= low && θ[i] <= high) {
			return math.Inf(-1)
		}
		sum += p.Prior.LogProb(θ[i])
	}
	return sum
}

// maxSupport bounds the combinations of values that Support lists.
const maxSupport = 1 << 16

// Support implements Supported: all combinations of the values of Points, of which the last
// entry changes fastest, without those of probability 0. It returns nil if some prior is not
// Points, and for more than 65,536 combinations.
func (f Parametric) Support() (thetas [][]float64, prob []float64) {
	n := 1
	for _, p := range f.Entries {
		points, ok := p.Prior.(PointMasses)
		if !ok || len(points.Values) == 0 || len(points.Values) > maxSupport/n {
			return nil, nil
		}
		n *= len(points.Values)
	}
	θ := make([]float64, len(f.Entries))
	for number := range n {
		w, k := 1.0, number
		for i := len(f.Entries) - 1; i >= 0; i-- {
			points := f.Entries[i].Prior.(PointMasses)
			at := k % len(points.Values)
			θ[i], k = points.Values[at], k/len(points.Values)
			w *= points.weight(at)
		}
		if w > 0 {
			thetas, prob = append(thetas, append([]float64(nil), θ...)), append(prob, w)
		}
	}
	return thetas, prob
}

// Model implements Family. The error is an *bcpace.InputError for a θ that is out of its
// limits, no number, of another length or twice in the list, and otherwise that of Build.
func (f Parametric) Model(thetas [][]float64) (bcpace.Model, error) {
	if f.Build == nil {
		return nil, f.Validate()
	}
	if err := checkThetas(f.where(), f.Entries, thetas); err != nil {
		return nil, err
	}
	m, err := f.Build(clone(thetas))
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, bcpace.In(f.where()).Bad("the model that Build returns", "nil", fmt.Sprintf("a model of %d latents, or an error", len(thetas)))
	}
	return m, nil
}

// Column returns entry i of each θ, for environments that take a list of numbers.
func Column(thetas [][]float64, i int) []float64 {
	column := make([]float64, len(thetas))
	for k, θ := range thetas {
		column[k] = θ[i]
	}
	return column
}

// inside returns u, a number in [0, 1), as one in (0, 1), where quantiles are finite.
func inside(u float64) float64 { return max(u, 0x1p-54) }
