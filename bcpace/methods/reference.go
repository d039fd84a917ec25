package methods

import (
	"fmt"
	"strings"
)

// Reference is an entry of a bibliography. Its texts are LaTeX, so that {\'e} is an é.
type Reference struct {
	Kind    string   // article, inproceedings or misc
	Key     string   // unique, of letters, digits and hyphens
	Authors []string // "Family, Given", or the name of a group in braces
	Title   string
	Year    int
	Fields  []Field // what else the entry has, such as journal and pages
}

// Field is a further field of a Reference.
type Field struct{ Name, Value string }

// Cited is a Solver that names the papers that it comes from. The solvers of this module need
// not be one.
type Cited interface{ References() []Reference }

// BibTeX returns the entry as BibTeX. The title is in double braces, which keep its capitals.
func (r Reference) BibTeX() string {
	var b strings.Builder
	fmt.Fprintf(&b, "@%s{%s,\n  author = {%s},\n  title = {{%s}},\n  year = {%d}", r.Kind, r.Key, strings.Join(r.Authors, " and "), r.Title, r.Year)
	for _, f := range r.Fields {
		fmt.Fprintf(&b, ",\n  %s = {%s}", f.Name, f.Value)
	}
	b.WriteString("\n}\n")
	return b.String()
}

// short names the entry in a text: "Lee et al., 2018".
func (r Reference) short() string {
	family := func(i int) string {
		name, _, _ := strings.Cut(r.Authors[i], ",")
		return strings.Trim(name, "{}")
	}
	switch len(r.Authors) {
	case 1:
		return fmt.Sprintf("%s, %d", family(0), r.Year)
	case 2:
		return fmt.Sprintf("%s and %s, %d", family(0), family(1), r.Year)
	}
	return fmt.Sprintf("%s et al., %d", family(0), r.Year)
}

// check returns what is wrong with an entry, or "".
func (r Reference) check() string {
	switch {
	case r.Kind == "" || r.Key == "" || strings.ContainsAny(r.Key, " ,{}%#\"\\~"):
		return fmt.Sprintf("the kind %q or the key %q", r.Kind, r.Key)
	case len(r.Authors) == 0 || r.Title == "" || r.Year == 0:
		return "no authors, title or year of " + r.Key
	}
	texts := append([]string{r.Title}, r.Authors...)
	for _, f := range r.Fields {
		texts = append(texts, f.Name, f.Value)
	}
	for _, text := range texts {
		if text == "" || !balanced(text) {
			return fmt.Sprintf("the text %q of %s", text, r.Key)
		}
	}
	return ""
}

// balanced reports whether braces close in their order.
func balanced(text string) bool {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}
