package cmd

import (
	"fmt"
	"io"
	"slices"
	"strings"
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
