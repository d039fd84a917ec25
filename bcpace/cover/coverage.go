package cover

// coverage knows which points of a tree are covered.
type coverage struct {
	*tree
	times []int32 // by slot: how many of the cover are within ε
	open  []int32 // by node: how many points below are not covered
	limit float64 // the key of ε
	x     []float64
	kind  int32
}

func newCoverage(t *tree, epsilon float64) *coverage {
	c := &coverage{tree: t, times: make([]int32, len(t.at)), open: make([]int32, len(t.nodes)), limit: t.norm.key(epsilon)}
	for i := range c.open {
		c.open[i] = t.nodes[i].to - t.nodes[i].from
	}
	return c
}

// gain returns how many points that are not covered the point at a slot would cover.
func (c *coverage) gain(slot int) int {
	c.x, c.kind = c.point(slot), c.tree.kind(slot)
	return c.gainOf(0)
}

func (c *coverage) gainOf(node int) int {
	if c.open[node] == 0 || c.outside(node, c.x, c.kind) > c.limit {
		return 0
	}
	if c.inside(node, c.x, c.kind, c.limit) {
		return int(c.open[node])
	}
	nd := &c.nodes[node]
	if nd.right > 0 {
		return c.gainOf(node+1) + c.gainOf(int(nd.right))
	}
	var keys [leafSlots]float64
	c.keys(keys[:nd.to-nd.from], nd, c.x, c.kind)
	n := 0
	for i, key := range keys[:nd.to-nd.from] {
		if key <= c.limit && c.times[int(nd.from)+i] == 0 {
			n++
		}
	}
	return n
}

// take puts the point at a slot into the cover, or out of it for by = −1.
func (c *coverage) take(slot int, by int32) {
	c.x, c.kind = c.point(slot), c.tree.kind(slot)
	c.takeIn(0, by)
}

func (c *coverage) takeIn(node int, by int32) {
	if c.outside(node, c.x, c.kind) > c.limit {
		return
	}
	nd := &c.nodes[node]
	if nd.right > 0 {
		c.takeIn(node+1, by)
		c.takeIn(int(nd.right), by)
		c.open[node] = c.open[node+1] + c.open[nd.right]
		return
	}
	var keys [leafSlots]float64
	c.keys(keys[:nd.to-nd.from], nd, c.x, c.kind)
	for i, key := range keys[:nd.to-nd.from] {
		if key <= c.limit {
			s := int(nd.from) + i
			if c.times[s] == 0 {
				c.open[node]--
			}
			c.times[s] += by
			if c.times[s] == 0 {
				c.open[node]++
			}
		}
	}
}

// needed reports whether some point has none of the cover within ε but that at the slot.
func (c *coverage) needed(slot int) bool {
	c.x, c.kind = c.point(slot), c.tree.kind(slot)
	return c.neededIn(0)
}

func (c *coverage) neededIn(node int) bool {
	if c.outside(node, c.x, c.kind) > c.limit {
		return false
	}
	nd := &c.nodes[node]
	if nd.right > 0 {
		return c.neededIn(node+1) || c.neededIn(int(nd.right))
	}
	var keys [leafSlots]float64
	c.keys(keys[:nd.to-nd.from], nd, c.x, c.kind)
	for i, key := range keys[:nd.to-nd.from] {
		if key <= c.limit && c.times[int(nd.from)+i] == 1 {
			return true
		}
	}
	return false
}

// reduce drops in turn what the rest of a cover does without, and returns what stays.
func (c *coverage) reduce(cover []int32) []int32 {
	kept := cover[:0]
	for _, s := range cover {
		if c.needed(int(s)) {
			kept = append(kept, s)
		} else {
			c.take(int(s), -1)
		}
	}
	return kept
}
