package pointbased

import (
	"context"

	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

const (
	oneStepSize = 4e7 // numbers of a bound, at most
	oneStepWork = 4e9 // multiplications
	oneStepTime = 0.2 // of the time before a deadline, at most
)

// OneStep returns the tighter informed bound of t, see mdp.OneStep, and lowers Upper by it; nil where
// Upper is no worse, as y tells all after a step, where it does not fit, or where ctx ends before it is laid.
func (t *Set) OneStep(ctx context.Context, workers int) *mdp.OneStep {
	if !t.spreads() {
		return nil
	}
	solverkit.ReportPhase(ctx, "tighter informed bound", -1)
	within, cancel := runs.LeaveTime(ctx, 1-oneStepTime)
	defer cancel()
	u := t.layOneStep(within)
	if u == nil || !u.Moves() {
		return nil
	}
	upper := make([]float64, t.NX*t.NY*t.NA)
	for a := range t.Upper {
		for s, q := range t.Upper[a] {
			upper[s*t.NA+a] = q
		}
	}
	spread, _ := t.Tolerances(0)
	u.Solve(within, workers, upper, 1e-7*spread, oneStepWork)
	for a := range t.Upper {
		for s := range t.Upper[a] {
			t.Upper[a][s] = upper[s*t.NA+a]
		}
	}
	return u
}

// spreads reports whether some state and action lead to several y of one x.
func (p *Problem) spreads() bool {
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

// layOneStep lists what follows each state; nil where that is too much or ctx ends.
func (p *Problem) layOneStep(ctx context.Context) *mdp.OneStep {
	reward := make([]float64, p.NX*p.NY*p.NA)
	for a, list := range p.Reward {
		for s, r := range list {
			reward[s*p.NA+a] = r
		}
	}
	u := mdp.NewOneStep(p.NA, p.NY, p.Discount, reward)
	w := NewScratch(p)
	seen := make(map[[2]int32]int32) // numbers of pairs x', o
	all := make([]int32, p.NY)
	for y := range all {
		all[y] = int32(y)
	}
	watch := watch{ctx: ctx}
	for s := range p.NX * p.NY {
		if watch.ended(p.NA) || u.Size() > oneStepSize {
			return nil
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
	return u
}
