package kdtree

import "math"

// Coverage knows which points of a tree are covered. What covers a whole node is counted there and not below.
type Coverage struct {
	*Tree
	times []int32 // by slot: how many of the cover are within ε, without those of whole nodes
	whole []int32 // by node: how many of the cover are within ε of all its points, but not of all of the node above
	least []int32 // by node: the fewest of the cover that a point has around it, without those of the nodes above
	open  []int32 // by node: how many points below are not covered, without those of the nodes above
	limit float64 // the key of ε
	x     []float64
	kind  int32
	far   float64 // the key of the farthest point so far
	slot  int
}

// NewCoverage returns one of no points.
func NewCoverage(t *Tree, epsilon float64) *Coverage {
	nodes := make([]int32, 3*len(t.nodes))
	c := &Coverage{Tree: t, times: make([]int32, len(t.At)), limit: t.norm.Key(epsilon),
		whole: nodes[:len(t.nodes)], least: nodes[len(t.nodes) : 2*len(t.nodes)], open: nodes[2*len(t.nodes):]}
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
		if key <= c.limit && c.times[int(nd.from)+i] == 0 {
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
	switch {
	case c.inside(node, c.x, c.kind, c.limit):
		c.whole[node] += by
	case nd.right > 0:
		c.takeIn(node+1, by)
		c.takeIn(int(nd.right), by)
	default:
		var keys [leafSlots]float64
		c.keys(keys[:nd.to-nd.from], nd, c.x, c.kind)
		for i, key := range keys[:nd.to-nd.from] {
			if key <= c.limit {
				c.times[int(nd.from)+i] += by
			}
		}
	}
	c.count(node, nd)
}

// count counts what is open below a node again, from what is known of its children.
func (c *Coverage) count(node int, nd *treeNode) {
	least, open := int32(math.MaxInt32), int32(0)
	if nd.right > 0 {
		least, open = min(c.least[node+1], c.least[nd.right]), c.open[node+1]+c.open[nd.right]
	} else {
		for _, n := range c.times[nd.from:nd.to] {
			if least = min(least, n); n == 0 {
				open++
			}
		}
	}
	if c.whole[node] > 0 {
		open = 0
	}
	c.least[node], c.open[node] = least+c.whole[node], open
}

// Needed reports whether some point has none of the cover within ε but that at the slot.
func (c *Coverage) Needed(slot int) bool {
	c.x, c.kind = c.Point(slot), c.Tree.Kind(slot)
	return c.neededIn(0, 0)
}

// neededIn is Needed for the points of a node, all of which have so many of the cover from the nodes above.
func (c *Coverage) neededIn(node int, above int32) bool {
	least := above + c.least[node]
	if least > 1 || c.outside(node, c.x, c.kind) > c.limit {
		return false
	}
	if least == 1 && c.inside(node, c.x, c.kind, c.limit) {
		return true
	}
	nd := &c.nodes[node]
	above += c.whole[node]
	if nd.right > 0 {
		return c.neededIn(node+1, above) || c.neededIn(int(nd.right), above)
	}
	var keys [leafSlots]float64
	c.keys(keys[:nd.to-nd.from], nd, c.x, c.kind)
	for i, key := range keys[:nd.to-nd.from] {
		if key <= c.limit && above+c.times[int(nd.from)+i] == 1 {
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

// Open reports whether the point at a slot is not covered.
func (c *Coverage) Open(slot int32) bool {
	node := 0
	for c.open[node] > 0 {
		right := c.nodes[node].right
		switch {
		case right == 0:
			return c.times[slot] == 0
		case slot < c.nodes[right].from:
			node++
		default:
			node = int(right)
		}
	}
	return false
}

// Farthest returns the slot of a point, among those of one kind that are not covered, that is farthest from the one at a
// slot; −1 where all are covered.
func (c *Coverage) Farthest(from int) int {
	c.x, c.far, c.slot = c.Point(from), -1, -1
	c.farthestIn(0)
	return c.slot
}

func (c *Coverage) farthestIn(node int) {
	if c.open[node] == 0 || c.beyond(node) <= c.far {
		return
	}
	nd := &c.nodes[node]
	if nd.right > 0 {
		first, second := node+1, int(nd.right)
		if c.beyond(second) > c.beyond(first) {
			first, second = second, first
		}
		c.farthestIn(first)
		c.farthestIn(second)
		return
	}
	var keys [leafSlots]float64
	c.norm.keys(keys[:nd.to-nd.from], c.coords[int(nd.from)*c.dim:int(nd.to)*c.dim], c.x, c.periods)
	for i, key := range keys[:nd.to-nd.from] {
		if key > c.far && c.times[int(nd.from)+i] == 0 {
			c.far, c.slot = key, int(nd.from)+i
		}
	}
}

// beyond returns the key of a distance that no point of a node exceeds.
func (c *Coverage) beyond(node int) float64 {
	key, box := 0.0, c.box(node)
	for a, v := range c.x {
		key = c.norm.add(key, max(v-box[2*a], box[2*a+1]-v))
	}
	return key
}
