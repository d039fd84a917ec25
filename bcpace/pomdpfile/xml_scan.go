package pomdpfile

import (
	"bytes"
	"encoding/xml"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"
)

// xmlScanner pulls elements, attributes and the words of their text from an XML
// file. It knows what such files hold: no entity but the predefined ones and
// character references, no CDATA, no document type with declarations.
type xmlScanner struct {
	*source
	open  []string          // the elements around here
	empty bool              // the innermost one is <element/>
	attr  map[string]string // of the element that began last
	names map[string]string // of elements so far: each is made once
}

// deepest is the most elements within each other, and nodes on a path of a decision
// diagram: readers go down into both by recursion.
const deepest = 10_000

var textEnds, nameEnds = endedBy("<"), endedBy("<>/=\"'")

func newXMLScanner(r io.Reader, name string) *xmlScanner {
	return &xmlScanner{source: newSource(r, name), attr: map[string]string{}, names: map[string]string{}}
}

// root begins the only element of the file, which has that name.
func (xs *xmlScanner) root(name string) {
	if !xs.markup() {
		xs.fail("no element", "<"+name+">")
	}
	if other := xs.beginTag(); other != name {
		xs.fail("<"+other+">", "<"+name+">")
	}
}

// markup passes white space, comments and instructions, and reports whether a '<'
// of a tag is next; it has been passed then.
func (xs *xmlScanner) markup() bool {
	for {
		ok := xs.space()
		xs.mark()
		if c, _ := xs.peek(); !ok || c != '<' {
			return false
		}
		xs.take()
		c, ok := xs.peek()
		if !ok {
			xs.fail("the end of the file", "a tag")
		}
		switch here := xs.ahead(len("!--")); {
		case c == '?':
			xs.past("?>")
		case string(here) == "!--":
			xs.comment()
		case bytes.HasPrefix(here, []byte("!-")):
			xs.fail(`"<!-"`, `"<!--"`)
		case bytes.HasPrefix(here, []byte("![")):
			xs.fail("a CDATA section", "plain text")
		case c == '!':
			xs.past(">")
		default:
			return true
		}
	}
}

// comment passes one that is next, but for its '<'.
func (xs *xmlScanner) comment() {
	for range len("!--") {
		xs.take()
	}
	xs.past("-->")
}

// past passes everything up to and with a closing mark.
func (xs *xmlScanner) past(mark string) {
	for seen := []byte(nil); string(seen) != mark; {
		c, ok := xs.peek()
		if !ok {
			xs.fail("the end of the file", strconv.Quote(mark))
		}
		xs.take()
		seen = append(seen, c)
		seen = seen[max(0, len(seen)-len(mark)):]
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
		if _, ok := xs.peek(); ok {
			xs.fail("the text "+clip(xs.until(textEnds)), xs.expected())
		}
		xs.fail("the end of the file", xs.expected())
	}
	return xs.tag()
}

// tag passes a tag behind its '<'. It returns the name of an element that begins, and "" where one ends.
func (xs *xmlScanner) tag() string {
	if c, _ := xs.peek(); c != '/' {
		return xs.beginTag()
	}
	xs.take()
	xs.endTag()
	return ""
}

func (xs *xmlScanner) expected() string {
	if len(xs.open) == 0 {
		return "an element"
	}
	return "an element or </" + xs.open[len(xs.open)-1] + ">"
}

// another begins the next element within the innermost open one, which must have this name, and reports whether there
// is one. It ends the open one if there is none left.
func (xs *xmlScanner) another(name string) bool {
	next := xs.child()
	if next != "" && next != name {
		xs.fail("<"+next+">", "<"+name+">")
	}
	return next != ""
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
		switch {
		case xs.empty:
			xs.shut()
		case xs.markup():
			xs.tag()
		case len(xs.until(textEnds)) == 0:
			xs.fail("the end of the file", xs.expected())
		}
	}
}

func (xs *xmlScanner) shut() {
	xs.open = xs.open[:len(xs.open)-1]
	xs.empty = false
}

// tagName passes the name of a tag.
func (xs *xmlScanner) tagName() string {
	read := xs.until(nameEnds)
	if len(read) == 0 {
		xs.fail(`"<"`, "the name of an element behind it")
	}
	name, known := xs.names[string(read)]
	if !known {
		name = string(read)
		xs.names[name] = name
	}
	return name
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
	xs.take()
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
			xs.take()
			if c, ok = xs.peek(); !ok || c != '>' {
				xs.fail("<"+name+" /", `"/>"`)
			}
			xs.empty = true
		}
		if c == '>' {
			xs.take()
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
	key := string(xs.until(nameEnds))
	xs.space()
	if c, ok := xs.peek(); key == "" || !ok || c != '=' {
		xs.fail("<"+element+" "+key, `an attribute name="value"`)
	}
	xs.take()
	xs.space()
	quote, ok := xs.peek()
	if !ok || quote != '"' && quote != '\'' {
		xs.fail(key+"= without quotes", `name="value"`)
	}
	xs.take()
	var value []byte
	for c, ok := xs.peek(); c != quote; c, ok = xs.peek() {
		if !ok || c == '<' || len(value) > longest {
			xs.fail("an attribute "+key+" without an end", "a closing quote")
		}
		xs.take()
		value = append(value, c)
	}
	xs.take()
	xs.attr[key] = xs.plain(value)
}

// word returns the next word of the text of the innermost element, or nil
// before its end tag. It stays valid until the next read.
func (xs *xmlScanner) word() []byte {
	for !xs.empty {
		ok := xs.space()
		xs.mark()
		if !ok {
			xs.fail("the end of the file", xs.expected())
		}
		if c, _ := xs.peek(); c != '<' {
			return xs.until(textEnds)
		}
		// The tag stays for child, finish or skip; only a comment is passed.
		switch here := xs.ahead(len("<!--")); {
		case string(here) == "<!--":
			xs.take()
			xs.comment()
		case bytes.HasPrefix(here, []byte("<![")):
			xs.fail("a CDATA section", "plain text")
		default:
			return nil
		}
	}
	return nil
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
	at := bytes.IndexByte(text, '&')
	if at < 0 {
		return string(text)
	}
	var resolved string
	if xml.Unmarshal(slices.Concat([]byte("<a>"), text, []byte("</a>")), &resolved) != nil {
		xs.fail(clip(text[at:]), "&lt; &gt; &amp; &quot; &apos; or &#number;")
	}
	return resolved
}
