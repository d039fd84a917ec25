package cover

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"bayescpace/bcpace"
)

func TestReadCSV(t *testing.T) {
	for text, want := range map[string][]float64{
		"1,2\n3,4\n":           {1, 2, 3, 4},
		"x,y\r\n1, 2\r\n3,4":   {1, 2, 3, 4},
		"\ufeffx\n\n1e3\n-2\n": {1000, -2},
		"\"1\",\"2\"\n":        {1, 2},
		"\ufeff7":              {7},
	} {
		p, err := ReadCSV(t.Context(), strings.NewReader(text))
		if err != nil || !slices.Equal(p.Coords, want) {
			t.Errorf("%q: %v, %v", text, p, err)
		}
	}
	input := (*bcpace.InputError)(nil)
	for text, want := range map[string]string{
		"": "list is empty", "\n\n": "list is empty", "x,y\n": "list is empty",
		"1,2\n3\n": "line 2 is 1 fields long", "x,y\n1,2,3\n": "line 2 is 3 fields long",
		"1,NaN\n": "field 2 of line 1", "1\ninf\n": "field 1 of line 2", "1e999\n": "field 1 of line 1", "1\n2\nx\n": "field 1 of line 3",
		"x,1\n2,3\n": "field 1 of line 1", "1,\n": "field 2 of line 1", "1\n\"2\n": "line",
		",\n1,2\n": "field 1 of line 1", "x\n2_5\n": `field 1 of line 2 is "2_5", want a number in decimal digits`, "2_5,3_0\n4,5\n": "field 1 of line 1",
		"4,5\n0x1p3,1\n": "field 1 of line 2", "1.5.2\n": "field 1 of line 1", "-1 000\n": "field 1 of line 1", "1\n" + strings.Repeat("y", 1000): "…",
	} {
		if _, err := ReadCSV(t.Context(), strings.NewReader(text)); !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// endless is a text that comes again and again.
type endless string

func (e endless) Read(b []byte) (int, error) {
	n := 0
	for n+len(e) <= len(b) {
		n += copy(b[n:], e)
	}
	return n, nil
}

func TestEndlessCSV(t *testing.T) {
	if _, err := ReadCSV(t.Context(), endless("1")); err == nil || !strings.Contains(err.Error(), "longer than 64 MB") {
		t.Error(err)
	}
}

// TestMemoryOfCSV: rows without an end are read until their coordinates take half of the memory of the program.
func TestMemoryOfCSV(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(10e6))
	input := (*bcpace.InputError)(nil)
	_, err := ReadCSV(t.Context(), endless("1,2\n"))
	if !errors.As(err, &input) || !strings.Contains(err.Error(), "4.76837158203125 MB") || !strings.Contains(err.Error(), "GOMEMLIMIT") {
		t.Error(err)
	}
	if err := CheckRoom(5e6 / 8); err != nil {
		t.Error(err)
	}
}

// TestInterruptedCSV: a text without an end is read until the context ends, also where it has no more to read.
func TestInterruptedCSV(t *testing.T) {
	for name, r := range map[string]func() io.Reader{
		"rows": func() io.Reader { return endless("1,2\n") },
		"none": func() io.Reader { r, _ := io.Pipe(); return r },
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if _, err := ReadCSV(ctx, r()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWrittenCSV writes points in every way that CSV allows, and expects them back to the bit.
func TestWrittenCSV(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPoints(t, 20)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "form"), 1))
		form := func(of ...string) string { return of[rng.IntN(len(of))] }
		var b strings.Builder
		if rng.IntN(2) == 0 {
			b.WriteString("x" + strings.Repeat(`,"a ""name"", of two\nlines"`, p.Dim-1) + "\n")
		}
		for i := range p.Len() {
			for k, x := range p.At(i) {
				quote := form("", "", `"`)
				fmt.Fprintf(&b, "%s%s%s%s", form("", " ", "\t"), quote, strconv.FormatFloat(x, form("g", "e")[0], -1, 64), quote)
				if k < p.Dim-1 {
					b.WriteByte(',')
				}
			}
			b.WriteString(form("\n", "\r\n", "\n\n"))
		}
		q, err := ReadCSV(context.Background(), strings.NewReader(b.String()))
		if err != nil || q.Dim != p.Dim || !slices.Equal(q.Coords, p.Coords) {
			t.Fatalf("%q: %v, %v, want %v", b.String(), q, err, p)
		}
	})
}

// TestGarbageOfCSV: a row leaves little behind beside its coordinates.
func TestGarbageOfCSV(t *testing.T) {
	const rows = 20_000
	text := strings.Repeat("0.25,1.5,-3\n", rows)
	n := testing.AllocsPerRun(3, func() {
		if _, err := ReadCSV(t.Context(), strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	})
	if n > 1.1*rows {
		t.Errorf("%v allocations for %d rows", n, rows)
	}
}

func BenchmarkReadCSV(b *testing.B) {
	text := strings.Repeat("0.7364532871,0.2512378461,33.98734651\n", 100_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := ReadCSV(b.Context(), strings.NewReader(text)); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzReadCSV(f *testing.F) {
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ReadCSV(t.Context(), strings.NewReader(s))
		if err != nil {
			return
		}
		if p.Len() == 0 || p.Validate() != nil {
			t.Errorf("%+v from %q", p, s)
		}
	})
}

func TestDistances(t *testing.T) {
	for norm, want := range map[Norm]float64{L2: 5, Max: 4, L1: 7} {
		p := &Points{Dim: 2, Norm: norm, Coords: []float64{0, 0, 3, -4, 3, -4}, Kind: []int32{0, 0, 1}}
		if p.Distance(0, 1) != want || !math.IsInf(p.Distance(0, 2), 1) {
			t.Errorf("%v: %v, %v", norm, p.Distance(0, 1), p.Distance(0, 2))
		}
		at, err := Number(t.Context(), p, want, Options{Exact: true})
		if err != nil || at.Upper != (Interval{2, 2}) {
			t.Errorf("%v at %v: %+v, %v", norm, want, at, err)
		}
		if below, err := Number(t.Context(), p, want-0.1, Options{Exact: true}); err != nil || below.Upper != (Interval{3, 3}) {
			t.Errorf("%v below %v: %+v, %v", norm, want, below, err)
		}
	}
}
