package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

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
func (x number) finite() bool { return !math.IsNaN(float64(x)) && !math.IsInf(float64(x), 0) }

// MarshalJSON implements json.Marshaler.
func (x number) MarshalJSON() ([]byte, error) {
	if !x.finite() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// atLeast writes a lower bound with six digits, rounded down.
func (x number) atLeast() string {
	return number(numtext.Down(float64(x), numtext.Digits(float64(x), tableDigits))).String()
}

// atMost writes an upper bound with six digits, rounded up.
func (x number) atMost() string {
	return number(numtext.Up(float64(x), numtext.Digits(float64(x), tableDigits))).String()
}

// seconds writes a time in seconds to a millisecond.
func (x number) seconds() string { return fmt.Sprintf("%.3f", float64(x)) }

// tableDigits is how many digits tables have.
const tableDigits = 6

// String writes six digits, for people.
func (x number) String() string {
	if !x.finite() {
		return "–"
	}
	return strconv.FormatFloat(float64(x), 'g', tableDigits, 64)
}
