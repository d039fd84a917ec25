package mdp

import (
	"context"
	"math"
	"slices"

	"bayescpace/bcpace/internal/num"
)

// Groups is a process without a discount whose states are groups of the states of an MDP that are
// worth the same. Its values are totals of rewards.
type Groups struct {
	*MDP
	Of    []int32   // by state of the MDP: its group
	Floor []float64 // by group: what it is worth to stay in it without end, −∞ where nobody can; nil where that is worth no more than to leave
	Most  []float64 // by row: what it is worth at most, whatever follows; nil where that is not known
	first []int     // by group: its rows are rows[first[g]:first[g+1]]
	rows  []int32
}

// Apart returns p with a group for each state.
func (p *MDP) Apart() *Groups {
	return p.Collapse(slices.Repeat([]int32{-1}, p.States()), make([]bool, len(p.Reward)))
}

// Collapse returns p with a group for each end component, and for each state that belongs to none.
// of and stays are those of EndComponents. The rows of a component that stay in it are left out.
func (p *MDP) Collapse(of []int32, stays []bool) *Groups {
	n := p.States()
	g := &Groups{MDP: p, Of: make([]int32, n)}
	number := make(map[int32]int32) // of the groups of components
	groups := int32(0)
	for s, c := range of {
		if c >= 0 {
			if at, ok := number[c]; ok {
				g.Of[s] = at
				continue
			}
			number[c] = groups
		}
		g.Of[s] = groups
		groups++
	}
	g.first = make([]int, groups+1)
	for row, stay := range stays {
		if !stay {
			g.first[g.Of[row/p.Actions]+1]++
		}
	}
	for i := range groups {
		g.first[i+1] += g.first[i]
	}
	g.rows = make([]int32, g.first[groups])
	at := append([]int(nil), g.first...)
	for row, stay := range stays {
		if !stay {
			group := g.Of[row/p.Actions]
			g.rows[at[group]] = int32(row)
			at[group]++
		}
	}
	return g
}

// Len returns the number of groups.
func (g *Groups) Len() int { return len(g.first) - 1 }

// Ahead returns r + Σ P·V of a row, with V by group.
func (g *Groups) Ahead(v []float64, row int) float64 {
	lo, hi := g.Row[row], g.Row[row+1]
	col, weight := g.Col[lo:hi], g.Weight[lo:hi]
	q := g.Reward[row]
	for i, c := range col {
		q += weight[i] * v[g.Of[c]]
	}
	return q
}

// backup returns the largest value of the rows of a group, and of staying in it: 0 where it has no rows.
func (g *Groups) backup(v []float64, group int) float64 {
	rows := g.rows[g.first[group]:g.first[group+1]]
	best := g.least(group)
	for _, row := range rows {
		best = max(best, g.Ahead(v, int(row)))
	}
	return best
}

// least returns what a group is worth at least: 0 where it has no rows.
func (g *Groups) least(group int) float64 {
	switch {
	case g.first[group] == g.first[group+1]:
		return 0
	case g.Floor == nil:
		return math.Inf(-1)
	}
	return g.Floor[group]
}

// best is backup with slip added to each value, but for the group itself, whose value is the one that is its own
// backup: a row that leads back to it with probability p is worth 1/(1−p) times what else it is worth. Groups outside
// of a part, from and to, have the values old.
func (g *Groups) best(v, old []float64, group, from, to int, slip float64) float64 {
	rows := g.rows[g.first[group]:g.first[group+1]]
	best := g.least(group)
	for _, row := range rows {
		lo, hi := g.Row[row], g.Row[row+1]
		col, weight := g.Col[lo:hi], g.Weight[lo:hi]
		q, stays := g.Reward[row]+slip, 0.0
		for i, c := range col {
			k := int(g.Of[c])
			switch {
			case k == group:
				stays += weight[i]
			case k >= from && k < to:
				q += weight[i] * v[k]
			default:
				q += weight[i] * old[k]
			}
		}
		if stays < certainly {
			q /= 1 - stays
		} else {
			q += stays * v[group]
		}
		if g.Most != nil {
			q = min(q, g.Most[row])
		}
		best = max(best, q)
	}
	return best
}

// certainly is the probability from which on a row is taken to lead back to its group for certain.
const certainly = 1 - 1e-9

// sweep replaces every V in turn by what do makes of it and of the best value of its group, and returns the
// largest change. It goes through the groups backwards on request. Those of a large process are swept in parts
// side by side, which see the values of other parts as they were.
func (g *Groups) sweep(v []float64, slip float64, backwards bool, do func(old, best float64) float64) float64 {
	if g.Len() < Large {
		return g.sweepPart(v, v, 0, g.Len(), slip, backwards, do)
	}
	old := append([]float64(nil), v...)
	var changes sums
	EachPart(g.Workers, g.Len(), func(i, from, to int) { changes[i] = g.sweepPart(v, old, from, to, slip, backwards, do) })
	return changes.largest()
}

func (g *Groups) sweepPart(v, old []float64, from, to int, slip float64, backwards bool, do func(old, best float64) float64) (change float64) {
	for k := range num.InTurn(to-from, backwards) {
		i := from + k
		x := do(v[i], g.best(v, old, i, from, to, slip))
		change = max(change, math.Abs(x-v[i]))
		v[i] = x
	}
	return change
}

// Fall lowers v, which is nowhere below the optimum, by sweeps, each backup of which is rounded up by
// slip. It ends with a sweep that changes nothing by more than tol, after so many sweeps, or with ctx.
// However it ends, v is nowhere below the optimum, as a backup keeps the order of values.
func (g *Groups) Fall(ctx context.Context, v []float64, slip, tol float64, sweeps int) {
	for k := range sweeps {
		if ctx.Err() != nil || g.sweep(v, slip, k%2 == 1, math.Min) <= tol {
			return
		}
	}
}

// FromAbove returns values, by group, that are nowhere below the optimum of a process in which every
// policy ends, and in which no row pays less than 0. They are above it by about tol where the sweeps are
// enough for that; ok is false where they do not even find a bound, or where ctx ends before.
//
// Value iteration from 0 goes up to the optimum V of the rewards, and to that W of a reward of 1 for
// each step. Where the latter has w ≥ 1/2 + Pw for every row, and the former has a backup that is at most
// v + e everywhere, v + 2ew is nowhere below its own backup, r + P(v + 2ew) ≤ v + e + 2e(w − 1/2), and so not
// below V, as every policy ends. (This is the upper bound of optimistic value iteration, Hartmanns and
// Kaminski 2020, with a w that makes it one for certain.)
func (g *Groups) FromAbove(ctx context.Context, slip func(size float64) float64, tol float64, sweeps int) (v []float64, ok bool) {
	v, w := make([]float64, g.Len()), make([]float64, g.Len())
	steps := *g.MDP
	steps.Reward = slices.Repeat([]float64{1}, len(g.Reward))
	count := &Groups{MDP: &steps, Of: g.Of, first: g.first, rows: g.rows}
	for k := 0; ; k++ {
		if k == sweeps || ctx.Err() != nil {
			return nil, false
		}
		if count.sweep(w, 0, k%2 == 1, math.Max) <= 1./4 && count.settled(w, 1./2) {
			break
		}
	}
	longest := MaxAbs(w)
	for k := range sweeps {
		if change := g.sweep(v, 0, k%2 == 1, math.Max); 2*change*longest <= tol || ctx.Err() != nil {
			break
		}
	}
	rounding := slip(MaxAbs(v))
	e := rounding
	for i := range v {
		e = max(e, g.backup(v, i)-v[i]+rounding)
	}
	for i := range v {
		v[i] += 2 * e * w[i]
	}
	return v, true
}

// settled reports whether no backup of v is above it by more than a number.
func (g *Groups) settled(v []float64, most float64) bool {
	for i := range v {
		if g.backup(v, i) > v[i]+most {
			return false
		}
	}
	return true
}
