package pomdp

import (
	"context"
	"fmt"
	"slices"

	"bayescpace/bcpace"
)

// Reveal returns a model of the same value in which all that observations always
// tell of the state is visible. In files of the .pomdp format, which know no
// visible variables, that is what the agent in fact sees. The error is that of
// ValidateContext, or a *bcpace.InputError where the tables would have more than
// 2²⁶ pairs of a state and an action: with hidden values for the largest class at
// every visible value, they can grow to the square of what m has.
//
// Two states become values of y at the same x where some observation can follow
// on arrival in either, or both can be the start; where no chain of such pairs
// joins two states, no belief ever holds both. States that the start cannot lead
// to are left out. Observations that tell x and no more are joined.
func Reveal(ctx context.Context, m *Model) (*Model, error) {
	r, err := Revealing(ctx, m)
	if err != nil {
		return nil, err
	}
	return r.Model, nil
}

// Revealed is what Reveal makes of a model, with the states that those of the model became.
type Revealed struct {
	Model   *Model
	hidden  int       // of the model that it was made of
	members [][]int32 // by x: states of the model it was made of
}

// Belief writes into b what is believed of the hidden part where (x, of) is the visible part and the belief of the first
// model, and returns the visible part. A belief over states that an agent cannot confuse, which nothing that is seen leads to, becomes
// the most probable part of it.
func (r *Revealed) Belief(b []float64, x int, of []float64) (seen int) {
	most := 0.0
	for i, list := range r.members {
		mass := 0.0
		for _, s := range list {
			if int(s)/r.hidden == x {
				mass += of[int(s)%r.hidden]
			}
		}
		if mass > most {
			seen, most = i, mass
		}
	}
	clear(b)
	for y, s := range r.members[seen] {
		if most > 0 && int(s)/r.hidden == x {
			b[y] = of[int(s)%r.hidden] / most
		}
	}
	if most == 0 { // no state of x is ever reached
		b[0] = 1
	}
	return seen
}

// before undoes Belief: it writes into b what is believed of the hidden part of the first model where (x, of) are those of Model, and
// returns the visible part.
func (r *Revealed) before(b []float64, x int, of []float64) (seen int) {
	clear(b)
	for y, s := range r.members[x] {
		seen, b[int(s)%r.hidden] = int(s)/r.hidden, of[y]
	}
	return seen
}

// Revealing is Reveal, with the states.
func Revealing(ctx context.Context, m *Model) (*Revealed, error) {
	if err := m.ValidateContext(ctx); err != nil {
		return nil, err
	}
	reached, err := m.reachable(ctx)
	if err != nil {
		return nil, err
	}
	r := revealer{ctx: ctx, from: m, reached: reached, parent: make([]int32, m.NumStates()),
		actions: m.distinct(func(a int) [2]*Matrix { return [2]*Matrix{m.Move[a], m.Sense[a]} })}
	for _, work := range []func() error{r.join, r.number} {
		if err := work(); err != nil {
			return nil, err
		}
	}
	p, err := r.model()
	return &Revealed{p, m.NumHidden(), r.members}, err
}

// revealer holds the classes of states that an agent may confuse.
type revealer struct {
	ctx     context.Context // of the call
	from    *Model
	actions []int // those with tables of their own
	reached []bool
	parent  []int32 // of a union-find forest over the states

	x, y    []int32   // by state: its new x and y
	members [][]int32 // by x: the states, in their order
	seen    [][]int32 // by x: the observations on arrival, in their order
}

func (r *revealer) root(s int32) int32 {
	for r.parent[s] != s {
		r.parent[s] = r.parent[r.parent[s]]
		s = r.parent[s]
	}
	return s
}

// unite keeps the smaller of two roots.
func (r *revealer) unite(s, t int32) {
	s, t = r.root(s), r.root(t)
	r.parent[max(s, t)] = min(s, t)
}

// join unites what an agent may confuse.
func (r *revealer) join() error {
	m, hidden := r.from, int32(r.from.NumHidden())
	for s := range r.parent {
		r.parent[s] = int32(s)
	}
	for i := range m.Start[1:] {
		if s, t := m.Start[i].At, m.Start[i+1].At; s/hidden == t/hidden {
			r.unite(s, t)
		}
	}
	for _, a := range r.actions {
		first := make(map[[2]int32]int32) // by x and observation: a state, plus 1
		err := r.arrivals(a, func(s, x, o int32) {
			if t := first[[2]int32{x, o}]; t > 0 {
				r.unite(s, t-1)
			} else {
				first[[2]int32{x, o}] = s + 1
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// arrivals calls f with every state that action a can lead to, its x and every
// observation that it may show. The error is the context's.
func (r *revealer) arrivals(a int, f func(s, x, o int32)) error {
	m := r.from
	arrived := make([]bool, len(r.reached))
	for s, ok := range r.reached {
		if ended(r.ctx, s) {
			return context.Cause(r.ctx)
		}
		if ok {
			col, _ := m.Move[a].At(s)
			for _, to := range col {
				arrived[to] = true
			}
		}
	}
	hidden := m.NumHidden()
	for s, ok := range arrived {
		if ended(r.ctx, s) {
			return context.Cause(r.ctx)
		}
		if ok {
			obs, _ := m.Sense[a].At(s)
			for _, o := range obs {
				f(int32(s), int32(s/hidden), o)
			}
		}
	}
	return nil
}

// number numbers the classes by their first states, and the states and
// observations within them.
func (r *revealer) number() error {
	r.x, r.y = make([]int32, len(r.parent)), make([]int32, len(r.parent))
	class := make(map[int32]int32) // by root
	for s, ok := range r.reached {
		if !ok {
			continue
		}
		root := r.root(int32(s))
		x, known := class[root]
		if !known {
			x = int32(len(class))
			class[root] = x
			r.members = append(r.members, nil)
		}
		r.x[s], r.y[s] = x, int32(len(r.members[x]))
		r.members[x] = append(r.members[x], int32(s))
	}
	r.seen = make([][]int32, len(r.members))
	for _, a := range r.actions {
		if err := r.arrivals(a, func(s, _, o int32) { r.seen[r.x[s]] = append(r.seen[r.x[s]], o) }); err != nil {
			return err
		}
		for x := range r.seen {
			slices.Sort(r.seen[x])
			r.seen[x] = slices.Compact(r.seen[x])
		}
	}
	return nil
}

// model writes the tables. A pair (x, y) that stands for no state leads to itself.
func (r *revealer) model() (*Model, error) {
	m := r.from
	hidden, observations := 1, 1
	for x := range r.members {
		hidden, observations = max(hidden, len(r.members[x])), max(observations, len(r.seen[x]))
	}
	if n := float64(len(r.members)) * float64(hidden) * float64(len(m.Actions)); n > maxEntries {
		return nil, bcpace.In(m.where()).Bad("the number of pairs of a state and an action, once what is seen is visible,", fmt.Sprintf("%.0f", n), fmt.Sprintf("at most %d", maxEntries))
	}
	p := &Model{Name: m.Name, Discount: m.Discount, Horizon: m.Horizon, MustEnd: m.MustEnd, Actions: m.Actions, Observations: m.Observations}
	if observations < len(m.Observations) {
		p.Observations = NumberedNames("o", observations)
	}
	visible := Variable{Name: "seen"}
	for _, list := range r.members {
		visible.Values = append(visible.Values, m.StateName(int(list[0])))
	}
	p.Visible, p.Hidden = []Variable{visible}, []Variable{{Name: "hidden", Values: NumberedNames("h", hidden)}}
	members := r.members
	p.name = func(s int) string {
		list, y := members[s/hidden], s%hidden
		if y >= len(list) {
			return "none"
		}
		return m.StateName(int(list[y]))
	}
	at := func(s int32) int32 { return r.x[s]*int32(hidden) + r.y[s] }
	for _, e := range m.Start {
		p.Start = append(p.Start, Entry{At: at(e.At), Value: e.Value})
	}
	slices.SortFunc(p.Start, func(a, b Entry) int { return int(a.At - b.At) })
	renumber := observations < len(m.Observations)
	moves, senses := make(map[*Matrix]*Matrix), make(map[*Matrix]*Matrix) // tables shared by actions stay so
	for a, from := range m.Move {
		if moves[from] == nil {
			moves[from] = r.table(hidden, func(s int) []Entry { return r.row(from, s, at) }, func(s int) int { return s })
		}
		sense := m.Sense[a]
		if senses[sense] == nil {
			senses[sense] = r.table(hidden, func(s int) []Entry { return r.observed(sense, s, renumber) }, func(int) int { return 0 })
		}
		if r.ctx.Err() != nil {
			return nil, context.Cause(r.ctx)
		}
		reward := make([]float64, p.NumStates())
		for s, is := range r.reached {
			if is {
				reward[at(int32(s))] = m.Reward[a][s]
			}
		}
		p.Move, p.Sense, p.Reward = append(p.Move, moves[from]), append(p.Sense, senses[sense]), append(p.Reward, reward)
	}
	return p, nil
}

// table makes a matrix with the given row for every state, and a certain column
// for every pair (x, y) that stands for none. It is left unfinished where the
// context ends.
func (r *revealer) table(hidden int, row func(s int) []Entry, certain func(pair int) int) *Matrix {
	t := &Matrix{Row: []int{0}}
	for x, list := range r.members {
		for y := range hidden {
			pair := x*hidden + y
			if ended(r.ctx, pair) {
				return nil
			}
			if y < len(list) {
				t.add(row(int(list[y]))...)
			} else {
				t.add(Entry{At: int32(certain(pair)), Value: 1})
			}
		}
	}
	return t
}

// row returns row s of m with its columns renumbered.
func (r *revealer) row(m *Matrix, s int, at func(int32) int32) []Entry {
	col, value := m.At(s)
	list := make([]Entry, len(col))
	for i, c := range col {
		list[i] = Entry{At: at(c), Value: value[i]}
	}
	slices.SortFunc(list, func(a, b Entry) int { return int(a.At - b.At) })
	return list
}

// observed returns the observations in state s, by their places among those of
// its x where they are renumbered. Where the action never arrives in s, it does
// not matter what is seen.
func (r *revealer) observed(m *Matrix, s int, renumber bool) []Entry {
	if !renumber {
		return r.row(m, s, func(o int32) int32 { return o })
	}
	col, _ := m.At(s)
	for _, o := range col {
		if _, ok := slices.BinarySearch(r.seen[r.x[s]], o); !ok {
			return []Entry{{At: 0, Value: 1}}
		}
	}
	return r.row(m, s, func(o int32) int32 {
		i, _ := slices.BinarySearch(r.seen[r.x[s]], o)
		return int32(i)
	})
}

// add appends a row.
func (m *Matrix) add(row ...Entry) {
	for _, e := range row {
		m.Col, m.Value = append(m.Col, e.At), append(m.Value, e.Value)
	}
	m.Row = append(m.Row, len(m.Col))
}
