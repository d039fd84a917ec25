package parquet_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/frame"
	"bayescpace/bcpace/frame/parquet"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
	lib "github.com/parquet-go/parquet-go"
)

// number is a row of all types that coordinates may have.
type number struct {
	Double   float64  `parquet:"z"`
	Float    float32  `parquet:"a"`
	Int32    int32    `parquet:"m"`
	Int64    int64    `parquet:"b"`
	Uint32   uint32   `parquet:"y"`
	Uint64   uint64   `parquet:"x"`
	Optional *float64 `parquet:"c,optional"`
}

// written returns a Parquet file of rows.
func written[T any](t rapid.TB, rows []T, options ...lib.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := lib.Write(&b, rows, options...); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func points(ctx context.Context, data []byte) (*cover.Points, error) {
	return parquet.Points(ctx, bytes.NewReader(data), int64(len(data)))
}

// TestPoints: numbers of every type are coordinates in the order of the columns, over all groups of rows, whose
// blocks are some thousand rows long.
func TestPoints(t *testing.T) {
	checkPoints(t, 2500, 2100, 1)
	rapid.Check(t, func(r *rapid.T) {
		checkPoints(r, rapid.IntRange(1, 30).Draw(r, "rows"), rapid.IntRange(1, 40).Draw(r, "group"), rapid.Uint64().Draw(r, "seed"))
	})
}

// checkPoints reads so many rows, in groups of at most so many.
func checkPoints(t rapid.TB, rows, group int, seed uint64) {
	t.Helper()
	rng, all := rand.New(rand.NewPCG(seed, 3)), make([]number, rows)
	for i := range all {
		x := rng.NormFloat64()
		all[i] = number{rng.NormFloat64(), float32(rng.NormFloat64()), int32(rng.Uint32()), int64(rng.Uint64()), rng.Uint32(), rng.Uint64(), &x}
	}
	data := written(t, all, lib.MaxRowsPerRowGroup(int64(group)))
	f, err := lib.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	p, err := points(context.Background(), data)
	if err != nil || p.Len() != rows || p.Dim != 7 || p.Validate() != nil || len(f.RowGroups()) != (rows+group-1)/group {
		t.Fatalf("%v, want %d points in groups of %d", err, rows, group)
	}
	for c, field := range f.Schema().Fields() {
		for i, x := range all {
			want := map[string]float64{"z": x.Double, "a": float64(x.Float), "m": float64(x.Int32), "b": float64(x.Int64), "y": float64(x.Uint32), "x": float64(x.Uint64), "c": *x.Optional}[field.Name()]
			if got := p.At(i)[c]; got != want {
				t.Fatalf("row %d, column %s: %v, want %v", i, field.Name(), got, want)
			}
		}
	}
}

// TestPointsOfFrame: what Write has written is read.
func TestPointsOfFrame(t *testing.T) {
	var b bytes.Buffer
	if err := parquet.Write(&b, dataframe.New(series.New([]float64{1.5, -2}, series.Float, "z"), series.New([]int{7, 8}, series.Int, "a"))); err != nil {
		t.Fatal(err)
	}
	p, err := points(t.Context(), b.Bytes())
	if err != nil || p.Dim != 2 || !slices.Equal(p.Coords, []float64{1.5, 7, -2, 8}) {
		t.Errorf("%v, %v", p, err)
	}
}

func TestPointsErrors(t *testing.T) {
	type float struct{ X float64 }
	good := written(t, []float{{1}, {2}})
	input := (*bcpace.InputError)(nil)
	for want, data := range map[string][]byte{
		"the table is empty": written(t, []float{}),
		"coordinate 0 of point 1 is NaN, want a finite number":    written(t, []float{{1}, {math.NaN()}}),
		"coordinate 0 of point 0 is +Inf, want a finite number":   written(t, []float{{math.Inf(1)}}),
		"coordinate 0 of point 0 is 1e+200":                       written(t, []float{{1e200}}),
		"coordinate 0 of point 1 is missing":                      written(t, []struct{ X *float64 }{{new(float64)}, {nil}}),
		`column "Name" is of type STRING`:                         written(t, []struct{ Name string }{{"x"}}),
		`column "Done" is of type BOOLEAN`:                        written(t, []struct{ Done bool }{{true}}),
		`column "List" is of type a list`:                         written(t, []struct{ List []float64 }{{[]float64{1}}}),
		`column "Pair" is of type a column of columns`:            written(t, []struct{ Pair float }{{}}),
		`column "At" is of type TIMESTAMP`:                        written(t, []struct{ At time.Time }{{}}),
		"want DOUBLE, FLOAT, INT32 or INT64: leave out the other": written(t, []struct{ Name string }{{"x"}}),
		"the Parquet file is damaged (":                           good[:len(good)-1],
		"the Parquet file is damaged (reading":                    []byte("PAR1PAR1"),
	} {
		if _, err := points(t.Context(), data); !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := points(ctx, good); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	many := written(t, make([]float, 10_000))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(100_000))
	if _, err := points(t.Context(), many); !errors.As(err, &input) || !strings.Contains(err.Error(), "GOMEMLIMIT") {
		t.Errorf("too many: %v", err)
	}
}

// TestReadPoints: a file is read as what it is, whatever its name.
func TestReadPoints(t *testing.T) {
	name := filepath.Join(t.TempDir(), "points")
	type pair struct{ X, Y float64 }
	for text, want := range map[string]string{
		"x,y\n1,2\n": "", "1,2": "", string(written(t, []pair{{1, 2}})): "",
		"1,x\n": name + ": points: field 2 of line 1", "": name + ": points: the list is empty", "PAR1": name + ": points: the Parquet file is damaged",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := parquet.ReadPoints(t.Context(), name)
		switch {
		case want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)):
			t.Errorf("%q: %v, want %q", text, err, want)
		case want == "" && (err != nil || p.Dim != 2 || !slices.Equal(p.Coords, []float64{1, 2})):
			t.Errorf("%q: %v, %v", text, p, err)
		}
	}
	if _, err := parquet.ReadPoints(t.Context(), filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// FuzzPoints: a file gives points or an error, and not a panic.
func FuzzPoints(f *testing.F) {
	x := 2.5
	f.Add(written(f, []number{{1, 2, 3, 4, 5, 6, &x}, {7, 8, 9, 10, 11, 12, &x}}))
	f.Add(written(f, []number{{1, 2, 3, 4, 5, 6, nil}}, lib.Compression(&lib.Snappy)))
	f.Add(written(f, []struct{ List []float64 }{{[]float64{1, 2}}}))
	f.Add([]byte("PAR1PAR1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if p, err := points(ctx, data); err == nil && (p.Len() == 0 || p.Validate() != nil) {
			t.Errorf("%+v from %q", p, data)
		}
	})
}

func BenchmarkPoints(b *testing.B) {
	type triple struct{ X, Y, Z float64 }
	rows, rng := make([]triple, 100_000), rand.New(rand.NewPCG(1, 2))
	for i := range rows {
		rows[i] = triple{rng.Float64(), rng.Float64(), rng.Float64()}
	}
	data := written(b, rows)
	for b.Loop() {
		if _, err := points(b.Context(), data); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleReadPoints() {
	folder, err := os.MkdirTemp("", "points")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	table := dataframe.New(series.New([]float64{0, 1.5, 2}, series.Float, "x"), series.New([]int{0, 1, 1}, series.Int, "y"))
	for file, err := range map[string]error{
		"points.parquet": parquet.WriteFile(filepath.Join(folder, "points.parquet"), table),
		"points.csv":     writeCSV(filepath.Join(folder, "points.csv"), table),
	} {
		if err != nil {
			fmt.Println(err)
			return
		}
		p, err := parquet.ReadPoints(context.Background(), filepath.Join(folder, file))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(p.Len(), p.Coords)
	}
	// Output:
	// 3 [0 0 1.5 1 2 1]
	// 3 [0 0 1.5 1 2 1]
}

func writeCSV(name string, table dataframe.DataFrame) error {
	var b bytes.Buffer
	if err := frame.WriteCSV(&b, table); err != nil {
		return err
	}
	return os.WriteFile(name, b.Bytes(), 0o600)
}
