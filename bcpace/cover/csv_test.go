package cover

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

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
		p, err := ReadCSV(strings.NewReader(text))
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
		if _, err := ReadCSV(strings.NewReader(text)); !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// endless is a line without an end.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = '1'
	}
	return len(b), nil
}

func TestEndlessCSV(t *testing.T) {
	if _, err := ReadCSV(endless{}); err == nil || !strings.Contains(err.Error(), "longer than 64 MB") {
		t.Error(err)
	}
}

func FuzzReadCSV(f *testing.F) {
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ReadCSV(strings.NewReader(s))
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
