package normal

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// Rule is a quadrature with common places for the distributions of a Noise around several
// means. The line is cut into cells of which none has more than 5/4 of 1/nodes of the
// probability under any mean, and a cell stands at its mean. The ends of an axis are places
// of their own, with their exact probabilities. The mean under each mean is kept.
//
// The zero value is ready, and Fill does not allocate once its lists have grown.
type Rule struct {
	At   []float64 // the places, each once
	prob []float64 // places × distinct means

	means  []float64 // distinct ones, ascending
	number []int     // by mean given: its number in means

	left, right []edge    // scratch: of a cell, by mean that shares it
	all         []float64 // scratch: the probability below all cells
}

const (
	negligible = 1e-9 // probability of a place that is left out, under every mean
	widest     = 2    // σ that a cell between two others may span
	apart      = 8    // σ between means that share no cell
)

// Prob returns the probability of place i under the mean of that number.
func (r *Rule) Prob(i, mean int) float64 { return r.prob[i*len(r.means)+r.number[mean]] }

// Fill makes r the rule of n around the given means, which are finite.
func (r *Rule) Fill(n *Noise, means []float64, nodes int) {
	r.At, r.prob = r.At[:0], r.prob[:0]
	r.distinct(n, means)
	if n.Sigma == 0 {
		for k, x := range r.means {
			r.place(x)[k] = 1
		}
		return
	}
	low, high := math.Inf(-1), math.Inf(1)
	if !n.Wraps && r.atom(n.Min, n.Sigma) {
		low = n.Min
	}
	if !n.Wraps && r.atom(n.Max, -n.Sigma) {
		high = n.Max
	}
	ends := len(r.At)
	from := low
	for k := 0; k < len(r.means); {
		end := k + 1
		for end < len(r.means) && r.means[end]-r.means[end-1] <= apart*n.Sigma {
			end++
		}
		to := high
		if end < len(r.means) {
			to = min(max(r.means[end-1]/2+r.means[end]/2, from), high)
		}
		r.cells(n.Sigma, from, to, k, end, nodes)
		from, k = to, end
	}
	if ends == 0 && r.means[len(r.means)-1]-r.means[0] <= apart*n.Sigma {
		r.stretch(n.Sigma)
	}
	for k := range r.means {
		r.settle(n, k, ends, low, high)
	}
	for i, x := range r.At[ends:] {
		if n.Wraps {
			r.At[ends+i] = n.Onto(x)
		} else { // rounding must not put a cell on an end
			r.At[ends+i] = min(max(x, math.Nextafter(n.Min, n.Max)), math.Nextafter(n.Max, n.Min))
		}
	}
}

// distinct sets the distinct means. On an axis that wraps they are taken within half a
// round of the first one; without noise they are the places where they come to lie.
func (r *Rule) distinct(n *Noise, means []float64) {
	r.means, r.number = r.means[:0], r.number[:0]
	of := func(x float64) float64 {
		switch {
		case n.Sigma == 0:
			return n.Onto(x)
		case n.Wraps:
			first := n.Onto(means[0])
			return first + math.Remainder(x-first, n.Max-n.Min)
		}
		return x
	}
	for _, x := range means {
		r.means = append(r.means, of(x))
	}
	slices.Sort(r.means)
	r.means = slices.Compact(r.means)
	for _, x := range means {
		k, _ := slices.BinarySearch(r.means, of(x))
		r.number = append(r.number, k)
	}
}

// place adds a place and returns its probabilities, by distinct mean, to be set.
func (r *Rule) place(x float64) []float64 {
	r.At = append(r.At, x)
	for range r.means {
		r.prob = append(r.prob, 0)
	}
	return r.prob[len(r.prob)-len(r.means):]
}

// drop takes the last place away.
func (r *Rule) drop() {
	r.At, r.prob = r.At[:len(r.At)-1], r.prob[:len(r.prob)-len(r.means)]
}

// atom adds an end of the axis, beyond which a positive sigma means below it, unless its
// probability is negligible. It reports whether it did.
func (r *Rule) atom(x, sigma float64) bool {
	p := r.place(x)
	for k, mean := range r.means {
		p[k] = CDF((x - mean) / sigma)
	}
	if slices.Max(p) < negligible {
		r.drop()
		return false
	}
	return true
}

// cells adds the cells between low and high for the distinct means from k to end−1. The
// others are too far away to have a share in them.
func (r *Rule) cells(sigma, low, high float64, k, end, nodes int) {
	means := r.means[k:end]
	r.left, r.right, r.all = r.left[:0], r.right[:0], r.all[:0]
	for _, mean := range means {
		r.left = append(r.left, edgeAt((low-mean)/sigma))
		r.all = append(r.all, CDF((high-mean)/sigma))
	}
	share := 1 / float64(nodes)
	tail := min(means[len(means)-1], high) - widest*sigma // from here on, one cell may take the rest
	for a := low; a < high; {
		// The cell ends where the first of the means has its share in it.
		b, rest := high, 0.0
		for j, mean := range means {
			rest = max(rest, r.all[j]-r.left[j].below)
			if p := r.left[j].below + share; p < 1 {
				b = min(b, mean+sigma*mathext.NormalQuantile(p))
			}
		}
		switch {
		case a >= tail && rest <= 1.25*share, !(b > a): // or no cell between by rounding
			b = high
		case a > means[0]: // between two means
			b = min(b, a+widest*sigma)
		}
		r.right = r.right[:0]
		for _, mean := range means {
			r.right = append(r.right, edgeAt((b-mean)/sigma))
		}
		r.cell(sigma, a, b, k)
		a, r.left, r.right = b, r.right, r.left
	}
}

// edge is what is known of a distribution at the edge of a cell.
type edge struct{ below, density float64 }

func edgeAt(z float64) edge { return edge{CDF(z), Density(z)} }

// cell adds the cell between the edges r.left at a and r.right at b, at its mean over the
// means from k on to which the edges belong, unless its probability is negligible.
func (r *Rule) cell(sigma, a, b float64, k int) {
	p := r.place(0)
	sum, weight, top := 0.0, 0.0, 0.0
	for j, left := range r.left {
		share := r.right[j].below - left.below
		p[k+j] = share
		weight += share
		sum += r.means[k+j]*share + sigma*(left.density-r.right[j].density)
		top = max(top, share)
	}
	if top < negligible {
		r.drop()
		return
	}
	r.At[len(r.At)-1] = min(max(sum/weight, a), b)
}

// stretch moves all cells away from their mean, until their variance over all means, of
// which the width of the cells has taken a part, is right.
func (r *Rule) stretch(sigma float64) {
	centre, weight := 0.0, 0.0
	for i, x := range r.At {
		for _, p := range r.row(i) {
			centre += p * x
			weight += p
		}
	}
	centre /= weight
	got, want := 0.0, 0.0
	for i, x := range r.At {
		for _, p := range r.row(i) {
			got += p * (x - centre) * (x - centre)
		}
	}
	for _, mean := range r.means {
		want += sigma*sigma + (mean-centre)*(mean-centre)
	}
	if got > 0 {
		by := math.Sqrt(want / got)
		for i, x := range r.At {
			r.At[i] = centre + (x-centre)*by
		}
	}
}

// settle makes the probabilities under distinct mean k sum to 1, and shifts them between
// the cells near it, from number ends on, so that their mean is that of the distribution
// between low and high. It shifts less where a probability would become negative.
func (r *Rule) settle(n *Noise, k, ends int, low, high float64) {
	total := 0.0
	for i := range r.At {
		total += r.row(i)[k]
	}
	mean := r.means[k]
	near := func(i int) bool { return math.Abs(r.At[i]-mean) <= apart*n.Sigma }
	weight, centre := 0.0, 0.0
	for i := range r.At {
		p := &r.row(i)[k]
		*p /= total
		if i >= ends && near(i) {
			weight += *p
			centre += *p * r.At[i]
		}
	}
	if weight < negligible {
		return
	}
	centre /= weight
	spread := 0.0
	for i := ends; i < len(r.At); i++ {
		if near(i) {
			spread += r.row(i)[k] * (r.At[i] - centre) * (r.At[i] - centre)
		}
	}
	if !(spread > 1e-9*weight*n.Sigma*n.Sigma) { // one cell
		return
	}
	from, to := (low-mean)/n.Sigma, (high-mean)/n.Sigma
	want := mean + n.Sigma*(Density(from)-Density(to))/mass(from, to)
	by := (want - centre) * weight / spread
	for i := ends; i < len(r.At); i++ {
		if d := r.At[i] - centre; near(i) && by*d < -1 {
			by = -1 / d
		}
	}
	for i := ends; i < len(r.At); i++ {
		if near(i) {
			p := &r.row(i)[k]
			*p = max(0, *p*(1+by*(r.At[i]-centre)))
		}
	}
}

func (r *Rule) row(i int) []float64 { return r.prob[i*len(r.means) : (i+1)*len(r.means)] }
