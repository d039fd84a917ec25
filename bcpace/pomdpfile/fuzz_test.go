package pomdpfile

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"bayescpace/bcpace/pomdp"
)

// small bounds what a fuzzed file may make a reader allocate to some megabytes.
var small = limits{states: 1 << 12, actions: 1 << 8, bytes: 1 << 24, steps: 1 << 22}

// corpus adds the models that are available, if any, and those of the tests.
func corpus(f *testing.F, pattern string, texts ...string) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	const longest = 3_000
	files, _ := filepath.Glob(filepath.Join("../../../shared/models/*", pattern))
	for _, path := range files {
		if data, err := os.ReadFile(path); err == nil && len(data) <= longest {
			f.Add(data)
		}
	}
}

// tryModel checks what a reader makes of data: an *Error, or a sound model that
// both writers and readers carry unchanged.
func tryModel(t *testing.T, data []byte, read func(context.Context, io.Reader, string, limits) (*pomdp.Model, error)) {
	m, err := read(t.Context(), bytes.NewReader(data), "fuzz", small)
	if err != nil {
		var located *Error
		if !errors.As(err, &located) || located.Line < 1 || located.Found == "" || located.Want == "" {
			t.Fatalf("%T %#v", err, err)
		}
		return
	}
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	const few = 200
	if m.NumStates()*len(m.Actions) > few || m.NumStates()*m.NumStates() > 20*few {
		return
	}
	var x bytes.Buffer
	if err := WritePOMDPX(&x, m); err != nil {
		t.Fatal(err)
	}
	again, err := readPOMDPX(t.Context(), bytes.NewReader(x.Bytes()), "again", standard())
	if err != nil {
		t.Fatalf("%v\n%s", err, x.Bytes())
	}
	if err := compare(m, again, 1e-9); err != nil {
		t.Fatalf("%v\n%s", err, x.Bytes())
	}
	if m.NumVisible() > 1 && m.NumHidden()*len(m.Observations) > 1 {
		return
	}
	x.Reset()
	if err := WritePOMDP(&x, m); err != nil {
		t.Fatal(err)
	}
	if again, err = readPOMDP(t.Context(), bytes.NewReader(x.Bytes()), "again", standard()); err != nil {
		t.Fatalf("%v\n%s", err, x.Bytes())
	}
	if err := compare(m, again, 1e-9); err != nil {
		t.Fatalf("%v\n%s", err, x.Bytes())
	}
}

func FuzzReadPOMDP(f *testing.F) {
	corpus(f, "*.*mdp", every, preamble+"start include: x\nT: * uniform\nO: * : *\n0 1\nR: a : * : * : * -1e3")
	f.Fuzz(func(t *testing.T, data []byte) { tryModel(t, data, readPOMDP) })
}

func FuzzReadPOMDPX(f *testing.F) {
	corpus(f, "*.pomdpx", rover, roverDD, minimal)
	f.Fuzz(func(t *testing.T, data []byte) { tryModel(t, data, readPOMDPX) })
}

// FuzzReadVectors reads α-vectors in either format, by their first byte.
func FuzzReadVectors(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		m := read3(t)
		read := ReadAlpha
		if len(data) > 0 && data[0] == '<' {
			read = ReadPolicy
		}
		vectors, err := read(t.Context(), bytes.NewReader(data), "fuzz", m)
		if err != nil {
			var located *Error
			if !errors.As(err, &located) || located.Line < 1 || located.Found == "" || located.Want == "" {
				t.Fatalf("%T %#v", err, err)
			}
			return
		}
		var file bytes.Buffer
		if err := WritePolicy(&file, m, vectors); err != nil {
			t.Fatal(err)
		}
		again, err := ReadPolicy(t.Context(), &file, "again", m)
		if err != nil || !reflect.DeepEqual(vectors, again) {
			t.Fatal(vectors, again, err)
		}
	})
}

// read3 is a model of three hidden states and two actions.
func read3(t *testing.T) *pomdp.Model { return read(t, preamble+"T: * identity\nO: * uniform\n") }
