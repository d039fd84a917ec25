package certified

import (
	"math"
	"slices"

	"bayescpace/bcpace/internal/knn"
)

// shortfalls bracket, for one action a, the shortfall D(s,b) = U0(s,b,a) − Q*(s,b,a) of
// the optimal values from U0(s,b,a) = Σ_φ b(φ)·Q(s,φ,a). Bounds at samples,
// lo_j ≤ D(s_j,b_j) ≤ hi_j, carry to other states and beliefs:
//
//	D(s,b) ≥ max(ρ·lo_j, lo_j − Σ_φ max(0, b_j(φ) − b(φ))·w_j(φ)) − L·d(s,s_j)
//	D(s,b) ≤ hi_j + L·d(s,s_j) + Σ_φ max(0, b(φ) − b_j(φ))·w_j(φ)
//
// with ρ = min(1, min over φ of b(φ)/b_j(φ)).
//
// Proof. Fix s = s_j. As at boxCone, Q*(s,b,a) = sup over π of Σ_φ b(φ)·α_φ, so
// that D(s,b) = inf over π of Σ_φ b(φ)·δ_φ with δ_φ = Q(s,φ,a) − α_φ. No policy
// earns more than Q(s,φ,a) under φ, nor less than the worst one, so 0 ≤ δ_φ ≤
// w_j(φ), the difference of the two. For each δ, (b − b_j)·δ is at most
// Σ max(0, b − b_j)·w_j and at least −Σ max(0, b_j − b)·w_j; and b·δ ≥ ρ·b_j·δ,
// as b ≥ ρ·b_j and δ ≥ 0. Take the infimum over δ. This changes the belief at the
// state of the sample, which is why w_j is the one of that state. To change the
// state at the belief b then costs L·d(s,s_j), by the assumption
//
//	|D(s,b,a) − D(s',b,a)| ≤ L·d(s,s') for all s, s', b.
//
// A carried bound moves by no more than lo_j or hi_j does, as 0 ≤ ρ ≤ 1.
//
// The samples are in a k-d tree over state and belief. Each node has the box around the
// points below it, the largest lo, the smallest hi and the smallest w. The bound computed
// for a box is at least as tight as that of every sample in it, also in the last bit: it
// takes the same operations in the same order, on terms that are no worse, and rounding
// is monotone. So a search of the tree finds what a search of all samples would. Searches
// do not allocate and may run side by side; add, raise and drop must run alone.
type shortfalls struct {
	axes, latents int       // coordinates of a point: those of the state, then the belief
	periods       []float64 // by axis, 0 where it has ends; nil where all have
	lip           float64

	point  []float64 // samples × (axes + latents)
	width  []float64 // samples × latents: w_j
	lo, hi []float64 // by sample
	leaf   []int32   // by sample

	nodes []shortfallNode // the root is node 0
	box   []float64       // nodes × 2·(axes + latents): low corner, high corner
	least []float64       // nodes × latents: the smallest w below
}

type shortfallNode struct {
	lo, hi float64 // the largest lo and the smallest hi below
	split  float64 // points whose coordinate is less are on the left, the others on the right
	axis   int32
	left   int32 // the left child, which the right one follows; −1 in a leaf
	parent int32 // −1 at the root
	items  []int32
}

// shortfallBucket is how many samples a leaf has before it is split.
const shortfallBucket = 16

func (t *shortfalls) dim() int { return t.axes + t.latents }

func (t *shortfalls) at(j int32) (point, width []float64) {
	d, n := t.dim(), t.latents
	return t.point[int(j)*d : (int(j)+1)*d], t.width[int(j)*n : (int(j)+1)*n]
}

func (t *shortfalls) corners(n int32) (low, high, least []float64) {
	d := t.dim()
	at := int(n) * 2 * d
	return t.box[at : at+d], t.box[at+d : at+2*d], t.least[int(n)*t.latents : (int(n)+1)*t.latents]
}

// cost is a number of which a search finds the least at x: no sample in the box from low to high has
// a smaller one, if none there has a larger lo, a smaller hi or a smaller w. For one sample, both
// corners are its point.
type cost func(t *shortfalls, x, low, high, w []float64, lo, hi float64) float64

// minusLower is minus the lower bound of D at x.
func minusLower(t *shortfalls, x, low, high, w []float64, lo, _ float64) float64 {
	cone, ratio := 0.0, 1.0
	q := low[t.axes:]
	for i, p := range x[t.axes:] {
		if q[i] > p {
			cone += (q[i] - p) * w[i]
			ratio = min(ratio, p/q[i])
		}
	}
	return t.lip*t.distance(x, low, high) - max(lo*ratio, lo-cone)
}

// upperBound is the upper bound of D at x.
func upperBound(t *shortfalls, x, low, high, w []float64, _, hi float64) float64 {
	cone := 0.0
	q := high[t.axes:]
	for i, p := range x[t.axes:] {
		if p > q[i] {
			cone += (p - q[i]) * w[i]
		}
	}
	return hi + t.lip*t.distance(x, low, high) + cone
}

// loss is what bounds lose on the way to x: L·d(s,s_j) for the state and Σ|b − b_j|·w_j for the
// belief.
func loss(t *shortfalls, x, low, high, w []float64, _, _ float64) float64 {
	sum := t.lip * t.distance(x, low, high)
	for i, p := range x[t.axes:] {
		if l := low[t.axes+i]; p < l {
			sum += (l - p) * w[i]
		} else if h := high[t.axes+i]; p > h {
			sum += (p - h) * w[i]
		}
	}
	return sum
}

// distance returns the distance of the state of x from a box.
func (t *shortfalls) distance(x, low, high []float64) float64 {
	d := 0.0
	for i, v := range x[:t.axes] {
		switch {
		case t.periods != nil:
			d += knn.Outside(v, low[i], high[i], t.periods[i])
		case v < low[i]:
			d += low[i] - v
		case v > high[i]:
			d += v - high[i]
		}
	}
	return d
}

// lower returns the largest lower bound of D at x, which is at least 0, or any lower
// bound that is at least enough.
func (t *shortfalls) lower(x []float64, enough float64) float64 {
	_, d := t.search(minusLower, x, 0, -enough)
	return max(0, -d)
}

// upper returns the smallest upper bound of D at x, or limit if none is below it.
func (t *shortfalls) upper(x []float64, limit float64) float64 {
	_, d := t.search(upperBound, x, limit, math.Inf(-1))
	return d
}

// search returns the sample with the least cost at x, and this cost; or one whose cost is at most
// enough; or −1 and limit if no cost is below limit.
func (t *shortfalls) search(of cost, x []float64, limit, enough float64) (item int32, least float64) {
	if len(t.nodes) == 0 {
		return -1, limit
	}
	return t.searchBelow(0, of, x, -1, limit, enough)
}

func (t *shortfalls) searchBelow(n int32, of cost, x []float64, best int32, limit, enough float64) (int32, float64) {
	node := &t.nodes[n]
	if node.left < 0 {
		for _, j := range node.items {
			p, w := t.at(j)
			if c := of(t, x, p, p, w, t.lo[j], t.hi[j]); c < limit {
				best, limit = j, c
			}
		}
		return best, limit
	}
	ofNode := func(n int32) float64 {
		low, high, w := t.corners(n)
		return of(t, x, low, high, w, t.nodes[n].lo, t.nodes[n].hi)
	}
	first, second := node.left, node.left+1
	u, v := ofNode(first), ofNode(second)
	if v < u {
		first, second, u, v = second, first, v, u
	}
	if u < limit && limit > enough {
		best, limit = t.searchBelow(first, of, x, best, limit, enough)
	}
	if v < limit && limit > enough {
		best, limit = t.searchBelow(second, of, x, best, limit, enough)
	}
	return best, limit
}

// raise raises the lower bound of sample j to lo, and drop lowers its upper bound to hi.
func (t *shortfalls) raise(j int32, lo float64) {
	t.lo[j] = lo
	for n := t.leaf[j]; n >= 0 && t.nodes[n].lo < lo; n = t.nodes[n].parent {
		t.nodes[n].lo = lo
	}
}

func (t *shortfalls) drop(j int32, hi float64) {
	t.hi[j] = hi
	for n := t.leaf[j]; n >= 0 && t.nodes[n].hi > hi; n = t.nodes[n].parent {
		t.nodes[n].hi = hi
	}
}

// add adds a sample and returns its number.
func (t *shortfalls) add(x, width []float64, lo, hi float64) int32 {
	j := int32(len(t.lo))
	t.point = append(t.point, x...)
	t.width = append(t.width, width...)
	t.lo, t.hi, t.leaf = append(t.lo, lo), append(t.hi, hi), append(t.leaf, 0)
	if len(t.nodes) == 0 {
		t.newNode(-1)
	}
	n := int32(0)
	for {
		t.include(n, j)
		node := &t.nodes[n]
		if node.left < 0 {
			node.items = append(node.items, j)
			t.leaf[j] = n
			if len(node.items) > shortfallBucket {
				t.splitLeaf(n)
			}
			return j
		}
		n = node.left
		if x[node.axis] >= node.split {
			n++
		}
	}
}

func (t *shortfalls) newNode(parent int32) int32 {
	n := int32(len(t.nodes))
	t.nodes = append(t.nodes, shortfallNode{lo: math.Inf(-1), hi: math.Inf(1), left: -1, parent: parent})
	low, high := slices.Repeat([]float64{math.Inf(1)}, t.dim()), slices.Repeat([]float64{math.Inf(-1)}, t.dim())
	t.box, t.least = append(append(t.box, low...), high...), append(t.least, low[:t.latents]...)
	return n
}

// include extends the box and the bounds of node n to sample j.
func (t *shortfalls) include(n, j int32) {
	p, w := t.at(j)
	low, high, least := t.corners(n)
	for i, v := range p {
		low[i], high[i] = min(low[i], v), max(high[i], v)
	}
	for i, v := range w {
		least[i] = min(least[i], v)
	}
	t.nodes[n].lo = max(t.nodes[n].lo, t.lo[j])
	t.nodes[n].hi = min(t.nodes[n].hi, t.hi[j])
}

// splitLeaf splits leaf n at the median of its points, on the axis along which carried
// bounds change most. If all points are equal, it does nothing.
func (t *shortfalls) splitLeaf(n int32) {
	low, high, least := t.corners(n)
	axis, most := -1, 0.0
	for i := range low {
		rate := t.lip
		if i >= t.axes {
			rate = least[i-t.axes]
		}
		if change := rate * (high[i] - low[i]); change > most {
			axis, most = i, change
		}
	}
	if axis < 0 {
		return
	}
	items := t.nodes[n].items
	values := make([]float64, len(items))
	for i, j := range items {
		values[i] = t.point[int(j)*t.dim()+axis]
	}
	slices.Sort(values)
	split := values[len(values)/2]
	if split == values[0] {
		split = values[slices.IndexFunc(values, func(v float64) bool { return v > split })]
	}
	left := t.newNode(n)
	t.newNode(n)
	t.nodes[n].axis, t.nodes[n].split, t.nodes[n].left, t.nodes[n].items = int32(axis), split, left, nil
	for _, j := range items {
		to := left
		if t.point[int(j)*t.dim()+axis] >= split {
			to++
		}
		t.include(to, j)
		t.nodes[to].items = append(t.nodes[to].items, j)
		t.leaf[j] = to
	}
}
