package certified

import (
	"math"
	"slices"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/grid"
	"bayescpace/bcpace/solverkit"

	"gonum.org/v1/gonum/floats"
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
	rows   rowsByPoint
}

func newGridModel(m bcpace.Enumerator, axes []dp.GridAxis) *gridModel {
	g := &gridModel{Enumerator: m, spec: m.Spec(), moves: bcpace.AbilitiesOf(m).LatentMoves}
	g.grid = dp.NewGrid(g.spec, axes)
	g.pool.New = func() any {
		return &gridScratch{place: make([]float64, len(axes)), rows: newRowsByPoint()}
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
	x.rows.reset()
	for i := range x.listed.Len() {
		to, p, r := x.listed.Row(i)
		if x.listed.Done[i] { // any point will do, as the value after an end is 0 at all of them
			x.rows.end(z, p, r)
			continue
		}
		told := tells(p)
		var inside bool
		if x.idx, x.w, inside = g.grid.Interpolate(x.idx[:0], x.w[:0], to); !inside {
			x.rows.merge(z, -1, told, 1, p, r) // −1 is a state that the model does not have, which StateIndex finds
			continue
		}
		for k, point := range x.idx {
			x.rows.merge(z, point, told, x.w[k], p, r)
		}
	}
}

// rowsByPoint finds the rows of a list that are at a point and tell the same of the latent. Thousands of successors
// may come to a point of a coarse grid, so that it does not try them in turn.
type rowsByPoint struct {
	first []int32 // by hash of the point and of what is told: the first row there plus 1, 0 without one
	next  []int32 // by row: the next one of its hash plus 1, 0 after the last
	used  []int32 // the hashes of first that are not 0
	ended int32   // the row of all ends plus 1, 0 without one
}

// hashBits is how many bits a hash of rowsByPoint has.
const hashBits = 12

func newRowsByPoint() rowsByPoint { return rowsByPoint{first: make([]int32, 1<<hashBits)} }

// reset makes x that of a list without rows.
func (x *rowsByPoint) reset() {
	for _, hash := range x.used {
		x.first[hash] = 0
	}
	x.next, x.used, x.ended = x.next[:0], x.used[:0], 0
}

// merge adds weight·p at a point to z, all of whose rows have come from here: to the row of
// that point whose probabilities are proportional to p, and which therefore leads to the
// same belief, or else as a new row. told is tells(p).
func (x *rowsByPoint) merge(z *bcpace.Successors, point int32, told uint64, weight float64, p, r []float64) {
	hash := mix(told, uint64(point)) >> (64 - hashBits)
	link := &x.first[hash]
	for *link > 0 {
		if at, q, _ := z.Row(int(*link) - 1); at[0] == float64(point) && proportional(p, q) {
			break
		}
		link = &x.next[*link-1]
	}
	if *link == 0 {
		if link == &x.first[hash] {
			x.used = append(x.used, int32(hash))
		}
		*link = x.add(z, point, false)
	}
	addTo(z, int(*link)-1, weight, p, r)
}

// end adds p to the row of all ends, which share one, as the belief after an end does not matter.
func (x *rowsByPoint) end(z *bcpace.Successors, p, r []float64) {
	if x.ended == 0 {
		x.ended = x.add(z, 0, true)
	}
	addTo(z, int(x.ended)-1, 1, p, r)
}

// add returns the number of a new row plus 1.
func (x *rowsByPoint) add(z *bcpace.Successors, point int32, done bool) int32 {
	at, _, _ := z.Add(done)
	at[0] = float64(point)
	x.next = append(x.next, 0)
	return int32(z.Len())
}

// addTo adds weight·p to a row of z, with the rewards r.
func addTo(z *bcpace.Successors, row int, weight float64, p, r []float64) {
	_, q, mean := z.Row(row)
	for φ, f := range p {
		if f *= weight; f > 0 {
			mean[φ] = (q[φ]*mean[φ] + f*r[φ]) / (q[φ] + f)
			q[φ] += f
		}
	}
}

// tells returns a number that is the same for p and its multiples, but for rounding that crosses one of some borders.
// These lie beside simple ratios.
func tells(p []float64) (told uint64) {
	most := slices.Max(p)
	for _, x := range p {
		told = mix(told, uint64(x/most*1e6+1/math.Pi))
	}
	return told
}

// mix returns a hash of two numbers, whose first bits depend on all of theirs.
func mix(a, b uint64) uint64 {
	const odd = 0x9e3779b97f4a7c15 // 2⁶⁴ by the golden ratio
	x := (a ^ b) * odd
	return (x ^ x>>32) * odd
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
