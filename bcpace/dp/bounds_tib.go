package dp

import (
	"context"
	"math"
	"slices"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/mdp"
)

// TIBBound is the tighter informed bound of Krale, Koops, Junges, Simão and Jansen (2025, "Tighter
// Value-Function Approximations for POMDPs"), for a BAMDP, whose observation is the next state:
//
//	T(s,b,a) = R(s,b,a) + γ Σ_s' max over a' of Σ_φ b(φ)·P(s'|s,φ,a)·T(s',τ_φ,a')
//
// with s' over the states that do not end the episode, and τ_φ(φ') = P(φ'|φ,s,a) the belief that is left of a
// known φ. Its agent learns φ two steps late, where that of FIBBound learns it one step late, so that T ≤ F.
// mdp.OneStep has the proof that it is an upper bound.
//
// T is convex in b. Table has its values where φ is known, and their mean over a belief is an upper bound too.
//
// Table − Error ≤ T ≤ Table where φ is known, and Error is +Inf where the sweeps were cut.
//
// F stands in its place where the latent is static, or any function of (s,φ,a), as T is F where φ is known then, and
// one backup of F elsewhere; and where T would take more than half a GB. Where its sweeps would take some seconds,
// T is what the first of them make of F.
type TIBBound struct {
	VectorTable
	steps   *mdp.OneStep // nil where T is F
	shift   float64
	scratch sync.Pool
}

// Upper returns T(s,b,a), or NaN where s is not a state of the model.
func (t *TIBBound) Upper(s []float64, b bcpace.Belief, action int) float64 {
	n := t.states.index(s)
	if n < 0 {
		return t.at(s, b, action)
	}
	return t.OfRow(n*t.actions+action, b)
}

// OfRow returns T at row number·actions + action, for the number of a state.
func (t *TIBBound) OfRow(row int, b bcpace.Belief) float64 {
	number, action := row/t.actions, row%t.actions
	top := b.Dot(t.Vector(number, action))
	if t.steps == nil {
		return top
	}
	w, ok := t.scratch.Get().(*mdp.Informed)
	if !ok {
		w = t.steps.Scratch()
	}
	defer t.scratch.Put(w)
	return min(top, t.steps.At(w, number*t.latents, nil, b, action)+t.shift)
}

// Curved returns t, and nil where F stands in the place of T, which is linear in the belief.
func (t *TIBBound) Curved() *TIBBound {
	if t.steps == nil {
		return nil
	}
	return t
}

const (
	tibSize = 3e7 // numbers of a bound, at most
	tibWork = 2e9 // multiplications
)

// SolveTIB computes the tighter informed bound of m. For tolerance and errors see SolveFIB.
func SolveTIB(ctx context.Context, m bcpace.Finite) (*TIBBound, error) {
	t, p, tol, err := boundsMDP(ctx, m, "SolveTIB", 0)
	if err != nil {
		return nil, err
	}
	q, err := p.latentValues(ctx, t.states, tol)
	if err != nil {
		return nil, err
	}
	f, err := p.fib(ctx, t.states, q, tol)
	if err != nil {
		return nil, err
	}
	return whole(p.tib(ctx, t, f, tol))
}

// tib returns the tighter informed bound of t from the fast one; where ctx ends, a looser one with the
// error of ctx.
func (p *latentMDP) tib(ctx context.Context, t *Transitions, f *FIBBound, tol float64) (*TIBBound, error) {
	b := &TIBBound{VectorTable: f.VectorTable}
	if p.static {
		return b, nil
	}
	p.phase(ctx, "tighter informed bound", -1)
	const number, tables = 16, 3 * 8 // bytes of one in lists, and of a row in tables
	room := t.limit - t.leastBytes() - t.listBytes() - t.valueBytes(boundTables) - tables*float64(len(p.Reward))
	if room <= 0 {
		return b, nil
	}
	u := t.oneStep(ctx, p.Reward, min(tibSize, int(room/number)))
	if u == nil || !u.Moves() {
		return b, ctx.Err()
	}
	upper := make([]float64, len(f.Table)) // by row
	for row := range upper {
		upper[row] = f.Table[p.tableIndex(row)]
	}
	apart := math.Inf(1) // from the limit
	if u.Solve(ctx, p.Workers, upper, tol, tibWork) {
		apart = tol
	}
	// The rounding of one backup: a term takes part in a product with a belief, and in the sums over
	// latents and over what may follow.
	delta := float64(2*p.latents+t.longest+8) * 0x1p-53 * (mdp.MaxAbs(p.Reward) + mdp.MaxAbs(upper))
	b.Table = make([]float64, len(upper))
	p.tabulate(&b.VectorTable, upper)
	p.makeBound(&b.VectorTable, 1, apart+delta/p.Rate, delta)
	for i, x := range f.Table {
		b.Table[i] = min(b.Table[i], x)
	}
	b.steps, b.shift = u, delta/p.Rate
	return b, ctx.Err()
}

// oneStep lists what is left of each known latent after a step, for rewards by the rows of latentMDP; nil where that
// is more than so many numbers, or ctx ends. What is seen is the entry: a class of states that t has one state for tells
// which of them follows.
func (t *Transitions) oneStep(ctx context.Context, reward []float64, size int) *mdp.OneStep {
	u := mdp.NewOneStep(t.Actions, t.Latents, t.Discount, slices.Clone(reward))
	known, certain := []int32{0}, []float64{1}
	for g := range t.States {
		for φ := range t.Latents {
			if ctx.Err() != nil || u.Size() > size {
				return nil
			}
			known[0] = int32(φ)
			for a := range t.Actions {
				r := g*t.Actions + a
				to, share, moves := t.Moves(r, φ)
				if !moves {
					to, share = known, certain
				}
				for e := t.row[r]; e < t.row[r+1]; e++ {
					if p := t.Prob(e)[φ]; p > 0 && !t.done[e] {
						u.Add(int32(e-t.row[r]), p, int(t.next[e]), to, share)
					}
				}
				u.End()
			}
		}
	}
	return u
}
