package certified

import (
	"math"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/grid"
	"bayescpace/bcpace/solverkit"
)

// gridModel makes a Finite model that approximates a model without numbered states: its
// states are the points of a grid. A successor between grid points becomes the points
// around it, with the weights of its interpolation; they say of the latent what
// the successor says. So the optimal values of a gridModel are the solution of
//
//	V(g,b) = max over a of R(g,b,a) + γ·Σ P(s'|g,b,a)·V(s',b'),
//
// with V interpolated between the points at each b': dynamic programming on a grid of
// states, and on all beliefs. Nobody may play it: its Start, Step and LogLikelihood are
// those of the original model.
type gridModel struct {
	spec bcpace.Spec // of the original model
	grid grid.Grid
	pool sync.Pool // of *gridScratch
}

// gridScratch is what a goroutine needs to list successors.
type gridScratch struct {
	place  []float64
	listed bcpace.Successors
	idx    []int32
	w      []float64
	rows   *grid.Merger
}

func newGridModel(m bcpace.Enumerator, axes []dp.GridAxis) bcpace.Finite {
	g := &gridModel{spec: m.Spec()}
	g.grid = dp.NewGrid(g.spec, axes)
	g.pool.New = func() any {
		return &gridScratch{place: make([]float64, len(axes)), rows: grid.NewMerger()}
	}
	return bcpace.Derive(m, func(_ bcpace.Model, a *bcpace.Abilities) {
		of, last := *a, float64(g.grid.Len()-1)
		*a = bcpace.Abilities{Spec: of.Spec, Prior: of.Prior, Start: of.Start, Step: of.Step,
			LogLikelihood: of.LogLikelihood, LatentKind: of.LatentKind}
		a.Spec.Axes = []bcpace.Axis{{Name: "grid point", Max: last, Discrete: true}}
		a.NumStates, a.StateAt = g.grid.Len, func(s []float64, number int) { s[0] = float64(number) }
		a.StateIndex = func(s []float64) int {
			if s[0] >= 0 && s[0] <= last && s[0] == math.Trunc(s[0]) {
				return int(s[0])
			}
			return -1
		}
		// A discrete axis, such as the one of the steps left, has all its values on the grid.
		a.KeepsHorizon = solverkit.CheckStationary(m, "") == nil
		if of.LatentTransition != nil {
			a.LatentTransition = func(p, s []float64, action, latent int) bool {
				x := g.at(s)
				defer g.pool.Put(x)
				return of.LatentTransition(p, x.place, action, latent)
			}
		}
		if of.LatentMoves != nil {
			a.LatentMoves = func(to []int32, share, s []float64, action, latent int) ([]int32, []float64) {
				x := g.at(s)
				defer g.pool.Put(x)
				return of.LatentMoves(to, share, x.place, action, latent)
			}
		}
		a.Starts = func(z *bcpace.Successors) {
			x := g.pool.Get().(*gridScratch)
			defer g.pool.Put(x)
			x.listed.Reset(len(g.spec.Axes), len(g.spec.Latents))
			of.Starts(&x.listed)
			g.spread(z, x, "Starts", nil, -1)
		}
		a.Successors = func(z *bcpace.Successors, s []float64, action int) {
			x := g.at(s)
			defer g.pool.Put(x)
			x.listed.Reset(len(g.spec.Axes), len(g.spec.Latents))
			of.Successors(&x.listed, x.place, action)
			g.spread(z, x, "Successors", x.place, action)
		}
	}).(bcpace.Finite)
}

// at returns scratch with the place of a state.
func (g *gridModel) at(s []float64) *gridScratch {
	x := g.pool.Get().(*gridScratch)
	g.grid.At(x.place, int(s[0]))
	return x
}

// spread adds the successors that call has listed for (s, action) to z, at the points of
// the grid.
func (g *gridModel) spread(z *bcpace.Successors, x *gridScratch, call string, s []float64, action int) {
	if err := g.spec.CheckSizes(&x.listed, call, s, action); err != nil {
		panic(err) // a Lister makes it an error again
	}
	x.rows.Reset()
	for i := range x.listed.Len() {
		to, p, r := x.listed.Row(i)
		if x.listed.Done[i] { // any point will do, as the value after an end is 0 at all of them
			x.rows.End(z, p, r)
			continue
		}
		told := grid.Told(p)
		var inside bool
		if x.idx, x.w, inside = g.grid.Interpolate(x.idx[:0], x.w[:0], to); !inside {
			x.rows.Merge(z, -1, told, 1, p, r) // −1 is a state that the model does not have, which StateIndex finds
			continue
		}
		for k, point := range x.idx {
			x.rows.Merge(z, point, told, x.w[k], p, r)
		}
	}
}
