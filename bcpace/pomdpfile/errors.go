package pomdpfile

import (
	"fmt"
	"slices"
	"strconv"

	"bayescpace/bcpace/numtext"
)

// Error says where a file cannot be read, what was found there and what would
// be right.
type Error struct {
	File         string // the name given to the reader
	Line, Column int    // from 1; Column counts bytes, 0 where only the line is known
	Found        string
	Want         string
	Err          error // the error of the reader underneath, if that is what stopped it
}

func (e *Error) Error() string {
	at := e.File + ":" + strconv.Itoa(e.Line)
	if e.Column > 0 {
		at += ":" + strconv.Itoa(e.Column)
	}
	if e.Err != nil {
		return fmt.Sprintf("%s: %v", at, e.Err)
	}
	return fmt.Sprintf("%s: found %s, want %s", at, e.Found, e.Want)
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// stop carries an *Error from deep within a reader to its top by panic.
type stop struct{ err *Error }

// caught turns a stop into the error it carries. Deferred by every reader.
func caught(err *error) {
	switch p := recover().(type) {
	case nil:
	case stop:
		*err = p.err
	default:
		panic(p)
	}
}

// clip is text as an error shows it: quoted, and cut where it is long.
func clip[T ~string | ~[]byte](text T) string {
	const most = 60
	if len(text) > most {
		return strconv.Quote(string(text[:most])) + "…"
	}
	return strconv.Quote(string(text))
}

// wordOr is a word as an error shows it, or what is said where there is none.
func wordOr(word []byte, none string) string {
	if word == nil {
		return none
	}
	return clip(word)
}

// near returns the name closest to a word that is none of them, as the end of a
// sentence, or "".
func near(word string, names []string) string {
	const length, looked = 40, 1 << 16
	if len(word) > length {
		return ""
	}
	names = slices.DeleteFunc(slices.Clone(names[:min(len(names), looked)]), func(n string) bool { return len(n) > length })
	return numtext.Meant(word, names)
}
