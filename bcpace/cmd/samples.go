package cmd

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/family"
	"bayescpace/envs"

	"gonum.org/v1/gonum/stat/distuv"
)

// environment is an environment as the flags give it.
type environment struct {
	name    string
	params  []bcpace.Param
	samples int // 0 without the flag
}

// flags adds the flags of an environment to f; ofEnv is "" or what it is for.
func (e *environment) flags(f *flags, ofEnv string) {
	f.value("env", "NAME", "environment"+ofEnv+"; bcpace envs lists them", text(&e.name))
	f.params(&e.params)
	f.value("samples", "N", "draw N latents for a parameter that lists them, of which --set gives a distribution: "+strings.Join(distributionForms(), ", ")+
		"; such as --set mass=uniform:0.5:2", func(text string) error {
		if err := whole(&e.samples)(text); err != nil || e.samples < 1 {
			return errors.New("want a whole number above 0")
		}
		return nil
	})
}

// draws returns how many latents were drawn, nil if none were.
func (e *environment) draws() *int {
	if e.samples == 0 {
		return nil
	}
	return &e.samples
}

// model makes the environment. If the parameter that lists the latents has a distribution,
// the seed draws them. The error is a *usageError for a distribution without --samples and
// for the contrary.
func (e *environment) model(seed uint64) (bcpace.Model, error) {
	i := slices.IndexFunc(envs.List(), func(x envs.Info) bool { return x.Name == e.name })
	if i < 0 {
		return envs.New(e.name, e.params)
	}
	info := envs.List()[i]
	list := slices.IndexFunc(e.params, func(p bcpace.Param) bool {
		return info.Latents != "" && (p.Key == info.Latents || p.Key == info.Latent) && strings.Contains(p.Value, ":")
	})
	switch {
	case list < 0 && e.samples == 0:
		return envs.New(e.name, e.params)
	case list < 0 && info.Latents == "":
		return nil, misuse("--samples and --env %s contradict each other: no parameter of it lists latents", e.name)
	case list < 0:
		return nil, misuse("--samples needs a distribution, such as --set %s=uniform:0.5:2", info.Latents)
	}
	given := e.params[list]
	prior, err := distribution("--set "+given.Key, given.Value)
	if err != nil {
		return nil, err
	}
	if e.samples == 0 {
		return nil, misuse("--set %s=%s needs --samples N, the number of latents to draw", given.Key, given.Value)
	}
	return family.Sampled(family.Parametric{
		Name: e.name, Entries: []family.Param{{Name: info.Latent, Prior: prior}},
		Build: func(thetas [][]float64) (bcpace.Model, error) {
			var values []string
			for _, θ := range thetas {
				values = append(values, strconv.FormatFloat(θ[0], 'g', -1, 64))
			}
			params := slices.Clone(e.params)
			params[list].Value = strings.Join(values, ",")
			return envs.New(e.name, params)
		},
	}, e.samples, seed)
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

// distributionForms returns how distributions are written.
func distributionForms() (forms []string) {
	for _, d := range distributions {
		forms = append(forms, d.name+":"+d.first+":"+d.second)
	}
	return forms
}

// distribution reads a distribution such as uniform:0.5:2.
func distribution(flag, text string) (family.Prior, error) {
	parts := strings.Split(text, ":")
	for _, d := range distributions {
		if parts[0] != d.name {
			continue
		}
		var x [2]float64
		ok := len(parts) == 3
		for i := range x {
			if ok {
				var err error
				x[i], err = strconv.ParseFloat(strings.TrimSpace(parts[i+1]), 64)
				ok = err == nil && number(x[i]).finite()
			}
		}
		if !ok || !d.allowed(x[0], x[1]) {
			return nil, inputError(flag, strconv.Quote(text), fmt.Sprintf("%s:%s:%s with two numbers, %s", d.name, d.first, d.second, d.want))
		}
		return d.prior(x[0], x[1]), nil
	}
	return nil, inputError(flag, strconv.Quote(text), "numbers with commas between them, or one of "+strings.Join(distributionForms(), ", "))
}
