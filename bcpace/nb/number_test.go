package nb

import (
	"math"
	"slices"
	"testing"
)

func TestFormatFloat(t *testing.T) {
	for _, c := range []struct {
		x    float64
		want string
	}{
		{0, "0"},
		{math.Copysign(0, -1), "0"},
		{1, "1"},
		{-1, "-1"},
		{0.5, "0.5"},
		{1.0 / 3, "0.3333"},
		{-2.0 / 3, "-0.6667"},
		{0.99996, "1"},
		{12.3456, "12.35"},
		{1234.5, "1,234"}, // strconv rounds to even
		{12345.678, "12,346"},
		{999999, "999,999"},
		{123456789, "1.235e8"},
		{1e6, "1e6"},
		{-2.5e10, "-2.5e10"},
		{0.0001, "0.0001"},
		{0.00012345, "0.0001234"},
		{0.00001, "1e-5"},
		{1e-12, "1e-12"},
		{-1.23456e-300, "-1.235e-300"},
		{5e-324, "4.941e-324"},
		{math.MaxFloat64, "1.798e308"},
		{math.NaN(), "NaN"},
		{math.Inf(1), "∞"},
		{math.Inf(-1), "-∞"},
	} {
		if got := formatFloat(c.x); got != c.want {
			t.Errorf("formatFloat(%v) = %q, want %q", c.x, got, c.want)
		}
	}
}

func TestFormatColumn(t *testing.T) {
	for _, c := range []struct {
		xs   []float64
		want []string
	}{
		{nil, []string{}},
		{[]float64{1, 2, 300}, []string{"1", "2", "300"}},
		{[]float64{0.5, 0.25, -100}, []string{"0.50", "0.25", "-100.00"}},
		{[]float64{0.85, 0, 1e-12, math.NaN()}, []string{"0.85", "0.00", "1e-12", "NaN"}},
		{[]float64{0.001234, 123.4}, []string{"0.001234", "123.4"}}, // too many decimals to align
		{[]float64{-0.001, 5001.5}, []string{"-0.001", "5,001.500"}},
	} {
		var cells []cell
		for _, x := range c.xs {
			cells = append(cells, makeCell(x))
		}
		if got := formatColumn(cells, true); !slices.Equal(got, c.want) {
			t.Errorf("formatColumn(%v) = %q, want %q", c.xs, got, c.want)
		}
	}
}

// TestBoundsAreRoundedOutward: a bound that is shown holds, whatever stands around it.
func TestBoundsAreRoundedOutward(t *testing.T) {
	for _, c := range []struct {
		x         float64
		low, high string // with four digits
	}{
		{19.3769, "19.37", "19.38"}, {-19.3769, "-19.38", "-19.37"}, {19.37, "19.37", "19.37"}, {9.99996, "9.999", "10"},
		{1234567, "1.234e6", "1.235e6"}, {1.23456e-7, "1.234e-7", "1.235e-7"}, {0, "0", "0"}, {12345.6, "12,345", "12,346"},
		{math.Inf(-1), "-∞", "-∞"}, {math.NaN(), "NaN", "NaN"},
	} {
		if low, high := text(atLeast(c.x)), text(atMost(c.x)); low != c.low || high != c.high {
			t.Errorf("%v is at least %s and at most %s, want %s and %s", c.x, low, high, c.low, c.high)
		}
	}
	t1 := Table{Header: []string{"lower", "upper"}, Rows: [][]any{{atLeast(119.678), atMost(119.671)}, {atLeast(0.5), atMost(0.5)}, {atLeast(0.255), atMost(0.25)}}}
	if got, want := layout(t1.source(), limits{}).text(), "  lower   upper\n119.678  119.68\n  0.500    0.50\n  0.255    0.25"; got != want {
		t.Errorf("a column of bounds is\n%s\nwant\n%s", got, want)
	}
	if low, high := Down(48.0808778599, 9), Up(48.0808778591, 9); low != "48.080877859" || high != "48.080877860" {
		t.Errorf("%s, %s", low, high)
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", -1234567: "-1,234,567", math.MinInt64: "-9,223,372,036,854,775,808"} {
		if got := Count(n); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}
