package explicit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
)

// EndName is the observation of states where an episode of POMDP ends.
const EndName = "end"

// POMDP returns the POMDP of what a property asks of m: its states are those of m, and its values are probabilities or totals of
// rewards, with the sign changed where the least is asked for. An episode ends where the goal is reached or can be reached no more
// as asked, and the agent sees that it has ended.
//
// The actions are the labels of choices. An action that an observation does not have stands for the first one in Actions that it has (see
// pomdp.Model.Offers).
//
// As in PRISM, a total is that of policies which reach the goal with probability 1, whatever others are paid (see
// pomdp.Model.MustEnd).
//
// The error is that of ctx, or a *bcpace.InputError: for labels and rewards that m has not, for states of one observation with
// different choices, where the initial state decides already, where the goal need not be reached and a largest total is infinite, and
// for tables that take too much memory.
func (m *Model) POMDP(ctx context.Context, p Property) (*pomdp.Model, error) {
	t := tables{m: m, of: p}
	for _, work := range []func(context.Context) error{t.ask, t.classify, t.bounded} {
		if err := work(ctx); err != nil {
			return nil, err
		}
	}
	return t.model(ctx)
}

// tables makes a POMDP.
type tables struct {
	m       *Model
	of      Property
	pays    *Reward // nil where a probability is asked for
	goal    []bool
	ends    []bool    // by state: the goal, and where it can be reached no more as asked
	class   []int32   // by state: the place of its observation, among those of states that are no ends
	members [][]int32 // by class
	seen    []string  // by class: the observation
	actions []string
	order   []int32   // the choices of each state, in the order of their actions
	choice  [][]int32 // by class, by action: the place of its choice in that order, −1 where there is none
}

// bad is an error about the model and the property.
func (t *tables) bad(what string, got any, want string) error {
	return bcpace.In("model "+strconv.Quote(t.m.Name)).Bad(what, got, want)
}

// ask finds the states and rewards that the property names.
func (t *tables) ask(context.Context) (err error) {
	m := t.m
	if t.goal, err = m.label(t.of.Goal); err != nil {
		return err
	}
	t.ends = slices.Clone(t.goal)
	if t.of.Stay != "" {
		stay, err := m.label(t.of.Stay)
		if err != nil {
			return err
		}
		for s, is := range stay {
			t.ends[s] = t.ends[s] || is == t.of.Avoid
		}
	}
	if t.of.Rewards {
		if t.pays, err = m.reward(t.of.Reward); err != nil {
			return err
		}
	}
	if t.ends[m.Initial] {
		value := 0
		if t.goal[m.Initial] && !t.of.Rewards {
			value = 1
		}
		return t.bad("the initial state", fmt.Sprintf("%d, where the property is decided: the value is %d", m.Initial, value), "one from where the goal is still to be reached")
	}
	return nil
}

// classify lists the states that can be reached by what is seen there, and the actions that they have. Others count as ends.
func (t *tables) classify(ctx context.Context) error {
	m := t.m
	reached, list := make([]bool, m.States()), []int32{int32(m.Initial)}
	reached[m.Initial] = true
	for len(list) > 0 {
		s := list[len(list)-1]
		if list = list[:len(list)-1]; t.ends[s] {
			continue
		}
		for i := m.Branch[m.Choice[s]]; i < m.Branch[m.Choice[s+1]]; i++ {
			if to := m.Target[i]; !reached[to] {
				reached[to] = true
				list = append(list, to)
			}
		}
	}
	t.class = make([]int32, m.States())
	of := make(map[int32]int32) // by observation
	for s := range t.class {
		if t.ends[s] = t.ends[s] || !reached[s]; t.ends[s] {
			continue
		}
		o := int32(s)
		if m.Observation != nil {
			o = m.Observation[s]
		}
		k, ok := of[o]
		if !ok {
			k = int32(len(t.members))
			of[o] = k
			t.members = append(t.members, nil)
			t.seen = append(t.seen, strconv.Itoa(int(o)))
		}
		t.class[s] = k
		t.members[k] = append(t.members[k], int32(s))
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return t.match()
}

// match gives the choices of the states of each class one order.
func (t *tables) match() error {
	m := t.m
	t.order = make([]int32, len(m.Action))
	has := make([]bool, len(m.Actions))
	lists := make([][]int32, len(t.members)) // by class: its actions, places in m.Actions, in their order; nil of one alone
	for k, states := range t.members {
		for _, s := range states {
			from, to := m.Choice[s], m.Choice[s+1]
			own := make([]int32, to-from)
			for i := range own {
				own[i] = int32(from + i)
			}
			slices.SortFunc(own, func(a, b int32) int { return int(m.Action[a] - m.Action[b]) })
			copy(t.order[from:to], own)
			labels := make([]int32, len(own))
			for i, c := range own {
				labels[i] = m.Action[c]
			}
			first := states[0]
			switch n := m.Choice[first+1] - m.Choice[first]; {
			case s == first:
				lists[k] = labels
			case len(labels) != n || n > 1 && !slices.Equal(labels, lists[k]):
				return t.bad("what can be done in states that show observation "+t.seen[k], fmt.Sprintf("%s in state %d, and %s in state %d", t.named(lists[k]), first, t.named(labels), s), "the same ones: an agent sees no more than the observation before it acts")
			}
			for i := 1; i < len(labels); i++ {
				if labels[i] == labels[i-1] {
					return t.bad(fmt.Sprintf("action %q of state %d", m.Actions[labels[i]], s), "two choices", "a label of its own for each (choice labels, where the file is written)")
				}
			}
		}
		if len(lists[k]) > 1 {
			for _, a := range lists[k] {
				has[a] = true
			}
		}
	}
	for a, is := range has {
		if is {
			t.actions = append(t.actions, m.Actions[a])
		}
	}
	if t.actions == nil {
		t.actions = []string{"step"}
	}
	t.choice = make([][]int32, len(lists))
	for k, list := range lists {
		t.choice[k] = slices.Repeat([]int32{-1}, len(t.actions))
		for i, a := range list {
			if g := slices.Index(t.actions, m.Actions[a]); g >= 0 && len(list) > 1 {
				t.choice[k][g] = int32(i)
			}
		}
	}
	return nil
}

// named lists actions.
func (t *tables) named(list []int32) string {
	return quoted(list, func(a int32) string { return t.m.Actions[a] })
}

// leads reports whether choice c may lead to such a state.
func (t *tables) leads(c int32, to func(s int32) bool) bool {
	return slices.ContainsFunc(t.m.Target[t.m.Branch[c]:t.m.Branch[c+1]], to)
}

// bounded refuses a largest total that is infinite, as the goal can be avoided without end.
func (t *tables) bounded(ctx context.Context) error {
	if t.pays == nil || t.of.Minimize {
		return nil
	}
	stays := make([]bool, len(t.ends)) // states, but for those without a choice that leads to such states alone
	for s, end := range t.ends {
		stays[s] = !end
	}
	for again := true; again && ctx.Err() == nil; {
		again = false
		for s := range slices.Backward(stays) {
			if stays[s] && !slices.ContainsFunc(t.choices(int32(s)), func(c int32) bool { return !t.leads(c, func(to int32) bool { return !stays[to] }) }) {
				stays[s], again = false, true
			}
		}
	}
	if s := slices.Index(stays, true); s >= 0 && ctx.Err() == nil {
		return t.bad("the largest total", "infinite for an agent that sees the state", fmt.Sprintf("a goal that such an agent reaches whatever it does: from state %d it need not", s))
	}
	return ctx.Err()
}

// choices are those of a state, in the order of its class.
func (t *tables) choices(s int32) []int32 { return t.order[t.m.Choice[s]:t.m.Choice[s+1]] }

// model writes the tables.
func (t *tables) model(ctx context.Context) (*pomdp.Model, error) {
	m, n := t.m, t.m.States()
	if len(t.actions) > pomdpfile.MaxActions {
		return nil, t.bad("the number of actions", len(t.actions), fmt.Sprintf("at most %d labels of choices", pomdpfile.MaxActions))
	}
	const perState, perBranch = 8 + 8 + 4 + 4, 4 + 8 // bytes in the table of an action, and in rows and choice
	bytes := float64(len(t.actions)) * float64(n) * perState
	rows := make([][]int32, len(t.members)) // by class, by action: the choice that it stands for
	for k, states := range t.members {
		rows[k] = t.stands(k)
		for _, s := range states {
			for _, i := range rows[k] {
				c := t.choices(s)[i]
				bytes += perBranch * float64(m.Branch[c+1]-m.Branch[c])
			}
		}
	}
	if bytes > float64(memory()) {
		return nil, t.bad("memory of the tables", fmt.Sprintf("%.1f GB", bytes/1e9), within())
	}
	p := &pomdp.Model{Name: m.Name, Discount: 1, MustEnd: t.pays != nil, MeanRewards: t.pays == nil, Actions: t.actions, Notes: m.Notes,
		Start: []pomdp.Entry{{At: int32(m.Initial), Value: 1}}}
	sense := &pomdp.Matrix{Row: make([]int, 1, n+1)}
	if states := (pomdp.Variable{Name: "state", Values: pomdp.NumberedNames("", n)}); m.Observation == nil {
		p.Visible, p.Observations = []pomdp.Variable{states}, []string{"none"}
	} else {
		p.Hidden, p.Observations = []pomdp.Variable{states}, append(t.seen, EndName)
	}
	for s := range n {
		o := 0
		if t.ends[s] {
			o = len(p.Observations) - 1
		} else if m.Observation != nil {
			o = int(t.class[s])
		}
		sense.Col, sense.Value, sense.Row = append(sense.Col, int32(o)), append(sense.Value, 1), append(sense.Row, s+1)
	}
	for g := range t.actions {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		move, reward := t.table(rows, g)
		p.Move, p.Sense, p.Reward = append(p.Move, move), append(p.Sense, sense), append(p.Reward, reward)
	}
	p.Offers = t.offers()
	return p, p.ValidateContext(ctx)
}

// offers returns pomdp.Model.Offers.
func (t *tables) offers() [][]int32 {
	own := make([]int32, len(t.actions)) // where there is nothing to choose by name
	for g := range own {
		own[g] = int32(g)
	}
	byClass := make([][]int32, len(t.members))
	for k, states := range t.members {
		first := slices.IndexFunc(t.choice[k], func(i int32) bool { return i >= 0 })
		if first < 0 {
			first = slices.Index(t.actions, t.m.Actions[t.m.Action[t.choices(states[0])[0]]])
		}
		byClass[k] = slices.Clone(own)
		for g, i := range t.choice[k] {
			if i < 0 && first >= 0 {
				byClass[k][g] = int32(first)
			}
		}
	}
	list := make([][]int32, len(t.ends))
	for s, end := range t.ends {
		if list[s] = own; !end {
			list[s] = byClass[t.class[s]]
		}
	}
	return list
}

// stands returns, by action, the place of the choice that it stands for at a class.
func (t *tables) stands(k int) []int32 {
	row := slices.Clone(t.choice[k])
	first := slices.IndexFunc(row, func(i int32) bool { return i >= 0 })
	for g, i := range row {
		if i < 0 {
			row[g] = max(0, row[max(first, 0)])
		}
	}
	return row
}

// table returns the rows and the rewards of action g.
func (t *tables) table(rows [][]int32, g int) (move *pomdp.Matrix, reward []float64) {
	m, n := t.m, t.m.States()
	move, reward = &pomdp.Matrix{Row: make([]int, 1, n+1)}, make([]float64, n)
	sign := 1.0
	if t.of.Minimize {
		sign = -1
	}
	for s := range n {
		if t.ends[s] {
			move.Col, move.Value = append(move.Col, int32(s)), append(move.Value, 1)
			move.Row = append(move.Row, len(move.Col))
			continue
		}
		c := int(t.choices(int32(s))[rows[t.class[s]][g]])
		from, to := m.Branch[c], m.Branch[c+1]
		move.Col, move.Value = append(move.Col, m.Target[from:to]...), append(move.Value, m.Probability[from:to]...)
		move.Row = append(move.Row, len(move.Col))
		switch {
		case t.pays == nil:
			for i := from; i < to; i++ {
				if t.goal[m.Target[i]] {
					reward[s] += sign * m.Probability[i]
				}
			}
		default:
			reward[s] = sign * t.pays.of(s, c)
			if t.of.Minimize && !slices.ContainsFunc(t.choices(int32(s)), func(c int32) bool { return t.leads(c, func(to int32) bool { return int(to) != s }) }) {
				reward[s] = -1 - math.Abs(reward[s]) // the total is −∞ already, and this is no end
			}
		}
	}
	return move, reward
}
