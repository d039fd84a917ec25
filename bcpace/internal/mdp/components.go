package mdp

import (
	"context"
	"slices"
)

// EndComponents returns the maximal end components (de Alfaro 1997, "Formal Verification of
// Probabilistic Systems") of the rows that use says: sets of states with some rows of each, such that
// these rows lead to no state outside of the set, and by some of them to every state of it. Whoever
// keeps to these rows can stay there without end. of is the number of the component by state, −1 for
// none, and stays says by row whether it belongs to one. A row without successors leads to the end of
// the process; so that other rows do not hide that they may, ends must be states. Where ctx ends before, what is returned means nothing.
func (p *MDP) EndComponents(ctx context.Context, use func(row int) bool) (of []int32, stays []bool) {
	stays = make([]bool, len(p.Reward))
	for row := range stays {
		stays[row] = p.Row[row+1] > p.Row[row] && use(row)
	}
	t := components{MDP: p, rows: stays}
	for again := true; again && ctx.Err() == nil; {
		t.find()
		again = false
		for row, in := range stays {
			if in && !t.within(row) {
				stays[row], again = false, true
			}
		}
	}
	of = t.of
	for s := range of {
		if !slices.Contains(stays[s*p.Actions:(s+1)*p.Actions], true) {
			of[s] = -1
		}
	}
	return of, stays
}

// within reports whether a row leads to the component of its state alone.
func (t *components) within(row int) bool {
	here := t.of[row/t.Actions]
	return !slices.ContainsFunc(t.Col[t.Row[row]:t.Row[row+1]], func(to int32) bool { return t.of[to] != here })
}

// components finds the strongly connected components of the graph of some rows (Tarjan 1972,
// "Depth-First Search and Linear Graph Algorithms"), with a stack of its own in the place of
// recursion.
type components struct {
	*MDP
	rows []bool
	of   []int32 // by state, once it is known

	order []int32 // by state: when it was met, 0 for not yet
	low   []int32 // by state: the earliest state on the stack that is reached from it
	stack []int32
	calls []call
}

// call is a state whose successors are looked at.
type call struct {
	state int32
	row   int // under way
	entry int
}

func (t *components) find() {
	n := t.States()
	if t.of == nil {
		t.of, t.order, t.low = make([]int32, n), make([]int32, n), make([]int32, n)
	}
	clear(t.order)
	met, found := int32(0), int32(0)
	for s := range n {
		if t.order[s] > 0 {
			continue
		}
		t.meet(int32(s), &met)
		for len(t.calls) > 0 {
			c := &t.calls[len(t.calls)-1]
			if to, ok := t.next(c); ok {
				switch {
				case t.order[to] == 0:
					t.meet(to, &met)
				case t.of[to] < 0: // on the stack
					t.low[c.state] = min(t.low[c.state], t.order[to])
				}
				continue
			}
			s := c.state
			t.calls = t.calls[:len(t.calls)-1]
			if len(t.calls) > 0 {
				above := t.calls[len(t.calls)-1].state
				t.low[above] = min(t.low[above], t.low[s])
			}
			if t.low[s] < t.order[s] {
				continue
			}
			for top := int32(-1); top != s; {
				top = t.stack[len(t.stack)-1]
				t.stack = t.stack[:len(t.stack)-1]
				t.of[top] = found
			}
			found++
		}
	}
}

// meet begins to look at a state.
func (t *components) meet(s int32, met *int32) {
	*met++
	t.order[s], t.low[s], t.of[s] = *met, *met, -1
	t.stack = append(t.stack, s)
	row := int(s) * t.Actions
	t.calls = append(t.calls, call{s, row, t.Row[row]})
}

// next returns the next successor by a row that is in use.
func (t *components) next(c *call) (to int32, ok bool) {
	for last := (int(c.state) + 1) * t.Actions; c.row < last; {
		if t.rows[c.row] && c.entry < t.Row[c.row+1] {
			c.entry++
			return t.Col[c.entry-1], true
		}
		c.row++
		c.entry = t.Row[c.row]
	}
	return 0, false
}

// Without returns p with rows without successors, which pay nothing, for some states.
func (p *MDP) Without(states []bool) *MDP {
	q := *p
	q.Row, q.Col, q.Weight, q.Reward = make([]int, 1, len(p.Row)), make([]int32, 0, len(p.Col)), make([]float64, 0, len(p.Col)), make([]float64, len(p.Reward))
	for row, r := range p.Reward {
		if !states[row/p.Actions] {
			from, to := p.Row[row], p.Row[row+1]
			q.Col, q.Weight, q.Reward[row] = append(q.Col, p.Col[from:to]...), append(q.Weight, p.Weight[from:to]...), r
		}
		q.Row = append(q.Row, len(q.Col))
	}
	return &q
}

// Predecessors returns a process of one action in which a state leads to what leads to it in p.
func (p *MDP) Predecessors() *MDP {
	n := p.States()
	back := &MDP{Actions: 1, Row: make([]int, n+1), Col: make([]int32, len(p.Col)), Reward: make([]float64, n)}
	for _, to := range p.Col {
		back.Row[to+1]++
	}
	for s := range n {
		back.Row[s+1] += back.Row[s]
	}
	at := append([]int(nil), back.Row...)
	for row := range p.Reward {
		for _, to := range p.Col[p.Row[row]:p.Row[row+1]] {
			back.Col[at[to]] = int32(row / p.Actions)
			at[to]++
		}
	}
	return back
}

// MarkAll marks all that follows what is marked.
func (p *MDP) MarkAll(mark []bool) {
	var open []int32
	for s, on := range mark {
		if on {
			open = append(open, int32(s))
		}
	}
	for len(open) > 0 {
		s := int(open[len(open)-1])
		open = open[:len(open)-1]
		for _, to := range p.Col[p.Row[s*p.Actions]:p.Row[(s+1)*p.Actions]] {
			if !mark[to] {
				mark[to] = true
				open = append(open, to)
			}
		}
	}
}
