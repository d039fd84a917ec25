package certified

import (
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/grid"

	"gonum.org/v1/gonum/floats"
)

// gridModel is a Finite model that approximates a model without numbered states: its
// states are the points of a grid. A successor between grid points becomes the points
// around it, with the weights of multilinear interpolation; they say of the latent what
// the successor says. So the optimal values of a gridModel are the solution of
//
//	V(g,b) = max over a of R(g,b,a) + γ·Σ P(s'|g,b,a)·V(s',b'),
//
// with V interpolated between the points at each b': dynamic programming on a grid of
// states, and on all beliefs. One goroutine may use it. Nobody may play it: its Start,
// Step and LogLikelihood are those of the original model.
type gridModel struct {
	bcpace.Enumerator
	spec, numbered bcpace.Spec // of the model, and of this one
	grid           grid.Grid

	place  []float64
	listed bcpace.Successors
	idx    []int32
	w      []float64
}

func newGridModel(m bcpace.Enumerator, axes []bcpace.GridAxis) *gridModel {
	g := &gridModel{Enumerator: m, spec: m.Spec()}
	g.grid = bcpace.NewGrid(g.spec, axes)
	g.place = make([]float64, len(axes))
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

// KeepsHorizon implements HorizonKeeper: a discrete axis, such as the one of the steps
// left, has all its values on the grid.
func (g *gridModel) KeepsHorizon() bool { return bcpace.CheckStationary(g.Enumerator, "") == nil }

// LatentKind implements LatentDynamics.
func (g *gridModel) LatentKind() bcpace.LatentKind { return bcpace.KindOf(g.Enumerator) }

// LatentTransition implements LatentDynamics.
func (g *gridModel) LatentTransition(p, s []float64, action, latent int) bool {
	d, ok := g.Enumerator.(bcpace.LatentDynamics)
	if !ok {
		return false
	}
	g.grid.At(g.place, int(s[0]))
	return d.LatentTransition(p, g.place, action, latent)
}

// Starts implements Enumerator.
func (g *gridModel) Starts(z *bcpace.Successors) {
	g.listed.Reset(len(g.spec.Axes), len(g.spec.Latents))
	g.Enumerator.Starts(&g.listed)
	g.spread(z, "Starts", nil, -1)
}

// Successors implements Enumerator.
func (g *gridModel) Successors(z *bcpace.Successors, s []float64, action int) {
	g.grid.At(g.place, int(s[0]))
	g.listed.Reset(len(g.spec.Axes), len(g.spec.Latents))
	g.Enumerator.Successors(&g.listed, g.place, action)
	g.spread(z, "Successors", g.place, action)
}

// spread adds the successors that call has listed for (s, action) to z, at the points of
// the grid.
func (g *gridModel) spread(z *bcpace.Successors, call string, s []float64, action int) {
	if err := g.spec.CheckSizes(&g.listed, call, s, action); err != nil {
		panic(err) // a Lister makes it an error again
	}
	for i := range g.listed.Len() {
		to, p, r := g.listed.Row(i)
		if g.listed.Done[i] { // any point will do, as the value after an end is 0 at all of them
			merge(z, 0, 1, p, r, true)
			continue
		}
		var inside bool
		if g.idx, g.w, inside = g.grid.Interpolate(g.idx[:0], g.w[:0], to); !inside {
			merge(z, -1, 1, p, r, false) // −1 is a state that the model does not have, which StateIndex finds
			continue
		}
		for k, point := range g.idx {
			merge(z, float64(point), g.w[k], p, r, false)
		}
	}
}

// merge adds weight·p at a point to z: to the row of that point whose probabilities are
// proportional to p, and which therefore leads to the same belief, or else as a new row.
// All ends at a point share a row, as the belief after an end does not matter.
func merge(z *bcpace.Successors, point, weight float64, p, r []float64, done bool) {
	row := -1
	for i := 0; i < z.Len() && row < 0; i++ {
		if at, q, _ := z.Row(i); z.Done[i] == done && at[0] == point && (done || proportional(p, q)) {
			row = i
		}
	}
	if row < 0 {
		row = z.Len()
		at, _, _ := z.Add(done)
		at[0] = point
	}
	_, q, mean := z.Row(row)
	for φ, x := range p {
		if x *= weight; x > 0 {
			mean[φ] = (q[φ]*mean[φ] + x*r[φ]) / (q[φ] + x)
			q[φ] += x
		}
	}
}

// proportional reports whether p and q are multiples of each other, but for rounding.
func proportional(p, q []float64) bool {
	at := floats.MaxIdx(p)
	for φ, x := range p {
		if a, b := x*q[at], q[φ]*p[at]; math.Abs(a-b) > 1e-12*max(a, b) {
			return false
		}
	}
	return q[at] > 0
}
