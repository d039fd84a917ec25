package viz

import (
	"math"
	"sort"
)

// hidden tells which of the curves a later one is drawn on, over a quarter of the points of
// that one at least. Lines as wide as one another would then show the later one alone.
func hidden(curves []curve, logX, logY bool) []bool {
	under := make([]bool, len(curves))
	if len(curves) > maxHidden {
		return under
	}
	scaled := make([]curve, len(curves))
	lo, hi := math.Inf(1), math.Inf(-1)
	for i, c := range curves {
		for k := range c.y {
			x, y := c.x[k], c.y[k]
			if logX {
				x = math.Log(x)
			}
			if logY {
				y = math.Log(y)
			}
			scaled[i].x, scaled[i].y = append(scaled[i].x, x), append(scaled[i].y, y)
			lo, hi = min(lo, y), max(hi, y)
		}
	}
	const near = 0.006 // of the panel's height: less than the width of a line
	for i, a := range scaled {
		if !ascending(a.x) {
			continue
		}
		for _, b := range scaled[i+1:] {
			on, all := 0, 0
			for k, x := range b.x {
				if y, ok := a.at(x); ok {
					all++
					if math.Abs(y-b.y[k]) <= near*(hi-lo) {
						on++
					}
				}
			}
			under[i] = under[i] || on >= 2 && 4*on >= all
		}
	}
	return under
}

// maxHidden bounds the time for comparing curves; more cannot be told apart in any case.
const maxHidden = 20

// at returns the height of a curve with ascending x, if it has one there.
func (m curve) at(x float64) (y float64, ok bool) {
	n := len(m.x)
	if n == 0 || x < m.x[0] || x > m.x[n-1] {
		return 0, false
	}
	k := sort.SearchFloat64s(m.x, x)
	if m.x[k] == x {
		return m.y[k], true
	}
	share := (x - m.x[k-1]) / (m.x[k] - m.x[k-1])
	return m.y[k-1] + share*(m.y[k]-m.y[k-1]), true
}
