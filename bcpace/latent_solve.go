package bcpace

import (
	"context"
	"fmt"
	"math"
)

// latentMDP is a set of latent MDPs on numbered points, ready for value
// iteration: sparse rows of weights γ·P in one flat array. Node n is the
// hyper-state (point n/latents, latent n%latents), row n·actions+a holds where
// action a leads from it. Successors that end the episode are not stored: they
// add to the reward and nothing else.
type latentMDP struct {
	points, latents, actions int
	discount, rate           float64 // γ, and 1−γ or what stands for it, see Spec.Rate

	row    []int     // rows+1: row r is col[row[r]:row[r+1]]
	col    []int32   // node that follows
	weight []float64 // γ·P(node that follows)
	reward []float64 // E[r] of each row
}

// lattice is the set of points that carry values: the states of a finite model
// or the nodes of a grid.
type lattice interface {
	// len returns the number of points.
	len() int
	// at fills s with the state at point i.
	at(s []float64, i int)
	// stencil appends to idx and w the points whose weighted values make the
	// value at s, each once: weights are positive and sum to 1. It reports false
	// where s is outside.
	stencil(idx []int32, w []float64, s []float64) ([]int32, []float64, bool)
}

// newLatentMDP lists the transitions between the points of l. The error is a
// *ConformanceError that names the state, action and latent at fault, or the
// context's.
func newLatentMDP(ctx context.Context, m Enumerator, l lattice) (*latentMDP, error) {
	spec := m.Spec()
	p := &latentMDP{points: l.len(), latents: len(spec.Latents), actions: len(spec.Actions), discount: spec.Discount, rate: spec.Rate()}
	if p.points > math.MaxInt32/p.latents {
		return nil, &InputError{Where: "model " + quote(spec.Name), What: "the number of states × latents",
			Got: fmt.Sprintf("%d × %d", p.points, p.latents), Want: fmt.Sprintf("at most %d", math.MaxInt32)}
	}
	rows := p.points * p.latents * p.actions
	p.row = make([]int, 1, rows+1)
	p.reward = make([]float64, rows)
	f := rowFiller{mdp: p, lattice: l, acc: make([]float64, p.points), seen: make([]bool, p.points)}
	for range p.actions {
		f.next = append(f.next, placed{Lister: NewLister(m)})
	}
	s := make([]float64, len(spec.Axes))
	// Rows stand in the order (point, latent, action), but successors are the
	// same for all latents, so they are listed once for each (point, action).
	for g := range p.points {
		if g%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		l.at(s, g)
		if err := f.list(s); err != nil {
			return nil, err
		}
		for latent := range p.latents {
			for a := range p.actions {
				f.fill((g*p.latents+latent)*p.actions+a, a, latent)
			}
		}
	}
	if spec.Horizon > 0 && clockOf(m) == nil {
		return p, p.endsWithin(spec)
	}
	return p, nil
}

// rowFiller holds the scratch space of newLatentMDP.
type rowFiller struct {
	mdp     *latentMDP
	lattice lattice

	next []placed  // by action
	acc  []float64 // by point: probability so far of the row being filled
	seen []bool    // by point: acc is in use
	used []int32   // the points in use
}

// placed is what follows a state after one action, for all latents, with its place on
// the lattice.
type placed struct {
	*Lister
	ptr []int   // successor i has the stencil idx[ptr[i]:ptr[i+1]], empty where done
	idx []int32 // points
	w   []float64
}

// list fetches the successors of s under every action and their stencils.
func (f *rowFiller) list(s []float64) error {
	for a := range f.next {
		n := &f.next[a]
		if err := n.List(s, a); err != nil {
			return err
		}
		n.ptr, n.idx, n.w = append(n.ptr[:0], 0), n.idx[:0], n.w[:0]
		for i, done := range n.Successors.Done {
			if !done {
				to, _, _ := n.Successors.Row(i)
				var ok bool
				if n.idx, n.w, ok = f.lattice.stencil(n.idx, n.w, to); !ok {
					return n.notAState(i)
				}
			}
			n.ptr = append(n.ptr, len(n.idx))
		}
	}
	return nil
}

// fill writes the row of (s, φ, a).
func (f *rowFiller) fill(row, action, latent int) {
	n, p := &f.next[action], f.mdp
	for i := range n.Successors.Len() {
		prob := n.Successors.Prob[i*p.latents+latent]
		if prob == 0 {
			continue
		}
		for k := n.ptr[i]; k < n.ptr[i+1]; k++ {
			g := n.idx[k]
			if !f.seen[g] {
				f.seen[g] = true
				f.used = append(f.used, g)
			}
			f.acc[g] += prob * n.w[k]
		}
	}
	p.reward[row] = n.Reward[latent]
	moves, share, ok := n.Moves(latent)
	for _, g := range f.used {
		w := p.discount * f.acc[g]
		f.acc[g], f.seen[g] = 0, false
		node := int(g) * p.latents
		if !ok {
			p.col = append(p.col, int32(node+latent))
			p.weight = append(p.weight, w)
			continue
		}
		for k, to := range moves {
			p.col = append(p.col, int32(node)+to)
			p.weight = append(p.weight, w*share[k])
		}
	}
	f.used = f.used[:0]
	p.row = append(p.row, len(p.col))
}

// backup returns r + Σ γP·V of one row.
func (p *latentMDP) backup(v []float64, row int) float64 {
	lo, hi := p.row[row], p.row[row+1]
	col, weight := p.col[lo:hi], p.weight[lo:hi]
	q := p.reward[row]
	for i, c := range col {
		q += weight[i] * v[c]
	}
	return q
}

// improve replaces every V(n) in turn by max over a of its backup, notes the
// first action that attains it, and returns the largest change. It goes
// through the nodes backwards on request: values travel along the order of a
// sweep, and no one order suits every model.
func (p *latentMDP) improve(v []float64, greedy []int32, backwards bool) float64 {
	change := 0.0
	for i := range v {
		n := i
		if backwards {
			n = len(v) - 1 - i
		}
		best, act := math.Inf(-1), 0
		for a := range p.actions {
			if q := p.backup(v, n*p.actions+a); q > best {
				best, act = q, a
			}
		}
		change = max(change, math.Abs(best-v[n]))
		v[n], greedy[n] = best, int32(act)
	}
	return change
}

// evaluate is improve with the actions fixed: one sweep costs 1/actions of it.
func (p *latentMDP) evaluate(v []float64, greedy []int32, backwards bool) float64 {
	change := 0.0
	for i := range v {
		n := i
		if backwards {
			n = len(v) - 1 - i
		}
		q := p.backup(v, n*p.actions+int(greedy[n]))
		change = max(change, math.Abs(q-v[n]))
		v[n] = q
	}
	return change
}

// evaluationSweeps is the most sweeps with fixed actions between two
// improvements: enough to make improvements rare, few enough not to polish the
// values of a policy that is about to change.
const evaluationSweeps = 25

// solve fills q, of a row each, with the optimal values of all (node, action),
// and returns a bound of their error |q − Q*|: at most tol, or what rounding
// allows where that is more.
//
// It is modified policy iteration (Puterman 1994, Section 6.5) with
// Gauss–Seidel sweeps. It starts from V0 = c/(1−γ) with c = min(0, min over n of
// max over a of r), for which TV0 ≥ V0; values then rise monotonically to V*, so
// that sweeps with fixed actions never lead astray. For γ = 1, where states tell the
// steps left, values at l steps are right after l improvements, wherever they start.
//
// The bound: let V be the last values, Q̂ = r + γPV as computed, V' = max Q̂ and
// ρ = ‖V' − V‖∞. Each Q̂ is within δ of the exact backup, where
// δ = (k+3)·2⁻⁵³·(max|r| + max|V|) covers the rounding of rows of k entries. So
// ‖TV − V‖ ≤ ρ+δ, and T being a γ-contraction with fixed point V*,
// ‖V − V*‖ ≤ (ρ+δ)/(1−γ). Hence
//
//	‖Q̂ − Q*‖ ≤ δ + γ‖V − V*‖ ≤ (γρ + δ)/(1−γ).
func (p *latentMDP) solve(ctx context.Context, q []float64, tol float64) (bound float64, err error) {
	nodes := p.points * p.latents
	v, greedy := make([]float64, nodes), make([]int32, nodes)
	start := 0.0
	longest, top := 0, 0.0
	for n := range nodes {
		best := math.Inf(-1)
		for a := range p.actions {
			row := n*p.actions + a
			best = max(best, p.reward[row])
			top = max(top, math.Abs(p.reward[row]))
			longest = max(longest, p.row[row+1]-p.row[row])
		}
		start = min(start, best)
	}
	for n := range v {
		v[n] = start / p.rate
	}
	const half = 0x1p-53 // half a unit in the last place of 1
	backwards := false
	for {
		change := p.improve(v, greedy, backwards)
		backwards = !backwards
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		rounding := float64(longest+3) * half * (top + maxAbs(v))
		if p.discount*change <= tol*p.rate || change <= rounding {
			if bound = p.finish(v, q, rounding); bound <= tol || change <= rounding {
				return bound, nil
			}
		}
		for range evaluationSweeps {
			c := p.evaluate(v, greedy, backwards)
			backwards = !backwards
			if c <= change/10 || ctx.Err() != nil {
				break
			}
		}
	}
}

// finish fills q with the backups of v and returns the bound of their error.
func (p *latentMDP) finish(v, q []float64, rounding float64) float64 {
	residual := 0.0
	for n, x := range v {
		best := math.Inf(-1)
		for a := range p.actions {
			row := n*p.actions + a
			q[row] = p.backup(v, row)
			best = max(best, q[row])
		}
		residual = max(residual, math.Abs(best-x))
	}
	return (p.discount*residual + rounding) / p.rate
}

func maxAbs(v []float64) float64 {
	top := 0.0
	for _, x := range v {
		top = max(top, math.Abs(x))
	}
	return top
}

// solvable returns the typed error of a model whose latent MDPs have no stationary
// values, after checking the model and tolerance.
func solvable(m Model, algorithm string, tol float64) error {
	if err := Validate(m); err != nil {
		return err
	}
	if err := CheckStationary(m, algorithm); err != nil {
		return err
	}
	if !(tol >= 0) || math.IsInf(tol, 1) {
		return &InputError{Where: algorithm, What: "the tolerance", Got: fmt.Sprint(tol),
			Want: "a positive error in reward units, or 0 for 1e-10 of the range of rewards"}
	}
	return nil
}

// latentTolerance is the error asked for where the caller leaves it open.
func latentTolerance(spec Spec) float64 {
	return 1e-10 * max(1, spec.RewardMax-spec.RewardMin)
}
