package knn

// Renumber gives the sites new numbers, in the order of the tree, in which sites
// that are close to each other in space have numbers that are close, and returns
// the old number of each. What is kept by site can then be arranged so that a
// neighbourhood is together in memory. Ties are decided by the new numbers.
func (t *Index) Renumber() (old []int32) {
	n := t.Sites()
	old = make([]int32, 0, n)
	if n > 0 {
		old = t.renumber(0, old)
	}
	ids, radius := make([][]int32, n, n+n/4), make([]float64, 0, len(t.radius)+len(t.radius)/4)
	for site, o := range old {
		ids[site] = t.ids[o]
		radius = append(radius, t.radius[int(o)*t.Radii:(int(o)+1)*t.Radii]...)
	}
	t.ids, t.radius = ids, radius
	return old
}

// renumber numbers the sites below node n from len(old) on.
func (t *Index) renumber(n int32, old []int32) []int32 {
	nd := &t.nodes[n]
	nd.first = int32(len(old))
	if nd.left >= 0 {
		return t.renumber(nd.left+1, t.renumber(nd.left, old))
	}
	for i, to := t.slots(nd); i < to; i++ {
		site := int32(len(old))
		old = append(old, t.at[i])
		t.at[i], t.slot[site] = site, int32(i)
	}
	return old
}
