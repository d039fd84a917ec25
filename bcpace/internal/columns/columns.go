// Package columns reads and writes lists of numbers one after the other, as run files
// and checkpoints have them: little-endian, without their lengths, which the reader
// must know. A type passes its lists to a Columns, so that one description of its
// format serves to write, to read and to measure.
package columns

import (
	"encoding/binary"
	"errors"
	"math"
)

// ErrFormat is runs.ErrFormat, for what a run file has beside its samples.
var ErrFormat = errors.New("not a usable run file")

// Columns takes the lists of a format in their order. Each has n entries.
type Columns interface {
	Floats(x *[]float64, n int)
	Ints(x *[]int32, n int)
	Longs(x *[]int64, n int)
	Bools(x *[]bool, n int)
}

// Counter counts the bytes that the lists take. It looks at their lengths alone.
type Counter int

// Floats implements Columns.
func (c *Counter) Floats(_ *[]float64, n int) { *c += Counter(8 * n) }

// Ints implements Columns.
func (c *Counter) Ints(_ *[]int32, n int) { *c += Counter(4 * n) }

// Longs implements Columns.
func (c *Counter) Longs(_ *[]int64, n int) { *c += Counter(8 * n) }

// Bools implements Columns.
func (c *Counter) Bools(_ *[]bool, n int) { *c += Counter(n) }

// Encoder appends the lists to Out.
type Encoder struct{ Out []byte }

// Floats implements Columns.
func (e *Encoder) Floats(x *[]float64, _ int) { e.Out = AppendFloats(e.Out, *x...) }

// Ints implements Columns.
func (e *Encoder) Ints(x *[]int32, _ int) {
	for _, v := range *x {
		e.Out = binary.LittleEndian.AppendUint32(e.Out, uint32(v))
	}
}

// Longs implements Columns.
func (e *Encoder) Longs(x *[]int64, _ int) {
	for _, v := range *x {
		e.Out = binary.LittleEndian.AppendUint64(e.Out, uint64(v))
	}
}

// Bools implements Columns.
func (e *Encoder) Bools(x *[]bool, _ int) {
	for _, v := range *x {
		b := byte(0)
		if v {
			b = 1
		}
		e.Out = append(e.Out, b)
	}
}

// AppendFloats appends numbers as Encoder does.
func AppendFloats(dst []byte, x ...float64) []byte {
	for _, v := range x {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
	}
	return dst
}

// Decoder makes the lists from the beginning of In, and drops what it has read. The
// caller sees to it that In is long enough, by a Counter.
type Decoder struct{ In []byte }

// Floats implements Columns.
func (d *Decoder) Floats(x *[]float64, n int) {
	*x = make([]float64, n)
	for i := range *x {
		(*x)[i] = FloatAt(d.In, 8*i)
	}
	d.In = d.In[8*n:]
}

// Ints implements Columns.
func (d *Decoder) Ints(x *[]int32, n int) {
	*x = make([]int32, n)
	for i := range *x {
		(*x)[i] = int32(binary.LittleEndian.Uint32(d.In[4*i:]))
	}
	d.In = d.In[4*n:]
}

// Longs implements Columns.
func (d *Decoder) Longs(x *[]int64, n int) {
	*x = make([]int64, n)
	for i := range *x {
		(*x)[i] = int64(binary.LittleEndian.Uint64(d.In[8*i:]))
	}
	d.In = d.In[8*n:]
}

// Bools implements Columns.
func (d *Decoder) Bools(x *[]bool, n int) {
	*x = make([]bool, n)
	for i := range *x {
		(*x)[i] = d.In[i] != 0
	}
	d.In = d.In[n:]
}

// FloatAt reads the number that begins at byte i.
func FloatAt(data []byte, i int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(data[i:]))
}
