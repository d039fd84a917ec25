package cover

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
)

// maxCSV is the most bytes read: a pipe may have no end.
const maxCSV = 64 << 20

// ReadCSV reads points from comma-separated values: a row for each point, a column
// for each coordinate, and above them a row of names or none. A first row is names
// where no field is a number or begins with a digit. The error is an *bcpace.InputError with
// the line at fault: a field that is not a finite number in decimal digits, a row longer or
// shorter than the first, no points, or more than 64 MB of them.
func ReadCSV(r io.Reader) (*Points, error) {
	limited := &io.LimitedReader{R: r, N: maxCSV + 1}
	c := csv.NewReader(limited)
	c.FieldsPerRecord = -1 // counted here, with a message of ours
	c.ReuseRecord = true
	c.TrimLeadingSpace = true
	bad := bcpace.In("points").Bad
	want := "a number in decimal digits, below 1e150 in size"
	p := &Points{}
	for first := true; ; first = false {
		row, err := c.Read()
		if limited.N == 0 {
			return nil, bad("the list", fmt.Sprintf("longer than %d MB", maxCSV>>20), "fewer points")
		}
		if errors.Is(err, io.EOF) {
			break
		}
		wrong := (*csv.ParseError)(nil)
		if errors.As(err, &wrong) {
			return nil, bad(fmt.Sprintf("line %d", wrong.Line), wrong.Err.Error(), "numbers with commas between them")
		}
		if err != nil {
			return nil, fmt.Errorf("reading points: %w", err)
		}
		line, _ := c.FieldPos(0)
		if first {
			row[0] = strings.TrimPrefix(row[0], "\ufeff")
			p.Dim = len(row)
			if names(row) {
				continue
			}
		}
		if len(row) != p.Dim {
			return nil, bad(fmt.Sprintf("line %d", line), fmt.Sprintf("%d fields long", len(row)), fmt.Sprintf("%d, as the first has", p.Dim))
		}
		for k, field := range row {
			x, ok := numtext.Finite(field)
			if !ok || math.Abs(x) > maxCoordinate {
				return nil, bad(fmt.Sprintf("field %d of line %d", k+1, line), strconv.Quote(short(field)), want)
			}
			p.Coords = append(p.Coords, x)
		}
	}
	if p.Len() == 0 {
		return nil, bad("the list", "empty", "a row of numbers for each point")
	}
	return p, nil
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
