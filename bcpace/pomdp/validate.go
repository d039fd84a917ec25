package pomdp

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
)

// SumTolerance is how far the sum of a distribution may be from 1.
const SumTolerance = 1e-9

// Validate checks that the tables of m belong together and that every row of
// them is a distribution. The error is a *bcpace.InputError that names the table,
// the row and what would be right.
func (m *Model) Validate() error { return m.ValidateContext(context.Background()) }

// ValidateContext is Validate for large models: it returns the error of ctx where
// that ends first.
func (m *Model) ValidateContext(ctx context.Context) error {
	if m == nil {
		return bcpace.In("Validate").Bad("the POMDP", "nil", "a POMDP")
	}
	in := bcpace.In(m.where())
	if err := cmp.Or(
		in.Need(m.Discount >= 0 && m.Discount <= 1, "Discount", m.Discount, "a value in [0, 1]"),
		in.Need(!strings.ContainsFunc(m.Name, unicode.IsControl), "Name", strconv.Quote(m.Name), noControl),
		in.Need(m.Horizon >= 0 && m.Horizon <= num.MaxHorizon, "Horizon", m.Horizon, fmt.Sprintf("0 (no horizon) or a positive number of steps up to %d", num.MaxHorizon)),
		in.Need(len(m.Actions) != 0, "Actions", "none", "at least one action"),
		in.Need(len(m.Observations) != 0, "Observations", "none", "at least one observation (a model that shows nothing has a single one)"),
		m.validateNames(ctx)); err != nil {
		return err
	}
	n := 1
	for _, v := range append(append([]Variable(nil), m.Visible...), m.Hidden...) {
		if n > math.MaxInt32/len(v.Values) {
			return in.Bad("the number of states", fmt.Sprintf("above %d", math.MaxInt32), "one that an int32 can number")
		}
		n *= len(v.Values)
	}
	for _, table := range []struct {
		name string
		len  int
	}{{"Move", len(m.Move)}, {"Sense", len(m.Sense)}, {"Reward", len(m.Reward)}} {
		if table.len != len(m.Actions) {
			return in.Bad(table.name, fmt.Sprintf("%d long", table.len), fmt.Sprintf("%d, one for each action", len(m.Actions)))
		}
	}
	if err := cmp.Or(m.validateStart(n), m.validateOffers(n)); err != nil {
		return err
	}
	moves, senses := make(map[*Matrix]bool), make(map[*Matrix]bool)
	for a := range m.Actions {
		if err := m.validateMatrix(ctx, "Move", moves, m.Move[a], a, n, n); err != nil {
			return err
		}
		if err := m.validateMatrix(ctx, "Sense", senses, m.Sense[a], a, n, len(m.Observations)); err != nil {
			return err
		}
		if len(m.Reward[a]) != n {
			return in.Bad(fmt.Sprintf("Reward of action %q", m.Actions[a]), fmt.Sprintf("%d long", len(m.Reward[a])), fmt.Sprintf("%d, one for each state", n))
		}
		if err := m.validateReward(a); err != nil {
			return err
		}
	}
	return nil
}

// validateReward checks the rewards of an action: each of them, earned at each step
// beside the opposite one, must keep within num.MaxValue.
func (m *Model) validateReward(a int) error {
	most := MaxReward(m.Discount)
	if m.Discount == 1 {
		most /= float64(max(m.Horizon, 1))
	}
	for s, r := range m.Reward[a] {
		if !(math.Abs(r) <= most) {
			return bcpace.In(m.where()).Bad(fmt.Sprintf("Reward of action %q in state %s", m.Actions[a], m.StateName(s)),
				r, fmt.Sprintf("a number of size %.3g at most, as the sums over an episode must not exceed %g", most, num.MaxValue))
		}
	}
	return nil
}

// MaxReward returns the largest size of a reward in a model with the given
// discount. Sums of such rewards over an episode differ by num.MaxValue at
// most; for γ = 1, so do single rewards.
func MaxReward(discount float64) float64 {
	most := num.MaxValue / 2
	if discount < 1 {
		most *= 1 - discount
	}
	return most
}

const noControl = "one without control characters, such as line ends"

// validateNames checks that no name stands twice among its like or holds a
// control character.
func (m *Model) validateNames(ctx context.Context) error {
	unique := func(what string, names []string) error {
		seen := make(map[string]bool, len(names))
		for i, name := range names {
			if ended(ctx, i) {
				return context.Cause(ctx)
			}
			if seen[name] {
				return bcpace.In(m.where()).Bad(what, strconv.Quote(name)+" twice", "a name of its own for each")
			}
			if strings.ContainsFunc(name, unicode.IsControl) {
				return bcpace.In(m.where()).Bad("a name among "+what, strconv.Quote(name), noControl)
			}
			seen[name] = true
		}
		return nil
	}
	if err := cmp.Or(unique("Actions", m.Actions), unique("Observations", m.Observations)); err != nil {
		return err
	}
	var variables []string
	for _, v := range append(append([]Variable(nil), m.Visible...), m.Hidden...) {
		variables = append(variables, v.Name)
		if err := cmp.Or(
			bcpace.In(m.where()).Need(len(v.Values) != 0, "variable "+strconv.Quote(v.Name), "without values", "at least one value"),
			unique("the values of variable "+strconv.Quote(v.Name), v.Values)); err != nil {
			return err
		}
	}
	return unique("Visible, Hidden", variables)
}

// ended reports whether ctx has ended; it looks now and then as i counts up.
func ended(ctx context.Context, i int) bool {
	const often = 1 << 12
	return i%often == 0 && ctx.Err() != nil
}

// validateStart checks the initial belief.
func (m *Model) validateStart(states int) error {
	in := bcpace.In(m.where())
	sum, last := 0.0, int32(-1)
	for i, e := range m.Start {
		if e.At <= last || int(e.At) >= states {
			return in.Bad(fmt.Sprintf("the state of Start[%d]", i), e.At, fmt.Sprintf("a number from %d to %d: states stand in ascending order", last+1, states-1))
		}
		if !(e.Value > 0 && e.Value <= 1+SumTolerance) {
			return in.Bad("Start at state "+m.StateName(int(e.At)), e.Value, "a probability in (0, 1]")
		}
		sum, last = sum+e.Value, e.At
	}
	return in.Need(math.Abs(sum-1) <= SumTolerance, "the sum of Start", sum, "1")
}

// validateMatrix checks the matrix of an action, unless it is in seen.
func (m *Model) validateMatrix(ctx context.Context, table string, seen map[*Matrix]bool, x *Matrix, action, rows, cols int) error {
	bad := func(what string, got any, want string) error {
		return bcpace.In(m.where()).Bad(fmt.Sprintf("%s of action %q%s", table, m.Actions[action], what), got, want)
	}
	switch {
	case x == nil:
		return bad("", "missing", "a matrix")
	case seen[x]:
		return nil
	case len(x.Row) != rows+1:
		return bad(": its rows", max(len(x.Row)-1, 0), fmt.Sprintf("%d, one for each state", rows))
	case len(x.Col) != len(x.Value) || x.Row[0] != 0 || x.Row[rows] != len(x.Col):
		return bad(": its lengths", fmt.Sprintf("%d columns, %d values, rows from %d to %d", len(x.Col), len(x.Value), x.Row[0], x.Row[rows]),
			"as many values as columns, and rows that cover all of them")
	}
	for s := range rows {
		if ended(ctx, s) {
			return context.Cause(ctx)
		}
		where := func() string { return " in the row of state " + m.StateName(s) } // names are for errors only: there are many rows
		if x.Row[s+1] < x.Row[s] || x.Row[s+1] > len(x.Col) {
			return bad(where(), fmt.Sprintf("from %d to %d", x.Row[s], x.Row[s+1]), "a range that does not fall")
		}
		col, value := x.At(s)
		sum, last := 0.0, int32(-1)
		for i, c := range col {
			if c <= last || int(c) >= cols {
				return bad(where()+": a column", c, fmt.Sprintf("a number from %d to %d: columns stand in ascending order", last+1, cols-1))
			}
			if !(value[i] > 0 && value[i] <= 1+SumTolerance) {
				return bad(fmt.Sprintf("%s, column %d", where(), c), value[i], "a probability in (0, 1]")
			}
			sum, last = sum+value[i], c
		}
		if !(math.Abs(sum-1) <= SumTolerance) {
			return bad(where()+": the sum", sum, "1")
		}
	}
	seen[x] = true
	return nil
}

func (m *Model) where() string { return "POMDP " + strconv.Quote(m.Name) }

// StateName returns the names of the values that make state s, in brackets where they are several. In a model from Reveal, they are those of
// the state that s stands for.
func (m *Model) StateName(s int) string {
	if m.name != nil {
		return m.name(s)
	}
	names := append(ValueNames(m.Visible, s/m.NumHidden()), ValueNames(m.Hidden, s%m.NumHidden())...)
	if len(names) == 1 {
		return names[0]
	}
	return "(" + strings.Join(names, ", ") + ")"
}

// ValueNames returns the names of the values, one for each variable, that
// number i in 0 … Size(v)−1 stands for.
func ValueNames(v []Variable, i int) []string {
	names := make([]string, len(v))
	for k := len(v) - 1; k >= 0; k-- {
		names[k] = v[k].Values[i%len(v[k].Values)]
		i /= len(v[k].Values)
	}
	return names
}

// validateOffers checks that Offers has an action for each of n states and each action, if it is there.
func (m *Model) validateOffers(n int) error {
	in := bcpace.In(m.where())
	if m.Offers == nil {
		return nil
	} else if len(m.Offers) != n {
		return in.Bad("Offers", fmt.Sprintf("%d long", len(m.Offers)), fmt.Sprintf("%d, one list for each state", n))
	}
	for s, list := range m.Offers {
		if len(list) != len(m.Actions) || slices.ContainsFunc(list, func(a int32) bool { return a < 0 || int(a) >= len(m.Actions) }) {
			return in.Bad("Offers of state "+m.StateName(s), list, fmt.Sprintf("%d numbers of actions, one for each action", len(m.Actions)))
		}
	}
	return nil
}
