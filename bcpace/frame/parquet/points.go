package parquet

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/internal/disk"

	lib "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// ReadPoints reads the points of a file: as Points does where it begins as a Parquet file does, else as cover.ReadCSV does.
// A CSV file may be a pipe. The errors are theirs, with the name of the file.
func ReadPoints(ctx context.Context, name string) (*cover.Points, error) {
	file, err := disk.OpenAny(ctx, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content := bufio.NewReader(file)
	const magic = "PAR1"
	read := func() (*cover.Points, error) { return cover.ReadCSV(ctx, content) }
	if begin, _ := content.Peek(len(magic)); string(begin) == magic { // of an error, ReadCSV hears next
		table, err := disk.Open(name)
		if err != nil {
			return nil, err
		}
		defer table.Close()
		info, err := table.Stat()
		if err != nil {
			return nil, disk.Unreadable(name, err)
		}
		read = func() (*cover.Points, error) { return Points(ctx, table, info.Size()) }
	}
	p, err := read()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// Points reads points from a Parquet file of that size: a row for each point, a column for each coordinate, in the order of
// the file, of type DOUBLE, FLOAT, INT32 or INT64, signed or not. A whole number that a float64 does not have becomes the
// nearest that it has. Rows are read block by block, so that the coordinates alone take memory.
//
// The error is an *bcpace.InputError for what is no Parquet file, a column of another type, a value that is missing or
// no number below 1e150 in size, no points, or more than cover.CheckRoom allows; or the context's.
func Points(ctx context.Context, file io.ReaderAt, size int64) (p *cover.Points, err error) {
	bad := bcpace.In("points").Bad
	defer func() { // the library panics at some files that are damaged
		if fault := recover(); fault != nil {
			p, err = nil, damaged(fault)
		}
	}()
	f, err := lib.OpenFile(file, size, lib.SkipPageIndex(true), lib.SkipBloomFilters(true))
	if err != nil {
		return nil, damaged(err)
	}
	number, err := numbers(f.Schema().Fields())
	if err != nil {
		return nil, err
	}
	p = &cover.Points{Dim: len(number)}
	for _, group := range f.RowGroups() {
		if err := addRows(ctx, p, group.Rows(), number); err != nil {
			return nil, err
		}
	}
	if p.Len() == 0 {
		return nil, bad("the table", "empty", "a row of numbers for each point")
	}
	return p, p.Validate()
}

func damaged(fault any) error {
	return bcpace.In("points").Bad("the Parquet file", fmt.Sprintf("damaged (%v)", fault), "a file that other programs read")
}

// numbers returns, for each column, how its values become coordinates.
func numbers(columns []lib.Field) (number []func(lib.Value) float64, err error) {
	for _, c := range columns {
		kind := "a column of columns"
		if c.Leaf() && !c.Repeated() {
			kind = c.Type().String()
			if f := numberOf(c.Type()); f != nil {
				number = append(number, f)
				continue
			}
		} else if c.Repeated() {
			kind = "a list"
		}
		return nil, bcpace.In("points").Bad(fmt.Sprintf("column %q", c.Name()), "of type "+kind, "DOUBLE, FLOAT, INT32 or INT64: leave out the other columns")
	}
	return number, nil
}

// numberOf returns how values of a type become coordinates, or nil for a type that is none of numbers.
func numberOf(t lib.Type) func(lib.Value) float64 {
	signed := true
	if logical := t.LogicalType(); logical != nil && logical.Value != nil {
		whole, is := logical.Value.(*format.IntType)
		if !is { // such as a date
			return nil
		}
		signed = whole.IsSigned
	}
	switch kind := t.Kind(); {
	case kind == lib.Double:
		return lib.Value.Double
	case kind == lib.Float:
		return func(v lib.Value) float64 { return float64(v.Float()) }
	case kind == lib.Int32 && signed:
		return func(v lib.Value) float64 { return float64(v.Int32()) }
	case kind == lib.Int32:
		return func(v lib.Value) float64 { return float64(v.Uint32()) }
	case kind == lib.Int64 && signed:
		return func(v lib.Value) float64 { return float64(v.Int64()) }
	case kind == lib.Int64:
		return func(v lib.Value) float64 { return float64(v.Uint64()) }
	}
	return nil
}

// addRows adds the points of a group of rows, and closes it.
func addRows(ctx context.Context, p *cover.Points, rows lib.Rows, number []func(lib.Value) float64) (err error) {
	defer rows.Close()
	block := make([]lib.Row, 1024)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := rows.ReadRows(block)
		if err := cover.CheckRoom(len(p.Coords) + n*p.Dim); err != nil {
			return err
		}
		for _, row := range block[:n] {
			if len(row) != p.Dim {
				return damaged(fmt.Sprintf("row %d has %d values in %d columns", p.Len(), len(row), p.Dim))
			}
			if c := slices.IndexFunc(row, lib.Value.IsNull); c >= 0 {
				return bcpace.In("points").Bad(fmt.Sprintf("coordinate %d of point %d", c, p.Len()), "missing", "a number: leave out rows with missing values")
			}
			for c, v := range row {
				p.Coords = append(p.Coords, number[c](v))
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return damaged(err)
		}
	}
}
