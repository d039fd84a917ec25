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
	"sync"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"bayescpace/bcpace/numtext"
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

// interval has two ends.
type interval [2]number

func intervalOf(x [2]float64) interval { return interval{number(x[0]), number(x[1])} }

func (x interval) String() string { return fmt.Sprintf("[%s, %s]", x[0], x[1]) }

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

// tabled is what a verb prints: its JSON, or its rows.
type tabled interface{ rows(row func(cells ...any)) }

// printTable writes x as JSON where that is asked for, and otherwise its rows.
func (f *flags) printTable(w io.Writer, x tabled) error {
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

const (
	progressEvery = 200 * time.Millisecond
	progressWidth = 79 // columns: a longer line would wrap, and not be replaced
)

// progressLine is a line on a terminal that tells how far the work has come.
// Elsewhere it is silent. It may be used from any goroutine.
type progressLine struct {
	w    io.Writer // nil for silence
	now  func() time.Time
	mu   sync.Mutex
	last time.Time
	cols int // columns drawn
}

// progress returns the line of standard error, silent where that is not a terminal
// or a program reads the output.
func (p program) progress(asJSON bool) *progressLine {
	l := &progressLine{now: time.Now, last: time.Now()}
	if !asJSON && isTerminal(p.stderr) {
		l.w = p.stderr
	}
	return l
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// show replaces the line, unless it was replaced just before.
func (l *progressLine) show(format string, args ...any) {
	if l.w == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if now.Sub(l.last) < progressEvery {
		return
	}
	l.last = now
	l.draw(fmt.Sprintf(format, args...))
}

// clear takes the line away.
func (l *progressLine) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cols > 0 {
		l.draw("")
		fmt.Fprint(l.w, "\r")
	}
}

func (l *progressLine) draw(line string) {
	if r := []rune(line); len(r) > progressWidth {
		line = string(r[:progressWidth-1]) + "…"
	}
	n := utf8.RuneCountInString(line)
	fmt.Fprint(l.w, "\r"+line+strings.Repeat(" ", max(0, l.cols-n)))
	l.cols = n
}
