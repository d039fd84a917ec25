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
func (e *Encoder) Ints(x *[]int32, _ int) { e.Out = appended(e.Out, *x) }

// Longs implements Columns.
func (e *Encoder) Longs(x *[]int64, _ int) { e.Out = appended(e.Out, *x) }

// Bools implements Columns.
func (e *Encoder) Bools(x *[]bool, _ int) { e.Out = appended(e.Out, *x) }

// AppendFloats appends numbers as Encoder does.
func AppendFloats(dst []byte, x ...float64) []byte { return appended(dst, x) }

func appended(dst []byte, list any) []byte {
	dst, err := binary.Append(dst, binary.LittleEndian, list)
	if err != nil {
		panic(err) // a list whose entries have no fixed size, which no caller has
	}
	return dst
}

// Decoder makes the lists from the beginning of In, and drops what it has read. The
// caller sees to it that In is long enough, by a Counter.
type Decoder struct{ In []byte }

// Floats implements Columns.
func (d *Decoder) Floats(x *[]float64, n int) { decode(d, x, n) }

// Ints implements Columns.
func (d *Decoder) Ints(x *[]int32, n int) { decode(d, x, n) }

// Longs implements Columns.
func (d *Decoder) Longs(x *[]int64, n int) { decode(d, x, n) }

// Bools implements Columns.
func (d *Decoder) Bools(x *[]bool, n int) { decode(d, x, n) }

func decode[T any](d *Decoder, x *[]T, n int) {
	*x = make([]T, n)
	size := binary.Size(*x)
	if _, err := binary.Decode(d.In[:size], binary.LittleEndian, *x); err != nil {
		panic(err) // as in appended
	}
	d.In = d.In[size:]
}

// FloatAt reads the number that begins at byte i.
func FloatAt(data []byte, i int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(data[i:]))
}
