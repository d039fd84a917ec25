package pomdp

import (
	"slices"
	"strconv"
)

// Reveal returns a model of the same value in which all that observations always
// tell of the state is visible. In files of the .pomdp format, which know no
// visible variables, that is what the agent in fact sees. The error is that of
// Validate.
//
// Two states become values of y at the same x where some observation can follow
// on arrival in either, or both can be the start; where no chain of such pairs
// joins two states, no belief ever holds both. States that the start cannot lead
// to are left out. Observations that tell x and no more are joined.
func Reveal(m *Model) (*Model, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	r := revealer{from: m, reached: m.reachable(), parent: make([]int32, m.NumStates())}
	r.join()
	r.number()
	return r.model(), nil
}

// revealer holds the classes of states that an agent may confuse.
type revealer struct {
	from    *Model
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
func (r *revealer) join() {
	m, hidden := r.from, int32(r.from.NumHidden())
	for s := range r.parent {
		r.parent[s] = int32(s)
	}
	for i := range m.Start[1:] {
		if s, t := m.Start[i].At, m.Start[i+1].At; s/hidden == t/hidden {
			r.unite(s, t)
		}
	}
	for a := range m.Actions {
		first := make(map[[2]int32]int32) // by x and observation: a state, plus 1
		r.arrivals(a, func(s, x, o int32) {
			if t := first[[2]int32{x, o}]; t > 0 {
				r.unite(s, t-1)
			} else {
				first[[2]int32{x, o}] = s + 1
			}
		})
	}
}

// arrivals calls f with every state that action a can lead to, its x and every
// observation that it may show.
func (r *revealer) arrivals(a int, f func(s, x, o int32)) {
	m := r.from
	arrived := make([]bool, len(r.reached))
	for s, ok := range r.reached {
		if ok {
			col, _ := m.Move[a].At(s)
			for _, to := range col {
				arrived[to] = true
			}
		}
	}
	for s, ok := range arrived {
		if ok {
			obs, _ := m.Sense[a].At(s)
			for _, o := range obs {
				f(int32(s), int32(s/m.NumHidden()), o)
			}
		}
	}
}

// number numbers the classes by their first states, and the states and
// observations within them.
func (r *revealer) number() {
	m := r.from
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
	for a := range m.Actions {
		r.arrivals(a, func(s, _, o int32) { r.seen[r.x[s]] = append(r.seen[r.x[s]], o) })
		for x := range r.seen {
			slices.Sort(r.seen[x])
			r.seen[x] = slices.Compact(r.seen[x])
		}
	}
}

// model writes the tables. A pair (x, y) that stands for no state leads to itself.
func (r *revealer) model() *Model {
	m := r.from
	hidden, observations := 1, 1
	for x := range r.members {
		hidden, observations = max(hidden, len(r.members[x])), max(observations, len(r.seen[x]))
	}
	p := &Model{Name: m.Name, Discount: m.Discount, Horizon: m.Horizon, Actions: m.Actions, Observations: m.Observations}
	if observations < len(m.Observations) {
		p.Observations = numbered("o", observations)
	}
	visible := Variable{Name: "seen"}
	for _, list := range r.members {
		visible.Values = append(visible.Values, m.StateName(int(list[0])))
	}
	p.Visible, p.Hidden = []Variable{visible}, []Variable{{Name: "hidden", Values: numbered("h", hidden)}}
	at := func(s int32) int32 { return r.x[s]*int32(hidden) + r.y[s] }
	for _, e := range m.Start {
		p.Start = append(p.Start, Entry{At: at(e.At), Value: e.Value})
	}
	slices.SortFunc(p.Start, func(a, b Entry) int { return int(a.At - b.At) })
	for a := range m.Actions {
		move, sense, reward := &Matrix{Row: []int{0}}, &Matrix{Row: []int{0}}, make([]float64, 0, p.NumStates())
		for x, list := range r.members {
			for y := range hidden {
				if y >= len(list) {
					move.add(Entry{At: int32(x*hidden + y), Value: 1})
					sense.add(Entry{At: 0, Value: 1})
					reward = append(reward, 0)
					continue
				}
				s := int(list[y])
				move.add(r.row(m.Move[a], s, at)...)
				sense.add(r.observed(m.Sense[a], s, len(p.Observations) < len(m.Observations))...)
				reward = append(reward, m.Reward[a][s])
			}
		}
		p.Move, p.Sense, p.Reward = append(p.Move, move), append(p.Sense, sense), append(p.Reward, reward)
	}
	return p
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

func numbered(letter string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = letter + strconv.Itoa(i)
	}
	return names
}
