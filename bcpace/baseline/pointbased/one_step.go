package pointbased

import (
	"context"
	"iter"

	"bayescpace/bcpace/internal/mdp"
)

// oneStepSize is how many numbers a tighter informed bound may hold.
const oneStepSize = 4e7

// Tighten yields the steps of tighter first bounds, which lower Upper: those of the tighter informed bound, and Ahead
// from the first of them that is Better; or those of the fast informed bound where y tells all after a step or
// the other does not fit. It can be left after each step, or by ctx.
func (t *VectorSet) Tighten(ctx context.Context, workers int) iter.Seq[mdp.BoundStep] {
	return func(yield func(mdp.BoundStep) bool) {
		if !t.spreads() {
			return
		}
		u, left := t.layOneStep(ctx, yield)
		switch {
		case left:
			return
		case u == nil || !u.Moves():
			if !t.fast {
				t.SearchProblem.inform(ctx, t.Upper)(yield)
			}
			return
		}
		upper := make([]float64, t.NX*t.NY*t.NA)
		for a := range t.Upper {
			for s, q := range t.Upper[a] {
				upper[s*t.NA+a] = q
			}
		}
		if t.Goal != nil {
			_, slip := t.Tolerances(u.Terms())
			t.Slip = max(t.Slip, slip)
			u.Slip = t.Slip
		}
		for step := range u.Steps(ctx, workers, upper, 1e-6*mdp.MaxAbs(upper)) {
			if step.Better {
				t.Ahead = u
				for a := range t.Upper {
					for s := range t.Upper[a] {
						t.Upper[a][s] = upper[s*t.NA+a]
					}
				}
			}
			if !yield(step) {
				return
			}
		}
	}
}

// informBy tightens Upper by the fast informed bound, up to so many multiplications.
func (t *VectorSet) informBy(ctx context.Context, limit float64) {
	if t.fast {
		return
	}
	for step := range t.SearchProblem.inform(ctx, t.Upper) {
		if limit -= step.Work; limit < 0 {
			return
		}
	}
	t.fast = ctx.Err() == nil
}

// spreads reports whether some state and action lead to several y of one x.
func (p *SearchProblem) spreads() bool {
	for a := range p.NA {
		for s := range p.NX * p.NY {
			col, _ := p.Move[a].At(s)
			for i := 1; i < len(col); i++ {
				if int(col[i])/p.NY == int(col[i-1])/p.NY {
					return true
				}
			}
		}
	}
	return false
}

// layWork is how many numbers are laid in one step.
const layWork = 1 << 20

// layOneStep lists what follows each state; nil where that is too much or ctx ends. left says that a
// yield has said to leave.
func (t *VectorSet) layOneStep(ctx context.Context, yield func(mdp.BoundStep) bool) (u *mdp.OneStep, left bool) {
	p := t.SearchProblem
	reward := make([]float64, p.NX*p.NY*p.NA)
	for a, list := range p.Reward {
		for s, r := range list {
			reward[s*p.NA+a] = r
		}
	}
	u = mdp.NewOneStep(p.NA, p.NY, p.Discount, reward)
	w := NewScratch(p)
	seen := make(map[[2]int32]int32) // numbers of pairs x', o
	all := make([]int32, p.NY)
	for y := range all {
		all[y] = int32(y)
	}
	watch, size := watch{ctx: ctx}, 0
	for s := range p.NX * p.NY {
		if watch.ended(p.NA) || u.Size() > oneStepSize {
			return nil, false
		}
		if u.Size() > size+layWork {
			if size = u.Size(); !yield(mdp.BoundStep{Work: layWork}) {
				return nil, true
			}
		}
		here := Belief{At: all[s%p.NY : s%p.NY+1], P: []float64{1}}
		for a := range p.NA {
			for _, b := range w.Branches(p, int32(s/p.NY), here, a) {
				pair := [2]int32{b.X, b.O}
				number, ok := seen[pair]
				if !ok {
					number = int32(len(seen))
					seen[pair] = number
				}
				at := b.At
				if at == nil {
					at = all
				}
				u.Add(number, b.P, int(b.X), at, b.Belief.P)
			}
			u.End()
		}
	}
	return u, false
}
