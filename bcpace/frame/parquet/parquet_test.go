package parquet_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/frame"
	"bayescpace/bcpace/frame/parquet"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
	lib "github.com/parquet-go/parquet-go"
)

// kindNull is the kind of a value that is missing.
var kindNull = lib.NullValue().Kind()

// read reads a Parquet file column by column, by the schema in it.
func read(t *testing.T, data []byte) dataframe.DataFrame {
	t.Helper()
	f, err := lib.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	fields := f.Schema().Fields()
	columns := make([][]any, len(fields))
	for _, g := range f.RowGroups() {
		for j, chunk := range g.ColumnChunks() {
			for pages := chunk.Pages(); ; {
				page, err := pages.ReadPage()
				if err == io.EOF {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				values := make([]lib.Value, page.NumValues())
				if n, err := page.Values().ReadValues(values); n != len(values) {
					t.Fatalf("%d of %d values: %v", n, len(values), err)
				}
				for _, v := range values {
					switch v.Kind() {
					case kindNull:
						columns[j] = append(columns[j], nil)
					case lib.Double:
						columns[j] = append(columns[j], v.Double())
					case lib.Int64:
						columns[j] = append(columns[j], int(v.Int64()))
					case lib.Boolean:
						columns[j] = append(columns[j], v.Boolean())
					default:
						columns[j] = append(columns[j], string(v.ByteArray()))
					}
				}
			}
		}
	}
	var all []series.Series
	for j, field := range fields {
		kind := series.String
		switch field.Type().Kind() {
		case lib.Double:
			kind = series.Float
		case lib.Int64:
			kind = series.Int
		case lib.Boolean:
			kind = series.Bool
		}
		all = append(all, series.New(columns[j], kind, field.Name()))
	}
	return dataframe.New(all...)
}

// TestValues: what a float can be comes back to the bit, and text as
// it is; a NaN of any kind, and the text that gota has for one, is missing.
func TestValues(t *testing.T) {
	floats := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64, math.MaxFloat64, 0.1, 1.0 / 3}
	texts := []string{"", "a,b", `"`, "φ", "NaN", "1", "true", "\n", " "}
	var b bytes.Buffer
	df := dataframe.New(series.New(floats, series.Float, "z, φ"), series.New(texts, series.String, "a"))
	if err := parquet.Write(&b, df); err != nil {
		t.Fatal(err)
	}
	got := read(t, b.Bytes())
	for i := range floats {
		if g, w := got.Elem(i, 0).Float(), floats[i]; math.Float64bits(g) != math.Float64bits(w) && !(math.IsNaN(w) && got.Elem(i, 0).IsNA()) {
			t.Errorf("%v came back as %v", w, g)
		}
		if g := got.Elem(i, 1).String(); g != texts[i] {
			t.Errorf("%q came back as %q", texts[i], g)
		}
	}
	if names := got.Names(); names[0] != "z, φ" || names[1] != "a" {
		t.Errorf("columns %q", names)
	}
}

// TestRun reads the samples and the trace of a run back, in more rows than are
// written at once.
func TestRun(t *testing.T) {
	r, err := runs.Explore(context.Background(), envs.LightDarkTiger{Sigma: 0.1}, cpace.Solver{Epsilon: 0.5, LipQ: 10, Batch: 20, MaxSamples: 3000, CertificateEpisodes: -1})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []dataframe.DataFrame{frame.Samples(r), frame.Trace(r)} {
		var b bytes.Buffer
		if err := parquet.Write(&b, want); err != nil {
			t.Fatal(err)
		}
		got := read(t, b.Bytes())
		if !slices.Equal(got.Names(), want.Names()) || !slices.Equal(got.Types(), want.Types()) || got.Nrow() != want.Nrow() {
			t.Fatalf("columns %q %v of %d rows, want %q %v of %d", got.Names(), got.Types(), got.Nrow(), want.Names(), want.Types(), want.Nrow())
		}
		for j, name := range want.Names() {
			for i := range want.Nrow() {
				g, w := got.Elem(i, j), want.Elem(i, j)
				if want.Types()[j] == series.Float && math.Float64bits(g.Float()) != math.Float64bits(w.Float()) && !w.IsNA() || g.String() != w.String() {
					t.Fatalf("column %s, row %d is %v, want %v", name, i, g, w)
				}
			}
		}
	}
}

var errBroken = errors.New("the disk is full")

// broken takes some bytes and then no more.
type broken int

func (b *broken) Write(p []byte) (int, error) {
	if n := min(len(p), int(*b)); n < len(p) {
		*b = 0
		return n, errBroken
	}
	*b -= broken(len(p))
	return len(p), nil
}

func TestErrors(t *testing.T) {
	df := dataframe.New(series.New([]float64{1, 2, 3}, series.Float, "x"))
	for n := range 100 {
		b := broken(n)
		if err := parquet.Write(&b, df); !errors.Is(err, errBroken) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
	if err := parquet.Write(io.Discard, dataframe.DataFrame{Err: errBroken}); !errors.Is(err, errBroken) {
		t.Error(err)
	}
}

// TestMissing: what is missing is null in an optional column of every type, a float that is
// not a number among it, and the statistics of the column are those of the rest.
func TestMissing(t *testing.T) {
	df := dataframe.New(
		series.New([]float64{math.NaN(), -2, math.Inf(1), 7, math.NaN()}, series.Float, "lower"),
		series.New([]any{nil, 3, -4, nil, 5}, series.Int, "n"),
		series.New([]any{true, nil, nil, false, true}, series.Bool, "done"),
		series.New([]any{"b", "", nil, "a", nil}, series.String, "stop"),
		series.New([]float64{math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()}, series.Float, "upper"),
	)
	var b bytes.Buffer
	if err := parquet.Write(&b, df); err != nil {
		t.Fatal(err)
	}
	f, err := lib.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	group := f.Metadata().RowGroups[0]
	for j, want := range []struct {
		nulls    int64
		min, max lib.Value
	}{
		{2, lib.DoubleValue(-2), lib.DoubleValue(math.Inf(1))},
		{2, lib.Int64Value(-4), lib.Int64Value(5)},
		{2, lib.BooleanValue(false), lib.BooleanValue(true)},
		{2, lib.ByteArrayValue(nil), lib.ByteArrayValue([]byte("b"))},
		{5, lib.NullValue(), lib.NullValue()},
	} {
		s := group.Columns[j].MetaData.Statistics
		if !f.Schema().Fields()[j].Optional() || s.NullCount != want.nulls || !bytes.Equal(s.MinValue, want.min.Bytes()) || !bytes.Equal(s.MaxValue, want.max.Bytes()) {
			t.Errorf("column %s: statistics %+v, want %+v", df.Names()[j], s, want)
		}
	}
	got := read(t, b.Bytes())
	for j := range df.Names() {
		for i := range df.Nrow() {
			if g, w := got.Elem(i, j), df.Elem(i, j); g.IsNA() != w.IsNA() || g.String() != w.String() {
				t.Errorf("row %d, column %s came back as %v, want %v", i, df.Names()[j], g, w)
			}
		}
	}
}

// TestRequired: a file with columns that are not optional, as they were until null stood for what is
// missing, is read.
func TestRequired(t *testing.T) {
	file, err := os.Open("testdata/required.parquet")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if names, err := parquet.Columns(file); err != nil || !slices.Equal(names, []string{"n", "lower"}) {
		t.Errorf("columns %q, %v", names, err)
	}
	data, err := io.ReadAll(io.NewSectionReader(file, 0, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, data); got.Nrow() != 12 || !got.Elem(0, 1).IsNA() || got.Elem(3, 1).Float() != -3 {
		t.Errorf("came back as %v", got)
	}
}

// TestWriteFile: the file has what Write writes, and an error leaves the old one.
func TestWriteFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "table.parquet")
	df := dataframe.New(series.New([]float64{1, 2, 3}, series.Float, "x"), series.New([]int{4, 5, 6}, series.Int, "n"))
	if err := parquet.WriteFile(name, df); err != nil {
		t.Fatal(err)
	}
	if err := parquet.WriteFile(name, dataframe.DataFrame{Err: errBroken}); !errors.Is(err, errBroken) {
		t.Error(err)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if names, err := parquet.Columns(file); err != nil || !slices.Equal(names, []string{"x", "n"}) {
		t.Errorf("columns %q, %v", names, err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, data); got.Nrow() != 3 || got.Elem(2, 1).String() != "6" {
		t.Errorf("came back as %v", got)
	}
}
