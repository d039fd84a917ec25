package pomdpfile

import (
	"cmp"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"bayescpace/bcpace/pomdp"
)

// WritePOMDPX writes a model in the .pomdpx format, with its visible and hidden
// variables. Where the variables move independently of each other given the
// state and the action, each gets a function of only those variables it depends
// on; otherwise each also depends on those before it. Probabilities of a single
// variable are written exactly; with several, the probability of an outcome is
// written to within 1e-13 of itself for each of them. A variable is named by its name
// before a step and by that name with "_1" in place of "_0", or at its end, after it.
// Names of values that the format does not hold are left out, all of a list, and the
// number of values stands for them. The error is a *bcpace.UnsupportedError for a
// model with a horizon that its states do not keep, as the format has none: write the
// one of pomdp.FiniteHorizon. Otherwise it is that of m.Validate, or of w.
func WritePOMDPX(w io.Writer, m *pomdp.Model) error {
	if err := checkModel(m, "WritePOMDPX"); err != nil {
		return err
	}
	p := &xmlWriter{printer: newPrinter(w), m: m, used: map[string]bool{"null": true}}
	p.write()
	return p.Flush()
}

// xmlWriter writes a .pomdpx file.
type xmlWriter struct {
	*printer
	m    *pomdp.Model
	used map[string]bool // names of variables

	prev, curr           []pomdp.Variable
	action, seen, reward pomdp.Variable
}

func (p *xmlWriter) write() {
	m := p.m
	p.text("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<pomdpx version=\"1.0\" id=\"", escape(m.Name), "\">\n<Discount>")
	p.number(m.Discount)
	p.text("</Discount>\n<Variable>\n")
	p.variables()
	p.text("</Variable>\n<InitialStateBelief>\n")
	p.start()
	p.text("</InitialStateBelief>\n<StateTransitionFunction>\n")
	p.move()
	p.text("</StateTransitionFunction>\n<ObsFunction>\n")
	p.sense()
	p.text("</ObsFunction>\n<RewardFunction>\n")
	p.pay()
	p.text("</RewardFunction>\n</pomdpx>\n")
}

// escape replaces what XML reserves.
func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}

// isWord reports whether a name can stand in a list of words.
func isWord(name string) bool {
	return name != "" && name != "*" && name != "-" && !isListing(name) && utf8.ValidString(name) &&
		!strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
}

// unused returns a name that no variable has yet, and takes it.
func (p *xmlWriter) unused(name string) string {
	for p.used[name] {
		name += "_"
	}
	p.used[name] = true
	return name
}

func (p *xmlWriter) variables() {
	all := append(slices.Clone(p.m.Visible), p.m.Hidden...)
	if len(all) == 0 {
		all = []pomdp.Variable{{Name: "state_0", Values: []string{"s0"}}}
	}
	for i, v := range all {
		name := v.Name
		if !isWord(name) {
			name = "state" + strconv.Itoa(i) + "_0"
		}
		prev := pomdp.Variable{Name: p.unused(name)}
		curr := pomdp.Variable{Name: p.unused(strings.TrimSuffix(name, "_0") + "_1")}
		p.text(`<StateVar vnamePrev="`, escape(prev.Name), `" vnameCurr="`, escape(curr.Name),
			`" fullyObs="`, strconv.FormatBool(i < len(p.m.Visible)), `">`)
		prev.Values = p.list(v.Values, "s")
		curr.Values = prev.Values
		p.text("</StateVar>\n")
		p.prev, p.curr = append(p.prev, prev), append(p.curr, curr)
	}
	p.text(`<ObsVar vname="`)
	p.seen = p.single("observation", p.m.Observations, "o")
	p.text("</ObsVar>\n", `<ActionVar vname="`)
	p.action = p.single("action", p.m.Actions, "a")
	p.reward = pomdp.Variable{Name: p.unused("reward")}
	p.text("</ActionVar>\n", `<RewardVar vname="`, p.reward.Name, "\"/>\n")
}

func (p *xmlWriter) single(name string, values []string, prefix string) pomdp.Variable {
	v := pomdp.Variable{Name: p.unused(name)}
	p.text(v.Name, `">`)
	v.Values = p.list(values, prefix)
	return v
}

// list writes the values of a variable and returns how to refer to them.
func (p *xmlWriter) list(names []string, prefix string) []string {
	if !distinct(names, isWord) {
		p.text("<NumValues>", strconv.Itoa(len(names)), "</NumValues>")
		return pomdp.NumberedNames(prefix, len(names))
	}
	written := make([]string, len(names))
	for i, n := range names {
		written[i] = escape(n)
	}
	p.text("<ValueEnum>", strings.Join(written, " "), "</ValueEnum>")
	return written
}

// start writes the initial belief, variable by variable, each given those before
// it unless all are independent.
func (p *xmlWriter) start() {
	belief := &pomdp.Matrix{Row: []int{0, len(p.m.Start)}}
	for _, e := range p.m.Start {
		belief.Col, belief.Value = append(belief.Col, e.At), append(belief.Value, e.Value)
	}
	p.distributions(p.prev, nil, nil, []*pomdp.Matrix{belief})
}

func (p *xmlWriter) move() { p.distributions(p.curr, &p.action, p.prev, p.m.Move) }

// distributions writes that of each column given an action, if there is one, and the rows.
func (p *xmlWriter) distributions(columns []pomdp.Variable, action *pomdp.Variable, rows []pomdp.Variable, list []*pomdp.Matrix) {
	own := make([]*conditional, len(columns))
	for k := range own {
		own[k] = p.marginals(k, list)
	}
	independent := p.independent(list, own)
	for k := range columns {
		if independent {
			p.function(columns[k], action, rows, own[k])
		} else {
			p.chain(k, columns, rows, list)
		}
	}
}

func (p *xmlWriter) sense() {
	c := newConditional(len(p.m.Actions))
	c.each(p.m.Sense, func(seen []int32, prob []float64) int32 {
		return c.id(appendEntries(make([]pomdp.Entry, 0, len(seen)), seen, prob))
	})
	p.function(p.seen, &p.action, p.curr, c)
}

func (p *xmlWriter) pay() {
	c := newConditional(len(p.m.Actions))
	for a, table := range p.m.Reward {
		c.ids[a] = make([]int32, len(table))
		for s, v := range table {
			c.ids[a][s] = c.id([]pomdp.Entry{{Value: v}})
		}
	}
	p.function(p.reward, &p.action, p.prev, c)
}

// independent reports whether in every row the variables of the columns are
// independent of each other; own are their marginals.
func (p *xmlWriter) independent(list []*pomdp.Matrix, own []*conditional) bool {
	if len(own) == 1 {
		return true
	}
	const near = 1e-13 // of the probability itself: a large reward can rest on a small one
	dist := make([][]pomdp.Entry, len(own))
	for a, m := range list {
		if slices.Contains(list[:a], m) {
			continue
		}
		for s := range m.Len() {
			col, prob := m.At(s)
			product := 1
			for k, c := range own {
				dist[k] = c.dist[c.ids[a][s]]
				product *= len(dist[k])
			}
			if product != len(col) {
				return false
			}
			for i, c := range col {
				q := 1.0
				for k := range own {
					v := digit(p.prev, k, int(c))
					at := slices.IndexFunc(dist[k], func(e pomdp.Entry) bool { return e.At == v })
					q *= dist[k][at].Value
				}
				if math.Abs(q-prob[i]) > near*prob[i] {
					return false
				}
			}
		}
	}
	return true
}

// marginals returns the distribution of variable k in every row.
func (p *xmlWriter) marginals(k int, list []*pomdp.Matrix) *conditional {
	c := newConditional(len(list))
	sum := make([]float64, len(p.prev[k].Values))
	var row []pomdp.Entry
	c.each(list, func(col []int32, prob []float64) int32 {
		row = row[:0]
		for i, s := range col {
			v := digit(p.prev, k, int(s))
			if sum[v] == 0 {
				row = append(row, pomdp.Entry{At: v})
			}
			sum[v] += prob[i]
		}
		slices.SortFunc(row, func(a, b pomdp.Entry) int { return int(a.At - b.At) })
		for i := range row {
			v := sum[row[i].At]
			sum[row[i].At] = 0
			if len(p.prev) > 1 { // so that sums that differ by rounding are one
				const digits = 15
				v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
			}
			row[i].Value = v
		}
		return c.id(row)
	})
	return c
}

// conditional numbers the distributions of a variable by action and row.
type conditional struct {
	ids    [][]int32 // by action, shared where the tables are
	dist   [][]pomdp.Entry
	number map[string]int32
	last   int32 // the number given last
	key    []byte
}

func newConditional(actions int) *conditional {
	return &conditional{ids: make([][]int32, actions), number: map[string]int32{}}
}

// id returns the number of a distribution.
func (c *conditional) id(row []pomdp.Entry) int32 {
	if len(c.dist) > 0 && slices.Equal(row, c.dist[c.last]) {
		return c.last
	}
	c.key = c.key[:0]
	for _, e := range row {
		c.key = binary.LittleEndian.AppendUint32(c.key, uint32(e.At))
		c.key = binary.LittleEndian.AppendUint64(c.key, math.Float64bits(e.Value))
	}
	id, ok := c.number[string(c.key)]
	if !ok {
		id = int32(len(c.dist))
		c.dist = append(c.dist, slices.Clone(row))
		c.number[string(c.key)] = id
	}
	c.last = id
	return id
}

// each numbers the rows of matrices.
func (c *conditional) each(list []*pomdp.Matrix, id func(col []int32, prob []float64) int32) {
	done := map[*pomdp.Matrix][]int32{}
	for a, m := range list {
		if done[m] == nil {
			done[m] = make([]int32, m.Len())
			for s := range m.Len() {
				col, prob := m.At(s)
				done[m][s] = id(col, prob)
			}
		}
		c.ids[a] = done[m]
	}
}

// open writes the beginning of a function.
func (p *xmlWriter) open(v pomdp.Variable, parents []string) string {
	element := "CondProb"
	if v.Values == nil {
		element = "Func"
	}
	p.text("<", element, "><Var>", escape(v.Name), "</Var><Parent>", cmp.Or(escape(strings.Join(parents, " ")), "null"), "</Parent><Parameter type=\"TBL\">\n")
	return "</Parameter></" + element + ">\n"
}

// function writes a function of an action, if there is one, and of those
// variables of the rows on which the distributions depend, with '*' where they
// do not given the values of the variables before.
func (p *xmlWriter) function(v pomdp.Variable, action *pomdp.Variable, rows []pomdp.Variable, c *conditional) {
	size, stride := make([]int, len(rows)), make([]int, len(rows))
	for k := range rows {
		size[k], stride[k] = len(rows[k].Values), pomdp.Size(rows[k+1:])
	}
	var parents []string
	if action != nil {
		parents = append(parents, action.Name)
	}
	var kept []int
	for k := range rows {
		if depends(c.ids, size[k], stride[k]) {
			kept = append(kept, k)
			parents = append(parents, rows[k].Name)
		}
	}
	closing := p.open(v, parents)
	tables := c.ids
	if alike(tables) {
		tables = tables[:1]
	}
	var walk func(ids []int32, next int, given string)
	walk = func(ids []int32, next int, given string) {
		if next == len(kept) {
			p.entry(v, given, c.dist[ids[0]])
			return
		}
		// The rows of ids have the same values of all variables before this one.
		k := kept[next]
		ids = ids[:size[k]*stride[k]]
		if !depends([][]int32{ids}, size[k], stride[k]) {
			walk(ids[:stride[k]], next+1, given+"* ")
			return
		}
		for i, value := range rows[k].Values {
			walk(ids[i*stride[k]:][:stride[k]], next+1, given+value+" ")
		}
	}
	for a, ids := range tables {
		prefix := ""
		switch {
		case action == nil:
		case len(tables) < len(c.ids):
			prefix = "* "
		default:
			prefix = action.Values[a] + " "
		}
		walk(ids, 0, prefix)
	}
	p.text(closing)
}

// alike reports whether the rows are the same for all actions.
func alike(ids [][]int32) bool {
	for _, x := range ids[1:] {
		if &x[0] != &ids[0][0] && !slices.Equal(x, ids[0]) {
			return false
		}
	}
	return true
}

// depends reports whether rows differ along a variable.
func depends(ids [][]int32, size, stride int) bool {
	for a, x := range ids {
		if a > 0 && &x[0] == &ids[a-1][0] {
			continue
		}
		for s := range x {
			if s/stride%size > 0 && x[s] != x[s-stride] {
				return true
			}
		}
	}
	return false
}

// entry writes a distribution, or the number of a reward.
func (p *xmlWriter) entry(v pomdp.Variable, given string, row []pomdp.Entry) {
	if v.Values == nil {
		if row[0].Value != 0 {
			p.text("<Entry><Instance>", given, "</Instance><ValueTable>")
			p.number(row[0].Value)
			p.text("</ValueTable></Entry>\n")
		}
		return
	}
	const tags, zero = len("<Entry><Instance></Instance><ProbTable></ProbTable></Entry>\n"), len("0 ")
	if len(row)*(tags+len(given)) < tags+len(given)+zero*len(v.Values) { // shorter without the zeros
		for _, e := range row {
			p.text("<Entry><Instance>", given, v.Values[e.At], "</Instance><ProbTable>")
			p.number(e.Value)
			p.text("</ProbTable></Entry>\n")
		}
		return
	}
	p.text("<Entry><Instance>", given, "-</Instance><ProbTable>")
	p.dense(len(v.Values), row)
	p.text("</ProbTable></Entry>\n")
}

// chain writes variable k of the columns given all rows and the variables
// before it.
func (p *xmlWriter) chain(k int, columns, rows []pomdp.Variable, list []*pomdp.Matrix) {
	var parents []string
	if rows != nil {
		parents = append(parents, p.action.Name)
	}
	for _, v := range append(slices.Clone(rows), columns[:k]...) {
		parents = append(parents, v.Name)
	}
	closing := p.open(columns[k], parents)
	rest := pomdp.Size(columns[k:])
	var row []pomdp.Entry
	for a, m := range list {
		for s := range m.Len() {
			given := ""
			if rows != nil {
				given = p.action.Values[a] + " " + spaced(rows, s)
			}
			col, prob := m.At(s)
			for i := 0; i < len(col); {
				// The columns with the same values of the variables before k.
				group := int(col[i]) / rest
				sum := 0.0
				row = row[:0]
				for ; i < len(col) && int(col[i])/rest == group; i++ {
					v := digit(columns, k, int(col[i]))
					if len(row) == 0 || row[len(row)-1].At != v {
						row = append(row, pomdp.Entry{At: v})
					}
					row[len(row)-1].Value += prob[i]
					sum += prob[i]
				}
				for j := range row {
					row[j].Value /= sum
				}
				p.entry(columns[k], given+spaced(columns[:k], group), row)
			}
		}
	}
	p.text(closing)
}

// spaced returns the values of joint value i, each with a space after it.
func spaced(v []pomdp.Variable, i int) string {
	return strings.Join(append(pomdp.ValueNames(v, i), ""), " ")
}
