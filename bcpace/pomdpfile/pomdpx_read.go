package pomdpfile

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/pomdp"
)

// readPOMDPX reads a model in the .pomdpx format (PomdpX 1.0). Fully observed
// state variables are Visible, the others Hidden, each kind in the order of the
// file. Several action or observation variables become one whose values are
// joint, their names joined by commas (by number if a name has one); a file without observation variables has
// the one observation "none". Reward functions add up; what they say of the next
// state and the observation enters as its mean. Values given by number are named
// s0, s1, … (a0, … and o0, …). A function may depend on any variable that comes
// before it in the order of a step, and determine several variables jointly. For
// errors see Read.
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
	prev, curr string
	visible    bool
	values     values

	line, column int
}

func (xr *xreader) read() {
	xr.root("pomdpx")
	given := map[string]bool{}
	for name := xr.child(); name != ""; name = xr.child() {
		switch name {
		case "Discount", "Variable":
			if given[name] {
				xr.fail("a second <"+name+">", "one")
			}
		case "InitialStateBelief", "StateTransitionFunction", "ObsFunction", "RewardFunction":
			if !given["Variable"] {
				xr.fail("<"+name+">", "<Variable> before it")
			}
		}
		given[name] = true
		switch name {
		case "Description":
			xr.skip()
		case "Discount":
			v := xr.single("a discount factor in [0, 1]")
			if v < 0 || v > 1 {
				xr.fail(numtext.Exact(v), "a discount factor in [0, 1]")
			}
			xr.f.discount = v
			xr.finish()
		case "Variable":
			xr.readVariables()
		case "InitialStateBelief":
			xr.readFunctions(&xr.f.start, "CondProb", before, before)
		case "StateTransitionFunction":
			xr.readFunctions(&xr.f.move, "CondProb", after, action, before, after)
		case "ObsFunction":
			xr.readFunctions(&xr.f.sense, "CondProb", seen, action, after, seen)
		case "RewardFunction":
			xr.readFunctions(&xr.f.reward, "Func", noOutput, action, before, after, seen)
		default:
			xr.fail("<"+name+">", "a section of a model"+near(name, sections))
		}
	}
	if xr.space() {
		xr.mark()
		xr.fail(clip(xr.until(textEnds)), "nothing after </pomdpx>")
	}
	xr.mark()
	need := sections[:5]
	if len(xr.lookup[seen]) > 0 {
		need = sections
	}
	for _, name := range need {
		if !given[name] {
			xr.fail("the end of the file", "<"+name+"> before it")
		}
	}
	xr.complete()
}

// sections are the parts of a model, the last one needed only with observations.
var sections = []string{"Discount", "Variable", "InitialStateBelief", "StateTransitionFunction", "RewardFunction", "ObsFunction"}

// single reads the one number that is the text of an element.
func (xr *xreader) single(what string) float64 {
	word := xr.word()
	v, ok := parseNumber(word)
	if !ok {
		xr.noNumber(word, what)
	}
	return v
}

func (xr *xreader) readVariables() {
	var list []stateVar
	count := 0
	for name := xr.child(); name != ""; name = xr.child() {
		if count++; count > MaxVariables {
			xr.fail("more than "+strconv.Itoa(MaxVariables)+" variables", "a model within the limit MaxVariables")
		}
		switch name {
		case "StateVar":
			v := stateVar{prev: xr.attr["vnamePrev"], curr: xr.attr["vnameCurr"], line: xr.tokenLine, column: xr.tokenColumn}
			switch observed := xr.attr["fullyObs"]; observed {
			case "true", "1":
				v.visible = true
			case "false", "0", "":
			default:
				xr.fail("fullyObs="+clip(observed), `"true" or "false"`)
			}
			if v.prev == "" || v.curr == "" {
				xr.fail("<StateVar>", "vnamePrev and vnameCurr in it")
			}
			v.values = xr.readValues('s')
			list = append(list, v)
		case "ActionVar":
			xr.addVariable(action, &xr.f.actions, 'a')
		case "ObsVar":
			xr.addVariable(seen, &xr.f.seen, 'o')
		case "RewardVar":
			reward := xr.attr["vname"]
			if _, twice := xr.role[reward]; reward == "" || xr.rewards[reward] || twice || hasControl(reward) {
				xr.fail("vname="+clip(reward), "the new name of a reward, without control characters")
			}
			xr.rewards[reward] = true
			xr.skip()
		default:
			xr.fail("<"+name+">", "StateVar, ObsVar, ActionVar or RewardVar"+
				near(name, []string{"StateVar", "ObsVar", "ActionVar", "RewardVar"}))
		}
	}
	switch {
	case len(list) == 0:
		xr.fail("no <StateVar>", "at least one")
	case len(xr.f.actions) == 0:
		xr.fail("no <ActionVar>", "at least one")
	case len(xr.rewards) == 0:
		xr.fail("no <RewardVar>", "at least one")
	}
	slices.SortStableFunc(list, func(a, b stateVar) int { return cmp.Compare(num.OfBool(b.visible), num.OfBool(a.visible)) })
	for i, v := range list {
		xr.tokenLine, xr.tokenColumn = v.line, v.column
		xr.define(v.prev, slot{before, i})
		xr.define(v.curr, slot{after, i})
		xr.lookup[before] = append(xr.lookup[before], v.values)
		xr.lookup[after] = append(xr.lookup[after], v.values)
		kind := &xr.f.hidden
		if v.visible {
			kind = &xr.f.visible
		}
		*kind = append(*kind, pomdp.Variable{Name: v.prev, Values: v.values.names})
	}
	if len(xr.f.seen) == 0 {
		xr.f.seen = []pomdp.Variable{{Name: "observation", Values: []string{blank}}}
	}
}

func (xr *xreader) define(name string, s slot) {
	if _, twice := xr.role[name]; twice || xr.rewards[name] || name == "null" {
		xr.fail("a second variable named "+clip(name), "names that differ")
	}
	if hasControl(name) {
		xr.fail("a variable named "+clip(name), "a name without control characters")
	}
	xr.role[name] = s
}

func (xr *xreader) addVariable(k kind, list *[]pomdp.Variable, prefix byte) {
	name := xr.attr["vname"]
	if name == "" {
		xr.fail("a variable without a name", `vname="…"`)
	}
	xr.define(name, slot{k, len(*list)})
	v := xr.readValues(prefix)
	xr.lookup[k] = append(xr.lookup[k], v)
	*list = append(*list, pomdp.Variable{Name: name, Values: v.names})
}

// readValues reads ValueEnum or NumValues and ends the variable.
func (xr *xreader) readValues(prefix byte) values {
	v := values{}
	switch name := xr.child(); name {
	case "ValueEnum":
		v.number = map[string]int32{}
		for word := xr.word(); word != nil; word = xr.word() {
			name := xr.plain(word)
			if _, twice := v.number[name]; twice || name == "*" || name == "-" || hasControl(name) {
				xr.fail(clip(name), `values that differ, are neither "*" nor "-" and hold no control character`)
			}
			if isListing(name) {
				xr.fail(clip(name), noListing)
			}
			xr.f.budget.spend(bytesPerName + len(name) + bytesPerLookup)
			v.number[name] = int32(len(v.names))
			v.names = append(v.names, name)
		}
		if len(v.names) == 0 {
			xr.fail("no value", "at least one")
		}
	case "NumValues":
		word := xr.word()
		n, ok := parseCount(word)
		if !ok || n < 1 || n > xr.f.limits.states {
			xr.fail(wordOr(word, "no number"), "a number of values from 1 to "+strconv.Itoa(xr.f.limits.states)+", the limit MaxStates")
		}
		xr.f.budget.spendAll(n, bytesPerName+8)
		v.prefix = prefix
		xr.f.budget.work(n)
		v.names = pomdp.NumberedNames(string(prefix), n)
	default:
		xr.fail("<"+name+">", "ValueEnum or NumValues")
	}
	xr.finish()
	xr.finish()
	return v
}

const noOutput = kind(255)

// readFunctions reads a section of functions whose variables are of kind out
// and whose parents are of the given kinds.
func (xr *xreader) readFunctions(list *[]*function, element string, out kind, parents ...kind) {
	for xr.another(element) {
		*list = append(*list, xr.readFunction(out, parents))
	}
}

func (xr *xreader) readFunction(out kind, parents []kind) *function {
	g := &function{line: xr.tokenLine}
	var outs, from []slot
	stage := 0
	order := []string{"Var", "Parent", "Parameter"}
	element := xr.open[len(xr.open)-1]
	for name := xr.child(); name != ""; name = xr.child() {
		if stage == len(order) || name != order[stage] {
			xr.fail("<"+name+">", fmt.Sprintf("Var, Parent and Parameter in <%s>, in this order", element))
		}
		switch name {
		case "Var":
			var list []string
			for word := xr.word(); word != nil; word = xr.word() {
				name := xr.plain(word)
				list = append(list, name)
				if out == noOutput {
					if !xr.rewards[name] {
						xr.fail(clip(name), "the name of a reward variable")
					}
					continue
				}
				outs = append(outs, xr.variable(name, outs, out))
			}
			if len(list) == 0 {
				xr.fail("an empty <Var>", "the name of a variable")
			}
			g.name = strings.Join(list, " ")
			g.out = len(outs)
			xr.finish()
		case "Parent":
			for word := xr.word(); word != nil; word = xr.word() {
				name := xr.plain(word)
				if _, isVariable := xr.role[name]; name == "null" && !isVariable {
					continue
				}
				from = append(from, xr.variable(name, append(slices.Clone(outs), from...), parents...))
			}
			xr.finish()
		case "Parameter":
			xr.parameter(g, from, outs)
		}
		stage++
	}
	if stage < len(order) {
		xr.fail("</"+element+">", "<"+order[stage]+"> before it")
	}
	return g
}

// variable returns the role of a variable that must be of one of the kinds and
// not among those used.
func (xr *xreader) variable(name string, used []slot, kinds ...kind) slot {
	s, ok := xr.role[name]
	if !ok {
		xr.fail(clip(name), "the name of a variable"+xr.near(name, func(s slot) bool { return slices.Contains(kinds, s.kind) }))
	}
	if !slices.Contains(kinds, s.kind) {
		var list []string
		for _, k := range kinds {
			list = append(list, [...]string{"an action variable", "a state variable before the step (vnamePrev)",
				"a state variable after the step (vnameCurr)", "an observation variable"}[k])
		}
		xr.fail(clip(name), strings.Join(list, " or "))
	}
	if slices.Contains(used, s) {
		xr.fail("a second "+clip(name), "every variable once")
	}
	return s
}

// near is near of the names of variables in some roles.
func (xr *xreader) near(word string, in func(slot) bool) string {
	return near(word, slices.DeleteFunc(slices.Sorted(maps.Keys(xr.role)), func(name string) bool { return !in(xr.role[name]) }))
}

// parameter reads the table of a function.
func (xr *xreader) parameter(g *function, parents, outs []slot) {
	file := append(slices.Clone(parents), outs...)
	order := func(a, b slot) int { return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.at, b.at)) }
	slices.SortFunc(parents, order)
	slices.SortFunc(outs, order)
	g.levels = append(parents, outs...)
	p := &parameter{xreader: xr, g: g, isProbability: g.out > 0}
	size := make([]int, 0, len(g.levels)+1)
	for _, s := range g.levels {
		size = append(size, len(xr.lookup[s.kind][s.at].names))
	}
	if n := len(g.levels); n == 0 || g.out == 0 && g.levels[n-1].kind <= before {
		size = append(size, 1) // so that below every action and state there is a node
	}
	g.table = newTable(size, xr.f.budget)
	p.pattern = slices.Repeat([]int32{star}, len(size))
	for _, s := range file {
		p.level = append(p.level, slices.Index(g.levels, s))
	}
	kind := xr.attr["type"]
	switch kind {
	case "", "TBL":
		for xr.another("Entry") {
			p.entry()
		}
	case "DD":
		p.diagram()
	default:
		xr.fail("type="+clip(kind), `"TBL" or "DD"`)
	}
}

// complete checks that every variable is determined once, and puts functions
// behind those that determine their parents.
func (xr *xreader) complete() {
	xr.f.start = xr.arrange(xr.f.start, before, "InitialStateBelief")
	xr.f.move = xr.arrange(xr.f.move, after, "StateTransitionFunction")
	xr.f.sense = xr.arrange(xr.f.sense, seen, "ObsFunction")
}

func (xr *xreader) arrange(list []*function, k kind, section string) []*function {
	by := make([]*function, len(xr.lookup[k]))
	for _, g := range list {
		for _, s := range g.levels[len(g.levels)-g.out:] {
			if old := by[s.at]; old != nil {
				xr.failAt(g.line, 0, "a second function of "+g.name, "one; it is determined in line "+strconv.Itoa(old.line)+" already")
			}
			by[s.at] = g
		}
	}
	names := make([]string, len(by))
	for name, s := range xr.role {
		if s.kind == k {
			names[s.at] = name
		}
	}
	for i, g := range by {
		if g == nil {
			xr.fail("the end of the file", "a function of "+clip(names[i])+" in <"+section+">")
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
			xr.failAt(g.line, 0, g.name+", which depends on itself", "an order of the variables in which each depends on earlier ones only")
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
