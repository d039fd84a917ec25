package pomdpfile

import (
	"io"
	"math"
	"strconv"
	"strings"

	"bayescpace/bcpace/numtext"
)

// source is a buffered file that knows its place.
type source struct {
	name string
	r    io.Reader
	buf  []byte
	pos  int // of the next byte in buf
	end  int // of what is read of buf
	hold int // the first byte in buf that must survive a read, -1 for none
	done bool

	offset   int64 // of buf[0] in the file
	line     int   // of pos, from 1
	start    int64 // offset of the first byte of that line
	returned int64 // offset behind the last carriage return, -1 for none

	// where the present token begins
	tokenLine, tokenColumn int
}

const (
	bufferSize = 1 << 18
	longest    = 1 << 16 // bytes of a token
)

func newSource(r io.Reader, name string) *source {
	return &source{name: name, r: r, buf: make([]byte, bufferSize), hold: -1, line: 1, returned: -1}
}

// fill reads more and reports whether there is any. Bytes before pos and hold may
// move out.
func (s *source) fill() bool {
	if s.done {
		return false
	}
	keep := s.pos
	if s.hold >= 0 {
		keep = s.hold
		if s.pos-keep > longest {
			s.hold = -1
			s.fail("a word of more than "+strconv.Itoa(longest)+" bytes", "a shorter one")
		}
	}
	copy(s.buf, s.buf[keep:s.end])
	s.offset += int64(keep)
	s.pos -= keep
	s.end -= keep
	if s.hold >= 0 {
		s.hold = 0
	}
	for range 100 {
		n, err := s.r.Read(s.buf[s.end:])
		s.end += n
		if err == io.EOF {
			s.done = true
			return n > 0
		}
		if err != nil {
			panic(stop{&Error{File: s.name, Line: s.line, Err: err}})
		}
		if n > 0 {
			return true
		}
	}
	panic(stop{&Error{File: s.name, Line: s.line, Err: io.ErrNoProgress}})
}

// peek returns the next byte and whether there is one.
func (s *source) peek() (byte, bool) {
	if s.pos == s.end && !s.fill() {
		return 0, false
	}
	return s.buf[s.pos], true
}

// take passes the byte that peek returned.
func (s *source) take() {
	if c := s.buf[s.pos]; c == '\n' || c == '\r' {
		s.endLine(c)
	}
	s.pos++
}

// endLine counts a line that ends at pos. Its end is a line feed, a carriage return, or one of
// each, which are one end.
func (s *source) endLine(c byte) {
	at := s.offset + int64(s.pos)
	if c == '\r' || at != s.returned {
		s.line++
	}
	if s.start = at + 1; c == '\r' {
		s.returned = at + 1
	}
}

// space passes white space and reports whether anything follows it.
func (s *source) space() bool {
	for {
		for s.pos < s.end {
			c := s.buf[s.pos]
			if !isSpace(c) {
				return true
			}
			if c == '\n' || c == '\r' {
				s.endLine(c)
			}
			s.pos++
		}
		if !s.fill() {
			return false
		}
	}
}

// mark says that a token begins here.
func (s *source) mark() {
	s.tokenLine = s.line
	s.tokenColumn = int(s.offset+int64(s.pos)-s.start) + 1
}

// endedBy returns which bytes end a word: white space, and some more.
func endedBy(more string) *[256]bool {
	var ends [256]bool
	for _, c := range " \n\t\r\f\v" + more {
		ends[c] = true
	}
	return &ends
}

// until passes all bytes up to one that ends a word and returns them. They stay
// valid until the next read. A word holds no line end.
func (s *source) until(ends *[256]bool) []byte {
	s.hold = s.pos
	for {
		for s.pos < s.end {
			if ends[s.buf[s.pos]] {
				word := s.buf[s.hold:s.pos]
				s.hold = -1
				return word
			}
			s.pos++
		}
		if !s.fill() {
			word := s.buf[s.hold:s.pos]
			s.hold = -1
			return word
		}
	}
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

// tens holds the powers of ten that a float64 holds exactly.
var tens = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// parseNumber reads a finite number. Plain decimals of at most 15 digits are
// exact after one division of two exact floats; all others are left to strconv.
func parseNumber(word []byte) (value float64, ok bool) {
	digits, point, i := 0, -1, 0
	if len(word) > 0 && (word[0] == '-' || word[0] == '+') {
		i = 1
	}
	whole := uint64(0)
	for ; i < len(word); i++ {
		c := word[i]
		if c == '.' && point < 0 {
			point = digits
			continue
		}
		if c < '0' || c > '9' || digits == 15 {
			return parseSlow(word)
		}
		whole = whole*10 + uint64(c-'0')
		digits++
	}
	if digits == 0 {
		return 0, false
	}
	value = float64(whole)
	if point >= 0 {
		value /= tens[digits-point]
	}
	if word[0] == '-' {
		value = -value
	}
	return value, true
}

func parseSlow(word []byte) (float64, bool) {
	for _, c := range word {
		// hexadecimal, infinite and underscored forms are not numbers here
		if (c < '0' || c > '9') && c != '.' && c != 'e' && c != 'E' && c != '-' && c != '+' {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(string(word), 64)
	if err != nil || math.IsInf(v, 0) {
		return 0, false
	}
	return v, true
}

// parseCount reads a whole number below 2³¹.
func parseCount(word []byte) (int, bool) {
	if len(word) == 0 || len(word) > 10 {
		return 0, false
	}
	n := 0
	for _, c := range word {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, n <= math.MaxInt32
}
