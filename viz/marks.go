package viz

import (
	"cmp"
	"image/color"
	"iter"
	"math"
	"slices"
	"sort"

	"bayescpace/bcpace"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The marks below are what figures are made of. Their constructors' callers
// have checked the data; x and y have the same length.

// drawing is a mark that has no part in the range of the axes.
type drawing func(c draw.Canvas, p *plot.Plot)

func (d drawing) Plot(c draw.Canvas, p *plot.Plot) { d(c, p) }

// ranged is a mark with what it shows in the range of the axes: values of each y at x.
type ranged struct {
	drawing
	x []float64
	y [][]float64
}

func (m ranged) DataRange() (xmin, xmax, ymin, ymax float64) { return dataRange(m.x, m.y...) }

// curve is a line through points.
type curve struct {
	x, y  []float64
	style draw.LineStyle
}

func (m curve) Plot(c draw.Canvas, p *plot.Plot) {
	if len(m.x) < 2 {
		return
	}
	c.StrokeLines(m.style, c.ClipLinesXY(project(c, p, m.x, m.y))...)
}

func (m curve) DataRange() (xmin, xmax, ymin, ymax float64) { return dataRange(m.x, m.y) }

// points are markers, thinned so that those of one mark stand at least apart
// from each other: thousands of them would be a blot, and a large file.
type points struct {
	x, y  []float64
	style draw.GlyphStyle
	apart vg.Length
	// halo is a white rim that lifts the marker off the lines around it.
	halo vg.Length
}

func (m points) Plot(c draw.Canvas, p *plot.Plot) {
	for _, q := range m.places(c, p) {
		m.draw(c, q)
	}
}

// places returns where the markers that are kept stand.
func (m points) places(c draw.Canvas, p *plot.Plot) (kept []vg.Point) {
	taken := make(map[[2]int]bool) // as many as there is room for, and not as m.x has
	for _, q := range project(c, p, m.x, m.y) {
		at := [2]int{int(q.X / m.apart), int(q.Y / m.apart)}
		if c.Contains(q) && (m.apart == 0 || !taken[at]) {
			kept, taken[at] = append(kept, q), true
		}
	}
	return kept
}

func (m points) draw(c draw.Canvas, at vg.Point) {
	if m.halo > 0 {
		rim := m.style
		rim.Color, rim.Radius = color.White, rim.Radius+m.halo
		c.DrawGlyphNoClip(rim, at)
	}
	c.DrawGlyphNoClip(m.style, at)
}

func (m points) DataRange() (xmin, xmax, ymin, ymax float64) { return dataRange(m.x, m.y) }

// nested are the markers of several series. Where markers of different series would hide one
// another, each keeps its place, and is larger than those of the series behind it, which are
// drawn on it with a white rim.
type nested []points

func (m nested) Plot(c draw.Canvas, p *plot.Plot) {
	for i, all := range m.sized(c, p) {
		for _, q := range all {
			mark := m[i]
			mark.style.Radius += vg.Length(q.inner) * 2.4 * px
			if q.outer > 0 {
				mark.halo = max(mark.halo, 0.8*px)
			}
			mark.draw(c, q.at)
		}
	}
}

// besides are markers as nested has them, all of one size: those at one place stand side by side.
type besides struct{ nested }

func (m besides) Plot(c draw.Canvas, p *plot.Plot) {
	for i, all := range m.sized(c, p) {
		for _, q := range all {
			m.nested[i].draw(c, vg.Point{X: q.at.X + vg.Length(q.outer-q.inner)*m.nested[i].style.Radius, Y: q.at.Y})
		}
	}
}

// marker is a place, with the number of markers of other series that share it, outside and
// inside of this one.
type marker struct {
	at           vg.Point
	outer, inner int
}

// sized returns the markers of each series.
func (m nested) sized(c draw.Canvas, p *plot.Plot) [][]marker {
	all := make([][]marker, len(m))
	places := each(m, func(s points) []vg.Point { return s.places(c, p) })
	const near = 3 * px
	for i := range m {
		for _, q := range places[i] {
			at := marker{at: q}
			for j := range m {
				switch shared := j != i && slices.ContainsFunc(places[j], func(o vg.Point) bool {
					return max(o.X-q.X, q.X-o.X) < near && max(o.Y-q.Y, q.Y-o.Y) < near
				}); {
				case shared && j < i:
					at.outer++
				case shared:
					at.inner++
				}
			}
			all[i] = append(all[i], at)
		}
	}
	return all
}

func (m nested) DataRange() (xmin, xmax, ymin, ymax float64) {
	var x, y []float64
	for _, s := range m {
		x, y = append(x, s.x...), append(y, s.y...)
	}
	return dataRange(x, y)
}

// band fills the space between lo and hi.
func band(x, lo, hi []float64, fill color.Color) ranged {
	return ranged{func(c draw.Canvas, p *plot.Plot) {
		if len(x) < 2 {
			return
		}
		outline, upper := project(c, p, x, lo), project(c, p, x, hi)
		slices.Reverse(upper)
		c.FillPolygon(fill, c.ClipPolygonXY(append(outline, upper...)))
	}, x, [][]float64{lo, hi}}
}

// level is a line across the panel with its name in the right margin; without
// a width it is the name alone.
type level struct {
	value  float64
	label  string
	style  draw.LineStyle
	marker draw.GlyphStyle // before the name, if it has a shape
}

// levels draws its lines and spreads their names where these would overlap.
// The glyph boxes make plot keep the margin free.
type levels []level

func (m levels) Plot(c draw.Canvas, p *plot.Plot) {
	sty := labelStyle
	sty.YAlign = draw.YCenter
	height := func(l level) vg.Length { return c.Y(p.Y.Norm(l.value)) }
	for _, l := range m {
		if at := height(l); l.style.Width > 0 && c.ContainsY(at) {
			c.StrokeLine2(l.style, c.Min.X, at, c.Max.X, at)
		}
	}
	upward := slices.SortedStableFunc(slices.Values(m), func(a, b level) int { return cmp.Compare(height(a), height(b)) })
	spread := each(upward, height)
	spreadOut(spread, sty.FontExtents().Height, c.Min.Y, c.Max.Y)
	for k, l := range upward {
		c.StrokeLine2(draw.LineStyle{Color: leaderGrey, Width: px}, c.Max.X+px, height(l), c.Max.X+7*px, spread[k])
		c.FillText(sty, vg.Point{X: c.Max.X + 9*px + 3*l.marker.Radius, Y: spread[k] + lift}, l.label)
		if l.marker.Shape != nil {
			c.DrawGlyphNoClip(l.marker, vg.Point{X: c.Max.X + 9*px + l.marker.Radius, Y: spread[k]})
		}
	}
}

func (m levels) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = emptyRange()
	for _, l := range m {
		ymin, ymax = min(ymin, l.value), max(ymax, l.value)
	}
	return xmin, xmax, ymin, ymax
}

func (m levels) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	var width vg.Length
	for _, l := range m {
		width = max(width, labelStyle.Width(l.label)+3*l.marker.Radius)
	}
	// A box without height counts for the horizontal padding only.
	return []plot.GlyphBox{{X: 1, Rectangle: vg.Rectangle{Max: vg.Point{X: width + 9*px}}}}
}

// spreadOut moves ascending positions apart until neighbours are gap away from
// each other, as little as a single pass up and one down can, within [lo, hi].
func spreadOut(at []vg.Length, gap, lo, hi vg.Length) {
	for i, y := range at {
		at[i] = max(y, lo)
		lo = at[i] + gap
	}
	for i, y := range slices.Backward(at) {
		at[i] = min(y, hi)
		hi = at[i] - gap
	}
}

// rectangle returns the corners of a rectangle.
func rectangle(x0, y0, x1, y1 vg.Length) []vg.Point {
	return []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
}

// project returns the places of data points on the canvas.
func project(c draw.Canvas, p *plot.Plot, x, y []float64) []vg.Point {
	out := make([]vg.Point, len(x))
	for i := range x {
		out[i] = vg.Point{X: c.X(p.X.Norm(x[i])), Y: c.Y(p.Y.Norm(y[i]))}
	}
	return out
}

// emptyRange returns ranges that leave any other range as it is.
func emptyRange() (xmin, xmax, ymin, ymax float64) {
	return math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
}

// dataRange returns the ranges of points: those of each y stand at x.
func dataRange(x []float64, y ...[]float64) (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = emptyRange()
	for _, values := range y {
		for i, v := range values {
			xmin, xmax = min(xmin, x[i]), max(xmax, x[i])
			ymin, ymax = min(ymin, v), max(ymax, v)
		}
	}
	return xmin, xmax, ymin, ymax
}

// stretches returns the longest stretches of 0 to n−1 in which neighbours are alike, as their
// first number and the one behind their last.
func stretches(n int, alike func(i, j int) bool) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for from := 0; from < n; {
			to := from + 1
			for to < n && alike(to-1, to) {
				to++
			}
			if !yield(from, to) {
				return
			}
			from = to
		}
	}
}

// stretchesWhere returns the stretches in which all are so.
func stretchesWhere(n int, so func(i int) bool) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for from, to := range stretches(n, func(i, j int) bool { return so(i) == so(j) }) {
			if so(from) && !yield(from, to) {
				return
			}
		}
	}
}

// widen adds a share of an axis's length at both its ends, so that no line
// runs along the frame; a range of one value gets a length. Axes on a log
// scale widen by factors.
func widen(a *plot.Axis, share float64) {
	if isLog(*a) {
		if a.Max <= a.Min*1.01 {
			a.Min, a.Max = a.Min/2, a.Max*2
			return
		}
		by := math.Exp((math.Log(a.Max) - math.Log(a.Min)) * share)
		a.Min, a.Max = a.Min/by, a.Max*by
		return
	}
	length := a.Max - a.Min
	if short(a) {
		length = cmp.Or(max(math.Abs(a.Min), math.Abs(a.Max)), 1)
	}
	a.Min, a.Max = a.Min-share*length, a.Max+share*length
}

// limit gives an axis the limits of what it shows, or room around the data where there are none.
func limit(a *plot.Axis, shown bcpace.Axis) {
	if shown.Min < shown.Max {
		a.Min, a.Max = shown.Min, shown.Max
	} else {
		widen(a, 0.05)
	}
}

// short reports whether the ends of an axis are equal, or differ by so little
// that the precision of a float64 would show.
func short(a *plot.Axis) bool { return a.Max-a.Min <= 1e-9*max(math.Abs(a.Min), math.Abs(a.Max)) }

// maxPoints is the number of points that a curve keeps: two for each pixel
// column of a figure drawn at twice its size.
const maxPoints = 2400

// parts is the number of stretches of a long curve, of which each keeps up to three points.
const parts = maxPoints / 3

// thin shortens a long curve with ascending x without changing how it looks:
// of each of many equal stretches of points it keeps the first, the lowest and
// the highest. Other curves stay as they are.
func thin(x, y []float64) (tx, ty []float64) {
	if len(x) <= maxPoints || !slices.IsSorted(x) {
		return x, y
	}
	for part := range parts {
		from, to := part*len(x)/parts, (part+1)*len(x)/parts
		lo, hi := from+floats.MinIdx(y[from:to]), from+floats.MaxIdx(y[from:to])
		for _, i := range slices.Compact([]int{from, min(lo, hi), max(lo, hi)}) {
			tx, ty = append(tx, x[i]), append(ty, y[i])
		}
	}
	end := len(x) - 1
	return append(tx, x[end]), append(ty, y[end])
}

// thinBand shortens a long band with ascending x, keeping the lowest lo and
// the highest hi of each stretch.
func thinBand(x, lo, hi []float64) (tx, tlo, thi []float64) {
	if len(x) <= maxPoints || !slices.IsSorted(x) {
		return x, lo, hi
	}
	for part := range parts {
		from, to := part*len(x)/parts, (part+1)*len(x)/parts
		tx, tlo, thi = append(tx, x[from]), append(tlo, slices.Min(lo[from:to])), append(thi, slices.Max(hi[from:to]))
	}
	end := len(x) - 1
	return append(tx, x[end]), append(tlo, lo[end]), append(thi, hi[end])
}

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

// groundEntry explains grounds in a legend: a wide pale line is no band.
var groundEntry = LegendEntry{Text: "line below another one", Line: series{color: muted}.ground()}

// hidden returns the stretches of each curve, as their first point and the one behind their
// last, where a later one is near. A short stretch is a crossing, where both are seen.
func hidden(curves []curve, logX, logY bool) [][][2]int {
	found := make([][][2]int, len(curves))
	if len(curves) > maxHidden {
		return found
	}
	scale := func(values []float64, log bool) []float64 {
		if log {
			return each(values, math.Log)
		}
		return values
	}
	scaled := each(curves, func(c curve) curve { return curve{x: scale(c.x, logX), y: scale(c.y, logY)} })
	left, right, lo, hi := nested(each(scaled, func(c curve) points { return points{x: c.x, y: c.y} })).DataRange()
	const near = 0.006 // of the panel's height: less than the width of a line
	const long = 0.02  // of its width or height: more than the width of a ground
	for i, a := range scaled {
		under := make([]bool, len(a.x))
		for _, b := range scaled[i+1:] {
			if !slices.IsSorted(b.x) {
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

// allWhole reports whether all numbers are whole.
func allWhole(x []float64) bool {
	return !slices.ContainsFunc(x, func(x float64) bool { return x != math.Trunc(x) })
}
