//go:build unix

package front

import (
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
	root     string         // the folder of the module that cells may import
	sources  map[int]source // cells by their number
	current  int            // the number of the cell that has the error
	declared *cells         // what the cells that have run declare
}

func (f *front) explain(content json.RawMessage) json.RawMessage {
	return explain(content, known{f.root, f.sources, f.count, &f.declared})
}

// told is a message of the compiler, with its place before it and behind it what it is about and what would help.
type told struct{ where, message, code, help string }

// explain rewrites what tells an error, in a reply or to everybody. What does not come of
// the compiler stays as it is.
func explain(content json.RawMessage, k known) json.RawMessage {
	var fields map[string]any
	if json.Unmarshal(content, &fields) != nil {
		return content
	}
	parts, _ := fields["traceback"].([]any)
	var all []told
	found := false
	for _, part := range parts {
		text, _ := part.(string)
		m := located.FindStringSubmatch(text)
		switch {
		case m != nil:
			found = true
			where, code := locate(m, k.sources, k.current)
			all = append(all, k.helped(told{where, strings.TrimSuffix(more.ReplaceAllString(m[4], ""), "; to add it:"), code, ""}))
		case noise.MatchString(text):
		default:
			all = append(all, told{message: place.ReplaceAllString(ansi.ReplaceAllString(text, ""), "")})
		}
	}
	if !found {
		return content
	}
	// A variable is often not used because of another error.
	unread := func(t told) bool { return strings.HasPrefix(t.message, "declared and not used") }
	if slices.ContainsFunc(all, func(t told) bool { return t.where != "" && !unread(t) }) {
		all = slices.DeleteFunc(all, unread)
	}
	var traceback, texts []string
	for _, t := range all {
		traceback = append(traceback, red+t.where+t.message+plain+t.code+t.help)
		texts = append(texts, t.where+t.message+t.code+t.help)
	}
	fields["ename"] = "compile error"
	fields["evalue"] = strings.Join(texts, "\n")
	fields["traceback"] = traceback
	return marshal(fields)
}

// more counts errors that are not told.
var more = regexp.MustCompile(` \(and \d+ more errors\)$`)

// helped adds to a message what would help.
func (k known) helped(t told) told {
	line, _, _ := strings.Cut(strings.TrimPrefix(t.code, "\n"), "\n")
	if t.help = saidOf(foreign, t.message, line); t.help != "" {
		t.message = "this is not Go"
		return t
	}
	t.message = named(t.message, t.code)
	t.help = saidOf(unlike, t.message, line) + advice(t.message) + shown(t.message)
	if t.help == "" {
		t.help = k.meant(t.message)
	}
	return t
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
func locate(m []string, sources map[int]source, current int) (where, code string) {
	cell := current
	if m[1] != "" {
		cell, _ = strconv.Atoi(m[1])
	}
	line, _ := strconv.Atoi(m[2])
	line = sources[cell].own(line)
	where = fmt.Sprintf("line %d: ", line)
	if cell != current {
		where = fmt.Sprintf("cell [%d], line %d: ", cell, line)
	}
	at := caret.FindStringSubmatch(m[3])
	lines := strings.Split(sources[cell].text, "\n")
	if at == nil || line < 1 || line > len(lines) {
		return where, ""
	}
	// GoNB may have indented the line, or split a declaration; what it took from
	// the cell is there as it was.
	theirs := strings.TrimSpace(at[1])
	for _, around := range []string{showsMust, showsOne, showsRow, checks} { // which end in has put there
		if value, shown := strings.CutPrefix(theirs, around); shown && !strings.Contains(lines[line-1], theirs) {
			theirs = strings.TrimSpace(strings.TrimSuffix(value, strings.Repeat(")", strings.Count(around, "("))))
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
		return fmt.Sprintf("undefined: %[1]s.%[2]s (no import gives a package %[1]s, or %[1]s has no %[2]s)", m[1], part[1])
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
	case strings.Contains(message, "found 'import'"), strings.Contains(message, "unexpected keyword import"), strings.Contains(message, "imports must appear before"):
		return "\nImports stand first in a cell, above a line %%."
	}
	return ""
}
