package bcpace

import (
	"math"
	"slices"

	"bayescpace/bcpace/internal/knn"
)

// controlSearch finds the control of an action at which Q̃(s, b, ·) is largest, by branch and
// bound over the places of its Box (Section 7 of the theory: the greedy action of a
// continuous action space).
//
// A cell is a range of places on each axis. Let c be its middle, H the largest distance of
// a place in it from c, and R the distance from (s, b, c) of the k-th nearest sample, plus H.
// Whatever the place u in the cell, its k nearest samples are within R of (s, b, u), as k
// samples are. So they are samples whose distance from the cell is at most R; and each adds
// at most min(L_Q̃·min(d + H, R) + Q, U) to the average, where d is its distance from
// (s, b, c), and U is the largest upper bound in the cell. What is nearer to (s, b, c) than
// the sample after the k-th, by more than 2H, is among the k nearest in all of the cell; for
// the rest the largest stand, and the mean of all bounds Q̃ in the cell. A cell is given up when its bound exceeds the best value found
// by no more than the tolerance; otherwise it is cut in two. The samples of a part are among
// those of the whole, so that lists shrink with the cells.
//
// It is for one goroutine, and does not allocate once its lists have grown.
type controlSearch struct {
	e         *estimator
	tolerance float64 // in reward units
	index     int     // of the action
	point     []float64
	step      [maxBoxAxes]float64 // the distance of two places, in coordinates
	periods   [maxBoxAxes]float64 // in coordinates, 0 without one
	nodes     []float64           // by point of controlNodes: the upper bound there, nil for a constant one

	line    knn.Lines
	near    []knn.Neighbor
	list    []nearSite // those of all cells under way, one cell after the other
	values  []float64  // scratch of evaluate
	corners [1 << maxBoxAxes]float64

	best  float64
	place [maxBoxAxes]int
	cells int // evaluated, for tests and benchmarks
}

// nearSite is a site that may be near a place of a cell.
type nearSite struct {
	site int32
	dist float64 // from the cell's middle
	rest float64 // its part in other coordinates than those of the control
	at   [maxBoxAxes]float64
}

// controlCell is a part of a Box, with its candidates.
type controlCell struct {
	low, high [maxBoxAxes]int
	from, to  int // in controlSearch.list
	bound     float64
}

func newControlSearch(e *estimator) *controlSearch {
	return &controlSearch{e: e, tolerance: e.set.tolerance, point: make([]float64, e.metric.Dim()+maxBoxAxes)}
}

// find returns the id of a place whose value is below that of no other place of the action's
// Box by more than the tolerance, and above floor, or −1 if no value exceeds floor by more
// than that. warm is a place to begin with, or no action.
func (x *controlSearch) find(s []float64, b Belief, index int, floor float64, warm int) int {
	e := x.e
	box := e.spec.Actions[index].Box
	n := len(box)
	x.index, x.best, x.cells = index, floor, 0
	x.nodes = x.nodes[:0]
	if e.bound != BoundConstant {
		c := e.latent.(*controlValues)
		for k := range c.nodes[index].size() {
			x.nodes = append(x.nodes, e.upperOf(c.LatentValues, s, b, c.nodes[index].first+k))
		}
	}
	x.point = x.point[:n+e.metric.Dim()]
	e.metric.Embed(x.point[n:], s, b)
	root := controlCell{}
	for i, a := range box {
		x.step[i] = (a.Max - a.Min) / boxSteps * e.controls[index][i]
		x.periods[i] = e.index[index].Periods[i]
		if root.high[i] = boxSteps; a.Period > 0 {
			root.high[i]--
		}
	}
	if warm >= boxedAction && actionIndex(warm) == index {
		for i := range box {
			x.place[i] = warm >> (i * boxBits) & (1<<boxBits - 1)
		}
		x.best = max(x.best, x.value(x.place))
	}
	x.gather(&root, n)
	x.evaluate(&root, n)
	x.split(&root, n, root.to)
	if x.best == floor {
		return -1
	}
	return x.id(n)
}

// id returns the id of the best place.
func (x *controlSearch) id(n int) int {
	id := boxedAction | x.index<<boxShift
	for i := range n {
		id |= x.place[i] << (i * boxBits)
	}
	return id
}

// coordinate returns the coordinate of a place on axis i.
func (x *controlSearch) coordinate(i, place int) float64 {
	a := &x.e.spec.Actions[x.index].Box[i]
	return (a.Min + (a.Max-a.Min)*(float64(place)/boxSteps)) * x.e.controls[x.index][i]
}

// value returns Q̃ at a place.
func (x *controlSearch) value(place [maxBoxAxes]int) float64 {
	e := x.e
	n := len(e.spec.Actions[x.index].Box)
	for i := range n {
		x.point[i] = x.coordinate(i, place[i])
	}
	x.near = e.index[x.index].Nearest(x.near, x.point, e.set.K)
	return e.average(x.near, x.index, x.upperAt(place))
}

// upperAt returns the upper bound at a place.
func (x *controlSearch) upperAt(place [maxBoxAxes]int) float64 {
	if len(x.nodes) == 0 {
		return x.e.set.qMax
	}
	nodes, sum := &x.e.latent.(*controlValues).nodes[x.index], 0.0
	var u [maxBoxAxes]float64
	for i, a := range nodes.box {
		u[i] = a.Min + (a.Max-a.Min)*(float64(place[i])/boxSteps)
	}
	nodes.at(u[:], func(node int, weight float64) { sum += weight * x.nodes[node] })
	return sum
}

// upperIn returns the largest upper bound in a cell, or more. The bound is interpolated
// between the points of a list, so that it is largest at a corner of a cell between
// neighbours, and at most that of the points in and next to another cell.
func (x *controlSearch) upperIn(c *controlCell, n int) float64 {
	if len(x.nodes) == 0 {
		return x.e.set.qMax
	}
	nodes := &x.e.latent.(*controlValues).nodes[x.index]
	var low, count, at [maxBoxAxes]int
	between := true
	for i := range n {
		low[i] = c.low[i] * nodes.cells / boxSteps
		count[i] = min((c.high[i]*nodes.cells+boxSteps-1)/boxSteps, nodes.cells) - low[i] + 1
		between = between && count[i] <= 2
	}
	top := math.Inf(-1)
	if between {
		for corner := range 1 << n {
			place := c.low
			for i := range n {
				if corner>>i&1 == 1 {
					place[i] = c.high[i]
				}
			}
			top = max(top, x.upperAt(place))
		}
		return top + 1e-12*math.Abs(top)
	}
	for {
		node := 0
		for i := range n {
			node = node*nodes.on(i) + (low[i]+at[i])%nodes.on(i)
		}
		top = max(top, x.nodes[node])
		i := n - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < count[i] {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return top
		}
	}
}

// gather lists the candidates of the whole Box.
func (x *controlSearch) gather(root *controlCell, n int) {
	tree := &x.e.index[x.index]
	x.line.Find(tree, x.point, n, x.e.set.K)
	x.list = x.list[:0]
	for j, site := range x.line.Sites {
		c := nearSite{site: site, rest: x.line.Rest[j]}
		copy(c.at[:], x.line.Free[j*n:(j+1)*n])
		x.list = append(x.list, c)
	}
	root.to = len(x.list)
}

// widened returns r and what rounding may add to it.
func widened(r float64) float64 { return r * (1 + 1e-12) }

func middleOf(c *controlCell, i int) int { return (c.low[i] + c.high[i]) / 2 }

// half returns how far a cell reaches from its middle on each axis, in coordinates.
func (x *controlSearch) half(c *controlCell, n int) (half [maxBoxAxes]float64) {
	for i := range n {
		m := middleOf(c, i)
		half[i] = widened(float64(max(c.high[i]-m, m-c.low[i])) * x.step[i])
	}
	return half
}

// evaluate sets the bound of a cell whose candidates are those of a cell round it. It leaves
// out those that are too far away, and takes the value at the middle for the best one if it
// is, and that at a corner if that is known to be the cell's best.
func (x *controlSearch) evaluate(c *controlCell, n int) {
	x.cells++
	e, half := x.e, x.half(c, n)
	var place [maxBoxAxes]int
	reach := 0.0
	for i := range n {
		place[i] = middleOf(c, i)
		x.point[i] = x.coordinate(i, place[i])
		reach += half[i]
	}
	tree, k := &e.index[x.index], e.set.K
	x.near = x.near[:0]
	total, list := 0, x.list[c.from:c.to]
	for j := range list {
		q := &list[j]
		q.dist = q.rest
		for i := range n {
			q.dist += x.gap(i, x.point[i], q.at[i])
		}
		x.near, total = tree.Keep(x.near, total, knn.Neighbor{Site: q.site, Dist: q.dist}, k+1)
	}
	if v := e.average(x.near, x.index, x.upperAt(place)); v > x.best {
		x.best, x.place = v, place
	}
	if reach == 0 {
		c.bound = math.Inf(-1) // its only place has been looked at
		return
	}
	// kth and beyond are the distances of the k-th nearest sample and of the one after it.
	kth, beyond := math.Inf(1), math.Inf(1)
	if total > k {
		beyond = x.near[len(x.near)-1].Dist
	}
	count := 0
	for _, y := range x.near {
		if count += len(tree.Samples(y.Site)); count >= k {
			kth = y.Dist
			break
		}
	}
	r := widened(kth + reach)
	always := beyond - widened(2*reach) // what is nearer than that is among the k nearest in all of the cell
	upper, kept, core := x.upperIn(c, n), c.from, 0
	sum := 0.0
	corners := x.corners[:1<<n]
	clear(corners)
	x.values = x.values[:0]
	for _, q := range list {
		near := q.rest
		for i := range n {
			near += max(x.gap(i, x.point[i], q.at[i])-half[i], 0)
		}
		if near > r {
			continue
		}
		x.list[kept] = q
		kept++
		bonus := e.set.lip * min(q.dist+reach, r)
		for _, id := range tree.Samples(q.site) {
			v := e.samples.Q[id]
			if q.dist >= always {
				x.values = append(x.values, min(bonus+v, upper))
				continue
			}
			core++
			sum += min(bonus+v, upper)
			for corner := range corners {
				d := q.rest
				for i := range n {
					d += x.gap(i, x.end(c, i, corner), q.at[i])
				}
				corners[corner] += e.set.lip*d + v
			}
		}
	}
	c.to = kept
	// Without the upper bound, the part of those that are always among the k nearest is
	// convex in the control, and so largest at a corner.
	at := 0
	for corner, v := range corners {
		if v > corners[at] {
			at = corner
		}
	}
	if !x.round(n) {
		sum = min(sum, corners[at]+1e-12*math.Abs(corners[at]))
	}
	c.bound = (sum + sumOfLargest(x.values, k-core, upper)) / float64(k)
	if core == k && c.bound > x.best {
		for i := range n {
			if place[i] = c.low[i]; at>>i&1 == 1 {
				place[i] = c.high[i]
			}
		}
		if v := x.value(place); v > x.best {
			x.best, x.place = v, place
		}
	}
}

// gap returns the distance of two coordinates on axis i.
func (x *controlSearch) gap(i int, a, b float64) float64 {
	d := math.Abs(a - b)
	if p := x.periods[i]; p > 0 {
		d = max(0, min(d, p-d))
	}
	return d
}

// round reports whether some axis has a period: distances are not convex there.
func (x *controlSearch) round(n int) bool {
	for i := range n {
		if x.periods[i] > 0 {
			return true
		}
	}
	return false
}

// end returns the coordinate on axis i of a corner of a cell.
func (x *controlSearch) end(c *controlCell, i, corner int) float64 {
	if corner>>i&1 == 1 {
		return x.coordinate(i, c.high[i])
	}
	return x.coordinate(i, c.low[i])
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
func (x *controlSearch) split(c *controlCell, n, end int) {
	if !(c.bound > x.best+x.tolerance) {
		return
	}
	widest, width := 0, -1.0
	for i := range n {
		if w := float64(c.high[i]-c.low[i]) * x.step[i]; w > width {
			widest, width = i, w
		}
	}
	m := middleOf(c, widest)
	parts := [2]controlCell{{low: c.low, high: c.high}, {low: c.low, high: c.high}}
	parts[0].high[widest], parts[1].low[widest] = m, m+1
	for i := range parts {
		p := &parts[i]
		x.list = append(x.list[:end], x.list[c.from:c.to]...)
		p.from, p.to = end, len(x.list)
		x.evaluate(p, n)
		end = p.to
	}
	if parts[1].bound > parts[0].bound {
		parts[0], parts[1] = parts[1], parts[0]
	}
	for i := range parts {
		x.split(&parts[i], n, end)
	}
}
