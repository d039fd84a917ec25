package frame

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// same compares frames by names, types and exact values.
func same(t *testing.T, got, want dataframe.DataFrame) {
	t.Helper()
	if got.Err != nil || want.Err != nil {
		t.Fatalf("errors %v, %v", got.Err, want.Err)
	}
	if !reflect.DeepEqual(got.Names(), want.Names()) || !reflect.DeepEqual(got.Types(), want.Types()) || got.Nrow() != want.Nrow() {
		t.Fatalf("frame is %q %v with %d rows, want %q %v with %d", got.Names(), got.Types(), got.Nrow(), want.Names(), want.Types(), want.Nrow())
	}
	for j := range want.Names() {
		for i := range want.Nrow() {
			g, w := got.Elem(i, j), want.Elem(i, j)
			if g.IsNA() != w.IsNA() || g.String() != w.String() || math.Float64bits(g.Float()) != math.Float64bits(w.Float()) && !math.IsNaN(w.Float()) {
				t.Fatalf("row %d, column %q is %q (%v), want %q (%v)", i, want.Names()[j], g, g.Float(), w, w.Float())
			}
		}
	}
}

func TestCSV(t *testing.T) {
	df := dataframe.New(
		series.New([]float64{0, math.Copysign(0, -1), 1, 1e-12, 0.1, math.NaN(), math.Inf(1), math.Inf(-1), 5e-324, 123456789}, series.Float, "f"),
		series.New([]int{1, -2, 0, math.MaxInt64, math.MinInt64, 5, 6, 7, 8, 9}, series.Int, "n"),
		series.New([]any{1, nil, 3, 4, 5, 6, 7, 8, 9, nil}, series.Int, "missing"),
		series.New([]any{true, nil, false, true, true, true, true, true, true, true}, series.Bool, "bool"),
		series.New([]string{"", "1", "true", "NaN", "a,b", `say "x"`, "two\r\nlines", "\rcr", " padded ", "listen"}, series.String, "b'(open \"left\", right)"),
		series.New([]string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "inf"}, series.String, "=cmd()"),
	)
	var b bytes.Buffer
	if err := WriteCSV(&b, df); err != nil {
		t.Fatal(err)
	}
	got, err := ReadCSV(&b)
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, df)
}

func TestCSVText(t *testing.T) {
	df := dataframe.New(
		series.New([]string{"listen", "open-left"}, series.String, "action"),
		series.New([]float64{1, 1e-9}, series.Float, "b(left)"),
		series.New([]int{1, 2}, series.Int, "time"),
	)
	var b bytes.Buffer
	if err := WriteCSV(&b, df); err != nil {
		t.Fatal(err)
	}
	want := "action,b(left),time\nlisten,1.0,1\nopen-left,1e-09,2\n"
	if b.String() != want {
		t.Errorf("CSV is\n%s\nwant\n%s", b.String(), want)
	}
}

func TestReadForeignCSV(t *testing.T) {
	df, err := ReadCSV(strings.NewReader("\uFEFFname,x\r\nfoo bar,1.5\r\n\"q\",\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, df, dataframe.New(series.New([]string{"foo bar", "q"}, series.String, "name"), series.New([]float64{1.5, math.NaN()}, series.Float, "x")))
}

// TestReadNumbers: a number has decimal digits, and what only the Go language takes for one is text.
func TestReadNumbers(t *testing.T) {
	for field, want := range map[string]series.Type{
		"3": series.Int, "-3": series.Int, "+3": series.Int, "007": series.Int,
		"2.5": series.Float, ".5": series.Float, "4.": series.Float, "+1e-3": series.Float, "3E5": series.Float,
		"NaN": series.Float, "nan": series.Float, "inf": series.Float, "-Infinity": series.Float,
		"2_5": series.String, "2_5.5": series.String, "0x1p-2": series.String, "0X10": series.String, "0b1": series.String, "0o7": series.String,
		"1e999": series.String, "−3": series.String, "٣": series.String, "+-3": series.String, "3 ": series.String,
	} {
		df, err := ReadCSV(strings.NewReader("place,value\n" + field + ",1\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := df.Types()[0]; got != want || want == series.String && df.Elem(0, 0).String() != field {
			t.Errorf("%q is read as %v %v, want type %v", field, got, df.Elem(0, 0), want)
		}
	}
}

func TestReadCSVErrors(t *testing.T) {
	for in, want := range map[string]string{
		"":                 "line 1: column 1 has no name",
		"a,a\n1,2\n":       `line 1: column name "a" stands there twice`,
		"a,\n1,2\n":        "line 1: column 2 has no name",
		"a,b\n1,2\n3\n":    "line 3: it has 1 fields, want 2",
		"a\n\"x\ny\nz":     "line 2: a quotation mark is not closed",
		"a\n\"x\ny\"\n1,2": "line 4: it has 2 fields, want 1",
		"a\n\"x\"y\n":      `line 2: "y" follows a closing quotation mark`,
	} {
		if _, err := ReadCSV(strings.NewReader(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ReadCSV(%q): %v, want %q", in, err, want)
		}
	}
}

// FuzzReadCSV: whatever is read is written and read again as the same.
func FuzzReadCSV(f *testing.F) {
	f.Fuzz(func(t *testing.T, in string) {
		df, err := ReadCSV(strings.NewReader(in))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := WriteCSV(&b, df); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		again, err := ReadCSV(&b)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		allMissing := func(j int) bool {
			for i := range df.Nrow() {
				if e := df.Elem(i, j); !e.IsNA() {
					return false
				}
			}
			return true
		}
		for j := range df.Names() {
			if df.Types()[j] != series.String && allMissing(j) {
				return // missing values alone have no type in a file
			}
		}
		same(t, again, df)
	})
}
