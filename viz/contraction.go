package viz

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"bayescpace/bcpace/lipschitz"
	"bayescpace/bcpace/numtext"
)

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
	var closer, apart points
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
	closer.style = draw.GlyphStyle{Color: blue, Radius: 2 * px, Shape: disc{}}
	apart.style = draw.GlyphStyle{Color: vermilion, Radius: 2.8 * px, Shape: triangle{up: true}}
	closer.apart, apart.apart = 3*px, 3*px
	xmin, xmax, ymin, ymax := nested{closer, apart}.DataRange()
	markX, markY := math.Log10(mark.Distance), math.Log10(mark.Difference)
	if mark.Ratio > 1 {
		xmin, xmax, ymin, ymax = min(xmin, markX), max(xmax, markX), min(ymin, markY), max(ymax, markY)
	}
	// Far below the diagonal lie updates that all but agree, and tell nothing more.
	ymin = max(ymin, xmin-1)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = xmin, xmax, ymin, ymax
	widen(&p.X, 0.03)
	widen(&p.Y, 0.05)
	box := [4]float64{p.X.Min, p.X.Max, p.Y.Min, p.Y.Max}
	p.Add(drawing(shadeFalse), closer, apart)
	near := "closer after, or as far (" + numtext.Count(len(u.Before)-u.Expanding)
	if merged > 0 {
		near += fmt.Sprintf("; %s at 0, not drawn", numtext.Count(merged))
	}
	f.Legend = append(f.Legend,
		LegendEntry{Text: "Belief Contraction is false here", Fill: shadeColor},
		LegendEntry{Text: near + ")", Marker: draw.GlyphStyle{Color: blue, Radius: 3.2 * px, Shape: disc{}}})
	if len(apart.x) > 0 {
		f.Legend = append(f.Legend, LegendEntry{Text: fmt.Sprintf("farther apart (%s)", numtext.Count(u.Expanding)), Marker: draw.GlyphStyle{Color: vermilion, Radius: 3.8 * px, Shape: triangle{up: true}}})
	}
	var alt strings.Builder
	fmt.Fprintf(&alt, "%s. Scatter plot of the L1 distance of two beliefs after an update against that before it, with logarithmic axes; the half above the diagonal, where the update drives beliefs apart, is shaded. %s pairs, %s of them there.",
		f.Title, numtext.Count(len(u.Before)), numtext.Count(u.Expanding))
	if mark.Ratio > 1 {
		m := points{x: []float64{markX}, y: []float64{markY}, style: draw.GlyphStyle{Color: ink, Radius: 6 * px, Shape: ring{}}}
		p.Add(m)
		said := fmt.Sprintf("witness: %s becomes %s", number(roundTo(mark.Distance, 3)), number(roundTo(mark.Difference, 3)))
		f.Legend = append(f.Legend, LegendEntry{Text: said, Marker: m.style})
		fmt.Fprintf(&alt, " The %s.", said)
	}
	if merged > 0 {
		fmt.Fprintf(&alt, " Not drawn: %s after which both beliefs are the same.", numtext.Several(merged, "update"))
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = box[0], box[1], box[2], box[3]
	f.Alt = alt.String()
	f.setHeight()
	f.Height += 60 * px
	return f, nil
}

// roundTo rounds x > 0 to some significant digits.
func roundTo(x float64, digits int) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(x))-float64(digits-1))
	return math.Round(x/unit) * unit
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
	q := project(c, p, []float64{lo, hi}, []float64{lo, hi})
	c.StrokeLine2(draw.LineStyle{Color: muted, Width: 1.2 * px, Dashes: []vg.Length{5 * px, 3 * px}}, q[0].X, q[0].Y, q[1].X, q[1].Y)
}
