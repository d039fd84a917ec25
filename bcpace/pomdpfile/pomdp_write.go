package pomdpfile

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/pomdp"
)

// WritePOMDP writes a model in Cassandra's .pomdp format. The format knows no
// visible variables: where there is more than one visible value, the observation
// written is the pair of the visible value after the step and the observation,
// of which only pairs that can occur are written, and the state is the pair of
// both values. A distribution takes a line for each probability that is not zero, or
// one line with all of them, whichever is shorter. A model of which everything is visible is written as an MDP,
// without observations. Names that the format does not hold (letters, digits,
// '_' and '-', a letter first, no keyword) are left out, all of a list, and
// numbers stand for them.
//
// The format shows nothing before the first action, where the agent of m sees the
// visible value. A model that is not written as an MDP must therefore start at a
// single visible value, or the error is a *bcpace.InputError; WritePOMDPX writes it.
// The error is a *bcpace.UnsupportedError for a model with a horizon that its states
// do not keep, as the format has none: write the one of pomdp.FiniteHorizon. Otherwise the
// error is that of m.Validate, or of w.
func WritePOMDP(w io.Writer, m *pomdp.Model) error {
	if err := checkModel(m, "WritePOMDP"); err != nil {
		return err
	}
	if err := checkStart(m); err != nil {
		return err
	}
	p := &textWriter{printer: newPrinter(w), m: m, hidden: m.NumHidden()}
	p.write()
	return p.Flush()
}

// checkStart refuses a model whose agent sees at the start what a .pomdp file does
// not show.
func checkStart(m *pomdp.Model) error {
	hidden := m.NumHidden()
	first, last := int(m.Start[0].At)/hidden, int(m.Start[len(m.Start)-1].At)/hidden
	if first == last || isMDP(m) {
		return nil
	}
	return bcpace.In("WritePOMDP of model "+strconv.Quote(m.Name)).Bad("the visible value at the start",
		fmt.Sprintf("more than one, such as %q and %q", label(m.Visible, first), label(m.Visible, last)),
		"a single one, as a .pomdp file does not show it before the first action; or take WritePOMDPX")
}

// isMDP says that the agent sees the state and nothing else.
func isMDP(m *pomdp.Model) bool {
	return m.NumHidden() == 1 && m.NumVisible() > 1 && len(m.Observations) == 1
}

// textWriter writes a .pomdp file.
type textWriter struct {
	*printer
	m      *pomdp.Model
	hidden int
	isMDP  bool

	state, action, seen []string // as they are referred to
	pair                map[int]int
	entries             []pomdp.Entry // of a row
}

func (p *textWriter) write() {
	m := p.m
	p.isMDP = isMDP(m)
	p.text("discount: ")
	p.number(m.Discount)
	p.text("\nvalues: reward\n")
	variables := append(append([]pomdp.Variable{}, m.Visible...), m.Hidden...)
	states := make([]string, m.NumStates())
	for s := range states {
		states[s] = strings.ReplaceAll(label(variables, s), ",", "_")
	}
	p.state = p.list("states", states)
	p.action = p.list("actions", m.Actions)
	if !p.isMDP {
		p.seen = p.list("observations", p.observations())
	}
	p.start()
	p.text("\n")
	p.move()
	if !p.isMDP {
		p.sense()
	}
	p.reward()
}

// list writes names, or their number, and returns how to refer to them.
func (p *textWriter) list(word string, names []string) []string {
	p.text(word, ":")
	if distinct(names, isIdentifier) {
		for _, n := range names {
			p.text(" ", n)
		}
		p.text("\n")
		return names
	}
	p.text(" ", strconv.Itoa(len(names)), "\n")
	return pomdp.NumberedNames("", len(names))
}

// isIdentifier reports whether the format holds a name.
func isIdentifier(name string) bool {
	if isKeyword([]byte(name)) || !isName(name) {
		return false
	}
	switch name {
	case "", "uniform", "identity", "reward", "cost", "include", "exclude", "reset":
		return false
	}
	for i, c := range []byte(name) {
		isLetter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !isLetter && (i == 0 || (c < '0' || c > '9') && c != '_' && c != '-') {
			return false
		}
	}
	return true
}

// observations returns the names of what is observed in the flat model.
func (p *textWriter) observations() []string {
	m := p.m
	if m.NumVisible() == 1 {
		return m.Observations
	}
	n := len(m.Observations)
	occurs := make([]bool, m.NumVisible()*n)
	done := map[*pomdp.Matrix]bool{}
	for _, sense := range m.Sense {
		if done[sense] {
			continue
		}
		done[sense] = true
		for s := range sense.Len() {
			seen, _ := sense.At(s)
			for _, o := range seen {
				occurs[s/p.hidden*n+int(o)] = true
			}
		}
	}
	var names []string
	p.pair = map[int]int{}
	for i, is := range occurs {
		if is {
			p.pair[i] = len(names)
			names = append(names, strings.ReplaceAll(label(m.Visible, i/n), ",", "_")+"_"+m.Observations[i%n])
		}
	}
	return names
}

func (p *textWriter) start() {
	m := p.m
	p.text("start:")
	if len(m.Start) == 1 {
		p.text(" ", p.state[m.Start[0].At], "\n")
		return
	}
	p.text(" ")
	p.dense(len(p.state), m.Start)
	p.text("\n")
}

// byTable calls write for every table with the action it is for, "*" if there
// is one table for all.
func byTable[T comparable](p *textWriter, tables []T, write func(action string, t T)) {
	if !slices.ContainsFunc(tables, func(t T) bool { return t != tables[0] }) {
		write("*", tables[0])
		return
	}
	for a, t := range tables {
		write(p.action[a], t)
	}
}

func (p *textWriter) move() {
	byTable(p, p.m.Move, func(action string, t *pomdp.Matrix) {
		for s := range t.Len() {
			next, prob := t.At(s)
			p.row("T: "+action+" : "+p.state[s], p.state, next, prob)
		}
	})
}

func (p *textWriter) sense() {
	var at []int32
	byTable(p, p.m.Sense, func(action string, t *pomdp.Matrix) {
		for s := range t.Len() {
			seen, prob := t.At(s)
			if p.pair != nil { // which are numbered in this order
				at = at[:0]
				for _, o := range seen {
					at = append(at, int32(p.pair[s/p.hidden*len(p.m.Observations)+int(o)]))
				}
				seen = at
			}
			p.row("O: "+action+" : "+p.state[s], p.seen, seen, prob)
		}
	})
}

// row writes a distribution over names: a line for each probability that is not zero,
// or all of them in a line where that is shorter.
func (p *textWriter) row(head string, names []string, col []int32, prob []float64) {
	lines, line := 0, len(head)+len("\n")+len(names)*len("0 ")
	for _, k := range col {
		lines += len(head) + len(" : ") + len(names[k]) + len(" 0\n")
	}
	if lines <= line {
		for i, k := range col {
			p.text(head, " : ", names[k], " ")
			p.number(prob[i])
			p.text("\n")
		}
		return
	}
	p.entries = appendEntries(p.entries[:0], col, prob)
	p.text(head, "\n")
	p.dense(len(names), p.entries)
	p.text("\n")
}

func (p *textWriter) reward() {
	rest := " : * : * "
	if p.isMDP {
		rest = " : * "
	}
	for a, table := range p.m.Reward {
		for s, v := range table {
			if v != 0 {
				p.text("R: ", p.action[a], " : ", p.state[s], rest)
				p.number(v)
				p.text("\n")
			}
		}
	}
}
