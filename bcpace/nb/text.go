package nb

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxCell  = 80   // characters of a cell that are shown
	maxTitle = 2000 // characters of the full text that its title keeps, and of a sentence
)

// clean returns s as one line of valid text: line ends and tabs become spaces,
// control characters and those that turn the writing direction become U+FFFD.
// Names and labels come from models and files, and must not change the page
// around them.
func clean(s string) string { return strings.Map(cleanRune, strings.ToValidUTF8(s, "\uFFFD")) }

// cleanLines is clean for a text whose lines are kept.
func cleanLines(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return cleanRune(r)
	}, s)
}

func cleanRune(r rune) rune {
	switch {
	case r == '\n' || r == '\r' || r == '\t' || r == '\u2028' || r == '\u2029':
		return ' '
	case unicode.IsControl(r), turnsDirection(r):
		return '\uFFFD'
	}
	return r
}

// turnsDirection reports whether r is an invisible character that reorders the
// text around it.
func turnsDirection(r rune) bool {
	return r == '\u061C' || r == '\u200E' || r == '\u200F' || r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069'
}

// shorten cuts s after n characters and reports whether it did.
func shorten(s string, n int) (string, bool) {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s, false
	}
	count := 0
	for i := range s {
		if count == n-1 {
			return s[:i] + "…", true
		}
		count++
	}
	return s, false
}

// escape makes text safe inside an element and a double-quoted attribute.
func escape(s string) string { return html.EscapeString(s) }

// width is the number of columns that s takes in a monospaced font.
func width(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case r >= 0x1100 && r <= 0x115F, r >= 0x2E80 && r <= 0xA4CF, r >= 0xAC00 && r <= 0xD7A3,
			r >= 0xF900 && r <= 0xFAFF, r >= 0xFE30 && r <= 0xFE6F, r >= 0xFF00 && r <= 0xFF60,
			r >= 0x1F300 && r <= 0x1FAFF, r >= 0x20000 && r <= 0x3FFFD:
			n += 2 // East Asian wide characters and pictographs
		default:
			n++
		}
	}
	return n
}
