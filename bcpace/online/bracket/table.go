package bracket

import (
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/sparse"
)

// point is a state with a belief, and what is known of its value. Nodes that come to it on
// different ways share it, and it stays when they have gone.
type point struct {
	lo, up float64 // bounds of the value in the tree, where children may stand for several
	high   float64 // upper bound of V*, of which lo is a lower bound too
	action int32   // of which lo is a bound
}

// table holds the points of an episode.
type table struct {
	search        BoundedSearch
	axes, latents int

	points  []point
	states  []float64 // by point
	beliefs []float64 // by point
	index   sparse.HashIndex
	unlike  bool // every node has a point of its own
}

const (
	// sameBelief is how far apart in L1 the beliefs may be that share a point: much farther
	// than ways of computing a belief differ by rounding, and so near that values hardly do.
	sameBelief = 1e-12
	// hashGrain is the grain of what the table finds beliefs by. Those of one belief may fall
	// to either side of a grain's border by rounding, and then are two points.
	hashGrain = 0x1p30
)

func newTable(spec bcpace.Spec, x BoundedSearch, unlike bool) table {
	return table{search: x, axes: len(spec.Axes), latents: len(spec.Latents), unlike: unlike}
}

// bytes returns the size of a point.
func (t *table) bytes() int { return 8*(t.axes+t.latents) + 40 }

// clear removes all points.
func (t *table) clear() {
	t.index.Clear()
	t.points, t.states, t.beliefs = t.points[:0], t.states[:0], t.beliefs[:0]
}

func (t *table) state(p int32) []float64 {
	return t.states[int(p)*t.axes : int(p+1)*t.axes : int(p+1)*t.axes]
}

func (t *table) belief(p int32) bcpace.Belief {
	return t.beliefs[int(p)*t.latents : int(p+1)*t.latents : int(p+1)*t.latents]
}

// point returns the point of a state and belief, which it adds if it is not there.
func (t *table) point(s []float64, b bcpace.Belief) (number int32) {
	if t.unlike {
		return t.add(s, b)
	}
	h := hash(s, b)
	number = t.index.Find(h, func(p int32) bool { return slices.Equal(t.state(p), s) && t.belief(p).L1(b) <= sameBelief })
	if number < 0 {
		number = t.add(s, b)
		t.index.Add(h)
	}
	return number
}

// add adds a point with the bounds of a leaf.
func (t *table) add(s []float64, b bcpace.Belief) (number int32) {
	lo, action := t.search.Bounds.Lower(s, b)
	up := t.search.Bounds.Upper(s, b)
	if err := t.search.crossed(s, b, lo, up); err != nil {
		panic(err) // which Plan returns
	}
	up = max(lo, up) // they may cross by rounding
	t.points = append(t.points, point{lo: lo, up: up, high: up, action: int32(action)})
	t.states, t.beliefs = append(t.states, s...), append(t.beliefs, b...)
	return int32(len(t.points)) - 1
}

// hash mixes a state and a belief in grains.
func hash(s []float64, b bcpace.Belief) (h uint64) {
	for _, x := range s {
		h = sparse.Mixed(h, math.Float64bits(x+0)) // −0 + 0 is 0
	}
	for _, p := range b {
		h = sparse.Mixed(h, uint64(math.Round(p*hashGrain)))
	}
	return h
}
