package cmd

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"bayescpace/bcpace/numtext"
)

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
