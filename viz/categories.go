package viz

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// categoryTicks name the places 0, 1, … of an axis, each on up to three lines.
type categoryTicks struct {
	names  []string
	labels []string
}

// within returns the ticks for an axis of a width, on which all names have room.
func (t categoryTicks) within(width vg.Length) categoryTicks {
	t.labels = make([]string, len(t.names))
	lines := make([][]string, len(t.names))
	most := 0
	for i, s := range t.names {
		lines[i] = wrap(s, tickStyle, width/vg.Length(len(t.names))-6*px, 3)
		most = max(most, len(lines[i]))
	}
	for i, l := range lines { // as many lines each, so that the first ones are level
		t.labels[i] = strings.Join(append(l, slices.Repeat([]string{" "}, most-len(l))...), "\n")
	}
	return t
}

func (t categoryTicks) Ticks(float64, float64) []plot.Tick {
	ticks := make([]plot.Tick, len(t.labels))
	for i, s := range t.labels {
		ticks[i] = plot.Tick{Value: float64(i), Label: s}
	}
	return ticks
}

// uprights are upright intervals with end caps, at x moved by aside, each with a marker at y
// if there is one.
type uprights struct {
	x, y, lo, hi []float64 // y, or lo and hi, may be nil
	style        draw.LineStyle
	marker       draw.GlyphStyle
	aside        vg.Length
}

func (m uprights) Plot(c draw.Canvas, p *plot.Plot) {
	const half = 4 * px
	if m.lo != nil {
		lo, hi := project(c, p, m.x, m.lo), project(c, p, m.x, m.hi)
		for i := range lo {
			x := lo[i].X + m.aside
			c.StrokeLine2(m.style, x, lo[i].Y, x, hi[i].Y)
			for _, y := range []vg.Length{lo[i].Y, hi[i].Y} {
				c.StrokeLine2(m.style, x-half, y, x+half, y)
			}
		}
	}
	if m.y == nil {
		return
	}
	for _, q := range project(c, p, m.x, m.y) {
		q.X += m.aside
		points{style: m.marker, halo: 0.8 * px}.draw(c, q)
	}
}

func (m uprights) DataRange() (xmin, xmax, ymin, ymax float64) {
	return dataRange(m.x, m.y, m.lo, m.hi)
}

// drawCategories draws the series as markers with their intervals at named places.
func (l Lines) drawCategories(f *Figure, p *plot.Plot) {
	const aside = 13 * px // from one series to the next
	banded := false
	for i, s := range l.Series {
		style := styleOf(i)
		m := uprights{x: s.X, y: s.Y, lo: s.Lo, hi: s.Hi, style: style.solid(2 * px), marker: style.marker(4 * px),
			aside: aside * (vg.Length(i) - vg.Length(len(l.Series)-1)/2)}
		p.Add(m)
		entry := LegendEntry{Text: label(s.Label, fmt.Sprintf("series %d", i+1))}
		if s.Y != nil {
			entry.Marker = m.marker
		}
		if s.Lo != nil {
			entry.Line, banded = m.style, true
		}
		f.Legend = append(f.Legend, entry)
	}
	if banded {
		f.Legend = append(f.Legend, LegendEntry{Text: name(l.Band, "95% interval"), Line: draw.LineStyle{Color: muted, Width: 2 * px}})
	}
	n := len(l.Categories)
	names := make([]string, n)
	for i, c := range l.Categories {
		names[i] = name(c, fmt.Sprintf("%d", i+1))
	}
	p.X.Min, p.X.Max = -0.5, float64(n)-0.5
	p.X.Tick.Marker, p.X.Tick.Width = categoryTicks{names: names}.within(540*px), 0
	p.X.Tick.Label.Color = ink
}

// numbered gives the series without X those of the categories.
func numbered(list []Series) []Series {
	list = slices.Clone(list)
	for i, s := range list {
		if s.X != nil {
			continue
		}
		for k := range max(len(s.Y), len(s.Lo)) {
			list[i].X = append(list[i].X, float64(k))
		}
	}
	return list
}

// checkCategories checks that categories have a place, and that the values are at theirs.
func (l Lines) checkCategories(check *checks) {
	n := len(l.Categories)
	if n == 0 {
		return
	}
	check.part = ""
	check.want(n <= maxCategories && len(l.Series) <= len(styles), " has %d categories and %d series, want at most %d and %d", n, len(l.Series), maxCategories, len(styles))
	check.want(!l.LogX, " has categories and LogX, want one of them")
	for i, s := range l.Series {
		check.part = fmt.Sprintf(", series %d (%q)", i, words(s.Label, 40))
		for k, x := range s.X {
			check.want(x == math.Trunc(x) && x >= 0 && x < float64(n), ": X[%d] is %v, want the number of a category, 0 to %d", k, x, n-1)
		}
	}
}

// maxCategories is the most categories whose names can be read.
const maxCategories = 12

// describeCategories says what the values of categories are.
func (l Lines) describeCategories(b *strings.Builder) {
	fmt.Fprintf(b, "%s. %s, for each setting.", name(l.Title, "Values"), name(l.YLabel, "Values"))
	for i, s := range l.Series {
		fmt.Fprintf(b, " %s:", label(s.Label, fmt.Sprintf("series %d", i+1)))
		for k, x := range s.X {
			if k > 0 {
				b.WriteByte(';')
			}
			fmt.Fprintf(b, " %s", name(l.Categories[int(x)], number(x+1)))
			if s.Y != nil {
				fmt.Fprintf(b, " %s", number(s.Y[k]))
			}
			if s.Lo != nil {
				fmt.Fprintf(b, " (%s to %s)", number(s.Lo[k]), number(s.Hi[k]))
			}
		}
		b.WriteByte('.')
	}
}
