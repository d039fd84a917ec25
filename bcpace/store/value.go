package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/disk"
	"bayescpace/bcpace/runs"
)

// Value keeps the result of compute in the default store, under its name and
// inputs and the code of the core. It is for results that are slow to compute
// and small, such as the statistics of an evaluation:
//
//	stats, _, err := store.Value("eval 1", []any{run, 10_000}, func() (Stats, error) { … })
//
// T must be plain data: numbers, text, and slices, maps and structs of it with
// exported fields only. It comes back as encoding/gob gives it, at the first
// call as at all later ones: exact, but for empty slices, which are nil, and a
// negative zero in a struct, which is 0. Inputs are plain data, models and runs; a model counts
// by what it is made of, as in RunKey. Code outside package bcpace is not part of
// the key: change the name with it.
func Value[T any](name string, inputs []any, compute func() (T, error)) (T, Origin, error) {
	s, err := OpenDefault()
	if err != nil {
		return *new(T), Origin{}, err
	}
	return ValueIn(s, name, inputs, compute)
}

// ValueIn is Value with a given store.
func ValueIn[T any](s *Store, name string, inputs []any, compute func() (T, error)) (v T, origin Origin, err error) {
	t := reflect.TypeFor[T]()
	if err := plain(t, 0); err != nil {
		return v, origin, fmt.Errorf("store: result %q: %w", name, err)
	}
	d := newDigest("value")
	d.text(name)
	d.text(t.String())
	d.int(len(inputs))
	for i, in := range inputs {
		if err := d.input(in); err != nil {
			return v, origin, fmt.Errorf("store: input %d of %q: %w", i, name, err)
		}
	}
	file := filepath.Join(s.dir, "value-"+string(d.key())+valueExt)
	err = readValue(file, &v)
	if err == nil {
		origin.Cached = true
		return v, origin, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		origin.Damaged = err
	}
	if v, err = compute(); err != nil {
		return *new(T), origin, err
	}
	content, err := encodeValue(v)
	if err != nil {
		return v, origin, fmt.Errorf("store: result %q: %w", name, err)
	}
	if origin.Damaged != nil {
		origin.Unsaved = s.setAside(file)
	}
	if origin.Unsaved == nil {
		origin.Unsaved = s.write(file, bytes.NewReader(content))
	}
	// What is returned went through the encoding, so that the first call and
	// all later ones give the same value, down to empty and nil slices.
	var again T
	if err := decodeValue(content, &again); err != nil {
		return v, origin, fmt.Errorf("store: result %q: %w", name, err)
	}
	return again, origin, nil
}

// input adds an input of Value.
func (d *digest) input(in any) error {
	switch in := in.(type) {
	case bcpace.Model:
		d.text("model")
		return d.model(in, nil)
	case *runs.Run:
		if in == nil {
			return errors.New("it is a nil run, want a run")
		}
		d.text("run")
		if _, err := in.WriteTo(d.h); err != nil {
			return err
		}
		return d.model(in.Model(), latentOf(in.Solver))
	case nil:
		d.text("nil")
		return nil
	}
	d.text(reflect.TypeOf(in).String())
	return d.value(reflect.ValueOf(in))
}

// plain returns an error unless values of type t survive the encoding.
func plain(t reflect.Type, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("type %v contains itself, want plain data", t)
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Pointer:
		return plain(t.Elem(), depth+1)
	case reflect.Map:
		if err := plain(t.Key(), depth+1); err != nil {
			return err
		}
		return plain(t.Elem(), depth+1)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if !f.IsExported() {
				return fmt.Errorf("field %s of type %v is not exported and would be lost", f.Name, t)
			}
			if err := plain(f.Type, depth+1); err != nil {
				return err
			}
		}
	case reflect.Func, reflect.Chan, reflect.Interface, reflect.UnsafePointer, reflect.Uintptr:
		return fmt.Errorf("type %v cannot be stored, want plain data", t)
	}
	return nil
}

// A value file is a magic line, the value in encoding/gob, and the SHA-256 of
// both.
const valueMagic = "bayescpace value 1\n"

func encodeValue(v any) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(valueMagic)
	if err := gob.NewEncoder(&b).Encode(v); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b.Bytes())
	return append(b.Bytes(), sum[:]...), nil
}

// valueExt ends the names of values.
const valueExt = ".gob"

// maxValue bounds the file of a value.
const maxValue = 256 << 20

func readValue(name string, v any) error {
	data, err := disk.Read(name, maxValue+1)
	if err != nil {
		return err
	}
	if err := decodeValue(data, v); err != nil {
		return fmt.Errorf("store: %s: %w", name, err)
	}
	return nil
}

// decodeValue checks everything before it decodes, so that a damaged file
// never reaches the decoder.
func decodeValue(data []byte, v any) error {
	content, err := valueContent(data)
	if err != nil {
		return err
	}
	return gob.NewDecoder(bytes.NewReader(content)).Decode(v)
}

// valueContent returns what the frame of a value file holds.
func valueContent(data []byte) ([]byte, error) {
	n := len(data) - sha256.Size
	switch {
	case len(data) > maxValue:
		return nil, fmt.Errorf("not a stored value: it is longer than %d bytes", maxValue)
	case n < len(valueMagic) || !bytes.HasPrefix(data, []byte(valueMagic)):
		return nil, errors.New("not a stored value: it is truncated or another kind of file")
	}
	if sum := sha256.Sum256(data[:n]); !bytes.Equal(sum[:], data[n:]) {
		return nil, fmt.Errorf("not a stored value: its checksum does not agree with its %d bytes, it is truncated or damaged", len(data))
	}
	return data[len(valueMagic):n], nil
}
