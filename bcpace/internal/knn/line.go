package knn

import "slices"

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
