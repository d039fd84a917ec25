package explicit_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/explicit"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/pomdp"
)

// TestFromPOMDP: what is asked of a model that was written has the value of the model that it was made of, for random ones with a discount
// or a horizon, what is seen at the start told or hidden.
func TestFromPOMDP(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	value := func(m *pomdp.Model) float64 {
		s, err := sarsop.Solver{Epsilon: 1e-8}.SolvePOMDP(t.Context(), m, bcpace.Control{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if s.Certificate.Upper-s.Certificate.Lower > 1e-5*(1+math.Abs(s.Value)) {
			t.Fatalf("[%v, %v] is no value", s.Certificate.Lower, s.Certificate.Upper)
		}
		return s.Value
	}
	for i := range 60 {
		m := pomdptest.Random(rng, 1+rng.IntN(2), 2, 0.3+0.3*rng.Float64())
		switch i % 3 {
		case 0:
			m.Discount, m.Horizon = 1, 3
		case 1: // costs alone
			for _, list := range m.Reward {
				for s := range list {
					list[s] = -math.Abs(list[s])
				}
			}
		}
		x, p, warnings, err := explicit.FromPOMDP(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		if least, most := signs(m); p.Minimize != (most == 0 && least < 0) || len(warnings) > 0 != (least < 0 && most > 0) {
			t.Errorf("%v with warnings %q", p, warnings)
		}
		back, err := explicit.Read(t.Context(), strings.NewReader(written(t, x)), "back.drn")
		if err != nil {
			t.Fatal(err)
		}
		again, err := back.POMDP(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := pomdp.KeepHorizon(m)
		if err != nil {
			t.Fatal(err)
		}
		if v, w := value(kept), value(again); math.Abs(v-w) > 1e-4*(1+math.Abs(v)) {
			t.Fatalf("model %d: %v became %v", i, v, w)
		}
	}
}

// signs returns the least and the largest reward, or 0.
func signs(m *pomdp.Model) (least, most float64) {
	for _, list := range m.Reward {
		least, most = min(least, slices.Min(list)), max(most, slices.Max(list))
	}
	return least, most
}

// TestFromGoal: the cost of the way to a goal is the same after a model was written, also where it may be waited for nothing, which a warning says.
func TestFromGoal(t *testing.T) {
	m := pomdptest.New(1, 3, 2, 2, 1, []float64{.5, .5, 0})
	row := func(p ...float64) []float64 { return p }
	pomdptest.Append(m, [][]float64{row(.5, 0, .5), row(0, 1, 0), row(0, 0, 1)}, [][]float64{row(1, 0), row(.5, .5), row(0, 1)}, []float64{-1, -1, 0})
	pomdptest.Append(m, [][]float64{row(1, 0, 0), row(0, .5, .5), row(0, 0, 1)}, [][]float64{row(1, 0), row(.5, .5), row(0, 1)}, []float64{-1, -1, 0})
	x, p, warnings, err := explicit.FromPOMDP(t.Context(), m)
	if err != nil || len(warnings) != 1 || p.String() != `R{"cost"}min=? [F "goal"]` {
		t.Fatalf("%v, %q, %v", p, warnings, err)
	}
	again, err := x.POMDP(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pomdp.AsBAMDP(t.Context(), again); !errors.As(err, new(*bcpace.UnsupportedError)) {
		t.Errorf("a BAMDP of a model that must end: %v", err)
	}
	for _, m := range []*pomdp.Model{m, again} {
		s, err := sarsop.Solver{Epsilon: 1e-6}.SolvePOMDP(t.Context(), m, bcpace.Control{Workers: 1})
		if err != nil || s.Certificate.Upper-s.Certificate.Lower > 1e-5 {
			t.Fatalf("[%v, %v], %v", s.Certificate.Lower, s.Certificate.Upper, err)
		}
		if math.Abs(s.Value+2.75) > 1e-5 {
			t.Errorf("%v, want %v", s.Value, -2.75)
		}
	}
}
