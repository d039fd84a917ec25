package numtext

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestRounding(t *testing.T) {
	for _, c := range []struct {
		x        float64
		decimals int
		down, up float64
	}{
		{19.3713576, 4, 19.3713, 19.3714}, {19.3722, 4, 19.3722, 19.3722}, {-19.3713576, 4, -19.3714, -19.3713},
		{0.1, 4, 0.1, 0.1}, {0, 3, 0, 0}, {9.99996, 4, 9.9999, 10}, {1234567, -2, 1234500, 1234600}, {-1234567, -2, -1234600, -1234500},
		{1e-7, 3, 0, 0.001}, {-1e-7, 3, -0.001, 0}, {-1e-17, 0, -1, 0}, {1e-20, 3, 0, 0.001}, {-1e-17, -2, -100, 0}, {48.08105, 5, 48.08105, 48.08105},
	} {
		if down, up := Down(c.x, c.decimals), Up(c.x, c.decimals); down != c.down || up != c.up {
			t.Errorf("%v to %d decimals: %v and %v, want %v and %v", c.x, c.decimals, down, up, c.down, c.up)
		}
	}
	for _, x := range []float64{math.Inf(1), math.Inf(-1)} {
		if Down(x, 3) != x || Up(x, 3) != x {
			t.Errorf("%v is %v and %v", x, Down(x, 3), Up(x, 3))
		}
	}
	if !math.IsNaN(Down(math.NaN(), 3)) || !math.IsNaN(Up(math.NaN(), 3)) {
		t.Error("NaN is a number")
	}
}

// What is written, as a fraction, is on the right side of the shortest decimal of x, and
// not a unit away.
func TestWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	fraction := func(s string) *big.Rat { r, _ := new(big.Rat).SetString(s); return r }
	for range 20_000 {
		x := (rng.Float64() - 0.5) * math.Pow10(rng.IntN(9)-3)
		decimals := min(Digits(x, 1+rng.IntN(9)), 9)
		if decimals < 0 {
			continue
		}
		exact := fraction(strconv.FormatFloat(x, 'f', -1, 64))
		unit := fraction("1e-" + strconv.Itoa(decimals))
		down, up := fraction(strconv.FormatFloat(Down(x, decimals), 'f', decimals, 64)), fraction(strconv.FormatFloat(Up(x, decimals), 'f', decimals, 64))
		if down.Cmp(exact) > 0 || up.Cmp(exact) < 0 {
			t.Fatalf("%v to %d decimals is not between %v and %v", x, decimals, down, up)
		}
		if gap := new(big.Rat).Sub(up, down); gap.Cmp(unit) > 0 {
			t.Fatalf("%v to %d decimals: %v and %v are more than a unit apart", x, decimals, down, up)
		}
	}
}
