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

var textEnds, nameEnds = endedBy("<"), endedBy("<>/=\"'")

func newXMLScanner(r io.Reader, name string) *xmlScanner {
	x := &xmlScanner{source: newSource(r, name), known: map[string]string{}, attr: map[string]string{}}
	x.skipMark()
	return x
}

// markup passes white space, comments and instructions, and reports whether a '<'
// of a tag is next; it has been passed then.
func (xs *xmlScanner) markup() bool {
	for {
		if !xs.space() {
			return false
		}
		xs.mark()
		if xs.buf[xs.pos] != '<' {
			return false
		}
		xs.pos++
		c, ok := xs.peek()
		if !ok {
			xs.fail("the end of the file", "a tag")
		}
		switch c {
		case '?':
			xs.past("?>")
		case '!':
			xs.pos++
			if c, _ = xs.peek(); c == '-' {
				xs.pos++
				if c, _ = xs.peek(); c != '-' {
					xs.fail(`"<!-"`, `"<!--"`)
				}
				xs.pos++
				xs.past("-->")
				continue
			}
			if c == '[' {
				xs.fail("a CDATA section", "plain text")
			}
			xs.past(">")
		default:
			return true
		}
	}
}

// past passes everything up to and with a closing mark.
func (xs *xmlScanner) past(mark string) {
	seen := 0
	for {
		c, ok := xs.peek()
		if !ok {
			xs.fail("the end of the file", strconv.Quote(mark))
		}
		xs.take()
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
func (xs *xmlScanner) child() string {
	if xs.empty {
		xs.shut()
		return ""
	}
	if !xs.markup() {
		if xs.pos < xs.end {
			xs.fail("the text "+clip(xs.until(textEnds)), xs.expected())
		}
		xs.mark()
		xs.fail("the end of the file", xs.expected())
	}
	if xs.buf[xs.pos] == '/' {
		xs.pos++
		xs.endTag()
		return ""
	}
	return xs.beginTag()
}

func (xs *xmlScanner) expected() string {
	if len(xs.open) == 0 {
		return "an element"
	}
	return "an element or </" + xs.open[len(xs.open)-1] + ">"
}

// finish passes what is left of the innermost element, which must have no more
// elements or text.
func (xs *xmlScanner) finish() {
	name := xs.open[len(xs.open)-1]
	if more := xs.child(); more != "" {
		xs.fail("<"+more+">", "</"+name+">")
	}
}

// skip passes the rest of the innermost element, whatever it holds.
func (xs *xmlScanner) skip() {
	for depth := len(xs.open); len(xs.open) >= depth; {
		if xs.empty {
			xs.shut()
			continue
		}
		if xs.markup() {
			if xs.buf[xs.pos] == '/' {
				xs.pos++
				xs.endTag()
			} else {
				xs.beginTag()
			}
			continue
		}
		if xs.pos == xs.end {
			xs.mark()
			xs.fail("the end of the file", xs.expected())
		}
		for c, ok := xs.peek(); ok && c != '<'; c, ok = xs.peek() {
			xs.take()
		}
	}
}

func (xs *xmlScanner) shut() {
	xs.open = xs.open[:len(xs.open)-1]
	xs.empty = false
}

// tagName passes the name of a tag.
func (xs *xmlScanner) tagName() string {
	word := xs.until(nameEnds)
	if len(word) == 0 {
		xs.fail(`"<"`, "the name of an element behind it")
	}
	return xs.intern(word)
}

// intern returns a word as a string, the same one for the same word.
func (xs *xmlScanner) intern(word []byte) string {
	if s, ok := xs.known[string(word)]; ok {
		return s
	}
	s := string(word)
	const most = 1 << 10
	if len(xs.known) < most {
		xs.known[s] = s
	}
	return s
}

func (xs *xmlScanner) endTag() {
	name := xs.tagName()
	if len(xs.open) == 0 || name != xs.open[len(xs.open)-1] {
		xs.fail("</"+name+">", xs.expected())
	}
	xs.space()
	if c, ok := xs.peek(); !ok || c != '>' {
		xs.fail("</"+name, `">" behind it`)
	}
	xs.pos++
	xs.shut()
}

func (xs *xmlScanner) beginTag() string {
	name := xs.tagName()
	line, column := xs.tokenLine, xs.tokenColumn
	clear(xs.attr)
	xs.empty = false
	for {
		xs.space()
		c, ok := xs.peek()
		if !ok {
			xs.fail("<"+name, `">" behind it`)
		}
		if c == '/' {
			xs.pos++
			if c, ok = xs.peek(); !ok || c != '>' {
				xs.fail("<"+name+" /", `"/>"`)
			}
			xs.empty = true
		}
		if c == '>' {
			xs.pos++
			break
		}
		xs.attribute(name)
	}
	xs.open = append(xs.open, name)
	xs.tokenLine, xs.tokenColumn = line, column
	if len(xs.open) > deepest {
		xs.fail("elements nested deeper than "+strconv.Itoa(deepest), "fewer")
	}
	return name
}

func (xs *xmlScanner) attribute(element string) {
	xs.mark()
	key := xs.intern(xs.until(nameEnds))
	xs.space()
	if c, ok := xs.peek(); key == "" || !ok || c != '=' {
		xs.fail("<"+element+" "+key, `an attribute name="value"`)
	}
	xs.pos++
	xs.space()
	quote, ok := xs.peek()
	if !ok || quote != '"' && quote != '\'' {
		xs.fail(key+"= without quotes", `name="value"`)
	}
	xs.pos++
	xs.quoted = xs.quoted[:0]
	for {
		c, ok := xs.peek()
		if !ok || c == '<' || len(xs.quoted) > longest {
			xs.fail("an attribute "+key+" without an end", "a closing quote")
		}
		xs.take()
		if c == quote {
			break
		}
		xs.quoted = append(xs.quoted, c)
	}
	xs.attr[key] = xs.plain(xs.quoted)
}

// word returns the next word of the text of the innermost element, or nil
// before its end tag. It stays valid until the next read.
func (xs *xmlScanner) word() []byte {
	if xs.empty {
		return nil
	}
	if xs.pos < xs.end { // the common case at once
		if c := xs.buf[xs.pos]; c != '<' && !isSpace(c) {
			xs.mark()
			return xs.until(textEnds)
		}
	}
	for {
		if !xs.space() {
			xs.mark()
			xs.fail("the end of the file", xs.expected())
		}
		if xs.buf[xs.pos] != '<' {
			xs.mark()
			return xs.until(textEnds)
		}
		// The tag stays for child, finish or skip; only a comment is passed.
		xs.mark()
		xs.hold = xs.pos
		for len(xs.buf[xs.pos:xs.end]) < len("<!--") && xs.fill() {
		}
		xs.hold = -1
		switch rest := xs.buf[xs.pos:xs.end]; {
		case bytes.HasPrefix(rest, []byte("<!--")):
			xs.pos += len("<!--")
			xs.past("-->")
		case bytes.HasPrefix(rest, []byte("<![")):
			xs.fail("a CDATA section", "plain text")
		default:
			return nil
		}
	}
}

// plain resolves the references in text, and reads bytes that are no UTF-8 as
// ISO 8859-1, the encoding these files usually declare.
func (xs *xmlScanner) plain(text []byte) string {
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
			xs.fail(clip(text[i:]), "&lt; &gt; &amp; &quot; &apos; or &#number;")
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
