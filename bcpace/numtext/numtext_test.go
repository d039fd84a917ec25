package numtext_test

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// TestOnePlace: whatever reads numbers of users reads them here. The parsers of the Go language take 1_0 for 10.
func TestOnePlace(t *testing.T) {
	own := []string{ // read what this program has written, or have looked at every character before
		"bcpace/numtext/csv.go", "bcpace/numtext/numbers.go", "bcpace/choose/suggest.go", "bcpace/nb/cell.go", "bcpace/nb/table.go",
		"bcpace/pomdpfile/source.go", "bcpace/pomdpfile/names.go", "bcpace/pomdpfile/pomdpx_write.go", "bcpace/process/protocol.go",
		"data/data.go", "notebooks/internal/runner/compare.go",
	}
	root := filepath.Join("..", "..")
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (len(name) > 1 && entry.Name()[0] == '.' || entry.Name() == "work"): // not of the clone
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || slices.Contains(own, name):
			return nil
		}
		source, err := os.ReadFile(filepath.Join(root, name))
		for _, parser := range []string{"strconv.ParseFloat(", ", 0, 64)", "big.ParseFloat("} {
			if strings.Contains(string(source), parser) {
				t.Errorf("%s has %s, want numtext.Float or numtext.Whole", name, parser)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
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
	for text, want := range map[string]float64{"+2.5": 2.5, ".5": 0.5, "5.": 5, "1E-3": 1e-3, "Infinity": math.Inf(1), "-inf": math.Inf(-1)} {
		if x, err := numtext.Float(text); err != nil || x != want {
			t.Errorf("%q: %v, %v", text, x, err)
		}
	}
	for _, text := range []string{"2_5", "_5", "0x1p-2", "0X1P3", "0x5", "1e999", "5 ", "−5", "٥", "1,5", "5f"} {
		if x, err := numtext.Float(text); err == nil {
			t.Errorf("%q is read as %v", text, x)
		}
		if n, err := numtext.Whole(text); err == nil {
			t.Errorf("%q is read as %v", text, n)
		}
	}
	for text, ok := range map[string]bool{" 1e3 ": true, " 2_5": false, "-0": true, "": false, "NaN": false, "-Inf": false, "1e999": false} {
		if x, got := numtext.Finite(text); got != ok {
			t.Errorf("%q: %v, %v", text, x, got)
		}
	}
}
