package numtext_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"bayescpace/bcpace/numtext"
)

// TestExact: every number reads back as it was, and a list has commas.
func TestExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64().Draw(t, "x")
		if y, err := numtext.Float(numtext.Exact(x)); err != nil || math.Float64bits(y) != math.Float64bits(x) {
			t.Errorf("%v was read back as %v, error %v", x, y, err)
		}
	})
	if got := numtext.ExactList([]float64{0.5, -2, 1e21}); got != "0.5,-2,1e+21" {
		t.Error(got)
	}
}

// TestPeople compares what people see with texts by hand.
func TestPeople(t *testing.T) {
	for got, want := range map[string]string{
		numtext.Count(0): "0", numtext.Count(999): "999", numtext.Count(-1000): "-1,000", numtext.Count(1234567): "1,234,567",
		numtext.Several(1, "axis"): "1 axis", numtext.Several(2, "axis"): "2 axes", numtext.Several(1000, "sample"): "1,000 samples",
		numtext.Group("-123456.7890"): "-123,456.7890", numtext.Group("12."): "12.",
		numtext.Trim("1.500"): "1.5", numtext.Trim("100"): "100", numtext.Trim("2.00"): "2",
		numtext.Zero("-0.00"): "0.00", numtext.Zero("-0.01"): "-0.01",
		numtext.Minus("-1e-07"): "−1e−07", numtext.Superscript(-120): "⁻¹²⁰",
		numtext.TimesPower("2.5", -7): "2.5·10⁻⁷", numtext.TimesPower("1", 6): "10⁶", numtext.TimesPower("−1", 6): "−10⁶",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestRead: what cannot be read says what would be right.
func TestRead(t *testing.T) {
	for want, read := range map[string]func(string) error{
		"want a number":                 func(s string) error { _, err := numtext.Float(s); return err },
		"want a whole number":           func(s string) error { _, err := numtext.Whole(s); return err },
		"want a whole number from 0 up": func(s string) error { _, err := numtext.Unsigned(s); return err },
		"want true or false":            func(s string) error { _, err := numtext.Switch(s); return err },
	} {
		if err := read("-x"); err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
		if err := read("1"); err != nil {
			t.Error(err)
		}
	}
	for text, ok := range map[string]bool{" 1e3 ": true, "-0": true, "": false, "NaN": false, "-Inf": false, "1e999": false} {
		if x, got := numtext.Finite(text); got != ok {
			t.Errorf("%q: %v, %v", text, x, got)
		}
	}
}
