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
		if got := formatColumn(c.xs); !slices.Equal(got, c.want) {
			t.Errorf("formatColumn(%v) = %q, want %q", c.xs, got, c.want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", -1234567: "-1,234,567", math.MinInt64: "-9,223,372,036,854,775,808"} {
		if got := Count(n); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}
