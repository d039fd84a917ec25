package pomdpfile

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"bayescpace/bcpace/internal/disk"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/pomdp"
)

// ReadPOMDP reads a model in Cassandra's .pomdp format. Its states are one
// hidden variable; a file without observations is an MDP, whose states are
// visible. Values not given are zero, later entries replace earlier ones, costs
// become negative rewards, and a file without a start starts uniformly. Beyond
// the format, a matrix of rewards may also be given for an action as a whole,
// several states may follow "start:", "rewards" and "costs" stand for "reward"
// and "cost", a colon may stand between the last index and its value, the star of
// an observation between the next state and the reward of an MDP, names may hold any
// character but white space, control characters, ':', '*' and '#', also a digit at the
// beginning, as long as they are not numbers and no brackets or commas of a list, and a
// line may end with a carriage return, alone or before the line feed. For errors see Read.
func ReadPOMDP(ctx context.Context, r io.Reader, name string) (m *pomdp.Model, err error) {
	return readPOMDP(ctx, disk.Within(ctx, r), name, standard())
}

func readPOMDP(ctx context.Context, r io.Reader, name string, l limits) (m *pomdp.Model, err error) {
	defer caught(&err)
	p := &reader{scanner: newScanner(r, name)}
	p.f = &factored{src: p.source, budget: newBudget(ctx, p.source, l), limits: l, name: modelName(name)}
	p.read()
	return p.f.model(), nil
}

// reader reads a .pomdp file.
type reader struct {
	*scanner
	f       *factored
	keyword string         // one that has been passed already, with its place
	given   map[string]int // by keyword: the line where it first begins a section
	tables  string         // the first section of tables, as errors call it

	set       [3]set // states, actions and observations
	sign      float64
	isMDP     bool
	start     []pomdp.Entry // uniform if nil
	resetLine int

	move, sense, reward *table
}

// set is the states, actions or observations of a file.
type set struct {
	word   string // singular, with its article
	names  []string
	number map[string]int32
}

const (
	states = iota
	actions
	observations
)

var (
	setNames = [3]string{"states", "actions", "observations"}
	keywords = append(setNames[:], "discount", "values", "start", "T", "O", "R")
)

func isKeyword(word []byte) bool {
	return slices.Contains(keywords, string(word))
}

func (p *reader) read() {
	p.given = map[string]int{}
	p.sign = 1
	for i, w := range []string{"a state", "an action", "an observation"} {
		p.set[i].word = w
	}
	for p.kind != 0 || p.keyword != "" {
		word := p.keyword
		if word == "" {
			if p.kind != 'w' || !isKeyword(p.text) {
				p.noSection(string(p.text), p.tokenLine, p.tokenColumn)
			}
			word = string(p.text)
			p.begin(word, p.tokenLine, p.tokenColumn)
			p.next()
		}
		p.keyword = ""
		p.section(word)
	}
	p.mark()
	for _, w := range []string{"discount", "values", "states", "actions"} {
		if p.given[w] == 0 {
			p.fail("the end of the file", fmt.Sprintf("a section %q before it", w+":"))
		}
	}
	p.allocate()
	p.finish()
}

// noSection fails over a word where a keyword is wanted.
func (p *reader) noSection(word string, line, column int) {
	p.failAt(line, column, clip(word), "one of discount, values, states, actions, observations, start, T, O, R"+near(word, keywords))
}

// begin notes where the keyword of a section stands. A section of the preamble comes once, and before the tables
// that go by it.
func (p *reader) begin(word string, line, column int) {
	old, isTable := p.given[word], word == "T" || word == "O" || word == "R"
	switch {
	case isTable && p.tables == "":
		p.tables = fmt.Sprintf("%q in line %d", word+":", line)
	case isTable:
	case old > 0:
		p.failAt(line, column, clip(word), fmt.Sprintf("%q once; it is in line %d already", word, old))
	case p.tables != "" && slices.Contains(setNames[:], word):
		p.failAt(line, column, fmt.Sprintf("%q after %s", word+":", p.tables), "it before all of T, O and R")
	}
	if old == 0 {
		p.given[word] = line
	}
}

// section reads what follows a keyword.
func (p *reader) section(word string) {
	if word == "start" {
		p.readStart()
		return
	}
	p.colon()
	switch word {
	case "discount":
		line, column := p.tokenLine, p.tokenColumn
		p.f.discount = p.number("a discount factor in [0, 1]")
		if p.f.discount < 0 || p.f.discount > 1 {
			p.failAt(line, column, numtext.Exact(p.f.discount), "a discount factor in [0, 1]")
		}
	case "values":
		switch {
		case p.kind == 'w' && (string(p.text) == "cost" || string(p.text) == "costs"):
			if p.given["R"] > 0 {
				p.fail(fmt.Sprintf("costs, after the rewards in line %d", p.given["R"]), `"values: cost" before the first "R:"`)
			}
			p.sign = -1
		case p.kind != 'w' || string(p.text) != "reward" && string(p.text) != "rewards":
			p.want(`"reward" or "cost"`)
		}
		p.next()
	case "states":
		p.readNames(states)
	case "actions":
		p.readNames(actions)
	case "observations":
		p.readNames(observations)
	default:
		p.allocate()
		switch word {
		case "T":
			p.readTable(p.move, []int{actions, states, states}, true)
		case "O":
			if p.isMDP {
				p.fail("observation probabilities", `"observations:" before them`)
			}
			p.readTable(p.sense, []int{actions, states, observations}, true)
		case "R":
			p.readTable(p.reward, p.rewardSets(), false)
		}
	}
}

func (p *reader) rewardSets() []int {
	if p.isMDP {
		return []int{actions, states, states}
	}
	return []int{actions, states, states, observations}
}

// readNames reads a number or a list of names.
func (p *reader) readNames(which int) {
	set := &p.set[which]
	if p.kind == 'w' && p.text[0] >= '0' && p.text[0] <= '9' && !isName(string(p.text)) {
		n := p.readCount(which)
		p.f.budget.spendAll(n, bytesPerName)
		p.f.budget.work(n)
		set.names = pomdp.NumberedNames("", n)
		return
	}
	set.number = map[string]int32{}
	for p.kind == 'w' {
		word, line, column := string(p.text), p.tokenLine, p.tokenColumn
		if isKeyword(p.text) {
			if p.beginsSection() {
				break
			}
		} else if p.next(); p.kind == ':' {
			p.noSection(word, line, column)
		}
		if want := p.unfit(which, word); want != "" {
			p.failAt(line, column, clip(word), want)
		}
		p.f.budget.spend(bytesPerName + len(word) + bytesPerLookup)
		set.number[word] = int32(len(set.names))
		set.names = append(set.names, word)
	}
	if len(set.names) == 0 {
		p.want("a number or a list of names")
	}
	if only := set.names[0]; len(set.names) == 1 && only[0] == '[' && only[len(only)-1] == ']' {
		p.failAt(p.given[setNames[which]], 0, clip(only), noListing)
	}
}

// readCount reads the number of states, actions or observations.
func (p *reader) readCount(which int) int {
	word, line, column := string(p.text), p.tokenLine, p.tokenColumn
	if p.next(); p.kind == 'w' && !isKeyword(p.text) {
		name, at, from := string(p.text), p.tokenLine, p.tokenColumn
		if p.next(); p.kind == ':' {
			p.noSection(name, at, from)
		}
		p.failAt(at, from, fmt.Sprintf("%s after the number %s", clip(name), word), "the number of "+setNames[which]+
			" alone, or names that are no numbers: a number stands for a place, counted from 0")
	}
	n, ok := parseCount([]byte(word))
	want := p.tooMany(which, n)
	if !ok || n < 1 {
		want = "a number of " + setNames[which] + " from 1"
	}
	if want != "" {
		p.failAt(line, column, clip(word), want)
	}
	return n
}

// unfit returns what would be right in place of a word that cannot be the next
// name, "" if it can.
func (p *reader) unfit(which int, word string) string {
	set := &p.set[which]
	first, twice := set.number[word]
	switch {
	case twice:
		return fmt.Sprintf("a name that is new; number %d has it", first)
	case !isName(word):
		return "a name that is no number and holds no control character"
	case isListing(word):
		return noListing
	}
	return p.tooMany(which, len(set.names)+1)
}

// tooMany returns how many states, actions or observations would be right in place
// of n, "" if n would.
func (p *reader) tooMany(which, n int) string {
	most, limit := p.f.limits.states, "MaxStates"
	if which == actions {
		most, limit = p.f.limits.actions, "MaxActions"
	}
	if n <= most {
		return ""
	}
	return "a number of " + setNames[which] + " within the limit " + limit + ", " + strconv.Itoa(most)
}

// beginsSection passes a keyword and reports whether it begins a section. It is a
// name unless what must follow a keyword does.
func (p *reader) beginsSection() bool {
	word, line, column := string(p.text), p.tokenLine, p.tokenColumn
	p.next()
	if p.kind != ':' && (word != "start" || p.kind != 'w' || string(p.text) != "include" && string(p.text) != "exclude") {
		return false
	}
	p.keyword = word
	p.begin(word, line, column)
	return true
}

// allocate makes the tables once the sets are known.
func (p *reader) allocate() {
	if p.move != nil {
		return
	}
	for _, which := range []int{states, actions} {
		if p.set[which].names == nil {
			p.fail("tables", fmt.Sprintf("%q before them", setNames[which]+":"))
		}
	}
	p.isMDP = p.set[observations].names == nil
	p.move = p.newTable(actions, states, states)
	if p.isMDP {
		p.set[observations].names = []string{blank}
	}
	p.sense = p.newTable(actions, states, observations)
	p.reward = p.newTable(p.rewardSets()...)
}

func (p *reader) newTable(sets ...int) *table {
	size := make([]int, len(sets))
	for i, which := range sets {
		size[i] = len(p.set[which].names)
	}
	return newTable(size, p.f.budget)
}

// element reads a name, a number or a star.
func (p *reader) element(which int) int32 {
	set := &p.set[which]
	if p.kind == '*' {
		p.next()
		return star
	}
	if p.kind != 'w' {
		p.want("a name or number of " + set.word + `, or "*"`)
	}
	k, ok := set.number[string(p.text)]
	if !ok {
		n, isNumber := parseCount(p.text)
		switch {
		case isNumber && n < len(set.names):
			k = int32(n)
		case isNumber:
			p.want(fmt.Sprintf("a number of %s from 0 to %d", set.word, len(set.names)-1))
		default:
			p.want("the name of " + set.word + near(string(p.text), set.names))
		}
	}
	p.next()
	return k
}

// readStart reads the initial belief. Names without "include" before them are
// read as with it: the grammar has one at most, files have more.
func (p *reader) readStart() {
	if p.set[states].names == nil {
		p.fail("a start", `"states:" before it`)
	}
	if p.resetLine > 0 {
		p.fail("a start", fmt.Sprintf("it before the reset in line %d", p.resetLine))
	}
	n := len(p.set[states].names)
	mode := ""
	if p.kind == 'w' {
		mode = string(p.text)
		if mode != "include" && mode != "exclude" {
			p.want(`":", "include:" or "exclude:"`)
		}
		p.next()
	}
	p.colon()
	if mode != "" {
		p.startStates(mode == "include")
		return
	}
	if p.kind == 'w' {
		if string(p.text) == "uniform" {
			p.next()
			return // without any, it is uniform
		}
		if _, isNumber := parseNumber(p.text); !isNumber {
			p.startStates(true)
			return
		}
	}
	count := 0
	for ; count < n && p.kind == 'w' && !isKeyword(p.text); count++ {
		k, isCount := parseCount(p.text)
		line := p.tokenLine
		v := p.number("a probability")
		if count == 0 && isCount && (p.kind != 'w' || isKeyword(p.text)) && k < n {
			p.start = []pomdp.Entry{{At: int32(k), Value: 1}} // the number of a state
			return
		}
		if v < 0 || v > 1+Tolerance {
			p.failAt(line, 0, fmt.Sprintf("%v as probability %d of the start", v, count+1), "a probability in [0, 1]")
		}
		if v > 0 {
			p.f.budget.spend(2 * bytesPerStart)
			p.start = append(p.start, pomdp.Entry{At: int32(count), Value: v})
		}
	}
	if count < n {
		p.want(fmt.Sprintf("%d probabilities of the start, after %d", n, count))
	}
}

// startStates reads the states of "start include:" and "start exclude:".
func (p *reader) startStates(include bool) {
	n := len(p.set[states].names)
	p.f.budget.spendAll(n, 1+2*bytesPerStart)
	in := make([]bool, n)
	for first := true; first || p.kind == '*' || p.kind == 'w'; first = false {
		p.f.budget.work(1)
		if p.kind == 'w' && isKeyword(p.text) {
			name, isName := p.set[states].number[string(p.text)]
			if !isName || p.beginsSection() {
				break
			}
			in[name] = true
			continue
		}
		k := p.element(states)
		if k == star {
			p.f.budget.work(n)
			for i := range in {
				in[i] = true
			}
			continue
		}
		in[k] = true
	}
	for i, is := range in {
		if is == include {
			p.start = append(p.start, pomdp.Entry{At: int32(i)})
		}
	}
	if len(p.start) == 0 {
		p.fail("a start that leaves no state", "at least one")
	}
	for i := range p.start {
		p.start[i].Value = 1 / float64(len(p.start))
	}
}

// readTable reads a specification of T, O or R: some of the indices, and a value
// for all the rest.
func (p *reader) readTable(t *table, sets []int, probability bool) {
	line := p.tokenLine
	pattern := slices.Repeat([]int32{star}, len(sets))
	pattern[0] = p.element(actions)
	given := 1
	for ; p.kind == ':' && given < len(sets); given++ {
		p.next()
		pattern[given] = p.element(sets[given])
	}
	what := rewardWanted
	if probability {
		what = "a probability in [0, 1]"
	}
	if given == len(sets) {
		p.beforeValue(t)
		t.set(pattern, p.entry(what, probability), line)
		return
	}
	if p.kind == 'w' && probability {
		if p.keyed(t, pattern, sets, given, line) {
			return
		}
	}
	var free []int
	for i := given; i < len(pattern); i++ {
		free = append(free, i)
	}
	t.fill(pattern, free, p.tokenLine, func() (float64, int, bool) {
		line := p.tokenLine
		return p.entry(what, probability), line, true
	})
}

// beforeValue passes what files have between the indices and their value and the
// grammar has not: in rewards of an MDP the star of an observation, and a colon.
func (p *reader) beforeValue(t *table) {
	if p.kind != ':' {
		return
	}
	p.next()
	if p.isMDP && t == p.reward && p.kind == '*' {
		p.next()
	}
}

// entry reads a number of a table.
func (p *reader) entry(what string, probability bool) float64 {
	line, column := p.tokenLine, p.tokenColumn
	v := p.number(what)
	if probability && (v < 0 || v > 1+Tolerance) || math.Abs(v) > pomdp.MaxReward(1) {
		p.failAt(line, column, numtext.Exact(v), what)
	}
	if probability {
		return v
	}
	return p.sign * v
}

// keyed reads a word in place of a row or matrix of probabilities.
func (p *reader) keyed(t *table, pattern []int32, sets []int, given, line int) bool {
	rows, columns := p.set[sets[1]].names, p.set[sets[2]].names
	switch string(p.text) {
	case "uniform":
		t.set(pattern, 1/float64(len(columns)), line)
	case "identity":
		if given > 1 || len(rows) != len(columns) {
			p.want("identity for a whole square matrix only")
		}
		t.set(pattern, 0, line)
		for k := range int32(len(rows)) {
			pattern[1], pattern[2] = k, k
			t.set(pattern, 1, line)
		}
	case "reset":
		if sets[2] != states {
			p.want("reset in transitions only")
		}
		p.resetLine = p.tokenLine
		if p.start == nil {
			t.set(pattern, 1/float64(len(columns)), line)
			break
		}
		t.set(pattern, 0, line)
		for _, e := range p.start {
			pattern[2] = e.At
			t.set(pattern, e.Value, line)
		}
	default:
		return false
	}
	p.next()
	return true
}

// finish hands the tables over.
func (p *reader) finish() {
	variable := []pomdp.Variable{{Name: "state", Values: p.set[states].names}}
	if p.isMDP {
		p.f.visible = variable
		p.sense.set([]int32{star, star, star}, 1, 0)
	} else {
		p.f.hidden = variable
	}
	p.f.actions = []pomdp.Variable{{Name: "action", Values: p.set[actions].names}}
	p.f.seen = []pomdp.Variable{{Name: "observation", Values: p.set[observations].names}}

	n := len(p.set[states].names)
	start := newTable([]int{n}, p.f.budget)
	if p.start == nil {
		start.set([]int32{star}, 1/float64(n), 0)
	}
	for _, e := range p.start {
		start.set([]int32{e.At}, e.Value, 0)
	}
	a, s, next, o := slot{action, 0}, slot{before, 0}, slot{after, 0}, slot{seen, 0}
	p.f.start = []*function{{name: "the start", levels: []slot{s}, out: 1, table: start, line: max(1, p.given["start"])}}
	p.f.move = []*function{{name: "the next state", levels: []slot{a, s, next}, out: 1, table: p.move, line: p.line}}
	p.f.sense = []*function{{name: "the observation", levels: []slot{a, next, o}, out: 1, table: p.sense, line: p.line}}
	levels := []slot{a, s, next, o}
	p.f.reward = []*function{{name: "the reward", levels: levels[:len(p.reward.size)], table: p.reward, line: p.line}}
}
