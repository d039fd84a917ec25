package pft

import (
	"math"
	"math/rand/v2"
)

// cloud are particles.
type cloud struct {
	dim   int
	x     []float64 // particle i is x[i·dim : (i+1)·dim]
	sum   []float64 // cumulated weights
	ended []bool    // the episode has ended for a particle, which has no weight then
}

func newCloud(n, dim int) cloud {
	return cloud{dim, make([]float64, n*dim), make([]float64, n), make([]bool, n)}
}

func (c *cloud) at(i int) []float64 { return c.x[i*c.dim : (i+1)*c.dim : (i+1)*c.dim] }

// resample draws equally weighted particles from others with cumulated weights, systematically.
func (c *cloud) resample(x, sum []float64, rng *rand.Rand) {
	n := len(sum)
	step := sum[n-1] / float64(n)
	at, from := step*rng.Float64(), 0
	for i := range n {
		for sum[from] < at && from < n-1 {
			from++
		}
		copy(c.at(i), x[from*c.dim:(from+1)*c.dim])
		at += step
	}
}

// accumulate makes cumulated weights of what sum holds, the logarithms of weights. It reports whether any is above 0.
func (c *cloud) accumulate() bool {
	top := math.Inf(-1)
	for i, l := range c.sum {
		if !c.ended[i] {
			top = max(top, l)
		}
	}
	if math.IsInf(top, -1) || math.IsNaN(top) {
		return false
	}
	total := 0.0
	for i, l := range c.sum {
		if !c.ended[i] {
			total += math.Exp(l - top)
		}
		c.sum[i] = total
	}
	return true
}

// fill makes all particles the same.
func (c *cloud) fill(x []float64) {
	for i := range c.sum {
		copy(c.at(i), x)
		c.sum[i] = float64(i + 1)
	}
}
