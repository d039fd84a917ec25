package dp

import (
	"cmp"
	"context"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/grid"
	"bayescpace/bcpace/solverkit"
)

// rowFiller holds the scratch space of a goroutine that lists rows.
type rowFiller struct {
	mdp   *latentMDP
	at    grid.Grid
	spec  bcpace.Spec
	bends *grid.Bends // nil without a correction of what is interpolated

	next  []placed  // by action
	acc   []float64 // by point: probability so far of the row being filled
	seen  []bool    // by point: acc is in use
	used  []int32   // the points in use
	place grid.Location
}

// placed is what follows a state after one action, for all latents, with the points
// that it leads to.
type placed struct {
	*bcpace.Lister
	ptr []int   // successor i leads to idx[ptr[i]:ptr[i+1]], empty where done
	idx []int32 // points
	w   []float64
	// bent is what bends add to the value at a successor, successors × latents.
	bent []float64
}

// list fetches the successors of s under every action and the points that they lead to.
func (f *rowFiller) list(ctx context.Context, s []float64) error {
	for a := range f.next {
		if err := ctx.Err(); err != nil { // a list of controls may be long
			return err
		}
		n := &f.next[a]
		if err := n.List(s, a); err != nil {
			return err
		}
		n.ptr, n.idx, n.w = append(n.ptr[:0], 0), n.idx[:0], n.w[:0]
		for i, done := range n.Successors.Done {
			if !done {
				to, _, _ := n.Successors.Row(i)
				var ok bool
				if n.idx, n.w, ok = f.at.Interpolate(n.idx, n.w, to); !ok {
					return n.NotAState(i)
				}
			}
			n.ptr = append(n.ptr, len(n.idx))
		}
		if f.bends != nil {
			f.bend(n)
		}
	}
	return nil
}

// bend fills the corrections of n.
func (f *rowFiller) bend(n *placed) {
	latents := len(n.Reward)
	n.bent = n.bent[:0]
	for i, done := range n.Successors.Done {
		to, _, _ := n.Successors.Row(i)
		near := 0
		if !done {
			f.at.Locate(&f.place, to)
			near = f.place.Nearest()
		}
		for φ := range latents {
			x := 0.0
			if !done {
				x = f.bends.Correction(&f.place, near, φ)
			}
			n.bent = append(n.bent, x)
		}
	}
}

// bentReward returns γ times the expected correction after φ.
func (n *placed) bentReward(discount float64, φ int) float64 {
	latents := len(n.Reward)
	moves, share, ok := n.Moves(φ)
	sum := 0.0
	for i := range n.Successors.Len() {
		prob := n.Successors.Prob[i*latents+φ]
		switch {
		case prob == 0:
		case ok:
			for k, to := range moves {
				sum += prob * share[k] * n.bent[i*latents+int(to)]
			}
		default:
			sum += prob * n.bent[i*latents+φ]
		}
	}
	return discount * sum
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
	p.Reward[row] = n.Reward[latent]
	if f.bends != nil {
		p.Reward[row] += n.bentReward(p.Discount, latent)
	}
	moves, share, ok := n.Moves(latent)
	for _, g := range f.used {
		w := p.Discount * f.acc[g]
		f.acc[g], f.seen[g] = 0, false
		node := int(g) * p.latents
		if !ok {
			p.Col = append(p.Col, int32(node+latent))
			p.Weight = append(p.Weight, w)
			continue
		}
		for k, to := range moves {
			p.Col = append(p.Col, int32(node)+to)
			p.Weight = append(p.Weight, w*share[k])
		}
	}
	f.used = f.used[:0]
	p.Row = append(p.Row, len(p.Col))
}

// solvable returns the typed error of a model whose latent MDPs have no stationary
// values, after checking the model and tolerance.
func solvable(m bcpace.Model, algorithm string, tol float64) error {
	if err := bcpace.Validate(m); err != nil {
		return err
	}
	fine := tol >= 0 && !math.IsInf(tol, 1)
	return cmp.Or(solverkit.NeedActionList(m.Spec(), algorithm), solverkit.CheckStationary(m, algorithm),
		bcpace.In(algorithm).Need(fine, "the tolerance", tol, "a positive error in reward units, or 0 for 1e-10 of the range of rewards"))
}

// latentTolerance is the error asked for where the caller leaves it open.
func latentTolerance(spec bcpace.Spec) float64 {
	return 1e-10 * max(solverkit.Unit(spec), spec.RewardMax-spec.RewardMin)
}
