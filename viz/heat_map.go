package viz

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// HeatMap draws a number over two lists of values, such as a mean return over two parameters:
// a cell for each pair, coloured by the number and with the number in it. What a sweep.Grid has
// goes into Columns, Rows and Values.
type HeatMap struct {
	Title, Subtitle string
	// XLabel and YLabel name what Columns and Rows are values of, and ZLabel what is drawn,
	// with its unit.
	XLabel, YLabel, ZLabel string
	Columns, Rows          []string // from left to right and from below; up to 40 each
	// Values has a number for each row and column, row by row. NaN leaves a cell empty.
	Values []float64
	// Lo and Hi are the ends of the colours; numbers beyond have the colour of the end. Both 0
	// means the least and the largest number.
	Lo, Hi float64
}

// mostCells is the most values of each list of a HeatMap.
const mostCells = 40

// Figure checks the values and draws them.
func (m HeatMap) Figure() (*Figure, error) {
	lo, hi, err := m.check()
	if err != nil {
		return nil, err
	}
	p := newBarePanel(m.XLabel, m.YLabel)
	nx, ny := len(m.Columns), len(m.Rows)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.5, float64(nx)-0.5, -0.5, float64(ny)-0.5
	p.X.Tick.Marker, p.Y.Tick.Marker = m.ticks(m.Columns, 380*px), m.ticks(m.Rows, 0)
	f := &Figure{Title: m.Title, Subtitle: m.Subtitle, Panels: []*plot.Plot{p}, Width: defaultWidth}
	f.Alt = m.describe(lo, hi)
	ramp := rampOf(&lo, &hi, m.Lo, m.Hi)
	p.Add(drawing(func(c draw.Canvas, p *plot.Plot) { m.cells(c, p, lo, hi) }))
	f.Legend = append(f.Legend, LegendEntry{Text: name(m.ZLabel, "value")}, ramp)
	height := min(max(vg.Length(ny)*34*px, 130*px), 420*px)
	p.Y.Label.Text = fit(words(m.YLabel, maxWords), labelStyle, height)
	f.Height = height + 50*px + f.headHeight()
	return f, nil
}

// rampOf explains the colours of values from *lo to *hi. Where first is below last the colours go from
// there to there, as lo and hi then do; those of the ends stand for what is beyond, too.
func rampOf(lo, hi *float64, first, last float64) LegendEntry {
	below, above := "", ""
	if first < last {
		below, above = when(*lo < first, "≤ "), when(*hi > last, "≥ ")
		*lo, *hi = first, last
	}
	return LegendEntry{Text: below + number(*lo), Ramp: valueColor, RampEnd: above + number(*hi)}
}

// check returns the range of the values.
func (m HeatMap) check() (lo, hi float64, err error) {
	check := checksOf("HeatMap", m.Title)
	check.count(len(m.Columns), "columns", mostCells)
	check.count(len(m.Rows), "rows", mostCells)
	want := len(m.Columns) * len(m.Rows)
	check.want(len(m.Values) == want, " has %d values, want %d, one for each column and row", len(m.Values), want)
	there := slices.DeleteFunc(slices.Clone(m.Values), math.IsNaN)
	if !check.want(len(there) > 0, " has no value that is a number, want at least one") {
		return 0, 0, check.err
	}
	check.numbers("Values without NaN", there...)
	check.numbers("Lo", m.Lo)
	check.numbers("Hi", m.Hi)
	check.want(m.Lo < m.Hi || m.Lo == 0 && m.Hi == 0, ": Lo is %v and Hi is %v, want Lo below Hi, or both 0", m.Lo, m.Hi)
	return slices.Min(there), slices.Max(there), check.err
}

// ticks names the values of a list, as many as there is room for.
func (m HeatMap) ticks(list []string, width vg.Length) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	longest := vg.Length(0)
	for i, text := range list {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: fit(words(text, maxWords), tickStyle, 120*px)})
		longest = max(longest, tickStyle.Width(ticks[i].Label))
	}
	every := 1
	for width > 0 && every < len(list) && vg.Length(len(list)/every)*(longest+8*px) > width {
		every++
	}
	return slices.DeleteFunc(ticks, func(t plot.Tick) bool { return int(t.Value)%every != 0 })
}

// describe says in words what the figure shows.
func (m HeatMap) describe(lo, hi float64) string {
	at := func(z float64) string {
		i := slices.Index(m.Values, z)
		return m.Columns[i%len(m.Columns)] + " and " + m.Rows[i/len(m.Columns)]
	}
	return fmt.Sprintf("%s. Heat map of %s over %s and %s: least %s at %s, most %s at %s.", name(m.Title, "Values"), name(m.ZLabel, "values"),
		name(m.XLabel, "columns"), name(m.YLabel, "rows"), number(lo), words(at(lo), maxWords), number(hi), words(at(hi), maxWords))
}

// cells draws the cells, with colours from lo to hi.
func (m HeatMap) cells(c draw.Canvas, p *plot.Plot, lo, hi float64) {
	nx := len(m.Columns)
	for i, z := range m.Values {
		x, y := float64(i%nx), float64(i/nx)
		corners := project(c, p, []float64{x - 0.5, x + 0.5, x + 0.5, x - 0.5}, []float64{y - 0.5, y - 0.5, y + 0.5, y + 0.5})
		if math.IsNaN(z) {
			continue
		}
		share := 0.5
		if hi > lo {
			share = min(max((z-lo)/(hi-lo), 0), 1)
		}
		c.FillPolygon(valueColor(share), corners)
		style := tickStyle
		style.Color = onColor(valueColor(share))
		style.XAlign, style.YAlign = text.XCenter, text.YCenter
		label := number(z)
		if width, height := corners[1].X-corners[0].X, corners[2].Y-corners[1].Y; style.Width(label) < width-4*px && style.Height(label) < height {
			c.FillText(style, vg.Point{X: (corners[0].X + corners[1].X) / 2, Y: (corners[1].Y + corners[2].Y) / 2}, label)
		}
	}
}

// onColor is the colour of text that can be read on a colour: dark or white.
func onColor(back color.Color) color.Color {
	r, g, b, _ := back.RGBA()
	if luminance := 0.2126*float64(r) + 0.7152*float64(g) + 0.0722*float64(b); luminance < 0.5*0xffff {
		return color.White
	}
	return ink
}

// lattice are values at the middles of equal cells of a rectangle, row by row from below.
type lattice struct {
	Rect
	nx, ny int
	z      []float64
}

func (g lattice) middleX(i int) float64 { return g.X0 + (g.X1-g.X0)*(float64(i)+0.5)/float64(g.nx) }
func (g lattice) middleY(j int) float64 { return g.Y0 + (g.Y1-g.Y0)*(float64(j)+0.5)/float64(g.ny) }

// heat fills the cells of a lattice, but for those of no colour.
func (g lattice) heat(ramp func(z float64) color.Color) drawing {
	edge := func(lo, hi float64, i, n int) float64 { return lo + (hi-lo)*float64(i)/float64(n) }
	const under = 0.8 * px // the next cell, so that no gap shows between them
	return func(c draw.Canvas, p *plot.Plot) {
		for j := range g.ny {
			fill := func(i int) color.Color { return ramp(g.z[j*g.nx+i]) }
			for from, to := range stretches(g.nx, func(i, k int) bool { return fill(i) == fill(k) }) {
				if fill(from) == nil {
					continue
				}
				q := project(c, p, []float64{edge(g.X0, g.X1, from, g.nx), edge(g.X0, g.X1, to, g.nx)}, []float64{edge(g.Y0, g.Y1, j, g.ny), edge(g.Y0, g.Y1, j+1, g.ny)})
				c.FillPolygon(fill(from), rectangle(q[0].X, q[0].Y, min(q[1].X+under, c.Max.X), min(q[1].Y+under, c.Max.Y)))
			}
		}
	}
}

// contours are the lines at which a lattice has one of the levels, by marching squares
// (gonum's plotter.Contour joins its lines in another order every time, which changes the
// bytes of a figure).
type contours struct {
	lattice
	levels []float64
	color  func(level float64) color.Color
}

func (m contours) Plot(c draw.Canvas, p *plot.Plot) {
	m.lines(func(level float64, x, y [2]float64) {
		c.StrokeLines(draw.LineStyle{Color: m.color(level), Width: px}, project(c, p, x[:], y[:]))
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
		x[n] = m.middleX(a[0]) + t*(m.middleX(b[0])-m.middleX(a[0]))
		y[n] = m.middleY(a[1]) + t*(m.middleY(b[1])-m.middleY(a[1]))
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
	stops := [3]color.NRGBA{{0xFF, 0xF4, 0xC8, 0xFF}, {0x46, 0xA9, 0xB4, 0xFF}, {0x14, 0x2C, 0x6E, 0xFF}}
	t := math.Round(48*share) / 24
	i := min(int(t), 1)
	return mixed(stops[i], stops[i+1], t-float64(i))
}

// controlColor is the colour of a control as a share of its range, as beliefColor is that
// of a belief.
func controlColor(share float64) color.Color { return beliefColor(math.Round(48*share) / 48) }

// turnColor is the colour of an angle as a share of a full turn.
func turnColor(share float64) color.Color {
	stops := []color.NRGBA{blue, green, orange, purple}
	t := math.Round(48*(share-math.Floor(share))) / 48 * float64(len(stops))
	i := int(t) % len(stops)
	return mixed(stops[i], stops[(i+1)%len(stops)], t-math.Floor(t))
}
