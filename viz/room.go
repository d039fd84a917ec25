package viz

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/numtext"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Room draws paths through a room seen from above, or through any plane of two
// axes of the state, coloured by what the agent believed on the way: Figure 2b of
// the paper. RoomOf makes one of a model and its episodes.
type Room struct {
	Title, Subtitle string
	Plan            RoomPlan
	Paths           []Path // at least one
	// Latents name what Path.Belief is about. The colours of two are those between
	// certainty of either. Of more, up to seven, a path has the colour of the likeliest
	// latent, and is grey where all are equally likely.
	Latents []string

	err error // of RoomOf, for Figure
}

// RoomPlan describes a room, or any plane of two axes of the state, in the model's own
// coordinates. Of a figure that has a model, the zero RoomPlan is the room of a RoomModel, or
// else the plane of the first two axes; each field that is set takes the place of what is known
// of the model.
type RoomPlan struct {
	// X and Y name the axes of the state that are drawn. "" means the first two with more than
	// one value, and without a model "x" and "y".
	X, Y string
	// Room is what is drawn, within its walls. The zero Rect means the ends of the axes, with a
	// thin frame in place of walls.
	Room  Rect
	Goals []Goal
	Walls []Rect // inside the room
	Light []Rect // where the latent shows itself
	// Cells draws the borders of the cells of a grid whose centres are the
	// whole numbers.
	Cells bool
	// Unit is the unit of length, such as "cell" or "m". "" means none.
	Unit string

	x, y     coordinate // of the model
	frame    bool       // the ends of the axes are no walls
	unscaled bool       // the two axes have no unit of length in common
}

// of completes the plan with what is known of a model.
func (plan RoomPlan) of(check *checks, m bcpace.Model) RoomPlan {
	spec := m.Spec()
	room, is := m.(RoomModel)
	if is = is && len(spec.Axes) >= 2 && cmp.Or(plan.X, spec.Axes[0].Name) == spec.Axes[0].Name && cmp.Or(plan.Y, spec.Axes[1].Name) == spec.Axes[1].Name; is {
		plan.X, plan.Y = spec.Axes[0].Name, spec.Axes[1].Name
		if plan.Goals == nil {
			plan.Goals = each(room.Goals(), func(g [4]float64) Goal { return Goal{rectOf(g), "goal"} })
		}
		if plan.Light == nil {
			plan.Light = each(room.Light(), rectOf)
		}
		if plan.Room == (Rect{}) {
			plan.Room = rectOf(room.Walls())
		}
	}
	plan.x, plan.y = stateAxes(check, plan.X, plan.Y, spec)
	if check.err != nil {
		return plan
	}
	x, y := plan.x, plan.y
	if plan.Room == (Rect{}) {
		plan.frame = true
		plan.Room.X0, plan.Room.X1 = x.ends()
		plan.Room.Y0, plan.Room.Y1 = y.ends()
	}
	plan.X, plan.Y, plan.Unit = x.Name, y.Name, cmp.Or(plan.Unit, x.Unit)
	plan.Cells = plan.Cells || x.Whole() && y.Whole()
	plan.unscaled = !is && (x.Whole() != y.Whole() || !sameScale(x, y))
	return plan
}

// sameScale reports whether two coordinates measure the same, and neither is far longer.
func sameScale(x, y coordinate) bool {
	shape := (y.Max - y.Min) / (x.Max - x.Min)
	return x.state >= 0 && y.state >= 0 && x.Unit == y.Unit && shape >= 0.2 && shape <= 5
}

// stateAxes returns two axes of the state: those named, and for "" the first with more than one value.
func stateAxes(check *checks, x, y string, spec bcpace.Spec) (coordinate, coordinate) {
	names := completed([2]string{x, y}, axesOf(spec, func(a bcpace.Axis) bool { return a.Min < a.Max }))
	check.want(names[0] != "" && names[1] != "", ": the state has fewer than two axes with more than one value, want two")
	on, up := coordinateOf(check, "X", names[0], spec), coordinateOf(check, "Y", names[1], spec)
	check.want(on.state >= 0 && up.state >= 0 && on.state != up.state, ": X and Y are %q and %q, want two different axes of the state", words(names[0], 40), words(names[1], 40))
	return on, up
}

// Rect is the rectangle from (X0, Y0), its lower left corner, to (X1, Y1).
type Rect struct{ X0, Y0, X1, Y1 float64 }

// Goal is a place that ends an episode, with a label of a word or two.
type Goal struct {
	Rect
	Label string
}

// Path is a trajectory: its positions, with the belief held at each of them.
type Path struct {
	X, Y   []float64
	Belief []bcpace.Belief // over Room.Latents
	Label  string          // drawn beside the path where there are several
}

// Figure checks the values and draws the room.
func (r Room) Figure() (*Figure, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	p := r.Plan.panel(6)
	p.Add(floor{plan: r.Plan})
	for _, path := range r.Paths {
		p.Add(drawing(path.ground))
	}
	for _, path := range r.Paths {
		p.Add(drawing(path.draw))
	}
	p.Add(drawing(r.Plan.goalLabels))
	if len(r.Paths) > 1 {
		for _, path := range r.Paths {
			p.Add(drawing(func(c draw.Canvas, p *plot.Plot) { path.label(c, p, r.Plan) }))
		}
	}

	f := &Figure{Title: name(r.Title, "Path and belief"), Subtitle: r.Subtitle, Panels: []*plot.Plot{p}, Width: 520 * px, Alt: r.describe()}
	f.explainBeliefs(r.Latents, "certain: ")
	r.Plan.explainLight(f, "light: shows the latent")
	f.Legend = append(f.Legend, LegendEntry{Text: "start", Marker: startMarker}, LegendEntry{Text: "end", Marker: endMarker})
	f.setRoomHeight(r.Plan)
	return f, nil
}

// size returns the lengths of the sides.
func (r Rect) size() (across, up float64) { return r.X1 - r.X0, r.Y1 - r.Y0 }

// describe says what the room is, for a description.
func (plan RoomPlan) describe() string {
	if plan.frame {
		return fmt.Sprintf("%s, from %s to %s, against %s, from %s to %s", axisLabel(plan.y.Axis), number(plan.y.Min), number(plan.y.Max), axisLabel(plan.x.Axis), number(plan.x.Min), number(plan.x.Max))
	}
	across, up := plan.Room.size()
	unit := words(plan.Unit, 20)
	return strings.TrimSpace(fmt.Sprintf("Room of %s by %s %s", number(across), number(up), unit+when(unit == "cell", "s"))) + " from above"
}

// panel returns an empty panel for a room, with up to about ticks on each axis.
func (plan RoomPlan) panel(ticks float64) *plot.Plot {
	x, y := bcpace.Axis{Name: cmp.Or(plan.X, "x"), Unit: plan.Unit}, bcpace.Axis{Name: cmp.Or(plan.Y, "y"), Unit: plan.Unit}
	walls := plan.Room
	across, up := walls.size()
	if plan.unscaled {
		x, y, across, up = plan.x.Axis, plan.y.Axis, 1, 1
	}
	p := newBarePanel(fit(axisLabel(x), labelStyle, 220*px), fit(axisLabel(y), labelStyle, 170*px))
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = walls.X0, walls.X1, walls.Y0, walls.Y1
	p.X.Tick.Marker = niceTicks{whole: plan.Cells, about: min(ticks, ticks*across/up)}
	p.Y.Tick.Marker = niceTicks{whole: plan.Cells, about: min(ticks, ticks*up/across)}
	p.X.Width, p.Y.Width = 0, 0 // the walls are the frame
	return p
}

// setRoomHeight makes the longer side of the room as long as the page allows, but a long corridor
// stays wide enough for the legend.
func (f *Figure) setRoomHeight(plan RoomPlan) {
	across, up := plan.Room.size()
	if f.EqualScale = !plan.unscaled; plan.unscaled {
		across, up = 4, 3
	}
	width := f.Width - marginLeft - marginRight - 70*px
	f.Height = width*vg.Length(min(max(up/across, 0.1), 1)) + 65*px + f.headHeight()
}

// explainLight explains where the latent shows itself, if it does anywhere.
func (plan RoomPlan) explainLight(f *Figure, text string) {
	f.explain(len(plan.Light) > 0, LegendEntry{Text: text, Fill: lightColor})
}

func (r Room) check() error {
	if r.err != nil {
		return r.err
	}
	check := checksOf("Room", r.Title)
	check.want(len(r.Latents) <= len(styles), " has %d latents, want at most %d, which have a colour each", len(r.Latents), len(styles))
	walls := r.Plan.Room
	rect := func(b Rect, name string, args ...any) {
		name = fmt.Sprintf(name, args...)
		check.numbers(name, b.X0, b.Y0, b.X1, b.Y1)
		check.want(b.X0 <= b.X1 && b.Y0 <= b.Y1 && (b != walls || b.X0 < b.X1 && b.Y0 < b.Y1), ": %s is %v, want X0 < X1 and Y0 < Y1", name, b)
	}
	rect(walls, "Plan.Room")
	for i, g := range r.Plan.Goals {
		rect(g.Rect, "Plan.Goals[%d]", i)
	}
	for i, l := range r.Plan.Light {
		rect(l, "Plan.Light[%d]", i)
	}
	for i, w := range r.Plan.Walls {
		rect(w, "Plan.Walls[%d]", i)
	}
	check.want(len(r.Paths) > 0, " has no paths, want at least one")
	points := 0
	for i, path := range r.Paths {
		check.part = fmt.Sprintf(", path %d", i)
		check.want(len(path.X) > 0, " has no points, want at least one")
		if !check.columns(column{"X", path.X, false}, column{"Y", path.Y, false}) ||
			!check.want(len(path.Belief) == len(path.X), ": X has %d values and Belief has %d, want the same number", len(path.X), len(path.Belief)) {
			return check.err
		}
		for k, b := range path.Belief {
			check.want(len(b) == len(r.Latents) && b.Validate() == nil, ": Belief[%d] is %v, want %d probabilities with sum 1, one for each of Latents", k, b, len(r.Latents))
		}
		for k, x := range path.X {
			y := path.Y[k]
			check.want(x >= walls.X0 && x <= walls.X1 && y >= walls.Y0 && y <= walls.Y1, ": point %d is (%v, %v), outside the room %v", k, x, y, walls)
		}
		check.part = ""
		points += len(path.X)
		check.want(points <= maxPathPoints, ": the paths have more than %d points, want fewer or shorter paths", maxPathPoints)
	}
	return check.err
}

func (r Room) describe() string {
	text := fmt.Sprintf("%s. %s.", name(r.Title, "Path and belief"), r.Plan.describe())
	for i, g := range r.Plan.Goals {
		text += fmt.Sprintf(" Goal around (%s, %s): %s.", number((g.X0+g.X1)/2), number((g.Y0+g.Y1)/2), name(g.Label, fmt.Sprint(i+1)))
	}
	for i, p := range r.Paths[:min(len(r.Paths), mostSaid)] {
		n := len(p.X) - 1
		k := 0 // of more than two latents, the one that is the likeliest in the end
		if len(r.Latents) > 2 {
			k = floats.MaxIdx(p.Belief[n])
		}
		text += fmt.Sprintf(" %s: %s from (%s, %s), belief in %s %s, to (%s, %s), belief %s.",
			name(p.Label, fmt.Sprintf("Path %d", i+1)), numtext.Several(n, "step"), number(p.X[0]), number(p.Y[0]),
			latentName(r.Latents, k), number(p.Belief[0][k]), number(p.X[n]), number(p.Y[n]), number(p.Belief[n][k]))
	}
	return text + andMore(len(r.Paths), "path")
}

// mostSaid is how many paths or episodes a description tells of one by one.
const mostSaid = 4

// andMore says how many of n paths or episodes a description leaves out.
func andMore(n int, noun string) string {
	return when(n > mostSaid, " And %s more.", numtext.Several(n-mostSaid, noun))
}

var (
	lightColor  = color.NRGBA{0xFF, 0xF3, 0xBF, 0xFF}
	goalColor   = color.NRGBA{0xEE, 0xEE, 0xEE, 0xFF}
	startMarker = draw.GlyphStyle{Color: ink, Radius: 5.5 * px, Shape: ring{}}
	endMarker   = draw.GlyphStyle{Color: ink, Radius: 5 * px, Shape: square}
)

// beliefColor returns the colour of a belief in [0, 1]: dark blue for
// certainty of the other latent, grey for none, orange for certainty of the
// latent. It grows lighter all the way, so that grey prints order it too.
func beliefColor(b float64) color.Color {
	stops := [3]color.NRGBA{{0x00, 0x3C, 0x8C, 0xFF}, {0x7A, 0x7A, 0x7E, 0xFF}, {0xF0, 0xA0, 0x00, 0xFF}}
	t := 2 * min(max(b, 0), 1)
	i := min(int(t), 1)
	return mixed(stops[i], stops[i+1], t-float64(i))
}

// colorOf returns the colour of a belief over any number of latents: of two that of beliefColor;
// of more that of the likeliest, the greyer the less certain it is.
func colorOf(b bcpace.Belief) color.Color {
	if len(b) == 2 {
		return beliefColor(b[0])
	}
	k, least := floats.MaxIdx(b), 1/float64(len(b))
	return mixed(color.NRGBA{0xC8, 0xC8, 0xC8, 0xFF}, styleOf(k).color, max(0, (b[k]-least)/max(1-least, 1e-9)))
}

// explainBeliefs explains the colours of beliefs over some latents.
func (f *Figure) explainBeliefs(latents []string, before string) {
	switch len(latents) {
	case 1: // is always certain
	case 2:
		f.Legend = append(f.Legend, LegendEntry{Text: before + latentName(latents, 1), Ramp: beliefColor, RampEnd: before + latentName(latents, 0)})
	default:
		for k := range latents {
			f.Legend = append(f.Legend, LegendEntry{Text: latentName(latents, k), Fill: styleOf(k).color})
		}
		f.Legend = append(f.Legend, LegendEntry{Text: "greyer: less certain", Fill: colorOf(bcpace.Belief{0.4, 0.3, 0.3})})
	}
}

// floor is the room without paths and labels.
type floor struct {
	plan RoomPlan
	fill color.Color // of a floor without goals, walls and cells; nil for those
}

// corners returns the corners of r on the canvas, counter-clockwise from the
// lower left. Walls are set off the outermost positions, which a path may walk
// along, unless these are cells. What reaches a wall reaches it in the drawing.
func (plan RoomPlan) corners(c draw.Canvas, p *plot.Plot, r Rect) []vg.Point {
	w, wallGap := plan.Room, 8*px
	if plan.Cells {
		wallGap = 0
	}
	gap := func(reaches bool) vg.Length {
		if reaches {
			return wallGap
		}
		return 0
	}
	q := project(c, p, []float64{max(r.X0, w.X0), min(r.X1, w.X1)}, []float64{max(r.Y0, w.Y0), min(r.Y1, w.Y1)})
	return rectangle(q[0].X-gap(r.X0 <= w.X0), q[0].Y-gap(r.Y0 <= w.Y0), q[1].X+gap(r.X1 >= w.X1), q[1].Y+gap(r.Y1 >= w.Y1))
}

// outline strokes a closed polygon with clean corners.
func outline(c draw.Canvas, style draw.LineStyle, q []vg.Point) {
	// It starts within a side, as the two ends of a line do not join.
	middle := vg.Point{X: (q[0].X + q[1].X) / 2, Y: (q[0].Y + q[1].Y) / 2}
	c.StrokeLines(style, slices.Concat([]vg.Point{middle}, q[1:], []vg.Point{q[0], middle}))
}

// GlyphBoxes keeps space for the walls around the positions.
func (m floor) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	const wall = 10 * px
	around := vg.Rectangle{Min: vg.Point{X: -wall, Y: -wall}, Max: vg.Point{X: wall, Y: wall}}
	return []plot.GlyphBox{{Rectangle: around}, {X: 1, Y: 1, Rectangle: around}}
}

func (m floor) Plot(c draw.Canvas, p *plot.Plot) {
	w := m.plan.Room
	if m.fill != nil {
		c.FillPolygon(m.fill, m.plan.corners(c, p, w))
	}
	for _, l := range m.plan.Light {
		c.FillPolygon(lightColor, m.plan.corners(c, p, l))
	}
	if m.fill != nil {
		return
	}
	for _, g := range m.plan.Goals {
		c.FillPolygon(goalColor, m.plan.corners(c, p, g.Rect))
	}
	// More cells than these are too fine to see.
	if m.plan.Cells && w.X1-w.X0 <= 100 && w.Y1-w.Y0 <= 100 {
		style := draw.LineStyle{Color: gridGrey, Width: px}
		all := m.plan.corners(c, p, w)
		for _, x := range cellBorders(w.X0, w.X1) {
			at := c.X(p.X.Norm(x))
			c.StrokeLine2(style, at, all[0].Y, at, all[2].Y)
		}
		for _, y := range cellBorders(w.Y0, w.Y1) {
			at := c.Y(p.Y.Norm(y))
			c.StrokeLine2(style, all[0].X, at, all[1].X, at)
		}
	}
	m.plan.lines(c, p, 3*px)
}

// cellBorders returns the half-way points between whole numbers inside (lo, hi).
func cellBorders(lo, hi float64) (borders []float64) {
	first := math.Floor(lo+0.5) + 0.5
	for k := range int(hi-lo) + 2 {
		if x := first + float64(k); x > lo && x < hi {
			borders = append(borders, x)
		}
	}
	return borders
}

// goalLabels writes the name of each goal beside it, on the side of the room's
// middle, where no path to the goal's own middle ends.
func (plan RoomPlan) goalLabels(c draw.Canvas, p *plot.Plot) {
	w := plan.Room
	room := plan.corners(c, p, w)
	for _, g := range plan.Goals {
		q := plan.corners(c, p, g.Rect)
		at := vg.Point{X: (q[0].X + q[1].X) / 2, Y: q[0].Y - 10*px}
		if g.Y0+g.Y1 < w.Y0+w.Y1 {
			at.Y = q[2].Y + 10*px
		}
		inRoom(c, room, at, g.Label)
	}
}

// inRoom writes a short text around a point on a white ground, moved so that
// it stays between the walls.
func inRoom(c draw.Canvas, room []vg.Point, at vg.Point, s string) {
	sty := textStyle(tickSize, ink, false)
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YCenter
	s = fit(words(s, maxWords), sty, min(150*px, room[1].X-room[0].X-12*px))
	if s == "" {
		return
	}
	half := sty.Width(s) / 2
	at.X = min(max(at.X, room[0].X+half+6*px), room[1].X-half-6*px)
	at.Y = min(max(at.Y, room[0].Y+10*px), room[2].Y-10*px)
	c.FillPolygon(faded(white, 0.85), rectangle(at.X-half-2*px, at.Y-7*px, at.X+half+2*px, at.Y+7*px))
	c.FillText(sty, vg.Point{X: at.X, Y: at.Y + lift}, s)
}

// label names a path three quarters along it, on the side of the room's
// middle.
func (path Path) label(c draw.Canvas, p *plot.Plot, plan RoomPlan) {
	q := project(c, p, path.X, path.Y)
	i := 3 * (len(q) - 1) / 4
	at := q[i]
	if middle := c.Y(p.Y.Norm((plan.Room.Y0 + plan.Room.Y1) / 2)); at.Y > middle {
		at.Y -= 13 * px
	} else {
		at.Y += 13 * px
	}
	inRoom(c, plan.corners(c, p, plan.Room), at, path.Label)
}

// ground lifts a path off the floor. All grounds lie below all paths, as
// one would cut into another path that runs beside its own.
func (path Path) ground(c draw.Canvas, p *plot.Plot) {
	c.StrokeLines(draw.LineStyle{Color: color.White, Width: 6 * px}, project(c, p, path.X, path.Y))
}

// draw draws a path in the colours of its beliefs.
func (path Path) draw(c draw.Canvas, p *plot.Plot) {
	q := project(c, p, path.X, path.Y)
	// A step that repeats an earlier one, or turns back on it, runs beside it.
	type ends struct{ a, b vg.Point }
	walked := make(map[ends]int)
	for i := 1; i < len(q); i++ {
		from, to := q[i-1], q[i]
		e := ends{from, to}
		if to.X < from.X || to.X == from.X && to.Y < from.Y {
			e = ends{to, from}
		}
		if aside := 6 * px * vg.Length(walked[e]); aside > 0 && from != to {
			d := e.b.Sub(e.a)
			length := lengthOf(d)
			shift := vg.Point{X: -d.Y / length * aside, Y: d.X / length * aside}
			from, to = from.Add(shift), to.Add(shift)
		}
		walked[e] = min(walked[e]+1, 3)
		col := colorOf(path.Belief[i-1])
		c.StrokeLine2(draw.LineStyle{Color: col, Width: 3.2 * px}, from.X, from.Y, to.X, to.Y)
		d := to.Sub(from)
		if lengthOf(d) >= 22*px {
			middle := vg.Point{X: from.X + d.X/2, Y: from.Y + d.Y/2}
			arrowHead(&c, col, middle, d, 6*px, 4*px, 5*px)
		}
	}
	for i := range q {
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: colorOf(path.Belief[i]), Radius: 4 * px, Shape: disc{}}, q[i])
	}
	start := startMarker
	start.Radius += 2 * px
	c.DrawGlyphNoClip(start, q[0])
	c.DrawGlyphNoClip(endMarker, q[len(q)-1])
}

func lengthOf(d vg.Point) vg.Length { return vg.Length(math.Hypot(float64(d.X), float64(d.Y))) }

// arrowHead draws a head at a place of a line in the direction d: so far before it, behind it and aside.
func arrowHead(c *draw.Canvas, col color.Color, at, d vg.Point, before, behind, aside vg.Length) {
	x, y := d.X/lengthOf(d), d.Y/lengthOf(d)
	corner := func(along, aside vg.Length) vg.Point {
		return vg.Point{X: at.X + along*x - aside*y, Y: at.Y + along*y + aside*x}
	}
	c.FillPolygon(col, []vg.Point{corner(before, 0), corner(-behind, aside), corner(-behind, -aside)})
}

// RoomModel is a model of an agent that moves through a room, with x and y on its first two
// axes, and says where its walls and goals are. Rectangles are left, bottom, right and top, in the
// units of these axes. envs.LightDarkTiger is one. Of any other model a RoomPlan says it.
type RoomModel interface {
	bcpace.Model
	Walls() [4]float64
	Goals() [][4]float64
	Light() [][4]float64 // where the latent shows itself
}

// RoomOf is the room of a model with the paths of recorded episodes, coloured by the belief and
// named by the latent that was true. The parameters of the model stand below the title. The error
// of its Figure says what cannot be drawn.
func RoomOf(m bcpace.Model, episodes ...*eval.Trajectory) Room {
	return RoomPlan{}.Of(m, episodes...)
}

// Of is RoomOf with the axes, goals and walls of a plan:
//
//	nb.Show(viz.RoomPlan{X: "place", Y: "speed", Goals: goals}.Of(m, episodes...))
//
// PhasePortrait draws axes with a Period, whose ends a path may cross.
func (plan RoomPlan) Of(m bcpace.Model, episodes ...*eval.Trajectory) Room {
	spec := m.Spec()
	check := checksOf("Room", spec.Name)
	r := Room{Title: titled(spec.Name, "path and belief"), Plan: plan.of(check, m), Latents: spec.Latents}
	var params []string
	for _, p := range spec.Params {
		if p.Key != "nodes" { // says how finely the noise is integrated, and nothing of the room
			params = append(params, symbol(p.Key)+" "+p.Value)
		}
	}
	r.Subtitle = strings.Join(params, ", ")
	r.Paths, _ = r.Plan.paths(check, spec, episodes)
	r.err = check.err
	return r
}

// paths returns the paths of episodes and the number of their points.
func (plan RoomPlan) paths(check *checks, spec bcpace.Spec, episodes []*eval.Trajectory) (paths []Path, points int) {
	for i, t := range episodes {
		if check.part = fmt.Sprintf(", episode %d", i); !checkTrajectory(check, t, spec) {
			break
		}
		p := Path{Label: fmt.Sprintf("episode %d", i+1)}
		if k := t.Latents[0]; k < len(spec.Latents) {
			p.Label = "if " + spec.Latents[k] // the name alone would read as that of the place
		}
		for k := range t.Len() + 1 {
			s := t.State(k)
			p.X, p.Y = append(p.X, s[plan.x.state]), append(p.Y, s[plan.y.state])
			p.Belief = append(p.Belief, t.Belief(k))
			check.want(p.Belief[k].Validate() == nil, ": Belief[%d] is %v, want probabilities with sum 1", k, p.Belief[k])
		}
		check.columns(column{plan.x.Name, p.X, false}, column{plan.y.Name, p.Y, false})
		paths, points = append(paths, p), points+len(p.X)
	}
	if check.err == nil {
		check.part = ""
	}
	return paths, points
}

// rectOf makes a Rect of left, bottom, right and top.
func rectOf(r [4]float64) Rect { return Rect{X0: r[0], Y0: r[1], X1: r[2], Y1: r[3]} }

// symbol is how a reader knows a parameter of a model.
func symbol(key string) string {
	return cmp.Or(map[string]string{"sigma": "σ", "discount": "γ"}[key], strings.ReplaceAll(key, "-", " "))
}

// lines draws the walls and goals of a room without its floor.
func (plan RoomPlan) lines(c draw.Canvas, p *plot.Plot, walls vg.Length) {
	goal, edge := draw.LineStyle{Color: muted, Width: 1.2 * px}, draw.LineStyle{Color: ink, Width: walls}
	if plan.frame {
		goal, edge = draw.LineStyle{Color: ink, Width: 1.6 * px}, draw.LineStyle{Color: muted, Width: px}
	}
	for _, g := range plan.Goals {
		outline(c, goal, plan.corners(c, p, g.Rect))
	}
	for _, w := range plan.Walls {
		c.FillPolygon(ink, plan.corners(c, p, w))
	}
	outline(c, edge, plan.corners(c, p, plan.Room))
}
