// Package parquet writes the tables of package frame as Parquet files, which
// pandas, polars, R and data bases read, and reads points for package cover from such
// files. It is a package of its own as its library takes long to compile: a notebook cell
// that does not name it should not wait for it.
package parquet

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"

	"bayescpace/bcpace/store"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
	lib "github.com/parquet-go/parquet-go"
)

// Write writes a frame as a Parquet file: floats as DOUBLE, whole numbers as
// INT64, booleans as BOOLEAN and text as STRING, all of them optional. What is missing
// is null, and so is NaN, which a frame has for a float that is missing: readers that go by
// the smallest and the largest value of a column would lose rows beside a NaN. Other floats come
// back to the bit. Columns are in the order of the frame, and compressed with
// Snappy.
func Write(w io.Writer, df dataframe.DataFrame) error {
	if df.Err != nil {
		return fmt.Errorf("parquet: %w", df.Err)
	}
	root := orderedGroup{lib.Group{}, make(map[string]int)}
	columns := make([]func(series.Element) lib.Value, df.Ncol())
	for j, kind := range df.Types() {
		name := df.Names()[j]
		root.place[name] = j
		root.Group[name], columns[j] = column(kind)
	}
	out := lib.NewWriter(w, lib.NewSchema("table", root), lib.Compression(&lib.Snappy))
	const block = 1024
	rows := make([]lib.Row, block)
	for first := 0; first < df.Nrow(); first += block {
		rows = rows[:min(block, df.Nrow()-first)]
		for i := range rows {
			rows[i] = rows[i][:0]
			for j, value := range columns {
				cell := lib.NullValue().Level(0, 0, j)
				if e := df.Elem(first+i, j); !e.IsNA() {
					cell = value(e).Level(0, 1, j)
				}
				rows[i] = append(rows[i], cell)
			}
		}
		if _, err := out.WriteRows(rows); err != nil {
			return fmt.Errorf("parquet: %w", err)
		}
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	return nil
}

// Columns returns the names of the columns of a Parquet file, in their order.
func Columns(file *os.File) ([]string, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	f, err := lib.OpenFile(file, info.Size(), lib.SkipPageIndex(true), lib.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	var names []string
	for _, c := range f.Schema().Fields() {
		names = append(names, c.Name())
	}
	return names, nil
}

// column returns the type of a column, and its value of an element that is not missing.
func column(kind series.Type) (lib.Node, func(series.Element) lib.Value) {
	switch kind {
	case series.Float:
		return lib.Optional(lib.Leaf(lib.DoubleType)), func(e series.Element) lib.Value { return lib.DoubleValue(e.Float()) }
	case series.Int:
		return lib.Optional(lib.Int(64)), func(e series.Element) lib.Value {
			n, _ := e.Int() // fails for what is missing alone
			return lib.Int64Value(int64(n))
		}
	case series.Bool:
		return lib.Optional(lib.Leaf(lib.BooleanType)), func(e series.Element) lib.Value {
			b, _ := e.Bool() // fails for what is missing alone
			return lib.BooleanValue(b)
		}
	}
	return lib.Optional(lib.String()), func(e series.Element) lib.Value { return lib.ByteArrayValue([]byte(e.String())) }
}

// orderedGroup is a group whose columns are in the order of a frame; a Group has
// them in that of their names.
type orderedGroup struct {
	lib.Group
	place map[string]int
}

func (g orderedGroup) Fields() []lib.Field {
	fields := g.Group.Fields()
	slices.SortFunc(fields, func(a, b lib.Field) int { return cmp.Compare(g.place[a.Name()], g.place[b.Name()]) })
	return fields
}

// WriteFile writes a frame to a file as Write does. A file that is there is replaced as a
// whole.
func WriteFile(name string, df dataframe.DataFrame) error {
	return store.WriteFile(name, store.Content(func(w io.Writer) error { return Write(w, df) }))
}
