package pomdpfile

import (
	"fmt"
	"math"
	"strconv"

	"bayescpace/bcpace/pomdp"
)

// parameter reads the values of a function into its table.
type parameter struct {
	*xreader
	g             *function
	level         []int // by place in the file: the level of the table
	isProbability bool

	pattern  []int32
	dash     []int // levels enumerated by the table of the entry, in its order
	template map[string]*diagram
	active   map[*diagram]bool
	visits   int
}

// entry reads an Instance with its table.
func (p *parameter) entry() {
	if name := p.child(); name != "Instance" {
		p.fail(tag(name), "<Instance>")
	}
	line := p.tokenLine
	p.instance()
	name := p.child()
	if name != "ProbTable" && name != "ValueTable" {
		p.fail(tag(name), "<ProbTable> or <ValueTable>")
	}
	p.numbers(line)
	p.xreader.finish() // the table
	p.xreader.finish() // the entry
}

func tag(name string) string {
	if name == "" {
		return "the end of the element"
	}
	return "<" + name + ">"
}

// instance reads the pattern of an entry and ends it.
func (p *parameter) instance() {
	p.dash = p.dash[:0]
	n := 0
	for word := p.word(); word != nil; word = p.word() {
		if n == len(p.level) {
			p.fail(clip(word), fmt.Sprintf("%d values, of the parents and of %s", n, p.g.name))
		}
		l := p.level[n]
		n++
		if len(word) == 1 && word[0] == '*' {
			p.pattern[l] = star
			continue
		}
		if len(word) == 1 && word[0] == '-' {
			p.pattern[l] = star
			p.dash = append(p.dash, l)
			continue
		}
		p.pattern[l] = p.valueOf(l, word)
	}
	if n < len(p.level) {
		p.mark()
		p.fail(fmt.Sprintf("%d values", n), fmt.Sprintf("%d, of the parents and of %s", len(p.level), p.g.name))
	}
	p.xreader.finish()
}

// valueOf returns the number of a value of the variable of a level.
func (p *parameter) valueOf(level int, word []byte) int32 {
	s := p.g.levels[level]
	v := &p.lookup[s.kind][s.at]
	k := v.find(word)
	if k < 0 {
		name := p.plain(word)
		if k = v.find([]byte(name)); k < 0 {
			p.fail(clip(name), "a value of the variable"+near(name, v.names))
		}
	}
	return k
}

// number reads a word as a number of the table.
func (p *parameter) number(word []byte) float64 {
	v, ok := parseNumber(word)
	want := "a finite number"
	if p.isProbability {
		want = "a probability in [0, 1]"
	}
	switch {
	case !ok:
		p.noNumber(word, want)
	case p.isProbability && (v < 0 || v > 1+Tolerance):
		p.fail(clip(word), want)
	case !p.isProbability && math.Abs(v) > pomdp.MaxReward(1):
		p.fail(clip(word), rewardWanted)
	}
	return v
}

// numbers reads what an entry gives to its pattern: a word, or a number for each combination of the values of the dashes, the last one
// counting fastest.
func (p *parameter) numbers(line int) {
	t := p.g.table
	word := p.word()
	switch string(word) {
	case "uniform":
		if !p.isProbability {
			p.fail(`"uniform"`, "numbers")
		}
		t.set(p.pattern, 1/float64(p.g.outcomes()), line)
		return
	case "identity":
		if !p.isProbability || len(p.dash) != 2 || t.size[p.dash[0]] != t.size[p.dash[1]] {
			p.fail(`"identity"`, "it for two '-' of variables of the same size")
		}
		t.set(p.pattern, 0, line)
		for k := range int32(t.size[p.dash[0]]) {
			p.pattern[p.dash[0]], p.pattern[p.dash[1]] = k, k
			t.set(p.pattern, 1, line)
		}
		return
	}
	if len(p.dash) == 0 {
		t.set(p.pattern, p.number(word), line)
		return
	}
	count := 0
	complete := t.fill(p.pattern, p.dash, line, func() (float64, int, bool) {
		if count > 0 {
			word = p.word()
		}
		if word == nil {
			return 0, 0, false
		}
		count++
		return p.number(word), p.tokenLine, true
	})
	if !complete {
		p.mark()
		p.fail(strconv.Itoa(count)+" numbers", "one for each combination of the values of '-'")
	}
	if p.word() != nil {
		p.fail(fmt.Sprintf("more than %d numbers", count), "one for each combination of the values of '-'")
	}
}
