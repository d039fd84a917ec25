package viz

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// KnownBeliefs draws how much is known of the beliefs over three latents at one state: the
// share of actions whose query is known there (Definition Known Query), of a Box those of
// some controls. Figures of the
// same exploration, ended after more and more samples, show how the known region grows.
type KnownBeliefs struct {
	Title, Subtitle string
	Run             *runs.Run // of a model with three latents
	// State is where the beliefs are shown. nil means a start state of the model,
	// always the same one.
	State []float64
}

// frameWidth is the width of a figure of which four stand side by side in a notebook.
const frameWidth = 318 * px

// Figure asks the run and draws the triangle.
func (v KnownBeliefs) Figure() (*Figure, error) {
	state, err := shownState("KnownBeliefs", v.Run, 3, "three latents, one for each corner", false, v.State)
	if err != nil {
		return nil, err
	}
	actions, err := actionsOf(v.Run, "KnownBeliefs")
	if err != nil {
		return nil, err
	}
	spec := v.Run.Spec
	const rows = 120
	p := newTriangle(0.09, 0.08)
	known, all := 0.0, 0.0
	for row := range rows { // of as many cells as fit
		lo, hi := float64(row)/float64(rows), float64(row+1)/float64(rows)
		second := (float64(row) + 0.5) / float64(rows)
		shares := make([]float64, max(int(float64(rows)*(1-second)), 1))
		cells := float64(len(shares))
		for k := range shares {
			shares[k] = knownShare(v.Run, state, beliefAt(second, (float64(k)+0.5)/cells), actions)
			weight := (1 - second) / cells
			all, known = all+weight, known+weight*shares[k]
		}
		under := min(hi+1/float64(rows), 1) // no gap shows between rows
		for from, to := range stretches(len(shares), func(i, j int) bool { return shares[i] == shares[j] }) {
			left, right := float64(from)/cells, float64(to)/cells
			x, y := trianglePoints(beliefAt(lo, left), beliefAt(lo, right), beliefAt(under, right), beliefAt(under, left))
			p.Add(drawing(func(c draw.Canvas, p *plot.Plot) { c.FillPolygon(knownColor(shares[from]), project(c, p, x, y)) }))
		}
	}
	p.Add(drawing(triangleGrid))
	samples := points{style: draw.GlyphStyle{Color: ink, Radius: 1.8 * px, Shape: disc{}}, apart: 2 * px}
	samples.x, samples.y = trianglePoints(each(samplesAt(v.Run, state), func(x runs.Sample) bcpace.Belief { return x.Belief })...)
	p.Add(samples, corners(spec.Latents))
	f := knownFigure(v.Title, v.Subtitle, "state", known/all, p)
	f.noteMarkers(len(samples.x))
	f.setTriangleHeight()
	f.Alt = fmt.Sprintf("%s. Triangle of the beliefs over three latents, %s at the left, %s on top and %s at the right, at %s, after %s. Of the queries there, %d%% are known.",
		f.Title, latentName(spec.Latents, 0), latentName(spec.Latents, 1), latentName(spec.Latents, 2),
		name(stateName(spec, state), "the one state"), numtext.Several(v.Run.Samples.Len(), "sample"), percent(known/all))
	return f, nil
}

// knownFigure is what figures of known regions have in common.
func knownFigure(title, subtitle string, of string, share float64, p *plot.Plot) *Figure {
	f := &Figure{Title: name(title, "Known region"), Subtitle: name(subtitle, fmt.Sprintf("%d%% of the queries are known", percent(share))),
		Panels: []*plot.Plot{p}, EqualScale: true, Width: frameWidth}
	f.Legend = []LegendEntry{{Text: "no action", Ramp: knownColor, RampEnd: "all known"},
		{Text: "sample at this " + of, Marker: draw.GlyphStyle{Color: ink, Radius: 2.4 * px, Shape: disc{}}}}
	return f
}

// percent is a share in percent; neither 0 nor 100 unless it is that exactly.
func percent(share float64) int {
	switch p := int(math.Round(100 * share)); {
	case p == 0 && share > 0:
		return 1
	case p == 100 && share < 1-1e-12:
		return 99
	default:
		return p
	}
}

// actionsOf returns the ids of the actions that a figure asks of a run: all of them, and of
// a Box the points of bcpace.Discretised.
func actionsOf(r *runs.Run, figure string) ([]int, error) {
	var ids []int
	if !r.Spec.HasBox() {
		for i := range r.Spec.Actions {
			ids = append(ids, i)
		}
		return ids, nil
	}
	m := r.Model()
	if m == nil {
		return nil, solverkit.NeedActionList(r.Spec, "viz."+figure+" of a run without its model")
	}
	m, err := bcpace.Discretised(m, 0)
	if err != nil {
		return nil, err
	}
	for i := range m.Spec().Actions {
		_, id := eval.ActionBehind(m, i)
		ids = append(ids, id)
	}
	return ids, nil
}

// knownShare is the share of actions whose query is known.
func knownShare(r *runs.Run, s []float64, b bcpace.Belief, actions []int) float64 {
	n := 0
	for _, a := range actions {
		if _, known := r.Q(s, b, a); known {
			n++
		}
	}
	return float64(n) / float64(len(actions))
}

// KnownRoom draws how much is known in a room at one belief, or in any plane of two axes of the
// state: the share of actions whose query is known, of a Box those of some controls. Of samples
// close to each other one is drawn. Figure 1 of the paper has frames like this one.
type KnownRoom struct {
	Title, Subtitle string
	Run             *runs.Run // with its model, whose state has two axes
	// Belief is the belief shown. nil means the prior.
	Belief bcpace.Belief
	// State is what is held of axes that are not drawn. nil means a start state of the model,
	// always the same one.
	State []float64
	Plan  RoomPlan // its axes, goals and walls; the zero RoomPlan means those of the model
}

// Figure asks the run and draws the room.
func (v KnownRoom) Figure() (*Figure, error) {
	check := &checks{where: "viz: KnownRoom"}
	m := modelOf(check, v.Run)
	if check.err != nil {
		return nil, check.err
	}
	spec := v.Run.Spec
	check.where += fmt.Sprintf(" of %q", words(spec.Name, 40))
	plan := v.Plan.of(check, m)
	b := heldBelief(check, v.Belief, m, len(spec.Latents))
	s := heldState(check, v.State, m, spec)
	actions, err := actionsOf(v.Run, "KnownRoom")
	if err = cmp.Or(check.err, err); err != nil {
		return nil, err
	}
	x, y := plan.x.state, plan.y.state
	nx, ny := plan.places()
	fill := lattice{Rect: plan.Room, nx: nx, ny: ny}
	held := slices.Clone(s)
	known := 0.0
	for j := range ny {
		for i := range nx {
			s[x], s[y] = fill.middleX(i), fill.middleY(j)
			share := knownShare(v.Run, s, b, actions)
			fill.z = append(fill.z, share)
			known += share
		}
	}
	p := plan.panel(5)
	// Thousands of samples must leave the ground to be seen.
	samples := points{style: draw.GlyphStyle{Color: muted, Radius: 0.9 * px, Shape: disc{}}, apart: 7 * px}
	near := func(c runs.Sample) bool {
		away := 0.0 // from what is held
		for k, a := range spec.Axes {
			if k != x && k != y && !math.IsInf(a.Scale, 1) {
				away += v.Run.Alpha() * math.Abs(c.State[k]-held[k]) / cmp.Or(a.Scale, 1)
			}
		}
		return away+c.Belief.L1(b) <= v.Run.Radius()
	}
	for i := range v.Run.Samples.Len() {
		if c := v.Run.Samples.At(i); near(c) {
			samples.x, samples.y = append(samples.x, c.State[x]), append(samples.y, c.State[y])
		}
	}
	cells := fill.heat(func(share float64) color.Color {
		if share == 0 {
			return nil // the light is seen
		}
		return knownColor(share)
	})
	p.Add(floor{plan, knownColor(0)}, cells, drawing(func(c draw.Canvas, p *plot.Plot) { plan.lines(c, p, 2*px) }), samples)
	share := known / float64(nx*ny)
	f := knownFigure(v.Title, v.Subtitle, "belief", share, p)
	at := strings.Join(stateParts(spec, held, x, y), ", ")
	f.note(at != "", "at "+words(at, 60))
	f.noteMarkers(len(samples.x))
	plan.explainLight(f, "light: shows the latent")
	f.setRoomHeight(plan)
	f.Alt = fmt.Sprintf("%s. %s at belief %.3g, after %s. Of the queries there, %d%% are known.",
		f.Title, plan.describe(), []float64(b), numtext.Several(v.Run.Samples.Len(), "sample"), percent(share))
	return f, nil
}

// modelOf returns the model of a run with samples.
func modelOf(check *checks, r *runs.Run) bcpace.Model {
	if !check.want(r != nil, ".Run is nil, want a run") ||
		!check.want(r.Model() != nil, " needs a run with its model, want one of Explore, or of Load with a model") ||
		!check.want(r.Samples != nil && r.Samples.Len() > 0, ": the run has no samples, want one at least") {
		return nil
	}
	return r.Model()
}

// places is how many places on each axis are asked about: 120 along the longer wall.
func (plan RoomPlan) places() (nx, ny int) {
	if plan.unscaled {
		return plan.x.cells(120), plan.y.cells(90)
	}
	across, up := plan.Room.size()
	longest := 120.0
	if plan.Cells {
		longest = math.Round(max(across, up))
	}
	cell := max(across, up) / longest
	return max(1, int(math.Round(across/cell))), max(1, int(math.Round(up/cell)))
}

// Coverage draws where in a room the samples of a run are, or in any plane of two axes of the
// state, in the colours of their beliefs, the queries that none of them covers, and the largest hole.
type Coverage struct {
	Title, Subtitle string
	Run             *runs.Run // with its model, whose state has two axes
	// Holes are those that cover.MeasureHoles found for the run. The zero Holes leaves them out.
	Holes cover.Holes
	Plan  RoomPlan // its axes, goals and walls; the zero RoomPlan means those of the model
}

// Figure draws the room.
func (v Coverage) Figure() (*Figure, error) {
	check := checksOf("Coverage", v.Title)
	m := modelOf(check, v.Run)
	if check.err != nil {
		return nil, check.err
	}
	spec, h := v.Run.Spec, v.Holes
	plan := v.Plan.of(check, m)
	check.want(len(spec.Latents) <= len(styles), " has %d latents, want at most %d, which have a colour each", len(spec.Latents), len(styles))
	check.want(len(h.Missed) == h.Uncovered*len(spec.Axes) && (len(h.State) == 0 || len(h.State) == len(spec.Axes)),
		": Holes are of %d draws and name %d numbers for %d holes, want those of cover.MeasureHoles for the same run", h.Draws, len(h.Missed), h.Uncovered)
	if check.err != nil {
		return nil, check.err
	}
	p := plan.panel(6)
	p.Add(floor{plan: plan})
	var x, y []float64
	var beliefs []bcpace.Belief
	for i := range v.Run.Samples.Len() {
		c := v.Run.Samples.At(i)
		x, y, beliefs = append(x, c.State[plan.x.state]), append(y, c.State[plan.y.state]), append(beliefs, c.Belief)
	}
	p.Add(sampleDots(x, y, beliefs))
	missed := points{style: draw.GlyphStyle{Color: ink, Radius: 3.4 * px, Shape: cross{}}, apart: 3 * px}
	for i := range h.Uncovered {
		s := h.Missed[i*len(spec.Axes):]
		missed.x, missed.y = append(missed.x, s[plan.x.state]), append(missed.y, s[plan.y.state])
	}
	p.Add(missed)
	if v.Plan.Goals != nil {
		p.Add(drawing(plan.goalLabels))
	}
	f := &Figure{Title: name(v.Title, titled(spec.Name, "samples"+when(h.Draws > 0, " and holes"))), Panels: []*plot.Plot{p}, Width: 520 * px, Subtitle: v.Subtitle}
	f.Alt = fmt.Sprintf("%s. %s with the %s samples of a run.", f.Title, plan.describe(), numtext.Count(v.Run.Samples.Len()))
	if h.Draws > 0 {
		f.Subtitle = name(v.Subtitle, fmt.Sprintf("%s of %s queries not covered: %s%% to %s%% (95%% interval)", numtext.Count(h.Uncovered), numtext.Count(h.Draws),
			number(roundTo(max(100*h.CI95[0], 1e-9), 2)), number(roundTo(max(100*h.CI95[1], 1e-9), 2))))
		f.Alt += fmt.Sprintf(" %s of %s queries drawn have no sample within %s.", numtext.Count(h.Uncovered), numtext.Count(h.Draws), number(h.Radius))
	}
	f.noteMarkers(len(x))
	v.explainSamples(f, beliefs)
	plan.explainLight(f, "light")
	f.explain(h.Uncovered > 0, LegendEntry{Text: "query not covered", Marker: missed.style})
	if h.Largest > h.Radius && !math.IsInf(h.Largest, 1) && len(h.State) > 0 {
		v.drawHole(f, plan)
	}
	f.setRoomHeight(plan)
	return f, nil
}

// explainSamples explains the colours of the samples.
func (v Coverage) explainSamples(f *Figure, beliefs []bcpace.Belief) {
	latents, b := v.Run.Spec.Latents, beliefs[0]
	sample := LegendEntry{Text: numtext.Several(len(beliefs), "sample"), Marker: draw.GlyphStyle{Color: muted, Radius: 3 * px, Shape: disc{}}}
	if slices.ContainsFunc(beliefs, func(c bcpace.Belief) bool { return floats.Distance(b, c, math.Inf(1)) >= 0.01 }) {
		f.Legend = append(f.Legend, sample)
		f.explainBeliefs(latents, "")
		return
	}
	if len(latents) > 1 { // all of one colour
		k := floats.MaxIdx(b)
		sample.Text += ", all at belief " + number(roundTo(max(b[k], 1e-9), 2)) + " in " + latentName(latents, k)
	}
	sample.Marker.Color = colorOf(b)
	f.Legend = append(f.Legend, sample)
}

// drawHole draws the largest hole.
func (v Coverage) drawHole(f *Figure, plan RoomPlan) {
	h, alpha := v.Holes, v.Run.Alpha()
	edge := draw.LineStyle{Color: vermilion, Width: 2 * px}
	x, y, dx, dy := h.State[plan.x.state], h.State[plan.y.state], reach(h.Largest, alpha, plan.x.Axis), reach(h.Largest, alpha, plan.y.Axis)
	f.Panels[0].Add(drawing(func(c draw.Canvas, p *plot.Plot) { // the ball of the L1 metric, cut off at the walls
		ball := project(c, p, []float64{x - dx, x, x + dx, x, x - dx}, []float64{y, y + dy, y, y - dy, y})
		c.StrokeLines(edge, c.ClipLinesXY(ball)...)
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: vermilion, Radius: 4 * px, Shape: disc{}}, project(c, p, []float64{x}, []float64{y})[0])
	}))
	f.Legend = append(f.Legend, LegendEntry{Text: "largest hole: " + number(roundTo(h.Largest, 3)) + " to a sample of its action", Line: edge})
	f.Alt += fmt.Sprintf(" The largest hole is around (%s, %s), %s from the nearest sample of its action.", number(roundAt(x)), number(roundAt(y)), number(roundTo(h.Largest, 3)))
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
func sampleDots(x, y []float64, beliefs []bcpace.Belief) drawing {
	return func(c draw.Canvas, p *plot.Plot) {
		q := project(c, p, x, y)
		taken := make(map[[4]int]bool) // as many as there is room for, and not as q has
		for _, unsure := range []bool{false, true} {
			for i, at := range q {
				likeliest := floats.MaxIdx(beliefs[i])
				b := beliefs[i][likeliest]
				k := [4]int{int(at.X / (4 * px)), int(at.Y / (4 * px)), likeliest, int(math.Round(8 * b))}
				if (b < 0.99) != unsure || taken[k] || !c.Contains(at) {
					continue
				}
				taken[k] = true
				c.DrawGlyphNoClip(draw.GlyphStyle{Color: colorOf(beliefs[i]), Radius: 2 * px, Shape: disc{}}, at)
			}
		}
	}
}

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
	centres := points{style: style.marker(4.2 * px), halo: px}
	for _, i := range v.Centre {
		corners := ball(v.Beliefs[i], v.Epsilon)
		hexX, hexY := trianglePoints(append(corners, corners[0])...)
		p.Add(drawing(func(c draw.Canvas, p *plot.Plot) {
			at := project(c, p, hexX, hexY)
			c.FillPolygon(ballFill, at)
			c.StrokeLines(style.solid(0.8*px), at)
		}))
		x, y := onTriangle(v.Beliefs[i])
		centres.x, centres.y = append(centres.x, x), append(centres.y, y)
	}
	p.Add(drawing(triangleGrid))
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
	f.explain(v.Node != nil, LegendEntry{Text: "to the centre that stands for it", Line: link})
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
		c := slices.Clone(b)
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
