package certified

import (
	"math"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/grid"
	"bayescpace/bcpace/solverkit"
)

// gridModel is a Finite model that approximates a model without numbered states: its
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
	bcpace.Enumerator
	moves          func(to []int32, share []float64, s []float64, action, latent int) ([]int32, []float64) // LatentMoves of the model, nil if it has none
	spec, numbered bcpace.Spec                                                                             // of the model, and of this one
	grid           grid.Grid
	pool           sync.Pool // of *gridScratch
}

// gridScratch is what a goroutine needs to list successors.
type gridScratch struct {
	place  []float64
	listed bcpace.Successors
	idx    []int32
	w      []float64
	rows   *grid.Merger
}

func newGridModel(m bcpace.Enumerator, axes []dp.GridAxis) *gridModel {
	g := &gridModel{Enumerator: m, spec: m.Spec(), moves: bcpace.AbilitiesOf(m).LatentMoves}
	g.grid = dp.NewGrid(g.spec, axes)
	g.pool.New = func() any {
		return &gridScratch{place: make([]float64, len(axes)), rows: grid.NewMerger()}
	}
	g.numbered = g.spec
	g.numbered.Axes = []bcpace.Axis{{Name: "grid point", Max: float64(g.grid.Len() - 1), Discrete: true}}
	return g
}

// Spec implements Model.
func (g *gridModel) Spec() bcpace.Spec { return g.numbered }

// NumStates implements Finite.
func (g *gridModel) NumStates() int { return g.grid.Len() }

// StateAt implements Finite.
func (g *gridModel) StateAt(s []float64, number int) { s[0] = float64(number) }

// StateIndex implements Finite.
func (g *gridModel) StateIndex(s []float64) int {
	if s[0] >= 0 && s[0] < float64(g.grid.Len()) && s[0] == math.Trunc(s[0]) {
		return int(s[0])
	}
	return -1
}

// KeepsHorizon is bcpace.Abilities.KeepsHorizon: a discrete axis, such as the one of the steps
// left, has all its values on the grid.
func (g *gridModel) KeepsHorizon() bool { return solverkit.CheckStationary(g.Enumerator, "") == nil }

// LatentKind implements LatentDynamics.
func (g *gridModel) LatentKind() bcpace.LatentKind { return bcpace.KindOf(g.Enumerator) }

// LatentTransition implements LatentDynamics.
func (g *gridModel) LatentTransition(p, s []float64, action, latent int) bool {
	d, ok := g.Enumerator.(bcpace.LatentDynamics)
	if !ok {
		return false
	}
	x := g.pool.Get().(*gridScratch)
	defer g.pool.Put(x)
	g.grid.At(x.place, int(s[0]))
	return d.LatentTransition(p, x.place, action, latent)
}

// IsSparse reports whether the model is a SparseLatent.
func (g *gridModel) IsSparse() bool { return g.moves != nil }

// LatentMoves implements SparseLatent.
func (g *gridModel) LatentMoves(to []int32, share []float64, s []float64, action, latent int) ([]int32, []float64) {
	x := g.pool.Get().(*gridScratch)
	defer g.pool.Put(x)
	g.grid.At(x.place, int(s[0]))
	return g.moves(to, share, x.place, action, latent)
}

// Starts implements Enumerator.
func (g *gridModel) Starts(z *bcpace.Successors) {
	x := g.pool.Get().(*gridScratch)
	defer g.pool.Put(x)
	x.listed.Reset(len(g.spec.Axes), len(g.spec.Latents))
	g.Enumerator.Starts(&x.listed)
	g.spread(z, x, "Starts", nil, -1)
}

// Successors implements Enumerator.
func (g *gridModel) Successors(z *bcpace.Successors, s []float64, action int) {
	x := g.pool.Get().(*gridScratch)
	defer g.pool.Put(x)
	g.grid.At(x.place, int(s[0]))
	x.listed.Reset(len(g.spec.Axes), len(g.spec.Latents))
	g.Enumerator.Successors(&x.listed, x.place, action)
	g.spread(z, x, "Successors", x.place, action)
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
