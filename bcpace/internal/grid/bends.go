package grid

import (
	"math"
	"slices"
)

// Bends correct interpolated values by how the values bend. A value f at a place s, less
// its interpolation Σ w_i·f(s_i), is, but for derivatives of the third order,
//
//	−½·Σ_kl f_kl·m_kl,  m_kl = Σ_i w_i·(s_i − s)_k·(s_i − s)_l,
//
// with the second derivatives f_kl. The bends are second differences of values that are
// known already, such as those on a coarser grid. So the correction is a number for each
// place, and does not depend on the values that are interpolated: value iteration stays
// monotone and a contraction.
//
// Where values jump, second differences tell of the jump and not of a bend: they are as
// large as it, and of the other sign behind it. So each is limited by those at the points next
// to it along its axes: to the smallest of them, and to 0 where their signs differ (the minmod
// limiter of Roe 1986).
type Bends struct {
	classes int // values at a point
	axes    int // that are neither discrete nor left out
	// Table has f_kl in units of a cell, for k ≤ l, at (point × classes + class) ×
	// axes·(axes+1)/2 + pair(k, l).
	Table []float64
}

// pair returns the place of axes k and l among the pairs.
func (b *Bends) pair(k, l int) int {
	if k > l {
		k, l = l, k
	}
	return k*(2*b.axes-k+1)/2 + l - k
}

func (b *Bends) pairs() int { return b.axes * (b.axes + 1) / 2 }

// between returns the numbers of the axes that are neither discrete nor left out, in the
// order of Place: from the last on.
func between(axes []RegularAxis) []int {
	var all []int
	for i := len(axes) - 1; i >= 0; i-- {
		if axes[i].Points > 1 && !axes[i].Discrete {
			all = append(all, i)
		}
	}
	return all
}

// NewBends returns bends of so many values at every point of a grid, from their table.
// It reports false where the table is not as long as it should be.
func NewBends(axes []RegularAxis, classes int, table []float64) (*Bends, bool) {
	b := &Bends{classes: classes, axes: Between(axes), Table: table}
	return b, len(table) == Points(axes)*classes*b.pairs()
}

// Correction returns what is added to the interpolation of a class of values at a place,
// whose nearest point, see Place.Nearest, is near.
func (b *Bends) Correction(p *Location, near, class int) float64 {
	f := b.Table[(near*b.classes+class)*b.pairs():]
	sum := 0.0
	for i := range p.n {
		k, x := int(p.axis[i]), p.frac[i]
		sum += f[b.pair(k, k)] * x * (1 - x)
		if !p.simplex {
			continue // the axes of a product are independent
		}
		for j := range i {
			sum += 2 * f[b.pair(k, int(p.axis[j]))] * x * (1 - p.frac[j]) // x is the smaller one
		}
	}
	return -sum / 2
}

// BendsOf returns the limited second differences of values at (point × classes + class) of a
// grid. Next to the end of an axis they are those of the next cell; of an axis of two
// points they are 0.
func BendsOf(axes []RegularAxis, values []float64, classes int) *Bends {
	in := between(axes)
	b := &Bends{classes: classes, axes: len(in)}
	points := len(values) / classes
	b.Table = make([]float64, points*classes*b.pairs())
	stride := strides(axes)
	for p := range points {
		for k, i := range in {
			low, high := neighbours(&axes[i], p/stride[i]%axes[i].Points)
			for l, j := range in[k:] {
				for class := range classes {
					at := func(di, dj int) float64 { return values[(p+di*stride[i]+dj*stride[j])*classes+class] }
					d := 0.0
					if l == 0 {
						if axes[i].Points > 2 {
							centre := (low + high) / 2
							if axes[i].Wraps {
								centre = 0
							}
							d = at(low, 0) - 2*at(centre, 0) + at(high, 0)
						}
					} else if jl, jh := neighbours(&axes[j], p/stride[j]%axes[j].Points); axes[i].Points > 2 && axes[j].Points > 2 {
						d = (at(high, jh) - at(high, jl) - at(low, jh) + at(low, jl)) / 4
					}
					b.Table[(p*classes+class)*b.pairs()+b.pair(k, k+l)] = d
				}
			}
		}
	}
	b.limit(axes)
	return b
}

// limit limits each second difference by those next to it along its axes.
func (b *Bends) limit(axes []RegularAxis) {
	in, stride := between(axes), strides(axes)
	raw := slices.Clone(b.Table)
	row := b.classes * b.pairs() // numbers at a point
	for at := range b.Table {
		p, k, l := at/row, 0, at%b.pairs() // the pair (k, l)
		for l >= b.axes-k {
			l -= b.axes - k
			k++
		}
		l += k
		for _, i := range []int{in[k], in[l]} {
			here := p / stride[i] % axes[i].Points
			for _, next := range []int{here - 1, here + 1} {
				if axes[i].Wraps {
					next = (next + axes[i].Points) % axes[i].Points
				}
				if next >= 0 && next < axes[i].Points {
					b.Table[at] = minmod(b.Table[at], raw[at+(next-here)*stride[i]*row])
				}
			}
		}
	}
}

// minmod returns the smaller one of two numbers of one sign, and 0 for others.
func minmod(x, y float64) float64 {
	switch {
	case x > 0 && y > 0:
		return min(x, y)
	case x < 0 && y < 0:
		return max(x, y)
	}
	return 0
}

// strides returns how far apart the points of each axis stand.
func strides(axes []RegularAxis) []int {
	stride := make([]int, len(axes))
	n := 1
	for i := len(axes) - 1; i >= 0; i-- {
		stride[i] = n
		n *= axes[i].Points
	}
	return stride
}

// Mean returns the mean size of f_kk for every axis, 0 where it is discrete or left out.
func (b *Bends) Mean(axes []RegularAxis) []float64 {
	mean := make([]float64, len(axes))
	for k, i := range between(axes) {
		for at := b.pair(k, k); at < len(b.Table); at += b.pairs() {
			mean[i] += math.Abs(b.Table[at])
		}
		mean[i] /= float64(len(b.Table) / b.pairs())
	}
	return mean
}

// neighbours returns how many points to go from point i of an axis to two that are two
// cells apart: those next to it or, at an end, the end and the second one from it.
func neighbours(a *RegularAxis, i int) (low, high int) {
	low, high = -1, 1
	switch {
	case a.Wraps && i == 0:
		low = a.Points - 1
	case a.Wraps && i == a.Points-1:
		high = 1 - a.Points
	case a.Wraps:
	case i == 0:
		low, high = 0, min(2, a.Points-1)
	case i == a.Points-1:
		low, high = -min(2, a.Points-1), 0
	}
	return low, high
}

// On returns b, the bends on a grid, on another one over the same axes, whose cells may
// have another size.
func (b *Bends) On(from, to Grid) *Bends {
	in := between(from.axes)
	on := &Bends{classes: b.classes, axes: b.axes}
	n := b.pairs()
	on.Table = make([]float64, to.Len()*b.classes*n)
	scale := make([]float64, n)
	for k, i := range in {
		for l, j := range in {
			scale[b.pair(k, l)] = to.axes[i].Step / from.axes[i].Step * to.axes[j].Step / from.axes[j].Step
		}
	}
	s := make([]float64, len(to.axes))
	var at Location
	for p := range to.Len() {
		to.At(s, p)
		at.Locate(from.axes, s)
		row := on.Table[p*b.classes*n : (p+1)*b.classes*n]
		for i := range at.Len() {
			point, w := at.At(i)
			for k, f := range b.Table[point*b.classes*n : (point+1)*b.classes*n] {
				row[k] += w * f
			}
		}
		for k := range row {
			row[k] *= scale[k%n]
		}
	}
	return on
}
