package pomdpfile

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"strconv"
	"strings"

	"bayescpace/bcpace/numtext"
)

// source is a buffered file that knows its place.
type source struct {
	name string
	r    *bufio.Reader
	next []byte // what r has buffered and take has not passed
	all  int    // how much that was when r was looked at
	read []byte // what until has read last

	line, column int  // of the next byte, from 1
	returned     bool // the byte that take has passed last is a carriage return

	// where the present token begins
	tokenLine, tokenColumn int
}

const (
	bufferSize = 1 << 18
	longest    = 1 << 16 // bytes of a token

	byteOrderMark = "\uFEFF"
)

// newSource returns the source of a file, behind its byte order mark.
func newSource(r io.Reader, name string) *source {
	s := &source{name: name, r: bufio.NewReaderSize(r, bufferSize), line: 1, column: 1}
	if mark := s.ahead(len(byteOrderMark)); string(mark) == byteOrderMark {
		s.next = s.next[len(mark):]
	}
	return s
}

// ahead returns the next n bytes, or fewer at the end of the file.
func (s *source) ahead(n int) []byte {
	if len(s.next) < n {
		s.r.Discard(s.all - len(s.next)) // which has been read
		if _, err := s.r.Peek(n); err != nil && err != io.EOF && s.r.Buffered() == 0 {
			panic(stop{&Error{File: s.name, Line: s.line, Err: err}})
		}
		s.all = s.r.Buffered()
		s.next, _ = s.r.Peek(s.all)
	}
	return s.next[:min(n, len(s.next))]
}

// peek returns the next byte and whether there is one.
func (s *source) peek() (byte, bool) {
	if len(s.next) == 0 && len(s.ahead(1)) == 0 {
		return 0, false
	}
	return s.next[0], true
}

// take passes the byte that peek returned. The end of a line is a line feed, a carriage return, or one of each.
func (s *source) take() {
	c := s.next[0]
	s.next = s.next[1:]
	switch {
	case c == '\n' && s.returned && s.column == 1: // of the same end
	case c == '\n' || c == '\r':
		s.line, s.column = s.line+1, 1
	default:
		s.column++
	}
	s.returned = c == '\r'
}

// space passes white space and reports whether anything follows it.
func (s *source) space() bool {
	c, ok := s.peek()
	for ; ok && isSpace(c); c, ok = s.peek() {
		s.take()
	}
	return ok
}

// mark says that a token begins here.
func (s *source) mark() { s.tokenLine, s.tokenColumn = s.line, s.column }

// endedBy returns which bytes end a word: white space, and some more.
func endedBy(more string) *[256]bool {
	var ends [256]bool
	for _, c := range " \n\t\r\f\v" + more {
		ends[c] = true
	}
	return &ends
}

// until passes the bytes up to one that ends a word and returns them. They stay
// valid until the next call. A word holds no line end.
func (s *source) until(ends *[256]bool) []byte {
	s.read = s.read[:0]
	for _, ok := s.peek(); ok; _, ok = s.peek() {
		n := 0
		for n < len(s.next) && !ends[s.next[n]] {
			n++
		}
		s.read, s.next = append(s.read, s.next[:n]...), s.next[n:]
		if s.column += n; len(s.read) > longest {
			s.fail("a word of more than "+strconv.Itoa(longest)+" bytes", "a shorter one")
		}
		if len(s.next) > 0 {
			break
		}
	}
	return s.read
}

// fail stops the reading with what was found at the present token.
func (s *source) fail(found, want string) {
	panic(stop{&Error{File: s.name, Line: s.tokenLine, Column: s.tokenColumn, Found: found, Want: want}})
}

// noNumber stops the reading at a word that is no number, with the number that it seems to mean: that
// of 1/3, 0,5 or 50%.
func (s *source) noNumber(word []byte, want string) {
	text, under := strings.Replace(string(word), ",", ".", 1), "1"
	if over, below, isFraction := strings.Cut(text, "/"); isFraction {
		text, under = over, below
	} else if share, isPercent := strings.CutSuffix(text, "%"); isPercent {
		text, under = share, "100"
	}
	v, isNumber := parseNumber([]byte(text))
	below, isDivisor := parseNumber([]byte(under))
	if v /= below; isNumber && isDivisor && !math.IsNaN(v) && !math.IsInf(v, 0) {
		s.fail(clip(word)+", which is no number", "decimals, as in "+numtext.Exact(v))
	}
	if _, err := strconv.ParseFloat(strings.ReplaceAll(string(word), "_", ""), 64); err == nil { // inf, nan, 0x1p4 and 1_000
		s.fail(clip(word)+", which is no number in decimals", want)
	}
	s.fail(wordOr(word, "no number"), want)
}

// failAt stops the reading with an error about a place before; a column of 0 is the whole line.
func (s *source) failAt(line, column int, found, want string) {
	panic(stop{&Error{File: s.name, Line: line, Column: column, Found: found, Want: want}})
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v'
}

// parseNumber reads a finite number. Forms that are hexadecimal or no finite numbers are not numbers here.
func parseNumber(word []byte) (value float64, ok bool) {
	value, err := strconv.ParseFloat(string(word), 64)
	if err != nil || bytes.ContainsAny(word, "xXnN_") {
		return 0, false
	}
	return value, true
}

// parseCount reads a whole number below 2³¹.
func parseCount(word []byte) (int, bool) {
	n, err := strconv.ParseUint(string(word), 10, 31)
	return int(n), err == nil
}
