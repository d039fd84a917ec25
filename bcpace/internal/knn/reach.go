package knn

// Reached appends to dst[:0] the sites whose radius number j exceeds their
// distance from x, in an order that depends on nothing but the calls of Add and
// SetRadius: the reverse of a search for neighbours. It costs what a search
// costs, where the radii of neighbouring sites are alike.
func (t *Index) Reached(dst []Neighbor, x []float64, j int) []Neighbor {
	dst = dst[:0]
	if len(t.nodes) > 0 {
		dst = t.reached(dst, 0, x[:t.Dim], j)
	}
	return dst
}

func (t *Index) reached(dst []Neighbor, n int32, x []float64, j int) []Neighbor {
	if reach := t.reach[int(n)*t.Radii+j]; t.bound(n, x, reach) >= reach {
		return dst
	}
	nd := &t.nodes[n]
	if nd.left >= 0 {
		dst = t.reached(dst, nd.left, x, j)
		return t.reached(dst, nd.left+1, x, j)
	}
	for i, to := t.slots(nd); i < to; i++ {
		r := t.radius[int(t.at[i])*t.Radii+j]
		if d := t.within(t.points[i*t.Dim:(i+1)*t.Dim], x, r); d < r {
			dst = append(dst, Neighbor{t.at[i], d})
		}
	}
	return dst
}

// SetRadius sets radius number j of a site, which is infinite at first; a
// negative one keeps the site out of Reached. It takes O(log n) time at most,
// and less where another site near by has a larger radius.
func (t *Index) SetRadius(site int32, j int, r float64) {
	t.radius[int(site)*t.Radii+j] = r
	n := t.owner[int(t.slot[site])/t.bucket()]
	for most := t.largest(n, j); t.reach[int(n)*t.Radii+j] != most; most = t.largest(n, j) {
		t.reach[int(n)*t.Radii+j] = most
		if n = t.nodes[n].parent; n < 0 {
			return
		}
	}
}

// updateReach finds the reach of node n from what is right below.
func (t *Index) updateReach(n int32) {
	for j := range t.Radii {
		t.reach[int(n)*t.Radii+j] = t.largest(n, j)
	}
}

// largest returns the largest radius j below node n, from what is right below.
func (t *Index) largest(n int32, j int) float64 {
	nd := &t.nodes[n]
	if nd.left >= 0 {
		return max(t.reach[int(nd.left)*t.Radii+j], t.reach[int(nd.left+1)*t.Radii+j])
	}
	most := -1.0
	from, to := t.slots(nd)
	for _, site := range t.at[from:to] {
		most = max(most, t.radius[int(site)*t.Radii+j])
	}
	return most
}
