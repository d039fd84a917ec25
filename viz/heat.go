package viz

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// lattice are values at the middles of equal cells of a rectangle, row by row from below.
type lattice struct {
	Rect
	nx, ny int
	z      []float64
}

func (g lattice) x(i int) float64 { return g.X0 + (g.X1-g.X0)*(float64(i)+0.5)/float64(g.nx) }
func (g lattice) y(j int) float64 { return g.Y0 + (g.Y1-g.Y0)*(float64(j)+0.5)/float64(g.ny) }

// heat fills the cells of a lattice.
type heat struct {
	lattice
	color func(z float64) color.Color
}

func (m heat) Plot(c draw.Canvas, p *plot.Plot) {
	edge := func(lo, hi float64, i, n int) float64 { return lo + (hi-lo)*float64(i)/float64(n) }
	for row := -1; row < m.ny; row++ {
		// Each row reaches under the next, so that no gap shows between them, and the first
		// lies on itself.
		j := max(row, 0)
		y0, y1 := edge(m.Y0, m.Y1, j, m.ny), edge(m.Y0, m.Y1, min(j+2, m.ny), m.ny)
		fill := func(i int) color.Color { return m.color(m.z[j*m.nx+i]) }
		for from, to := range stretches(m.nx, func(i, k int) bool { return fill(i) == fill(k) }) {
			x0, x1 := edge(m.X0, m.X1, from, m.nx), edge(m.X0, m.X1, to, m.nx)
			c.FillPolygon(fill(from), project(c, p, []float64{x0, x1, x1, x0}, []float64{y0, y0, y1, y1}))
		}
	}
}

// contours are the lines at which a lattice has one of the levels, by marching squares
// (gonum's plotter.Contour joins its lines in another order every time, which changes the
// bytes of a figure).
type contours struct {
	lattice
	levels []float64
	style  draw.LineStyle
}

func (m contours) Plot(c draw.Canvas, p *plot.Plot) {
	m.lines(func(_ float64, x, y [2]float64) {
		q := project(c, p, x[:], y[:])
		c.StrokeLine2(m.style, q[0].X, q[0].Y, q[1].X, q[1].Y)
	})
}

// lines calls f with each piece of a line, from (x[0], y[0]) to (x[1], y[1]).
func (m contours) lines(f func(level float64, x, y [2]float64)) {
	for _, level := range m.levels {
		for j := range m.ny - 1 {
			for i := range m.nx - 1 {
				m.square(level, i, j, f)
			}
		}
	}
}

// square is lines within the square of four neighbouring middles.
func (m contours) square(level float64, i, j int, f func(level float64, x, y [2]float64)) {
	// The corners, counter-clockwise from the lower left.
	corners := [4][2]int{{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}}
	var x, y [4]float64
	n, mean := 0, 0.0
	for k, a := range corners {
		b := corners[(k+1)%4]
		za, zb := m.z[a[1]*m.nx+a[0]], m.z[b[1]*m.nx+b[0]]
		mean += za / 4
		if (za < level) == (zb < level) {
			continue
		}
		t := (level - za) / (zb - za)
		x[n] = m.x(a[0]) + t*(m.x(b[0])-m.x(a[0]))
		y[n] = m.y(a[1]) + t*(m.y(b[1])-m.y(a[1]))
		n++
	}
	// At a saddle all four sides are crossed, and the mean says which corners belong
	// together: the first one stands alone where it is on the other side of the level.
	if n == 4 && (m.z[j*m.nx+i] < level) != (mean < level) {
		x, y = [4]float64{x[3], x[0], x[1], x[2]}, [4]float64{y[3], y[0], y[1], y[2]}
	}
	for k := 0; k+1 < n; k += 2 {
		f(level, [2]float64{x[k], x[k+1]}, [2]float64{y[k], y[k+1]})
	}
}

// valueColor is the colour of a value as a share of the range, from light to dark, in steps
// that are too small to see.
func valueColor(share float64) color.Color {
	return knownColor(math.Round(48*share) / 48)
}

// controlColor is the colour of a control as a share of its range, as beliefColor is that
// of a belief.
func controlColor(share float64) color.Color {
	return beliefColor(math.Round(48*share) / 48)
}

// turnColor is the colour of an angle as a share of a full turn.
func turnColor(share float64) color.Color {
	stops := []color.NRGBA{blue, green, orange, purple}
	t := math.Round(48*(share-math.Floor(share))) / 48 * float64(len(stops))
	i := int(t) % len(stops)
	return mixed(stops[i], stops[(i+1)%len(stops)], t-math.Floor(t))
}
