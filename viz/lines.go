package viz

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"unicode/utf8"

	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/numtext"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Lines draws curves in one panel, each with an optional band, and reference
// levels named in the right margin.
type Lines struct {
	Title, Subtitle string
	// XLabel and YLabel name what the axes measure, with the unit.
	XLabel, YLabel string
	Series         []Series // at least one
	References     []Reference
	// Categories name the places 0, 1, … of the X axis, which then measures nothing, such as
	// the variants of an algorithm. No lines join them: each value is a marker with its
	// interval, those of several series side by side.
	Categories []string
	// LogX and LogY make an axis logarithmic; all its values must be positive.
	LogX, LogY bool
	// Band says what the bands are of series that do not say it, for the legend. "" means "95%
	// interval" around an estimate, and "lower to upper bound" where there is none.
	Band string
	// Alt describes the figure. "" composes a description from the values.
	Alt string

	styles  []int // of the series; nil means 0, 1, …
	scatter bool  // the points alone, in any order
}

// banded says what the band of a series is.
func (l Lines) banded(s Series) string {
	return name(cmp.Or(s.Band, l.Band, when(s.Y == nil, "lower to upper bound")), "95% interval")
}

// style returns how series i is drawn.
func (l Lines) style(i int) series {
	if l.styles != nil {
		i = l.styles[i]
	}
	return styleOf(i)
}

// maxSeries is far more than anyone can tell apart.
const maxSeries = 200

// Series is one curve.
type Series struct {
	Label string
	// X and Y are equally long, have one point at least and are finite. With Categories X nil
	// means 0, 1, …. Y nil means that there is no estimate, only what lies between Lo and Hi,
	// such as bounds.
	X, Y []float64
	// Lo and Hi bound a band around the curve; both nil means none.
	Lo, Hi []float64
	// Band says what the band is, such as "proved bracket". "" leaves it to Lines.Band.
	Band string
	// Markers draws a marker at every point; where Y is nil, at both ends of the band.
	Markers bool

	unbounded []bool // the points that the band leaves out; nil means none
}

// bounded reports whether the band holds at a point.
func (s Series) bounded(point int) bool { return s.unbounded == nil || !s.unbounded[point] }

// Reference is a level that others are compared with, such as an optimum.
type Reference struct {
	Label string
	Value float64
}

// Figure checks the values and draws them.
func (l Lines) Figure() (*Figure, error) {
	if len(l.Categories) > 0 {
		l.Series = numbered(l.Series)
	}
	if err := l.check(); err != nil {
		return nil, err
	}
	p := newPanel(l.XLabel, l.YLabel)
	if l.LogX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, logTicks{}
	}
	if l.LogY {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks{}
	}
	f := &Figure{Title: l.Title, Subtitle: l.Subtitle, Panels: []*plot.Plot{p}, Width: defaultWidth}
	if len(l.References) > 0 {
		p.Add(referenceLevels(l.References))
	}
	draw, describe := l.drawCurves, l.describe
	if len(l.Categories) > 0 {
		draw, describe = l.drawCategories, l.describeCategories
	}
	draw(f, p)
	if l.LogY && len(slices.DeleteFunc((logTicks{}).Ticks(p.Y.Min, p.Y.Max), plot.Tick.IsMinor)) < 3 {
		p.Y.Tick.Marker = logTicks{data: []float64{p.Y.Min, p.Y.Max}, besides: true}
	}
	widen(&p.Y, 0.05)
	switch {
	case short(&p.X):
		widen(&p.X, 0.5)
	case len(l.Categories) == 0 && slices.ContainsFunc(l.Series, func(s Series) bool { return s.Markers }): // no marker hides the numbers of the axis
		widen(&p.X, 0.015)
	}
	f.Alt = cmp.Or(l.Alt, describe()+describeReferences(l.References))
	f.setHeight()
	return f, nil
}

// drawCurves draws the series as curves with their bands.
func (l Lines) drawCurves(f *Figure, p *plot.Plot) {
	l.drawBands(p)
	curves := make([]curve, len(l.Series)) // an empty one keeps the place of a series without
	whole := true
	for i, s := range l.Series {
		if s.Y != nil && !l.scatter {
			curves[i].x, curves[i].y = thin(s.X, s.Y)
		}
		whole = whole && allWhole(s.X)
	}
	under := grounds(curves, l.style, l.LogX, l.LogY)
	p.Add(under...)
	var markers nested
	for i, s := range l.Series {
		style := l.style(i)
		entry := LegendEntry{Text: label(s.Label, fmt.Sprintf("curve %d", i+1)), Line: style.line(2.2 * px)}
		drawn := curves[i : i+1]
		if s.Y == nil {
			entry = LegendEntry{Text: label(s.Label, fmt.Sprintf("interval %d", i+1)), Line: style.line(1.4 * px), Fill: bandFill(style)}
			drawn = make([]curve, 2)
			drawn[0].x, drawn[0].y = thin(s.X, s.Lo)
			drawn[1].x, drawn[1].y = thin(s.X, s.Hi)
		}
		if l.scatter {
			entry.Line, entry.Marker = draw.LineStyle{}, style.marker(3*px)
			p.Add(points{x: s.X, y: s.Y, style: entry.Marker, apart: 2 * px, halo: 0.6 * px})
			f.explain(s.Label != "", entry)
			continue
		}
		var at points // those of both edges are of one series, and never nested
		for _, c := range drawn {
			p.Add(curve{c.x, c.y, entry.Line})
			at.x, at.y = append(at.x, c.x...), append(at.y, c.y...)
		}
		if s.Markers || len(s.X) == 1 {
			at.style, at.apart = style.marker(3.6*px), 2*px
			markers, entry.Marker = append(markers, at), at.style
		}
		f.Legend = append(f.Legend, entry)
	}
	if markers != nil {
		p.Add(markers)
	}
	l.explainBands(f, true)
	f.explain(len(under) > 0, groundEntry)
	p.X.Tick.Marker = niceTicks{whole: whole}
	if l.LogX {
		p.X.Tick.Marker = logTicks{whole: whole, data: l.places()}
	}
}

// explainBands explains each kind of band, of several series in grey: as a fill, or as an interval.
func (l Lines) explainBands(f *Figure, fill bool) {
	for i, s := range l.Series {
		same := func(o Series) bool { return o.Lo != nil && l.banded(o) == l.banded(s) }
		if s.Lo == nil || slices.ContainsFunc(l.Series[:i], same) {
			continue
		}
		of := []series{l.style(i)}
		if slices.ContainsFunc(l.Series[i+1:], same) {
			of = []series{{color: muted}, {color: muted}}
		}
		entry := LegendEntry{Text: l.banded(s), Line: of[0].solid(2 * px)}
		if fill {
			entry = LegendEntry{Text: l.banded(s), Fill: bandKey(of)}
		}
		f.Legend = append(f.Legend, entry)
	}
}

// bandKey is the colour that stands for bands in a legend: grey where they have several.
func bandKey(styles []series) color.NRGBA {
	if len(styles) == 1 {
		return bandFill(styles[0])
	}
	return faded(muted, 0.25)
}

// drawBands draws the bands of the series.
func (l Lines) drawBands(p *plot.Plot) {
	for i, s := range l.Series {
		if s.Lo == nil {
			continue
		}
		style := l.style(i)
		for from, to := range stretchesWhere(len(s.X), s.bounded) {
			x, lo, hi := thinBand(s.X[from:to], s.Lo[from:to], s.Hi[from:to])
			p.Add(band(x, lo, hi, bandFill(style)))
		}
	}
}

// bandFill is the colour of a band.
func bandFill(s series) color.NRGBA { return faded(s.color, 0.18) }

// places returns the distinct X of all series, ascending.
func (l Lines) places() (x []float64) {
	for _, s := range l.Series {
		x = append(x, s.X...)
	}
	slices.Sort(x)
	return slices.Compact(x)
}

func (l Lines) check() error {
	check := checksOf("Lines", l.Title)
	check.count(len(l.Series), "series", maxSeries)
	for i, s := range l.Series {
		check.part = fmt.Sprintf(", series %d (%q)", i, words(s.Label, 40))
		check.want(len(s.X) > 0, " has no points, want at least one")
		check.want((s.Lo == nil) == (s.Hi == nil), " has one of Lo and Hi, want both or neither")
		columns := []column{{"X", s.X, l.LogX}}
		if s.Y != nil || s.Lo == nil {
			columns = append(columns, column{"Y", s.Y, l.LogY})
		}
		if s.Lo != nil {
			columns = append(columns, column{"Lo", s.Lo, l.LogY}, column{"Hi", s.Hi, l.LogY})
		}
		if !check.columns(columns...) {
			return check.err
		}
		for k := range s.Lo {
			check.want(s.Lo[k] <= s.Hi[k], ": Lo[%d] is %v above Hi[%d] %v, want the lower end in Lo", k, s.Lo[k], k, s.Hi[k])
		}
	}
	l.checkCategories(check)
	return check.references(l.References, l.LogY)
}

// describe says in words what the figure shows.
func (l Lines) describe() string {
	text := fmt.Sprintf("%s. Line plot of %s against %s.", name(l.Title, "Curves"), name(l.YLabel, "values"), name(l.XLabel, "x"))
	const most = 8 // that are told of one by one
	for i, s := range l.Series[:min(len(l.Series), most)] {
		last := len(s.X) - 1
		if s.Y == nil {
			text += fmt.Sprintf(" %s: %s to %s at %s, and %s to %s at %s.", label(s.Label, fmt.Sprintf("Interval %d", i+1)),
				number(s.Lo[0]), number(s.Hi[0]), number(s.X[0]), number(s.Lo[last]), number(s.Hi[last]), number(s.X[last]))
			continue
		}
		text += fmt.Sprintf(" %s: from %s at %s to %s at %s", label(s.Label, fmt.Sprintf("Curve %d", i+1)),
			number(s.Y[0]), number(s.X[0]), number(s.Y[last]), number(s.X[last]))
		if s.Lo != nil && s.bounded(last) {
			text += fmt.Sprintf(" (%s %s to %s)", l.banded(s), number(s.Lo[last]), number(s.Hi[last]))
		}
		text += "."
	}
	return text + when(len(l.Series) > most, " And %d more.", len(l.Series)-most)
}

// referenceLevels returns the mark for the references.
func referenceLevels(refs []Reference) levels {
	dashes := [][]vg.Length{{6 * px, 3 * px}, {2 * px, 2 * px}, {9 * px, 3 * px, 2 * px, 3 * px}}
	m := make(levels, len(refs))
	for i, r := range refs {
		m[i] = level{value: r.Value, label: valued(fit(words(r.Label, maxWords), labelStyle, 120*px), r.Value), style: draw.LineStyle{Color: ink, Width: 1.2 * px, Dashes: dashes[i%len(dashes)]}}
	}
	return m
}

// valued writes a value behind its name. A symbol, of three letters at most, has a sign
// between: "−ε −4" would read as a difference.
func valued(name string, value float64) string {
	switch n := utf8.RuneCountInString(name); {
	case n == 0:
		return number(value)
	case n <= 3:
		return name + " = " + number(value)
	}
	return name + " " + number(value)
}

func describeReferences(refs []Reference) (text string) {
	for _, r := range refs {
		text += fmt.Sprintf(" Reference line %s at %s.", words(r.Label, 60), number(r.Value))
	}
	return text
}

// Points draws points, such as two measures of each of many models, without lines between them:
//
//	nb.Show(viz.Points{XLabel: "states", YLabel: "seconds", X: states, Y: seconds, Groups: solver})
type Points struct {
	Title, Subtitle string
	// XLabel and YLabel name what the axes measure, with the unit.
	XLabel, YLabel string
	X, Y           []float64 // equally long and finite, of one point at least
	// Groups name the group of each point, up to seven of them, which have a colour and a marker
	// each. nil is one group, and a group named "" is not in the legend.
	Groups []string
	// LogX and LogY make an axis logarithmic; all its values must be positive.
	LogX, LogY bool
	References []Reference
}

// Figure checks the values and draws them.
func (v Points) Figure() (*Figure, error) {
	check := checksOf("Points", v.Title)
	check.columns(column{"X", v.X, v.LogX}, column{"Y", v.Y, v.LogY})
	check.want(len(v.X) > 0, " has no points, want at least one")
	check.want(v.Groups == nil || len(v.Groups) == len(v.X), ": X has %d values and Groups has %d, want the same number, or nil", len(v.X), len(v.Groups))
	if check.err != nil {
		return nil, check.err
	}
	l := Lines{Title: v.Title, Subtitle: v.Subtitle, XLabel: v.XLabel, YLabel: v.YLabel, LogX: v.LogX, LogY: v.LogY, References: v.References, scatter: true}
	l.Alt = fmt.Sprintf("%s. %s against %s.", name(v.Title, "Points"), name(v.YLabel, "y"), name(v.XLabel, "x"))
	groups := v.Groups
	if groups == nil {
		groups = make([]string, len(v.X))
	}
	for i, g := range groups {
		k := slices.IndexFunc(l.Series, func(s Series) bool { return s.Label == g })
		if k < 0 {
			k, l.Series = len(l.Series), append(l.Series, Series{Label: g, Markers: true})
		}
		s := &l.Series[k]
		s.X, s.Y = append(s.X, v.X[i]), append(s.Y, v.Y[i])
	}
	if !check.count(len(l.Series), "groups", len(styles)) {
		return nil, check.err
	}
	for _, s := range l.Series {
		l.Alt += fmt.Sprintf(" %s: %s, from %s to %s across and from %s to %s up.", label(s.Label, "Shown"), numtext.Several(len(s.X), "point"),
			number(slices.Min(s.X)), number(slices.Max(s.X)), number(slices.Min(s.Y)), number(slices.Max(s.Y)))
	}
	l.Alt += describeReferences(v.References)
	return l.Figure()
}

// Deviations draws how far exact values are from reported ones against the
// horizon, with a curve for each discount, on logarithmic axes. At 1 the values
// lie within the error of the report on average.
type Deviations struct {
	Title, Subtitle string
	Settings        []eval.ReportedSetting // as eval.SearchReported returns them
}

// Figure checks the values and draws them.
func (d Deviations) Figure() (*Figure, error) {
	l := Lines{Title: d.Title, Subtitle: d.Subtitle, XLabel: "horizon T (steps)", YLabel: "deviation (half widths)", LogX: true, LogY: true,
		References: []Reference{{"reported error", 1}}}
	for i, s := range d.Settings {
		if i == 0 || s.Discount != d.Settings[i-1].Discount {
			l.Series = append(l.Series, Series{Label: "γ = " + number(s.Discount)})
		}
		c := &l.Series[len(l.Series)-1]
		c.X, c.Y = append(c.X, float64(s.Horizon)), append(c.Y, s.Deviation)
	}
	return l.Figure()
}

// uprights are upright intervals with end caps, those of a series at its x moved by aside, each with
// a marker at y if there is one.
func uprights(s Series, style draw.LineStyle, marker draw.GlyphStyle, aside vg.Length) ranged {
	return ranged{func(c draw.Canvas, p *plot.Plot) {
		const half = 4 * px
		if s.Lo != nil {
			lo, hi := project(c, p, s.X, s.Lo), project(c, p, s.X, s.Hi)
			for i := range lo {
				x := lo[i].X + aside
				c.StrokeLine2(style, x, lo[i].Y, x, hi[i].Y)
				for _, y := range []vg.Length{lo[i].Y, hi[i].Y} {
					c.StrokeLine2(style, x-half, y, x+half, y)
				}
			}
		}
		for _, q := range project(c, p, s.X[:len(s.Y)], s.Y) {
			points{style: marker, halo: 0.8 * px}.draw(c, q.Add(vg.Point{X: aside}))
		}
	}, s.X, [][]float64{s.Y, s.Lo, s.Hi}}
}

// drawCategories draws the series as markers with their intervals at named places.
func (l Lines) drawCategories(f *Figure, p *plot.Plot) {
	const aside = 13 * px // from one series to the next
	for i, s := range l.Series {
		style := styleOf(i)
		line, marker := style.solid(2*px), style.marker(4*px)
		p.Add(uprights(s, line, marker, aside*(vg.Length(i)-vg.Length(len(l.Series)-1)/2)))
		entry := LegendEntry{Text: label(s.Label, fmt.Sprintf("series %d", i+1))}
		if s.Y != nil {
			entry.Marker = marker
		}
		if s.Lo != nil {
			entry.Line = line
		}
		f.Legend = append(f.Legend, entry)
	}
	l.explainBands(f, false)
	var names []string
	for i, c := range l.Categories {
		names = append(names, name(c, fmt.Sprint(i+1)))
	}
	p.X.Min, p.X.Max = -0.5, float64(len(names))-0.5
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
func (l Lines) describeCategories() string {
	text := fmt.Sprintf("%s. %s, for each setting.", name(l.Title, "Values"), name(l.YLabel, "Values"))
	for i, s := range l.Series {
		text += fmt.Sprintf(" %s:", label(s.Label, fmt.Sprintf("series %d", i+1)))
		for k, x := range s.X {
			text += when(k > 0, ";") + " " + name(l.Categories[int(x)], number(x+1))
			if s.Y != nil {
				text += fmt.Sprintf(" %s", number(s.Y[k]))
			}
			if s.Lo != nil {
				text += fmt.Sprintf(" (%s to %s)", number(s.Lo[k]), number(s.Hi[k]))
			}
		}
		text += "."
	}
	return text
}

// references wants levels that can be drawn.
func (c *checks) references(refs []Reference, log bool) error {
	for _, r := range refs {
		c.part = fmt.Sprintf(", reference %q", words(r.Label, 40))
		c.columns(column{"Value", []float64{r.Value}, log})
	}
	return c.err
}
