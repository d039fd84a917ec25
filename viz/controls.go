package viz

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/numtext"
)

// Controls draws what is done in an episode against the time, and below it the belief in a
// latent; episodes of several policies stand in the same panels. The control of an action
// with a Box has a panel for each of its axes.
type Controls struct {
	Title, Subtitle string
	Model           bcpace.Model // whose one action has a Box
	Episodes        []Played     // at least one
	// Latent is the latent whose belief is shown. "" means the first.
	Latent string
	// Informed, if set, is a policy that is asked at each state of each episode what it
	// would do if the latent were known, such as QMDP: thin dashes.
	Informed bcpace.Policy
	// Step is the time of a step in seconds. 0 means that the axis counts steps.
	Step float64
}

// Played is an episode with the name of the policy that played it.
type Played struct {
	Label string
	*eval.Trajectory
}

// Figure checks the values and draws the episodes.
func (v Controls) Figure() (*Figure, error) {
	if v.Model == nil {
		return nil, fmt.Errorf("viz: Controls.Model is nil, want the model of the episodes")
	}
	spec, _ := eval.ActionBehind(v.Model, -1)
	check := &checks{where: fmt.Sprintf("viz: Controls of %q", words(spec.Name, 40))}
	latent := latentOf(check, v.Latent, spec)
	check.want(len(spec.Actions) == 1 && spec.HasBox(), ": the model has %s, want one action with a Box", numtext.Several(len(spec.Actions), "action"))
	check.count(len(v.Episodes), "episodes", len(styles))
	check.want(v.Step >= 0 && !math.IsInf(v.Step, 1), ": Step is %v, want a time in seconds, or 0 for the number of the step", v.Step)
	tell, err := v.informed(check.where)
	if err = cmp.Or(check.err, err); err != nil {
		return nil, err
	}
	c := controls{Controls: v, box: spec.Actions[0].Box, latent: latentName(spec.Latents, latent), unit: 1, time: "step"}
	if v.Step > 0 {
		c.unit, c.time = v.Step, "time (s)"
	}
	for i, e := range v.Episodes {
		check.part = fmt.Sprintf(", episode %d", i)
		c.episodes = append(c.episodes, v.read(check, e, spec, latent, tell))
	}
	if check.err != nil {
		return nil, check.err
	}
	return c.figure(spec.Name), nil
}

// controls are the numbers of a Controls.
type controls struct {
	Controls
	box      []bcpace.Axis
	latent   string  // the name of the one whose belief is shown
	unit     float64 // how long a step is on the X axis
	time     string  // what that axis measures
	episodes []controlled
}

// controlled are the numbers of an episode.
type controlled struct {
	label  string
	done   [][]float64 // by axis of the Box: the control of each step
	told   [][]float64 // likewise, what the informed policy would do; nil without one
	belief []float64   // before each step, and at the end
}

func (e controlled) steps() int { return len(e.belief) - 1 }

// read checks an episode and takes its numbers. tell is what informed has returned.
func (v Controls) read(check *checks, e Played, spec bcpace.Spec, latent int, tell func(Played) []int) (x controlled) {
	if !checkTrajectory(check, e.Trajectory, spec) || !check.want(e.Len() > 0 && e.Len() <= maxPathPoints, " has %s, want 1 to %d", numtext.Several(e.Len(), "step"), maxPathPoints) {
		return x
	}
	x.label = e.Label
	did := make([]int, e.Len())
	for t, id := range e.Actions {
		_, did[t] = eval.ActionBehind(v.Model, id)
	}
	x.done = controlsOf(check, "", did, spec)
	if tell != nil {
		x.told = controlsOf(check, ", informed", tell(e), spec)
	}
	for t := range e.Len() + 1 {
		x.belief = append(x.belief, e.Belief(t)[latent])
	}
	check.beliefs(x.belief)
	return x
}

func (c controls) figure(model string) *Figure {
	panels, under := c.panels()
	f := &Figure{Title: name(c.Title, titled(model, "control and belief")), Subtitle: c.Subtitle, Width: defaultWidth, Panels: panels}
	for i, e := range c.episodes {
		f.Legend = append(f.Legend, LegendEntry{Text: label(e.label, fmt.Sprintf("episode %d", i+1)), Line: styleOf(i).line(2.2 * px)})
	}
	f.explain(c.Informed != nil, LegendEntry{Text: "action of the informed policy", Line: exactStyle(series{color: muted})})
	f.explain(len(under) > 0, groundEntry)
	f.Alt = c.describe(f.Title)
	f.setHeight()
	return f
}

// panels draws the episodes in a panel for each axis of the Box, and below them in that of the
// belief. It returns the grounds of the curves too.
func (c controls) panels() (list []*plot.Plot, under []plot.Plotter) {
	end := c.unit
	for k := range len(c.box) + 1 {
		p := newPanel(c.time, "belief in "+fit(c.latent, labelStyle, stackedHeight-70*px))
		p.Y.Min, p.Y.Max = -0.03, 1.03
		if k < len(c.box) {
			p = newPanel("", fit(axisLabel(c.box[k]), labelStyle, stackedHeight-40*px))
			p.Y.Min, p.Y.Max = c.box[k].Min, c.box[k].Max
			widen(&p.Y, 0.06)
		}
		var lines []curve
		var told []plot.Plotter
		for i, e := range c.episodes {
			style := styleOf(i)
			if k == len(c.box) {
				line := curve{style: style.line(2.2 * px)}
				for t := range e.belief {
					line.x = append(line.x, c.unit*float64(t))
				}
				end = max(end, line.x[e.steps()])
				line.x, line.y = thin(line.x, e.belief)
				lines = append(lines, line)
				continue
			}
			lines = append(lines, steady(e.done[k], c.unit, style.line(2.2*px)))
			if e.told != nil {
				told = append(told, steady(e.told[k], c.unit, exactStyle(style)))
			}
		}
		g := grounds(lines, styleOf, false, false)
		under = append(under, g...)
		p.Add(g...)
		for _, line := range lines {
			p.Add(line)
		}
		p.Add(told...)
		p.X.Tick.Marker = niceTicks{whole: c.Step == 0}
		list = append(list, p)
	}
	for _, p := range list {
		p.X.Min, p.X.Max = 0, end
	}
	return list, under
}

func (c controls) describe(title string) string {
	text := fmt.Sprintf("%s. %s and belief in %s against %s.", title, joined(c.box, axisLabel), c.latent, c.time)
	for i, e := range c.episodes {
		last := e.steps()
		text += fmt.Sprintf(" %s: %s", label(e.label, fmt.Sprintf("Episode %d", i+1)), numtext.Several(last, "step"))
		for k, told := range e.told {
			sum := floats.Distance(told, e.done[k], 1)
			text += fmt.Sprintf(", %s on average %s from that of the informed policy", name(c.box[k].Name, "control"), number(sum/float64(last)))
		}
		at := func(step int) string { return joined(e.done, func(u []float64) string { return number(u[step]) }) }
		text += fmt.Sprintf("; the first control is %s and the last %s; the belief goes from %s to %s.", at(0), at(last-1), number(e.belief[0]), number(e.belief[last]))
	}
	return text
}

// informed returns what v.Informed does at each state of an episode, told the latent; nil where it
// is not set.
func (v Controls) informed(where string) (func(Played) []int, error) {
	if v.Informed == nil {
		return nil, nil
	}
	m, err := bcpace.ForPolicy(v.Model, v.Informed)
	if err != nil {
		return nil, fmt.Errorf("%s: Informed: %w", where, err)
	}
	act, latents := acting(m, v.Informed), len(m.Spec().Latents)
	return func(e Played) (actions []int) {
		for t := range e.Len() {
			b := make(bcpace.Belief, latents)
			if k := e.Latents[t]; k < len(b) {
				b[k] = 1
			}
			actions = append(actions, act(e.State(t), b))
		}
		return actions
	}, nil
}

// controlsOf returns the controls of actions, for each axis of the one Box.
func controlsOf(check *checks, of string, actions []int, spec bcpace.Spec) [][]float64 {
	u := make([][]float64, len(spec.Actions[0].Box))
	var room [3]float64
	for t, id := range actions {
		index, control := spec.Control(room[:], id)
		if !check.want(index >= 0, "%s: action %d of step %d is none of the model, want %s", of, id, t, spec.WantAction()) {
			break
		}
		for k := range u {
			u[k] = append(u[k], control[k])
		}
	}
	return u
}

// steady is a curve that holds each control for its step.
func steady(u []float64, unit float64, style draw.LineStyle) curve {
	m := curve{style: style}
	for t, x := range u {
		m.x, m.y = append(m.x, unit*float64(t), unit*float64(t+1)), append(m.y, x, x)
	}
	return m
}
