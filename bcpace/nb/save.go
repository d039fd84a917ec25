package nb

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"bayescpace/bcpace"
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
//
// The width, in millimetres, is from 60 to 300, and OneColumn without another one; a figure
// with more side by side than fits says how wide it must be. A file that is there is
// replaced as a whole. The cell says what was saved; with an error it ends.
func Save(figure any, file string, width ...float64) {
	m, err := save(figure, file, width)
	Check(err)
	standard().show(m)
}

// paper is a figure that can be drawn for a paper, as *viz.Figure can.
type paper interface {
	Paper(format string, width float64) (data []byte, height float64, err error)
}

func save(figure any, file string, widths []float64) (message, error) {
	bad := bcpace.In("nb.Save").Bad
	width := OneColumn
	switch len(widths) {
	case 0:
	case 1:
		width = widths[0]
	default:
		return message{}, bad("the width", fmt.Sprintf("%d numbers", len(widths)), "one, in millimetres")
	}
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(file)), ".")
	switch format {
	case "pdf", "svg", "png":
	default:
		return message{}, bad("the file", strconv.Quote(file), "a name that ends in .pdf, .svg or .png")
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
	f, ok, err := figureOf(figure)
	if err != nil {
		return message{}, err
	}
	p, can := f.(paper)
	if !ok || !can {
		return message{}, bad("the figure", fmt.Sprintf("of type %T", figure), "a figure or a chart of package viz")
	}
	if err := checkFigures([]Figure{f}); err != nil {
		return message{}, err
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
