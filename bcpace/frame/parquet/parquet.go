// Package parquet writes the tables of package frame as Parquet files, which
// pandas, polars, R and data bases read. It is a package of its own as its library takes
// long to compile: a notebook cell that does not name it should not wait for it.
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
// INT64, booleans as BOOLEAN and text as STRING, none of them optional. Floats come
// back to the bit. Columns are in the order of the frame, and compressed with
// Snappy. A whole number or boolean that is missing is an error.
func Write(w io.Writer, df dataframe.DataFrame) error {
	if df.Err != nil {
		return fmt.Errorf("parquet: %w", df.Err)
	}
	root := orderedGroup{lib.Group{}, make(map[string]int)}
	var columns []func(row int) lib.Value
	for j, name := range df.Names() {
		node, at, err := column(df.Col(name))
		if err != nil {
			return fmt.Errorf("parquet: column %q: %w", name, err)
		}
		root.Group[name], root.place[name] = node, j
		columns = append(columns, at)
	}
	out := lib.NewWriter(w, lib.NewSchema("table", root), lib.Compression(&lib.Snappy))
	const block = 1024
	rows := make([]lib.Row, block)
	for first := 0; first < df.Nrow(); first += block {
		rows = rows[:min(block, df.Nrow()-first)]
		for i := range rows {
			rows[i] = rows[i][:0]
			for j, at := range columns {
				rows[i] = append(rows[i], at(first+i).Level(0, 0, j))
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

// column returns the type of a column and its values.
func column(s series.Series) (lib.Node, func(row int) lib.Value, error) {
	switch s.Type() {
	case series.Float:
		x := s.Float()
		return lib.Leaf(lib.DoubleType), func(i int) lib.Value { return lib.DoubleValue(x[i]) }, nil
	case series.Int:
		x, err := s.Int()
		return lib.Int(64), func(i int) lib.Value { return lib.Int64Value(int64(x[i])) }, err
	case series.Bool:
		x, err := s.Bool()
		return lib.Leaf(lib.BooleanType), func(i int) lib.Value { return lib.BooleanValue(x[i]) }, err
	}
	x := s.Records()
	return lib.String(), func(i int) lib.Value { return lib.ByteArrayValue([]byte(x[i])) }, nil
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
