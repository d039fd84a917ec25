package envs

import (
	"slices"
	"strconv"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
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
func names[M any](entries []entry[M]) []string {
	return listOf(len(entries), func(i int) string { return entries[i].info.Name })
}

// Values are the parameters of an environment as New was given them, with the defaults of
// those that it was not given. Its methods read them by their keys. A value that cannot be
// read ends the build function there: New then returns an *bcpace.InputError with the key,
// the text and the ParamInfo's Want.
type Values struct {
	info Info
	text []string // of each of info.Params
}

// values returns the parameters of an environment with those given in place of defaults.
func (info Info) values(given []bcpace.Param) (*Values, error) {
	v := &Values{info, listOf(len(info.Params), func(i int) string { return info.Params[i].Default })}
	seen := make([]bool, len(v.text))
	for _, p := range given {
		if p.Key == info.Latent {
			p.Key = info.Latents
		}
		i := info.index(p.Key)
		switch {
		case i < 0:
			return nil, info.unknown("parameter", p.Key)
		case seen[i]:
			return nil, inputError(info.Name, p.Key, "given twice", "one value")
		}
		seen[i] = true
		v.text[i] = strings.TrimSpace(p.Value)
	}
	return v, nil
}

// index returns the index of a parameter, or −1.
func (info Info) index(key string) int {
	return slices.IndexFunc(info.Params, func(p ParamInfo) bool { return p.Key == key })
}

// unknown is the error for a key that no parameter has; what says where it stands.
func (info Info) unknown(what, key string) error {
	want := "none, as the environment has no parameters"
	if len(info.Params) > 0 {
		want = numtext.OneOf(key, listOf(len(info.Params), func(i int) string { return info.Params[i].Key }))
	}
	return inputError(info.Name, what, strconv.Quote(key), want)
}

// unread is what a method of Values panics with where it cannot read a value.
type unread struct{ err error }

// build calls a build function, and returns the error of a value that it could not read.
func build[M any](v *Values, f func(*Values) (M, error)) (m M, err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case unread:
			m, err = *new(M), x.err
		default:
			panic(x)
		}
	}()
	return f(v)
}

// fail ends the build function, as the value of key cannot be read.
func (v *Values) fail(key string) {
	p := v.info.Params[v.info.index(key)]
	panic(unread{inputError(v.info.Name, key, strconv.Quote(v.Text(key)), p.Want)})
}

// Name returns the environment's name, for the model's Spec.
func (v *Values) Name() string { return v.info.Name }

// Params returns all parameters as text, in the order of Info.Params, for the model's Spec.
func (v *Values) Params() []bcpace.Param {
	return listOf(len(v.text), func(i int) bcpace.Param { return bcpace.Param{Key: v.info.Params[i].Key, Value: v.text[i]} })
}

// Text returns a value as it was given, without spaces around it.
func (v *Values) Text(key string) string {
	i := v.info.index(key)
	if i < 0 {
		panic(unread{v.info.unknown("the key that its build function reads", key)})
	}
	return v.text[i]
}

// read returns a value as of reads it, and ends the build function where it cannot.
func read[T any](v *Values, key string, of func(text string) (x T, ok bool)) T {
	x, ok := of(v.Text(key))
	if !ok {
		v.fail(key)
	}
	return x
}

// Float reads a finite number.
func (v *Values) Float(key string) float64 { return read(v, key, numtext.Finite) }

// Positive reads a finite number above 0. A zero must not get through where it stands for the
// default in a field.
func (v *Values) Positive(key string) float64 {
	x := v.Float(key)
	if x <= 0 {
		v.fail(key)
	}
	return x
}

// Count reads a whole number above 0.
func (v *Values) Count(key string) int { return read(v, key, readCount) }

// Floats reads a list of finite numbers with commas between them.
func (v *Values) Floats(key string) []float64 { return read(v, key, readList) }
