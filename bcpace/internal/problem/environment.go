package problem

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/family"
	"bayescpace/bcpace/numtext"
	"bayescpace/envs"
)

// ErrSamples is the error of a distribution without a number of draws, and of the contrary.
var ErrSamples = errors.New("samples and distributions do not go together")

// Environment makes an environment as envs.New does. If the parameter that lists the latents
// has a distribution, such as mass=uniform:0.5:2, so many latents are drawn from it, with the
// seed; without a distribution samples is 0. The error is that of envs.New, an
// *bcpace.InputError for a distribution that there is not, and wraps ErrSamples where samples
// does not go with the parameters.
func Environment(name string, params []bcpace.Param, samples int, seed uint64) (bcpace.Model, error) {
	i := slices.IndexFunc(envs.List(), func(x envs.Info) bool { return x.Name == name })
	if i < 0 {
		return envs.New(name, params)
	}
	info := envs.List()[i]
	list := slices.IndexFunc(params, func(p bcpace.Param) bool {
		return info.Latents != "" && (p.Key == info.Latents || p.Key == info.Latent) && strings.Contains(p.Value, ":")
	})
	contradiction := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrSamples}, args...)...)
	}
	switch {
	case list < 0 && samples == 0:
		return envs.New(name, params)
	case list < 0 && info.Latents == "":
		return nil, contradiction("no parameter of %s lists latents", name)
	case list < 0:
		return nil, contradiction("a number of samples needs a distribution, such as %s=uniform:0.5:2", info.Latents)
	}
	given := params[list]
	prior, err := distribution("the parameter "+given.Key+" of "+name, given.Value)
	if err != nil {
		return nil, err
	}
	if samples == 0 {
		return nil, contradiction("%s=%s needs a number of samples, the latents to draw", given.Key, given.Value)
	}
	return family.Sampled(family.Parametric{
		Name: name, Entries: []family.Param{{Name: info.Latent, Prior: prior}},
		Build: func(thetas [][]float64) (bcpace.Model, error) {
			params := slices.Clone(params)
			params[list].Value = numtext.ExactList(slices.Concat(thetas...))
			return envs.New(name, params)
		},
	}, samples, seed)
}

// distributions are those that a parameter may have, by name.
var distributions = []struct {
	name, first, second string
	want                string
	allowed             func(a, b float64) bool
	prior               func(a, b float64) family.Prior
}{
	{"uniform", "a", "b", "a < b", func(a, b float64) bool { return a < b }, func(a, b float64) family.Prior { return distuv.Uniform{Min: a, Max: b} }},
	{"normal", "μ", "σ", "σ > 0", func(_, b float64) bool { return b > 0 }, func(a, b float64) family.Prior { return distuv.Normal{Mu: a, Sigma: b} }},
	{"beta", "α", "β", "α, β > 0", func(a, b float64) bool { return a > 0 && b > 0 }, func(a, b float64) family.Prior { return distuv.Beta{Alpha: a, Beta: b} }},
	{"gamma", "shape", "rate", "both > 0", func(a, b float64) bool { return a > 0 && b > 0 }, func(a, b float64) family.Prior { return distuv.Gamma{Alpha: a, Beta: b} }},
	{"lognormal", "μ", "σ", "σ > 0", func(_, b float64) bool { return b > 0 }, func(a, b float64) family.Prior { return distuv.LogNormal{Mu: a, Sigma: b} }},
}

// Distributions returns how the distributions of a parameter are written: uniform:a:b and
// others.
func Distributions() (forms []string) {
	for _, d := range distributions {
		forms = append(forms, d.name+":"+d.first+":"+d.second)
	}
	return forms
}

// distribution reads a distribution such as uniform:0.5:2.
func distribution(what, text string) (family.Prior, error) {
	bad := func(want string) error {
		return bcpace.In("options").Bad(what, strconv.Quote(text), want)
	}
	parts := strings.Split(text, ":")
	for _, d := range distributions {
		if parts[0] != d.name {
			continue
		}
		var x [2]float64
		ok := len(parts) == 3
		for i := range x {
			if ok {
				x[i], ok = numtext.Finite(parts[i+1])
			}
		}
		if !ok || !d.allowed(x[0], x[1]) {
			return nil, bad(fmt.Sprintf("%s:%s:%s with two numbers, %s", d.name, d.first, d.second, d.want))
		}
		return d.prior(x[0], x[1]), nil
	}
	return nil, bad("numbers with commas between them, or one of " + strings.Join(Distributions(), ", "))
}
