package pomdpfile

import "io"

// scanner splits a .pomdp file into words, colons and stars.
type scanner struct {
	*source
	kind byte   // ':' or '*', 'w' for a word, 0 at the end of the file
	text []byte // of a word, valid until the next token
}

var wordEnds = endedBy(":*#")

func newScanner(r io.Reader, name string) *scanner {
	s := &scanner{source: newSource(r, name)}
	s.skipMark()
	s.next()
	return s
}

// skipMark passes a byte order mark.
func (s *source) skipMark() {
	for i := range len(byteOrderMark) {
		c, ok := s.peek()
		if !ok || c != byteOrderMark[i] {
			return
		}
		s.take()
	}
}

// next reads a token.
func (s *scanner) next() {
	for {
		if !s.space() {
			s.mark()
			s.kind, s.text = 0, nil
			return
		}
		switch s.buf[s.pos] {
		case '#':
			for c, ok := s.peek(); ok && c != '\n' && c != '\r'; c, ok = s.peek() {
				s.pos++
			}
			continue
		case ':', '*':
			s.mark()
			s.kind, s.text = s.buf[s.pos], s.buf[s.pos:s.pos+1]
			s.pos++
			return
		}
		s.mark()
		s.text = s.until(wordEnds)
		s.kind = 'w'
		return
	}
}

// found names the present token.
func (s *scanner) found() string {
	if s.kind == 0 {
		return "the end of the file"
	}
	return clip(s.text)
}

// want fails over the present token.
func (s *scanner) want(what string) { s.fail(s.found(), what) }

// colon passes a colon.
func (s *scanner) colon() {
	if s.kind != ':' {
		s.want(`":"`)
	}
	s.next()
}

// number passes a finite number, whose sign may stand apart.
func (s *scanner) number(what string) float64 {
	if s.kind != 'w' {
		s.want(what)
	}
	sign := 1.0
	if len(s.text) == 1 && (s.text[0] == '-' || s.text[0] == '+') {
		if s.text[0] == '-' {
			sign = -1
		}
		s.next()
		if s.kind != 'w' || s.text[0] == '-' || s.text[0] == '+' {
			s.want(what)
		}
	}
	v, ok := parseNumber(s.text)
	if !ok {
		s.noNumber(s.text, what)
	}
	s.next()
	return sign * v
}
