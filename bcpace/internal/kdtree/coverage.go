package kdtree

// Coverage knows which points of a tree are covered.
type Coverage struct {
	*Tree
	Times []int32 // by slot: how many of the cover are within ε
	open  []int32 // by node: how many points below are not covered
	limit float64 // the key of ε
	x     []float64
	kind  int32
}

// NewCoverage returns one of no points.
func NewCoverage(t *Tree, epsilon float64) *Coverage {
	c := &Coverage{Tree: t, Times: make([]int32, len(t.At)), open: make([]int32, len(t.nodes)), limit: t.norm.Key(epsilon)}
	for i := range c.open {
		c.open[i] = t.nodes[i].to - t.nodes[i].from
	}
	return c
}

// Gain returns how many points that are not covered the point at a slot would cover.
func (c *Coverage) Gain(slot int) int {
	c.x, c.kind = c.Point(slot), c.Tree.Kind(slot)
	return c.gainOf(0)
}

func (c *Coverage) gainOf(node int) int {
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
		if key <= c.limit && c.Times[int(nd.from)+i] == 0 {
			n++
		}
	}
	return n
}

// Take puts the point at a slot into the cover, or out of it for by = −1.
func (c *Coverage) Take(slot int, by int32) {
	c.x, c.kind = c.Point(slot), c.Tree.Kind(slot)
	c.takeIn(0, by)
}

func (c *Coverage) takeIn(node int, by int32) {
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
			if c.Times[s] == 0 {
				c.open[node]--
			}
			c.Times[s] += by
			if c.Times[s] == 0 {
				c.open[node]++
			}
		}
	}
}

// Needed reports whether some point has none of the cover within ε but that at the slot.
func (c *Coverage) Needed(slot int) bool {
	c.x, c.kind = c.Point(slot), c.Tree.Kind(slot)
	return c.neededIn(0)
}

func (c *Coverage) neededIn(node int) bool {
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
		if key <= c.limit && c.Times[int(nd.from)+i] == 1 {
			return true
		}
	}
	return false
}

// Reduce drops in turn what the rest of a cover does without, and returns what stays.
func (c *Coverage) Reduce(cover []int32) []int32 {
	kept := cover[:0]
	for _, s := range cover {
		if c.Needed(int(s)) {
			kept = append(kept, s)
		} else {
			c.Take(int(s), -1)
		}
	}
	return kept
}

// Left returns how many points are not covered.
func (c *Coverage) Left() int { return int(c.open[0]) }

// EachOpen calls do for the slot of every point that is not covered.
func (c *Coverage) EachOpen(do func(slot int32)) { c.eachOpen(0, do) }

func (c *Coverage) eachOpen(node int, do func(slot int32)) {
	if c.open[node] == 0 {
		return
	}
	nd := &c.nodes[node]
	if nd.right > 0 {
		c.eachOpen(node+1, do)
		c.eachOpen(int(nd.right), do)
		return
	}
	for slot := nd.from; slot < nd.to; slot++ {
		if c.Times[slot] == 0 {
			do(slot)
		}
	}
}
