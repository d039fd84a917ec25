package dp

import (
	"context"
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
	w, ok := t.scratch.Get().(*mdp.StepScratch)
	if !ok {
		w = t.steps.Scratch()
	}
	defer t.scratch.Put(w)
	return min(top, t.steps.At(w, number*t.latents, nil, b, action)+t.shift)
}

// Linear reports whether F stands in the place of T, which is linear in the belief.
func (t *TIBBound) Linear() bool { return t.steps == nil }

const (
	tibSize = 3e7 // numbers of a bound, at most
	tibWork = 2e9 // multiplications
)

// SolveTIB computes the tighter informed bound of m. For tolerance and errors see SolveFIB.
func SolveTIB(ctx context.Context, m bcpace.Finite) (*TIBBound, error) {
	p, states, tol, err := boundsMDP(ctx, m, "SolveTIB", 0)
	if err != nil {
		return nil, err
	}
	q, err := p.latentValues(ctx, states, tol)
	if err != nil {
		return nil, err
	}
	f, err := p.fib(ctx, states, q, tol)
	if err != nil {
		return nil, err
	}
	return whole(p.tib(ctx, f, tol))
}

// tib returns the tighter informed bound from the fast one; where ctx ends, a looser one with the error
// of ctx.
func (p *latentMDP) tib(ctx context.Context, f *FIBBound, tol float64) (*TIBBound, error) {
	t := &TIBBound{VectorTable: f.VectorTable}
	if p.static {
		return t, nil
	}
	p.phase(ctx, "tighter informed bound", -1)
	u := p.oneStep(ctx)
	if u == nil || !u.Moves() {
		return t, ctx.Err()
	}
	upper := make([]float64, len(f.Table)) // by row
	for row := range upper {
		upper[row] = f.Table[p.tableIndex(row)]
	}
	change := u.Solve(ctx, p.Workers, upper, tol*p.Rate, tibWork)
	delta := p.stepRounding(mdp.MaxAbs(upper))
	t.Table = make([]float64, len(upper))
	p.tabulate(&t.VectorTable, upper)
	p.swept(&t.VectorTable, 1, change, delta)
	t.steps, t.shift = u, delta/p.Rate
	return t, ctx.Err()
}

// oneStep lists what is left of each known latent after a step; nil where that is too much or ctx ends.
func (p *latentMDP) oneStep(ctx context.Context) *mdp.OneStep {
	u := mdp.NewOneStep(p.Actions, p.latents, 1, slices.Clone(p.Reward)) // weights hold γ
	var at []int32
	var prob []float64
	for row := range p.Reward {
		if row%rowsPerLook == 0 && ctx.Err() != nil || u.Size() > tibSize {
			return nil
		}
		for i, end := p.Row[row], p.Row[row+1]; i < end; { // those of one successor stand side by side
			next, share := int(p.Col[i])/p.latents, 0.0
			at, prob = at[:0], prob[:0]
			for ; i < end && int(p.Col[i])/p.latents == next; i++ {
				at, prob = append(at, p.Col[i]%int32(p.latents)), append(prob, p.Weight[i])
				share += p.Weight[i]
			}
			for k := range prob {
				prob[k] /= share
			}
			u.Add(int32(next), share, next, at, prob)
		}
		u.End()
	}
	return u
}

// stepRounding returns a bound δ of the rounding of one backup of the tighter informed bound, given a bound of
// its values: a term takes part in a product with a belief, in the normalisation of τ, and in the sums over
// latents and over what may follow.
func (p *latentMDP) stepRounding(size float64) float64 {
	longest := 0
	for r := range p.Reward {
		longest = max(longest, p.Row[r+1]-p.Row[r])
	}
	return float64(2*(longest+1)*p.latents+longest+8) * 0x1p-53 * (mdp.MaxAbs(p.Reward) + size)
}
