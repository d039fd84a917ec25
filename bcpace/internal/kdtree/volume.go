package kdtree

import (
	"context"
	"math"
	"slices"
)

// Packed bounds α from above: balls of radius ε/2 around points more than ε apart do not
// meet, and they lie in the union of the balls around all points, so there are at most as many as
// the volume of the union holds. The union is measured in boxes, those at its border whole; at
// most so many are looked at. ok is false where axes are too many for the boxes to tell anything.
func (t *Tree) Packed(ctx context.Context, epsilon float64, boxes int) (bound int, ok bool) {
	if t.dim == 0 || t.dim > 6 {
		return 0, false
	}
	u := union{Tree: t, radius: Half(epsilon, t.periods)}
	if slices.ContainsFunc(t.periods, func(period float64) bool { return period > 0 && period <= 2*epsilon }) || !(u.radius > 0) {
		return 0, false // a ball would meet itself
	}
	u.limit = t.norm.Key(u.radius * (1 + 1e-12))
	u.open = []region{u.bounding()}
	for looked := 1; len(u.open) > 0 && looked+len(u.open)<<t.dim <= boxes; {
		if ctx.Err() != nil {
			return 0, false
		}
		looked += len(u.open) << t.dim
		u.divide()
	}
	volume := u.filled
	for _, r := range u.open {
		volume += r.volume()
	}
	// The ball must be no larger than it is, and the union no smaller.
	count := volume / t.norm.ball(u.radius, t.dim) * (1 + 1e-9)
	if !(count < 1<<50) {
		return 0, false
	}
	return int(count), true
}

// ball returns the volume of a ball.
func (n Norm) ball(radius float64, dim int) float64 {
	volume := math.Pow(2*radius, float64(dim))
	switch n {
	case L1:
		return volume / math.Gamma(float64(dim)+1)
	case L2:
		return math.Pow(math.Pi, float64(dim)/2) / math.Gamma(float64(dim)/2+1) * math.Pow(radius, float64(dim))
	}
	return volume
}

// union is the union of balls around the points of a tree.
type union struct {
	*Tree
	radius, limit float64 // of the balls, and its key
	filled        float64 // the volume of boxes that lie in a ball
	open, next    []region
}

// region is a box: low and high of each axis in turn.
type region []float64

func (r region) volume() float64 {
	v := 1.0
	for c := 0; c < len(r); c += 2 {
		v *= r[c+1] - r[c]
	}
	return v
}

// bounding returns a box that holds the union.
func (u *union) bounding() region {
	r := region(slices.Clone(u.box(0)))
	for c := range u.dim {
		if c < len(u.periods) && u.periods[c] > 0 {
			r[2*c+1] = r[2*c] + u.periods[c] // once round
			continue
		}
		r[2*c] -= u.radius
		r[2*c+1] += u.radius
	}
	return r
}

// divide halves every open box on every axis, and forgets what no ball meets.
func (u *union) divide() {
	u.next = u.next[:0]
	low, high := make([]float64, u.dim), make([]float64, u.dim)
	for _, r := range u.open {
		for corner := range 1 << u.dim {
			for c := range u.dim {
				low[c], high[c] = r[2*c], r[2*c]+(r[2*c+1]-r[2*c])/2
				if corner>>c&1 == 1 {
					low[c], high[c] = high[c], r[2*c+1]
				}
			}
			part := make(region, 0, 2*u.dim)
			for c := range u.dim {
				part = append(part, low[c], high[c])
			}
			if !u.meets(0, part) {
				continue
			}
			if u.holds(part) {
				u.filled += part.volume()
			} else {
				u.next = append(u.next, part)
			}
		}
	}
	u.open, u.next = u.next, u.open
}

// meets reports whether the ball of a point below the node may meet a box.
func (u *union) meets(node int, r region) bool {
	if u.apart(u.box(node), r) > u.limit {
		return false
	}
	nd := &u.nodes[node]
	if nd.right > 0 {
		return u.meets(node+1, r) || u.meets(int(nd.right), r)
	}
	for s := int(nd.from); s < int(nd.to); s++ {
		key := 0.0
		for c, v := range u.Point(s) {
			key = u.norm.add(key, between(v, v, r[2*c], r[2*c+1], u.period(c)))
		}
		if key <= u.limit {
			return true
		}
	}
	return false
}

// holds reports whether the ball of the point nearest to a box's middle holds the box.
func (u *union) holds(r region) bool {
	size, middle := 0.0, make([]float64, u.dim)
	for c := range u.dim {
		size = u.norm.add(size, (r[2*c+1]-r[2*c])/2)
		middle[c] = r[2*c] + (r[2*c+1]-r[2*c])/2
	}
	if size > u.limit {
		return false
	}
	near, _ := u.Nearest(middle, u.Kind(0), u.limit)
	if near < 0 {
		return false
	}
	key := 0.0
	for c, v := range u.Point(near) {
		far := max(math.Abs(r[2*c+1]-v), math.Abs(v-r[2*c]))
		if period := u.period(c); period > 0 {
			// From the middle to the end of the box, and from there the shorter way round.
			far = round(math.Abs(middle[c]-v), c, u.periods) + (r[2*c+1]-r[2*c])/2
		}
		key = u.norm.add(key, far)
	}
	return key <= u.norm.Key(u.radius*(1-1e-12))
}
