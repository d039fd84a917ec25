package viz

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"bayescpace/bcpace/solverkit"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// maxWords bounds the runes of any text that comes from outside.
const maxWords = 200

// words makes a text from outside fit to be drawn on one line: white space
// becomes single spaces; control and direction characters go, as they would
// turn around the text beside them; so do combining marks, but for one above each
// letter, of those that a typesetter draws. What is left is at most limit runes long.
func words(s string, limit int) string {
	var out []rune
	space := false
	for _, r := range s {
		switch {
		case marks[r] != 0 && !space && len(out) > 0 && marks[out[len(out)-1]] == 0:
		case unicode.IsSpace(r) && r != '\u00a0':
			space = len(out) > 0
			continue
		case r == utf8.RuneError, unicode.Is(unicode.C, r), unicode.Is(unicode.M, r):
			continue
		}
		if space {
			out, space = append(out, ' '), false
		}
		if out = append(out, r); len(out) > limit {
			return strings.TrimRight(string(out[:limit-1]), " ") + "…"
		}
	}
	return string(out)
}

// name is words for the name of a thing, which is never empty.
func name(s, otherwise string) string {
	if s = words(s, maxWords); s != "" {
		return s
	}
	return otherwise
}

// latentName is how a figure names a latent.
func latentName(latents []string, k int) string { return name(latents[k], fmt.Sprintf("latent %d", k)) }

// titled is a title for what is shown of a model, whose name begins with a capital: "Tiger: exploration".
func titled(model, what string) string {
	model = name(model, "model")
	first, size := utf8.DecodeRuneInString(model)
	return string(unicode.ToUpper(first)) + model[size:] + ": " + what
}

// written are the names of bounds, and of what is no solver, by what they are called in code.
var written = map[string]string{"best-case": "best case", "fib": "fast informed bound", "tib": "tighter informed bound", "sboss": "SBOSS"}

// label is name for what a curve or a row is of: names of code are as papers write them.
func label(s, otherwise string) string {
	if w, ok := written[s]; ok {
		return w
	}
	if about, ok := solverkit.Find(s); ok {
		return about.Written
	}
	return name(s, otherwise)
}

// fit shortens s so that it is at most width wide.
func fit(s string, style text.Style, width vg.Length) string {
	if style.Width(s) <= width {
		return s
	}
	runes := []rune(s)
	lo, hi := 0, len(runes) // lo runes and an ellipsis fit, hi do not
	for lo+1 < hi {
		mid := (lo + hi) / 2
		if style.Width(strings.TrimRight(string(runes[:mid]), " ")+"…") <= width {
			lo = mid
		} else {
			hi = mid
		}
	}
	return strings.TrimRight(string(runes[:lo]), " ") + "…"
}

// wrap breaks a text between words into at most limit lines, each at most width wide; the
// last one is shortened to fit. It returns none for "".
func wrap(s string, style text.Style, width vg.Length, limit int) (lines []string) {
	rest := strings.Fields(s)
	for len(rest) > 0 {
		n := 1
		for n < len(rest) && style.Width(strings.Join(rest[:n+1], " ")) <= width {
			n++
		}
		if len(lines) == limit-1 {
			n = len(rest)
		}
		lines, rest = append(lines, fit(strings.Join(rest[:n], " "), style, width)), rest[n:]
	}
	return lines
}
