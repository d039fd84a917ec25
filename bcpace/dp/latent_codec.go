package dp

import (
	"encoding"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/fingerprint"
	"bayescpace/bcpace/internal/columns"
	"bayescpace/bcpace/internal/grid"
	"bayescpace/bcpace/internal/num"
)

// Encoded latent values are, with all numbers little-endian:
//
//	8 bytes   magic, with the version in the last byte
//	1 byte    kind: 'f' FiniteValues, 'g' GridValues, 'b' those with bends
//	64 bytes  fingerprint of the model's Spec
//	8 bytes   Error
//	grid:     8 bytes MeanError, and for each axis 8 bytes Min, 8 bytes Step,
//	          4 bytes Points, 1 byte: 1 for Discrete, 2 for Wraps
//	          Table, 8 bytes each, to the end or to the bends, 8 bytes each
//
// How many latents, actions, axes and states there are is known from the model.
const (
	latentMagic       = "bcp-lat\x01"
	latentFinite      = 'f'
	latentGrid        = 'g'
	latentBent        = 'b' // a grid with bends, which come after its values
	latentFingerprint = 64
	latentAxisBytes   = 8 + 8 + 4 + 1
)

var (
	_ encoding.BinaryAppender = (*FiniteValues)(nil)
	_ encoding.BinaryAppender = (*GridValues)(nil)
)

// AppendLatentValues appends the encoding of v to dst: of *FiniteValues,
// *GridValues, or the user's own type that is an encoding.BinaryAppender. The
// error is an *InputError for any other, such as a LatentFunc.
func AppendLatentValues(dst []byte, v bcpace.LatentValues) ([]byte, error) {
	if a, ok := v.(encoding.BinaryAppender); ok {
		return a.AppendBinary(dst)
	}
	return dst, bcpace.In("encoding latent values").Bad("the type", fmt.Sprintf("%T", v), "*FiniteValues, *GridValues or an encoding.BinaryAppender")
}

// AppendBinary appends the encoding that DecodeLatentValues reads. It returns
// no error.
func (v *FiniteValues) AppendBinary(dst []byte) ([]byte, error) {
	v = v.Disaggregate()
	dst = appendLatentHead(dst, latentFinite, v.states.model.Spec())
	dst = columns.AppendFloats(dst, v.Error)
	return columns.AppendFloats(dst, v.Table...), nil
}

// AppendBinary appends the encoding that DecodeLatentValues reads. It returns
// no error.
func (v *GridValues) AppendBinary(dst []byte) ([]byte, error) {
	if v.bends == nil {
		dst = appendLatentHead(dst, latentGrid, v.spec)
	} else {
		dst = appendLatentHead(dst, latentBent, v.spec)
	}
	dst = columns.AppendFloats(dst, v.Error, v.MeanError)
	for _, a := range v.Axes {
		dst = columns.AppendFloats(dst, a.Min, a.Step)
		dst = binary.LittleEndian.AppendUint32(dst, uint32(a.Points))
		kind := byte(0)
		if a.Discrete {
			kind |= 1
		}
		if a.Wraps {
			kind |= 2
		}
		dst = append(dst, kind)
	}
	return columns.AppendFloats(columns.AppendFloats(dst, v.Table...), v.BendTable()...), nil
}

func appendLatentHead(dst []byte, kind byte, spec bcpace.Spec) []byte {
	dst = append(dst, latentMagic...)
	dst = append(dst, kind)
	return append(dst, fingerprint.OfSpec(spec)...)
}

// DecodeLatentValues reads what AppendBinary of FiniteValues or GridValues
// wrote, all of data, for the same model m. It allocates no more than data's
// length. Bytes that are foreign, truncated, damaged or of another model give
// an error that says which and is runs.ErrFormat to errors.Is.
func DecodeLatentValues(data []byte, m bcpace.Model) (bcpace.LatentValues, error) {
	head := len(latentMagic) + 1 + latentFingerprint + 8
	if len(data) < head {
		return nil, latentFault("they are truncated to %d bytes", len(data))
	}
	if string(data[:len(latentMagic)]) != latentMagic {
		return nil, latentFault("they do not begin like version %d of them", latentMagic[len(latentMagic)-1])
	}
	kind := data[len(latentMagic)]
	spec := m.Spec()
	if string(data[len(latentMagic)+1:head-8]) != fingerprint.OfSpec(spec) {
		return nil, latentFault("they belong to another model than %s, or to other parameters of it", strconv.Quote(spec.Name))
	}
	bound := columns.FloatAt(data, head-8)
	rest := data[head:]
	switch kind {
	case latentFinite:
		return decodeFinite(rest, bound, spec, m)
	case latentGrid, latentBent:
		return decodeGrid(rest, bound, spec, kind == latentBent)
	}
	return nil, latentFault("they are of unknown kind %q", kind)
}

func decodeFinite(data []byte, bound float64, spec bcpace.Spec, m bcpace.Model) (_ bcpace.LatentValues, err error) {
	f, ok := bcpace.AsFinite(m)
	if !ok {
		return nil, &bcpace.UnsupportedError{Model: spec.Name, Algorithm: "reading the values of numbered states", Need: "a numbered state set (Finite)"}
	}
	if !(bound >= 0) || math.IsInf(bound, 1) {
		return nil, latentFault("their error is %v", bound)
	}
	v := &FiniteValues{Error: bound, states: number(f), latents: len(spec.Latents), actions: len(spec.Actions)}
	if v.Table, err = decodeTable(data, f.NumStates(), v.latents, v.actions); err != nil {
		return nil, err
	}
	return v, nil
}

func decodeGrid(data []byte, bound float64, spec bcpace.Spec, bent bool) (_ bcpace.LatentValues, err error) {
	if len(data) < 8+len(spec.Axes)*latentAxisBytes {
		return nil, latentFault("they are truncated within the grid's axes")
	}
	v := &GridValues{Axes: make([]GridAxis, len(spec.Axes)), Error: bound, MeanError: columns.FloatAt(data, 0),
		spec: spec, latents: len(spec.Latents), actions: len(spec.Actions)}
	if v.Error < 0 || v.MeanError < 0 || math.IsInf(v.Error, 0) || math.IsInf(v.MeanError, 0) {
		return nil, latentFault("their errors are %v and %v", v.Error, v.MeanError)
	}
	data = data[8:]
	points, continuous := 1, 0
	for i, a := range spec.Axes {
		g := GridAxis{Min: columns.FloatAt(data, 0), Step: columns.FloatAt(data, 8), Points: int(binary.LittleEndian.Uint32(data[16:])), Discrete: data[20]&1 != 0, Wraps: data[20]&2 != 0}
		if data[20] > 2 || !fits(g, a) {
			return nil, latentFault("the grid on axis %s is %+v, which does not fit the model", strconv.Quote(a.Name), g)
		}
		if g.Points > 1 && !g.Discrete {
			continuous++
		}
		// Every point has a value, so no grid has more points than data bytes.
		if points *= g.Points; points > len(data) {
			return nil, latentFault("a grid of %d points or more stands over %d bytes of values", points, len(data))
		}
		v.Axes[i] = g
		data = data[latentAxisBytes:]
	}
	if continuous > grid.MaxAxes {
		return nil, latentFault("the grid has %d continuous axes, want at most %d", continuous, grid.MaxAxes)
	}
	if bent {
		n := min(8*points*v.latents*v.actions, len(data))
		var table []float64
		(&columns.Decoder{In: data[n:]}).Floats(&table, (len(data)-n)/8)
		var ok bool
		if v.bends, ok = grid.NewBends(v.Axes, v.latents, table); !ok || (len(data)-n)%8 != 0 || slices.ContainsFunc(table, func(x float64) bool { return !num.Finite(x) }) {
			return nil, latentFault("%d bytes after their %d points do not say how they bend", len(data)-n, points)
		}
		data = data[:n]
	}
	if v.Table, err = decodeTable(data, points, v.latents, v.actions); err != nil {
		return nil, err
	}
	return v, nil
}

// fits reports whether g is a grid on axis a that SolveGrid could have made.
func fits(g GridAxis, a bcpace.Axis) bool {
	length := a.Max - a.Min
	switch {
	case g.Min != a.Min || g.Discrete != a.Discrete || g.Wraps && a.Period == 0 || !(g.Step > 0) || g.Points < 1:
		return false
	case g.Points == 1 && !g.Discrete || math.IsInf(a.Scale, 1) || length == 0:
		return g.Points == 1
	case a.Discrete:
		return g.Step == 1 && float64(g.Points-1) == math.Floor(length)
	case a.Period > 0:
		return g.Wraps && g.Points > 1 && math.Abs(float64(g.Points)*g.Step-length) <= 1e-9*length
	}
	return g.Points > 1 && math.Abs(float64(g.Points-1)*g.Step-length) <= 1e-9*length
}

// decodeTable reads points × latents × actions values, all of data.
func decodeTable(data []byte, points, latents, actions int) ([]float64, error) {
	// The division keeps the product from overflowing.
	n := len(data) / 8
	if len(data)%8 != 0 || points < 0 || n%(latents*actions) != 0 || n/(latents*actions) != points {
		return nil, latentFault("they hold %d bytes of values for %d points × %d latents × %d actions", len(data), points, latents, actions)
	}
	var table []float64
	(&columns.Decoder{In: data}).Floats(&table, n)
	for i, x := range table {
		if !num.Finite(x) {
			return nil, latentFault("value %d is %v", i, x)
		}
	}
	return table, nil
}

// latentFormatError is runs.ErrFormat with a message of its own, as the values may
// stand in a file that names itself or in no file at all.
type latentFormatError struct{ what string }

func (e *latentFormatError) Error() string { return "encoded latent values: " + e.what }
func (e *latentFormatError) Unwrap() error { return columns.ErrFormat }

func latentFault(format string, args ...any) error {
	return &latentFormatError{fmt.Sprintf(format, args...)}
}
