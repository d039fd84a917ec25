package viz

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
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

// maxPlayed is the most episodes that can be told apart.
const maxPlayed = 7

// Figure checks the values and draws the episodes.
func (v Controls) Figure() (*Figure, error) {
	if v.Model == nil {
		return nil, fmt.Errorf("viz: Controls.Model is nil, want the model of the episodes")
	}
	spec, _ := eval.ActionBehind(v.Model, -1)
	where := fmt.Sprintf("viz: Controls of %q", words(spec.Name, 40))
	latent, err := latentOf(where, v.Latent, spec)
	if err != nil {
		return nil, err
	}
	switch {
	case len(spec.Actions) != 1 || !spec.HasBox():
		return nil, fmt.Errorf("%s: the model has %s, want one action with a Box", where, count(len(spec.Actions), "action"))
	case len(v.Episodes) == 0 || len(v.Episodes) > maxPlayed:
		return nil, fmt.Errorf("%s has %d episodes, want 1 to %d", where, len(v.Episodes), maxPlayed)
	case !(v.Step >= 0) || math.IsInf(v.Step, 1):
		return nil, fmt.Errorf("%s: Step is %v, want a time in seconds, or 0 for the number of the step", where, v.Step)
	}
	tell, err := v.informed(where)
	if err != nil {
		return nil, err
	}
	unit, time := 1.0, "step"
	if v.Step > 0 {
		unit, time = v.Step, "time (s)"
	}
	box := spec.Actions[0].Box
	f := &Figure{Title: name(v.Title, "Control and belief: "+name(spec.Name, "model")), Subtitle: v.Subtitle, Width: defaultWidth}
	for _, u := range box {
		p := newPanel("", fit(axisLabel(u), labelStyle, stackedHeight-40*px))
		p.Y.Min, p.Y.Max = u.Min, u.Max
		widen(&p.Y, 0.06)
		f.Panels = append(f.Panels, p)
	}
	named := name(spec.Latents[latent], fmt.Sprintf("latent %d", latent))
	below := newPanel(time, "belief in "+fit(named, labelStyle, stackedHeight-70*px))
	below.Y.Min, below.Y.Max = -0.03, 1.03
	f.Panels = append(f.Panels, below)
	end := unit
	done, also := make([][]curve, len(f.Panels)), make([][]plot.Plotter, len(f.Panels)) // by panel
	var b strings.Builder
	fmt.Fprintf(&b, "%s. %s and belief in %s against %s.", f.Title, axesOf(box), named, time)
	for i, e := range v.Episodes {
		here := fmt.Sprintf("%s, episode %d", where, i)
		if err := checkTrajectory(here, e.Trajectory, spec); err != nil {
			return nil, err
		}
		if n := e.Len(); n == 0 || n > maxPathPoints {
			return nil, fmt.Errorf("%s has %s, want 1 to %d", here, count(n, "step"), maxPathPoints)
		}
		end = max(end, unit*float64(e.Len()))
		style := styleOf(i)
		did := make([]int, e.Len())
		for t, id := range e.Actions {
			_, did[t] = eval.ActionBehind(v.Model, id)
		}
		u, err := controlsOf(here, did, spec)
		if err != nil {
			return nil, err
		}
		for k := range box {
			done[k] = append(done[k], steady(u[k], unit, style.line(2.2*px)))
		}
		f.Legend = append(f.Legend, LegendEntry{Text: label(e.Label, fmt.Sprintf("episode %d", i+1)), Line: style.line(2.2 * px)})
		fmt.Fprintf(&b, " %s: %s", label(e.Label, fmt.Sprintf("Episode %d", i+1)), count(e.Len(), "step"))
		if v.Informed != nil {
			told, err := controlsOf(here+", informed", tell(e), spec)
			if err != nil {
				return nil, err
			}
			for k := range box {
				also[k] = append(also[k], steady(told[k], unit, draw.LineStyle{Color: style.color, Width: 1.1 * px, Dashes: []vg.Length{3 * px, 2.5 * px}}))
				sum := 0.0
				for t := range told[k] {
					sum += math.Abs(told[k][t] - u[k][t])
				}
				fmt.Fprintf(&b, ", %s on average %s from that of the informed policy", name(box[k].Name, "control"), number(sum/float64(e.Len())))
			}
		}
		x, y := make([]float64, e.Len()+1), make([]float64, e.Len()+1)
		for t := range x {
			x[t], y[t] = unit*float64(t), e.Belief(t)[latent]
		}
		if err := checkBeliefs(here, y); err != nil {
			return nil, err
		}
		x, y = thin(x, y)
		done[len(box)] = append(done[len(box)], curve{x, y, style.line(2.2 * px)})
		fmt.Fprintf(&b, "; the first control is %s and the last %s; the belief goes from %s to %s.", at(u, 0), at(u, e.Len()-1), number(y[0]), number(y[len(y)-1]))
	}
	if v.Informed != nil {
		f.Legend = append(f.Legend, LegendEntry{Text: "informed, there", Line: draw.LineStyle{Color: muted, Width: 1.1 * px, Dashes: []vg.Length{3 * px, 2.5 * px}}})
	}
	var under []plot.Plotter
	for k, p := range f.Panels {
		g := grounds(done[k], styleOf, false, false)
		under = append(under, g...)
		p.Add(g...)
		for _, c := range done[k] {
			p.Add(c)
		}
		p.Add(also[k]...)
		p.X.Min, p.X.Max = 0, end
		if v.Step == 0 {
			p.X.Tick.Marker = niceTicks{whole: true}
		}
	}
	f.Legend = append(f.Legend, groundEntry(under)...)
	f.Alt = b.String()
	f.setHeight()
	return f, nil
}

// informed returns what v.Informed does at each state of an episode, told the latent.
func (v Controls) informed(where string) (func(Played) []int, error) {
	if v.Informed == nil {
		return nil, nil
	}
	m, err := bcpace.ForPolicy(v.Model, v.Informed)
	if err != nil {
		return nil, fmt.Errorf("%s: Informed: %w", where, err)
	}
	spec := m.Spec()
	policy := bcpace.Fork(v.Informed)
	rng := rand.New(rand.NewPCG(1, 1))
	return func(e Played) (actions []int) {
		for t := range e.Len() {
			b := make(bcpace.Belief, len(spec.Latents))
			if k := e.Latents[t]; k < len(b) {
				b[k] = 1
			}
			id, _ := spec.Act(policy, e.State(t), b, rng) // −1 where it cannot tell
			_, id = eval.ActionBehind(m, id)
			actions = append(actions, id)
		}
		return actions
	}, nil
}

// controlsOf returns the controls of actions, for each axis of the one Box.
func controlsOf(where string, actions []int, spec bcpace.Spec) ([][]float64, error) {
	u := make([][]float64, len(spec.Actions[0].Box))
	var room [3]float64
	for t, id := range actions {
		index, control := spec.Control(room[:], id)
		if index < 0 {
			return nil, fmt.Errorf("%s: action %d of step %d is none of the model, want %s", where, id, t, spec.WantAction())
		}
		for k := range u {
			u[k] = append(u[k], control[k])
		}
	}
	return u, nil
}

// steady is a curve that holds each control for its step.
func steady(u []float64, unit float64, style draw.LineStyle) curve {
	m := curve{style: style}
	for t, x := range u {
		m.x, m.y = append(m.x, unit*float64(t), unit*float64(t+1)), append(m.y, x, x)
	}
	return m
}

// axesOf names axes.
func axesOf(box []bcpace.Axis) string {
	var names []string
	for _, a := range box {
		names = append(names, axisLabel(a))
	}
	return strings.Join(names, ", ")
}

// at writes the control of a step.
func at(u [][]float64, step int) string {
	var parts []string
	for _, x := range u {
		parts = append(parts, number(x[step]))
	}
	return strings.Join(parts, ", ")
}
