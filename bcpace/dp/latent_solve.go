package dp

import (
	"cmp"
	"context"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/grid"
	"bayescpace/bcpace/solverkit"
)

// rowFiller knows what follows the points of a grid.
type rowFiller struct {
	at    grid.Grid
	spec  bcpace.Spec
	bends *grid.Bends // nil without a correction of what is interpolated

	s     []float64 // the state of a point
	next  []placed  // by action
	place grid.Location
}

// newRowFiller returns a filler of rows on the points of a grid over m.
func newRowFiller(m bcpace.Enumerator, at grid.Grid, bends *grid.Bends) *rowFiller {
	f := &rowFiller{at: at, spec: m.Spec(), bends: bends}
	f.s = make([]float64, len(f.spec.Axes))
	for range f.spec.Actions {
		f.next = append(f.next, placed{Lister: bcpace.NewLister(m)})
	}
	return f
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

// goTo fetches the successors of a point under every action, which are the same for all latents, and the points that
// they lead to.
func (f *rowFiller) goTo(ctx context.Context, point int) error {
	f.at.At(f.s, point)
	for a := range f.next {
		if err := ctx.Err(); err != nil { // a list of controls may be long
			return err
		}
		n := &f.next[a]
		if err := n.List(f.s, a); err != nil {
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

func (f *rowFiller) row(x *rowLister, latent, action int) (reward float64, to []int32, share []float64, moves bool) {
	n, latents := &f.next[action], len(f.spec.Latents)
	for i := range n.Successors.Len() {
		prob := n.Successors.Prob[i*latents+latent]
		if prob == 0 {
			continue
		}
		for k := n.ptr[i]; k < n.ptr[i+1]; k++ {
			x.add(n.idx[k], prob*n.w[k])
		}
	}
	reward = n.Reward[latent]
	if f.bends != nil {
		reward += n.bentReward(f.spec.Discount, latent)
	}
	to, share, moves = n.Moves(latent)
	return reward, to, share, moves
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
