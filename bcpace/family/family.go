package family

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/numtext"
)

// Family is a set of MDPs that differ in a parameter θ alone, which has a prior. An agent
// knows the family and the prior, and not θ, which stays as it is.
//
// Methods must be safe for concurrent use, and must not keep the slices they are given. The
// same arguments and random numbers give the same result.
type Family interface {
	// Params describes the entries of θ.
	Params() []Param
	// Draw draws θ, of length len(Params), from the prior.
	Draw(θ []float64, rng *rand.Rand)
	// Model returns the Bayes-adaptive MDP whose latents are these θ, in this order, each with
	// the same prior probability. The list holds no θ twice. The latents are static. What the model says of one θ, in
	// LogLikelihood, Step and exact lists of successors, does not depend on the others, and its
	// axes, actions, discount, horizon and range of rewards are the same for all θ.
	// The error is an *bcpace.InputError for a θ that the family does not have.
	Model(thetas [][]float64) (bcpace.Model, error)
}

// The upgrades below are found by type assertion.

// Quantiled is a Family that makes θ from a point of the unit cube, so that draws can be
// spread more evenly than independent ones; see Design.
type Quantiled interface {
	Family
	// Quantile sets θ to the value that belongs to u, which has as many entries as θ, each in
	// (0, 1). For u that is uniform on the cube, θ has the distribution of the prior.
	Quantile(θ, u []float64)
}

// Dense is a Family whose prior has a density.
type Dense interface {
	Family
	// LogDensity returns the log of the prior's density at θ, −Inf where there is none. Its
	// integral is 1.
	LogDensity(θ []float64) float64
}

// Supported is a Family whose prior may be a finite list.
type Supported interface {
	Family
	// Support returns all values of θ, each once, with their probabilities; or nil if the
	// prior is no list.
	Support() (thetas [][]float64, prob []float64)
}

// Param is an entry of θ.
type Param struct {
	Name string // such as "mass"
	Unit string // such as "kg"; "" if there is none
	// Min and Max are the limits of the entry, which may be infinite. If both are 0, there are
	// none.
	Min, Max float64
	// Prior is the entry's distribution, independent of the other entries. It is for a
	// Parametric; other families leave it nil.
	Prior Prior
}

// limits returns Min and Max, or infinities in the place of two zeros.
func (p Param) limits() (low, high float64) {
	if p.Min == 0 && p.Max == 0 {
		return math.Inf(-1), math.Inf(1)
	}
	return p.Min, p.Max
}

// Names returns a name for each θ, such as "mass 0.75 kg", for the Spec.Latents of the models
// of a family. Different θ have different names.
func Names(params []Param, thetas [][]float64) []string {
	names := make([]string, len(thetas))
	for i, θ := range thetas {
		entries := make([]string, len(params))
		for j, p := range params {
			entries[j] = p.Name + " " + numtext.Exact(θ[j])
			if p.Unit != "" {
				entries[j] += " " + p.Unit
			}
		}
		names[i] = strings.Join(entries, ", ")
	}
	return names
}

// checkParams returns an *bcpace.InputError for params that describe no θ.
func checkParams(where string, params []Param) error {
	in := bcpace.In(where)
	if len(params) == 0 {
		return in.Bad("the parameters", "none", "at least one")
	}
	names := make(map[string]bool, len(params))
	for i, p := range params {
		if err := cmp.Or(
			in.Need(p.Name != "", fmt.Sprintf("Name of parameter %d", i), `""`, "a name"),
			in.Need(p.Min <= p.Max, "Min, Max of parameter "+strconv.Quote(p.Name), fmt.Sprintf("%v, %v", p.Min, p.Max), "two numbers, the lower one first, or two zeros for no limits"),
			in.Need(!names[p.Name], "the parameters", strconv.Quote(p.Name)+" twice", "a name of its own for each")); err != nil {
			return err
		}
		names[p.Name] = true
	}
	return nil
}

// checkThetas returns an *bcpace.InputError unless thetas is a list of different values of θ
// within their limits.
func checkThetas(where string, params []Param, thetas [][]float64) error {
	bad := bcpace.In(where).Bad
	if len(thetas) == 0 {
		return bad("the list of θ", "empty", "at least one θ")
	}
	seen := make(map[string]int, len(thetas))
	var key []byte
	for i, θ := range thetas {
		if len(θ) != len(params) {
			return bad(fmt.Sprintf("θ number %d", i), fmt.Sprintf("%d long", len(θ)), fmt.Sprintf("%d, one entry for each parameter", len(params)))
		}
		for j, p := range params {
			low, high := p.limits()
			if !(θ[j] >= low && θ[j] <= high) || math.IsInf(θ[j], 0) {
				return bad(fmt.Sprintf("parameter %s of θ number %d", strconv.Quote(p.Name), i), θ[j], fmt.Sprintf("a finite number in [%v, %v]", low, high))
			}
		}
		key = num.AppendKey(key[:0], θ)
		if first, twice := seen[string(key)]; twice {
			return bad(fmt.Sprintf("θ number %d", i), fmt.Sprintf("%v, as number %d", θ, first), "a θ that is not in the list yet")
		}
		seen[string(key)] = i
	}
	return nil
}

// where names a family in errors.
func where(f Family) string {
	if x, ok := f.(interface{ where() string }); ok {
		return x.where()
	}
	return "family"
}

// validate returns the error of a family that says itself what is wrong with it, or that
// describes no θ.
func validate(f Family) error {
	if f == nil {
		return bcpace.In("family").Bad("the family", "nil", "a Family")
	}
	if v, ok := f.(bcpace.Validator); ok {
		return v.Validate()
	}
	return checkParams(where(f), f.Params())
}

// build returns f.Model of thetas, unless that is no model of so many static latents with
// equal probabilities.
func build(f Family, thetas [][]float64) (bcpace.Model, error) {
	m, err := f.Model(thetas)
	if err != nil {
		return nil, err
	}
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	spec := m.Spec()
	bad := bcpace.In(fmt.Sprintf("model %s of a family", strconv.Quote(spec.Name))).Bad
	if len(spec.Latents) != len(thetas) {
		return nil, bad("Spec.Latents", fmt.Sprintf("%d long", len(spec.Latents)), fmt.Sprintf("%d, one latent for each θ", len(thetas)))
	}
	if kind := bcpace.KindOf(m); kind != bcpace.Static {
		return nil, bad("LatentKind", kind, "static: θ stays as it is")
	}
	b := make(bcpace.Belief, len(thetas))
	m.Prior(b)
	for i, p := range b {
		if want := 1 / float64(len(b)); math.Abs(p-want) > 1e-9*want {
			return nil, bad(fmt.Sprintf("the prior probability of latent %d", i), p, fmt.Sprintf("%v, the same for each θ", want))
		}
	}
	return m, nil
}

// clone returns a copy of thetas in one array.
func clone(thetas [][]float64) [][]float64 {
	if len(thetas) == 0 {
		return nil
	}
	flat := rows(len(thetas), len(thetas[0]))
	for i, θ := range thetas {
		copy(flat[i], θ)
	}
	return flat
}

// rows returns n rows of d zeros in one array.
func rows(n, d int) [][]float64 {
	flat, list := make([]float64, n*d), make([][]float64, n)
	for i := range list {
		list[i] = flat[i*d : (i+1)*d : (i+1)*d]
	}
	return list
}
