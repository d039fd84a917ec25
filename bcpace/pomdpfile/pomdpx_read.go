package pomdpfile

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"bayescpace/bcpace/internal/disk"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/pomdp"
)

// ReadPOMDPX reads a model in the .pomdpx format (PomdpX 1.0). Fully observed
// state variables are Visible, the others Hidden, each kind in the order of the
// file. Several action or observation variables become one whose values are
// joint, their names joined by commas (by number if a name has one); a file without observation variables has
// the one observation "none". Reward functions add up; what they say of the next
// state and the observation enters as its mean. Values given by number are named
// s0, s1, … (a0, … and o0, …). A function may depend on any variable that comes
// before it in the order of a step, and determine several variables jointly. For
// errors see Read.
func ReadPOMDPX(ctx context.Context, r io.Reader, name string) (m *pomdp.Model, err error) {
	return readPOMDPX(ctx, disk.Within(ctx, r), name, standard())
}

func readPOMDPX(ctx context.Context, r io.Reader, name string, l limits) (m *pomdp.Model, err error) {
	defer caught(&err)
	x := &xreader{xmlScanner: newXMLScanner(r, name), role: map[string]slot{}, rewards: map[string]bool{}}
	x.f = &factored{src: x.source, budget: newBudget(ctx, x.source, l), limits: l, name: modelName(name)}
	x.read()
	return x.f.model(), nil
}

// xreader reads a .pomdpx file.
type xreader struct {
	*xmlScanner
	f       *factored
	role    map[string]slot // by the name of a variable
	rewards map[string]bool
	lookup  [4][]values // by kind: how the values of each variable are found
}

// values finds the number of a value by its name.
type values struct {
	names  []string
	number map[string]int32
	prefix byte // of generated names
}

// find returns the number of a value, -1 if there is none of that name.
func (v *values) find(word []byte) int32 {
	if k, ok := v.number[string(word)]; ok {
		return k
	}
	if v.prefix != 0 && len(word) > 0 && word[0] == v.prefix {
		word = word[1:]
	}
	if k, ok := parseCount(word); ok && k < len(v.names) {
		return int32(k)
	}
	return -1
}

// stateVar is a state variable as the file gives it.
type stateVar struct {
	variable pomdp.Variable
	prev     string
	curr     string
	visible  bool
	values   values

	line, column int
}

func (x *xreader) read() {
	if !x.markup() {
		x.mark()
		x.fail("no element", "<pomdpx>")
	}
	if name := x.beginTag(); name != "pomdpx" {
		x.fail("<"+name+">", "<pomdpx>")
	}
	given := map[string]bool{}
	for name := x.child(); name != ""; name = x.child() {
		switch name {
		case "Discount", "Variable":
			if given[name] {
				x.fail("a second <"+name+">", "one")
			}
		case "InitialStateBelief", "StateTransitionFunction", "ObsFunction", "RewardFunction":
			if !given["Variable"] {
				x.fail("<"+name+">", "<Variable> before it")
			}
		}
		given[name] = true
		switch name {
		case "Description":
			x.skip()
		case "Discount":
			v := x.single("a discount factor in [0, 1]")
			if v < 0 || v > 1 {
				x.fail(numtext.Exact(v), "a discount factor in [0, 1]")
			}
			x.f.discount = v
			x.finish()
		case "Variable":
			x.readVariables()
		case "InitialStateBelief":
			x.readFunctions(&x.f.start, "CondProb", before, before)
		case "StateTransitionFunction":
			x.readFunctions(&x.f.move, "CondProb", after, action, before, after)
		case "ObsFunction":
			x.readFunctions(&x.f.sense, "CondProb", seen, action, after, seen)
		case "RewardFunction":
			x.readFunctions(&x.f.reward, "Func", noOutput, action, before, after, seen)
		default:
			x.fail("<"+name+">", "a section of a model"+near(name, sections))
		}
	}
	if x.space() {
		x.mark()
		x.fail(clip(x.until(&textEnds)), "nothing after </pomdpx>")
	}
	x.mark()
	need := sections[:5]
	if len(x.lookup[seen]) > 0 {
		need = sections
	}
	for _, name := range need {
		if !given[name] {
			x.fail("the end of the file", "<"+name+"> before it")
		}
	}
	x.complete()
}

// sections are the parts of a model, the last one needed only with observations.
var sections = []string{"Discount", "Variable", "InitialStateBelief", "StateTransitionFunction", "RewardFunction", "ObsFunction"}

// single reads the one number that is the text of an element.
func (x *xreader) single(what string) float64 {
	word := x.word()
	v, ok := parseNumber(word)
	if !ok {
		x.noNumber(word, what)
	}
	return v
}

// nameOf returns a word of text as a name.
func (x *xreader) nameOf(word []byte) string {
	if bytes.IndexByte(word, '&') >= 0 {
		return x.plain(word)
	}
	for _, c := range word {
		if c >= 0x80 {
			return x.plain(word)
		}
	}
	return string(word)
}

func (x *xreader) readVariables() {
	var list []stateVar
	count := 0
	for name := x.child(); name != ""; name = x.child() {
		if count++; count > MaxVariables {
			x.fail("more than "+strconv.Itoa(MaxVariables)+" variables", "a model within the limit MaxVariables")
		}
		switch name {
		case "StateVar":
			v := stateVar{prev: x.attr["vnamePrev"], curr: x.attr["vnameCurr"], line: x.tokenLine, column: x.tokenColumn}
			switch observed := x.attr["fullyObs"]; observed {
			case "true", "1":
				v.visible = true
			case "false", "0", "":
			default:
				x.fail("fullyObs="+clip(observed), `"true" or "false"`)
			}
			if v.prev == "" || v.curr == "" {
				x.fail("<StateVar>", "vnamePrev and vnameCurr in it")
			}
			v.values = x.readValues('s')
			v.variable = pomdp.Variable{Name: v.prev, Values: v.values.names}
			list = append(list, v)
		case "ActionVar":
			x.addVariable(action, &x.f.actions, 'a')
		case "ObsVar":
			x.addVariable(seen, &x.f.seen, 'o')
		case "RewardVar":
			reward := x.attr["vname"]
			if _, twice := x.role[reward]; reward == "" || x.rewards[reward] || twice || hasControl(reward) {
				x.fail("vname="+clip(reward), "the new name of a reward, without control characters")
			}
			x.rewards[reward] = true
			x.skip()
		default:
			x.fail("<"+name+">", "StateVar, ObsVar, ActionVar or RewardVar"+
				near(name, []string{"StateVar", "ObsVar", "ActionVar", "RewardVar"}))
		}
	}
	switch {
	case len(list) == 0:
		x.fail("no <StateVar>", "at least one")
	case len(x.f.actions) == 0:
		x.fail("no <ActionVar>", "at least one")
	case len(x.rewards) == 0:
		x.fail("no <RewardVar>", "at least one")
	}
	slices.SortStableFunc(list, func(a, b stateVar) int {
		switch {
		case a.visible && !b.visible:
			return -1
		case b.visible && !a.visible:
			return 1
		}
		return 0
	})
	for i, v := range list {
		x.tokenLine, x.tokenColumn = v.line, v.column
		x.define(v.prev, slot{before, i})
		x.define(v.curr, slot{after, i})
		x.lookup[before] = append(x.lookup[before], v.values)
		x.lookup[after] = append(x.lookup[after], v.values)
		if v.visible {
			x.f.visible = append(x.f.visible, v.variable)
		} else {
			x.f.hidden = append(x.f.hidden, v.variable)
		}
	}
	if len(x.f.seen) == 0 {
		x.f.seen = []pomdp.Variable{{Name: "observation", Values: []string{blank}}}
	}
}

func (x *xreader) define(name string, s slot) {
	if _, twice := x.role[name]; twice || x.rewards[name] || name == "null" {
		x.fail("a second variable named "+clip(name), "names that differ")
	}
	if hasControl(name) {
		x.fail("a variable named "+clip(name), "a name without control characters")
	}
	x.role[name] = s
}

func (x *xreader) addVariable(k kind, list *[]pomdp.Variable, prefix byte) {
	name := x.attr["vname"]
	if name == "" {
		x.fail("a variable without a name", `vname="…"`)
	}
	x.define(name, slot{k, len(*list)})
	v := x.readValues(prefix)
	x.lookup[k] = append(x.lookup[k], v)
	*list = append(*list, pomdp.Variable{Name: name, Values: v.names})
}

// readValues reads ValueEnum or NumValues and ends the variable.
func (x *xreader) readValues(prefix byte) values {
	v := values{}
	switch name := x.child(); name {
	case "ValueEnum":
		v.number = map[string]int32{}
		for word := x.word(); word != nil; word = x.word() {
			name := x.nameOf(word)
			if _, twice := v.number[name]; twice || name == "*" || name == "-" || hasControl(name) {
				x.fail(clip(name), `values that differ, are neither "*" nor "-" and hold no control character`)
			}
			if isListing(name) {
				x.fail(clip(name), noListing)
			}
			x.f.budget.spend(bytesPerName + len(name) + bytesPerLookup)
			v.number[name] = int32(len(v.names))
			v.names = append(v.names, name)
		}
		if len(v.names) == 0 {
			x.fail("no value", "at least one")
		}
	case "NumValues":
		word := x.word()
		n, ok := parseCount(word)
		if !ok || n < 1 || n > x.f.limits.states {
			x.fail(wordOr(word, "no number"), "a number of values from 1 to "+strconv.Itoa(x.f.limits.states)+", the limit MaxStates")
		}
		x.f.budget.spendAll(n, bytesPerName+8)
		v.prefix = prefix
		v.names = make([]string, n)
		for i := range v.names {
			x.f.budget.work(1)
			v.names[i] = string(prefix) + strconv.Itoa(i)
		}
	default:
		x.fail("<"+name+">", "ValueEnum or NumValues")
	}
	x.finish()
	x.finish()
	return v
}

const noOutput = kind(255)

// readFunctions reads a section of functions whose variables are of kind out
// and whose parents are of the given kinds.
func (x *xreader) readFunctions(list *[]*function, element string, out kind, parents ...kind) {
	for name := x.child(); name != ""; name = x.child() {
		if name != element {
			x.fail("<"+name+">", "<"+element+">")
		}
		*list = append(*list, x.readFunction(out, parents))
	}
}

func (x *xreader) readFunction(out kind, parents []kind) *function {
	g := &function{line: x.tokenLine}
	var outs, from []slot
	stage := 0
	order := []string{"Var", "Parent", "Parameter"}
	element := x.open[len(x.open)-1]
	for name := x.child(); name != ""; name = x.child() {
		if stage == len(order) || name != order[stage] {
			x.fail("<"+name+">", fmt.Sprintf("Var, Parent and Parameter in <%s>, in this order", element))
		}
		switch name {
		case "Var":
			var list []string
			for word := x.word(); word != nil; word = x.word() {
				name := x.nameOf(word)
				list = append(list, name)
				if out == noOutput {
					if !x.rewards[name] {
						x.fail(clip(name), "the name of a reward variable")
					}
					continue
				}
				outs = append(outs, x.variable(name, outs, out))
			}
			if len(list) == 0 {
				x.fail("an empty <Var>", "the name of a variable")
			}
			g.name = strings.Join(list, " ")
			g.out = len(outs)
			x.finish()
		case "Parent":
			for word := x.word(); word != nil; word = x.word() {
				name := x.nameOf(word)
				if _, isVariable := x.role[name]; name == "null" && !isVariable {
					continue
				}
				from = append(from, x.variable(name, append(slices.Clone(outs), from...), parents...))
			}
			x.finish()
		case "Parameter":
			x.parameter(g, from, outs)
		}
		stage++
	}
	if stage < len(order) {
		x.fail("</"+element+">", "<"+order[stage]+"> before it")
	}
	return g
}

// variable returns the role of a variable that must be of one of the kinds and
// not among those used.
func (x *xreader) variable(name string, used []slot, kinds ...kind) slot {
	s, ok := x.role[name]
	if !ok {
		var list []string
		for n, s := range x.role {
			if slices.Contains(kinds, s.kind) {
				list = append(list, n)
			}
		}
		slices.Sort(list)
		x.fail(clip(name), "the name of a variable"+near(name, list))
	}
	if !slices.Contains(kinds, s.kind) {
		var list []string
		for _, k := range kinds {
			list = append(list, [...]string{"an action variable", "a state variable before the step (vnamePrev)",
				"a state variable after the step (vnameCurr)", "an observation variable"}[k])
		}
		x.fail(clip(name), strings.Join(list, " or "))
	}
	if slices.Contains(used, s) {
		x.fail("a second "+clip(name), "every variable once")
	}
	return s
}

// parameter reads the table of a function.
func (x *xreader) parameter(g *function, parents, outs []slot) {
	file := append(slices.Clone(parents), outs...)
	order := func(a, b slot) int { return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.at, b.at)) }
	slices.SortFunc(parents, order)
	slices.SortFunc(outs, order)
	g.levels = append(parents, outs...)
	p := &parameter{xreader: x, g: g, isProbability: g.out > 0}
	size := make([]int, 0, len(g.levels)+1)
	for _, s := range g.levels {
		size = append(size, len(x.lookup[s.kind][s.at].names))
	}
	if n := len(g.levels); n == 0 || g.out == 0 && g.levels[n-1].kind <= before {
		size = append(size, 1) // so that below every action and state there is a node
	}
	g.table = newTable(size, x.f.budget)
	p.pattern = slices.Repeat([]int32{star}, len(size))
	for _, s := range file {
		p.level = append(p.level, slices.Index(g.levels, s))
	}
	kind := x.attr["type"]
	switch kind {
	case "", "TBL":
		for name := x.child(); name != ""; name = x.child() {
			if name != "Entry" {
				x.fail("<"+name+">", "<Entry>")
			}
			p.entry()
		}
	case "DD":
		p.diagram()
	default:
		x.fail("type="+clip(kind), `"TBL" or "DD"`)
	}
}

// complete checks that every variable is determined once, and puts functions
// behind those that determine their parents.
func (x *xreader) complete() {
	x.f.start = x.arrange(x.f.start, before, "InitialStateBelief")
	x.f.move = x.arrange(x.f.move, after, "StateTransitionFunction")
	x.f.sense = x.arrange(x.f.sense, seen, "ObsFunction")
}

func (x *xreader) arrange(list []*function, k kind, section string) []*function {
	by := make([]*function, len(x.lookup[k]))
	for _, g := range list {
		for _, s := range g.levels[len(g.levels)-g.out:] {
			if old := by[s.at]; old != nil {
				x.failAt(g.line, 0, "a second function of "+g.name, "one; it is determined in line "+strconv.Itoa(old.line)+" already")
			}
			by[s.at] = g
		}
	}
	names := make([]string, len(by))
	for name, s := range x.role {
		if s.kind == k {
			names[s.at] = name
		}
	}
	for i, g := range by {
		if g == nil {
			x.fail("the end of the file", "a function of "+clip(names[i])+" in <"+section+">")
		}
	}
	// Depth first, in the order of the variables, so that independent functions
	// stay in that order and rows come out sorted.
	var arranged []*function
	state := map[*function]int{}
	var visit func(g *function)
	visit = func(g *function) {
		switch state[g] {
		case 1:
			x.failAt(g.line, 0, g.name+", which depends on itself", "an order of the variables in which each depends on earlier ones only")
		case 2:
			return
		}
		state[g] = 1
		for _, s := range g.levels[:len(g.levels)-g.out] {
			if s.kind == k {
				visit(by[s.at])
			}
		}
		state[g] = 2
		arranged = append(arranged, g)
	}
	for _, g := range by {
		visit(g)
	}
	return arranged
}
