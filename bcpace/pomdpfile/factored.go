package pomdpfile

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/pomdp"
)

// kind is a role that a variable plays in a function.
type kind uint8

const (
	action kind = iota
	before      // a state variable before the step
	after       // a state variable after the step
	seen        // an observation variable
)

// slot is a variable in its role; at is its place among those of the role.
type slot struct {
	kind kind
	at   int
}

// factored is a model as a file describes it: products of functions of few
// variables.
type factored struct {
	src      *source
	budget   *budget
	limits   limits
	name     string
	discount float64

	visible, hidden []pomdp.Variable
	actions, seen   []pomdp.Variable

	start, move, sense, reward []*function

	rounded rounded
}

// rounded are the distributions whose sums are off one by more than Tolerance, and no more than rounding leaves.
type rounded struct {
	count int
	first string // which one, and where
	most  float64
}

// notes says how these distributions were taken.
func (r rounded) notes() []string {
	if r.count == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s; %s, off 1 by up to %.2g, as rounding to six decimals leaves of so many probabilities: divided by their sums",
		r.first, numtext.Several(r.count, "such distribution"), r.most)}
}

// function is a conditional probability or a reward. Its levels are the action
// variables, then those before, after and seen in their order, then out.
type function struct {
	name   string // of what it determines
	levels []slot
	out    int // how many of the last levels it determines, 0 for a reward
	table  *table
	line   int // where the file begins it
}

// outcomes returns the number of joint values that a function determines.
func (g *function) outcomes() int {
	n := 1
	for _, size := range g.table.size[len(g.levels)-g.out : len(g.levels)] {
		n = times(n, size)
	}
	return n
}

// states returns the state variables, the visible first.
func (f *factored) states() []pomdp.Variable { return append(slices.Clone(f.visible), f.hidden...) }

// product returns the number of joint values of v, and reports an error if there are more
// than a limit.
func (f *factored) product(v []pomdp.Variable, what string, most int, limit string) int {
	n := 1
	for _, x := range v {
		n = times(n, len(x.Values))
	}
	if n > most {
		f.src.mark()
		f.src.fail(fmt.Sprintf("%d joint %s", n, what), "a model within the limit "+limit+", "+strconv.Itoa(most))
	}
	return n
}

// model multiplies the functions out.
func (f *factored) model() *pomdp.Model {
	states := f.states()
	m := &pomdp.Model{
		Name: f.name, Discount: f.discount,
		Visible: f.visible, Hidden: f.hidden,
	}
	numStates := f.product(states, "states", f.limits.states, "MaxStates")
	numActions := f.product(f.actions, "actions", f.limits.actions, "MaxActions")
	f.product(f.seen, "observations", f.limits.states, "MaxStates")
	f.budget.spendAll(times(numStates, numActions), bytesPerReward) // shared or not: a solver has a number for each
	m.Actions, m.Observations = f.names(f.actions), f.names(f.seen)
	for _, list := range [][]*function{f.start, f.move, f.sense, f.reward} {
		for _, g := range list {
			g.table.sort()
		}
	}

	start := f.rows(before, nil, states, f.start)
	matrix := start.build(f.roots(f.start, 0), "")
	f.budget.spendAll(len(matrix.Col), bytesPerStart)
	m.Start = appendEntries(make([]pomdp.Entry, 0, len(matrix.Col)), matrix.Col, matrix.Value)
	m.Move = f.matrices(f.rows(before, states, states, f.move), m.Actions)
	f.move = nil // so that no more is held than needed
	m.Sense = f.matrices(f.rows(after, states, f.seen, f.sense), m.Actions)
	f.sense = nil

	m.Notes = f.rounded.notes()
	pay := expectedReward{descent: f.newDescent(states, before, f.reward), f: f, numStates: numStates, means: make([]means, len(f.reward))}
	m.Reward = make([][]float64, len(m.Actions))
	most := pomdp.MaxReward(f.discount)
	for a, first := range f.alike(f.reward, numActions) {
		if first < a && m.Move[first] == m.Move[a] && m.Sense[first] == m.Sense[a] {
			m.Reward[a] = m.Reward[first]
			continue
		}
		m.Reward[a] = pay.build(f.roots(f.reward, a), m.Move[a], m.Sense[a])
		for s, v := range m.Reward[a] {
			if !(math.Abs(v) <= most) {
				f.src.failAt(f.reward[0].line, 0, fmt.Sprintf("a reward of %.7g for action %s in state %s", v,
					strconv.Quote(m.Actions[a]), strconv.Quote(label(states, s))), fmt.Sprintf("rewards of size %.3g at most with a discount of %v", most, f.discount))
			}
		}
	}
	m.MeanRewards = pay.mixed
	return m
}

// names returns the names of the joint values of variables: their own joined by
// commas, or their numbers where a comma in a name could make two the same.
func (f *factored) names(v []pomdp.Variable) []string {
	if len(v) == 1 {
		return v[0].Values
	}
	hasComma := func(name string) bool { return strings.Contains(name, ",") }
	ambiguous := slices.ContainsFunc(v, func(x pomdp.Variable) bool { return slices.ContainsFunc(x.Values, hasComma) })
	list := []string{""}
	for i, x := range v {
		var next []string
		for _, prefix := range list {
			for k, name := range x.Values {
				if ambiguous {
					name = strconv.Itoa(k)
				}
				if i > 0 {
					name = prefix + "," + name
				}
				f.budget.spend(2*bytesPerName + len(name))
				f.budget.work(1)
				next = append(next, name)
			}
		}
		list = next
	}
	return list
}

// label names a joint value of variables.
func label(v []pomdp.Variable, i int) string { return strings.Join(pomdp.ValueNames(v, i), ",") }

// roots returns the subtrees of functions below the levels of a joint action.
func (f *factored) roots(list []*function, a int) []int32 {
	refs := make([]int32, len(list))
	for i, g := range list {
		refs[i] = g.table.root
		for _, s := range g.levels[:g.acting()] {
			refs[i] = g.table.child(refs[i], digit(f.actions, s.at, a))
		}
	}
	return refs
}

// acting returns how many levels of a function are actions.
func (g *function) acting() int {
	n := 0
	for n < len(g.levels) && g.levels[n].kind == action {
		n++
	}
	return n
}

// alike returns by action the first one for which all of the functions are the same.
func (f *factored) alike(list []*function, actions int) []int {
	first, numbers, known := make([]int, actions), map[string]int{}, make([]map[int32]string, len(list))
	for i := range known {
		known[i] = map[int32]string{}
	}
	for a := range first {
		all := ""
		for i, ref := range f.roots(list, a) {
			all += list[i].table.digest(ref, list[i].acting(), known[i])
		}
		if _, ok := numbers[all]; !ok {
			numbers[all] = a
		}
		first[a] = numbers[all]
	}
	return first
}

// matrices builds the table of every action, sharing those that are alike.
func (f *factored) matrices(r *rows, actions []string) []*pomdp.Matrix {
	list := make([]*pomdp.Matrix, len(actions))
	for a, first := range f.alike(r.list, len(actions)) {
		if list[a] = list[first]; first == a {
			list[a] = r.build(f.roots(r.list, a), actions[a])
		}
	}
	return list
}

// descent goes through the joint values of variables, with the subtrees to which they lead in each of a list of functions.
type descent struct {
	row   []pomdp.Variable
	list  []*function
	tests [][]int   // by variable: the functions that depend on it
	ref   [][]int32 // by depth: where each function is
}

func (f *factored) newDescent(row []pomdp.Variable, rowKind kind, list []*function) descent {
	d := descent{row: row, list: list, tests: make([][]int, len(row))}
	for i, g := range list {
		for _, s := range g.levels {
			if s.kind == rowKind && len(row) > 0 {
				d.tests[s.at] = append(d.tests[s.at], i)
			}
		}
	}
	f.budget.spend((len(row) + 1) * len(list) * 4)
	for range len(row) + 1 {
		d.ref = append(d.ref, make([]int32, len(list)))
	}
	return d
}

// each calls visit for each joint value, with where it leads from the roots.
func (d *descent) each(roots []int32, visit func(here []int32)) {
	copy(d.ref[0], roots)
	d.from(0, visit)
}

// from gives the variables their values from depth on.
func (d *descent) from(depth int, visit func(here []int32)) {
	here := d.ref[depth]
	if depth == len(d.row) {
		visit(here)
		return
	}
	next := d.ref[depth+1]
	copy(next, here)
	for v := range int32(len(d.row[depth].Values)) {
		for _, i := range d.tests[depth] {
			next[i] = d.list[i].table.child(here[i], v)
		}
		d.from(depth+1, visit)
	}
}

// rows multiplies functions out into a sparse matrix. The functions depend on
// the variables of the row, and may depend on columns determined before them.
type rows struct {
	descent
	f      *factored
	col    []pomdp.Variable
	stride []int  // of the columns
	steps  []step // what is left of each function once the row is given

	// working state
	digit   []int32
	matrix  *pomdp.Matrix
	action  string
	scratch [][]pomdp.Entry // by step
	inOrder bool
}

// step is a level of a function that follows those of the row.
type step struct {
	function int
	column   int
	given    bool // the column is determined by another function
	last     bool // the level holds probabilities
	level    int
}

func (f *factored) rows(rowKind kind, row, col []pomdp.Variable, list []*function) *rows {
	r := &rows{descent: f.newDescent(row, rowKind, list), f: f, col: col, stride: make([]int, len(col)), digit: make([]int32, len(col))}
	for i := range col {
		r.stride[i] = pomdp.Size(col[i+1:])
	}
	for i, g := range list {
		for l, s := range g.levels {
			if s.kind != action && (s.kind != rowKind || len(row) == 0) {
				r.steps = append(r.steps, step{function: i, column: s.at, given: l < len(g.levels)-g.out, last: l == len(g.levels)-1, level: l})
			}
		}
	}
	r.scratch = make([][]pomdp.Entry, len(r.steps))
	return r
}

// build makes the matrix of an action.
func (r *rows) build(roots []int32, action string) *pomdp.Matrix {
	n := pomdp.Size(r.row)
	r.f.budget.spendAll(n+1, bytesPerRow)
	count := r.count(roots)
	r.f.budget.spendAll(count, bytesPerNumber)
	r.matrix = &pomdp.Matrix{Row: make([]int, 1, n+1), Col: make([]int32, 0, count), Value: make([]float64, 0, count)}
	r.action = action
	r.each(roots, func([]int32) { r.finish() })
	m := r.matrix
	r.matrix = nil
	if cap(m.Col) > len(m.Col)+len(m.Col)/4 {
		m.Col, m.Value = slices.Clone(m.Col), slices.Clone(m.Value)
	}
	return m
}

// count returns how many entries the matrix will have, or has at least where
// several functions make it.
func (r *rows) count(roots []int32) int {
	if len(r.list) != 1 {
		return pomdp.Size(r.row)
	}
	g := r.list[0]
	count := g.table.nonzero(roots[0], g.acting(), map[int32]int{})
	for k, v := range r.row { // variables that it does not depend on
		if len(r.tests[k]) == 0 {
			count = times(count, len(v.Values))
		}
	}
	return count
}

// finish appends a row.
func (r *rows) finish() {
	m := r.matrix
	from := len(m.Col)
	r.inOrder = true
	r.multiply(0, 0, 1)
	if !r.inOrder {
		sortRow(m.Col[from:], m.Value[from:])
	}
	sum := num.Sum(m.Value[from:])
	r.check(sum)
	if exact := 1e-12; sum < 1-exact || sum > 1+exact {
		for i := range m.Value[from:] {
			m.Value[from+i] /= sum
		}
	}
	m.Row = append(m.Row, len(m.Col))
}

// multiply appends the non-zero products of what the steps from k on determine.
func (r *rows) multiply(k, column int, p float64) {
	m := r.matrix
	r.f.budget.work(1)
	if k == len(r.steps) {
		if p == 0 { // by underflow
			return
		}
		if n := len(m.Col); n > m.Row[len(m.Row)-1] && m.Col[n-1] > int32(column) {
			r.inOrder = false
		}
		if n := len(m.Col); n == cap(m.Col) {
			r.f.budget.spend((n + 1) * bytesPerNumber)
			m.Col, m.Value = slices.Grow(m.Col, n+1), slices.Grow(m.Value, n+1)
		}
		m.Col = append(m.Col, int32(column))
		m.Value = append(m.Value, p)
		return
	}
	s := r.steps[k]
	ref := r.ref[len(r.row)]
	here := ref[s.function]
	t := r.list[s.function].table
	if s.given {
		ref[s.function] = t.child(here, r.digit[s.column])
		r.multiply(k+1, column, p)
		ref[s.function] = here
		return
	}
	if !s.last {
		for v := range int32(len(r.col[s.column].Values)) {
			ref[s.function] = t.child(here, v)
			r.digit[s.column] = v
			r.multiply(k+1, column+int(v)*r.stride[s.column], p)
		}
		ref[s.function] = here
		return
	}
	r.scratch[k] = t.entries(r.scratch[k][:0], here)
	for _, e := range r.scratch[k] {
		r.digit[s.column] = e.At
		r.multiply(k+1, column+int(e.At)*r.stride[s.column], p*e.Value)
	}
}

// left is what rounding may leave of a sum of n probabilities.
func left(n int) float64 { return max(Tolerance, min(Rounding*float64(n), MaxRounding)) }

// tolerance returns how far the sum of a row may be from one, given how long the rows of its functions are.
func (r *rows) tolerance() float64 {
	sum := 0.0
	for i, s := range r.steps {
		if i > 0 && r.steps[i-1].function == s.function {
			continue
		}
		g := r.list[s.function]
		sum += left(min(g.outcomes(), g.table.nonzero(r.ref[len(r.row)][s.function], s.level, map[int32]int{})))
	}
	return sum
}

// check refuses a row that is not a distribution and names the function at fault.
func (r *rows) check(sum float64) {
	tolerance := Tolerance * float64(max(1, len(r.list)))
	off := math.Abs(sum - 1)
	if off <= tolerance {
		return
	}
	if tolerance = r.tolerance(); off > tolerance {
		line, found := r.fault(sum, left)
		r.f.src.failAt(line, 0, found, fmt.Sprintf("a sum of 1 within %.3g", tolerance))
	}
	if r.f.rounded.count++; r.f.rounded.count == 1 {
		line, found := r.fault(sum, func(int) float64 { return Tolerance })
		r.f.rounded.first = fmt.Sprintf("%s:%d: %s", r.f.src.name, line, found)
	}
	r.f.rounded.most = max(r.f.rounded.most, off)
}

// fault says what adds up to the sum of the present row, or to that of a function whose own sum is off one by more than
// a limit, where that needs no other function; and in which line it stands.
func (r *rows) fault(sum float64, limit func(n int) float64) (line int, found string) {
	g := r.list[0]
	for i, s := range r.steps {
		if !s.last || s.given || i > 0 && r.steps[i-1].function == s.function {
			continue
		}
		h, ref := r.list[s.function], r.ref[len(r.row)][s.function]
		own, entries := 0.0, h.table.entries(nil, ref)
		for _, e := range entries {
			own += e.Value
		}
		if math.Abs(own-1) > limit(len(entries)) {
			g, sum, line = h, own, int(h.table.node(ref).line)
			break
		}
	}
	found = fmt.Sprintf("probabilities of %s that add up to %.7g", g.name, sum)
	if len(r.row) > 0 {
		found += fmt.Sprintf(", after action %s in state %s", strconv.Quote(r.action),
			strconv.Quote(label(r.row, len(r.matrix.Row)-1)))
	}
	return cmp.Or(line, g.line), found
}

func sortRow(col []int32, value []float64) {
	row := appendEntries(make([]pomdp.Entry, 0, len(col)), col, value)
	slices.SortFunc(row, func(a, b pomdp.Entry) int { return cmp.Compare(a.At, b.At) })
	for i, e := range row {
		col[i], value[i] = e.At, e.Value
	}
}

// appendEntries appends to list the values at these columns.
func appendEntries(list []pomdp.Entry, col []int32, value []float64) []pomdp.Entry {
	for i, c := range col {
		list = append(list, pomdp.Entry{At: c, Value: value[i]})
	}
	return list
}
