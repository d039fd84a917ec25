package methods

import (
	"cmp"
	_ "embed" // references.json
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"bayescpace/bcpace"
)

// Citation is an entry of a bibliography. Its texts are LaTeX in UTF-8: an é is an é, as the plain text of a paragraph
// has names as they stand here. Their braces close in their order, for BibTeX, which counts \{ as a brace, and for LaTeX, which
// does not.
type Citation struct {
	Kind    string   // such as article, inproceedings or misc: letters
	Key     string   // unique, of letters, digits and hyphens; BibTeX does not tell A from a
	Authors []string // "Family, Given", or the name of a group in braces
	Title   string
	Year    int
	Fields  []Field // what else the entry has, such as journal and pages
}

// Field is a further field of a Reference. Its name begins with a letter and has letters,
// digits and hyphens.
type Field struct{ Name, Value string }

// Cited is a Solver that names the papers that it comes from. The solvers of this module need
// not be one. A key that the toolkit has for another paper is an error of Study.Write.
type Cited interface{ References() []Citation }

// BibTeX returns the entry as BibTeX. The title is in double braces, which keep its capitals.
func (r Citation) BibTeX() string {
	var b strings.Builder
	fmt.Fprintf(&b, "@%s{%s,\n  author = {%s},\n  title = {{%s}},\n  year = {%d}", r.Kind, r.Key, strings.Join(r.Authors, " and "), r.Title, r.Year)
	for _, f := range r.Fields {
		fmt.Fprintf(&b, ",\n  %s = {%s}", f.Name, f.Value)
	}
	b.WriteString("\n}\n")
	return b.String()
}

// short names the entry in a text: "Lee et al., 2018".
func (r Citation) short() string {
	switch first := family(r.Authors[0]); len(r.Authors) {
	case 1:
		return fmt.Sprintf("%s, %d", first, r.Year)
	case 2:
		return fmt.Sprintf("%s and %s, %d", first, family(r.Authors[1]), r.Year)
	default:
		return fmt.Sprintf("%s et al., %d", first, r.Year)
	}
}

// What BibTeX reads as a kind, a key and the name of a field.
var (
	kinds      = regexp.MustCompile(`^[A-Za-z]+$`)
	commands   = regexp.MustCompile(`^(?i:comment|preamble|string)$`) // no kinds of entries
	keys       = regexp.MustCompile(`^[A-Za-z0-9-]+$`)
	fieldNames = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*$`)
)

// check returns an *bcpace.InputError if an entry is no BibTeX.
func (r Citation) check() error {
	in := bcpace.In(fmt.Sprintf("reference %q", r.Key))
	if err := cmp.Or(
		in.Need(kinds.MatchString(r.Kind) && !commands.MatchString(r.Kind), "Kind", strconv.Quote(r.Kind), "the kind of an entry, of letters, such as article, inproceedings or misc"),
		in.Need(keys.MatchString(r.Key), "Key", strconv.Quote(r.Key), "letters, digits and hyphens"),
		in.Need(len(r.Authors) > 0, "Authors", "[]", "at least one author"),
		in.Need(r.Year >= 1, "Year", fmt.Sprintf(`"%d"`, r.Year), "the year of the paper")); err != nil {
		return err
	}
	texts := []Field{{"Title", r.Title}}
	for i, a := range r.Authors {
		texts = append(texts, Field{fmt.Sprintf("Authors[%d]", i), a})
	}
	names := map[string]bool{"author": true, "title": true, "year": true}
	for i, f := range r.Fields {
		name := strings.ToLower(f.Name)
		if !fieldNames.MatchString(name) || names[name] {
			return in.Bad(fmt.Sprintf("Fields[%d].Name", i), strconv.Quote(f.Name), "a name that no other field has, with a letter first and letters, digits and hyphens after it")
		}
		names[name] = true
		texts = append(texts, Field{"the field " + f.Name, f.Value})
	}
	for _, x := range texts {
		if strings.TrimSpace(x.Value) == "" || hasControl(x.Value) || !balanced(x.Value) {
			return in.Bad(x.Name, strconv.Quote(x.Value), `a text without control characters, with braces that close both for BibTeX, which counts \{ and \} too, and for LaTeX, and with no single \ at its end`)
		}
	}
	return nil
}

// balanced reports whether braces close in their order, those after a backslash counted and
// not counted, and whether no backslash at the end escapes what follows the text.
func balanced(text string) bool {
	all, plain := 0, 0
	escaped := false
	for _, c := range text {
		step := 0
		switch c {
		case '{':
			step = 1
		case '}':
			step = -1
		}
		all += step
		if !escaped {
			plain += step
		}
		if all < 0 || plain < 0 {
			return false
		}
		escaped = c == '\\' && !escaped
	}
	return all == 0 && plain == 0 && !escaped
}

// family is the family of an author, or the name of a group, as text.
func family(author string) string {
	depth, escaped := 0, false
	for i, c := range author {
		switch {
		case escaped:
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == ',' && depth == 0:
			return plain.Replace(author[:i])
		}
		escaped = c == '\\' && !escaped
	}
	return plain.Replace(author)
}

// plain writes escaped characters, ties and dashes of LaTeX as text, and leaves out braces, which show nothing. Other commands stay.
var plain = strings.NewReplacer(`\&`, "&", `\%`, "%", `\$`, "$", `\#`, "#", `\_`, "_", `\{`, "{", `\}`, "}", "{", "", "}", "", "~", " ", "---", "—", "--", "–")

const (
	paper    = "lee2018"         // the paper that this module is built on
	betting  = "waudbysmith2024" // bounds by simulation
	software = "bayescpace"      // this module
)

//go:embed references.json
var references []byte

// library has the references that solvers cite.
var library = func() (list []Citation) {
	if err := json.Unmarshal(references, &list); err != nil {
		panic(fmt.Errorf("reading references.json, which is built in: %w", err))
	}
	return list
}()
