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

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Room draws paths through a room seen from above, coloured by what the agent
// believed on the way: Figure 2b of the paper.
type Room struct {
	Title, Subtitle string
	Plan            RoomPlan
	Paths           []Path // at least one
	// Latent and Other name the latent that Path.Belief is about and the
	// alternative, for the ends of the colour bar.
	Latent, Other string
}

// RoomPlan describes a room in the model's own coordinates.
type RoomPlan struct {
	Room  Rect // its walls
	Goals []Goal
	Light []Rect // where the latent shows itself
	// Cells draws the borders of the cells of a grid whose centres are the
	// whole numbers.
	Cells bool
	// Unit is the unit of length, such as "cell" or "m". "" means none.
	Unit string
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
	Belief []float64 // in [0, 1]: the belief in Room.Latent
	Label  string    // drawn beside the path where there are several
}

// Figure checks the values and draws the room.
func (r Room) Figure() (*Figure, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	p := r.Plan.panel(6)
	p.Add(floor{r.Plan})
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

	latent, other := name(r.Latent, "one latent"), name(r.Other, "the other")
	f := &Figure{Title: name(r.Title, "Path and belief"), Subtitle: r.Subtitle, Panels: []*plot.Plot{p}, EqualScale: true, Width: 520 * px, Alt: r.describe()}
	f.Legend = append(f.Legend, LegendEntry{Text: "certain: " + other, Ramp: beliefColor, RampEnd: "certain: " + latent})
	r.Plan.explainLight(f, "light: shows the latent")
	f.Legend = append(f.Legend, LegendEntry{Text: "start", Marker: startMarker}, LegendEntry{Text: "end", Marker: endMarker})
	f.setRoomHeight(r.Plan)
	return f, nil
}

// size returns the lengths of the sides.
func (r Rect) size() (across, up float64) { return r.X1 - r.X0, r.Y1 - r.Y0 }

// size says how large the room is, for a description.
func (plan RoomPlan) size() string {
	across, up := plan.Room.size()
	unit := words(plan.Unit, 20)
	return strings.TrimSpace(fmt.Sprintf("Room of %s by %s %s", number(across), number(up), unit+when(unit == "cell", "s")))
}

// panel returns an empty panel for a room, with up to about ticks on each axis.
func (plan RoomPlan) panel(ticks float64) *plot.Plot {
	p := newBarePanel(axisLabel(bcpace.Axis{Name: "x", Unit: plan.Unit}), axisLabel(bcpace.Axis{Name: "y", Unit: plan.Unit}))
	walls := plan.Room
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = walls.X0, walls.X1, walls.Y0, walls.Y1
	across, up := walls.size()
	p.X.Tick.Marker = niceTicks{whole: plan.Cells, about: min(ticks, ticks*across/up)}
	p.Y.Tick.Marker = niceTicks{whole: plan.Cells, about: min(ticks, ticks*up/across)}
	p.X.Width, p.Y.Width = 0, 0 // the walls are the frame
	return p
}

// setRoomHeight makes the longer side of the room as long as the page allows, but a long corridor
// stays wide enough for the legend.
func (f *Figure) setRoomHeight(plan RoomPlan) {
	across, up := plan.Room.size()
	width := f.Width - marginLeft - marginRight - 70*px
	f.Height = width*vg.Length(min(max(up/across, 0.1), 1)) + 65*px + f.headHeight()
}

// explainLight explains where the latent shows itself, if it does anywhere.
func (plan RoomPlan) explainLight(f *Figure, text string) {
	f.explain(len(plan.Light) > 0, LegendEntry{Text: text, Fill: lightColor})
}

func (r Room) check() error {
	check := checksOf("Room", r.Title)
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
	check.want(len(r.Paths) > 0, " has no paths, want at least one")
	points := 0
	for i, path := range r.Paths {
		check.part = fmt.Sprintf(", path %d", i)
		check.want(len(path.X) > 0, " has no points, want at least one")
		if !check.columns(column{"X", path.X, false}, column{"Y", path.Y, false}, column{"Belief", path.Belief, false}) {
			return check.err
		}
		check.beliefs(path.Belief)
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
	text := fmt.Sprintf("%s. %s from above.", name(r.Title, "Path and belief"), r.Plan.size())
	for i, g := range r.Plan.Goals {
		text += fmt.Sprintf(" Goal around (%s, %s): %s.", number((g.X0+g.X1)/2), number((g.Y0+g.Y1)/2), name(g.Label, fmt.Sprint(i+1)))
	}
	for i, p := range r.Paths[:min(len(r.Paths), mostSaid)] {
		n := len(p.X) - 1
		text += fmt.Sprintf(" %s: %s from (%s, %s), belief in %s %s, to (%s, %s), belief %s.",
			name(p.Label, fmt.Sprintf("Path %d", i+1)), numtext.Several(n, "step"), number(p.X[0]), number(p.Y[0]),
			name(r.Latent, "one latent"), number(p.Belief[0]), number(p.X[n]), number(p.Y[n]), number(p.Belief[n]))
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

// floor is the room without paths and labels.
type floor struct{ plan RoomPlan }

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
	for _, l := range m.plan.Light {
		c.FillPolygon(lightColor, m.plan.corners(c, p, l))
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
		col := beliefColor(path.Belief[i-1])
		c.StrokeLine2(draw.LineStyle{Color: col, Width: 3.2 * px}, from.X, from.Y, to.X, to.Y)
		d := to.Sub(from)
		if lengthOf(d) >= 22*px {
			middle := vg.Point{X: from.X + d.X/2, Y: from.Y + d.Y/2}
			arrowHead(&c, col, middle, d, 6*px, 4*px, 5*px)
		}
	}
	for i := range q {
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: beliefColor(path.Belief[i]), Radius: 4 * px, Shape: disc{}}, q[i])
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

// RoomModel is a model of an agent that moves through a room, with x and y on
// its first two axes and two latents. Rectangles are left, bottom, right and
// top, in the units of these axes. envs.LightDarkTiger is one.
type RoomModel interface {
	bcpace.Model
	Walls() [4]float64
	Goals() [][4]float64
	Light() [][4]float64 // where the latent shows itself
}

// RoomOf is the room of a model with the paths of recorded episodes, coloured
// by the belief in the first latent and named by the latent that was true. The
// parameters of the room stand below the title.
func RoomOf(m RoomModel, episodes ...*eval.Trajectory) Room {
	spec := m.Spec()
	r := Room{Title: titled(spec.Name, "path and belief")}
	var params []string
	for _, p := range spec.Params {
		if p.Key != "nodes" { // says how finely the noise is integrated, and nothing of the room
			params = append(params, symbol(p.Key)+" "+p.Value)
		}
	}
	r.Subtitle = strings.Join(params, ", ")
	r.Plan.Room = rectOf(m.Walls())
	r.Plan.Goals = each(m.Goals(), func(g [4]float64) Goal { return Goal{rectOf(g), "goal"} })
	r.Plan.Light = each(m.Light(), rectOf)
	if len(spec.Axes) > 0 {
		r.Plan.Cells, r.Plan.Unit = spec.Axes[0].Discrete, spec.Axes[0].Unit
	}
	if len(spec.Latents) > 1 {
		r.Latent, r.Other = spec.Latents[0], spec.Latents[1]
	}
	for i, t := range episodes {
		p := Path{Label: fmt.Sprintf("episode %d", i+1)}
		if k := t.Latents[0]; k < len(spec.Latents) {
			p.Label = "if " + spec.Latents[k] // the name alone would read as that of the place
		}
		for k := range t.Len() + 1 {
			s := t.State(k)
			p.X, p.Y = append(p.X, s[0]), append(p.Y, s[1])
			p.Belief = append(p.Belief, t.Belief(k)[0])
		}
		r.Paths = append(r.Paths, p)
	}
	return r
}

// rectOf makes a Rect of left, bottom, right and top.
func rectOf(r [4]float64) Rect { return Rect{X0: r[0], Y0: r[1], X1: r[2], Y1: r[3]} }

// symbol is how a reader knows a parameter of a model.
func symbol(key string) string {
	return cmp.Or(map[string]string{"sigma": "σ", "discount": "γ"}[key], strings.ReplaceAll(key, "-", " "))
}

// lines draws the walls and goals of a room without its floor.
func (plan RoomPlan) lines(c draw.Canvas, p *plot.Plot, walls vg.Length) {
	for _, g := range plan.Goals {
		outline(c, draw.LineStyle{Color: muted, Width: 1.2 * px}, plan.corners(c, p, g.Rect))
	}
	outline(c, draw.LineStyle{Color: ink, Width: walls}, plan.corners(c, p, plan.Room))
}
