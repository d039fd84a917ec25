package cover

import (
	"math"
	"slices"
	"testing"

	"bayescpace/bcpace/internal/num"
)

// TestDimensionEnds: N = 9·ε^−2, so that log C = log 9, between a net of 2 points and
// nets of more than half the set, which take no part.
func TestDimensionEnds(t *testing.T) {
	c := &Curve{Points: 2 * 9 << 14}
	for k := -1; k < 9; k++ {
		c.Epsilon, c.Net = append(c.Epsilon, math.Ldexp(1, -k)), append(c.Net, int(math.Ldexp(9, 2*k)))
	}
	d, err := c.Dimension()
	if err != nil || d.From != 1 || d.To != 9 || math.Abs(d.Intercept-math.Log(9)) > 1e-9 {
		t.Errorf("%+v, %v, want entries 1 to 8 of %v and log 9", d, err, c.Net)
	}
	c.Net[0] = 3
	if d, err := c.Dimension(); err != nil || d.From != 0 {
		t.Errorf("%+v, %v, want all from a net of 3 points on", d, err)
	}
}

// TestCurveMost: a star's centre alone covers it, and its ends are farther than ε
// apart, so that α is the number of ends, which Most must not be below.
func TestCurveMost(t *testing.T) {
	star := &Points{Dim: 2, Coords: []float64{0, 0, 1, 0, -1, 0, 0, 1, 0, -1}}
	c, err := NewCurve(t.Context(), star, []float64{2, 1.5, 1}, CurveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, epsilon := range c.Epsilon {
		x, err := Number(t.Context(), star, epsilon, Options{Exact: true})
		if err != nil || !x.Independence.Exact() || c.Net[i] != 1 || c.Most[i] < x.Independence.Upper {
			t.Errorf("ε = %v: net %d, at most %d, α %v, %v", epsilon, c.Net[i], c.Most[i], x.Independence, err)
		}
	}
	if c, err := NewCurve(t.Context(), star, []float64{2, 1}, CurveOptions{MaxOrder: 1}); err != nil || c.Most[0] != -1 || c.Most[1] != -1 {
		t.Errorf("%+v, %v, want no upper bound from an order of one point", c, err)
	}
}

// Two states that differ in the sign of a zero are one.
func TestKeyOfZero(t *testing.T) {
	if x, y := num.AppendKey(nil, []float64{0, 1}), num.AppendKey(nil, []float64{math.Copysign(0, -1), 1}); !slices.Equal(x, y) {
		t.Errorf("%v and %v", x, y)
	}
	p := &Points{Dim: 2, Coords: []float64{0, 1, math.Copysign(0, -1), 1, 0, 2}}
	if got := p.Distinct(); !slices.Equal(got, []int{0, 2}) {
		t.Errorf("distinct points %v, want 0 and 2", got)
	}
}
