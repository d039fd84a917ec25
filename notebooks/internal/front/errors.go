//go:build unix

package front

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// GoNB tells an error of the compiler as a piece of its own main.go with a caret
// below and the message last. explain gives it as a person reads it: the message,
// the line of the cell, and the caret where the error is.

// located is a part of GoNB's traceback that has a place: the cell, some lines of
// main.go with a caret, and the message.
var located = regexp.MustCompile(`(?s)^Cell(?:\[(\d+)\]:)? Line (\d+)\n(.*)\n(?:\x1b\[\d+m)?([^\n]*?)(?:\x1b\[[\d;]*m)?$`)

// caret is the line below the one with the error.
var caret = regexp.MustCompile(`(?m)^(.*)\n( *)\^$`)

// noise are lines of the go command that say nothing of the error, or what would help
// in a module of one's own.
var noise = regexp.MustCompile(`^(# .*|exit status \d+|\s*go get \S+|\s*)$`)

// place matches the position at the beginning of a message of the compiler.
var place = regexp.MustCompile(`^\S*main(?:_test)?\.go:\d+:\d+: `)

const red, plain = "\x1b[31m", "\x1b[0m"

// known is what is known when a message is explained.
type known struct {
	sources  map[int]source // cells by their number
	current  int            // the number of the cell that has the error
	declared cells          // what the cells that have run declare
	program  *program       // nil where nobody can tell more
}

// explain rewrites what tells an error, in a reply or to everybody. What does not come of
// the compiler stays as it is.
func (k known) explain(content json.RawMessage) json.RawMessage {
	var fields map[string]any
	if json.Unmarshal(content, &fields) != nil {
		return content
	}
	parts, _ := fields["traceback"].([]any)
	var traceback []string
	found, other := false, false // an error with a place, and one that is not of a variable that nothing uses
	for _, part := range parts {
		text, _ := part.(string)
		m := located.FindStringSubmatch(text)
		switch {
		case m != nil:
			where, code := k.locate(m)
			message, help := k.helped(strings.TrimSuffix(more.ReplaceAllString(m[4], ""), "; to add it:"), code)
			found, other = true, other || !strings.HasPrefix(message, notUsed)
			traceback = append(traceback, red+where+message+plain+code+help)
		case noise.MatchString(text):
		default:
			traceback = append(traceback, red+place.ReplaceAllString(ansi.ReplaceAllString(text, ""), "")+plain)
		}
	}
	if !found {
		return content
	}
	if other { // because of which nothing uses the variable
		traceback = slices.DeleteFunc(traceback, func(t string) bool { return strings.Contains(t, notUsed) })
	}
	fields["ename"] = "compile error"
	fields["evalue"] = ansi.ReplaceAllString(strings.Join(traceback, "\n"), "")
	fields["traceback"] = traceback
	return marshal(fields)
}

const notUsed = "declared and not used: "

// more counts errors that are not told.
var more = regexp.MustCompile(` \(and \d+ more errors\)$`)

// helped returns a message as a person reads it, and what would help.
func (k known) helped(message, code string) (said, help string) {
	line, _, _ := strings.Cut(strings.TrimPrefix(code, "\n"), "\n")
	said = named(message, code)
	write, foreign := habitOf(said, line)
	if foreign {
		return "this is not Go", write
	}
	return said, cmp.Or(write+advice(said), k.meant(said, code))
}

// exits tells whether all that is written to a stream is how a program has ended.
func exits(content json.RawMessage) bool {
	stream := (&message{content: content}).says()
	return stream.Name == "stderr" && exit.MatchString(stream.Text)
}

var exit = regexp.MustCompile(`^(exit status \d+|signal: [a-z ]+)\n$`)

var ansi = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")

// locate gives the place of an error for the beginning of its message, and the line
// with the caret for its end.
func (k known) locate(m []string) (where, code string) {
	cell := k.current
	if m[1] != "" {
		cell, _ = strconv.Atoi(m[1])
	}
	line, _ := strconv.Atoi(m[2])
	line = k.sources[cell].own(line)
	where = fmt.Sprintf("line %d: ", line)
	if cell != k.current {
		where = fmt.Sprintf("cell [%d], line %d: ", cell, line)
	}
	at := caret.FindStringSubmatch(m[3])
	lines := strings.Split(k.sources[cell].text, "\n")
	if at == nil || line < 1 || line > len(lines) {
		return where, ""
	}
	// GoNB may have indented the line, or split a declaration; what it took from
	// the cell is there as it was.
	theirs := strings.TrimSpace(at[1])
	for _, around := range []string{showsOne, showsRow} { // which end in has put there
		if value, shown := strings.CutPrefix(theirs, around); shown && !strings.Contains(lines[line-1], theirs) {
			theirs = strings.TrimSpace(strings.TrimSuffix(value, ")"))
			at[1], at[2] = strings.Replace(at[1], around, "", 1), strings.TrimPrefix(at[2], strings.Repeat(" ", len(around)))
			break
		}
	}
	before, _, ok := strings.Cut(lines[line-1], theirs)
	if !ok || theirs == "" {
		return where, ""
	}
	column := len(before) + len(at[2]) - strings.Index(at[1], theirs)
	ours := strings.TrimLeft(lines[line-1], " \t")
	column -= len(lines[line-1]) - len(ours)
	if column < 0 || column > len(ours) {
		return where, "\n    " + ours
	}
	return where, "\n    " + ours + "\n    " + blank(ours[:column]) + "^"
}

// blank is as wide as s is shown.
func blank(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, s)
}

// missing names a package that no module of the kernel has.
var missing = regexp.MustCompile(`no required module provides package ([^\s;:]+)|cannot find module providing package ([^\s;:]+)`)

// undefined matches the message on a name that nothing declares.
var undefined = regexp.MustCompile(`^undefined: (\w+)$`)

// named gives the message on an undefined package with what the code takes from it: GoNB
// imports packages of the standard library by the names that are used of them, so that
// a misspelled name takes its import away.
func named(message, code string) string {
	m := undefined.FindStringSubmatch(message)
	if m == nil {
		return message
	}
	line, _, _ := strings.Cut(strings.TrimPrefix(code, "\n"), "\n")
	if part := regexp.MustCompile(`(?:^|[^.\w])` + m[1] + `\.(\w+)`).FindStringSubmatch(line); part != nil {
		return fmt.Sprintf("undefined: %[1]s.%[2]s (nothing imports or declares %[1]s, or %[1]s has no %[2]s)", m[1], part[1])
	}
	return message
}

// advice says what to do about errors that come of what a notebook is, and not of Go.
func advice(message string) string {
	switch m := missing.FindStringSubmatch(message); {
	case m != nil && ownModule(".", m[1]+m[2]) != "":
		return "\nIts module lies here. To import from it, run a cell with: !*go work use " + quoted(ownModule(".", m[1]+m[2]))
	case m != nil:
		return "\nTo fetch it, run a cell with: !*go get " + m[1] + m[2]
	}
	return ""
}
