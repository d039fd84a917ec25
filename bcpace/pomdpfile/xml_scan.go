package pomdpfile

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// xmlScanner pulls elements, attributes and the words of their text from an XML
// file. It knows what such files hold: no entity but the predefined ones and
// character references, no CDATA, no document type with declarations.
type xmlScanner struct {
	*source
	open   []string // the elements around here
	empty  bool     // the innermost one is <element/>
	known  map[string]string
	attr   map[string]string // of the element that began last
	quoted []byte
}

// deepest is the most elements within each other, and nodes on a path of a decision
// diagram: readers go down into both by recursion.
const deepest = 10_000

var (
	textEnds = func() (ends [256]bool) {
		for _, c := range " \n\t\r\f\v<" {
			ends[c] = true
		}
		return
	}()
	nameEnds = func() (ends [256]bool) {
		for _, c := range " \n\t\r\f\v<>/=\"'" {
			ends[c] = true
		}
		return
	}()
)

func newXMLScanner(r io.Reader, name string) *xmlScanner {
	x := &xmlScanner{source: newSource(r, name), known: map[string]string{}, attr: map[string]string{}}
	x.skipMark()
	return x
}

// markup passes white space, comments and instructions, and reports whether a '<'
// of a tag is next; it has been passed then.
func (x *xmlScanner) markup() bool {
	for {
		if !x.space() {
			return false
		}
		x.mark()
		if x.buf[x.pos] != '<' {
			return false
		}
		x.pos++
		c, ok := x.peek()
		if !ok {
			x.fail("the end of the file", "a tag")
		}
		switch c {
		case '?':
			x.past("?>")
		case '!':
			x.pos++
			if c, _ = x.peek(); c == '-' {
				x.pos++
				if c, _ = x.peek(); c != '-' {
					x.fail(`"<!-"`, `"<!--"`)
				}
				x.pos++
				x.past("-->")
				continue
			}
			if c == '[' {
				x.fail("a CDATA section", "plain text")
			}
			x.past(">")
		default:
			return true
		}
	}
}

// past passes everything up to and with a closing mark.
func (x *xmlScanner) past(mark string) {
	seen := 0
	for {
		c, ok := x.peek()
		if !ok {
			x.fail("the end of the file", strconv.Quote(mark))
		}
		x.take()
		switch {
		case c == mark[seen]:
			seen++
			if seen == len(mark) {
				return
			}
		case seen == 2 && c == '-' && mark == "-->": // "--->"
		case c == mark[0]:
			seen = 1
		default:
			seen = 0
		}
	}
}

// child begins the next element within the innermost open one and returns its
// name. It ends the open one and returns "" if there is none left.
func (x *xmlScanner) child() string {
	if x.empty {
		x.shut()
		return ""
	}
	if !x.markup() {
		if x.pos < x.end {
			x.fail("the text "+clip(x.until(&textEnds)), x.expected())
		}
		x.mark()
		x.fail("the end of the file", x.expected())
	}
	if x.buf[x.pos] == '/' {
		x.pos++
		x.endTag()
		return ""
	}
	return x.beginTag()
}

func (x *xmlScanner) expected() string {
	if len(x.open) == 0 {
		return "an element"
	}
	return "an element or </" + x.open[len(x.open)-1] + ">"
}

// finish passes what is left of the innermost element, which must have no more
// elements or text.
func (x *xmlScanner) finish() {
	name := x.open[len(x.open)-1]
	if more := x.child(); more != "" {
		x.fail("<"+more+">", "</"+name+">")
	}
}

// skip passes the rest of the innermost element, whatever it holds.
func (x *xmlScanner) skip() {
	for depth := len(x.open); len(x.open) >= depth; {
		if x.empty {
			x.shut()
			continue
		}
		if x.markup() {
			if x.buf[x.pos] == '/' {
				x.pos++
				x.endTag()
			} else {
				x.beginTag()
			}
			continue
		}
		if x.pos == x.end {
			x.mark()
			x.fail("the end of the file", x.expected())
		}
		for c, ok := x.peek(); ok && c != '<'; c, ok = x.peek() {
			x.take()
		}
	}
}

func (x *xmlScanner) shut() {
	x.open = x.open[:len(x.open)-1]
	x.empty = false
}

// tagName passes the name of a tag.
func (x *xmlScanner) tagName() string {
	word := x.until(&nameEnds)
	if len(word) == 0 {
		x.fail(`"<"`, "the name of an element behind it")
	}
	return x.intern(word)
}

// intern returns a word as a string, the same one for the same word.
func (x *xmlScanner) intern(word []byte) string {
	if s, ok := x.known[string(word)]; ok {
		return s
	}
	s := string(word)
	const most = 1 << 10
	if len(x.known) < most {
		x.known[s] = s
	}
	return s
}

func (x *xmlScanner) endTag() {
	name := x.tagName()
	if len(x.open) == 0 || name != x.open[len(x.open)-1] {
		x.fail("</"+name+">", x.expected())
	}
	x.space()
	if c, ok := x.peek(); !ok || c != '>' {
		x.fail("</"+name, `">" behind it`)
	}
	x.pos++
	x.shut()
}

func (x *xmlScanner) beginTag() string {
	name := x.tagName()
	line, column := x.tokenLine, x.tokenColumn
	clear(x.attr)
	x.empty = false
	for {
		x.space()
		c, ok := x.peek()
		if !ok {
			x.fail("<"+name, `">" behind it`)
		}
		if c == '/' {
			x.pos++
			if c, ok = x.peek(); !ok || c != '>' {
				x.fail("<"+name+" /", `"/>"`)
			}
			x.empty = true
		}
		if c == '>' {
			x.pos++
			break
		}
		x.attribute(name)
	}
	x.open = append(x.open, name)
	x.tokenLine, x.tokenColumn = line, column
	if len(x.open) > deepest {
		x.fail("elements nested deeper than "+strconv.Itoa(deepest), "fewer")
	}
	return name
}

func (x *xmlScanner) attribute(element string) {
	x.mark()
	key := x.intern(x.until(&nameEnds))
	x.space()
	if c, ok := x.peek(); key == "" || !ok || c != '=' {
		x.fail("<"+element+" "+key, `an attribute name="value"`)
	}
	x.pos++
	x.space()
	quote, ok := x.peek()
	if !ok || quote != '"' && quote != '\'' {
		x.fail(key+"= without quotes", `name="value"`)
	}
	x.pos++
	x.quoted = x.quoted[:0]
	for {
		c, ok := x.peek()
		if !ok || c == '<' || len(x.quoted) > longest {
			x.fail("an attribute "+key+" without an end", "a closing quote")
		}
		x.take()
		if c == quote {
			break
		}
		x.quoted = append(x.quoted, c)
	}
	x.attr[key] = x.plain(x.quoted)
}

// word returns the next word of the text of the innermost element, or nil
// before its end tag. It stays valid until the next read.
func (x *xmlScanner) word() []byte {
	if x.empty {
		return nil
	}
	if x.pos < x.end { // the common case at once
		if c := x.buf[x.pos]; c != '<' && !isSpace(c) {
			x.mark()
			return x.until(&textEnds)
		}
	}
	for {
		if !x.space() {
			x.mark()
			x.fail("the end of the file", x.expected())
		}
		if x.buf[x.pos] != '<' {
			x.mark()
			return x.until(&textEnds)
		}
		// The tag stays for child, finish or skip; only a comment is passed.
		x.mark()
		x.hold = x.pos
		for len(x.buf[x.pos:x.end]) < len("<!--") && x.fill() {
		}
		x.hold = -1
		switch rest := x.buf[x.pos:x.end]; {
		case bytes.HasPrefix(rest, []byte("<!--")):
			x.pos += len("<!--")
			x.past("-->")
		case bytes.HasPrefix(rest, []byte("<![")):
			x.fail("a CDATA section", "plain text")
		default:
			return nil
		}
	}
}

// plain resolves the references in text, and reads bytes that are no UTF-8 as
// ISO 8859-1, the encoding these files usually declare.
func (x *xmlScanner) plain(text []byte) string {
	if !utf8.Valid(text) {
		runes := make([]rune, len(text))
		for i, c := range text {
			runes[i] = rune(c)
		}
		text = []byte(string(runes))
	}
	if bytes.IndexByte(text, '&') < 0 {
		return string(text)
	}
	var out strings.Builder
	for {
		i := bytes.IndexByte(text, '&')
		if i < 0 {
			out.Write(text)
			return out.String()
		}
		out.Write(text[:i])
		name, rest, ok := bytes.Cut(text[i+1:], []byte(";"))
		r, known := reference(string(name))
		if !ok || !known {
			x.fail(clip(text[i:]), "&lt; &gt; &amp; &quot; &apos; or &#number;")
		}
		out.WriteRune(r)
		text = rest
	}
}

// entities are the references that need no declaration.
var entities = map[string]rune{"lt": '<', "gt": '>', "amp": '&', "quot": '"', "apos": '\''}

// reference returns the character that an entity or character reference names.
func reference(name string) (rune, bool) {
	if r, ok := entities[name]; ok {
		return r, true
	}
	digits, ok := strings.CutPrefix(name, "#")
	base := 10
	if hex, isHex := strings.CutPrefix(digits, "x"); isHex {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(digits, base, 21)
	return rune(n), ok && err == nil && utf8.ValidRune(rune(n))
}
