//go:build unix

package front

import (
	"regexp"
	"strings"
)

// habit is a line as somebody writes it who knows Python, or a message of the compiler on what differs there, and what to
// write in Go.
type habit struct {
	message, line string // patterns; what they leave out may be anything
	says          string // $1 is the first group of the line or, without a pattern for that, of the message
}

// foreign are lines that are no Go at all, so that the message of the compiler is of no use.
var foreign = compiledHabits([]habit{
	{`U\+003F`, ``, "For help on a name, put the cursor on it and press Shift + Tab."},
	{`U\+0023`, ``, "A comment begins with //."},
	{``, `^(?:def|fun|function)\s+(\w+)`, "A function stands above the statements, with types: func $1(x float64) float64 { return 2 * x }"},
	{``, `^class\s+(\w+)`, "A type of your own stands above the statements: type $1 struct { Name string }"},
	{``, `^for\s+(\w+)\s+in\s+range\(([^,()]+|[^,()]*\([^,]*\))\)`, "Write: for $1 := range $2 { … }"},
	{``, `^for\s+(\w+)\s+in\s+range\(([^,]+),\s*([^,]+?)\)`, "Write: for $1 := $2; $1 < $3; $1++ { … }"},
	{``, `^for\s+(\w+)\s*,\s*(\w+)\s+in\s+(\[\][^{]*\{[^}]*\})`, "Write: for $1, $2 := range $3 { … }"},
	{``, `^for\s+(\w+)\s*,\s*(\w+)\s+in\s+(?:enumerate\()?([^{:]*?)(?:\.items\(\))?\)?\s*(?:[:{].*)?$`, "Write: for $1, $2 := range $3 { … }"},
	{``, `^for\s+(\w+)\s+in\s+([^{:]*?)\s*(?:[:{].*)?$`, "Write: for _, $1 := range $2 { … }"},
	{``, `^while\s+(.*?)\s*:`, "Write: for $1 { … }"},
	{``, `^elif\s+(.*?)\s*:`, "Write: } else if $1 {"},
	{``, `^else\s*:`, "Write: } else {"},
	{``, `^(if\s.*?)\s*:\s*(?:$|[^=\s])`, "Write: $1 { … }, with the statements on lines of their own."},
	{``, `^(?:from\s+\S+\s+)?import\s+[A-Za-z]`, "An import has the path of a Go package in quotes: import \"bayescpace/viz\""},
	{``, `\[.* for \w+ in .*\]`, "A list is filled by a loop: for _, x := range xs { list = append(list, 2*x) }"},
	{`missing ','|newline|expected`, `\bf"([^"{]*)\{([\w.]+)[^}]*\}([^"]*)"`, "Write: fmt.Sprintf(\"$1%v$3\", $2)"},
	{`rune|escape`, `'([^']*)'`, "Text stands in double quotes: \"$1\""},
	{`unexpected comma|expected|unexpected ]`, `(?:=|\()\s*\[([^][:]*)\]`, "A list names the type of its elements: []float64{$1}"},
	{`expected`, `=\s*\{(.*:.*)\}`, "A map names the types of its keys and values: map[string]float64{$1}"},
	{`found '='`, `([\w.]+)\((\w+)\s*=\s*([^=,)]+)`, "A field of a type is set in braces: $1{$2: $3}. What is handed to a function has no names."},
	{`cannot indirect`, `(\w+)\s*\*\*\s*(\w+)`, "Write: math.Pow($1, $2), of two float64"},
	{``, `\blambda\b`, "A function without a name has types: func(x float64) float64 { return 2 * x }"},
	{`expected|unexpected|newline`, `\s(?:and|or|not)\s`, "Write && for and, || for or, ! for not."},
	{`undefined: (?:True|False|None)`, ``, "Go has true, false and nil."},
	{`undefined: help`, `help\(`, "For help on a name, put the cursor on it and press Shift + Tab."},
})

// unlike are messages that say what is wrong, and not what to write.
var unlike = compiledHabits([]habit{
	{`\(mismatched types (?:int and float64|float64 and int)\)`, `^(\w+)\s*[-+*/]=`, "Both must be of one type. A variable that begins with a whole number holds whole numbers: begin with $1 := 0.0"},
	{`\(mismatched types (\w+) and (\w+)\)`, ``, "Both must be of one type. float64(n) makes a real number of n, and fmt.Sprint(n) a text."},
	{`cannot use (\w+) \(variable of type int\) as float64`, ``, "Write float64($1)."},
	{`\(truncated\)`, ``, "A variable that begins with a whole number holds whole numbers: begin with 0.0 in place of 0."},
	{`assignment mismatch: 1 variable but (\S+) returns 2 values`, `=\s*(.*\))`, "To end the cell where the second one is an error, write nb.Must($1). To look at it, write a second variable."},
	{`no new variables on left side of :=`, ``, "The variable is there already: write = in place of :="},
	{`undefined: \w+$`, `^(\w+)\s*=[^=]`, "A new variable begins with := here: $1 := …"},
	{`undefined: ([\w.]+)\.\w+ \(but have (\w+)\)`, ``, "Write $1.$2: what a package has for others begins with a capital."},
	{`but does have (?:field|method) (\w+)\)`, ``, "Write $1: what a package has for others begins with a capital."},
	{`cannot refer to unexported`, ``, "What a package has for others begins with a capital."},
	{`use of package (\w+) not in selector`, ``, "Write $1. and press Tab: that lists what it has."},
	{`missing ',' before newline|missing ',' in`, ``, "A bracket is not closed, or a list that goes on in the next line lacks a comma at the end of this one."},
	{`(\w+) redeclared in this block`, ``, "It was of another kind. Put a line %rm $1 above: that takes the other one away."},
	{`must not be negative`, `(\w+)\[-(\d+)\]`, "Go does not count from the end: write $1[len($1)-$2]"},
	{`newline.*\{|newline, expecting|expected '\{'|missing condition|unexpected newline`, `^(?:if|for|func)\b`, "The { stands at the end of this line."},
	{`expected '\(', found (\w+)`, `^func`, "A function stands above the statements of a cell, or in a cell of its own."},
	{`\(no value\) used as value`, ``, "It returns nothing: call it in a line of its own."},
	{`missing return`, ``, "End the function with return and a value."},
})

// compiledHabit is a habit that is ready to be looked for.
type compiledHabit struct {
	message, line *regexp.Regexp
	habit
}

func compiledHabits(list []habit) (all []compiledHabit) {
	for _, h := range list {
		all = append(all, compiledHabit{regexp.MustCompile(h.message), regexp.MustCompile(h.line), h})
	}
	return all
}

// saidOf returns what the first of the habits says that a message on a line is about, or "".
func saidOf(habits []compiledHabit, message, line string) string {
	line = strings.TrimSpace(line)
	for _, h := range habits {
		if !h.message.MatchString(message) || !h.line.MatchString(line) {
			continue
		}
		pattern, text := h.line, line
		if h.habit.line == "" {
			pattern, text = h.message, message
		}
		return "\n" + string(pattern.ExpandString(nil, braced.ReplaceAllString(h.says, "$${$1}"), text, pattern.FindStringSubmatchIndex(text)))
	}
	return ""
}

// braced matches a group in what a habit says, which letters may follow.
var braced = regexp.MustCompile(`\$(\d)`)
