package certified_test

import (
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/runtest"
)

// lineValues is V*(x, b(0)) of a line by value iteration on a fine grid with bilinear
// interpolation, written for this model alone.
type lineValues struct {
	nx, nb int
	v      []float64
}

// at returns V* at a place and the probability of the first latent.
func (g *lineValues) at(x, p float64) float64 {
	u, w := x*float64(g.nx), p*float64(g.nb)
	i, j := min(int(u), g.nx-1), min(int(w), g.nb-1)
	u, w = u-float64(i), w-float64(j)
	f := func(i, j int) float64 { return g.v[i*(g.nb+1)+j] }
	return (1-u)*((1-w)*f(i, j)+w*f(i, j+1)) + u*((1-w)*f(i+1, j)+w*f(i+1, j+1))
}

// q returns Q* there.
func (g *lineValues) q(m runtest.LineModel, x, p float64, a int) (q float64) {
	var z bcpace.Successors
	z.Reset(2, 2)
	s, moved := []float64{x, 0}, make([]float64, 2)
	m.Successors(&z, s, a)
	moves := m.LatentTransition(moved, s, a, 0)
	for i := range z.Len() {
		to, prob, reward := z.Row(i)
		w := p*prob[0] + (1-p)*prob[1]
		after := p * prob[0] / w
		if moves {
			after = moved[0]
		}
		q += p*prob[0]*reward[0] + (1-p)*prob[1]*reward[1] + 0.8*w*g.at(to[0], after)
	}
	return q
}

// solveLine solves m on a grid of so many cells.
func solveLine(m runtest.LineModel, nx, nb int) *lineValues {
	g := &lineValues{nx, nb, make([]float64, (nx+1)*(nb+1))}
	for change := 1.0; change > 1e-6; {
		change = 0
		for i := range nx + 1 {
			for j := range nb + 1 {
				best := math.Inf(-1)
				for a := range 3 {
					best = max(best, g.q(m, float64(i)/float64(nx), float64(j)/float64(nb), a))
				}
				at := &g.v[i*(nb+1)+j]
				change = max(change, math.Abs(best-*at))
				*at = best
			}
		}
	}
	return g
}
