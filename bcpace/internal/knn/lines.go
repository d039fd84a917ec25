package knn

import (
	"math"
	"slices"
)

// A line of an Index is the set of points that agree in all coordinates but the first few,
// its free ones. The distance of site j from the point of the line at u is
//
//	rest_j + |u_j − u|,
//
// where rest_j is its part in the other coordinates. If rest_i + |u_i − u_j| < rest_j, then,
// by the triangle inequality, site i is nearer than site j wherever on the line: i dominates
// j. A site that is dominated by k samples is among the k nearest samples nowhere on the line.

// LineSites are sites near a line.
type LineSites struct {
	Sites []int32
	Rest  []float64 // by site: the distance from the line
	Free  []float64 // the free coordinates, one site after the other
}

// LineSearch finds the sites that may be among the nearest on a line: they are its LineSites. The
// zero value is ready; it is for one goroutine, and does not allocate once it has grown.
type LineSearch struct {
	LineSites
	samples   []int32 // by site found: how many there are
	heap      []waitingNode
	low, high []float64 // the free coordinates of a node
	most      []float64 // the largest distance on each of them
}

// waitingNode is a node whose sites are at least so far from the line.
type waitingNode struct {
	rest float64
	node int32
}

// Find finds the sites near the line through x whose first free coordinates are free: all
// that are dominated by less than k samples. There may be more.
func (l *LineSearch) Find(t *Index, x []float64, free, k int) {
	l.Sites, l.Rest, l.Free, l.samples, l.heap = l.Sites[:0], l.Rest[:0], l.Free[:0], l.samples[:0], l.heap[:0]
	if len(t.nodes) == 0 {
		return
	}
	l.low, l.high, l.most = append(l.low[:0], x[:free]...), append(l.high[:0], x[:free]...), l.most[:0]
	for i := range free {
		most := math.Inf(1)
		if p := t.period(i); p > 0 {
			most = p / 2
		}
		l.most = append(l.most, most)
	}
	l.push(waitingNode{0, 0})
	for len(l.heap) > 0 {
		w := l.pop()
		box := t.boxes[2*int(w.node)*t.Dim : 2*(int(w.node)+1)*t.Dim]
		for i := range free {
			l.low[i], l.high[i] = float64(box[2*i]), float64(box[2*i+1])
		}
		if l.dominated(w.rest, l.low, l.high, k) {
			continue
		}
		nd := &t.nodes[w.node]
		if nd.left >= 0 {
			l.push(waitingNode{t.restOf(nd.left, x, free), nd.left})
			l.push(waitingNode{t.restOf(nd.left+1, x, free), nd.left + 1})
			continue
		}
		for slot, to := t.slots(nd); slot < to; slot++ {
			p := t.points[slot*t.Dim : (slot+1)*t.Dim]
			rest := t.offLine(x, p, free)
			if l.dominated(rest, p[:free], p[:free], k) {
				continue
			}
			site := t.at[slot]
			l.Sites, l.Rest, l.Free = append(l.Sites, site), append(l.Rest, rest), append(l.Free, p[:free]...)
			l.samples = append(l.samples, int32(len(t.ids[site])))
		}
	}
}

// offLine returns the distance of p from the line through x.
func (t *Index) offLine(x, p []float64, free int) float64 {
	rest := 0.0
	for i := free; i < t.Dim; i++ {
		rest += Outside(x[i], p[i], p[i], t.period(i))
	}
	return rest
}

// restOf returns a lower bound of the distance from the line of the sites below node n: with no free coordinates,
// of their distance from x.
func (t *Index) restOf(n int32, x []float64, free int) float64 {
	box := t.boxes[2*int(n)*t.Dim : 2*(int(n)+1)*t.Dim]
	d := 0.0
	for i := free; i < t.Dim; i++ {
		d += Outside(x[i], float64(box[2*i]), float64(box[2*i+1]), t.period(i))
	}
	return d
}

// clearly is how much nearer a site must be to dominate another: by far more than rounding
// may come to, as to keep a site costs little.
const clearly = 1 - 1e-9

// dominated reports whether k samples of those found dominate all that is at least rest from
// the line, with free coordinates from low to high.
func (l *LineSearch) dominated(rest float64, low, high []float64, k int) bool {
	limit := rest * clearly
	if len(low) == 1 {
		free, low, high, most := l.Free[:len(l.Rest)], low[0], high[0], l.most[0]
		for j, r := range l.Rest {
			if u := free[j]; r+min(max(u-low, high-u), most) < limit {
				if k -= int(l.samples[j]); k <= 0 {
					return true
				}
			}
		}
		return false
	}
	for j, r := range l.Rest {
		free := l.Free[j*len(low) : (j+1)*len(low)]
		for i, u := range free {
			r += min(max(u-low[i], high[i]-u), l.most[i])
		}
		if r < limit {
			if k -= int(l.samples[j]); k <= 0 {
				return true
			}
		}
	}
	return false
}

func (l *LineSearch) push(w waitingNode) {
	l.heap = append(l.heap, w)
	i := len(l.heap) - 1
	for i > 0 && w.rest < l.heap[(i-1)/2].rest {
		l.heap[i] = l.heap[(i-1)/2]
		i = (i - 1) / 2
	}
	l.heap[i] = w
}

func (l *LineSearch) pop() waitingNode {
	top, last := l.heap[0], l.heap[len(l.heap)-1]
	l.heap = l.heap[:len(l.heap)-1]
	n, i := len(l.heap), 0
	for child := 1; child < n; child = 2*i + 1 {
		if child+1 < n && l.heap[child+1].rest < l.heap[child].rest {
			child++
		}
		if l.heap[child].rest >= last.rest {
			break
		}
		l.heap[i] = l.heap[child]
		i = child
	}
	if n > 0 {
		l.heap[i] = last
	}
	return top
}

// Line is a line of an Index with the sites near it, kept up to date while samples are added:
// those that less than k samples dominate, nearest first. They depend on the samples alone,
// not on their order. The zero value is a line before Find.
//
// Domination is transitive. So a site that less than k samples dominate is dominated by such
// sites only, and it is enough to count the samples of these.
type Line struct {
	LineSites
	samples []int32 // by site
	beaten  []int32 // by site: the samples that dominate it
}

// lineSite is a site near a line.
type lineSite struct {
	site int32
	rest float64
	free []float64
}

// Find sets the line through x, whose first free coordinates are free, to the sites of an
// Index.
func (l *Line) Find(t *Index, x []float64, free, k int, w *LineSearch) {
	w.Find(t, x, free, k)
	*l = Line{}
	for j := range w.Sites {
		s := w.at(j, free)
		l.insert(t, s, int32(len(t.ids[s.site])), k)
	}
}

// Add takes account of one more sample, at a site of the Index, which has no other sample if
// it is fresh. The other arguments are those of Find.
func (l *Line) Add(t *Index, x []float64, free, k int, site int32, fresh bool) {
	if fresh {
		p := t.Point(site)
		l.insert(t, lineSite{site, t.offLine(x, p, free), p[:free]}, 1, k)
	} else if j := slices.Index(l.Sites, site); j >= 0 {
		l.samples[j]++
		l.beat(t, j, free, 1, k)
	}
}

// insert adds a site with so many samples, unless k samples dominate it.
func (l *Line) insert(t *Index, s lineSite, samples int32, k int) {
	free, beaten, j := len(s.free), int32(0), 0
	for ; j < len(l.Rest) && l.Rest[j] < s.rest; j++ {
		if t.dominates(l.at(j, free), s) {
			if beaten += l.samples[j]; int(beaten) >= k {
				return
			}
		}
	}
	for j < len(l.Rest) && l.Rest[j] == s.rest && l.Sites[j] < s.site {
		j++
	}
	l.Sites, l.Rest, l.Free = slices.Insert(l.Sites, j, s.site), slices.Insert(l.Rest, j, s.rest), slices.Insert(l.Free, j*free, s.free...)
	l.samples, l.beaten = slices.Insert(l.samples, j, samples), slices.Insert(l.beaten, j, beaten)
	l.beat(t, j, free, samples, k)
}

// beat counts so many new samples at site j of the list, and drops the sites that k samples
// dominate now. They all lie behind it.
func (l *Line) beat(t *Index, j, free int, samples int32, k int) {
	s, kept := l.at(j, free), j+1
	for i := j + 1; i < len(l.Sites); i++ {
		if t.dominates(s, l.at(i, free)) {
			if l.beaten[i] += samples; int(l.beaten[i]) >= k {
				continue
			}
		}
		if kept < i {
			l.Sites[kept], l.Rest[kept], l.samples[kept], l.beaten[kept] = l.Sites[i], l.Rest[i], l.samples[i], l.beaten[i]
			copy(l.Free[kept*free:], l.Free[i*free:(i+1)*free])
		}
		kept++
	}
	l.Sites, l.Rest, l.Free, l.samples, l.beaten = l.Sites[:kept], l.Rest[:kept], l.Free[:kept*free], l.samples[:kept], l.beaten[:kept]
}

// at returns site j of the list.
func (l *LineSites) at(j, free int) lineSite {
	return lineSite{l.Sites[j], l.Rest[j], l.Free[j*free : (j+1)*free]}
}

// dominates reports whether site a dominates site b.
func (t *Index) dominates(a, b lineSite) bool {
	d := a.rest
	for i, u := range a.free {
		d += Outside(u, b.free[i], b.free[i], t.period(i))
	}
	return d < b.rest*clearly
}
