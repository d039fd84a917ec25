package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"bayescpace/bcpace"
)

// errHelp says that help was asked for.
var errHelp = errors.New("help")

// usageError is a wrong use of the command line.
type usageError struct {
	what  string
	usage string // filled in by dispatch for errors of verbs
}

func (e *usageError) Error() string { return e.what }

// misuse returns a *usageError of a verb.
func misuse(format string, args ...any) error { return &usageError{what: fmt.Sprintf(format, args...)} }

// oneLine keeps what a message quotes, such as a file's name, from breaking the
// promise of one line.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// inputError is an error about a flag's value.
func inputError(flag string, got any, want string) error {
	return bcpace.In("options").Bad(flag, got, want)
}

// againError is an error that may be gone the next time.
type againError struct{ error }

func (e *againError) Unwrap() error { return e.error }

// interrupted says that work was cut, and leaves other errors as they are.
func interrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted before there was anything to keep")
	}
	return err
}
