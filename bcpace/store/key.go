package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
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
func RunKey(m bcpace.Model, s runs.Explorer) (Key, error) {
	return keyOf("run", m, s)
}

// keyOf returns the key of a result of that kind.
func keyOf(kind string, m bcpace.Model, s bcpace.Solver) (Key, error) {
	d := newDigest(kind)
	if err := d.model(m, latentOf(s)); err != nil {
		return "", err
	}
	if err := d.solver(s); err != nil {
		return "", err
	}
	return d.key(), nil
}

// latentOf returns the user's own latent values, which are a parameter of some solvers.
func latentOf(s bcpace.Solver) bcpace.LatentValues {
	x := reflect.ValueOf(s)
	for i := range x.NumField() {
		if v, ok := x.Field(i).Interface().(bcpace.LatentValues); ok {
			return v
		}
	}
	return nil
}

// digest hashes values, each with its length or kind, so that no two lists of
// values run into one another.
type digest struct{ h hash.Hash }

// core identifies the code of the core.
var core = sync.OnceValue(func() string { return fingerprint.OfFiles(bcpace.Sources) })

// newDigest begins a key with what every result depends on. The architecture
// and the Go release belong to it, as both may change the last bit of a float.
func newDigest(kind string) *digest {
	d := &digest{sha256.New()}
	for _, s := range []string{keyVersion, kind, core(), runtime.GOARCH, runtime.Version()} {
		d.text(s)
	}
	return d
}

func (d *digest) key() Key { return Key(hex.EncodeToString(d.h.Sum(nil))) }

func (d *digest) int(n int) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(n))
	d.h.Write(b[:])
}

func (d *digest) text(s string) {
	d.int(len(s))
	d.h.Write([]byte(s))
}

func (d *digest) bool(b bool) {
	if b {
		d.int(1)
	} else {
		d.int(0)
	}
}

func (d *digest) float(x float64) {
	if math.IsNaN(x) {
		x = math.NaN() // one of them
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], math.Float64bits(x))
	d.h.Write(b[:])
}

// solver adds the name and every parameter. It goes over the fields
// of the type, so that a parameter added later cannot be forgotten.
func (d *digest) solver(s bcpace.Solver) error {
	d.text(s.Name())
	x := reflect.ValueOf(s)
	for i := range x.NumField() {
		field := x.Type().Field(i)
		switch {
		case field.Type == reflect.TypeFor[bcpace.LatentValues](): // is part of the model
			continue
		case field.Type.Kind() == reflect.Func: // says where work is done, as cpace.Solver.Rollouts, and not what is found
			continue
		}
		d.text(field.Name)
		if err := d.value(x.Field(i)); err != nil {
			return fmt.Errorf("store: parameter %s of %s: %w", field.Name, s.Name(), err)
		}
	}
	return nil
}

// value adds plain data: numbers, text, and slices, maps and structs of it.
func (d *digest) value(x reflect.Value) error { return d.nested(x, 0) }

// maxDepth ends values that contain themselves.
const maxDepth = 64

func (d *digest) nested(x reflect.Value, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("a value of type %v is nested more than %d deep, want plain data", x.Type(), maxDepth)
	}
	d.text(x.Kind().String())
	switch x.Kind() {
	case reflect.Bool:
		d.bool(x.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		d.int(int(x.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		d.int(int(x.Uint()))
	case reflect.Float32, reflect.Float64:
		d.float(x.Float())
	case reflect.String:
		d.text(x.String())
	case reflect.Slice, reflect.Array:
		d.int(x.Len())
		for i := range x.Len() {
			if err := d.nested(x.Index(i), depth+1); err != nil {
				return err
			}
		}
	case reflect.Map:
		return d.mapping(x, depth+1)
	case reflect.Struct:
		d.int(x.NumField())
		for i := range x.NumField() {
			d.text(x.Type().Field(i).Name)
			if err := d.nested(x.Field(i), depth+1); err != nil {
				return err
			}
		}
	case reflect.Pointer, reflect.Interface:
		d.bool(x.IsNil())
		if !x.IsNil() {
			if x.Kind() == reflect.Interface { // such as the solver inside
				d.text(x.Elem().Type().String())
			}
			return d.nested(x.Elem(), depth+1)
		}
	case reflect.Func:
		if x.IsNil() {
			break
		}
		fallthrough
	default:
		return fmt.Errorf("a value of type %v has no content that a key can be made of, want plain data", x.Type())
	}
	return nil
}

// mapping adds a map; it orders the entries by their hashes.
func (d *digest) mapping(x reflect.Value, depth int) error {
	var entries []string
	for _, k := range x.MapKeys() {
		e := &digest{sha256.New()}
		if err := e.nested(k, depth); err != nil {
			return err
		}
		if err := e.nested(x.MapIndex(k), depth); err != nil {
			return err
		}
		entries = append(entries, string(e.h.Sum(nil)))
	}
	slices.Sort(entries)
	d.int(len(entries))
	for _, e := range entries {
		d.text(e)
	}
	return nil
}

// model adds the description of a model and what it is made of, with the latent
// values that are given to a run.
func (d *digest) model(m bcpace.Model, latent bcpace.LatentValues) error {
	print, err := fingerprint.Of(m, latent)
	if err != nil {
		return err
	}
	d.text(reflect.TypeOf(m).String())
	d.text(print)
	d.stated(m)
	return nil
}

// stated adds what a model says of itself that no step shows: bounds rest on it, and how its latent
// is drawn.
func (d *digest) stated(m bcpace.Model) {
	can := bcpace.AbilitiesOf(m)
	lo, hi := solverkit.RangeOfReturns(m)
	d.float(lo)
	d.float(hi)
	for _, has := range []bool{can.KeepsHorizon, can.NextLatent != nil, can.LatentMoves != nil, can.FinerList != nil, can.Lipschitz != nil, can.Smoothness != nil} {
		d.bool(has)
	}
	if can.Lipschitz != nil {
		l := can.Lipschitz()
		d.float(l.R)
		d.float(l.P)
	}
	if can.Smoothness != nil {
		s := can.Smoothness()
		for _, x := range slices.Concat(s.Sigma, s.MeanCurve, []float64{s.RewardCurve, s.RewardConvex}, slices.Concat(s.Jumps...)) {
			d.float(x)
		}
		if d.bool(s.Arrive != nil); s.Control != nil {
			for _, x := range append(slices.Clone(s.Control.Mean), s.Control.Reward) {
				d.float(x)
			}
		}
		if s.Moves != nil {
			d.text("moves")
		}
		if s.SigmaAt != nil {
			d.text("σ")
			for _, x := range s.SigmaCurve {
				d.float(x)
			}
			if s.Control != nil {
				for _, x := range s.Control.Sigma {
					d.float(x)
				}
			}
		}
	}
}
