package certified_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/runs"
)

// TestGivenLatentValues: a search starts from the latent values that are given, and says
// where they are no numbers. Read back, the run asks for them.
func TestGivenLatentValues(t *testing.T) {
	line := runtest.NewLine(rand.New(rand.NewPCG(1, 1)), false)
	grid, err := dp.SolveGrid(t.Context(), line, dp.GridOptions{NoError: true})
	if err != nil {
		t.Fatal(err)
	}
	more := dp.LatentFunc(func(s []float64, φ, a int) float64 { return grid.Q(s, φ, a) + 0.25 })
	s := certified.Solver{Epsilon: 0.3, MaxEpisodes: 5, CertificateEpisodes: 100, Latent: more}
	r, err := runs.Explore(t.Context(), line, s)
	if err != nil {
		t.Fatal(err)
	}
	at, b := []float64{0.35, 0}, bcpace.Belief{0.4, 0.6}
	if got, want := r.Upper(at, b, 1), dp.Expected(grid, at, b, 1)+0.25; math.Abs(got-want) > 1e-12 {
		t.Errorf("the bound at first is %v, want %v", got, want)
	}
	var file bytes.Buffer
	if _, err := r.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	if _, err := runs.Read(bytes.NewReader(file.Bytes()), runs.FixedModel(line), nil); err == nil {
		t.Error("read without its latent values")
	}
	back, err := runs.Read(bytes.NewReader(file.Bytes()), runs.FixedModel(line), more)
	if err != nil {
		t.Fatal(err)
	}
	if q, _ := back.Q(at, b, 1); math.IsNaN(q) || back.Certificate != r.Certificate || back.Parts != r.Parts {
		t.Errorf("read back: %v, %+v and %+v, want %+v and %+v", q, back.Certificate, back.Parts, r.Certificate, r.Parts)
	}
	if _, err := runs.Verify(t.Context(), back); err != nil {
		t.Errorf("Verify: %v", err)
	}
	s.Latent = dp.LatentFunc(func([]float64, int, int) float64 { return math.NaN() })
	_, err = runs.Explore(t.Context(), line, s)
	if input := new(bcpace.InputError); !errors.As(err, &input) || !strings.Contains(err.Error(), "latent values at state") {
		t.Errorf("NaN: %v", err)
	}
}
