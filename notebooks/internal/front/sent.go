//go:build unix

package front

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"bayescpace/bcpace/numtext"
)

// source is a cell as a person wrote it, and as GoNB gets it.
type source struct {
	text, sent string
	opened     int // the line of sent that text lacks, counted from 1; 0 for none
}

// opened returns a cell whose statements stand below a line %%, as GoNB wants it: before the first statement, where there is no such line.
func opened(cell string) source {
	lines, open, ok := goLines(cell)
	if k := firstStatement(lines); ok && !open && k >= 0 {
		sent := slices.Insert(strings.Split(cell, "\n"), k, "%%")
		return source{cell, strings.Join(sent, "\n"), k + 1}
	}
	return source{cell, cell, 0}
}

// own returns the line of a cell that is a line of it as GoNB has it.
func (s source) own(line int) int {
	if s.opened > 0 && line >= s.opened {
		return max(line-1, 1)
	}
	return line
}

// allOf returns all cells, the latest first.
func allOf(sources map[int]source) string {
	var all []string
	for _, k := range slices.Backward(slices.Sorted(maps.Keys(sources))) {
		all = append(all, sources[k].text)
	}
	return strings.Join(all, "\n")
}

// mostText is how many characters a cell may print: what is longer, nobody reads, and a browser shows slowly.
const mostText = 50_000

// cut shortens what the running cell prints, once it has printed that much.
func (f *front) cut(content json.RawMessage) json.RawMessage {
	text := []rune((&message{content: content}).says().Text)
	left := mostText - f.said
	f.said += len(text)
	if len(text) <= left {
		return content
	}
	var fields map[string]any
	if json.Unmarshal(content, &fields) != nil {
		return content
	}
	fields["text"] = ""
	if left >= 0 { // the first time
		fields["text"] = string(text[:left]) + fmt.Sprintf("\n… A cell shows the first %s characters of what it prints; the others are left out.\n", numtext.Count(mostText))
	}
	return marshal(fields)
}
