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

// lineStep is what an action does at a place of a line, whatever is believed there.
type lineStep struct {
	to           []float64    // the places that may follow
	prob, reward [][2]float64 // by place and latent
	drawn        bool         // the latent is drawn anew, with what follows
	anew         float64      // the probability of the first latent then
}

func stepOf(m runtest.LineModel, x float64, a int) (step lineStep) {
	var z bcpace.Successors
	z.Reset(2, 2)
	s, moved := []float64{x, 0}, make([]float64, 2)
	m.Successors(&z, s, a)
	step.drawn = m.LatentTransition(moved, s, a, 0)
	step.anew = moved[0]
	for i := range z.Len() {
		to, prob, reward := z.Row(i)
		step.to, step.prob, step.reward = append(step.to, to[0]), append(step.prob, [2]float64(prob)), append(step.reward, [2]float64(reward))
	}
	return step
}

// after returns Q* of a step with the probability p of the first latent.
func (g *lineValues) after(step *lineStep, p float64) (q float64) {
	for i, to := range step.to {
		prob, reward := &step.prob[i], &step.reward[i]
		w := p*prob[0] + (1-p)*prob[1]
		then := p * prob[0] / w
		if step.drawn {
			then = step.anew
		}
		q += p*prob[0]*reward[0] + (1-p)*prob[1]*reward[1] + 0.8*w*g.at(to, then)
	}
	return q
}

// q returns Q* there.
func (g *lineValues) q(m runtest.LineModel, x, p float64, a int) float64 {
	step := stepOf(m, x, a)
	return g.after(&step, p)
}

// solveLine solves m on a grid of so many cells.
func solveLine(m runtest.LineModel, nx, nb int) *lineValues {
	g := &lineValues{nx, nb, make([]float64, (nx+1)*(nb+1))}
	steps := make([][3]lineStep, nx+1) // by place and action
	for i := range steps {
		for a := range steps[i] {
			steps[i][a] = stepOf(m, float64(i)/float64(nx), a)
		}
	}
	for change := 1.0; change > 1e-6; {
		change = 0
		for i := range steps {
			for j := range nb + 1 {
				best := math.Inf(-1)
				for a := range steps[i] {
					best = max(best, g.after(&steps[i][a], float64(j)/float64(nb)))
				}
				at := &g.v[i*(nb+1)+j]
				change = max(change, math.Abs(best-*at))
				*at = best
			}
		}
	}
	return g
}
