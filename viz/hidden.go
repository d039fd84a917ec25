package viz

import (
	"math"
	"sort"

	"gonum.org/v1/plot"
)

// grounds are wide and pale lines below each curve where a later one is drawn on it: lines as
// wide as one another would show the later one alone.
func grounds(curves []curve, style func(i int) series, logX, logY bool) []plot.Plotter {
	var list []plot.Plotter
	for i, under := range hidden(curves, logX, logY) {
		for from := 0; from < len(under); from++ {
			to := from
			for to+1 < len(under) && under[from] && under[to+1] {
				to++
			}
			if to > from {
				list = append(list, curve{curves[i].x[from : to+1], curves[i].y[from : to+1], style(i).ground()})
			}
			from = to
		}
	}
	return list
}

// hidden tells at which points of each curve a later one is near.
func hidden(curves []curve, logX, logY bool) [][]bool {
	under := make([][]bool, len(curves))
	if len(curves) > maxHidden {
		return under
	}
	scaled := make([]curve, len(curves))
	lo, hi := math.Inf(1), math.Inf(-1)
	for i, c := range curves {
		under[i] = make([]bool, len(c.y))
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
		for _, b := range scaled[i+1:] {
			if !ascending(b.x) {
				continue
			}
			for k, x := range a.x {
				if y, ok := b.at(x); ok && math.Abs(y-a.y[k]) <= near*(hi-lo) {
					under[i][k] = true
				}
			}
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
