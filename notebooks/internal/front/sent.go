//go:build unix

package front

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
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

// opened returns a cell whose statements stand below a line %%, as GoNB wants it: before the first statement, where the cell has
// no such line.
func opened(cell string) source {
	code, isGo := goCode(cell)
	lines := strings.Split(cell, "\n")
	_, err := parser.ParseFile(token.NewFileSet(), "", cellsHeader+"\n"+code, parser.SkipObjectResolution)
	faults := scanner.ErrorList(nil)
	if isGo && errors.As(err, &faults) && !slices.ContainsFunc(lines, func(l string) bool { return begins.MatchString(bare(l)) }) {
		at := faults[0].Pos.Line // which counts the header
		if slices.ContainsFunc(faults, func(e *scanner.Error) bool {
			return e.Pos.Line == at && strings.HasPrefix(e.Msg, "expected declaration")
		}) {
			return source{cell, strings.Join(slices.Insert(lines, at-2, "%%"), "\n"), at - 1}
		}
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

// printed counts the characters that a cell has printed.
type printed int

// cut shortens what the cell prints next, once it has printed that much.
func (p *printed) cut(content json.RawMessage) json.RawMessage {
	said := (&message{content: content}).says()
	text, left := []rune(said.Text), mostText-int(*p)
	*p += printed(len(text))
	switch {
	case len(text) <= left:
		return content
	case left < 0: // it has been told
		text = nil
	default:
		text = append(text[:left], []rune(fmt.Sprintf("\n… A cell shows the first %s characters of what it prints; the others are left out.\n", numtext.Count(mostText)))...)
	}
	return marshal(map[string]any{"name": said.Name, "text": string(text)})
}
