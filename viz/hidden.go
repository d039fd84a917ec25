package viz

import (
	"math"
	"sort"

	"gonum.org/v1/plot"
)

// grounds are wide and pale lines below each curve where a later one is drawn on it: two lines
// of the same width would show only the later one.
func grounds(curves []curve, style func(i int) series, logX, logY bool) []plot.Plotter {
	var list []plot.Plotter
	for i, under := range hidden(curves, logX, logY) {
		for _, s := range under {
			list = append(list, curve{curves[i].x[s[0]:s[1]], curves[i].y[s[0]:s[1]], style(i).ground()})
		}
	}
	return list
}

// groundEntry explains grounds in a legend, where there are any: a wide pale line is no band.
func groundEntry(grounds []plot.Plotter) []LegendEntry {
	if len(grounds) == 0 {
		return nil
	}
	return []LegendEntry{{Text: "line below another one", Line: series{color: muted}.ground()}}
}

// hidden returns the stretches of each curve, as their first point and the one behind their
// last, where a later one is near. A short stretch is a crossing, where both are seen.
func hidden(curves []curve, logX, logY bool) [][][2]int {
	found := make([][][2]int, len(curves))
	if len(curves) > maxHidden {
		return found
	}
	scaled := make([]curve, len(curves))
	left, right, lo, hi := emptyRange()
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
			left, right, lo, hi = min(left, x), max(right, x), min(lo, y), max(hi, y)
		}
	}
	const near = 0.006 // of the panel's height: less than the width of a line
	const long = 0.02  // of its width or height: more than the width of a ground
	for i, a := range scaled {
		under := make([]bool, len(a.x))
		for _, b := range scaled[i+1:] {
			if !ascending(b.x) {
				continue
			}
			for k, x := range a.x {
				if y, ok := b.at(x); ok && math.Abs(y-a.y[k]) <= near*(hi-lo) {
					under[k] = true
				}
			}
		}
		for from, to := range stretchesWhere(len(under), func(k int) bool { return under[k] }) {
			if to-from < 2 {
				continue
			}
			if x0, x1, y0, y1 := dataRange(a.x[from:to], a.y[from:to]); x1-x0 > long*(right-left) || y1-y0 > long*(hi-lo) {
				found[i] = append(found[i], [2]int{from, to})
			}
		}
	}
	return found
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
