package dp

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/grid"
	"bayescpace/bcpace/solverkit"
)

// rowFiller knows what follows the points of a grid.
type rowFiller struct {
	at      grid.Grid
	spec    bcpace.Spec
	bends   *grid.Bends // nil without a correction of what is interpolated
	bits    []uint      // of the axes of the grid
	all     uint        // bits, 0 on simplices
	between int         // how many axes there are between whose points is interpolated

	s    []float64     // the state of a point
	next []placed      // by action
	rest grid.Location // of a successor, along some axes
}

// newRowFiller returns a filler of rows on the points of a grid over m.
func newRowFiller(m bcpace.Enumerator, at grid.Grid, bends *grid.Bends) *rowFiller {
	f := &rowFiller{at: at, spec: m.Spec(), bends: bends, bits: at.AxisBits(), s: make([]float64, len(m.Spec().Axes))}
	for _, bit := range f.bits {
		f.all |= bit
	}
	if f.between = bits.OnesCount(f.all % (1 << grid.MaxAxes)); f.between > grid.MaxMultilinear {
		f.all = 0
	}
	for range f.spec.Actions {
		f.next = append(f.next, placed{Lister: bcpace.NewLister(m)})
	}
	return f
}

// placed is what follows a state after one action, for all latents, with the places
// on the grid.
type placed struct {
	*bcpace.Lister
	at []grid.Location // by successor; means nothing where done
	// bent is what bends add to the value at a successor, successors × latents.
	bent []float64
}

// goTo fetches the successors of a point under every action, which are the same for all latents, and the places that
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
		n.at = slices.Grow(n.at[:0], n.Successors.Len())[:n.Successors.Len()]
		for i, done := range n.Successors.Done {
			if to, _, _ := n.Successors.Row(i); !done && !f.at.Locate(&n.at[i], to) {
				return n.NotAState(i)
			}
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
		near := 0
		if !done {
			near = n.at[i].Nearest()
		}
		for φ := range latents {
			x := 0.0
			if !done {
				x = f.bends.Correction(&n.at[i], near, φ)
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
	along, ends := f.along(n, latent)
	for i, done := range n.Successors.Done {
		prob := n.Successors.Prob[i*latents+latent]
		if prob == 0 || done {
			continue
		}
		if along != 0 && along == f.all && len(x.used) > 0 { // at one place
			x.acc[x.used[0]] += prob
			continue
		}
		rest := &n.at[i]
		if along != 0 {
			f.rest, x.stride, x.frac = rest.Split(along, x.stride, x.frac)
			rest = &f.rest
		}
		for k := range rest.Len() {
			point, w := rest.At(k)
			x.add(int32(point), prob*w)
		}
	}
	if len(x.used) == 1 && !ends {
		x.acc[x.used[0]] = 1 // all that follows is there
	}
	reward = n.Reward[latent]
	if f.bends != nil {
		reward += n.bentReward(f.spec.Discount, latent)
	}
	to, share, moves = n.Moves(latent)
	return reward, to, share, moves
}

// along returns the axes, by their bits, along which all that follows under a latent lies at the same place, and whether
// the episode may end. On a grid that is fine along its few axes, they are all or none: its rows are as short without.
func (f *rowFiller) along(n *placed, latent int) (set uint, ends bool) {
	var first []float64
	set = f.all
	for i, done := range n.Successors.Done {
		to, prob, _ := n.Successors.Row(i)
		switch {
		case prob[latent] == 0:
		case done:
			ends = true
		case first == nil:
			first = to
		default:
			for k, bit := range f.bits {
				if to[k] != first[k] {
					set &^= bit
				}
			}
		}
	}
	if f.between <= grid.FewAxes && set != f.all {
		set = 0
	}
	return set, ends
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
