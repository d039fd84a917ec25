package numtext

import (
	"errors"
	"strconv"
	"strings"
)

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
