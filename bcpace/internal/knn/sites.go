package knn

// sites holds the samples of each site and what lists of neighbours need to
// know of them.
type sites struct {
	ids [][]int32 // by site: its samples, in increasing order
}

// Sites returns the number of sites.
func (s *sites) Sites() int { return len(s.ids) }

// Samples returns the ids of the samples at a site.
func (s *sites) Samples(site int32) []int32 { return s.ids[site] }

// Count returns the number of samples at the sites of a list.
func (s *sites) Count(list []Neighbor) int {
	n := 0
	for _, x := range list {
		n += len(s.ids[x.Site])
	}
	return n
}

// Update brings a list of k nearest samples, which holds total samples at its
// sites, up to date after Add has put one at n; fresh is what Add returned. What
// it drops stays behind the end of the list it returns. It does not allocate
// where the list has room for one more.
func (s *sites) Update(list []Neighbor, total int, n Neighbor, fresh bool, k int) ([]Neighbor, int) {
	switch {
	case !fresh && len(list) > 0 && !list[len(list)-1].before(n):
		total++ // a sample more at a site of the list
	case fresh && (total < k || n.before(list[len(list)-1])):
		list = insert(list, n)
		total++
	default:
		return list, total
	}
	return s.trim(list, total, k)
}

// Keep puts a site into a list of k nearest samples, which holds total samples at its sites,
// if it belongs there.
func (s *sites) Keep(list []Neighbor, total int, n Neighbor, k int) ([]Neighbor, int) {
	if total >= k && !n.before(list[len(list)-1]) {
		return list, total
	}
	return s.trim(insert(list, n), total+len(s.ids[n.Site]), k)
}

// insert puts n in its place.
func insert(list []Neighbor, n Neighbor) []Neighbor {
	list = append(list, n)
	i := len(list) - 1
	for i > 0 && n.before(list[i-1]) {
		list[i] = list[i-1]
		i--
	}
	list[i] = n
	return list
}

// trim drops the farthest sites that the k nearest samples do without.
func (s *sites) trim(list []Neighbor, total, k int) ([]Neighbor, int) {
	for len(list) > 0 {
		n := len(s.ids[list[len(list)-1].Site])
		if total-n < k {
			break
		}
		list, total = list[:len(list)-1], total-n
	}
	return list, total
}
