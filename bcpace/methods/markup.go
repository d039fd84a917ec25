package methods

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
)

// paragraph is a text under way, with citations. It has texts and, at each odd place, a list
// of keys.
type paragraph struct {
	parts  []string // text, keys, text, keys, …, text
	cited  []string // keys in the order of their first citation
	extras map[string]Citation
	scale  float64 // the largest size of a return of the model, or of a reward where returns have no bound
	earned string  // what a return is
}

func newParagraph() *paragraph {
	return &paragraph{parts: []string{""}, extras: make(map[string]Citation)}
}

// say appends text as it is.
func (p *paragraph) say(format string, args ...any) {
	p.parts[len(p.parts)-1] += fmt.Sprintf(format, args...)
}

// cite appends a citation.
func (p *paragraph) cite(keys ...string) {
	for _, k := range keys {
		if !slices.Contains(p.cited, k) {
			p.cited = append(p.cited, k)
		}
	}
	p.parts = append(p.parts, strings.Join(keys, ","), "")
}

// template appends a text of this package in which [@a,b] cites a and b.
func (p *paragraph) template(text string) {
	for {
		before, rest, found := strings.Cut(text, " [@")
		p.say("%s", before)
		if !found {
			return
		}
		keys, after, _ := strings.Cut(rest, "]")
		p.cite(strings.Split(keys, ",")...)
		text = after
	}
}

// add takes the references of a solver of the user's own and returns their keys.
func (p *paragraph) add(all []Citation) (keys []string, err error) {
	taken := map[string]Citation{}
	for _, known := range []map[string]Citation{library, p.extras} {
		for key, r := range known {
			taken[strings.ToLower(key)] = r
		}
	}
	added := map[string]bool{}
	for _, r := range all {
		if err := r.check(); err != nil {
			return nil, err
		}
		key := strings.ToLower(r.Key)
		bad := func(whose string) error {
			return bcpace.In(fmt.Sprintf("reference %q", r.Key)).Bad("Key", "that of "+whose, "a key of its own; BibTeX does not tell capitals from small letters in it")
		}
		switch same, ok := taken[key]; {
		case added[key]:
			return nil, bad("another reference of the solver")
		case ok && !reflect.DeepEqual(r, same):
			return nil, bad(fmt.Sprintf("another reference, which the toolkit cites: %q", same.Title))
		case !ok:
			p.extras[r.Key] = r
		}
		added[key] = true
		keys = append(keys, r.Key)
	}
	return keys, nil
}

// check returns an *bcpace.InputError if a text has a control character, such as a newline, or a citation has no reference.
func (p *paragraph) check() error {
	for _, key := range p.cited {
		if p.reference(key).Key == "" {
			return bcpace.In("methods paragraph").Bad("a citation of the solver", strconv.Quote(key), "the key of one of its References (methods.Cited), or of a paper that the toolkit cites")
		}
	}
	for i, part := range p.parts {
		at := strings.IndexFunc(part, isControl)
		if i%2 != 0 || at < 0 {
			continue
		}
		before, after := []rune(part[:at]), []rune(part[at:])
		near := string(before[max(len(before)-30, 0):]) + string(after[:min(len(after), 10)])
		return bcpace.In("methods paragraph").Bad("a text of the model, the solver or the study", fmt.Sprintf("%+q", near), "one without control characters such as newlines")
	}
	return nil
}

func hasControl(text string) bool { return strings.ContainsFunc(text, isControl) }

// isControl reports whether c has no place in a line of text.
func isControl(c rune) bool {
	return unicode.IsControl(c) || c == '\u2028' || c == '\u2029' || c == unicode.ReplacementChar
}

// reference returns the entry of a key.
func (p *paragraph) reference(key string) Citation {
	if r, ok := p.extras[key]; ok {
		return r
	}
	return library[key]
}

// plain is the text with citations by author and year.
func (p *paragraph) plain() string {
	var b strings.Builder
	for i, part := range p.parts {
		if i%2 == 0 {
			b.WriteString(part)
			continue
		}
		var names []string
		for _, k := range strings.Split(part, ",") {
			names = append(names, p.reference(k).short())
		}
		b.WriteString(" (" + strings.Join(names, "; ") + ")")
	}
	return b.String()
}

// latex is the text as LaTeX, in lines of some 90 bytes.
func (p *paragraph) latex() string {
	var b strings.Builder
	for i, part := range p.parts {
		if i%2 == 0 {
			b.WriteString(escape(part))
		} else {
			b.WriteString(`~\cite{` + part + "}")
		}
	}
	return numtext.Wrap(b.String(), 90)
}
