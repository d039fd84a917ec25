package store

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"bayescpace/bcpace"
)

type stats struct {
	Mean, Err float64
	Returns   []float64
	By        map[string]int
}

func TestValue(t *testing.T) {
	s := open(t)
	calls := 0
	compute := func() (stats, error) {
		calls++
		return stats{math.Inf(-1), 5e-324, []float64{}, map[string]int{"a": 1}}, nil
	}
	first, origin, err := ValueIn(s, "eval", []any{fair, 100, "x"}, compute)
	if err != nil || origin != (Origin{}) {
		t.Fatalf("%+v, %v", origin, err)
	}
	second, origin, err := ValueIn(s, "eval", []any{fair, 100, "x"}, compute)
	if err != nil || origin != (Origin{Cached: true}) || calls != 1 {
		t.Fatalf("%+v, %v after %d calls", origin, err, calls)
	}
	if !reflect.DeepEqual(first, second) || !math.IsInf(second.Mean, -1) {
		t.Errorf("values are %#v and %#v, want the same", first, second)
	}
	for _, inputs := range [][]any{{fair, 101, "x"}, {fair, 100.0, "x"}, {coin{accuracy: 0.7}, 100, "x"}, {fair, 100}, {fair, 100, "x", nil}} {
		if _, origin, err := ValueIn(s, "eval", inputs, compute); err != nil || origin.Cached {
			t.Errorf("inputs %v: %+v, %v, want a new value", inputs, origin, err)
		}
	}
	if _, origin, _ := ValueIn(s, "eval 2", []any{fair, 100, "x"}, compute); origin.Cached {
		t.Error("another name got the same value")
	}
}

func TestValueRun(t *testing.T) {
	s := open(t)
	a, _, err := s.Memo(t.Context(), fair, options, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	o := options
	o.Seed = 9
	b, _, err := s.Memo(t.Context(), fair, o, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := s.Memo(t.Context(), fair, options, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		in     any
		cached bool
	}{{a, false}, {b, false}, {again, true}} {
		if _, origin, err := ValueIn(s, "n", []any{c.in}, func() (int, error) { return i, nil }); err != nil || origin.Cached != c.cached {
			t.Errorf("input %d: %+v, %v, want cached %v", i, origin, err, c.cached)
		}
	}
}

func TestValueErrors(t *testing.T) {
	s := open(t)
	type hidden struct{ a int }
	type loop struct{ Next *loop }
	if _, _, err := ValueIn(s, "x", nil, func() (hidden, error) { return hidden{1}, nil }); err == nil || !strings.Contains(err.Error(), "field a") {
		t.Errorf("a hidden field: %v", err)
	}
	if _, _, err := ValueIn(s, "x", nil, func() (loop, error) { return loop{}, nil }); err == nil {
		t.Error("a type that contains itself was accepted")
	}
	if _, _, err := ValueIn(s, "x", nil, func() (any, error) { return 1, nil }); err == nil {
		t.Error("an interface was accepted")
	}
	self := &loop{}
	self.Next = self
	for _, in := range []any{func() {}, self, make(chan int)} {
		if _, _, err := ValueIn(s, "x", []any{in}, func() (int, error) { return 1, nil }); err == nil || !strings.Contains(err.Error(), "plain data") {
			t.Errorf("input %T: %v", in, err)
		}
	}
}

func TestValueDamaged(t *testing.T) {
	s := open(t)
	get := func() (int, Origin) {
		t.Helper()
		v, origin, err := ValueIn(s, "x", nil, func() (int, error) { return 42, nil })
		if err != nil {
			t.Fatal(err)
		}
		return v, origin
	}
	get()
	files, _ := filepath.Glob(filepath.Join(s.Dir(), "value-*"))
	if len(files) != 1 {
		t.Fatalf("files are %v, want one", files)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) {
		if err := os.WriteFile(files[0], whole[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		if v, origin := get(); v != 42 || origin.Cached || origin.Damaged == nil || !strings.Contains(origin.Damaged.Error(), files[0]) {
			t.Fatalf("cut to %d bytes: %d, %+v", n, v, origin)
		}
	}
	if v, origin := get(); v != 42 || !origin.Cached {
		t.Errorf("replaced: %d, %+v", v, origin)
	}
}

func FuzzDecodeValue(f *testing.F) {
	whole, err := encodeValue(stats{1, 2, []float64{3}, map[string]int{"a": 1}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(valueMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		var v stats
		_ = decodeValue(data, &v) // no panic
	})
}
