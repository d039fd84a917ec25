package hidden

import (
	"math"
	"math/rand/v2"
)

// kernel is the normal kernel from which particles are drawn anew on the axes that nothing has moved (Liu and West 2001). Given the
// values on the other axes, it draws each particle to the mean that a linear regression on them has, and spreads it by what the
// regression leaves: so the means and the covariances of all axes stay. One of each axis alone would take the axes for
// independent, and lose what is known of their sum.
type kernel struct {
	axes  []int // those that move, then those that do not
	moved int   // how many move
	mean  []float64
	root  [][]float64 // lower triangular; root·rootᵀ is the covariance
}

// kernelOf returns the kernel of the weighted particles, and nil where all axes move.
func (b *ParticleBelief) kernelOf() *kernel {
	k := &kernel{}
	for j, still := range b.still {
		if !still {
			k.axes = append(k.axes, j)
		}
	}
	if k.moved = len(k.axes); k.moved == b.dim {
		return nil
	}
	if b.effective < enoughForRegression*float64(b.dim) {
		k.axes, k.moved = nil, 0
	}
	for j, still := range b.still {
		if still {
			k.axes = append(k.axes, j)
		}
	}
	n := len(k.axes)
	k.mean, k.root = make([]float64, n), make([][]float64, n)
	for i, j := range k.axes {
		k.mean[i], k.root[i] = b.middle(j), make([]float64, n)
	}
	off := make([]float64, n)
	for p, w := range b.weight {
		k.offsets(off, b, p)
		for i, x := range off {
			for j, y := range off[:i+1] {
				k.root[i][j] += w * x * y
			}
		}
	}
	k.factor()
	return k
}

// enoughForRegression is the effective number of particles, for each axis, below which the axes that move are left out, as a regression on
// them would explain everything.
const enoughForRegression = 10

// middle returns the mean of an axis: on one with a Period, that of the points of a circle.
func (b *ParticleBelief) middle(axis int) (mean float64) {
	a := b.model.Spec.Hidden[axis]
	if a.Period == 0 {
		for p, w := range b.weight {
			mean += w * b.x[p*b.dim+axis]
		}
		return mean
	}
	up, along := 0.0, 0.0
	for p, w := range b.weight {
		sin, cos := math.Sincos((b.x[p*b.dim+axis] - a.Min) * 2 * math.Pi / a.Period)
		up, along = up+w*sin, along+w*cos
	}
	return a.Min + math.Atan2(up, along)*a.Period/(2*math.Pi)
}

// offsets sets off to how far particle p lies from the mean: on an axis with a Period, by the shorter way.
func (k *kernel) offsets(off []float64, b *ParticleBelief, p int) {
	for i, j := range k.axes {
		off[i] = b.x[p*b.dim+j] - k.mean[i]
		if period := b.model.Spec.Hidden[j].Period; period > 0 {
			off[i] -= period * math.Round(off[i]/period)
		}
	}
}

// factor sets root from the covariance, of which it has the lower part. What follows from the axes before has a row without a
// pivot.
func (k *kernel) factor() {
	const rounding = 1e-12 // of a variance
	for i, row := range k.root {
		variance := row[i]
		for j, pivots := range k.root[:i+1] {
			for l, v := range row[:j] {
				row[j] -= v * pivots[l]
			}
			switch {
			case i == j && row[j] <= rounding*variance, i != j && pivots[j] == 0:
				row[j] = 0
			case i == j:
				row[j] = math.Sqrt(row[j])
			default:
				row[j] /= pivots[j]
			}
		}
	}
}

// spread draws the particles, which have been resampled, from the kernel around each.
func (k *kernel) spread(b *ParticleBelief, rng *rand.Rand) {
	const a = (3*liuWest - 1) / (2 * liuWest)
	width := math.Sqrt(1 - a*a)
	off, z := make([]float64, len(k.axes)), make([]float64, len(k.axes))
	for p := range b.weight {
		k.offsets(off, b, p)
		for i, row := range k.root {
			told := 0.0 // by the axes that move
			for j, v := range row[:min(i, k.moved)] {
				told += v * z[j]
			}
			if i < k.moved {
				if z[i] = 0; row[i] > 0 {
					z[i] = (off[i] - told) / row[i]
				}
				continue
			}
			z[i] = rng.NormFloat64()
			noise := 0.0
			for j, v := range row[k.moved : i+1] {
				noise += v * z[k.moved+j]
			}
			axis := b.model.Spec.Hidden[k.axes[i]]
			x := k.mean[i] + told + a*(off[i]-told) + width*noise
			if axis.Period > 0 {
				x = axis.Wrap(x)
			}
			b.x[p*b.dim+k.axes[i]] = min(max(x, axis.Min), axis.Max)
		}
	}
}
