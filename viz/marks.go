package viz

import (
	"cmp"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The marks below are what figures are made of. Their constructors' callers
// have checked the data; x and y have the same length.

// drawing is a mark that has no part in the range of the axes.
type drawing func(c draw.Canvas, p *plot.Plot)

func (d drawing) Plot(c draw.Canvas, p *plot.Plot) { d(c, p) }

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
	type cell struct{ x, y int }
	taken := make(map[cell]bool, len(m.x))
	for _, q := range project(c, p, m.x, m.y) {
		if !c.Contains(q) {
			continue
		}
		if m.apart > 0 {
			at := cell{int(q.X / m.apart), int(q.Y / m.apart)}
			if taken[at] {
				continue
			}
			taken[at] = true
		}
		kept = append(kept, q)
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

// marker is a place, with the number of markers of other series that share it, outside and
// inside of this one.
type marker struct {
	at           vg.Point
	outer, inner int
}

// sized returns the markers of each series.
func (m nested) sized(c draw.Canvas, p *plot.Plot) [][]marker {
	places, all := make([][]vg.Point, len(m)), make([][]marker, len(m))
	for i := range m {
		places[i] = m[i].places(c, p)
	}
	const near = 3 * px
	for i := range m {
		for _, q := range places[i] {
			at := marker{at: q}
			for j := range m {
				if j != i && slices.ContainsFunc(places[j], func(o vg.Point) bool {
					return max(o.X-q.X, q.X-o.X) < near && max(o.Y-q.Y, q.Y-o.Y) < near
				}) {
					if j < i {
						at.outer++
					} else {
						at.inner++
					}
				}
			}
			all[i] = append(all[i], at)
		}
	}
	return all
}

func (m nested) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = emptyRange()
	for _, s := range m {
		x0, x1, y0, y1 := s.DataRange()
		xmin, xmax, ymin, ymax = min(xmin, x0), max(xmax, x1), min(ymin, y0), max(ymax, y1)
	}
	return xmin, xmax, ymin, ymax
}

// band fills the space between lo and hi.
type band struct {
	x, lo, hi []float64
	color     color.Color
}

func (m band) Plot(c draw.Canvas, p *plot.Plot) {
	if len(m.x) < 2 {
		return
	}
	outline := project(c, p, m.x, m.lo)
	upper := project(c, p, m.x, m.hi)
	slices.Reverse(upper)
	c.FillPolygon(m.color, c.ClipPolygonXY(append(outline, upper...)))
}

func (m band) DataRange() (xmin, xmax, ymin, ymax float64) {
	return dataRange(m.x, m.lo, m.hi)
}

// whiskers are horizontal intervals with end caps, at heights y.
type whiskers struct {
	y, lo, hi []float64
	style     draw.LineStyle
}

func (m whiskers) Plot(c draw.Canvas, p *plot.Plot) {
	const half = 8 * px // more than a marker, which hides a short interval
	for i := range m.y {
		q := project(c, p, []float64{m.lo[i], m.hi[i]}, []float64{m.y[i], m.y[i]})
		c.StrokeLine2(m.style, q[0].X, q[0].Y, q[1].X, q[1].Y)
		for _, end := range q {
			c.StrokeLine2(m.style, end.X, end.Y-half, end.X, end.Y+half)
		}
	}
}

func (m whiskers) DataRange() (xmin, xmax, ymin, ymax float64) {
	ymin, ymax, xmin, xmax = dataRange(m.y, m.lo, m.hi)
	return xmin, xmax, ymin, ymax
}

// level is a line across the panel with its name in the right margin; without
// a width it is the name alone.
type level struct {
	value float64
	label string
	style draw.LineStyle
}

// levels draws its lines and spreads their names where these would overlap.
// The glyph boxes make plot keep the margin free.
type levels []level

func (m levels) Plot(c draw.Canvas, p *plot.Plot) {
	sty := labelStyle
	sty.YAlign = draw.YCenter
	at := make([]vg.Length, len(m))
	order := make([]int, len(m))
	for i, l := range m {
		order[i] = i
		at[i] = c.Y(p.Y.Norm(l.value))
		if l.style.Width > 0 && c.ContainsY(at[i]) {
			c.StrokeLine2(l.style, c.Min.X, at[i], c.Max.X, at[i])
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(at[i], at[j]) })
	spread := make([]vg.Length, len(m))
	for k, i := range order {
		spread[k] = at[i]
	}
	spreadOut(spread, sty.FontExtents().Height, c.Min.Y, c.Max.Y)
	for k, i := range order {
		c.StrokeLine2(draw.LineStyle{Color: leaderGrey, Width: px}, c.Max.X+px, at[i], c.Max.X+7*px, spread[k])
		c.FillText(sty, vg.Point{X: c.Max.X + 9*px, Y: spread[k] + lift}, m[i].label)
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
		width = max(width, labelStyle.Width(l.label))
	}
	// A box without height counts for the horizontal padding only.
	return []plot.GlyphBox{{X: 1, Rectangle: vg.Rectangle{Max: vg.Point{X: width + 9*px}}}}
}

// spreadOut moves ascending positions apart until neighbours are gap away from
// each other, as little as a single pass up and one down can, within [lo, hi].
func spreadOut(at []vg.Length, gap, lo, hi vg.Length) {
	for i := range at {
		if i == 0 {
			at[i] = max(at[i], lo)
		} else {
			at[i] = max(at[i], at[i-1]+gap)
		}
	}
	for i := len(at) - 1; i >= 0; i-- {
		if i == len(at)-1 {
			at[i] = min(at[i], hi)
		} else {
			at[i] = min(at[i], at[i+1]-gap)
		}
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
