package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"

	"bayescpace/bcpace"
)

// keyVersion is part of every key: raise it when keys mean something else.
const keyVersion = "bayescpace store 1"

// Key names a result on disk: 64 hexadecimal digits.
type Key string

// RunKey returns the key of the run that bcpace.Explore(ctx, m, opts) makes.
// Options.Workers and Options.Progress do not change the run, and so not the
// key. The error is that of a model or options that cannot be used.
func RunKey(m bcpace.Model, opts bcpace.Options) (Key, error) {
	if err := bcpace.Validate(m); err != nil {
		return "", err
	}
	d := newDigest("run")
	d.model(m, opts.Latent)
	if err := d.options(opts); err != nil {
		return "", err
	}
	return d.key(), nil
}

// digest hashes values, each with its length or kind, so that no two lists of
// values run into one another.
type digest struct{ h hash.Hash }

// newDigest begins a key with what every result depends on. The architecture
// and the Go release belong to it, as both may change the last bit of a float.
func newDigest(kind string) *digest {
	d := &digest{sha256.New()}
	for _, s := range []string{keyVersion, kind, bcpace.CodeHash(), runtime.GOARCH, runtime.Version()} {
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

func (d *digest) floats(x []float64) {
	d.int(len(x))
	for _, v := range x {
		d.float(v)
	}
}

// options adds every option that changes the result. It goes over the fields
// of the type, so that an option added later cannot be forgotten.
func (d *digest) options(opts bcpace.Options) error {
	x := reflect.ValueOf(opts)
	for i := range x.NumField() {
		switch name := x.Type().Field(i).Name; name {
		case "Workers", "Progress", "Checkpoint", "Latent": // Latent is probed with the model
		default:
			d.text(name)
			if err := d.value(x.Field(i)); err != nil {
				return fmt.Errorf("store: option %s: %w", name, err)
			}
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
			return d.nested(x.Elem(), depth+1)
		}
	default:
		return fmt.Errorf("a value of type %v has no content that a key can be made of, want plain data", x.Type())
	}
	return nil
}

// mapping adds a map in the order of its entries' own hashes.
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

const (
	probes      = 256   // transitions at least
	maxProbes   = 4096  // transitions at most
	perPair     = 4     // transitions of each action under each latent, within maxProbes
	probeLength = 12    // transitions of one trajectory
	maxTable    = 50000 // numbers of a finite model's successors that are hashed
)

// model adds the description of a model and its behaviour along trajectories
// with fixed seeds: random actions from the start under every latent in turn.
func (d *digest) model(m bcpace.Model, latent bcpace.LatentValues) {
	spec := m.Spec()
	d.text(reflect.TypeOf(m).String())
	// Plain data throughout, so value cannot fail.
	_ = d.value(reflect.ValueOf(spec))
	b := make(bcpace.Belief, len(spec.Latents))
	m.Prior(b)
	d.floats(b)
	d.int(int(bcpace.KindOf(m)))
	d.bool(latent != nil)

	p := &probe{digest: d, m: m, spec: spec, latent: latent}
	p.starts, _ = m.(bcpace.StartLikelihood)
	p.dynamics, _ = m.(bcpace.LatentDynamics)
	p.successors, _ = m.(bcpace.Enumerator)
	p.row = make([]float64, len(spec.Latents))
	n := min(max(probes, perPair*len(spec.Actions)*len(spec.Latents)), maxProbes)
	rng := rand.New(rand.NewPCG(1, 2))
	s, next := make([]float64, len(spec.Axes)), make([]float64, len(spec.Axes))
	done := true
	phi := -1
	for i := range n {
		if done || i%probeLength == 0 {
			phi = (phi + 1) % len(spec.Latents)
			m.Start(s, phi, rng)
			p.start(s, phi)
		}
		done = p.step(s, next, phi, rng.IntN(len(spec.Actions)), rng)
		s, next = next, s
	}
	p.table()
}

// probe hashes what a model does.
type probe struct {
	*digest
	m          bcpace.Model
	spec       bcpace.Spec
	latent     bcpace.LatentValues
	starts     bcpace.StartLikelihood
	dynamics   bcpace.LatentDynamics
	successors bcpace.Enumerator
	row        []float64
	list       bcpace.Successors
}

func (p *probe) start(s []float64, phi int) {
	p.floats(s)
	if p.starts != nil {
		p.float(p.starts.StartLogLikelihood(s, phi))
	}
}

func (p *probe) step(s, next []float64, phi, action int, rng *rand.Rand) (done bool) {
	out := p.m.Step(next, s, phi, action, rng)
	p.int(action)
	p.floats(next)
	p.float(out.Reward)
	p.bool(out.Done)
	for other := range p.spec.Latents {
		p.float(p.m.LogLikelihood(s, action, next, other))
		if p.latent != nil {
			p.float(p.latent.Q(s, other, action))
		}
	}
	if p.dynamics != nil && p.dynamics.LatentTransition(p.row, s, action, phi) {
		p.floats(p.row)
	}
	if p.successors != nil {
		p.enumerate(s, action)
	}
	return out.Done
}

// enumerate adds the successors of a state and returns how many numbers those
// are.
func (p *probe) enumerate(s []float64, action int) int {
	p.list.Reset(len(p.spec.Axes), len(p.spec.Latents))
	p.successors.Successors(&p.list, s, action)
	p.floats(p.list.States)
	p.floats(p.list.Prob)
	p.floats(p.list.Reward)
	for _, done := range p.list.Done {
		p.bool(done)
	}
	return len(p.list.States) + len(p.list.Prob) + len(p.list.Reward)
}

// table adds the successors of every state of a finite model, as far as they
// are few: then no change of its tables goes unnoticed.
func (p *probe) table() {
	f, ok := bcpace.AsFinite(p.m)
	if !ok {
		return
	}
	n := f.NumStates()
	p.int(n)
	s := make([]float64, len(p.spec.Axes))
	for i, left := 0, maxTable; i < n && left > 0; i++ {
		f.StateAt(s, i)
		p.floats(s)
		for a := range p.spec.Actions {
			left -= p.enumerate(s, a)
		}
	}
}
