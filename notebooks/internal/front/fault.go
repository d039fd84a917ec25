//go:build unix

package front

import (
	"fmt"
	"regexp"
	"strings"
)

// Some cells end GoNB where it reads them, and with it all that cells have declared.
// fault finds them first, by GoNB's own rules on lines, which strings and comments
// do not change.

// fault gives the error of a cell that GoNB cannot read, or "" for any other cell.
func fault(code string) string {
	lines := strings.Split(code, "\n")
	if words := strings.Fields(bare(lines[0])); len(words) > 0 && otherCell[words[0]] {
		if words[0] == "%%script" && len(words) == 1 {
			return marked(1, "%%script without a program", lines) + "\nName the program that the lines below are for, such as %%script bash."
		}
		return ""
	}
	first := 0
	for i, line := range lines {
		line = bare(line)
		switch {
		case empty.MatchString(line):
			return marked(i+1, fmt.Sprintf("a line of nothing but %c", line[0]), lines) + "\nA command stands behind it, or one more %, below which statements stand."
		case !begins.MatchString(line):
		case first > 0:
			return marked(i+1, fmt.Sprintf("a second line %%%%, %%main or %%exec; the first is line %d", first), lines) + "\nPut what is below it into a cell of its own."
		default:
			first = i + 1
		}
	}
	return ""
}

// begins matches a line in whose place GoNB begins a function main.
var begins = regexp.MustCompile(`^(%%($|[ \t])|%main|%exec)`)

// empty matches a line that would be a command, without one.
var empty = regexp.MustCompile(`^[%!][ \t]+$`)

// marked gives a message on a line, counted from 1, as explain does.
func marked(line int, message string, lines []string) string {
	return fmt.Sprintf("line %d: %s\n    %s\n    ^", line, message, strings.TrimRight(lines[line-1], " \t"))
}
