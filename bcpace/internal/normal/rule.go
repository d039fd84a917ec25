package normal

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// Rule is a quadrature with common places for the distributions of a Noise around several
// means, with a standard deviation of its own each. The line is cut into cells of which none
// has more than 5/4 of 1/nodes of the probability under any of them, and a cell stands at its
// mean. The ends of an axis are places of their own, with their exact probabilities. The mean
// under each distribution is kept.
//
// The zero value is ready, and Fill does not allocate once its lists have grown.
type Rule struct {
	At   []float64 // the places, each once
	prob []float64 // places × distinct distributions

	dists  []dist // distinct ones, by where they begin
	number []int  // by mean given: its number in dists
	mixed  bool   // standard deviations differ

	left, right []edge    // scratch: of a cell, by distribution that shares it
	all         []float64 // scratch: the probability below all cells
}

const (
	negligible = 1e-9 // probability of a place that is left out, under every distribution
	widest     = 2    // σ that a cell between two others may span
	reach      = 4    // σ from a mean to where its distribution begins and ends
)

// edges are, in σ from the mean, those of cells of a distribution that is narrower than others: so no
// cell has much of it and of what lies beside it.
var edges = [...]float64{-5, -2.5, 2.5, 5}

// dist is a normal distribution between places beyond which it has hardly any probability.
type dist struct{ begin, mean, sigma, end float64 }

func newDist(mean, sigma float64) dist {
	return dist{mean - reach*sigma, mean, sigma, mean + reach*sigma}
}

// byBegin orders distributions by where they begin.
func byBegin(a, b dist) int {
	switch {
	case a.begin < b.begin, a.begin == b.begin && a.mean < b.mean: // rounding
		return -1
	case a == b:
		return 0
	}
	return 1
}

// Prob returns the probability of place i under the mean of that number.
func (r *Rule) Prob(i, mean int) float64 { return r.prob[i*len(r.dists)+r.number[mean]] }

// Fill makes r the rule of n around the given means, which are finite. sigmas has a standard
// deviation for each, in the place of that of n, which is not 0 then; nil means that of n for all.
func (r *Rule) Fill(n *Noise, means, sigmas []float64, nodes int) {
	r.At, r.prob = r.At[:0], r.prob[:0]
	r.distinct(n, means, sigmas)
	if n.Sigma == 0 {
		for k, d := range r.dists {
			r.place(d.mean)[k] = 1
		}
		return
	}
	low, high := math.Inf(-1), math.Inf(1)
	if !n.Wraps && r.atom(n.Min, 1) {
		low = n.Min
	}
	if !n.Wraps && r.atom(n.Max, -1) {
		high = n.Max
	}
	ends := len(r.At)
	from := low
	for k := 0; k < len(r.dists); {
		last, end := r.dists[k], k+1 // last ends last
		for end < len(r.dists) && r.dists[end].mean-last.mean <= reach*(r.dists[end].sigma+last.sigma) {
			if r.dists[end].end >= last.end {
				last = r.dists[end]
			}
			end++
		}
		to := high
		if end < len(r.dists) { // in the middle between the two
			next := r.dists[end]
			to = min(max(last.mean/2+next.mean/2+reach/2*(last.sigma-next.sigma), from), high)
		}
		r.cells(from, to, k, end, nodes)
		from, k = to, end
	}
	if first, last := r.dists[0], r.dists[len(r.dists)-1]; ends == 0 && !r.mixed && last.mean-first.mean <= 2*reach*first.sigma {
		r.stretch(first.sigma)
	}
	for k := range r.dists {
		r.settle(k, ends, low, high)
		if r.mixed {
			r.widen(k, ends, low, high, 1.25/float64(nodes))
		}
	}
	for i, x := range r.At[ends:] {
		if n.Wraps {
			r.At[ends+i] = n.Onto(x)
		} else { // rounding must not put a cell on an end
			r.At[ends+i] = min(max(x, math.Nextafter(n.Min, n.Max)), math.Nextafter(n.Max, n.Min))
		}
	}
}

// distinct sets the distinct distributions. On an axis that wraps their means are taken within
// half a round of the first one; without noise they are the places where they come to lie.
func (r *Rule) distinct(n *Noise, means, sigmas []float64) {
	r.dists, r.number, r.mixed = r.dists[:0], r.number[:0], false
	of := func(i int) dist {
		mean, sigma := means[i], n.Sigma
		if sigmas != nil {
			sigma = sigmas[i]
		}
		switch {
		case sigma == 0:
			mean = n.Onto(mean)
		case n.Wraps:
			first := n.Onto(means[0])
			mean = first + math.Remainder(mean-first, n.Max-n.Min)
		}
		return newDist(mean, sigma)
	}
	for i := range means {
		r.dists = append(r.dists, of(i))
		r.mixed = r.mixed || r.dists[i].sigma != r.dists[0].sigma
	}
	slices.SortFunc(r.dists, byBegin)
	r.dists = slices.Compact(r.dists)
	for i := range means {
		k, _ := slices.BinarySearchFunc(r.dists, of(i), byBegin)
		r.number = append(r.number, k)
	}
}

// place adds a place and returns its probabilities, by distinct distribution, to be set.
func (r *Rule) place(x float64) []float64 {
	r.At = append(r.At, x)
	for range r.dists {
		r.prob = append(r.prob, 0)
	}
	return r.prob[len(r.prob)-len(r.dists):]
}

// drop takes the last place away.
func (r *Rule) drop() {
	r.At, r.prob = r.At[:len(r.At)-1], r.prob[:len(r.prob)-len(r.dists)]
}

// atom adds an end of the axis, beyond which side 1 means below it and −1 above it, unless its
// probability is negligible. It reports whether it did.
func (r *Rule) atom(x, side float64) bool {
	p := r.place(x)
	for k, d := range r.dists {
		p[k] = CDF((x - d.mean) / (side * d.sigma))
	}
	if slices.Max(p) < negligible {
		r.drop()
		return false
	}
	return true
}

// cells adds the cells between low and high for the distinct distributions from k to end−1. The
// others are too far away to have a share in them.
func (r *Rule) cells(low, high float64, k, end, nodes int) {
	dists := r.dists[k:end]
	r.left, r.right, r.all = r.left[:0], r.right[:0], r.all[:0]
	first, tail, most := math.Inf(1), math.Inf(-1), 0.0
	for _, d := range dists {
		r.left = append(r.left, edgeAt((low-d.mean)/d.sigma))
		r.all = append(r.all, CDF((high-d.mean)/d.sigma))
		first, most = min(first, d.mean), max(most, d.sigma)
	}
	for _, d := range dists {
		from := d.mean + edges[len(edges)-1]*d.sigma
		if d.sigma == most {
			from = min(d.mean, high) - widest*d.sigma
		}
		tail = max(tail, from) // from here on, one cell may take the rest
	}
	share := 1 / float64(nodes)
	for a := low; a < high; {
		// The cell ends where the first of the distributions has its share in it.
		b, rest := high, 0.0
		for j, d := range dists {
			rest = max(rest, r.all[j]-r.left[j].below)
			if p := r.left[j].below + share; p < 1 {
				b = min(b, d.mean+d.sigma*mathext.NormalQuantile(p))
			}
			if d.sigma < most {
				for _, z := range edges {
					if edge := d.mean + z*d.sigma; edge > a {
						b = min(b, edge)
					}
				}
			}
		}
		switch {
		case a >= tail && rest <= 1.25*share, !(b > a): // or no cell between by rounding
			b = high
		case a > first: // between two means
			b = min(b, a+widest*narrowest(dists, a))
		}
		r.right = r.right[:0]
		for _, d := range dists {
			r.right = append(r.right, edgeAt((b-d.mean)/d.sigma))
		}
		r.cell(a, b, k)
		a, r.left, r.right = b, r.right, r.left
	}
}

// narrowest returns the least standard deviation of the distributions that reach to a, or the
// first one's where none does.
func narrowest(dists []dist, a float64) float64 {
	least := math.Inf(1)
	for _, d := range dists {
		if d.begin <= a && a <= d.end {
			least = min(least, d.sigma)
		}
	}
	if math.IsInf(least, 1) {
		return dists[0].sigma
	}
	return least
}

// edge is what is known of a distribution at the edge of a cell.
type edge struct{ below, density float64 }

func edgeAt(z float64) edge { return edge{CDF(z), Density(z)} }

// cell adds the cell between the edges r.left at a and r.right at b, at its mean over the
// distributions from k on to which the edges belong, unless its probability is negligible.
func (r *Rule) cell(a, b float64, k int) {
	p := r.place(0)
	sum, weight, top := 0.0, 0.0, 0.0
	for j, left := range r.left {
		share := r.right[j].below - left.below
		p[k+j] = share
		weight += share
		d := r.dists[k+j]
		sum += d.mean*share + d.sigma*(left.density-r.right[j].density)
		top = max(top, share)
	}
	if top < negligible {
		r.drop()
		return
	}
	r.At[len(r.At)-1] = min(max(sum/weight, a), b)
}

// stretch moves all cells away from their mean, until their variance over all distributions,
// of which the width of the cells has taken a part, is right. All have the standard deviation
// sigma.
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
	for _, d := range r.dists {
		want += sigma*sigma + (d.mean-centre)*(d.mean-centre)
	}
	if got > 0 {
		by := math.Sqrt(want / got)
		for i, x := range r.At {
			r.At[i] = centre + (x-centre)*by
		}
	}
}

// settle makes the probabilities under distinct distribution k sum to 1, and shifts them
// between the cells near it, from number ends on, so that their mean is that of the
// distribution between low and high. It shifts less where a probability would become negative.
func (r *Rule) settle(k, ends int, low, high float64) {
	total := 0.0
	for i := range r.At {
		total += r.row(i)[k]
	}
	d := r.dists[k]
	for i := range r.At {
		r.row(i)[k] /= total
	}
	weight, centre := r.centre(k, ends)
	if weight < negligible {
		return
	}
	spread := 0.0
	for i := ends; i < len(r.At); i++ {
		if r.near(i, d) {
			spread += r.row(i)[k] * (r.At[i] - centre) * (r.At[i] - centre)
		}
	}
	if !(spread > 1e-9*weight*d.sigma*d.sigma) { // one cell
		return
	}
	from, to := (low-d.mean)/d.sigma, (high-d.mean)/d.sigma
	want := d.mean + d.sigma*(Density(from)-Density(to))/mass(from, to)
	by := (want - centre) * weight / spread
	for i := ends; i < len(r.At); i++ {
		if x := r.At[i] - centre; r.near(i, d) && by*x < -1 {
			by = -1 / x
		}
	}
	for i := ends; i < len(r.At); i++ {
		if r.near(i, d) {
			p := &r.row(i)[k]
			*p = max(0, *p*(1+by*(r.At[i]-centre)))
		}
	}
}

// widen shifts the probabilities under distinct distribution k, as settle has left them,
// between the cells near it, from number ends on, so that their variance is that of the
// distribution between low and high; their mean stays. It does so by the polynomial of second
// degree that is orthogonal to the others, and less where a probability would come to more than
// most or to less than half.
func (r *Rule) widen(k, ends int, low, high, most float64) {
	d := r.dists[k]
	weight, centre := r.centre(k, ends)
	if weight < negligible {
		return
	}
	var moment [5]float64 // in units of sigma
	for i := ends; i < len(r.At); i++ {
		if r.near(i, d) {
			x, p := (r.At[i]-centre)/d.sigma, r.row(i)[k]/weight
			for n := range moment {
				moment[n] += p
				p *= x
			}
		}
	}
	if !(moment[2] > 0.1) { // hardly more than one cell
		return
	}
	skew := moment[3] / moment[2]
	norm := moment[4] - skew*moment[3] - moment[2]*moment[2]
	if !(norm > 1e-3*moment[2]) { // hardly more than two cells
		return
	}
	by := (variance((low-d.mean)/d.sigma, (high-d.mean)/d.sigma) - moment[2]) / norm
	second := func(i int) float64 {
		x := (r.At[i] - centre) / d.sigma
		return x*x - skew*x - moment[2]
	}
	for i := ends; i < len(r.At); i++ {
		if q := second(i); r.near(i, d) {
			if more := max(0, most/r.row(i)[k]-1); by*q < -0.5 {
				by = -0.5 / q
			} else if by*q > more {
				by = more / q
			}
		}
	}
	for i := ends; i < len(r.At); i++ {
		if r.near(i, d) {
			r.row(i)[k] *= 1 + by*second(i)
		}
	}
}

// centre returns the probability under distinct distribution k of the cells near it, from number ends
// on, and their mean.
func (r *Rule) centre(k, ends int) (weight, mean float64) {
	for i := ends; i < len(r.At); i++ {
		if r.near(i, r.dists[k]) {
			weight += r.row(i)[k]
			mean += r.row(i)[k] * r.At[i]
		}
	}
	return weight, mean / weight
}

// near reports whether place i may have a share of d.
func (r *Rule) near(i int, d dist) bool { return math.Abs(r.At[i]-d.mean) <= 2*reach*d.sigma }

func (r *Rule) row(i int) []float64 { return r.prob[i*len(r.dists) : (i+1)*len(r.dists)] }
