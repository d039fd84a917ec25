package policysearch

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace/internal/num"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// population is that of CMA-ES (Hansen 2016, "The CMA evolution strategy: a tutorial"), which makes
// a function large: a normal law with mean m, step σ and covariance C, which draws λ points, and
// moves to the better half of them. As in Krause et al. (2016), the step is measured by the Cholesky
// factor of C in the place of its square root. Package optimize of gonum has one too, whose draws
// do not use the step (v0.17).
type population struct {
	n       int
	mean    []float64
	step    float64 // σ
	cov     *mat.SymDense
	factor  mat.TriDense // A, with C = A·Aᵀ
	drawn   [][]float64  // x = m + σ·A·z
	weights []float64    // of the better half, which sum to 1

	mass                          float64 // μ_eff: how many points the better half is worth
	rankOne, rankMany, pathC      float64 // c_1, c_μ, c_c
	pathStep, damping, normLength float64 // c_σ, d_σ, E|N(0, I)|
	path, stepPath                []float64
	generation                    int
}

// newPopulation returns one of so many points around the origin, with step σ in all directions.
func newPopulation(dimensions, points int, step float64) *population {
	n := float64(dimensions)
	p := &population{n: dimensions, step: step, mean: make([]float64, dimensions), path: make([]float64, dimensions), stepPath: make([]float64, dimensions)}
	for range points {
		p.drawn = append(p.drawn, make([]float64, dimensions))
	}
	half := points / 2
	for i := range half {
		p.weights = append(p.weights, math.Log(float64(half)+0.5)-math.Log(float64(i)+1))
	}
	floats.Scale(1/num.Sum(p.weights), p.weights)
	p.mass = 1 / floats.Dot(p.weights, p.weights)
	p.pathC = (4 + p.mass/n) / (n + 4 + 2*p.mass/n)
	p.pathStep = (p.mass + 2) / (n + p.mass + 5)
	p.rankOne = 2 / ((n+1.3)*(n+1.3) + p.mass)
	p.rankMany = min(1-p.rankOne, 2*(p.mass-2+1/p.mass)/((n+2)*(n+2)+p.mass))
	p.damping = 1 + 2*max(0, math.Sqrt((p.mass-1)/(n+1))-1) + p.pathStep
	p.normLength = math.Sqrt(n) * (1 - 1/(4*n) + 1/(21*n*n))
	p.cov = mat.NewSymDense(dimensions, nil)
	for i := range dimensions {
		p.cov.SetSym(i, i, 1)
	}
	p.factorize()
	return p
}

// factorize sets A. It reports false where C is no covariance any more, as rounding has it.
func (p *population) factorize() bool {
	var c mat.Cholesky
	if !c.Factorize(p.cov) {
		return false
	}
	c.LTo(&p.factor)
	return true
}

// draw draws the points of the next generation.
func (p *population) draw(rng *rand.Rand) {
	z := make([]float64, p.n)
	for _, x := range p.drawn {
		for i := range z {
			z[i] = rng.NormFloat64()
		}
		v := mat.NewVecDense(p.n, x)
		v.MulVec(&p.factor, mat.NewVecDense(p.n, z))
		floats.Scale(p.step, x)
		floats.Add(x, p.mean)
	}
}

// move moves to where the values of the points drawn are large. It reports false where it cannot
// go on.
func (p *population) move(values []float64) bool {
	order := num.UpTo(len(p.drawn))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[j], values[i]) })
	old := slices.Clone(p.mean)
	clear(p.mean)
	for k, w := range p.weights {
		floats.AddScaled(p.mean, w, p.drawn[order[k]])
	}
	p.generation++
	moved := make([]float64, p.n) // in units of σ
	floats.SubTo(moved, p.mean, old)
	floats.Scale(1/p.step, moved)

	var white mat.VecDense
	if white.SolveVec(&p.factor, mat.NewVecDense(p.n, moved)) != nil {
		return false
	}
	floats.Scale(1-p.pathStep, p.stepPath)
	floats.AddScaled(p.stepPath, math.Sqrt(p.pathStep*(2-p.pathStep)*p.mass), white.RawVector().Data)
	length := floats.Norm(p.stepPath, 2)
	// The path waits while the step grows fast.
	rises := 0.0
	if length/math.Sqrt(1-math.Pow(1-p.pathStep, 2*float64(p.generation))) < (1.4+2/(float64(p.n)+1))*p.normLength {
		rises = 1
	}
	floats.Scale(1-p.pathC, p.path)
	floats.AddScaled(p.path, rises*math.Sqrt(p.pathC*(2-p.pathC)*p.mass), moved)

	kept := 1 - p.rankOne - p.rankMany + (1-rises)*p.rankOne*p.pathC*(2-p.pathC)
	p.cov.ScaleSym(kept, p.cov)
	p.cov.SymRankOne(p.cov, p.rankOne, mat.NewVecDense(p.n, p.path))
	away := make([]float64, p.n)
	for k, w := range p.weights {
		floats.SubTo(away, p.drawn[order[k]], old)
		floats.Scale(1/p.step, away)
		p.cov.SymRankOne(p.cov, p.rankMany*w, mat.NewVecDense(p.n, away))
	}
	p.step *= math.Exp(p.pathStep / p.damping * (length/p.normLength - 1))
	return p.factorize() && p.step > 1e-12 && p.step < 1e12
}
