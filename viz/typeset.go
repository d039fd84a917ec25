package viz

import (
	"fmt"
	"math"
	"regexp"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// typesetter draws plain text, and composes of what the fonts have what they lack:
// a letter with a mark above it, as in Q̃, superscripts, as in 10⁻⁷, and subscripts of
// the size of these, as in φ₁ and, written with an underscore, L_Q.
type typesetter struct{ text.Plain }

var _ text.Handler = typesetter{}

// marks are the combining marks that are drawn, and the characters of their shape
// that stand on their own, at the height of small letters.
var marks = map[rune]rune{
	'\u0300': '`', '\u0301': '´', '\u0302': 'ˆ', '\u0303': '˜', '\u0304': '¯',
	'\u0307': '˙', '\u0308': '¨', '\u030a': '˚', '\u030c': 'ˇ',
}

// scripts are the superscripts and subscripts, and how they are drawn.
var scripts = map[rune]script{
	'⁰': {'0', raised}, '¹': {'1', raised}, '²': {'2', raised}, '³': {'3', raised}, '⁴': {'4', raised},
	'⁵': {'5', raised}, '⁶': {'6', raised}, '⁷': {'7', raised}, '⁸': {'8', raised}, '⁹': {'9', raised},
	'⁻': {'−', raised}, '⁺': {'+', raised}, 'ⁿ': {'n', raised},
	'₀': {'0', lowered}, '₁': {'1', lowered}, '₂': {'2', lowered}, '₃': {'3', lowered}, '₄': {'4', lowered},
	'₅': {'5', lowered}, '₆': {'6', lowered}, '₇': {'7', lowered}, '₈': {'8', lowered}, '₉': {'9', lowered},
}

// script is a character and how far it is raised, as a part of the font's size.
type script struct {
	char rune
	by   vg.Length
}

// Size and height of scripts, which stay between the font's ascent and descent.
const scriptSize, raised, lowered = 0.7, 0.34, -0.16

// piece is a part of a line that is drawn at once.
type piece struct {
	text string
	face font.Face
	at   vg.Point // from the beginning of the line on its baseline
}

// pieces returns the parts of a line and its width.
func (t typesetter) pieces(line string, fnt font.Font) ([]piece, vg.Length) {
	face := t.Fonts.Lookup(fnt, fnt.Size)
	var all, higher []piece
	var run []rune // of one size and height
	var at vg.Point
	by := vg.Length(0)
	next := func(to vg.Length) {
		if len(run) > 0 {
			all = append(all, piece{string(run), face, at})
			at.X += face.Width(string(run))
			run = run[:0]
		}
		size := fnt.Size
		if to != 0 {
			size *= scriptSize
		}
		by, at.Y, face = to, to*fnt.Size, t.Fonts.Lookup(fnt, size)
	}
	lower := subscripts(line)
	for i, r := range line {
		if mark := marks[r]; mark != 0 {
			if len(run) > 0 {
				letter := run[len(run)-1]
				x := face.Width(string(run)) - face.Width(string(letter))/2 - face.Width(string(mark))/2
				y := max(0, top(face, letter)-top(face, 'x'))
				higher = append(higher, piece{string(mark), face, at.Add(vg.Point{X: x, Y: y})})
			}
			continue
		}
		s, is := scripts[r]
		switch {
		case lower[i] && r == '_':
			continue
		case lower[i]:
			s = script{r, lowered}
		case !is:
			s.char = r
		}
		if s.by != by {
			next(s.by)
		}
		if s.char = drawable(face, s.char); s.char == ' ' && len(run) == 0 && len(all) > 0 { // SVG drops a space at the beginning
			at.X += face.Width(" ")
			continue
		}
		run = append(run, s.char)
	}
	next(0)
	return append(all, higher...), at.X
}

// missing stands for a character that the fonts lack.
const missing = '□'

// drawable returns a character that the font of a face has: r, or missing.
func drawable(face font.Face, r rune) rune {
	if glyph, err := face.Face.GlyphIndex(nil, r); err != nil || glyph == 0 {
		return missing
	}
	return r
}

// letters are what a word is made of, but for the underscore, and marks above them.
const letters, above = `\pL\p{Nd}`, `\x{300}-\x{304}\x{307}\x{308}\x{30a}\x{30c}`

var (
	word        = regexp.MustCompile(`[` + letters + above + `_]+`)
	subscripted = regexp.MustCompile(`^\pL[` + above + `]*(_[` + letters + above + `]+)$`)
)

// subscripts tells which bytes of a line are of a subscript, or the underscore before it:
// letters and digits after a single letter and an underscore, as in L_Q or R_max. The
// underscore of a longer name, as in max_steps, is one of its characters.
func subscripts(line string) []bool {
	lower := make([]bool, len(line))
	for _, w := range word.FindAllStringIndex(line, -1) {
		if part := subscripted.FindStringSubmatchIndex(line[w[0]:w[1]]); part != nil {
			for i := w[0] + part[2]; i < w[1]; i++ {
				lower[i] = true
			}
		}
	}
	return lower
}

// top returns how far a character reaches above the baseline.
func top(face font.Face, r rune) vg.Length {
	const em = 4096                          // units that glyphs are measured in
	glyph, _ := face.Face.GlyphIndex(nil, r) // the fonts of figures can be read
	bounds, _, _ := face.Face.GlyphBounds(nil, glyph, em, 0)
	return -vg.Length(bounds.Min.Y) / em * face.Font.Size
}

// Box implements text.Handler.
func (t typesetter) Box(line string, fnt font.Font) (width, height, depth vg.Length) {
	ext := t.Extents(fnt)
	_, width = t.pieces(line, fnt)
	return width, ext.Ascent, ext.Descent
}

// Draw implements text.Handler, with text where text.Plain has it.
func (t typesetter) Draw(c vg.Canvas, txt string, style text.Style, at vg.Point) {
	c.SetColor(style.Color)
	if style.Rotation != 0 {
		c.Push()
		c.Rotate(style.Rotation)
		defer c.Pop()
	}
	sin, cos := math.Sincos(style.Rotation)
	x, y := at.X*vg.Length(cos)+at.Y*vg.Length(sin), at.Y*vg.Length(cos)-at.X*vg.Length(sin)
	y += vg.Length(style.YAlign)*style.Height(txt) - t.Extents(style.Font).Ascent
	lines := t.Lines(txt)
	for i, line := range lines {
		pieces, width := t.pieces(line, style.Font)
		from := vg.Point{X: x + vg.Length(style.XAlign)*width, Y: y + vg.Length(len(lines)-i)*style.Font.Size}
		for _, p := range pieces {
			c.FillString(p.face, from.Add(p.at), p.text)
		}
	}
}

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

// each returns what of makes of each entry of a list.
func each[T, U any](list []T, of func(T) U) []U {
	all := make([]U, len(list))
	for i, x := range list {
		all[i] = of(x)
	}
	return all
}

// joined writes a list, with commas between.
func joined[T any](list []T, text func(T) string) string {
	return strings.Join(each(list, text), ", ")
}

// name is words for the name of a thing, which is never empty.
func name(s, otherwise string) string {
	if s = words(s, maxWords); s != "" {
		return s
	}
	return otherwise
}

// sentence is words with a full stop, "" for none.
func sentence(s string) string {
	s = words(s, maxWords)
	return when(s != "", "%s. ", s)
}

// when is a text with its values if it is so, and nothing otherwise.
func when(so bool, format string, args ...any) string {
	if !so {
		return ""
	}
	return fmt.Sprintf(format, args...)
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
	begin := func(n int) string { return strings.TrimRight(string(runes[:n]), " ") + "…" }
	tooMany := sort.Search(len(runes), func(n int) bool { return style.Width(begin(n)) > width })
	return begin(max(tooMany-1, 0))
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

// axisLabel is the name of an axis with its unit.
func axisLabel(a bcpace.Axis) string {
	unit := words(a.Unit, 20)
	return name(a.Name, "axis") + when(unit != "", " (%s)", unit)
}
