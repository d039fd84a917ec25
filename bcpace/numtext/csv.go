package numtext

import (
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// WriteCSV writes a table as comma-separated values, from which every value can be told with its type: floats with all
// their digits, with a point or an exponent wherever they are whole, NaN and ±Inf by these names, and text that looks like
// anything else in quotation marks. The table has rows of a float64, an int, a bool, a string, or nil for what is missing,
// which is an empty field. Package frame reads it back.
func WriteCSV(w io.Writer, names []string, rows int, at func(row, column int) any) error {
	var b strings.Builder
	for j, name := range names {
		if j > 0 {
			b.WriteByte(',')
		}
		quoteField(&b, name)
	}
	b.WriteByte('\n')
	for i := range rows {
		for j := range names {
			if j > 0 {
				b.WriteByte(',')
			}
			switch x := at(i, j).(type) {
			case float64:
				b.WriteString(floatField(x))
			case int:
				b.WriteString(strconv.Itoa(x))
			case bool:
				b.WriteString(strconv.FormatBool(x))
			case string:
				quoteField(&b, x)
			}
		}
		b.WriteByte('\n')
		if b.Len() > 1<<16 {
			if _, err := io.WriteString(w, b.String()); err != nil {
				return err
			}
			b.Reset()
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// floatField writes the shortest text that reads back as x, and never the
// text of a whole number.
func floatField(x float64) string {
	switch {
	case math.IsInf(x, 1):
		return "Inf"
	case math.IsInf(x, -1):
		return "-Inf"
	}
	s := Exact(x)
	if !strings.ContainsAny(s, ".eN") {
		s += ".0"
	}
	return s
}

// quoteField writes text, in quotation marks unless it is a word that no
// reader takes for a number, a boolean or a missing value.
func quoteField(b *strings.Builder, s string) {
	if isWord(s) {
		b.WriteString(s)
		return
	}
	b.WriteByte('"')
	b.WriteString(strings.ReplaceAll(s, `"`, `""`))
	b.WriteByte('"')
}

func isWord(s string) bool {
	if s == "" || s == "true" || s == "false" || !utf8.ValidString(s) {
		return false
	}
	for i, r := range s {
		if !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r) && !strings.ContainsRune("_.-()' ", r)) {
			return false
		}
	}
	_, err := Float(s)
	return err != nil && s[len(s)-1] != ' '
}

// Float reads a number in decimal digits, or what programs write for one that is infinite or none: Inf, Infinity or NaN in
// small or capital letters. It decides for all that users write what a number is: 1_0 and 0x1p-2, which the Go
// language has for 10 and 1/4, are texts in every other program's tables. Its error says what would be right, as that
// of all that read here does.
func Float(text string) (float64, error) {
	if strings.ContainsAny(text, "_xX") {
		return wanted(0.0, strconv.ErrSyntax, wantNumber)
	}
	x, err := strconv.ParseFloat(text, 64)
	return wanted(x, err, wantNumber)
}

const wantNumber = "want a number"

// Whole reads a whole number.
func Whole(text string) (int, error) {
	n, err := strconv.Atoi(text)
	return wanted(n, err, "want a whole number")
}

// Unsigned reads a whole number that is not negative.
func Unsigned(text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	return wanted(n, err, "want a whole number from 0 up")
}

// Switch reads true or false, or a short form of one.
func Switch(text string) (bool, error) {
	b, err := strconv.ParseBool(text)
	return wanted(b, err, "want true or false")
}

// wanted returns x, with an error that says what was wanted where there was one.
func wanted[T any](x T, err error, want string) (T, error) {
	if err != nil {
		err = errors.New(want)
	}
	return x, err
}

// Finite reads a number that is neither infinite nor NaN, with or without spaces around it.
func Finite(text string) (x float64, ok bool) {
	x, err := Float(strings.TrimSpace(text))
	return x, err == nil && x-x == 0
}
