package numtext

import (
	"errors"
	"strconv"
	"strings"
)

// Float reads a number. Its error says what would be right, as that of all that read here does.
func Float(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	return wanted(x, err, "want a number")
}

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
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return x, err == nil && x-x == 0
}
