package viz

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
)

// BeliefCover draws beliefs over three latents as points of a triangle, as BeliefSimplex does,
// and those among them that stand for the others within a distance: a packing of package
// adaops, or a cover of package cover.
type BeliefCover struct {
	Title, Subtitle string
	Latents         []string        // three: in the left corner, on top, in the right corner
	Beliefs         []bcpace.Belief // at least one
	Centre          []int           // the numbers of those that stand for others
	// Epsilon is the distance in L1 up to which they do. It is drawn as the ball around each
	// centre, a hexagon.
	Epsilon float64
	// Node has, for each belief, which entry of Centre stands for it, to which a line leads. nil
	// draws no lines.
	Node []int
}

// Figure checks the values and draws the triangle.
func (v BeliefCover) Figure() (*Figure, error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	p := newTriangle(0.055, 0.045)
	style := styleOf(0)
	ballFill := faded(style.color, 0.18) // where balls overlap it is darker
	var balls [][]bcpace.Belief
	centres := points{style: style.marker(4.2 * px), halo: px}
	for _, c := range v.Centre {
		balls = append(balls, ball(v.Beliefs[c], v.Epsilon))
		x, y := onTriangle(v.Beliefs[c])
		centres.x, centres.y = append(centres.x, x), append(centres.y, y)
	}
	p.Add(drawing(func(c draw.Canvas, p *plot.Plot) {
		for _, corners := range balls {
			x, y := trianglePoints(append(corners, corners[0])...)
			at := project(c, p, x, y)
			c.FillPolygon(ballFill, at)
			c.StrokeLines(style.solid(0.8*px), at)
		}
	}), triangleGrid{})
	link := draw.LineStyle{Color: muted, Width: px}
	all := points{style: draw.GlyphStyle{Color: ink, Radius: 2 * px, Shape: disc{}}, apart: 2 * px}
	all.x, all.y = trianglePoints(v.Beliefs...)
	for i, node := range v.Node {
		x, y := trianglePoints(v.Beliefs[i], v.Beliefs[v.Centre[node]])
		p.Add(curve{x, y, link})
	}
	p.Add(all, centres, corners(v.Latents))
	f := &Figure{Title: name(v.Title, "Cover of beliefs"), Panels: []*plot.Plot{p}, EqualScale: true, Width: 520 * px,
		Subtitle: name(v.Subtitle, fmt.Sprintf("%s for %s, ε = %.3g", numtext.Several(len(v.Centre), "centre"), numtext.Several(len(v.Beliefs), "belief"), v.Epsilon)),
		Legend: []LegendEntry{{Text: "belief", Marker: all.style}, {Text: "centre, and its ball", Marker: centres.style, Fill: ballFill},
			{Text: "a step of 0.2 in belief", Line: gridStyle}}}
	if v.Node != nil {
		f.Legend = append(f.Legend, LegendEntry{Text: "to the centre that stands for it", Line: link})
	}
	f.setTriangleHeight()
	f.Alt = fmt.Sprintf("%s. Triangle of the beliefs over three latents, %s in the left corner, %s on top and %s in the right corner: %s, and balls of radius %.3g around %s.",
		f.Title, latentName(v.Latents, 0), latentName(v.Latents, 1), latentName(v.Latents, 2), numtext.Several(len(v.Beliefs), "belief"), v.Epsilon, numtext.Several(len(v.Centre), "centre"))
	return f, nil
}

// check returns an error for values that cannot be drawn.
func (v BeliefCover) check() error {
	check := checksOf("BeliefCover", v.Title)
	check.want(len(v.Latents) == 3, " has %d latents, want three, one for each corner", len(v.Latents))
	check.want(len(v.Beliefs) > 0, " has no beliefs, want one at least")
	check.want(v.Epsilon > 0 && !math.IsInf(v.Epsilon, 1), ": Epsilon is %v, want a distance above 0", v.Epsilon)
	check.want(v.Node == nil || len(v.Node) == len(v.Beliefs), " has %d beliefs and Node for %d, want the same number, or nil", len(v.Beliefs), len(v.Node))
	for i, b := range v.Beliefs {
		check.want(len(b) == 3 && b.Validate() == nil, ": belief %d is %v, want three probabilities with sum 1", i, []float64(b))
	}
	for k, c := range v.Centre {
		check.want(c >= 0 && c < len(v.Beliefs), ": Centre %d is %d, want the number of a belief, 0 to %d", k, c, len(v.Beliefs)-1)
	}
	for i, k := range v.Node {
		check.want(k >= 0 && k < len(v.Centre), ": Node of belief %d is %d, want an entry of Centre, 0 to %d", i, k, len(v.Centre)-1)
	}
	return check.err
}

// ball returns the corners of the beliefs within epsilon of b in L1: a hexagon, whose corners
// have ½ε moved from one latent to another, cut at the sides of the triangle.
func ball(b bcpace.Belief, epsilon float64) []bcpace.Belief {
	var corners []bcpace.Belief
	for _, m := range [6][2]int{{0, 1}, {0, 2}, {1, 2}, {1, 0}, {2, 0}, {2, 1}} {
		c := bcpace.Belief{b[0], b[1], b[2]}
		c[m[0]] += epsilon / 2
		c[m[1]] -= epsilon / 2
		corners = append(corners, c)
	}
	for k := range 3 { // the side on which the belief in latent k is 0 (Sutherland and Hodgman 1974)
		var kept []bcpace.Belief
		for i, c := range corners {
			last := corners[(i+len(corners)-1)%len(corners)]
			if (c[k] < 0) != (last[k] < 0) {
				t := last[k] / (last[k] - c[k])
				cut := make(bcpace.Belief, 3)
				for j := range cut {
					cut[j] = last[j] + t*(c[j]-last[j])
				}
				cut[k] = 0
				kept = append(kept, cut)
			}
			if c[k] >= 0 {
				kept = append(kept, c)
			}
		}
		corners = kept
	}
	return corners
}
