package tabular

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// dirichlet replaces the parameters of a Dirichlet distribution by a draw from it. It works with
// logarithms, as gamma variates of small parameters are often smaller than the smallest number:
// one of parameter α is one of α + 1 times U^(1/α) (Marsaglia and Tsang 2000, "A simple method
// for generating gamma variables", Section 6).
func dirichlet(p []float64, rng *rand.Rand) {
	if len(p) == 1 {
		p[0] = 1
		return
	}
	top := math.Inf(-1)
	for i, α := range p {
		g := distuv.Gamma{Alpha: α, Beta: 1, Src: rng}
		if α < 1 {
			g.Alpha++
			p[i] = math.Log(g.Rand()) - rng.ExpFloat64()/α
		} else {
			p[i] = math.Log(g.Rand())
		}
		top = max(top, p[i])
	}
	sum := 0.0
	for i := range p {
		p[i] = math.Exp(p[i] - top)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
}
