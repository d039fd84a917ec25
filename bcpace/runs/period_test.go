package runs_test

import (
	"bytes"
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/metric"
	"bayescpace/bcpace/runs"
	"bayescpace/envs/envtest"
)

// ring is a place on a circle, whose numbers begin somewhere. A wind from one side or the
// other moves it, and it pays to be at angle 2.
func ring(t testing.TB, begin float64) bcpace.Enumerator {
	m, err := bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{Name: "ring", Axes: []bcpace.Axis{{Name: "angle", Unit: "rad", Min: begin, Max: begin + 2*math.Pi, Period: 2 * math.Pi}},
			Actions: bcpace.Actions("back", "forth"), Latents: []string{"wind back", "wind forth"}, Discount: 0.8, RewardMin: -1, RewardMax: 1},
		Starts: [][]float64{{begin + math.Mod(2*math.Pi-begin, 2*math.Pi)}}, // angle 0
		Mean: func(mean, s []float64, latent, action int) {
			mean[0] = s[0] + 0.4*float64(2*action-1) + 0.2*float64(2*latent-1)
		},
		Sigma:  []float64{0.3},
		Reward: func(_ []float64, _, _ int, next []float64) float64 { return math.Cos(next[0] - 2) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestRing expects a ring to be the same wherever its numbers begin.
func TestRing(t *testing.T) {
	const step = 2 * math.Pi / 64
	first, second := ring(t, 0), ring(t, -24*step)
	envtest.Run(t, second)
	values := make([]*dp.GridValues, 2)
	for i, m := range []bcpace.Enumerator{first, second} {
		var err error
		if values[i], err = dp.SolveGrid(t.Context(), m, dp.GridOptions{Step: step}); err != nil {
			t.Fatal(err)
		}
		if n := values[i].Axes[0].Points; n != 64 {
			t.Errorf("%d points, want 64", n)
		}
	}
	for k := range 200 {
		x := 0.01 + float64(k)*math.Pi/100
		y := second.Spec().Axes[0].Wrap(x)
		for φ := range 2 {
			if a, b := values[0].Q([]float64{x}, φ, 1), values[1].Q([]float64{y}, φ, 1); !(math.Abs(a-b) < 1e-9) {
				t.Fatalf("Q(%v) is %v, and %v where the numbers begin elsewhere", x, a, b)
			}
		}
	}
	for φ := range 2 {
		if a, b := values[0].Q([]float64{0}, φ, 0), values[0].Q([]float64{2 * math.Pi}, φ, 0); a != b {
			t.Errorf("Q is %v at 0 and %v after a round", a, b)
		}
	}
	data, err := dp.AppendLatentValues(nil, values[1])
	if err != nil {
		t.Fatal(err)
	}
	v, err := dp.DecodeLatentValues(data, second)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := dp.AppendLatentValues(nil, v); err != nil || !bytes.Equal(again, data) {
		t.Errorf("decoding and encoding again changes the bytes (%v)", err)
	}

	var all []*runs.Run
	for _, m := range []bcpace.Enumerator{first, second} {
		r, err := runs.Explore(t.Context(), m, certified.Solver{Epsilon: 0.02, MaxSamples: 200, CertificateEpisodes: -1})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	if a, b := all[0].Certificate, all[1].Certificate; math.Abs(a.Lower-b.Lower) > 0.05 || math.Abs(a.Upper-b.Upper) > 0.05 {
		t.Errorf("bounds [%v, %v], and [%v, %v] where the numbers begin elsewhere", a.Lower, a.Upper, b.Lower, b.Upper)
	}
}

// TestMetricOfPeriods expects distances the shorter way round.
func TestMetricOfPeriods(t *testing.T) {
	spec := bcpace.Spec{Axes: []bcpace.Axis{{Name: "heading", Max: 3, Labels: []string{"north", "east", "south", "west"}, Period: 4},
		{Name: "angle", Min: -math.Pi, Max: math.Pi, Period: 2 * math.Pi, Scale: 2}, {Name: "x", Max: 10}}, Latents: []string{"one"}}
	m, b := metric.New(spec, 3), bcpace.Belief{1}
	for _, c := range []struct {
		x, y []float64
		want float64
	}{
		{[]float64{0, 0, 0}, []float64{3, 0, 0}, 3},
		{[]float64{0, 0, 0}, []float64{2, 0, 9}, 33},
		{[]float64{0, -math.Pi, 0}, []float64{0, math.Pi, 0}, 0},
		{[]float64{0, -3, 0}, []float64{0, 3, 0}, 3 * (2*math.Pi - 6) / 2},
	} {
		if got := m.Distance(c.x, b, c.y, b); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("distance of %v and %v is %v, want %v", c.x, c.y, got, c.want)
		}
	}
}
