package fsc

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bayescpace/bcpace/internal/mdp"
)

// Values are those of the states of a Markov chain, a process of one action.
type Values struct {
	run   *mdp.MDP  // the chain, where states that end it have no rows
	rest  []bool    // by state of the chain: the values are 0 from there, as nothing is paid; nil with a discount
	never []bool    // by state of the chain: they are Never; nil where none is
	value []float64 // by state of the chain
}

// NewValues returns values that are to be found, 0 so far.
func NewValues(run *mdp.MDP) *Values {
	return &Values{run: run, value: make([]float64, run.States())}
}

// Value returns the values by state, a view.
func (v *Values) Value() []float64 { return v.value }

// Cut leaves out of a chain without a discount where nothing is paid any more: where rest says so or, where that is nil, nothing is. If it is endless,
// whoever may fail to come there pays without end, and the value is Never.
func (v *Values) Cut(rest []bool, endless bool) {
	back := v.run.Predecessors()
	if rest == nil {
		rest = make([]bool, v.run.States())
		for i, r := range v.run.Reward {
			rest[i] = r != 0
		}
		back.MarkAll(rest)
		for i, pays := range rest {
			rest[i] = !pays
		}
	}
	v.rest = rest
	out := rest
	if endless {
		ends := slices.Clone(rest)
		back.MarkAll(ends)
		v.never = make([]bool, len(ends))
		for i, end := range ends {
			v.never[i] = !end
		}
		back.MarkAll(v.never)
		out = make([]bool, len(ends))
		for i, rest := range rest {
			v.never[i] = v.never[i] && !rest
			out[i] = rest || v.never[i]
		}
	}
	for i, cut := range out {
		if cut {
			v.value[i] = 0
		}
	}
	v.run = v.run.Without(out)
}

// Bound lowers the values until none is above its backup, and reports whether it could, before ctx ended. Without a discount
// a backup charges for a step what charge says, given the size of values; it is false where that is less than their rounding.
func (v *Values) Bound(ctx context.Context, tol float64, charge func(size float64) (float64, bool)) bool {
	var k mdp.MarkovChain
	k.Fix(v.run, func(s int) int { return s })
	k.Within(boundSweeps)
	if v.run.Discount < 1 {
		low, _, err := k.Solve(ctx, v.value, tol)
		floats.AddConst(low, v.value)
		return err == nil
	}
	w, drop, ok := k.Totals(ctx, v.value, tol)
	if !ok {
		return false
	}
	step, ok := charge(mdp.MaxAbs(v.value))
	drop += 2 * step
	for i := range v.value {
		v.value[i] -= drop * w[i]
		switch {
		case v.rest[i]:
			v.value[i] = 0
		case v.never != nil && v.never[i]:
			v.value[i] = Never
		}
	}
	return ok
}
