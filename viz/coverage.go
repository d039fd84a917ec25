package viz

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/runs"
)

// Coverage draws where in a room the samples of a run are, in the colours of their
// beliefs, the queries that none of them covers, and the largest hole.
type Coverage struct {
	Title, Subtitle string
	Run             *runs.Run // of a RoomModel
	// Holes are those that cover.MeasureHoles found for the run.
	Holes cover.Holes
}

// Figure draws the room.
func (v Coverage) Figure() (*Figure, error) {
	check := checksOf("Coverage", v.Title)
	if !check.want(v.Run != nil, ": Run is nil, want a run") {
		return nil, check.err
	}
	spec := v.Run.Spec
	m, ok := v.Run.Model().(RoomModel)
	check.want(ok && len(spec.Axes) >= 2 && len(spec.Latents) == 2, " needs a run on a room with x and y and two latents (RoomModel), such as Light-Dark Tiger; model %q is none", words(spec.Name, 40))
	h := v.Holes
	check.want(h.Draws > 0 && len(h.Missed) == h.Uncovered*len(spec.Axes) && (len(h.State) == 0 || len(h.State) == len(spec.Axes)),
		": Holes are of %d draws and name %d numbers for %d holes, want those of cover.MeasureHoles for the same run", h.Draws, len(h.Missed), h.Uncovered)
	if !check.want(v.Run.Samples != nil && v.Run.Samples.Len() > 0, ": the run has no samples, want one at least") {
		return nil, check.err
	}
	plan := RoomOf(m).Plan
	p := plan.panel(6)
	p.Add(floor{plan})

	var x, y, belief []float64
	for i := range v.Run.Samples.Len() {
		c := v.Run.Samples.At(i)
		x, y, belief = append(x, c.State[0]), append(y, c.State[1]), append(belief, c.Belief[0])
	}
	p.Add(sampleDots(x, y, belief))
	missed := points{style: draw.GlyphStyle{Color: ink, Radius: 3.4 * px, Shape: cross{}}, apart: 3 * px}
	for i := range h.Uncovered {
		s := h.Missed[i*len(spec.Axes):]
		missed.x, missed.y = append(missed.x, s[0]), append(missed.y, s[1])
	}
	p.Add(missed)
	f := &Figure{Title: name(v.Title, titled(spec.Name, "samples and holes")), Panels: []*plot.Plot{p}, EqualScale: true}
	f.Subtitle = name(v.Subtitle, fmt.Sprintf("%s of %s queries not covered: %s%% to %s%% (95%% interval)", numtext.Count(h.Uncovered), numtext.Count(h.Draws),
		number(roundTo(max(100*h.CI95[0], 1e-9), 2)), number(roundTo(max(100*h.CI95[1], 1e-9), 2))))
	latent, other := name(spec.Latents[0], "one latent"), name(spec.Latents[1], "the other")
	sample := LegendEntry{Text: numtext.Several(v.Run.Samples.Len(), "sample"), Marker: draw.GlyphStyle{Color: muted, Radius: 3 * px, Shape: disc{}}}
	if lo, hi := slices.Min(belief), slices.Max(belief); hi-lo < 0.01 { // all of one colour
		sample.Text += ", all at belief " + number(roundTo(max(lo, 1e-9), 2)) + " in " + latent
		sample.Marker.Color = beliefColor(lo)
		f.Legend = append(f.Legend, sample)
	} else {
		f.Legend = append(f.Legend, sample, LegendEntry{Text: other, Ramp: beliefColor, RampEnd: latent})
	}
	f.Legend = append(f.Legend, plan.lightEntry("light")...)
	if h.Uncovered > 0 {
		f.Legend = append(f.Legend, LegendEntry{Text: "query not covered", Marker: missed.style})
	}
	var alt strings.Builder
	fmt.Fprintf(&alt, "%s. %s from above with the %s samples of a run. %s of %s queries drawn have no sample within %s.", f.Title,
		plan.size(), numtext.Count(v.Run.Samples.Len()), numtext.Count(h.Uncovered), numtext.Count(h.Draws), number(h.Radius))
	if h.Largest > h.Radius && !math.IsInf(h.Largest, 1) && len(h.State) > 0 {
		alpha := v.Run.Alpha()
		edge := draw.LineStyle{Color: vermilion, Width: 2 * px}
		x, y, dx, dy := h.State[0], h.State[1], reach(h.Largest, alpha, spec.Axes[0]), reach(h.Largest, alpha, spec.Axes[1])
		p.Add(drawing(func(c draw.Canvas, p *plot.Plot) { // the ball of the L1 metric, cut off at the walls
			ball := project(c, p, []float64{x - dx, x, x + dx, x, x - dx}, []float64{y, y + dy, y, y - dy, y})
			c.StrokeLines(edge, c.ClipLinesXY(ball)...)
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: vermilion, Radius: 4 * px, Shape: disc{}}, project(c, p, []float64{x}, []float64{y})[0])
		}))
		f.Legend = append(f.Legend, LegendEntry{Text: "largest hole: " + number(roundTo(h.Largest, 3)) + " to a sample of its action", Line: edge})
		fmt.Fprintf(&alt, " The largest hole is around (%s, %s), %s from the nearest sample of its action.", number(roundAt(x)), number(roundAt(y)), number(roundTo(h.Largest, 3)))
	}
	f.Alt = alt.String()
	f.Width = 520 * px
	f.setRoomHeight(plan)
	return f, nil
}

// roundAt rounds a coordinate to hundredths.
func roundAt(x float64) float64 { return math.Round(100*x) / 100 }

// reach is how far a distance of the metric goes along an axis, in its units: 0 where
// the axis does not count.
func reach(distance, alpha float64, a bcpace.Axis) float64 {
	if math.IsInf(a.Scale, 1) {
		return 0
	}
	return distance * cmp.Or(a.Scale, 1) / alpha
}

// sampleDots draws samples in the colours of their beliefs, the uncertain ones on top.
func sampleDots(x, y, belief []float64) drawing {
	return func(c draw.Canvas, p *plot.Plot) {
		q := project(c, p, x, y)
		type cell struct{ x, y, belief int }
		taken := make(map[cell]bool, len(q))
		for _, unsure := range []bool{false, true} {
			for i, at := range q {
				b := belief[i]
				k := cell{int(at.X / (4 * px)), int(at.Y / (4 * px)), int(math.Round(8 * b))}
				if (b > 0.01 && b < 0.99) != unsure || taken[k] {
					continue
				}
				taken[k] = true
				c.DrawGlyphNoClip(draw.GlyphStyle{Color: beliefColor(b), Radius: 2 * px, Shape: disc{}}, at)
			}
		}
	}
}
