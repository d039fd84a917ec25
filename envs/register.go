package envs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"bayescpace/bcpace"
)

// registered are the environments that the program has added, in the order of their names.
var registered struct {
	sync.RWMutex
	entries []entry[bcpace.Model]
}

// entries returns the environments of this package, and then those registered.
func entries() []entry[bcpace.Model] {
	registered.RLock()
	defer registered.RUnlock()
	return slices.Concat(registry, registered.entries)
}

// Register adds an environment of the program's own, so that New makes it, List has it and
// the command line knows it by info.Name. A program calls it once for an environment, before
// it uses any.
//
// build makes the model of the parameters that v has. Its Spec must have v.Name() and
// v.Params(), so that a saved run makes the model again; New returns an error for one that
// has others. A model that has a name already keeps all that it can do when it is embedded in
// a struct that has a method Spec of its own. Where info.Latents names a parameter, the latents
// may be drawn from a distribution.
//
// It panics for what is wrong in the program: a name that is taken, is empty or has spaces, no
// build function, a key that is empty or stands there twice, and Latents that are no key.
func Register(info Info, build func(v *Values) (bcpace.Model, error)) {
	registered.Lock()
	defer registered.Unlock()
	if slices.Contains(slices.Concat(names(registry), names(registered.entries), names(hiddenRegistry)), info.Name) {
		panic(fmt.Sprintf("envs: a second environment of the name %q", info.Name))
	}
	if err := info.check(); err != "" {
		panic(fmt.Sprintf("envs: environment %q: %s", info.Name, err))
	}
	if build == nil {
		panic(fmt.Sprintf("envs: environment %q: no build function", info.Name))
	}
	info.Params = slices.Clone(info.Params)
	e := entry[bcpace.Model]{info, func(v *Values) (bcpace.Model, error) {
		m, err := build(v)
		if err == nil {
			err = v.found(m)
		}
		if err != nil {
			return nil, err
		}
		return m, nil
	}}
	at, _ := slices.BinarySearchFunc(registered.entries, e, func(x, e entry[bcpace.Model]) int { return strings.Compare(x.info.Name, e.info.Name) })
	registered.entries = slices.Insert(registered.entries, at, e)
}

// Registered reports whether the program has registered an environment of that name. What it is
// made of is in no package of this module: a result that is kept is filed under its
// fingerprint.Of as well.
func Registered(name string) bool {
	registered.RLock()
	defer registered.RUnlock()
	return slices.Contains(names(registered.entries), name)
}

// check says what is wrong with the names of an environment, "" if nothing is.
func (info Info) check() string {
	odd := func(name string) bool {
		return name == "" || strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == '=' })
	}
	if odd(info.Name) {
		return "want a name without spaces"
	}
	keys := make(map[string]bool)
	for _, p := range info.Params {
		switch {
		case odd(p.Key):
			return fmt.Sprintf("a parameter has the key %q, want one without spaces and =", p.Key)
		case keys[p.Key]:
			return fmt.Sprintf("two parameters have the key %q", p.Key)
		case strings.TrimSpace(p.Default) != p.Default:
			return fmt.Sprintf("the default of %s is %q, want it without spaces around it", p.Key, p.Default)
		}
		keys[p.Key] = true
	}
	switch {
	case (info.Latents == "") != (info.Latent == ""):
		return fmt.Sprintf("Latents is %q and Latent %q, want both or neither", info.Latents, info.Latent)
	case info.Latents != "" && !keys[info.Latents]:
		return fmt.Sprintf("Latents is %q, want the key of a parameter", info.Latents)
	case keys[info.Latent]:
		return fmt.Sprintf("Latent is %q, which is the key of a parameter", info.Latent)
	}
	return ""
}

// found returns an error unless m is sound and its Spec leads back to it.
func (v *Values) found(m bcpace.Model) error {
	if err := bcpace.Validate(m); err != nil {
		return err
	}
	spec, name, params := m.Spec(), v.Name(), v.Params()
	switch {
	case spec.Name != name:
		return inputError(name, "Spec.Name", strconv.Quote(spec.Name), strconv.Quote(name)+", so that a saved run finds the model again")
	case !slices.Equal(spec.Params, params):
		return inputError(name, "Spec.Params", spec.Params, fmt.Sprint(params)+", so that a saved run makes the model again")
	}
	return nil
}
