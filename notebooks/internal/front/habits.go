//go:build unix

package front

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"
)

//go:embed habits.txt
var habitsText string

// habit is a block of habits.txt.
type habit struct {
	message, line *regexp.Regexp
	write         string
	foreign       bool // the line is no Go
}

var habits = sync.OnceValue(func() (all []habit) {
	block := regexp.MustCompile(`(?m)^(?:message (.*)\n)?(?:line (.*)\n)?(write|instead) (.*)\n`)
	group := regexp.MustCompile(`\$(\d)`) // which letters may follow
	for _, m := range block.FindAllStringSubmatch(habitsText, -1) {
		all = append(all, habit{regexp.MustCompile(m[1]), regexp.MustCompile(m[2]), group.ReplaceAllString(m[4], "$${$1}"), m[3] == "instead"})
	}
	return all
})

// habitOf returns what to write in place of a line with a message, "" where no habit fits, and whether the line is no Go.
func habitOf(message, line string) (write string, foreign bool) {
	line = strings.TrimSpace(line)
	for _, h := range habits() {
		if !h.message.MatchString(message) || !h.line.MatchString(line) {
			continue
		}
		pattern, text := h.line, line
		if pattern.String() == "" {
			pattern, text = h.message, message
		}
		return "\n" + string(pattern.ExpandString(nil, h.write, text, pattern.FindStringSubmatchIndex(text))), h.foreign
	}
	return "", false
}
