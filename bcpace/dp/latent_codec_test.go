package dp_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// coded are models of both kinds of latent values.
func coded(t testing.TB) (models []bcpace.Model, bytes [][]byte) {
	for _, m := range []bcpace.Model{envs.Tiger{}, envs.LightDarkTiger{Width: 3, Height: 3, Sigma: 0.2}} {
		var v bcpace.LatentValues
		var err error
		if f, ok := bcpace.AsFinite(m); ok {
			v, err = dp.SolveFinite(context.Background(), f, 0)
		} else {
			v, err = dp.SolveGrid(context.Background(), m.(bcpace.Enumerator), dp.GridOptions{Step: 0.5})
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := dp.AppendLatentValues(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		models, bytes = append(models, m), append(bytes, b)
	}
	return models, bytes
}

func TestLatentValuesRoundTrip(t *testing.T) {
	models, data := coded(t)
	for i, m := range models {
		v, err := dp.DecodeLatentValues(data[i], m)
		if err != nil {
			t.Fatal(err)
		}
		again, err := dp.AppendLatentValues([]byte("before"), v)
		if err != nil || !bytes.Equal(again, append([]byte("before"), data[i]...)) {
			t.Errorf("model %d: decoding and encoding again changes the bytes (%v)", i, err)
		}
		fresh, err := dp.SolveLatent(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		s := make([]float64, len(m.Spec().Axes))
		if i == 0 && v.Q(s, 1, 2) != fresh.Q(s, 1, 2) {
			t.Errorf("Q is %v after a round trip, was %v", v.Q(s, 1, 2), fresh.Q(s, 1, 2))
		}
	}
	if _, err := dp.AppendLatentValues(nil, dp.LatentFunc(func([]float64, int, int) float64 { return 0 })); err == nil {
		t.Error("a function can be encoded")
	}
}

func TestDecodeLatentValuesRefuses(t *testing.T) {
	models, data := coded(t)
	refuse := func(name string, b []byte, m bcpace.Model) {
		t.Helper()
		if v, err := dp.DecodeLatentValues(b, m); !errors.Is(err, runs.ErrFormat) || v != nil {
			t.Errorf("%s: %v, %v", name, v, err)
		}
	}
	for i, m := range models {
		for n := range data[i] {
			refuse("truncated", data[i][:n], m)
		}
		refuse("longer", append(bytes.Clone(data[i]), make([]byte, 8)...), m)
		other := bytes.Clone(data[i])
		other[8] = 'x'
		refuse("unknown kind", other, m)
		nan := bytes.Clone(data[i])
		binary.LittleEndian.PutUint64(nan[len(nan)-8:], math.Float64bits(math.NaN()))
		refuse("not a number", nan, m)
		refuse("another model", data[i], envs.Chain{})
	}
	refuse("other parameters", data[0], envs.Tiger{Accuracy: 0.9})
	refuse("foreign", bytes.Repeat([]byte("PNG\x89"), 100), models[0])
	// A grid that claims 2³² points must not be allocated.
	huge := bytes.Clone(data[1])
	copy(huge[8+1+64+8+8+16:], []byte{0xff, 0xff, 0xff, 0xff})
	refuse("huge", huge, models[1])
}

func FuzzDecodeLatentValues(f *testing.F) {
	models, data := coded(f)
	for i, b := range data {
		f.Add(i, b)
		f.Add(i, b[:len(b)/2])
	}
	f.Fuzz(func(t *testing.T, i int, b []byte) {
		m := models[uint(i)%uint(len(models))]
		v, err := dp.DecodeLatentValues(b, m)
		if err != nil {
			return
		}
		again, err := dp.AppendLatentValues(nil, v)
		if err != nil || !bytes.Equal(again, b) {
			t.Errorf("accepted bytes are not those of their values (%v)", err)
		}
		v.Q(make([]float64, len(m.Spec().Axes)), 0, 0)
	})
}
