package nb

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/store"
)

// Widths of a figure in a journal, in millimetres: of one column, and of a page of two.
const (
	OneColumn  = 84.0
	TwoColumns = 174.0
)

// Save writes a figure or a chart of package viz to a file for a paper: as wide as a column,
// without its title, which the caption replaces, and with text of 7 points or more. The end
// of the name says the format: .pdf, with the fonts in the file; .svg, with text as outlines;
// or .png, with 600 pixels an inch. A name without a folder is in the folder of the notebook.
//
//	nb.Save(viz.QOverBelief{Run: run()}, "values.pdf")
//	nb.Save(viz.QOverBelief{Run: run()}, "values.svg", nb.TwoColumns)
//	nb.Save(frame.Samples(run()), "samples.csv")
//
// It writes a gota DataFrame to a .csv file with all digits, as frame.WriteCSV does and frame.ReadCSV
// reads; the frame's own WriteCSV keeps six decimals. A Parquet file, which keeps the types of the columns, is written by
// parquet.WriteFile of package frame/parquet.
//
// The width, in millimetres, is from 60 to 300, and OneColumn without another one; a figure
// with more side by side than fits says how wide it must be. A file that is there is
// replaced as a whole. The cell says what was saved; with an error it ends.
func Save(v any, file string, width ...float64) {
	m, err := save(v, file, width)
	Check(err)
	standard().show(m)
}

// paper is a figure that can be drawn for a paper, as *viz.Figure can.
type paper interface {
	Paper(format string, width float64) (data []byte, height float64, err error)
}

func save(v any, file string, widths []float64) (message, error) {
	bad := bcpace.In("nb.Save").Bad
	df, table := v.(frame)
	width := OneColumn
	switch {
	case len(widths) == 0:
	case table:
		return message{}, bad("the width", widths, "none, as a table has no width")
	case len(widths) == 1:
		width = widths[0]
	default:
		return message{}, bad("the width", fmt.Sprintf("%d numbers", len(widths)), "one, in millimetres")
	}
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(file)), ".")
	switch {
	case table && format != "csv":
		return message{}, bad("the file of a DataFrame", strconv.Quote(file), "a name that ends in .csv; parquet.WriteFile of package bayescpace/bcpace/frame/parquet writes .parquet")
	case !table && !slices.Contains([]string{"pdf", "svg", "png"}, format):
		return message{}, bad("the file of a figure", strconv.Quote(file), "a name that ends in .pdf, .svg or .png; .csv is for a DataFrame")
	}
	if len(filepath.Base(file)) == len(filepath.Ext(file)) {
		return message{}, bad("the file", strconv.Quote(file), "a name before the ."+format+", such as \"values."+format+"\"")
	}
	switch info, err := os.Stat(filepath.Dir(file)); {
	case errors.Is(err, fs.ErrNotExist):
		return message{}, bad("the folder of "+strconv.Quote(file), "missing", "one that exists")
	case err == nil && !info.IsDir():
		return message{}, bad("the folder of "+strconv.Quote(file), "a file", "a folder")
	}
	if err := store.CheckFile(file); err != nil {
		return message{}, fmt.Errorf("nb.Save: %w", err)
	}
	if table {
		return saveFrame(df, file)
	}
	f, ok, err := figureOf(v)
	if err != nil {
		return message{}, err
	}
	p, can := f.(paper)
	if !ok || !can {
		return message{}, bad("the figure", fmt.Sprintf("of type %T", v), "a figure or a chart of package viz, or a DataFrame")
	}
	data, height, err := p.Paper(format, width)
	if err != nil {
		return message{}, err
	}
	if err := store.WriteFile(file, bytes.NewReader(data)); err != nil {
		return message{}, fmt.Errorf("nb.Save: %w", err)
	}
	return message{plain: fmt.Sprintf("saved %s, %.0f × %.0f mm", clean(file), width, height)}, nil
}

// saveFrame writes a DataFrame with all digits.
func saveFrame(df frame, file string) (message, error) {
	if err := frameError(df); err != nil {
		return message{}, fmt.Errorf("nb.Save: %w", err)
	}
	at, kinds, ok := elements(df)
	rows, cols := df.Dims()
	if !ok || cols == 0 {
		return message{}, bcpace.In("nb.Save").Bad("the DataFrame", fmt.Sprintf("a %T of %d columns", df, cols), "one of gota's with columns")
	}
	err := store.WriteFile(file, store.Content(func(w io.Writer) error {
		return numtext.WriteCSV(w, df.Names(), rows, func(i, j int) any { return exactValue(at(i, j), kinds[j]) })
	}))
	if err != nil {
		return message{}, fmt.Errorf("nb.Save: %w", err)
	}
	return message{plain: fmt.Sprintf("saved %s, %s × %s", clean(file), numtext.Several(rows, "row"), numtext.Several(cols, "column"))}, nil
}

// exactValue returns the value of an element, and nil for a whole number or a boolean that is missing.
func exactValue(e element, kind string) any {
	switch {
	case kind == "bool" && !e.IsNA():
		return e.String() == "true"
	case kind == "bool", kind == "int" && e.IsNA():
		return nil
	}
	return elementValue(e, kind)
}
