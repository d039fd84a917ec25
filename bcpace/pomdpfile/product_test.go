package pomdpfile

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"bayescpace/bcpace/pomdp"

	"pgregory.net/rapid"
)

// toy is a random factored model that keeps every function in full, by the
// meaning of the entries it was written with.
type toy struct {
	size     map[string]int // by the name of a variable
	state    []string       // before the step; after it with a quote
	visible  []bool
	actions  []string
	seen     []string
	function []toyFunction
	text     strings.Builder
}

type toyFunction struct {
	variable string // "" for a reward
	section  string
	parents  []string
	table    []float64 // over parents and the variable, the last fastest
}

// number is a number in tenths for text and table alike.
func tenths(t *rapid.T, n int) []float64 {
	left := 10
	row := make([]float64, n)
	for i := range n - 1 {
		k := rapid.IntRange(0, left).Draw(t, "tenths")
		row[i] = float64(k) / 10
		left -= k
	}
	row[n-1] = float64(left) / 10
	return row
}

func (y *toy) sizes(names []string) []int {
	list := make([]int, len(names))
	for i, n := range names {
		list[i] = y.size[n]
	}
	return list
}

// each calls f with every tuple of digits and its number, the last fastest.
func each(size []int, f func(digit []int, i int)) {
	n := 1
	for _, s := range size {
		n *= s
	}
	digit := make([]int, len(size))
	for i := range n {
		rest := i
		for k := len(size) - 1; k >= 0; k-- {
			digit[k] = rest % size[k]
			rest /= size[k]
		}
		f(digit, i)
	}
}

// add draws a function: entries whose patterns cover each other, every one with
// whole distributions of the variable.
func (y *toy) add(t *rapid.T, section, variable string, parents []string) {
	slots := parents
	width := 1
	if variable != "" {
		slots = append(append([]string{}, parents...), variable)
		width = y.size[variable]
	}
	size := y.sizes(slots)
	parentSize := size[:len(parents)]
	n := 1
	for _, s := range size {
		n *= s
	}
	f := toyFunction{variable: variable, section: section, parents: parents, table: make([]float64, n)}
	element, table := "CondProb", "ProbTable"
	name := variable
	if variable == "" {
		element, table, name = "Func", "ValueTable", "r"
	}
	fmt.Fprintf(&y.text, "<%s><Var>%s</Var><Parent>%s</Parent><Parameter type=\"TBL\">\n", element, name, strings.Join(append(parents, "null")[:max(1, len(parents))], " "))
	for e := range rapid.IntRange(1, 5).Draw(t, "entries") {
		pattern := make([]int, len(parents)) // ≥ 0 a value, −1 '*', −2 '-'
		for i, p := range parents {
			pattern[i] = rapid.IntRange(-2, y.size[p]-1).Draw(t, "slot")
			if e == 0 && pattern[i] >= 0 {
				pattern[i] = -1 // the first covers everything
			}
		}
		y.text.WriteString("<Entry><Instance>")
		var dashed []int
		for i, p := range parents {
			switch pattern[i] {
			case -1:
				y.text.WriteString("* ")
			case -2:
				y.text.WriteString("- ")
				dashed = append(dashed, y.size[p])
			default:
				fmt.Fprintf(&y.text, "%s%d ", p[:1], pattern[i])
			}
		}
		uniform := variable != "" && rapid.IntRange(0, 4).Draw(t, "uniform") == 0
		if variable != "" {
			y.text.WriteString("-")
		}
		fmt.Fprintf(&y.text, "</Instance><%s>", table)
		var rows [][]float64
		each(dashed, func([]int, int) {
			if variable == "" {
				rows = append(rows, []float64{float64(rapid.IntRange(-9, 9).Draw(t, "reward")) / 2})
				return
			}
			row := tenths(t, width)
			if uniform {
				for i := range row {
					row[i] = 1 / float64(width)
				}
			}
			rows = append(rows, row)
		})
		if uniform {
			y.text.WriteString("uniform")
		} else {
			for _, row := range rows {
				for _, v := range row {
					fmt.Fprintf(&y.text, "%v ", v)
				}
			}
		}
		fmt.Fprintf(&y.text, "</%s></Entry>\n", table)
		each(parentSize, func(digit []int, i int) {
			k := 0
			for j, d := range digit {
				switch {
				case pattern[j] == -2:
					k = k*parentSize[j] + d
				case pattern[j] >= 0 && pattern[j] != d:
					return
				}
			}
			copy(f.table[i*width:], rows[k])
		})
	}
	fmt.Fprintf(&y.text, "</Parameter></%s>\n", element)
	y.function = append(y.function, f)
}

// at is the value of a function where variables have the given values.
func (y *toy) at(f toyFunction, value map[string]int) float64 {
	i := 0
	for _, p := range f.parents {
		i = i*y.size[p] + value[p]
	}
	if f.variable != "" {
		i = i*y.size[f.variable] + value[f.variable]
	}
	return f.table[i]
}

// product is what the functions of a section multiply to, or add up to.
func (y *toy) product(section string, value map[string]int) float64 {
	p, sum := 1.0, 0.0
	for _, f := range y.function {
		if f.section == section {
			p *= y.at(f, value)
			sum += y.at(f, value)
		}
	}
	if section == "RewardFunction" {
		return sum
	}
	return p
}

func subset(t *rapid.T, of ...string) []string {
	list := rapid.Permutation(of).Draw(t, "parents")
	return append([]string{}, list[:rapid.IntRange(0, len(list)).Draw(t, "number of parents")]...)
}

func after1(names []string) []string {
	var list []string
	for _, n := range names {
		list = append(list, n+"'")
	}
	return list
}

func drawToy(t *rapid.T) *toy {
	y := &toy{size: map[string]int{}}
	y.text.WriteString("<pomdpx version=\"1.0\"><Discount>0.5</Discount><Variable>\n")
	for i := range rapid.IntRange(1, 3).Draw(t, "states") {
		name := fmt.Sprintf("s%d", i)
		y.size[name] = rapid.IntRange(1, 3).Draw(t, "size")
		y.size[name+"'"] = y.size[name]
		y.state = append(y.state, name)
		y.visible = append(y.visible, rapid.Bool().Draw(t, "visible"))
		fmt.Fprintf(&y.text, "<StateVar vnamePrev=\"%s\" vnameCurr=\"%s'\" fullyObs=\"%v\"><NumValues>%d</NumValues></StateVar>\n", name, name, y.visible[i], y.size[name])
	}
	for i := range rapid.IntRange(1, 2).Draw(t, "actions") {
		name := fmt.Sprintf("a%d", i)
		y.size[name] = rapid.IntRange(1, 3).Draw(t, "size")
		y.actions = append(y.actions, name)
		fmt.Fprintf(&y.text, "<ActionVar vname=\"%s\"><NumValues>%d</NumValues></ActionVar>\n", name, y.size[name])
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "observations") {
		name := fmt.Sprintf("o%d", i)
		y.size[name] = rapid.IntRange(1, 3).Draw(t, "size")
		y.seen = append(y.seen, name)
		fmt.Fprintf(&y.text, "<ObsVar vname=\"%s\"><NumValues>%d</NumValues></ObsVar>\n", name, y.size[name])
	}
	y.text.WriteString("<RewardVar vname=\"r\"/></Variable>\n")
	section := func(name string, body func()) {
		fmt.Fprintf(&y.text, "<%s>\n", name)
		body()
		fmt.Fprintf(&y.text, "</%s>\n", name)
	}
	// The order in which variables may depend on each other differs from that of
	// the file.
	order := rapid.Permutation(y.state).Draw(t, "order")
	section("InitialStateBelief", func() {
		for i, s := range order {
			y.add(t, "InitialStateBelief", s, subset(t, order[:i]...))
		}
	})
	section("StateTransitionFunction", func() {
		for i, s := range order {
			from := append(append(append([]string{}, y.actions...), y.state...), after1(order[:i])...)
			y.add(t, "StateTransitionFunction", s+"'", subset(t, from...))
		}
	})
	if len(y.seen) > 0 {
		section("ObsFunction", func() {
			for _, o := range y.seen {
				y.add(t, "ObsFunction", o, subset(t, append(append([]string{}, y.actions...), after1(y.state)...)...))
			}
		})
	}
	section("RewardFunction", func() {
		for range rapid.IntRange(1, 2).Draw(t, "rewards") {
			from := append(append(append(append([]string{}, y.actions...), y.state...), after1(y.state)...), y.seen...)
			y.add(t, "RewardFunction", "", subset(t, from...)[:])
		}
	})
	y.text.WriteString("</pomdpx>\n")
	return y
}

// flat multiplies the functions out in full.
func (y *toy) flat() *pomdp.Model {
	var names []string
	for _, visible := range []bool{true, false} {
		for i, s := range y.state {
			if y.visible[i] == visible {
				names = append(names, s)
			}
		}
	}
	m := &pomdp.Model{Discount: 0.5}
	value := map[string]int{}
	give := func(names []string, digit []int, quote string) {
		for i, n := range names {
			value[n+quote] = digit[i]
		}
	}
	row := func(x *pomdp.Matrix, fill func(add func(v float64))) {
		k := int32(0)
		fill(func(v float64) {
			if v != 0 {
				x.Col, x.Value = append(x.Col, k), append(x.Value, v)
			}
			k++
		})
		x.Row = append(x.Row, len(x.Col))
	}
	states, seen := y.sizes(names), y.sizes(y.seen)
	each(states, func(digit []int, s int) {
		give(names, digit, "")
		m.Start = append(m.Start, pomdp.Entry{At: int32(s), Value: y.product("InitialStateBelief", value)})
		if len(m.Observations) == 0 {
			each(seen, func([]int, int) { m.Observations = append(m.Observations, "") })
		}
	})
	m.Hidden = []pomdp.Variable{{Values: make([]string, len(m.Start))}}
	each(y.sizes(y.actions), func(digit []int, _ int) {
		give(y.actions, digit, "")
		m.Actions = append(m.Actions, "")
		move, sense := &pomdp.Matrix{Row: []int{0}}, &pomdp.Matrix{Row: []int{0}}
		var reward []float64
		each(states, func(digit []int, _ int) {
			give(names, digit, "'")
			row(sense, func(add func(float64)) {
				each(seen, func(digit []int, _ int) {
					give(y.seen, digit, "")
					add(y.product("ObsFunction", value))
				})
			})
			give(names, digit, "")
			mean := 0.0
			row(move, func(add func(float64)) {
				each(states, func(next []int, _ int) {
					give(names, next, "'")
					p := y.product("StateTransitionFunction", value)
					add(p)
					each(seen, func(digit []int, _ int) {
						give(y.seen, digit, "")
						mean += p * y.product("ObsFunction", value) * y.product("RewardFunction", value)
					})
				})
			})
			reward = append(reward, mean)
		})
		m.Move, m.Sense, m.Reward = append(m.Move, move), append(m.Sense, sense), append(m.Reward, reward)
	})
	return m
}

func TestProductAgainstFullTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y := drawToy(t)
		m, err := Read(t.Context(), strings.NewReader(y.text.String()), "toy")
		if err != nil {
			t.Fatalf("%v\n%s", err, y.text.String())
		}
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
		if err := compare(y.flat(), m, 1e-12); err != nil {
			t.Fatalf("%v\n%s", err, y.text.String())
		}
	})
}

// A table agrees with an array that takes the same assignments one by one.
func TestTableAgainstArray(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SliceOfN(rapid.IntRange(1, 4), 1, 4).Draw(t, "size")
		if rapid.Bool().Draw(t, "wide") {
			size[len(size)-1] = 100 // enough cells for an index
			size = size[max(0, len(size)-2):]
		}
		b := newBudget(context.Background(), nil, standard())
		table := newTable(size, b)
		n := 1
		for _, s := range size {
			n *= s
		}
		array := make([]float64, n)
		for range rapid.IntRange(0, 150).Draw(t, "assignments") {
			pattern := make([]int32, len(size))
			for i, s := range size {
				pattern[i] = int32(rapid.IntRange(-1, s-1).Draw(t, "slot"))
			}
			v := float64(rapid.IntRange(0, 3).Draw(t, "value"))
			table.set(pattern, v, 1)
			each(size, func(digit []int, i int) {
				for k, d := range digit {
					if pattern[k] != star && int(pattern[k]) != d {
						return
					}
				}
				array[i] = v
			})
		}
		table.sort()
		count := 0
		for _, v := range array {
			if v != 0 {
				count++
			}
		}
		if got := table.nonzero(table.root, 0, map[int32]int{}); got != count {
			t.Fatalf("%d values are not zero, want %d", got, count)
		}
		if v, ok := table.single(table.root, 0); ok && slices.ContainsFunc(array, func(x float64) bool { return x != v }) {
			t.Fatalf("%v throughout %v", v, array)
		}
		each(size, func(digit []int, i int) {
			ref := table.root
			for _, d := range digit[:len(digit)-1] {
				ref = table.child(ref, int32(d))
			}
			if v := table.value(ref, int32(digit[len(digit)-1])); v != array[i] {
				t.Fatalf("%v: %v, want %v", digit, v, array[i])
			}
			if digit[len(digit)-1] == 0 {
				row := make([]float64, size[len(size)-1])
				for _, e := range table.entries(nil, ref) {
					row[e.At] = e.Value
				}
				if err := differ("row", row, array[i:i+len(row)], 0); err != nil {
					t.Fatal(err)
				}
			}
		})
	})
}

// Cells that come in disorder, in numbers that need an index, and copies of a
// node that has one.
func TestTableInDisorder(t *testing.T) {
	const wide = 500
	size := []int{3, wide}
	table := newTable(size, newBudget(t.Context(), nil, standard()))
	array := make([]float64, 3*wide)
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 3 {
		for i, k := range r.Perm(wide)[:wide-100*round] {
			at := []int32{star, int32(k)}
			if round > 0 {
				at[0] = int32(r.IntN(3))
			}
			v := float64(i % 7)
			table.set(at, v, 1)
			for a := range 3 {
				if at[0] == star || int(at[0]) == a {
					array[a*wide+k] = v
				}
			}
		}
	}
	if len(table.order) < 3 {
		t.Errorf("%d nodes have an index", len(table.order))
	}
	held := table.count * int(unsafe.Sizeof(node{}))
	for ref := range table.order {
		held += 4*wide + len(table.node(ref).cell)*int(unsafe.Sizeof(cell{}))
	}
	if spent := table.budget.bytes; spent < held {
		t.Errorf("%d bytes spent where %d are held", spent, held)
	}
	table.sort()
	for a := range 3 {
		row := make([]float64, wide)
		for _, e := range table.entries(nil, table.child(table.root, int32(a))) {
			row[e.At] = e.Value
		}
		if err := differ("row", row, array[a*wide:][:wide], 0); err != nil {
			t.Error(err)
		}
	}
}
