package cover

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/disk"
	"bayescpace/bcpace/numtext"
)

// maxRow is the most bytes of a row that is read: a pipe may have no end.
const maxRow = 64 << 20

// ReadCSV reads points from comma-separated values: a row for each point, a column
// for each coordinate, and above them a row of names or none. A first row is names
// where no field is a number or begins with a digit. It reads row by row, so that the coordinates alone take memory.
// The error is an *bcpace.InputError with
// the line at fault: a field that is not a finite number in decimal digits, a row longer or
// shorter than the first or than 64 MB, no points, or more than CheckRoom allows; or the context's.
func ReadCSV(ctx context.Context, r io.Reader) (*Points, error) {
	limited := &io.LimitedReader{R: bufio.NewReaderSize(disk.Within(ctx, r), 1<<20)}
	c := csv.NewReader(limited)
	c.FieldsPerRecord = -1 // counted here, with a message of ours
	c.ReuseRecord = true
	c.TrimLeadingSpace = true
	bad := bcpace.In("points").Bad
	p := &Points{}
	line, points, blocks := 0, 0, [][]float64(nil) // of coordinates, so that none is copied while the list grows
	for first := true; ; first = false {
		limited.N = maxRow
		row, err := c.Read()
		if limited.N == 0 {
			return nil, bad(fmt.Sprintf("the row behind line %d", line), fmt.Sprintf("longer than %d MB", maxRow>>20), "a line for each point")
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			wrong := (*csv.ParseError)(nil)
			if errors.As(err, &wrong) {
				return nil, bad(fmt.Sprintf("line %d", wrong.Line), wrong.Err.Error(), "numbers with commas between them")
			}
			return nil, fmt.Errorf("reading points: %w", cmp.Or(ctx.Err(), err))
		}
		line, _ = c.FieldPos(0)
		if first {
			row[0] = strings.TrimPrefix(row[0], "\ufeff")
			p.Dim = len(row)
			if names(row) {
				continue
			}
		}
		if points++; len(p.Coords)+len(row) > cap(p.Coords) {
			blocks, p.Coords = append(blocks, p.Coords), make([]float64, 0, max(len(row), min(points*p.Dim, 1<<17)))
		}
		if err := cmp.Or(CheckRoom(points*p.Dim), p.addRow(row, line)); err != nil {
			return nil, err
		}
	}
	p.Coords = slices.Concat(append(blocks, p.Coords)...)
	if points == 0 {
		return nil, bad("the list", "empty", "a row of numbers for each point")
	}
	return p, nil
}

// addRow adds the point whose coordinates are the fields of a row, which begins at that line.
func (p *Points) addRow(row []string, line int) error {
	bad := bcpace.In("points").Bad
	if len(row) != p.Dim {
		return bad(fmt.Sprintf("line %d", line), fmt.Sprintf("%d fields long", len(row)), fmt.Sprintf("%d, as the first has", p.Dim))
	}
	for k, field := range row {
		x, ok := numtext.Finite(field)
		if !ok || math.Abs(x) > maxCoordinate {
			return bad(fmt.Sprintf("field %d of line %d", k+1, line), strconv.Quote(short(field)), "a number in decimal digits, below 1e150 in size")
		}
		p.Coords = append(p.Coords, x)
	}
	return nil
}

// names reports whether no field of a row is a number, or begins as one.
func names(row []string) bool {
	for _, field := range row {
		text := strings.TrimSpace(field)
		digits := strings.TrimLeft(text, "+-.")
		if _, err := numtext.Float(text); err == nil || digits == "" || digits[0] >= '0' && digits[0] <= '9' {
			return false
		}
	}
	return true
}

// short cuts a text that is too long for a message.
func short(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
