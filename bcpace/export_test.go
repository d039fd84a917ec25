package bcpace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"bayescpace/bcpace/alpha"
)

// Reseal gives bytes the frame of a run file where they are long enough, so
// that a fuzzer gets past magic, version and checksum.
func Reseal(data []byte) []byte {
	if len(data) < runFixed+sha256.Size {
		return data
	}
	out := append([]byte(runMagic), data[len(runMagic):len(data)-sha256.Size]...)
	binary.LittleEndian.PutUint32(out[len(runMagic):], runVersion)
	sum := sha256.Sum256(out)
	return append(out, sum[:]...)
}

// CheckNodes compares the bounds that a certified run keeps at its nodes with
// those made anew from all samples and vectors.
func CheckNodes(r *Run) error {
	e := r.values.(*envelope)
	for n := range int32(len(e.state)) {
		s, b := int(e.state[n]), e.beliefOf(n)
		for a := range e.Actions {
			if got, want := e.upperAt(n, a), e.upperQ(s*e.Actions+a, b); got != want {
				return fmt.Errorf("U at node %d, action %d is %v, want %v", n, a, got, want)
			}
		}
		if got, want := e.lowerAt(n), e.best[s].Value(b); got != want {
			return fmt.Errorf("L at node %d is %v, want %v", n, got, want)
		}
		if got := alpha.Dot(b, e.value[int(e.lowBy[n])*e.Latents:][:e.Latents]); got != e.low[n] {
			return fmt.Errorf("the vector of node %d is worth %v there, and not %v", n, got, e.low[n])
		}
	}
	return nil
}

// BoxCone is boxCone.
func BoxCone(up, lo []float64, b1, b2 Belief) float64 { return boxCone(up, lo, b1, b2) }

// AppendLatentValues is appendLatentValues.
func AppendLatentValues(dst []byte, v LatentValues) ([]byte, error) {
	return appendLatentValues(dst, v)
}

// DecodeLatentValues is decodeLatentValues.
func DecodeLatentValues(data []byte, m Model) (LatentValues, error) {
	return decodeLatentValues(data, m)
}

// WholeEpisodes returns how many episodes Resume need not play again.
func (r *Run) WholeEpisodes() int { return r.values.Whole(r) }

// Classes returns how many states a certified run tells apart.
func Classes(r *Run) int { return r.values.(*envelope).States }

// Bounds returns U(s,b), L(s,b) and the policy's action of a certified run on a
// model with continuous states.
func Bounds(r *Run, s []float64, b Belief) (upper, lower float64, action int) {
	return r.values.(*continuum).newQuery().bounds(s, b)
}

// SpoilShortfall makes the first sample promise more than it may.
func SpoilShortfall(r *Run) {
	t := r.values.(*continuum).by[r.Samples.Action[0]]
	t.raise(0, t.lo[0]+0.1)
}

// StateLen returns the length of the state of a run.
func StateLen(r *Run) int { return len(r.state) }

// ChangeState changes the state of a run.
func ChangeState(r *Run, change func([]byte) []byte) { r.state = change(r.state) }

// WithHeader changes the header of a run file.
func WithHeader(file []byte, change func(map[string]any)) []byte {
	n := int(binary.LittleEndian.Uint32(file[len(runMagic)+4:]))
	var h map[string]any
	in := json.NewDecoder(bytes.NewReader(file[runFixed : runFixed+n]))
	in.UseNumber() // counts and seeds keep their digits
	if err := in.Decode(&h); err != nil {
		panic(err)
	}
	change(h)
	head, err := json.Marshal(h)
	if err != nil {
		panic(err)
	}
	out := append([]byte(runMagic), file[len(runMagic):len(runMagic)+4]...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(head)))
	return Reseal(append(append(out, head...), file[runFixed+n:]...))
}

// RaiseVector has the last α-vector of a certified run promise more.
func RaiseVector(r *Run, by float64) {
	e := r.values.(*envelope)
	for i := range e.Latents {
		e.value[len(e.value)-1-i] += by
	}
}

// LowerState lowers the values of the samples in the state of a certified run.
func LowerState(state []byte, r *Run, by float64) []byte {
	_, samples := restorable(r)
	for j := range samples {
		q := state[4*4+8*j:]
		binary.LittleEndian.PutUint64(q, math.Float64bits(math.Float64frombits(binary.LittleEndian.Uint64(q))-by))
	}
	return state
}

// GridUpper is the upper bound that a certified run on m would have from grids.
func GridUpper(ctx context.Context, m Enumerator, epsilon float64) (float64, error) {
	return gridUpper(ctx, m, epsilon/16)
}

// KnownReason tells whether Verify knows a reason to stop.
func KnownReason(s StopReason) bool {
	_, ok := reasons[s]
	return ok
}
