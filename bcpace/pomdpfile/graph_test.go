package pomdpfile

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/pomdp"
)

// heard is a model of two actions and two observations.
const heard = "discount: 0.5\nvalues: reward\nstates: 2\nactions: 2\nobservations: 2\nT: * identity\nO: * uniform\n"

// leads returns what follows each of two observations, −1 for nothing.
func leads(nodes ...int32) map[pomdp.Sight][]pomdp.Entry {
	next := map[pomdp.Sight][]pomdp.Entry{}
	for o, n := range nodes {
		if n >= 0 {
			next[pomdp.Sight{Observation: int32(o)}] = []pomdp.Entry{{At: n, Value: 1}}
		}
	}
	return next
}

func TestGraph(t *testing.T) {
	m := read(t, heard)
	want := &pomdp.Controller{Nodes: []pomdp.Node{{Action: 1, Next: leads(1, -1), Place: "line 1"}, {Action: 0, Next: leads(-1, 0), Place: "line 3"}}}
	got, err := ReadGraph(t.Context(), strings.NewReader("0 1  1 - \r\n\r\n1 0  X 0 \n"), "f", m)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	var file strings.Builder
	if err := WriteGraph(&file, m, want); err != nil || file.String() != "0 1  1 0\n1 0  0 0\n" {
		t.Errorf("%q, %v", file.String(), err)
	}
	for text, part := range map[string]string{
		"":                        "f:1:1: found the end of the file, want node 0 at the beginning of a line",
		"1 0 0 0":                 `f:1:1: found "1", want node 0`,
		"0 0 0 0\n0 0 0 0":        `f:2:1: found "0", want node 1`,
		"0 2 0 0":                 `f:1:3: found "2", want an action from 0 to 1`,
		"0\n0 0 0":                `f:2:1: found "0", want an action`,
		"0 0 0":                   "f:1:6: found the end of the file, want a node for each of 2 observations",
		"0 0 0\n1 0 0 0":          `f:2:1: found "1", want a node for each of 2 observations`,
		"0 0 0\n-":                `f:2:1: found "-", want a node for each of 2 observations`,
		"0 0 0 0 0":               `f:1:9: found "0", want node 1 at the beginning of a line, with 2 observations`,
		"0 0 0 0 1 0 0 0":         `f:1:9: found "1", want node 1 at the beginning of a line`,
		"0 0 0 *":                 "want a node for each of 2 observations",
		"0 0 0 -1":                `found "-1", want a node`,
		"0 0 0 0\n1 0 2 0\n":      "f:2: found node 2 after observation 0, want a node from 0 to 1",
		"0 0 0 99999999999999999": "want a node for each of 2 observations",
	} {
		if _, err := ReadGraph(t.Context(), strings.NewReader(text), "f", m); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q: %v, want %q", text, err, part)
		}
	}
}

// A policy graph says nothing of visible states.
func TestGraphVisible(t *testing.T) {
	m := read(t, rover)
	_, err := ReadGraph(t.Context(), strings.NewReader("0 0 0"), "f", m)
	for _, err := range []error{err, WriteGraph(new(bytes.Buffer), m, &pomdp.Controller{})} {
		if !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("error %v", err)
		}
	}
}

// A graph whose nodes take more memory than there is ends with an error before they take it.
func TestGraphMemory(t *testing.T) {
	m := read(t, heard)
	var text strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&text, "%d 0 0 0\n", i)
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(10e6))
	_, err := ReadGraph(t.Context(), strings.NewReader(text.String()), "f", m)
	if err == nil || !strings.Contains(err.Error(), "memory") {
		t.Error(err)
	}
}

// FuzzReadGraph reads a policy graph, and writes it so that it is read again.
func FuzzReadGraph(f *testing.F) {
	for _, text := range []string{"0 1  1 0\n1 0  0 1\n", "0 0 - X\n", "0 1 1 1"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m := read(t, heard)
		c, err := ReadGraph(t.Context(), bytes.NewReader(data), "fuzz", m)
		if err != nil {
			var located *Error
			if !errors.As(err, &located) || located.Line < 1 || located.Found == "" || located.Want == "" {
				t.Fatalf("%T %#v", err, err)
			}
			return
		}
		var file, again bytes.Buffer
		if err := WriteGraph(&file, m, c); err != nil {
			t.Fatal(err)
		}
		if c, err = ReadGraph(t.Context(), bytes.NewReader(file.Bytes()), "again", m); err != nil {
			t.Fatal(err)
		}
		if err := WriteGraph(&again, m, c); err != nil || !bytes.Equal(file.Bytes(), again.Bytes()) {
			t.Fatal(err)
		}
	})
}
