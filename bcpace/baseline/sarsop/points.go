package sarsop

import (
	"math"
	"slices"
)

// points are the upper bounds of one x at the beliefs of nodes, in the order of their
// last change. keys, which every search reads, is separate from list for speed.
type points struct {
	keys []pointKey
	list []point
	last int   // the latest time
	live int   // points that were not replaced
	hull *hull // of all of them, where there are two hidden values; nil where not
}

// pointKey is enough to rule out most points in a search.
type pointKey struct {
	gap float64 // f − upper at the node; 0 if a later point replaces this one
	sig uint64
}

// point says that V*(x, b) ≤ upper at the belief of node.
type point struct {
	at    int // time of the change, ascending
	upper float64
	node  *node
	top   [tops]int32 // the most probable y, and their probabilities
	mass  [tops]float64
}

// tops is how many y of a point are tried before the whole belief.
const tops = 3

// put sets the point of n to its upper bound.
func (u *points) put(n *node) {
	u.remove(n)
	if len(u.list) > 2*u.live+64 {
		u.compact()
	}
	u.last++
	u.live++
	if n.point = len(u.list); u.hull != nil {
		u.hull.lower(second(n.At, n.P), n.upper)
	}
	p := point{at: u.last, upper: n.upper, node: n}
	for i, v := range n.P {
		y := int32(n.Y(i))
		for k := range p.mass {
			if v > p.mass[k] {
				v, p.mass[k] = p.mass[k], v
				y, p.top[k] = p.top[k], y
			}
		}
	}
	u.keys, u.list = append(u.keys, pointKey{n.f - n.upper, n.sig}), append(u.list, p)
}

// compact drops the points that were replaced.
func (u *points) compact() {
	n := 0
	for i, p := range u.list {
		if u.keys[i].gap > 0 {
			p.node.point = n
			u.keys[n], u.list[n] = u.keys[i], p
			n++
		}
	}
	clear(u.list[n:])
	u.keys, u.list = u.keys[:n], u.list[:n]
}

// remove drops the point of n.
func (u *points) remove(n *node) {
	if n.point >= 0 {
		u.keys[n.point].gap = 0
		u.live--
	}
}

// sawtooth returns the least upper bound of V*(x, b) that the points not yet
// known to k give, if it is below best. full is b by y, sig its signature, k.q are
// Q_a·b for the initial upper bound and k.f = max_a Q_a·b.
//
// V* is convex in b and at most f, and both are taken as positively homogeneous.
// Where b = r·b_i + c with c ≥ 0, therefore
//
//	V*(b) ≤ r·V*(b_i) + V*(c) ≤ r·v_i + max_a (Q_a·b − r·Q_a·b_i)
//
// for a point (b_i, v_i). The largest such r is min_y b(y)/b_i(y). This is the
// sawtooth bound of Hauskrecht (2000), with the vectors Q_a in the place of the
// values at the corners of the simplex, which are never below them; it holds for
// every x by itself, V*(x, ·) being convex. As max_a (u_a − w_a) ≥ max u − max w,
// the right side is at least f(b) − r·(f(b_i) − v_i): a point is passed over as
// soon as one y shows that r is too small to gain anything.
func (u *points) sawtooth(full []float64, sig uint64, k *child, best float64) float64 {
	first, _ := slices.BinarySearchFunc(u.list, k.known, func(p point, known int) int { return p.at - known })
	gain := k.f - best
	for i := len(u.list) - 1; i >= first; i-- {
		key := u.keys[i]
		if key.gap <= gain || key.sig&^sig != 0 {
			continue
		}
		p := &u.list[i]
		need := gain / key.gap
		if full[p.top[0]] <= need*p.mass[0] || full[p.top[1]] < need*p.mass[1] || full[p.top[2]] < need*p.mass[2] {
			continue
		}
		n := p.node
		r := 1.0
		if n.At == nil {
			for y, v := range n.P {
				if full[y] < r*v {
					if r = full[y] / v; r <= need {
						break
					}
				}
			}
		} else {
			for j, y := range n.At {
				if v := n.P[j]; full[y] < r*v {
					if r = full[y] / v; r <= need {
						break
					}
				}
			}
		}
		if r <= need {
			continue
		}
		rest := math.Inf(-1)
		for a, v := range k.q {
			rest = max(rest, v-r*n.q[a])
		}
		if x := r*p.upper + rest; x < best {
			if best = x; k.more != nil {
				k.more.by, k.more.share, k.more.rest = n, r, rest
			}
		}
		gain = k.f - best
	}
	return best
}

// hull is an upper bound of V*(x, ·) where the hidden part has two values: the largest convex function of the probability of the second
// one that is not above the bounds that are known. V* is convex, and so is below the straight line between any two bounds. That is lower
// between them than what one point says with the values at the corners. The sawtooth, which has the vectors of actions in their
// place, may still be lower, and counts too.
type hull struct {
	p, v []float64 // probabilities, ascending from 0 to 1, and bounds there
}

// second returns the probability of the second of two values.
func second(at []int32, p []float64) float64 {
	if at == nil {
		return p[1] / (p[0] + p[1])
	}
	sum, two := 0.0, 0.0
	for i, y := range at {
		if sum += p[i]; y == 1 {
			two = p[i]
		}
	}
	return two / sum
}

// at returns the bound at p.
func (h *hull) at(p float64) float64 {
	i, found := slices.BinarySearch(h.p, p)
	if found || i == 0 {
		return h.v[i]
	}
	return h.between(i-1, i, p)
}

// between returns the value at p of the line through two points.
func (h *hull) between(i, j int, p float64) float64 {
	share := (p - h.p[i]) / (h.p[j] - h.p[i])
	return (1-share)*h.v[i] + share*h.v[j]
}

// lower takes note of the bound v at p.
func (h *hull) lower(p, v float64) {
	if v >= h.at(p) {
		return
	}
	i, found := slices.BinarySearch(h.p, p)
	if found {
		h.v[i] = v
	} else {
		h.p, h.v = slices.Insert(h.p, i, p), slices.Insert(h.v, i, v)
	}
	left, right := i, i // points between left and i, and between i and right, are above the hull
	for left = i - 1; left > 0 && h.v[left] >= h.between(left-1, i, h.p[left]); left-- {
	}
	for right = i + 1; right < len(h.p)-1 && h.v[right] >= h.between(i, right+1, h.p[right]); right++ {
	}
	if right < len(h.p) {
		h.p, h.v = slices.Delete(h.p, i+1, right), slices.Delete(h.v, i+1, right)
	}
	if left >= 0 {
		h.p, h.v = slices.Delete(h.p, left+1, i), slices.Delete(h.v, left+1, i)
	}
}
