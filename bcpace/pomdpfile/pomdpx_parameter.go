package pomdpfile

import (
	"fmt"
	"maps"
	"math"
	"slices"
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

// MaxVisits is the most nodes and ends that a walk over all paths of a decision
// diagram may meet, each as often as there are paths to it.
const MaxVisits = 1 << 22

const bytesPerDiagram = 160 // with the edge to it

// diagram is a decision diagram, or a part of one.
type diagram struct {
	kind  string // "Node", "Terminal", or the type of a SubDAG
	level int    // of Node, deterministic, persistent and uniform
	edge  []edge
	value int32   // of deterministic
	leaf  float64 // of Terminal
	id    string  // of template
	line  int
}

type edge struct {
	value int32
	to    *diagram
}

// diagram reads a parameter that is a decision diagram.
func (p *parameter) diagram() {
	var root *diagram
	p.template = map[string]*diagram{}
	p.active = map[*diagram]bool{}
	for name := p.child(); name != ""; name = p.child() {
		switch name {
		case "DAG":
			if root != nil {
				p.fail("a second <DAG>", "one")
			}
			root = p.only()
		case "SubDAGTemplate":
			id := p.attr["id"]
			if p.template[id] != nil || id == "" {
				p.fail("id="+clip(id), "the new name of a template")
			}
			p.template[id] = p.only()
		default:
			p.fail("<"+name+">", "DAG or SubDAGTemplate")
		}
	}
	if root == nil {
		p.fail("no <DAG>", "one")
	}
	p.pattern = slices.Repeat([]int32{star}, len(p.pattern))
	p.walk(root, 0)
}

// only reads the one part that an element holds and ends it.
func (p *parameter) only() *diagram {
	element := p.open[len(p.open)-1]
	d := p.part(p.child(), element)
	p.xreader.finish()
	return d
}

// part reads the element that has begun.
func (p *parameter) part(name, within string) *diagram {
	p.f.budget.spend(bytesPerDiagram)
	d := &diagram{kind: name, line: p.tokenLine}
	switch name {
	case "Node":
		d.level = p.levelOf(p.attr["var"])
		for p.another("Edge") {
			k := p.valueOf(d.level, []byte(p.attr["val"]))
			d.edge = append(d.edge, edge{k, p.only()})
		}
	case "Terminal":
		d.leaf = p.number(p.word())
		p.xreader.finish()
	case "SubDAG":
		p.subDiagram(d)
		p.xreader.finish()
	default:
		p.fail(tag(name), "Node, SubDAG or Terminal in <"+within+">")
	}
	return d
}

func (p *parameter) subDiagram(d *diagram) {
	d.kind = p.attr["type"]
	switch d.kind {
	case "template":
		d.id = p.attr["idref"]
		return
	case "deterministic", "persistent", "uniform":
		d.level = p.levelOf(p.attr["var"])
		if d.level < len(p.g.levels)-p.g.out {
			p.fail("var="+clip(p.attr["var"]), "a variable that the function determines")
		}
	default:
		p.fail("type="+clip(d.kind), "deterministic, persistent, uniform or template")
	}
	if d.kind == "deterministic" {
		d.value = p.valueOf(d.level, []byte(p.attr["val"]))
	}
	if d.kind == "persistent" && p.earlier(d.level) < 0 {
		p.fail("persistent "+p.attr["var"], "its value before the step among the parents")
	}
}

// levelOf returns the level of a variable.
func (p *parameter) levelOf(name string) int {
	s, ok := p.role[name]
	level := slices.Index(p.g.levels, s)
	if !ok || level < 0 {
		p.fail("var="+clip(name), "the Var or a Parent of the function"+p.near(name, func(s slot) bool { return slices.Contains(p.g.levels, s) }))
	}
	return level
}

// earlier returns the level of what a variable after the step was before it, or
// -1.
func (p *parameter) earlier(level int) int {
	s := p.g.levels[level]
	if s.kind != after {
		return -1
	}
	return slices.Index(p.g.levels, slot{before, s.at})
}

// walk gives the values of a diagram to the tuples that lead there. depth is how
// many parts it is within: templates add up where elements alone do not.
func (p *parameter) walk(d *diagram, depth int) {
	t := p.g.table
	if p.visits++; p.visits > MaxVisits {
		p.failAt(d.line, 0, "a decision diagram whose paths have more than "+strconv.Itoa(MaxVisits)+" nodes", "one within the limit MaxVisits")
	}
	if depth > deepest {
		p.failAt(d.line, 0, "a decision diagram with a path of more than "+strconv.Itoa(deepest)+" nodes", "shorter paths")
	}
	l := d.level
	switch d.kind {
	case "Node":
		k := p.pattern[l]
		for _, e := range d.edge {
			if k == star || k == e.value { // tested above here already
				p.pattern[l] = e.value
				p.walk(e.to, depth+1)
			}
		}
		p.pattern[l] = k
	case "Terminal":
		t.set(p.pattern, d.leaf, d.line)
	case "uniform":
		t.set(p.pattern, 1/float64(t.size[l]), d.line)
	case "deterministic":
		p.certain(l, d.value, d.line)
	case "persistent":
		from := p.earlier(l)
		k := p.pattern[from]
		if k != star {
			p.certain(l, k, d.line)
			break
		}
		for v := range int32(t.size[from]) {
			p.pattern[from] = v
			p.certain(l, v, d.line)
		}
		p.pattern[from] = star
	case "template":
		to := p.template[d.id]
		if to == nil {
			p.failAt(d.line, 0, "idref="+clip(d.id), "the id of a template"+near(d.id, slices.Sorted(maps.Keys(p.template))))
		}
		if p.active[to] {
			p.failAt(d.line, 0, "template "+clip(d.id)+", which holds itself", "templates that do not")
		}
		p.active[to] = true
		p.walk(to, depth+1)
		p.active[to] = false
	}
}

// certain gives a level one value with certainty.
func (p *parameter) certain(level int, value int32, line int) {
	k := p.pattern[level]
	p.g.table.set(p.pattern, 0, line)
	if k == star || k == value {
		p.pattern[level] = value
		p.g.table.set(p.pattern, 1, line)
	}
	p.pattern[level] = k
}
