package frame

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"bayescpace/bcpace/numtext"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// WriteCSV writes a frame so that ReadCSV gives it back as it is: floats with
// all their digits, with a point or an exponent wherever they are whole, NaN
// and ±Inf by these names, and strings that look like anything else in
// quotation marks. A missing whole number or boolean is an empty field, as
// pandas and R write it.
//
// DataFrame.WriteCSV, Records and String write floats with six decimals, which loses small
// ones, and GroupBy takes floats that agree in six decimals for one. In a notebook nb.Save writes a
// frame to a file as here; parquet.WriteFile of package frame/parquet keeps the types, too.
func WriteCSV(w io.Writer, df dataframe.DataFrame) error {
	if df.Err != nil {
		return fmt.Errorf("frame: %w", df.Err)
	}
	rows, cols := df.Dims()
	if cols == 0 {
		return errors.New("frame: the frame has no columns, want at least one")
	}
	kinds := df.Types()
	return numtext.WriteCSV(w, df.Names(), rows, func(i, j int) any { return exact(df.Elem(i, j), kinds[j]) })
}

// exact returns the value of an element, and nil for a whole number or a boolean that is missing.
func exact(e series.Element, kind series.Type) any {
	switch {
	case kind == series.Float:
		return e.Float()
	case kind == series.String:
		return e.String()
	case !e.IsNA():
		return e.Val()
	}
	return nil
}

// maxCSV bounds what ReadCSV takes in: a frame is some ten times as large in
// memory as in its file.
const maxCSV = 256 << 20

// ReadCSV reads a frame that WriteCSV, or any other program, wrote: names in
// the first line, fields between commas, quotation marks doubled within
// quotation marks. A column is of booleans where every field is true or false,
// else of whole numbers, else of floats (NaN and Inf among them), else of
// strings, and numbers are what numtext.Float reads: 1_0 is text, where gota's own
// ReadCSV takes it for 10; a field in quotation marks is a string, and makes its column one.
// Empty fields without quotation marks are missing. A frame without rows has
// string columns.
//
// The error of a file that is not such a table names the line.
func ReadCSV(r io.Reader) (dataframe.DataFrame, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxCSV+1))
	if err != nil {
		return dataframe.DataFrame{}, fmt.Errorf("frame: reading CSV: %w", err)
	}
	if len(data) > maxCSV {
		return dataframe.DataFrame{}, fmt.Errorf("frame: the CSV is longer than %d MB, want less", maxCSV>>20)
	}
	p := parser{strings.TrimPrefix(string(data), "\uFEFF"), 1}
	header, err := p.record()
	if err != nil {
		return dataframe.DataFrame{}, err
	}
	for j, f := range header {
		switch {
		case f.text == "":
			return dataframe.DataFrame{}, fmt.Errorf("frame: CSV line 1: column %d has no name", j+1)
		case slices.ContainsFunc(header[:j], func(g field) bool { return g.text == f.text }):
			return dataframe.DataFrame{}, fmt.Errorf("frame: CSV line 1: column name %q stands there twice", f.text)
		}
	}
	columns := make([][]field, len(header))
	for p.rest != "" {
		line := p.line
		record, err := p.record()
		if err != nil {
			return dataframe.DataFrame{}, err
		}
		if len(record) != len(header) {
			return dataframe.DataFrame{}, fmt.Errorf("frame: CSV line %d: it has %d fields, want %d as in the first line", line, len(record), len(header))
		}
		for j, f := range record {
			columns[j] = append(columns[j], f)
		}
	}
	all := make([]series.Series, len(header))
	for j, f := range header {
		all[j] = typed(f.text, columns[j])
	}
	df := dataframe.New(all...)
	if df.Err != nil {
		return dataframe.DataFrame{}, fmt.Errorf("frame: %w", df.Err)
	}
	return df, nil
}

// field is a field of a CSV file. A field of WriteCSV is text if it is quoted.
type field struct {
	text   string
	quoted bool
}

func (f field) missing() bool { return f.text == "" && !f.quoted }

// typed makes a column of the narrowest type that holds all fields.
func typed(name string, fields []field) series.Series {
	if values, ok := parseAll(fields, parseBool); ok {
		return series.New(values, series.Bool, name)
	}
	if values, ok := parseAll(fields, numtext.Whole); ok {
		return series.New(values, series.Int, name)
	}
	if values, ok := parseAll(fields, numtext.Float); ok {
		return series.New(values, series.Float, name)
	}
	values := make([]any, len(fields))
	for i, f := range fields {
		if !f.missing() {
			values[i] = f.text
		}
	}
	return series.New(values, series.String, name)
}

// parseAll parses every field that is there; nil stands for one that is
// missing. It needs at least one that is not.
func parseAll[T any](fields []field, parse func(string) (T, error)) ([]any, bool) {
	values := make([]any, len(fields))
	found := false
	for i, f := range fields {
		if f.missing() {
			continue
		}
		if f.quoted {
			return nil, false
		}
		v, err := parse(f.text)
		if err != nil {
			return nil, false
		}
		values[i], found = v, true
	}
	return values, found
}

func parseBool(s string) (bool, error) {
	if s != "true" && s != "false" {
		return false, strconv.ErrSyntax
	}
	return s == "true", nil
}

// parser splits a CSV file. encoding/csv drops the difference between a field
// with quotation marks and one without, and changes line ends within fields.
type parser struct {
	rest string
	line int
}

// record reads the fields of a line.
func (p *parser) record() (fields []field, err error) {
	for {
		f, last, err := p.field()
		if fields = append(fields, f); last || err != nil {
			return fields, err
		}
	}
}

// field reads a field and what ends it: a comma, or the end of the line or of the file, behind the last one.
func (p *parser) field() (f field, last bool, err error) {
	if f.quoted = strings.HasPrefix(p.rest, `"`); f.quoted {
		if f.text, err = p.quoted(); err != nil {
			return f, false, err
		}
	} else {
		n := strings.IndexAny(p.rest, ",\n")
		if n < 0 {
			n = len(p.rest)
		}
		if f.text, p.rest = p.rest[:n], p.rest[n:]; strings.HasPrefix(p.rest, "\n") {
			f.text = strings.TrimSuffix(f.text, "\r")
		}
	}
	switch {
	case p.rest == "":
		return f, true, nil
	case p.rest[0] == ',':
		p.rest = p.rest[1:]
		return f, false, nil
	case p.rest[0] == '\n' || strings.HasPrefix(p.rest, "\r\n"):
		_, p.rest, _ = strings.Cut(p.rest, "\n")
		p.line++
		return f, true, nil
	}
	return f, false, fmt.Errorf("frame: CSV line %d: %q follows a closing quotation mark, want a comma or the end of the line", p.line, p.rest[:1])
}

// quoted reads a field in quotation marks.
func (p *parser) quoted() (string, error) {
	var b strings.Builder
	begin := p.line
	for {
		part, rest, closed := strings.Cut(p.rest[1:], `"`)
		if !closed {
			return "", fmt.Errorf("frame: CSV line %d: a quotation mark is not closed", begin)
		}
		b.WriteString(part)
		p.line += strings.Count(part, "\n")
		if p.rest = rest; !strings.HasPrefix(rest, `"`) {
			return b.String(), nil
		}
		b.WriteByte('"')
	}
}
