package viz

import (
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
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
		if at.Step = 0; count > 1 {
			at.Step = (i*n + (count-1)/2) / (count - 1)
		}
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
	isPath := isRoom && len(spec.Latents) == 2 && !e.OverTime
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
		fill = func(k int) color.Color { return beliefColor(1 - float64(k)) }
	}
	f.Legend = append(beliefEntries(spec, b, fill), f.Legend...)
	f.Title = name(e.Title, "An episode of "+name(spec.Name, "a model"))
	truth := ""
	if φ := e.Trajectory.Latents[e.Step]; φ >= 0 && φ < len(spec.Latents) {
		truth = "; true: " + latentName(spec.Latents, φ)
	}
	f.Subtitle = fit(words(e.next(spec)+truth, maxWords), subtitleStyle, f.Width-marginLeft-marginRight)
	f.Height += f.headHeight()
	f.Alt = fmt.Sprintf("%s. %s%s. Belief: %s.", f.Title, e.next(spec), truth, describeBelief(spec, b))
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

func describeBelief(spec bcpace.Spec, b bcpace.Belief) string {
	var parts []string
	for k, p := range b {
		parts = append(parts, fmt.Sprintf("%s %.2f", latentName(spec.Latents, k), p))
	}
	return strings.Join(parts, ", ")
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
	for i := range f.Legend {
		if f.Legend[i].Text == "end" {
			f.Legend[i].Text = "now"
		}
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
	p.Add(triangleGrid{}, corners(spec.Latents))
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
