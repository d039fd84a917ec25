package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"bayescpace/bcpace/numtext"

	"golang.org/x/term"
)

// write writes what fill writes, at once, and returns the error of a standard
// output that cannot take it.
func write(w io.Writer, fill func(w io.Writer)) error {
	var b bytes.Buffer
	fill(&b)
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	return nil
}

// writeJSON writes x as one JSON object on a line.
func writeJSON(w io.Writer, x any) error {
	text, err := jsonOf(x)
	if err != nil {
		return err
	}
	return write(w, func(w io.Writer) { _, _ = w.Write(append(text, '\n')) })
}

// jsonOf returns x as JSON.
func jsonOf(x any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // "<" in a text for people
	if err := e.Encode(x); err != nil {
		return nil, fmt.Errorf("JSON output: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// number is a float64 that is null in JSON and – in a table where it is not
// finite: where there is no such number.
type number float64

var none = number(math.NaN())

// finite says that there is such a number.
func (n number) finite() bool { return !math.IsNaN(float64(n)) && !math.IsInf(float64(n), 0) }

// MarshalJSON implements json.Marshaler.
func (n number) MarshalJSON() ([]byte, error) {
	if !n.finite() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// Numbers with another text in a table: bounds with six digits, rounded outward, a time in seconds to a millisecond, and a number that has
// no row where there is none.
type (
	lower   struct{ number }
	upper   struct{ number }
	seconds struct{ number }
	maybe   struct{ number }
)

func (n lower) String() string {
	x := float64(n.number)
	return number(numtext.Down(x, numtext.Digits(x, tableDigits))).String()
}

func (n upper) String() string {
	x := float64(n.number)
	return number(numtext.Up(x, numtext.Digits(x, tableDigits))).String()
}

func (n seconds) String() string { return fmt.Sprintf("%.3f", float64(n.number)) }

// ground is a text that is null in JSON where there is nothing to say.
type ground string

// MarshalJSON implements json.Marshaler.
func (g ground) MarshalJSON() ([]byte, error) {
	if g == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(g))
}

// interval has two ends.
type interval [2]number

func intervalOf(x [2]float64) interval { return interval{number(x[0]), number(x[1])} }

func (i interval) String() string { return fmt.Sprintf("[%s, %s]", i[0], i[1]) }

// orNil is x, or nil for the zero value.
func orNil[T comparable](x T) any {
	if x == *new(T) {
		return nil
	}
	return x
}

// tableDigits is how many digits tables have.
const tableDigits = 6

// String writes six digits, for people.
func (n number) String() string {
	if !n.finite() {
		return "–"
	}
	return strconv.FormatFloat(float64(n), 'g', tableDigits, 64)
}

// fact is something that a verb has found.
type fact struct {
	key, label string // in JSON and in a table; "" where it does not stand there
	value      any    // nil stands in neither
}

// facts are what a verb prints: one JSON object, or a table.
type facts []fact

// MarshalJSON implements json.Marshaler.
func (list facts) MarshalJSON() ([]byte, error) {
	object := []byte{'{'}
	for _, x := range list {
		if x.key == "" || x.value == nil {
			continue
		}
		text, err := jsonOf(x.value)
		if err != nil {
			return nil, err
		}
		object = append(fmt.Appendf(object, "%q:%s", x.key, text), ',')
	}
	return append(bytes.TrimSuffix(object, []byte{','}), '}'), nil
}

func (list facts) rows(row func(...any)) {
	for _, x := range list {
		if x.label != "" {
			row(x.label, x.value)
		}
	}
}

// columns returns what writes a list as a table below the names of its columns: a row for each of its facts that have a label, whose values are the cells.
func columns(list []facts, names ...any) func(row func(cells ...any)) {
	return func(row func(cells ...any)) {
		row(names...)
		for _, x := range list {
			var cells []any
			x.rows(func(labelled ...any) { cells = append(cells, labelled[1]) })
			row(cells...)
		}
	}
}

// printTable writes x as JSON where that is asked for, and otherwise its rows.
func (f *flags) printTable(w io.Writer, x facts) error {
	return f.printText(w, x, func(w io.Writer) { table(w, x.rows) })
}

// printText writes x as JSON where that is asked for, and otherwise what people writes.
func (f *flags) printText(w io.Writer, x any, people func(w io.Writer)) error {
	if f.json {
		return writeJSON(w, x)
	}
	return write(w, people)
}

// table writes rows with their columns aligned, without a row whose second cell has nothing to say.
func table(w io.Writer, fill func(row func(cells ...any))) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fill(func(cells ...any) {
		if n, ok := cells[min(1, len(cells)-1)].(maybe); ok && !n.finite() || len(cells) > 1 && (cells[1] == nil || cells[1] == ground("")) {
			return
		}
		for i, c := range cells {
			if i > 0 {
				fmt.Fprint(t, "\t")
			}
			fmt.Fprint(t, c)
		}
		fmt.Fprintln(t)
	})
	t.Flush()
}

// each returns what of makes of the entries of a list; nil of none.
func each[T, U any](list []T, of func(T) U) (all []U) {
	for _, x := range list {
		all = append(all, of(x))
	}
	return all
}

// boundText writes a number, or rounds a bound outward.
func boundText(v float64, bound int) string {
	n := number(v)
	return []fmt.Stringer{lower{n}, n, upper{n}}[1+bound].String()
}

// page is a text of limited width, in bold and in colours where it is read in a terminal.
type page struct {
	w     io.Writer
	width int
	rich  bool
}

// newPage returns a page as wide as COLUMNS or the terminal says, and otherwise of 80 characters.
func newPage(w io.Writer) page {
	p := page{w: w, width: 80}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil {
			p.width = n
		}
		p.rich = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil {
		p.width = n
	}
	p.width = min(max(p.width, 40), 100)
	return p
}

// wrapped writes a text of the width that is left behind first, and what begins each further line of it.
func (p page) wrapped(first, text string, width int, further string) {
	fmt.Fprintln(p.w, first+strings.ReplaceAll(numtext.Wrap(text, width), "\n", "\n"+further))
}

// title writes a line that begins a part of the page.
func (p page) title(text string) {
	fmt.Fprintln(p.w)
	if !p.rich {
		p.text(text, 0)
		return
	}
	const bold, plain = "\x1b[1m", "\x1b[0m"
	fmt.Fprintln(p.w, bold+strings.ReplaceAll(numtext.Wrap(text, p.width), "\n", plain+"\n"+bold)+plain)
}

// text writes a paragraph, indented.
func (p page) text(text string, indent int) {
	blank := strings.Repeat(" ", indent)
	p.wrapped(blank, text, p.width-indent, blank)
}

// item writes a name, and what it is beside it or, where that is long, below.
func (p page) item(name, text string, column int) {
	n := utf8.RuneCountInString(name)
	if p.rich {
		name = "\x1b[36m" + name + "\x1b[0m"
	}
	if n+4 > column || p.width < 2*column {
		fmt.Fprintln(p.w, "  "+name)
		p.text(text, 6)
		return
	}
	blank := strings.Repeat(" ", column)
	p.wrapped("  "+name+blank[2+n:], text, p.width-column, blank)
}

// command writes a command of this program, with a backslash where a line goes on.
func (p page) command(args string) {
	fmt.Fprintln(p.w, "  "+strings.ReplaceAll(numtext.Wrap("bcpace "+args, p.width-6), "\n", " \\\n    "))
}
