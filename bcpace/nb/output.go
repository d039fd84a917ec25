package nb

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/store"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// Show displays values in the cell, one below the other, and figures that
// follow one another side by side, two in a row. Figures of package viz are then
// narrower, and their text keeps its size, so that a page of 800 pixels shows them whole.
//
//   - A figure or a chart of package viz, as an image with its description.
//   - Frames, such as those of Slider, one at a time, with a slider.
//   - A gota DataFrame, a Table, a *runs.Run, a *bcpace.Solution, a *cpace.Explanation,
//     a bcpace.Belief, a bcpace.Spec, an eval.Result, the []eval.Score of Compare, a struct, a map, a
//     slice of structs or of slices, as a table.
//   - An *eval.Comparison, as a table with what is best in bold.
//   - Anything else as text.
//
// Long tables are cut to the first 20 rows and 16 columns and say how many
// more there are; nb.Limit(rows, cols) among the values changes that. A click on
// the name of a column sorts a table's rows, in exported pages too.
// A figure that cannot be drawn and a DataFrame that carries an error end the
// cell with that error.
//
// Outside a notebook, Show writes the plain form to standard output.
func Show(values ...any) {
	ms, err := render(values)
	standard().show(ms...)
	Check(err)
}

// Row displays values side by side on one line, where each of them is short text, and else as Show does. An error that
// comes last ends the cell, and is left out where it is nil. The kernel hands it what a cell ends with: several values, or a
// call that returns several or an error.
//
//	nb.Row(strings.Cut("a=1", "=")) // a  1  true
func Row(values ...any) {
	if n := len(values) - 1; n >= 0 {
		err, is := values[n].(error)
		if Check(err); is || values[n] == nil {
			values = values[:n]
		}
	}
	var line []string
	for _, v := range values {
		ms, err := render([]any{v})
		if err != nil || len(ms) != 1 || ms[0].html != "" || ms[0].png != nil || strings.Contains(ms[0].plain, "\n") {
			Show(values...)
			return
		}
		line = append(line, ms[0].plain)
	}
	if len(line) > 0 {
		Show(strings.Join(line, "  "))
	}
}

// render turns values into messages. With an error come the messages of the
// values before the one at fault.
func render(values []any) ([]message, error) {
	var limit limits
	for _, v := range values {
		if l, ok := v.(limits); ok {
			limit = l
		}
	}
	parts, fault := partsOf(values)
	ms, err := messagesOf(parts, limit)
	return ms, cmp.Or(err, fault)
}

// part is what is shown as one: figures side by side, or another value.
type part struct {
	figures []Drawable // nil for another value
	value   any
}

// partsOf puts figures that follow one another together. With an error come the parts
// before the value at fault.
func partsOf(values []any) ([]part, error) {
	var parts []part
	for _, v := range values {
		if _, ok := v.(limits); ok {
			continue
		}
		row := len(parts) > 0 && parts[len(parts)-1].figures != nil // that another figure may join
		f, ok, err := figureOf(v)
		if err != nil {
			if row { // not a part of a row
				parts = parts[:len(parts)-1]
			}
			return parts, err
		}
		if err := frameError(v); err != nil {
			return parts, err
		}
		switch {
		case ok && row:
			last := &parts[len(parts)-1]
			last.figures = append(last.figures, f)
		case ok:
			parts = append(parts, part{figures: []Drawable{f}})
		default:
			parts = append(parts, part{value: v})
		}
	}
	return parts, nil
}

// messagesOf turns parts into messages, up to the first that cannot be shown.
func messagesOf(parts []part, limit limits) ([]message, error) {
	var ms []message
	for _, p := range parts {
		frames, ok := p.value.(Frames)
		switch {
		case p.figures != nil:
			m, err := figures(p.figures)
			if err != nil {
				return ms, err
			}
			ms = append(ms, m)
		case ok:
			more, err := frames.messages(limit)
			if err != nil {
				return ms, err
			}
			ms = append(ms, more...)
		default:
			ms = append(ms, render1(p.value, limit))
		}
	}
	return ms, nil
}

// render1 turns a value that is not a figure into a message.
func render1(v any, limit limits) message {
	if c, ok := v.(eval.Comparison); ok {
		v = &c
	}
	if c, _ := v.(*eval.Comparison); c != nil {
		// A table of mean returns with what is best in bold, for which a Table has no means. It is not
		// sorted: its rows are problems, and a return in one says nothing beside a return in another.
		// MathJax is kept from taking two dollar signs for a formula, as in inHTML.
		const open = `<div class="tex2jax_ignore mathjax_ignore" style="overflow-x:auto">`
		return message{plain: cleanLines(c.String()), html: open + cleanLines(c.HTML()) + "</div>"}
	}
	if s, ok := tabular(v); ok {
		g := layout(s, limit)
		return message{plain: g.text(), html: g.html()}
	}
	text, cut := shorten(textual(v), maxText)
	return message{plain: text + when(cut, fmt.Sprintf("\nThe text of this %T is cut after %s characters.", v, Count(maxText)))}
}

// screen is where messages go.
type screen interface {
	// send shows a message; with an id, in place of the message before it that
	// had the same id.
	send(m message, id string)
	// flush returns when everything sent has arrived.
	flush()
}

// syncTimeout bounds the wait for a kernel that has gone away.
const syncTimeout = 10 * time.Second

// notebook shows messages in a GoNB notebook.
type notebook struct{}

func (notebook) send(m message, id string) {
	data := map[protocol.MIMEType]any{protocol.MIMETextPlain: m.plain}
	d := &protocol.DisplayData{Data: data, DisplayID: id}
	if m.html != "" {
		data[protocol.MIMETextHTML] = m.html
	}
	if m.png != nil {
		data[protocol.MIMEImagePNG] = m.png
		d.Metadata = map[string]any{string(protocol.MIMEImagePNG): map[string]int{"width": m.width, "height": m.height}}
	}
	gonbui.SendData(d)
}

func (notebook) flush() {
	done := make(chan struct{})
	go func() {
		gonbui.Sync() // waits without end where the kernel does not answer
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(syncTimeout):
	}
}

// terminal writes the plain form of messages.
type terminal struct{ w io.Writer }

func (t terminal) send(m message, id string) {
	if id == "" || m.plain != "" {
		fmt.Fprintln(t.w, m.plain)
	}
}

func (terminal) flush() {}

// stdout writes to what os.Stdout is at the time.
type stdout struct{}

func (stdout) Write(b []byte) (int, error) { return os.Stdout.Write(b) }

// output is the screen of this process, and the place on it that a finished
// progress display has left free.
type output struct {
	mu     sync.Mutex
	screen screen
	free   string         // id of an empty output that the next message may fill
	open   []*ProgressBar // progress displays to be seen
	// within displays work as a part of that of a slider whose values are being computed; nil without one.
	within func(share float64, status string)
	live   bool // a notebook, where progress is displayed
}

// standard is made at the first call rather than at start-up, because a
// program may import nb and never show anything.
var standard = sync.OnceValue(func() *output {
	if gonbui.IsNotebook && gonbui.Open() == nil {
		return &output{screen: notebook{}, live: true}
	}
	return &output{screen: terminal{stdout{}}}
})

// interruptible computes what a cell asks for: an interrupt ends ctx, and an error ends the cell.
func interruptible[T any](compute func(ctx context.Context, out *output) (T, error)) T {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return Must(compute(ctx, standard()))
}

// show sends messages and waits until they have arrived. The first one takes
// the place of a finished progress display: the notebook is then saved as if
// there had been none, whether the result was computed or came from the store.
func (o *output) show(ms ...message) {
	if len(ms) == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, m := range ms {
		id := o.free
		o.free = ""
		o.screen.send(m, id)
	}
	o.screen.flush()
}

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
	standard().show(Must(save(v, file, width)))
}

// paper is a figure that can be drawn for a paper, as *viz.Figure can.
type paper interface {
	Paper(format string, width float64) (data []byte, height float64, err error)
}

func save(v any, file string, widths []float64) (message, error) {
	in := bcpace.In("nb.Save")
	df, table := v.(frame)
	width := slices.Concat(widths, []float64{OneColumn})[0]
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(file)), ".")
	if err := cmp.Or(
		in.Need(!table || len(widths) == 0, "the width", widths, "none, as a table has no width"),
		in.Need(len(widths) <= 1, "the width", fmt.Sprintf("%d numbers", len(widths)), "one, in millimetres"),
		in.Need(!table || format == "csv", "the file of a DataFrame", strconv.Quote(file), "a name that ends in .csv; parquet.WriteFile of package bayescpace/bcpace/frame/parquet writes .parquet"),
		in.Need(table || slices.Contains([]string{"pdf", "svg", "png"}, format), "the file of a figure", strconv.Quote(file), "a name that ends in .pdf, .svg or .png; .csv is for a DataFrame"),
		in.Need(len(filepath.Base(file)) != len(filepath.Ext(file)), "the file", strconv.Quote(file), "a name before the ."+format+", such as \"values."+format+"\"")); err != nil {
		return message{}, err
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
		return message{}, in.Bad("the figure", fmt.Sprintf("of type %T", v), "a figure or a chart of package viz, or a DataFrame")
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
