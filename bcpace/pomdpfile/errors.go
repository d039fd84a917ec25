package pomdpfile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

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

// near returns the names closest to a word that is none of them, as the end of a
// sentence, or "".
func near(word string, names []string) string {
	const most, length, looked = 3, 40, 1 << 16
	type match struct {
		name string
		far  int
	}
	var found []match
	for _, n := range names[:min(len(names), looked)] {
		if len(n) > length || len(word) > length {
			continue
		}
		if d := numtext.Edits(word, n); d <= max(1, len(word)/3) {
			found = append(found, match{n, d})
		}
	}
	slices.SortStableFunc(found, func(a, b match) int { return cmp.Compare(a.far, b.far) })
	if len(found) == 0 {
		return ""
	}
	var list []string
	for _, m := range found[:min(len(found), most)] {
		list = append(list, strconv.Quote(m.name))
	}
	return " (near: " + strings.Join(list, ", ") + ")"
}
