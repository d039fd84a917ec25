package cmd

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"bayescpace/bcpace/numtext"
)

// programUsage is the program's usage in one line or, behind a word, that of the verbs which
// begin with it.
func programUsage(behind string) string {
	return "bcpace " + strings.TrimSpace(behind+" "+strings.Join(words(behind), "|")) + " [flags]   (bcpace VERB --help tells more)"
}

// words returns the first words of all verbs or, behind a word, the second ones of the verbs that
// begin with it.
func words(behind string) (names []string) {
	for _, v := range verbs {
		name, second, _ := strings.Cut(v.name, " ")
		if behind != "" {
			if name != behind {
				continue
			}
			name = second
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// line is the verb's usage in one line.
func (v verb) line() string { return strings.TrimSpace("bcpace " + v.name + " " + v.usage) }

// verbColumn is where what a verb does stands in the help, and flagColumn the same of a flag.
const (
	verbColumn = 18
	flagColumn = 28
)

// help writes what some verbs can do.
func help(w io.Writer, of []verb) error {
	p := newPage(w)
	return write(w, func(w io.Writer) {
		p.w = w
		p.text("bcpace solves Bayes-adaptive MDPs and evaluates what it found.", 0)
		p.title("usage: bcpace VERB [flags]")
		fmt.Fprintln(w)
		for _, v := range of {
			p.item(v.name, v.doc, verbColumn)
		}
		fmt.Fprintln(w)
		p.text("bcpace VERB --help describes the flags of a verb.", 0)
		p.title("examples:")
		for _, v := range of {
			p.command(v.examples[0])
		}
	})
}

// help writes what the verb does, its flags and examples.
func (v verb) help(w io.Writer) error {
	p := newPage(w)
	return write(w, func(w io.Writer) {
		p.w = w
		p.text(fmt.Sprintf("bcpace %s: %s", v.name, v.doc), 0)
		p.title("usage:")
		p.text(v.line(), 2)
		all := v.flags()
		if x := all.operand; x != nil {
			fmt.Fprintln(w)
			p.text(x.arg+": "+x.doc, 0)
		}
		for _, s := range all.sections {
			p.title(s.title + ":")
			for _, f := range s.flags {
				p.item(strings.TrimSpace("--"+f.name+" "+f.arg), f.doc, flagColumn)
			}
		}
		p.title("examples:")
		for _, e := range v.examples {
			p.command(e)
		}
	})
}

// page is a text of limited width, in bold and in colours where it is read in a terminal.
type page struct {
	w     io.Writer
	width int
	rich  bool
}

// newPage returns a page as wide as COLUMNS or the terminal says, and otherwise of 80 characters.
func newPage(w io.Writer) page {
	p := page{w: w, width: 80}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil {
			p.width = n
		}
		p.rich = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil {
		p.width = n
	}
	p.width = min(max(p.width, 40), 100)
	return p
}

// title writes a line that begins a part of the page.
func (p page) title(text string) {
	fmt.Fprintln(p.w)
	for line := range strings.SplitSeq(numtext.Wrap(text, p.width), "\n") {
		if p.rich {
			line = "\x1b[1m" + line + "\x1b[0m"
		}
		fmt.Fprintln(p.w, line)
	}
}

// text writes a paragraph, indented.
func (p page) text(text string, indent int) {
	for line := range strings.SplitSeq(numtext.Wrap(text, p.width-indent), "\n") {
		fmt.Fprintf(p.w, "%*s%s\n", indent, "", line)
	}
}

// item writes a name, and what it is beside it or, where that is long, below.
func (p page) item(name, text string, column int) {
	n := utf8.RuneCountInString(name)
	if p.rich {
		name = "\x1b[36m" + name + "\x1b[0m"
	}
	first, rest, more := strings.Cut(numtext.Wrap(text, p.width-column), "\n")
	if n+4 > column || p.width < 2*column {
		fmt.Fprintln(p.w, "  "+name)
		p.text(text, 6)
		return
	}
	fmt.Fprintf(p.w, "  %s%*s%s\n", name, column-2-n, "", first)
	if more {
		for line := range strings.SplitSeq(rest, "\n") {
			fmt.Fprintf(p.w, "%*s%s\n", column, "", line)
		}
	}
}

// command writes a command of this program, with a backslash where a line goes on.
func (p page) command(args string) {
	lines := strings.Split(numtext.Wrap("bcpace "+args, p.width-6), "\n")
	for i, line := range lines {
		if i > 0 {
			line = "  " + line
		}
		if i+1 < len(lines) {
			line += ` \`
		}
		fmt.Fprintln(p.w, "  "+line)
	}
}
