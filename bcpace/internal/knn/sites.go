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

// Update brings a list of k nearest samples up to date after Add has put one
// at site, at distance dist of the list's query; fresh is what Add returned.
func (s *sites) Update(list []Neighbor, site int32, dist float64, fresh bool, k int) []Neighbor {
	total := s.Count(list)
	n := Neighbor{site, dist}
	if fresh && (total < k || n.before(list[len(list)-1])) {
		list = insert(list, n)
		total++
	}
	list, _ = s.trim(list, total, k)
	return list
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
