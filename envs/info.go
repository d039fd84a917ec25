package envs

import (
	"slices"

	"bayescpace/bcpace"
)

// Info describes an environment that New can make.
type Info struct {
	Name   string
	Doc    string // one sentence
	Params []ParamInfo
	// Latents is the key of the parameter that has a number for each latent, such as
	// "masses", and Latent is the same for one latent, "mass", which New takes as well. Both
	// are "" if there is no such parameter.
	Latents, Latent string
}

// ParamInfo describes a parameter of an environment.
type ParamInfo struct {
	Key     string
	Default string
	Want    string // the values it takes
	Doc     string // what it means
}

// model is an environment that is a model itself.
type model interface {
	bcpace.Model
	bcpace.Validator
}

// entry is an environment in a registry of models of type M.
type entry[M any] struct {
	info Info
	// build reads the values of all parameters and makes a sound model of them.
	build func(v *Values) (M, error)
}

// valid returns an environment that is a model itself, unless its parameters cannot be used.
func valid[E model](e E) (E, error) { return e, e.Validate() }

// make makes the environment with params.
func (e entry[M]) make(params []bcpace.Param) (m M, err error) {
	v, err := e.info.values(params)
	if err != nil {
		return m, err
	}
	return build(v, e.build)
}

// infos returns what the entries of a registry say, for a caller who may change it.
func infos[M any](entries []entry[M]) (list []Info) {
	for _, e := range entries {
		e.info.Params = slices.Clone(e.info.Params)
		list = append(list, e.info)
	}
	return list
}

// names returns the names of the entries of a registry.
func names[M any](entries []entry[M]) (list []string) {
	for _, e := range entries {
		list = append(list, e.info.Name)
	}
	return list
}
