package viz

import (
	"fmt"
	"math"
	"slices"

	"bayescpace/bcpace/lipschitz"
	"bayescpace/bcpace/numtext"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Differences draws by how much a function of queries differs, such as Q*, against
// their distance, on logarithmic axes, where a Lipschitz constant L is the line L·d.
// Pairs above one of the lines break that constant and stand out.
type Differences struct {
	Title, Subtitle string
	Data            *lipschitz.Observed // with 1 to 6 constants in Bounds, or none
}

const maxDifferenceBounds = 6

// Figure draws the pairs kept in Data and a line for each of its constants.
func (v Differences) Figure() (*Figure, error) {
	x, check := v.Data, checksOf("Differences", v.Title)
	if !check.want(x != nil && x.Pairs > 0, " has no pairs, want Data from Observe with one at least") ||
		!check.want(len(x.Bounds) <= maxDifferenceBounds && len(x.Broken) == len(x.Bounds), " has %d constants and %d counts, want the same number, at most %d", len(x.Bounds), len(x.Broken), maxDifferenceBounds) {
		return nil, check.err
	}
	held, broken := v.pairs(check)
	slopes := v.slopes(check)
	if check.err != nil {
		return nil, check.err
	}
	f := name(x.Function, "Q")
	p := newPanel("distance (α·d of states + L1 of beliefs)", fmt.Sprintf("|Δ%s| (reward units)", f))
	p.X.Tick.Marker, p.Y.Tick.Marker = decadeTicks{}, decadeTicks{}
	fig := &Figure{Title: name(v.Title, fmt.Sprintf("|Δ%s| against distance: %s", f, name(x.Model, "model"))), Subtitle: v.Subtitle, Panels: []*plot.Plot{p}, Width: defaultWidth}
	fig.Legend = each(slopes, func(s slope) LegendEntry { return LegendEntry{Text: s.said, Line: s.style} })
	fig.explain(len(held.x) > 0, LegendEntry{Text: "pair of queries", Marker: draw.GlyphStyle{Color: muted, Radius: 3 * px, Shape: disc{}}})
	fig.explain(len(broken.x) > 0, LegendEntry{Text: "pair that breaks a constant", Marker: draw.GlyphStyle{Color: vermilion, Radius: 4 * px, Shape: cross{}}})
	drawDifferences(p, held, broken, slopes)
	drawn := len(held.x) + len(broken.x)
	low := floats.Count(func(y float64) bool { return y < p.Y.Min }, slices.Concat(held.y, broken.y))
	widen(&p.X, 0.03)
	widen(&p.Y, 0.04)
	fig.note(drawn-low < x.Pairs, fmt.Sprintf("%s of %s pairs are within the figure", numtext.Count(drawn-low), numtext.Count(x.Pairs)))
	fig.Alt = v.describe(fig.Title, slopes, drawn, low)
	fig.setHeight()
	fig.Height += 60 * px
	return fig, nil
}

// pairs returns the pairs that differ, as points with logarithms: those that hold all constants,
// and those that break one.
func (v Differences) pairs(check *checks) (held, broken points) {
	held = points{style: draw.GlyphStyle{Color: muted, Radius: 1.7 * px, Shape: disc{}}, apart: 3 * px}
	broken = points{style: draw.GlyphStyle{Color: vermilion, Radius: 2.8 * px, Shape: cross{}}, apart: 4 * px}
	for i, g := range v.Data.Kept {
		if g.Difference == 0 {
			continue // it has no logarithm
		}
		check.part = fmt.Sprintf(", pair %d", i)
		check.columns(column{"Distance", []float64{g.Distance}, true}, column{"Difference", []float64{g.Difference}, true})
		to := &held
		if g.Breaks != 0 {
			to = &broken
		}
		to.x, to.y = append(to.x, math.Log10(g.Distance)), append(to.y, math.Log10(g.Difference))
	}
	check.part = ""
	check.want(len(held.x)+len(broken.x) > 0, ": all kept pairs have the same value, want one at least that differs")
	return held, broken
}

// slope is the line L·d of a constant L.
type slope struct {
	value float64
	style draw.LineStyle
	said  string // its name and value
	alt   string // what Alt says besides
}

// slopes returns the lines of the constants and of the observed one.
func (v Differences) slopes(check *checks) (list []slope) {
	x := v.Data
	// Vermilion is for what breaks a bound.
	order := []int{0, 2, 3, 4, 5, 6}
	for k, b := range x.Bounds {
		check.columns(column{name(b.Name, "constant"), []float64{b.Value}, true})
		said := fmt.Sprintf("%s: L = %s", name(words(b.Name, 40), fmt.Sprintf("constant %d", k+1)), number(roundTo(b.Value, 4)))
		said += when(x.Broken[k] > 0, ", broken by %s%% of the pairs", number(sharePercent(x.Broken[k], x.Pairs)))
		list = append(list, slope{b.Value, styleOf(order[k]).line(2 * px), said, fmt.Sprintf("; %s pairs break it", numtext.Count(x.Broken[k]))})
	}
	if o := x.LQ.Value; o > 0 {
		list = append(list, slope{o, draw.LineStyle{Color: ink, Width: 1.4 * px}, "observed: L = " + number(roundTo(o, 4)), ", at distance " + number(x.LQ.Worst.Distance)})
	}
	return list
}

// drawDifferences draws points and lines, and sets the range of the axes. What lies two decades
// below all lines is left out: it says nothing of a bound, and would press the rest together.
func drawDifferences(p *plot.Plot, held, broken points, slopes []slope) {
	xmin, xmax, ymin, ymax := nested{held, broken}.DataRange()
	p.Add(held, broken)
	lowest := math.Inf(1) // of the lines
	for _, s := range slopes {
		line := curve{x: []float64{xmin, xmax}, y: []float64{math.Log10(s.value) + xmin, math.Log10(s.value) + xmax}, style: s.style}
		p.Add(line)
		lowest, ymax = min(lowest, line.y[0]), max(ymax, line.y[1])
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = xmin, xmax, min(max(ymin, lowest-2), ymax), ymax
}

// describe says in words what is shown. Of the pairs that are drawn, low stand below the figure.
func (v Differences) describe(title string, slopes []slope, drawn, low int) string {
	x := v.Data
	text := fmt.Sprintf("%s. Scatter plot of the difference of %s between %s queries of %s against their distance, with logarithmic axes; %s of %s pairs are drawn.",
		title, name(x.Function, "Q"), numtext.Count(x.Queries), name(x.Model, "a model"), numtext.Count(drawn), numtext.Count(x.Pairs))
	for _, s := range slopes {
		text += fmt.Sprintf(" %s%s.", s.said, s.alt)
	}
	equal := len(x.Kept) - drawn
	text += when(equal > 0, " %s further pairs have the same value.", numtext.Count(equal))
	text += when(low > 0, " %s of those drawn would stand below the figure.", numtext.Several(low, "pair"))
	return text
}

// sharePercent is k of n in percent, with two significant digits, and not 100 unless all.
func sharePercent(k, n int) float64 {
	s := 100 * float64(k) / float64(n)
	if s == 0 {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(s))-1)
	r := roundTo(s, 2)
	if r >= 100 && k < n {
		r = math.Floor(s/unit) * unit
	}
	return math.Round(r*1e9) / 1e9
}

// Contraction draws the distance of two beliefs after an update against that before it,
// on logarithmic axes. The paper's assumption Belief Contraction says that no point lies in
// the shaded half.
type Contraction struct {
	Title, Subtitle string
	Data            *lipschitz.Updates
	// Witness is a pair to be marked. The zero Witness marks the worst of Data.
	Witness lipschitz.Witness
}

// Figure draws the pairs.
func (v Contraction) Figure() (*Figure, error) {
	u, check := v.Data, checksOf("Contraction", v.Title)
	if !check.want(u != nil && len(u.Before) > 0 && len(u.After) == len(u.Before), " has no pairs, want Data from lipschitz.Expansions with one at least, and as many distances after as before") {
		return nil, check.err
	}
	mark := v.Witness
	if mark.Ratio == 0 {
		mark = u.Worst
	}
	closer := points{style: draw.GlyphStyle{Color: blue, Radius: 2 * px, Shape: disc{}}, apart: 3 * px}
	apart := points{style: draw.GlyphStyle{Color: vermilion, Radius: 2.8 * px, Shape: triangleUp}, apart: 3 * px}
	merged := 0
	for i, before := range u.Before {
		after := u.After[i]
		// An update that forgets everything, or sees it all, has no logarithm; one to
		// within rounding would be a long way below the others.
		if after < 1e-9 {
			merged++
			continue
		}
		check.part = fmt.Sprintf(", pair %d", i)
		check.columns(column{"Before", []float64{before}, true}, column{"After", []float64{after}, true})
		to := &closer
		if after > before*(1+1e-9) {
			to = &apart
		}
		to.x, to.y = append(to.x, math.Log10(before)), append(to.y, math.Log10(after))
	}
	check.part = ""
	if !check.want(len(closer.x)+len(apart.x) > 0, ": every update leads to one belief, want one at least that does not") {
		return nil, check.err
	}
	p := newPanel("distance of two beliefs before the update (L1)", "distance after it (L1)")
	p.X.Tick.Marker, p.Y.Tick.Marker = decadeTicks{}, decadeTicks{}
	f := &Figure{Title: name(v.Title, titled(u.Model, "beliefs before and after an update")), Subtitle: v.Subtitle, Panels: []*plot.Plot{p}, Width: defaultWidth}
	xmin, xmax, ymin, ymax := nested{closer, apart}.DataRange()
	markX, markY := math.Log10(mark.Distance), math.Log10(mark.Difference)
	if mark.Ratio > 1 {
		xmin, xmax, ymin, ymax = min(xmin, markX), max(xmax, markX), min(ymin, markY), max(ymax, markY)
	}
	p.Add(drawing(shadeFalse), closer, apart)
	near := "closer after, or as far (" + numtext.Count(len(u.Before)-u.Expanding)
	near += when(merged > 0, "; %s at 0, not drawn", numtext.Count(merged))
	f.Legend = append(f.Legend,
		LegendEntry{Text: "Belief Contraction is false here", Fill: shadeColor},
		LegendEntry{Text: near + ")", Marker: draw.GlyphStyle{Color: blue, Radius: 3.2 * px, Shape: disc{}}})
	f.explain(len(apart.x) > 0, LegendEntry{Text: fmt.Sprintf("farther apart (%s)", numtext.Count(u.Expanding)), Marker: draw.GlyphStyle{Color: vermilion, Radius: 3.8 * px, Shape: triangleUp}})
	f.Alt = fmt.Sprintf("%s. Scatter plot of the L1 distance of two beliefs after an update against that before it, with logarithmic axes; the half above the diagonal, where the update drives beliefs apart, is shaded. %s pairs, %s of them there.",
		f.Title, numtext.Count(len(u.Before)), numtext.Count(u.Expanding))
	if mark.Ratio > 1 {
		m := points{x: []float64{markX}, y: []float64{markY}, style: draw.GlyphStyle{Color: ink, Radius: 6 * px, Shape: ring{}}}
		p.Add(m)
		said := fmt.Sprintf("witness: %s becomes %s", number(roundTo(mark.Distance, 3)), number(roundTo(mark.Difference, 3)))
		f.Legend = append(f.Legend, LegendEntry{Text: said, Marker: m.style})
		f.Alt += fmt.Sprintf(" The %s.", said)
	}
	f.Alt += when(merged > 0, " Not drawn: %s after which both beliefs are the same.", numtext.Several(merged, "update"))
	// Far below the diagonal lie updates that all but agree, and tell nothing more.
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = xmin, xmax, max(ymin, xmin-1), ymax
	widen(&p.X, 0.03)
	widen(&p.Y, 0.05)
	f.setHeight()
	f.Height += 60 * px
	return f, nil
}

// shadeColor leaves the grid to be seen, and points of all styles stand out on it.
var shadeColor = faded(orange, 0.2)

// shadeFalse shades what lies above the diagonal y = x.
func shadeFalse(c draw.Canvas, p *plot.Plot) {
	lo, hi := max(p.X.Min, p.Y.Min), min(p.X.Max, p.Y.Max)
	if lo >= hi {
		return
	}
	x := []float64{p.X.Min, p.X.Min, lo, hi, hi}
	y := []float64{p.Y.Max, lo, lo, hi, p.Y.Max}
	c.FillPolygon(shadeColor, c.ClipPolygonXY(project(c, p, x, y)))
	c.StrokeLines(draw.LineStyle{Color: muted, Width: 1.2 * px, Dashes: []vg.Length{5 * px, 3 * px}}, project(c, p, x[2:4], x[2:4]))
}
