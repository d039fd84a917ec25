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
	s.next()
	return s
}

// next reads a token.
func (s *scanner) next() {
	for s.space() {
		s.mark()
		c, _ := s.peek()
		switch c {
		case '#':
			for ok := true; ok && c != '\n' && c != '\r'; c, ok = s.peek() {
				s.take()
			}
			continue
		case ':', '*':
			s.take()
			s.read = append(s.read[:0], c)
			s.kind, s.text = c, s.read
		default:
			s.kind, s.text = 'w', s.until(wordEnds)
		}
		return
	}
	s.mark()
	s.kind, s.text = 0, nil
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
