package cpace

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/knn"
	"bayescpace/bcpace/internal/num"
)

// controlSearch finds the control of an action at which Q̃(s, b, ·) is largest, by branch and
// bound over the places of its Box. Samples count by the paper's distance, which is over
// (s, b, a) jointly.
//
// A cell is a range of places on each axis. Let c be its middle, H the largest distance of
// a place in it from c, and R the distance from (s, b, c) of the k-th nearest sample, plus H.
// Whatever the place u in the cell, its k nearest samples are within R of (s, b, u), as k
// samples are. So they are samples whose distance from the cell is at most R; and each adds
// at most min(L_Q̃·min(d + H, R) + Q, U) to the average, where d is its distance from
// (s, b, c), and U is the largest upper bound in the cell. What is nearer to (s, b, c) than
// the sample after the k-th, by more than 2H, is among the k nearest in all of the cell; for
// the rest the largest stand, and the mean of all bounds Q̃ in the cell. A cell is given up
// when its bound exceeds the best value found by no more than the tolerance; otherwise it is
// cut in two. The samples of a part are among those of the whole, so that lists shrink with
// the cells.
//
// A sample j that adds U wherever the place, as L_Q̃·rest_j + Q_j ≥ U for its distance rest_j from (s, b) and the largest
// bound U there, changes nothing: a missing one adds U too. Samples that add less may be pushed out by such as are
// nearer, within (U − Q_j)/L_Q̃. So the search knows all samples within the largest of these distances, and where
// there is none, no sample. Radius 0 of a site of the index is (Q̃max − Q_j)/L_Q̃, from which it takes
// (Q̃max − U)/L_Q̃.
//
// It is for one goroutine, and does not allocate once its lists have grown.
type controlSearch struct {
	e         *estimator
	tolerance float64 // in reward units
	index     int     // of the action
	point     []float64
	step      [num.MaxBoxAxes]float64 // the distance of two places, in coordinates
	periods   [num.MaxBoxAxes]float64 // in coordinates, 0 without one
	round     bool                    // some axis has a period: distances are not convex there
	nodes     []float64               // by point of controlNodes: the upper bound there, empty where it is the same for all
	top       float64                 // the largest upper bound of all controls

	lines   knn.LineSearch
	widest  float64 // of several searches: the largest distance within which samples matter
	near    []knn.Neighbor
	list    []nearSite                   // those of all cells under way, one cell after the other
	values  []float64                    // scratch of evaluate
	corners [1 << num.MaxBoxAxes]float64 // likewise: by corner of the cell

	best  float64
	place [num.MaxBoxAxes]int
	cells int // evaluated, for tests and benchmarks
}

// nearSite is a site that may be near a place of a cell.
type nearSite struct {
	site int32
	dist float64 // from the cell's middle
	rest float64 // its part in other coordinates than those of the control
	at   [num.MaxBoxAxes]float64
}

// controlCell is a part of a Box, with its candidates.
type controlCell struct {
	low, high [num.MaxBoxAxes]int
	from, to  int // in controlSearch.list
	bound     float64
}

// find returns the id of a place whose value is below that of no other place of the action's
// Box by more than the tolerance, and above floor, or −1 if no value exceeds floor by more
// than that. warm is a place to begin with, or no action; known has the upper bounds
// at (s, b) of the actions of the list in the place of boxes, or is nil.
func (cs *controlSearch) find(s []float64, b bcpace.Belief, known []float64, index int, floor float64, warm int) int {
	e := cs.e
	box := e.spec.Actions[index].Box
	n := len(box)
	cs.index, cs.best, cs.cells, cs.round = index, floor, 0, false
	cs.nodes = cs.nodes[:0]
	if e.byAction {
		nodes := &e.latent.(*controlValues).nodes[index]
		first, behind := nodes.first, nodes.first+nodes.size()
		if known != nil {
			cs.nodes = append(cs.nodes, known[first:behind]...)
		} else {
			cs.nodes = e.upperOnList(cs.nodes, s, b, first, behind)
		}
		cs.top = slices.Max(cs.nodes)
	} else {
		cs.top = e.top(s, b)
	}
	cs.point = cs.point[:n+e.metric.Dim()]
	e.metric.Embed(cs.point[n:], s, b)
	root := controlCell{}
	for i, a := range box {
		cs.step[i] = (a.Max - a.Min) / num.BoxSteps * e.controls[index][i]
		cs.periods[i] = a.Period * e.controls[index][i]
		cs.round = cs.round || cs.periods[i] > 0
		root.high[i] = num.BoxPoints(a.Period, num.BoxSteps+1) - 1
	}
	within := e.index[index].Widest(cs.point, n, 0, e.less(cs.top))
	cs.widest = max(cs.widest, within)
	cs.lines.Find(&e.index[index], cs.point, n, e.set.K, within)
	cs.list = cs.list[:0]
	for j, site := range cs.lines.Sites {
		cs.list = append(cs.list, nearSite{site: site, rest: cs.lines.Rest[j]})
		copy(cs.list[j].at[:], cs.lines.Free[j*n:(j+1)*n])
	}
	root.to = len(cs.list)
	if warm >= num.FirstBox && num.BoxIndex(warm) == index {
		var place [num.MaxBoxAxes]int
		for i := range box {
			place[i] = num.BoxPlace(warm, i)
		}
		cs.try(place, cs.list, n)
	}
	cs.evaluate(&root, n)
	cs.split(&root, n, root.to)
	if cs.best == floor {
		return -1
	}
	id := num.BoxID(index)
	for i := range n {
		id = num.WithBoxPlace(id, i, cs.place[i])
	}
	return id
}

// upperOnList appends the upper bounds at the actions of the list from first to that before
// behind.
func (e *estimator) upperOnList(dst, s []float64, b bcpace.Belief, first, behind int) []float64 {
	q, top := e.latent.(*controlValues).LatentValues, e.top(s, b)
	for a := first; a < behind; a++ {
		dst = append(dst, e.upperOf(q, s, b, a, top))
	}
	return dst
}

// less returns (Q̃max − U)/L_Q̃ for the largest bound U somewhere.
func (e *estimator) less(top float64) float64 { return (e.set.qMax - top) / e.set.lip }

// coordinate returns the coordinate of a place on axis i.
func (cs *controlSearch) coordinate(i, place int) float64 {
	a := &cs.e.spec.Actions[cs.index].Box[i]
	return num.BoxAt(a.Min, a.Max, place) * cs.e.controls[cs.index][i]
}

// try takes a place for the best one if it is. list has its k nearest sites. It sets their
// distances from the place, and near to those of k+1 samples, which are so many in total.
func (cs *controlSearch) try(place [num.MaxBoxAxes]int, list []nearSite, n int) (total int) {
	e := cs.e
	for i := range n {
		cs.point[i] = cs.coordinate(i, place[i])
	}
	tree := &e.index[cs.index]
	cs.near = cs.near[:0]
	for j := range list {
		q := &list[j]
		q.dist = q.rest
		for i := range n {
			q.dist += cs.gap(i, cs.point[i], q.at[i])
		}
		cs.near, total = tree.Keep(cs.near, total, knn.Neighbor{Site: q.site, Dist: q.dist}, e.set.K+1)
	}
	if v := e.average(cs.near, cs.index, cs.upperAt(place)); v > cs.best {
		cs.best, cs.place = v, place
	}
	return total
}

// upperAt returns the upper bound at a place.
func (cs *controlSearch) upperAt(place [num.MaxBoxAxes]int) float64 {
	if len(cs.nodes) == 0 {
		return cs.top
	}
	nodes, sum := &cs.e.latent.(*controlValues).nodes[cs.index], 0.0
	var u [num.MaxBoxAxes]float64
	for i := range nodes.box {
		u[i] = num.BoxAt(nodes.box[i].Min, nodes.box[i].Max, place[i])
	}
	nodes.at(u[:], func(node int, weight float64) { sum += weight * cs.nodes[node] })
	return sum
}

// upperIn returns the largest upper bound in a cell, or more. The bound is interpolated
// between the points of a list, so that it is largest at a corner of a cell between
// neighbours, and at most that of the points in and next to another cell.
func (cs *controlSearch) upperIn(c *controlCell, n int) float64 {
	if len(cs.nodes) == 0 {
		return cs.top
	}
	nodes := &cs.e.latent.(*controlValues).nodes[cs.index]
	var low, count [num.MaxBoxAxes]int
	between, all := true, 1
	for i := range n {
		low[i] = c.low[i] * nodes.cells / num.BoxSteps
		count[i] = min((c.high[i]*nodes.cells+num.BoxSteps-1)/num.BoxSteps, nodes.cells) - low[i] + 1
		between, all = between && count[i] <= 2, all*count[i]
	}
	top := math.Inf(-1)
	if between {
		for corner := range 1 << n {
			top = max(top, cs.upperAt(c.corner(corner, n)))
		}
		return top + 1e-12*math.Abs(top)
	}
	for k := range all {
		node, stride := 0, 1
		for i := n - 1; i >= 0; i-- {
			node += (low[i] + k%count[i]) % nodes.on(i) * stride
			k, stride = k/count[i], stride*nodes.on(i)
		}
		top = max(top, cs.nodes[node])
	}
	return top
}

// widened returns r and what rounding may add to it.
func widened(r float64) float64 { return r * (1 + 1e-12) }

func middleOf(c *controlCell, i int) int { return (c.low[i] + c.high[i]) / 2 }

// corner returns a corner's place: on axis i it is at the high end where bit i is set.
func (c *controlCell) corner(corner, n int) (place [num.MaxBoxAxes]int) {
	place = c.low
	for i := range n {
		if corner>>i&1 == 1 {
			place[i] = c.high[i]
		}
	}
	return place
}

// cellShape is where a cell lies, seen from its middle, in coordinates.
type cellShape struct {
	middle [num.MaxBoxAxes]int // a place
	ends   [num.MaxBoxAxes][2]float64
	half   [num.MaxBoxAxes]float64 // how far the cell reaches from its middle on each axis
	reach  float64                 // the largest distance of a place in it from the middle
}

func (cs *controlSearch) shape(c *controlCell, n int) (m cellShape) {
	for i := range n {
		m.middle[i] = middleOf(c, i)
		m.ends[i] = [2]float64{cs.coordinate(i, c.low[i]), cs.coordinate(i, c.high[i])}
		m.half[i] = widened(float64(max(c.high[i]-m.middle[i], m.middle[i]-c.low[i])) * cs.step[i])
		m.reach += m.half[i]
	}
	return m
}

// evaluate sets the bound of a cell whose candidates are those of a cell round it. It leaves
// out those that are too far away, and takes the value at the middle for the best one if it
// is, and that at a corner if that is known to be the cell's best.
func (cs *controlSearch) evaluate(c *controlCell, n int) {
	cs.cells++
	m := cs.shape(c, n)
	total := cs.try(m.middle, cs.list[c.from:c.to], n)
	if m.reach == 0 {
		c.bound = math.Inf(-1) // its only place has been looked at
		return
	}
	k, upper := cs.e.set.K, cs.upperIn(c, n)
	sum, always := cs.boundCandidates(c, &m, total, upper, n)
	best := floats.MaxIdx(cs.corners[:1<<n])
	// Without the upper bound, the part of those that are always among the k nearest is
	// convex in the control, and so largest at a corner.
	if top := cs.corners[best]; !cs.round {
		sum = min(sum, top+1e-12*math.Abs(top))
	}
	c.bound = (sum + sumOfLargest(cs.values, k-always, upper)) / float64(k)
	if always == k && c.bound > cs.best {
		cs.try(c.corner(best, n), cs.list[c.from:c.to], n)
	}
}

// boundCandidates bounds what each sample adds to the average in a cell, and keeps the candidates
// that are near enough. It returns how many samples are always among the k nearest, whatever the
// place in the cell, and the sum of their bounds; corners has what they add up to at each corner
// without the upper bound, and values has the bounds of the other samples. total is what try has
// returned at the middle.
func (cs *controlSearch) boundCandidates(c *controlCell, m *cellShape, total int, upper float64, n int) (sum float64, always int) {
	e, tree := cs.e, &cs.e.index[cs.index]
	kth, beyond := cs.kthNearest(total)
	r := widened(kth + m.reach)
	inside := beyond - widened(2*m.reach) // what is nearer than that is among the k nearest in all of the cell
	corners := cs.corners[:1<<n]
	clear(corners)
	cs.values = cs.values[:0]
	kept := c.from
	for _, q := range cs.list[c.from:c.to] {
		near := q.rest
		for i := range n {
			near += max(cs.gap(i, cs.point[i], q.at[i])-m.half[i], 0)
		}
		if near > r {
			continue
		}
		cs.list[kept] = q
		kept++
		bonus := e.set.lip * min(q.dist+m.reach, r)
		for _, id := range tree.Samples(q.site) {
			v := e.samples.Q[id]
			if q.dist >= inside {
				cs.values = append(cs.values, min(bonus+v, upper))
				continue
			}
			always++
			sum += min(bonus+v, upper)
			if cs.round {
				continue
			}
			for corner := range corners {
				d := q.rest
				for i := range n {
					d += cs.gap(i, m.ends[i][corner>>i&1], q.at[i])
				}
				corners[corner] += e.set.lip*d + v
			}
		}
	}
	c.to = kept
	return sum, always
}

// kthNearest returns the distances of the k-th of the total samples in near and of the one after
// it, +Inf where there is none.
func (cs *controlSearch) kthNearest(total int) (kth, beyond float64) {
	kth, beyond = math.Inf(1), math.Inf(1)
	k, tree := cs.e.set.K, &cs.e.index[cs.index]
	if total > k {
		beyond = cs.near[len(cs.near)-1].Dist
	}
	count := 0
	for _, y := range cs.near {
		if count += len(tree.Samples(y.Site)); count >= k {
			kth = y.Dist
			break
		}
	}
	return kth, beyond
}

// gap returns the distance of two coordinates on axis i.
func (cs *controlSearch) gap(i int, a, b float64) float64 {
	d := math.Abs(a - b)
	if p := cs.periods[i]; p > 0 {
		d = max(0, min(d, p-d))
	}
	return d
}

// sumOfLargest returns the sum of the k largest values, with missing for each of those that
// there are not. It changes the order of the values.
func sumOfLargest(values []float64, k int, missing float64) float64 {
	if len(values) > k {
		slices.Sort(values)
		values = values[len(values)-k:]
	}
	sum := float64(k-len(values)) * missing
	for _, v := range values {
		sum += v
	}
	return sum
}

// split searches the parts of a cell, the more promising one first. Their candidates stand
// in list from end on, behind all that are in use.
func (cs *controlSearch) split(c *controlCell, n, end int) {
	if !(c.bound > cs.best+cs.tolerance) {
		return
	}
	widest, width := 0, -1.0
	for i := range n {
		if w := float64(c.high[i]-c.low[i]) * cs.step[i]; w > width {
			widest, width = i, w
		}
	}
	m := middleOf(c, widest)
	parts := [2]controlCell{{low: c.low, high: c.high}, {low: c.low, high: c.high}}
	parts[0].high[widest], parts[1].low[widest] = m, m+1
	for i := range parts {
		p := &parts[i]
		cs.list = append(cs.list[:end], cs.list[c.from:c.to]...)
		p.from, p.to = end, len(cs.list)
		cs.evaluate(p, n)
		end = p.to
	}
	if parts[1].bound > parts[0].bound {
		parts[0], parts[1] = parts[1], parts[0]
	}
	for i := range parts {
		cs.split(&parts[i], n, end)
	}
}
