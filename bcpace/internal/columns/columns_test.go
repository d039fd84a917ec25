package columns

import (
	"math"
	"slices"
	"testing"
)

type table struct {
	floats []float64
	ints   []int32
	bools  []bool
}

func (t *table) columns(c Columns, n int) {
	c.Floats(&t.floats, n)
	c.Ints(&t.ints, n)
	c.Bools(&t.bools, n)
}

// TestRoundTrip expects what is written to be read back to the last bit, in as many
// bytes as were counted, and the rest to be left alone.
func TestRoundTrip(t *testing.T) {
	in := table{[]float64{0, math.Copysign(0, -1), math.MaxFloat64}, []int32{-1, 0, math.MaxInt32}, []bool{true, false, true}}
	var e Encoder
	in.columns(&e, 3)
	var size Counter
	in.columns(&size, 3)
	if len(e.Out) != int(size) || int(size) != 3*(8+4+1) {
		t.Errorf("%d bytes, counted as %d, want 39", len(e.Out), int(size))
	}
	var out table
	d := Decoder{append(e.Out, 7)}
	out.columns(&d, 3)
	for i, x := range in.floats {
		if math.Float64bits(x) != math.Float64bits(out.floats[i]) {
			t.Errorf("number %d is %v, want %v", i, out.floats[i], x)
		}
	}
	if !slices.Equal(in.ints, out.ints) || !slices.Equal(in.bools, out.bools) || !slices.Equal(d.In, []byte{7}) {
		t.Errorf("read %v and left %v, want %v", out, d.In, in)
	}
}
