package store

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"reflect"
	"runtime"
	"slices"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/fingerprint"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

// keyVersion is part of every key: raise it when keys mean something else.
const keyVersion = "bayescpace store 4"

// Key names a result on disk: 64 hexadecimal digits.
type Key string

// RunKey returns the key of the run that runs.Explore(ctx, m, s) makes: that of the
// model, the solver's name and all its parameters. The error is that of a model or
// parameters that cannot be used.
func RunKey(m bcpace.Model, s runs.Explorer) (Key, error) { return keyOf("run", m, s) }

// keyOf returns the key of a result of that kind.
func keyOf(kind string, m bcpace.Model, s bcpace.Solver) (Key, error) {
	d := newDigest(kind)
	if err := cmp.Or(d.model(m, latentOf(s)), d.solver(s)); err != nil {
		return "", err
	}
	return d.key(), nil
}

// latentOf returns the user's own latent values, which are a parameter of some solvers.
func latentOf(s bcpace.Solver) bcpace.LatentValues {
	for _, x := range reflect.ValueOf(s).Fields() {
		if v, ok := x.Interface().(bcpace.LatentValues); ok {
			return v
		}
	}
	return nil
}

// digest hashes values, each with its length, so that no two lists of values run into one another.
type digest struct{ h hash.Hash }

// core identifies the code of the core.
var core = sync.OnceValue(func() string { return fingerprint.OfFiles(bcpace.Sources) })

// newDigest begins a key with what every result depends on. The architecture
// and the Go release belong to it, as both may change the last bit of a float.
func newDigest(kind string) *digest {
	d := &digest{sha256.New()}
	d.add(keyVersion, kind, core(), runtime.GOARCH, runtime.Version())
	return d
}

func (d *digest) key() Key { return Key(hex.EncodeToString(d.h.Sum(nil))) }

// add takes values as fmt writes them: a float64 with all digits that it needs.
func (d *digest) add(values ...any) {
	for _, x := range values {
		text := fmt.Sprint(x)
		fmt.Fprintf(d.h, "%d %s", len(text), text)
	}
}

// solver adds the name and every parameter. It goes over the fields
// of the type, so that a parameter added later cannot be forgotten.
func (d *digest) solver(s bcpace.Solver) error {
	d.add(s.Name())
	for field, x := range reflect.ValueOf(s).Fields() {
		if field.Type == reflect.TypeFor[bcpace.LatentValues]() { // a part of the model
			continue
		}
		d.add(field.Name)
		if err := d.value(x, 0); err != nil {
			return fmt.Errorf("store: parameter %s of %s: %w", field.Name, s.Name(), err)
		}
	}
	return nil
}

// maxDepth ends values that contain themselves.
const maxDepth = 64

// value adds plain data: numbers, text, and slices, maps and structs of it.
func (d *digest) value(x reflect.Value, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("a value of type %v is nested more than %d deep, want plain data", x.Type(), maxDepth)
	}
	d.add(x.Kind())
	var parts []reflect.Value
	switch {
	case x.Kind() == reflect.Bool:
		d.add(x.Bool())
	case x.CanInt():
		d.add(x.Int())
	case x.CanUint():
		d.add(x.Uint())
	case x.CanFloat():
		d.add(x.Float())
	case x.Kind() == reflect.String:
		d.add(x.String())
	case x.Kind() == reflect.Slice, x.Kind() == reflect.Array:
		d.add(x.Len())
		for i := range x.Len() {
			parts = append(parts, x.Index(i))
		}
	case x.Kind() == reflect.Map:
		return d.mapping(x, depth+1)
	case x.Kind() == reflect.Struct:
		for field, part := range x.Fields() {
			d.add(field.Name)
			parts = append(parts, part)
		}
	case x.Kind() == reflect.Pointer, x.Kind() == reflect.Interface:
		d.add(x.IsNil())
		if !x.IsNil() {
			if x.Kind() == reflect.Interface { // such as the solver inside
				d.add(x.Elem().Type())
			}
			parts = append(parts, x.Elem())
		}
	case x.Kind() != reflect.Func || !x.IsNil():
		return fmt.Errorf("a value of type %v has no content that a key can be made of, want plain data", x.Type())
	}
	for _, part := range parts {
		if err := d.value(part, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// mapping adds a map; it orders the entries by their hashes.
func (d *digest) mapping(x reflect.Value, depth int) error {
	var entries []string
	for k, v := range x.Seq2() {
		e := &digest{sha256.New()}
		if err := cmp.Or(e.value(k, depth), e.value(v, depth)); err != nil {
			return err
		}
		entries = append(entries, string(e.key()))
	}
	slices.Sort(entries)
	d.add(entries)
	return nil
}

// model adds the description of a model and what it is made of, with the latent
// values that are given to a run.
func (d *digest) model(m bcpace.Model, latent bcpace.LatentValues) error {
	print, err := fingerprint.Of(m, latent)
	if err != nil {
		return err
	}
	d.add(reflect.TypeOf(m), print)
	d.stated(m)
	return nil
}

// stated adds what a model says of itself that no step shows: bounds rest on it, and how its latent
// is drawn.
func (d *digest) stated(m bcpace.Model) {
	can := bcpace.AbilitiesOf(m)
	lo, hi := solverkit.RangeOfReturns(m)
	d.add(lo, hi, can.KeepsHorizon, can.NextLatent != nil, can.LatentMoves != nil, can.FinerList != nil)
	if can.Lipschitz != nil {
		l := can.Lipschitz()
		d.add("slopes", l.R, l.P)
	}
	if can.Smoothness != nil {
		s := can.Smoothness()
		d.add("curves", s.Sigma, s.MeanCurve, s.SigmaCurve, s.RewardCurve, s.RewardConvex, s.Jumps)
		d.add(s.Arrive != nil, s.Moves != nil, s.SigmaAt != nil)
		if s.Control != nil {
			d.add("controls", *s.Control)
		}
	}
}
