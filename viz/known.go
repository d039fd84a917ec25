package viz

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
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

// knownColor is the colour of a share of known actions, from light grey to blue.
func knownColor(share float64) color.Color {
	from, to := color.NRGBA{0xF4, 0xF4, 0xF4, 0xFF}, color.NRGBA{0x4A, 0x96, 0xC6, 0xFF}
	return mixed(from, to, share)
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
	var shares []float64
	known, all := 0.0, 0.0
	for row := range rows {
		second := (float64(row) + 0.5) / float64(rows)
		cells := max(int(float64(rows)*(1-second)), 1)
		for k := range cells {
			b := beliefAt(second, (float64(k)+0.5)/float64(cells))
			share := knownShare(v.Run, state, b, actions)
			shares = append(shares, share)
			weight := (1 - second) / float64(cells)
			all, known = all+weight, known+weight*share
		}
	}
	p.Add(knownTriangle(shares, rows), triangleGrid{})
	samples := points{style: draw.GlyphStyle{Color: ink, Radius: 1.8 * px, Shape: disc{}}, apart: 2 * px}
	for _, c := range samplesAt(v.Run, state) {
		x, y := onTriangle(c.Belief)
		samples.x, samples.y = append(samples.x, x), append(samples.y, y)
	}
	p.Add(samples, corners(spec.Latents))
	f := knownFigure(v.Title, v.Subtitle, "state", known/all, p)
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
	if !r.Spec.HasBox() {
		ids := make([]int, len(r.Spec.Actions))
		for i := range ids {
			ids[i] = i
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
	ids := make([]int, len(m.Spec().Actions))
	for i := range ids {
		_, ids[i] = eval.ActionBehind(m, i)
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

// knownTriangle fills the triangle, row by row, of as many cells as fit, which have the shares of
// known actions.
func knownTriangle(shares []float64, rows int) drawing {
	return func(c draw.Canvas, p *plot.Plot) {
		at := 0
		for row := range rows {
			lo, hi := float64(row)/float64(rows), float64(row+1)/float64(rows)
			second := (lo + hi) / 2
			cells := max(int(float64(rows)*(1-second)), 1)
			under := min(hi+1/float64(rows), 1) // no gap shows between rows
			for from, to := range stretches(cells, func(i, j int) bool { return shares[at+i] == shares[at+j] }) {
				left, right := float64(from)/float64(cells), float64(to)/float64(cells)
				x, y := trianglePoints(beliefAt(lo, left), beliefAt(lo, right), beliefAt(under, right), beliefAt(under, left))
				c.FillPolygon(knownColor(shares[at+from]), project(c, p, x, y))
			}
			at += cells
		}
	}
}

// KnownRoom draws how much is known in a room at one belief: the share of actions whose
// query is known, of a Box those of some controls. Of samples close to each other one is
// drawn. Figure 1 of the paper has frames like this one.
type KnownRoom struct {
	Title, Subtitle string
	Run             *runs.Run // of a RoomModel
	// Belief is the belief shown. nil means the prior.
	Belief bcpace.Belief
}

// Figure asks the run and draws the room.
func (v KnownRoom) Figure() (*Figure, error) {
	if v.Run == nil {
		return nil, fmt.Errorf("viz: KnownRoom.Run is nil, want a run")
	}
	spec := v.Run.Spec
	m, ok := v.Run.Model().(RoomModel)
	if !ok || len(spec.Axes) < 2 {
		return nil, fmt.Errorf("viz: KnownRoom needs a run on a room with x and y (RoomModel), such as Light-Dark Tiger; model %q is none", words(spec.Name, 40))
	}
	b := v.Belief
	if b == nil {
		b = priorOf(m, len(spec.Latents))
	}
	if err := b.Validate(); err != nil || len(b) != len(spec.Latents) {
		return nil, fmt.Errorf("viz: KnownRoom.Belief is %v, want a belief over %d latents", b, len(spec.Latents))
	}
	actions, err := actionsOf(v.Run, "KnownRoom")
	if err != nil {
		return nil, err
	}
	plan := RoomOf(m).Plan
	walls := plan.Room
	across, up := walls.size()
	longest := 120.0 // places along the longer wall
	if plan.Cells {
		longest = math.Round(max(across, up))
	}
	cell := max(across, up) / longest
	nx, ny := max(1, int(math.Round(across/cell))), max(1, int(math.Round(up/cell)))
	fill := knownFloor{nx: nx, ny: ny, plan: plan}
	s := make([]float64, len(spec.Axes))
	known := 0.0
	for j := range ny {
		for i := range nx {
			s[0], s[1] = walls.X0+(float64(i)+0.5)*across/float64(nx), walls.Y0+(float64(j)+0.5)*up/float64(ny)
			share := knownShare(v.Run, s, b, actions)
			fill.cells = append(fill.cells, share)
			known += share
		}
	}
	p := plan.panel(5)
	// Thousands of samples must leave the ground to be seen.
	samples := points{style: draw.GlyphStyle{Color: muted, Radius: 0.9 * px, Shape: disc{}}, apart: 7 * px}
	for i := range v.Run.Samples.Len() {
		if c := v.Run.Samples.At(i); c.Belief.L1(b) <= v.Run.Radius() {
			samples.x, samples.y = append(samples.x, c.State[0]), append(samples.y, c.State[1])
		}
	}
	p.Add(fill, drawing(func(c draw.Canvas, p *plot.Plot) { plan.lines(c, p, 2*px) }), samples)
	share := known / float64(nx*ny)
	f := knownFigure(v.Title, v.Subtitle, "belief", share, p)
	f.Legend = append(f.Legend, plan.lightEntry("light: shows the latent")...)
	f.setRoomHeight(plan)
	f.Alt = fmt.Sprintf("%s. %s from above at belief %.3g, after %s. Of the queries there, %d%% are known.",
		f.Title, plan.size(), []float64(b), numtext.Several(v.Run.Samples.Len(), "sample"), percent(share))
	return f, nil
}

// knownFloor fills the cells of a room.
type knownFloor struct {
	cells  []float64 // shares of known actions
	nx, ny int
	plan   RoomPlan
}

func (m knownFloor) GlyphBoxes(p *plot.Plot) []plot.GlyphBox { return floor{m.plan}.GlyphBoxes(p) }

func (m knownFloor) Plot(c draw.Canvas, p *plot.Plot) {
	w := m.plan.Room
	c.FillPolygon(knownColor(0), m.plan.corners(c, p, w))
	for _, l := range m.plan.Light {
		c.FillPolygon(lightColor, m.plan.corners(c, p, l))
	}
	at := func(i, j float64) vg.Point {
		return project(c, p, []float64{w.X0 + i*(w.X1-w.X0)/float64(m.nx)}, []float64{w.Y0 + j*(w.Y1-w.Y0)/float64(m.ny)})[0]
	}
	for j := range m.ny {
		for i, k := range stretches(m.nx, func(i, k int) bool { return m.cells[j*m.nx+i] == m.cells[j*m.nx+k] }) {
			if share := m.cells[j*m.nx+i]; share > 0 {
				rect := func(right, top float64) {
					a, b := at(float64(i), float64(j)), at(right, top)
					c.FillPolygon(knownColor(share), []vg.Point{a, {X: b.X, Y: a.Y}, b, {X: a.X, Y: b.Y}})
				}
				// No gap shows where other cells are drawn over the ends of these.
				right := float64(k)
				if k < m.nx && m.cells[j*m.nx+k] > 0 {
					right += 0.5
				}
				rect(right, float64(j+1))
				if next := (j + 1) * m.nx; j+1 < m.ny && !slices.Contains(m.cells[next+i:next+k], 0) {
					rect(float64(k), float64(j)+1.5)
				}
			}
		}
	}
}

// lines draws the walls and goals of a room without its floor.
func (plan RoomPlan) lines(c draw.Canvas, p *plot.Plot, walls vg.Length) {
	for _, g := range plan.Goals {
		outline(c, draw.LineStyle{Color: muted, Width: 1.2 * px}, plan.corners(c, p, g.Rect))
	}
	outline(c, draw.LineStyle{Color: ink, Width: walls}, plan.corners(c, p, plan.Room))
}
