package viz

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"bayescpace/bcpace/lipschitz"
)

// Differences draws by how much a function of queries differs, such as Q*, against
// their distance, on logarithmic axes, where a Lipschitz constant L is the line L·d.
// Pairs above one of the lines break that constant and stand out.
type Differences struct {
	Title, Subtitle string
	Data            *lipschitz.Observed // with 1 to 6 constants in Bounds, or none
	// NoObserved leaves out the line of the observed constant.
	NoObserved bool
}

const maxDifferenceBounds = 6

// Figure draws the pairs kept in Data and a line for each of its constants.
func (v Differences) Figure() (*Figure, error) {
	where := fmt.Sprintf("viz: Differences %q", words(v.Title, 40))
	x := v.Data
	if x == nil || x.Pairs == 0 {
		return nil, fmt.Errorf("%s has no pairs, want Data from Observe with one at least", where)
	}
	if len(x.Bounds) > maxDifferenceBounds || len(x.Broken) != len(x.Bounds) {
		return nil, fmt.Errorf("%s has %d constants and %d counts, want the same number, at most %d", where, len(x.Bounds), len(x.Broken), maxDifferenceBounds)
	}
	var held, broken points
	equal := 0
	for i, g := range x.Kept {
		if g.Difference == 0 {
			equal++ // and without a logarithm
			continue
		}
		if err := checkColumns(fmt.Sprintf("%s, pair %d", where, i), []column{{"Distance", []float64{g.Distance}, true}, {"Difference", []float64{g.Difference}, true}}); err != nil {
			return nil, err
		}
		to := &held
		if g.Breaks != 0 {
			to = &broken
		}
		to.x, to.y = append(to.x, math.Log10(g.Distance)), append(to.y, math.Log10(g.Difference))
	}
	if len(held.x)+len(broken.x) == 0 {
		return nil, fmt.Errorf("%s: all kept pairs have the same value, want one at least that differs", where)
	}
	f := name(x.Function, "Q")
	p := newPanel("distance (α·d of states + L1 of beliefs)", fmt.Sprintf("|Δ%s| (reward units)", f))
	p.X.Tick.Marker, p.Y.Tick.Marker = decadeTicks{}, decadeTicks{}
	fig := &Figure{Title: name(v.Title, fmt.Sprintf("|Δ%s| against distance: %s", f, name(x.Model, "model"))), Subtitle: v.Subtitle, Panels: []*plot.Plot{p}, Width: defaultWidth}

	held.style = draw.GlyphStyle{Color: muted, Radius: 1.7 * px, Shape: disc{}}
	broken.style = draw.GlyphStyle{Color: vermilion, Radius: 2.8 * px, Shape: cross{}}
	held.apart, broken.apart = 3*px, 4*px
	// The range of the pairs, before lines that leave it are added.
	xmin, xmax, ymin, ymax := abreast{held, broken}.DataRange()
	var alt strings.Builder
	fmt.Fprintf(&alt, "%s. Scatter plot of the difference of %s between %s queries of %s against their distance, with logarithmic axes; %s of %s pairs are drawn.",
		fig.Title, f, whole(x.Queries), name(x.Model, "a model"), whole(len(held.x)+len(broken.x)), whole(x.Pairs))
	var lines []curve
	lowest := math.Inf(1) // of the lines
	slope := func(k int, label string, value float64) {
		line := curve{x: []float64{xmin, xmax}, y: []float64{math.Log10(value) + xmin, math.Log10(value) + xmax}, style: styleOf(k).line(2 * px)}
		lines = append(lines, line)
		fig.Legend = append(fig.Legend, LegendEntry{Text: label, Line: line.style})
		lowest, ymax = min(lowest, line.y[0]), max(ymax, line.y[1])
	}
	// Vermilion is for what breaks a bound.
	order := []int{0, 2, 3, 4, 5, 6}
	for k, b := range x.Bounds {
		if err := checkColumns(where, []column{{name(b.Name, "constant"), []float64{b.Value}, true}}); err != nil {
			return nil, err
		}
		said := fmt.Sprintf("%s: L = %s", name(words(b.Name, 40), fmt.Sprintf("constant %d", k+1)), number(roundTo(b.Value, 4)))
		if x.Broken[k] > 0 {
			said += fmt.Sprintf(", broken by %s%% of the pairs", number(sharePercent(x.Broken[k], x.Pairs)))
		}
		slope(order[k], said, b.Value)
		fmt.Fprintf(&alt, " %s; %s pairs break it.", said, whole(x.Broken[k]))
	}
	if o := x.LQ.Value; !v.NoObserved && o > 0 {
		said := "observed: L = " + number(roundTo(o, 4))
		line := curve{x: []float64{xmin, xmax}, y: []float64{math.Log10(o) + xmin, math.Log10(o) + xmax}, style: draw.LineStyle{Color: ink, Width: 1.4 * px}}
		lines = append(lines, line)
		lowest, ymax = min(lowest, line.y[0]), max(ymax, line.y[1])
		fig.Legend = append(fig.Legend, LegendEntry{Text: said, Line: line.style})
		fmt.Fprintf(&alt, " %s, at distance %s.", said, number(x.LQ.Worst.Distance))
	}
	p.Add(held, broken)
	for _, line := range lines {
		p.Add(line)
	}
	// What lies two decades below all lines says nothing of a bound, and would press the
	// rest together.
	ymin = min(max(ymin, lowest-2), ymax)
	low := 0
	for _, m := range []points{held, broken} {
		for _, y := range m.y {
			if y < ymin {
				low++
			}
		}
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = xmin, xmax, ymin, ymax
	widen(&p.X, 0.03)
	widen(&p.Y, 0.04)
	if len(held.x) > 0 {
		fig.Legend = append(fig.Legend, LegendEntry{Text: "pair of queries", Marker: held.marker()})
	}
	if len(broken.x) > 0 {
		fig.Legend = append(fig.Legend, LegendEntry{Text: "pair that breaks a constant", Marker: draw.GlyphStyle{Color: vermilion, Radius: 4 * px, Shape: cross{}}})
	}
	if equal > 0 {
		fmt.Fprintf(&alt, " %s further pairs have the same value.", whole(equal))
	}
	if drawn := len(held.x) + len(broken.x) - low; drawn < x.Pairs {
		fig.note(fmt.Sprintf("%s of %s pairs are within the figure", whole(drawn), whole(x.Pairs)))
	}
	if low > 0 {
		fmt.Fprintf(&alt, " %s of those drawn would stand below the figure.", count(low, "pair"))
	}
	fig.Alt = alt.String()
	fig.setHeight()
	fig.Height += 60 * px
	return fig, nil
}

// marker is the mark in a legend, where it may be larger than among its kind.
func (m points) marker() draw.GlyphStyle {
	s := m.style
	s.Radius = max(s.Radius, 3*px)
	return s
}

// sharePercent is k of n in percent, with two significant digits, and not 100 unless all.
func sharePercent(k, n int) float64 {
	s := 100 * float64(k) / float64(n)
	if s == 0 {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(s))-1)
	r := math.Round(s/unit) * unit
	if r >= 100 && k < n {
		r = math.Floor(s/unit) * unit
	}
	return math.Round(r*1e9) / 1e9
}
