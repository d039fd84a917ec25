package viz

import (
	"fmt"
	"slices"
	"strings"

	"bayescpace/bcpace/cpace"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Explained draws how an estimate of Algorithm 1 comes about (cpace.Explain): a dot for
// the value of each neighbour, at its distance from the query; above it a line, the Lipschitz
// bonus, up to what the neighbour counts; and the mean of these, the estimate.
type Explained struct {
	// Title stands above the figure; "" names the query.
	Title       string
	Explanation *cpace.Explanation
}

// maxNeighbours is the most neighbours that are drawn.
const maxNeighbours = 2000

// valueSize and termSize let both markers be seen where a neighbour counts its value alone.
const valueSize, termSize = 5 * px, 3 * px

// Figure checks the explanation and draws it.
func (v Explained) Figure() (*Figure, error) {
	x, check := v.Explanation, checks{where: "viz: Explained"}
	switch {
	case x == nil:
		return nil, fmt.Errorf("viz: Explained.Explanation is nil, want what Explain has returned")
	case x.Latent >= 0:
		return nil, fmt.Errorf("viz: Explained has no neighbours: the belief is near the one-hot belief of %q, whose latent MDP has the value %s", x.Spec.Latents[x.Latent], number(x.Q))
	}
	check.want(len(x.Neighbours) <= maxNeighbours, " has %d neighbours, want at most %d: a run with a smaller K", len(x.Neighbours), maxNeighbours)
	p := newPanel("distance from the query", "value (discounted reward)")
	var at, value, term []float64
	for _, n := range x.Neighbours {
		at, value, term = append(at, n.Distance), append(value, n.Value), append(term, n.Term)
	}
	check.columns(column{"Distance", at, false}, column{"Value", value, false}, column{"Term", term, false})
	check.numbers("Q", x.Q)
	check.numbers("Upper", x.Upper)
	if !check.numbers("Radius", x.Radius) {
		return nil, check.err
	}
	dot, top := styleOf(0), styleOf(1)
	bonuses := drawing(func(c draw.Canvas, p *plot.Plot) {
		lo, hi := project(c, p, at, value), project(c, p, at, term)
		for i := range lo {
			c.StrokeLine2(top.line(1.4*px), lo[i].X, lo[i].Y, hi[i].X, hi[i].Y)
		}
	})
	p.Add(bonuses, points{x: at, y: value, style: dot.marker(valueSize)}, points{x: at, y: term, style: top.marker(termSize), halo: 0.8 * px})
	p.Add(levels{
		{x.Q, "estimate " + number(x.Q), draw.LineStyle{Color: ink, Width: 1.6 * px}},
		{x.Upper, "upper bound " + number(x.Upper), draw.LineStyle{Color: muted, Width: 1.2 * px, Dashes: []vg.Length{4 * px, 3 * px}}},
	})
	edge := draw.LineStyle{Color: muted, Width: 1.2 * px, Dashes: []vg.Length{2 * px, 2 * px}}
	p.Add(upright{x.Radius, edge})
	p.X.Min, p.X.Max = 0, 1.05*slices.Max(append([]float64{x.Radius}, at...))
	p.X.Min = -0.02 * p.X.Max // the nearest are often at the query itself
	widen(&p.Y, 0.06)
	known := "unknown"
	if x.Known {
		known = "known"
	}
	f := &Figure{Title: name(v.Title, v.query()), Panels: []*plot.Plot{p}, Width: defaultWidth,
		Subtitle: fmt.Sprintf("%s: %d of k = %d neighbours within the radius %s", known, within(at, x.Radius), x.K, number(x.Radius))}
	if x.Missing > 0 {
		f.Subtitle += fmt.Sprintf("; %d are missing and count as the upper bound", x.Missing)
	}
	f.Legend = []LegendEntry{
		{Text: "value of a neighbour", Marker: dot.marker(valueSize)},
		{Text: "what it counts, with its bonus", Line: top.line(1.4 * px), Marker: top.marker(termSize)},
		{Text: "radius", Line: edge},
	}
	f.Alt = v.describe(f.Title)
	f.setHeight()
	return f, nil
}

// query names the query.
func (v Explained) query() string {
	x := v.Explanation
	belief := make([]string, len(x.Belief))
	for i, p := range x.Belief {
		belief[i] = number(p)
	}
	return words(fmt.Sprintf("Q of %s at the belief (%s)", x.Spec.ActionName(x.Action), strings.Join(belief, ", ")), maxWords)
}

// describe says in words what the figure shows.
func (v Explained) describe(title string) string {
	x := v.Explanation
	clipped := 0
	for _, n := range x.Neighbours {
		if n.Clipped {
			clipped++
		}
	}
	text := fmt.Sprintf("%s. The estimate is %s, with the upper bound %s.", title, number(x.Q), number(x.Upper))
	if n := len(x.Neighbours); n > 0 {
		text += fmt.Sprintf(" It has %d of k = %d neighbours; %d are clipped. The nearest %s", n, x.K, clipped, counts(x.Neighbours[0]))
		if n > 1 {
			text += ", the farthest " + counts(x.Neighbours[n-1])
		}
		text += "."
	}
	return text
}

// counts says what a neighbour counts.
func counts(n cpace.Neighbour) string {
	return fmt.Sprintf("is at distance %s and has the value %s, and counts %s", number(n.Distance), number(n.Value), number(n.Term))
}

// within counts the numbers up to most.
func within(list []float64, most float64) (n int) {
	for _, x := range list {
		if x <= most {
			n++
		}
	}
	return n
}
