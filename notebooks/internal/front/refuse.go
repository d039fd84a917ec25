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

// refuse answers a cell with an error, without GoNB. Cells sent with it are given up
// as after any error.
func (f *front) refuse(m *message, text string) {
	told := map[string]any{"ename": "compile error", "evalue": text, "traceback": []string{red + text + plain}}
	f.publish(m, "status", map[string]any{"execution_state": "busy"})
	// GoNB does not count this cell: the next one has the same number.
	f.publish(m, "execute_input", map[string]any{"code": m.says().Code, "execution_count": f.count + 1})
	f.publish(m, "error", told)
	told["status"], told["execution_count"] = "error", f.count+1
	f.jupyter.shell.send(newMessage("execute_reply", m, told).frames(f.key))
	f.publish(m, "status", map[string]any{"execution_state": "idle"})
	if m.stopsOnError() {
		f.abort()
	}
}

// tellDeath tells who waits for the running cell that GoNB has ended by itself.
func (f *front) tellDeath() {
	if f.current == nil {
		return
	}
	text := "The kernel could not go on with this cell and has ended; what cells have declared is gone with it. The terminal of Jupyter says why."
	f.publish(f.current, "error", map[string]any{"ename": "kernel error", "evalue": text, "traceback": []string{red + text + plain}})
}
