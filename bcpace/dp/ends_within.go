package dp

import "iter"

// EndsWithin reports whether every walk over numbered nodes ends within so many steps, of which the last one leads to no node.
// next lists the nodes that may follow a node.
func EndsWithin(nodes, steps int, next func(node int32) iter.Seq[int32]) bool {
	known := make([]int32, nodes) // by node: the most steps from it, 0 where not known yet
	var walk func(n int32, left int) int32
	walk = func(n int32, left int) int32 { // −1 where there are more than are left
		switch {
		case left == 0 || int(known[n]) > left:
			return -1
		case known[n] > 0:
			return known[n]
		}
		most := int32(1)
		for to := range next(n) {
			after := walk(to, left-1)
			if after < 0 {
				return -1
			}
			most = max(most, 1+after)
		}
		known[n] = most
		return most
	}
	for n := range known {
		if walk(int32(n), steps) < 0 {
			return false
		}
	}
	return true
}
