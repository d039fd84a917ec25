package viz

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/numtext"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Episode draws a recorded episode up to one of its steps: the path so far in a room
// (RoomModel), or the beliefs so far in the triangle of three latents, or else the belief
// over time; with the belief as a bar, and what is done next. Steps has a figure for each
// step, which nb.Animate plays:
//
//	nb.Show(nb.Animate("step", viz.Episode{Model: room, Trajectory: t}.Steps()...))
type Episode struct {
	Title      string       // "" names the model
	Model      bcpace.Model // that the episode was recorded with
	Trajectory *eval.Trajectory
	// Step is the step that the figure shows, from 0 to the length of the episode: what was
	// done before it, and the belief at it.
	Step int
	// OverTime draws the belief over time where a room or a triangle could be drawn.
	OverTime bool
}

// maxSteps is the most figures of Steps: more would make a page heavy.
const maxSteps = 60

// Steps returns a figure for each step of the episode, the last one included; of an episode
// with more than 60 steps, 60 figures at about the same distance. The axes are those of the
// whole episode. With an error that is what they return when they are drawn.
func (e Episode) Steps() []any {
	n := 0
	if e.Trajectory != nil {
		n = e.Trajectory.Len()
	}
	count := min(n+1, maxSteps)
	frames := make([]any, count)
	for i := range frames {
		at := e
		at.Step = (i*n + (count-1)/2) / max(count-1, 1)
		frames[i] = episodeStep{at}
	}
	return frames
}

// episodeStep is a figure of Steps, whose name is its step.
type episodeStep struct{ Episode }

func (s episodeStep) String() string { return strconv.Itoa(s.Step) }

// Figure checks the episode and draws it.
func (e Episode) Figure() (*Figure, error) {
	check := &checks{where: "viz: Episode"}
	if !check.want(e.Model != nil, ".Model is nil, want the model of the episode") ||
		!check.want(e.Trajectory != nil, ".Trajectory is nil, want an episode of eval.RecordEpisode") {
		return nil, check.err
	}
	spec, n := e.Model.Spec(), e.Trajectory.Len()
	checkTrajectory(check, e.Trajectory, spec)
	check.want(e.Step >= 0 && e.Step <= n, ".Step is %d, want 0 to %d, the length of the episode", e.Step, n)
	k := len(spec.Latents)
	if !check.want(k >= 2 && k <= len(styles), ": %q has %d latents, want 2 to %d, which have a colour each", words(spec.Name, 40), k, len(styles)) {
		return nil, check.err
	}
	var f *Figure
	var err error
	room, isRoom := e.Model.(RoomModel)
	isPath := isRoom && len(spec.Axes) >= 2 && !e.OverTime
	switch {
	case isPath:
		f, err = e.inRoom(room)
	case len(spec.Latents) == 3 && !e.OverTime:
		f = e.inTriangle(spec)
	default:
		f = e.overTime(spec)
	}
	if err != nil {
		return nil, err
	}
	f.Height -= f.headHeight()
	b := e.Trajectory.Belief(e.Step)
	fill := func(k int) color.Color { return styleOf(k).color }
	if isPath { // it has the colours of the belief
		fill = func(k int) color.Color {
			certain := make(bcpace.Belief, len(spec.Latents))
			certain[k] = 1
			return colorOf(certain)
		}
	}
	bar := beliefEntries(spec, b, fill)
	f.Legend = append(bar, f.Legend...)
	f.Title = name(e.Title, "An episode of "+name(spec.Name, "a model"))
	truth := ""
	if φ := e.Trajectory.Latents[e.Step]; φ >= 0 && φ < len(spec.Latents) {
		truth = "; true: " + latentName(spec.Latents, φ)
	}
	f.Subtitle = fit(words(e.next(spec)+truth, maxWords), subtitleStyle, f.Width-marginLeft-marginRight)
	f.Height += f.headHeight()
	f.Alt = fmt.Sprintf("%s. %s%s. Belief: %s.", f.Title, e.next(spec), truth, joined(bar[1:], func(e LegendEntry) string { return e.Text }))
	return f, nil
}

// next says what was done before the step, and what is done at it.
func (e Episode) next(spec bcpace.Spec) string {
	t, n := e.Trajectory, e.Trajectory.Len()
	so := fmt.Sprintf("Step %d of %d", e.Step, n)
	if e.Step > 0 {
		so += fmt.Sprintf(": after %s, reward %s", spec.ActionName(t.Actions[e.Step-1]), number(t.Rewards[e.Step-1]))
	}
	if e.Step < n {
		return so + "; next " + spec.ActionName(t.Actions[e.Step])
	}
	return so + "; return " + number(t.Return)
}

// beliefEntries are the entries of a legend with the belief as a bar, where each latent has
// a colour.
func beliefEntries(spec bcpace.Spec, b bcpace.Belief, fill func(latent int) color.Color) []LegendEntry {
	entries := []LegendEntry{{Text: "belief", Ramp: func(at float64) color.Color {
		sum, last := 0.0, 0
		for k, p := range b {
			if sum += p; p > 1e-3 && sum-p <= at { // less is not seen
				last = k
			}
		}
		return fill(last)
	}}}
	for k, p := range b {
		entries = append(entries, LegendEntry{Text: fmt.Sprintf("%s %.2f", latentName(spec.Latents, k), p), Fill: fill(k)})
	}
	return entries
}

// inRoom draws the path so far.
func (e Episode) inRoom(m RoomModel) (*Figure, error) {
	r := RoomOf(m, e.Trajectory)
	p := &r.Paths[0]
	p.X, p.Y, p.Belief = p.X[:e.Step+1], p.Y[:e.Step+1], p.Belief[:e.Step+1]
	f, err := r.Figure()
	if err != nil {
		return nil, err
	}
	f.Legend[len(f.Legend)-1].Text = "now" // in place of "end"
	if k := len(r.Latents); k > 2 {
		f.Legend = f.Legend[k:] // the bar of the belief names them
	}
	return f, nil
}

// inTriangle draws the beliefs so far.
func (e Episode) inTriangle(spec bcpace.Spec) *Figure {
	p := newTriangle(0.09, 0.08)
	beliefs := make([]bcpace.Belief, e.Step+1)
	for k := range beliefs {
		beliefs[k] = e.Trajectory.Belief(k)
	}
	x, y := trianglePoints(beliefs...)
	p.Add(drawing(triangleGrid), corners(spec.Latents))
	p.Add(curve{x, y, series{color: muted}.solid(1.8 * px)}, points{x: x, y: y, style: series{color: ink, glyph: disc{}}.marker(2.6 * px)})
	p.Add(points{x: x[:1], y: y[:1], style: startMarker}, points{x: x[e.Step:], y: y[e.Step:], style: endMarker})
	f := &Figure{Panels: []*plot.Plot{p}, EqualScale: true, Width: 520 * px}
	f.Legend = []LegendEntry{{Text: "start", Marker: startMarker}, {Text: "now", Marker: endMarker}}
	f.setTriangleHeight()
	return f
}

// overTime draws the belief in each latent so far.
func (e Episode) overTime(spec bcpace.Spec) *Figure {
	n := e.Trajectory.Len()
	p := newPanel("step", "belief")
	f := &Figure{Panels: []*plot.Plot{p}, Width: defaultWidth}
	for k := range slices.Backward(spec.Latents) { // the first one on top
		var c curve
		for i := range e.Step + 1 {
			c.x, c.y = append(c.x, float64(i)), append(c.y, e.Trajectory.Belief(i)[k])
		}
		c.x, c.y = thin(c.x, c.y)
		c.style = styleOf(k).line(2.2 * px)
		end := len(c.x) - 1
		p.Add(c, points{x: c.x[end:], y: c.y[end:], style: styleOf(k).marker(4 * px), halo: px})
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, float64(max(n, 1)), -0.03, 1.03
	p.X.Tick.Marker = niceTicks{whole: true}
	f.Height = 220*px + f.headHeight()
	return f
}

// PhasePortrait draws recorded episodes over two axes of the state, such as angle and
// speed, in the colours of the belief in a latent.
type PhasePortrait struct {
	Title, Subtitle string
	Model           bcpace.Model
	Episodes        []*eval.Trajectory // at least one
	// X and Y name axes of the state. "" means the first two with more than one value.
	X, Y string
	// Latent is the latent whose belief is shown. "" means the first.
	Latent string
}

// Figure checks the values and draws the episodes.
func (v PhasePortrait) Figure() (*Figure, error) {
	if v.Model == nil {
		return nil, fmt.Errorf("viz: PhasePortrait.Model is nil, want the model of the episodes")
	}
	spec := v.Model.Spec()
	check := &checks{where: fmt.Sprintf("viz: PhasePortrait of %q", words(spec.Name, 40))}
	x, y := stateAxes(check, v.X, v.Y, spec)
	latent := latentOf(check, v.Latent, spec)
	if !check.want(len(v.Episodes) > 0, " has no episodes, want at least one") {
		return nil, check.err
	}
	plan := RoomPlan{x: x, y: y}
	paths, points := plan.paths(check, spec, v.Episodes)
	if !check.want(points <= maxPathPoints, ": the episodes have more than %d states, want fewer or shorter ones", maxPathPoints) {
		return nil, check.err
	}
	trails := each(paths, func(p Path) beliefTrail {
		return beliefTrail{x.Axis, y.Axis, p.X, p.Y, each(p.Belief, func(b bcpace.Belief) float64 { return b[latent] })}
	})
	p := newPanel(x.label(spec), y.label(spec))
	for _, t := range trails {
		p.Add(t)
	}
	named := latentName(spec.Latents, latent)
	f := &Figure{Title: name(v.Title, titled(spec.Name, "phase portrait")), Subtitle: name(v.Subtitle, "in the colours of the belief in "+named), Panels: []*plot.Plot{p}, Width: 520 * px}
	ends := func(of *plot.Axis, c coordinate, edges string) {
		if c.Period == 0 {
			widen(of, 0.05)
		} else {
			of.Min, of.Max, of.Tick.Marker = c.Min, c.Max, endTicks{} // the episodes may cross its ends
		}
		f.note(c.Period != 0, edges+" are the same "+name(c.Name, "value"))
	}
	ends(&p.X, x, "the left and the right edge")
	ends(&p.Y, y, "the top and the bottom edge")
	f.Legend = []LegendEntry{{Text: "belief 0", Ramp: beliefColor, RampEnd: "1"},
		{Text: "start", Marker: startMarker}, {Text: "end", Marker: endMarker}}
	f.Alt = v.describe(f.Title, x, y, named, trails, spec)
	f.Height = 360*px + f.headHeight()
	return f, nil
}

// latentOf returns the latent of that name, the first for "".
func latentOf(check *checks, name string, spec bcpace.Spec) int {
	if name == "" && len(spec.Latents) > 0 {
		return 0
	}
	k := spec.LatentIndex(name)
	check.want(k >= 0, ": Latent is %q, want one of %s", words(name, 40), words(strings.Join(spec.Latents, ", "), 200))
	return k
}

// checkTrajectory checks that an episode is one of a model of that description.
func checkTrajectory(check *checks, t *eval.Trajectory, spec bcpace.Spec) bool {
	if !check.want(t != nil, " is nil, want a trajectory, as eval.RecordEpisode returns it") {
		return false
	}
	n := t.Len() + 1
	// Behind the state of a model with a horizon are the steps left.
	if !check.want(len(t.States) > 0 && len(t.Latents) == n && len(t.States)%n == 0 && len(t.States)/n >= len(spec.Axes) && len(t.Beliefs) == n*len(spec.Latents),
		" has %d states of %d entries and %d beliefs, want %d of %d and %d, as its model has", n, len(t.States)/n, len(t.Beliefs), n, len(spec.Axes), n*len(spec.Latents)) {
		return false
	}
	// What an episode of another model of the same shape may give away.
	for i, a := range t.Actions {
		check.want(spec.IsAction(a), " takes action %d at step %d, want %s: an episode of this model", a, i, spec.WantAction())
	}
	for i := range n {
		off, want := spec.OffAxes(t.States[i*len(t.States)/n:][:len(spec.Axes)])
		check.want(off == "", " has a state %d %s, want %s: an episode of this model", i, off, want)
	}
	return check.err == nil
}

func (v PhasePortrait) describe(title string, x, y coordinate, latent string, trails []beliefTrail, spec bcpace.Spec) string {
	text := fmt.Sprintf("%s. %s against %s.", title, y.label(spec), x.label(spec))
	for i, t := range trails[:min(len(trails), mostSaid)] {
		n := len(t.px) - 1
		truth := "an episode"
		if k := v.Episodes[i].Latents[0]; k < len(spec.Latents) {
			truth = "an episode with " + latentName(spec.Latents, k)
		}
		text += fmt.Sprintf(" %s of %s, from (%s, %s), belief in %s %s, to (%s, %s), belief %s.", strings.ToUpper(truth[:1])+truth[1:], numtext.Several(n, "step"),
			number(t.px[0]), number(t.py[0]), latent, number(t.belief[0]), number(t.px[n]), number(t.py[n]), number(t.belief[n]))
	}
	return text + andMore(len(trails), "episode")
}

// endTicks has ticks at the ends of an axis, such as that of an angle, and round numbers between.
type endTicks struct{}

func (endTicks) Ticks(lo, hi float64) []plot.Tick {
	ticks := slices.DeleteFunc(niceTicks{}.Ticks(lo, hi), func(t plot.Tick) bool {
		return min(t.Value-lo, hi-t.Value) < 0.1*(hi-lo) // where the label of the end stands
	})
	return append([]plot.Tick{{Value: lo, Label: angle(lo)}}, append(ticks, plot.Tick{Value: hi, Label: angle(hi)})...)
}

// angle writes a whole multiple of π as that, and other numbers as they are.
func angle(x float64) string {
	k := math.Round(x / math.Pi)
	switch {
	case k == 0 || math.Abs(x-k*math.Pi) > 1e-9:
		return number(x)
	case math.Abs(k) == 1:
		return strings.TrimSuffix(number(k), "1") + "π"
	}
	return number(k) + "π"
}

// beliefTrail is an episode over two axes, in the colours of its beliefs.
type beliefTrail struct {
	x, y           bcpace.Axis
	px, py, belief []float64
}

func (m beliefTrail) DataRange() (xmin, xmax, ymin, ymax float64) { return dataRange(m.px, m.py) }

func (m beliefTrail) Plot(c draw.Canvas, p *plot.Plot) {
	const spacing = 70 * px // of the arrow heads along the path
	const apart = 30 * px   // of one head from all others: more would be a heap
	walked := spacing / 2
	var heads []vg.Point
	at := [2]float64{m.px[0], m.py[0]}
	for i := 1; i < len(m.px); i++ {
		col := beliefColor(m.belief[i-1])
		var lines [][]vg.Point
		lines, at = m.step(c, p, at, i)
		for _, q := range lines {
			c.StrokeLines(draw.LineStyle{Color: col, Width: 2.2 * px}, c.ClipLinesXY(q)...)
			d := q[1].Sub(q[0])
			length := lengthOf(d)
			if walked += length; walked >= spacing && length > 0 {
				walked = 0
				if slices.ContainsFunc(heads, func(o vg.Point) bool { return lengthOf(o.Sub(q[1])) < apart }) {
					continue
				}
				heads = append(heads, q[1])
				if c.Contains(q[1]) {
					arrowHead(&c, col, q[1], d, 4*px, 5*px, 4*px)
				}
			}
		}
	}
	ends := project(c, p, []float64{m.px[0], at[0]}, []float64{m.py[0], at[1]})
	c.DrawGlyphNoClip(startMarker, ends[0])
	c.DrawGlyphNoClip(endMarker, ends[1])
}

// step returns the lines of the step to point i from where the point before stands, and where
// point i stands. There is one line, or two where the step crosses the end of an axis with a
// period, which go on beyond the panel. A step that goes beyond by a line's width or two stays
// at that end: what lies on the other side would be a stub away from its path.
func (m beliefTrail) step(c draw.Canvas, p *plot.Plot, from [2]float64, i int) (lines [][]vg.Point, at [2]float64) {
	const most = 4 * px
	at = [2]float64{m.px[i], m.py[i]}
	sides := [2]vg.Length{c.Max.X - c.Min.X, c.Max.Y - c.Min.Y}
	near, before := at, from
	for k, a := range []bcpace.Axis{m.x, m.y} {
		if a.Period == 0 {
			continue
		}
		near[k] += a.Period * math.Round((from[k]-at[k])/a.Period)
		if beyond := max(near[k]-a.Max, a.Min-near[k]); beyond <= a.Period*float64(most/sides[k]) {
			near[k] = min(max(near[k], a.Min), a.Max)
			at[k] = near[k]
		}
		before[k] += at[k] - near[k]
	}
	line := func(a, b [2]float64) []vg.Point {
		return project(c, p, []float64{a[0], b[0]}, []float64{a[1], b[1]})
	}
	lines = [][]vg.Point{line(from, near)}
	if at != near {
		lines = append(lines, line(before, at))
	}
	return lines, at
}
