package knn

import "math"

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
// that are less than within from it and dominated by less than k samples. There may be more.
func (l *LineSearch) Find(t *Index, x []float64, free, k int, within float64) {
	l.Sites, l.Rest, l.Free, l.samples, l.heap = l.Sites[:0], l.Rest[:0], l.Free[:0], l.samples[:0], l.heap[:0]
	if len(t.nodes) == 0 || !(within > 0) {
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
		if w.rest >= within {
			return
		}
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
			if rest >= within || l.dominated(rest, p[:free], p[:free], k) {
				continue
			}
			site := t.at[slot]
			l.Sites, l.Rest, l.Free = append(l.Sites, site), append(l.Rest, rest), append(l.Free, p[:free]...)
			l.samples = append(l.samples, int32(len(t.ids[site])))
		}
	}
}

// Widest returns the largest radius number j, less that much, of the sites that are nearer to the line through x than
// theirs; 0 where none is.
func (t *Index) Widest(x []float64, free, j int, less float64) float64 {
	if len(t.nodes) == 0 {
		return 0
	}
	return t.widest(0, 0, x, free, j, less)
}

// widest is Widest below node n, where most was found elsewhere.
func (t *Index) widest(most float64, n int32, x []float64, free, j int, less float64) float64 {
	if r := t.reach[int(n)*t.Radii+j] - less; r <= most || t.restOf(n, x, free) >= r {
		return most
	}
	nd := &t.nodes[n]
	if nd.left >= 0 {
		first, second := nd.left, nd.left+1
		if t.reach[int(second)*t.Radii+j] > t.reach[int(first)*t.Radii+j] {
			first, second = second, first
		}
		return t.widest(t.widest(most, first, x, free, j, less), second, x, free, j, less)
	}
	for i, to := t.slots(nd); i < to; i++ {
		if r := t.radius[int(t.at[i])*t.Radii+j] - less; r > most && t.offLine(x, t.points[i*t.Dim:(i+1)*t.Dim], free) < r {
			most = r
		}
	}
	return most
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
