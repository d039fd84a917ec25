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
	var names []string
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
	return "bcpace " + strings.TrimSpace(behind+" "+strings.Join(names, "|")) + " [flags]   (bcpace VERB --help tells more)"
}

// line is the verb's usage in one line.
func (v verb) line() string { return strings.TrimSpace("bcpace " + v.name + " " + v.usage) }

// help writes what some verbs can do.
func help(w io.Writer, of []verb) error {
	return write(w, func(w io.Writer) {
		fmt.Fprintf(w, "bcpace solves Bayes-adaptive MDPs and evaluates what it found.\n\nusage: bcpace VERB [flags]\n\n")
		table(w, func(row func(...any)) {
			for _, v := range of {
				row("  "+v.name, v.doc)
			}
		})
		fmt.Fprintf(w, "\nbcpace VERB --help describes the flags of a verb.\n\nexamples:\n")
		for _, v := range of {
			fmt.Fprintf(w, "  bcpace %s\n", v.examples[0])
		}
	})
}

// help writes what the verb does, its flags and examples.
func (v verb) help(w io.Writer) error {
	return write(w, func(w io.Writer) {
		fmt.Fprintf(w, "bcpace %s: %s\n\nusage: %s\n", v.name, v.doc, v.line())
		all := v.flags()
		if x := all.operand; x != nil {
			fmt.Fprintf(w, "\n%s: %s\n", x.arg, x.doc)
		}
		for _, s := range all.sections {
			fmt.Fprintf(w, "\n%s:\n", s.title)
			table(w, func(row func(...any)) {
				for _, f := range s.flags {
					row("  "+strings.TrimSpace("--"+f.name+" "+f.arg), f.doc)
				}
			})
		}
		fmt.Fprintf(w, "\nexamples:\n")
		for _, e := range v.examples {
			fmt.Fprintf(w, "  bcpace %s\n", e)
		}
	})
}
