package viz

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/runs"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// QOverBelief draws the optimistic value Q(s, b, a) of a run against the
// belief in the first of two latents, one curve per action: Figure 2a of the
// paper. A curve is thick where the query is known and thin where not; markers
// are the samples met at that state, beside one another where they share a place.
type QOverBelief struct {
	Run *runs.Run // from Explore or Load, of a model with two latents
	// State is where the values are shown. nil means a start state of the
	// model, always the same one; a run without its model needs State.
	State []float64
	// Exact, if set, returns the optimal value Q*(s, b, a) at State, drawn
	// dashed beside the estimate.
	Exact func(b bcpace.Belief, action int) float64
	// Title stands above the figure; "" names the model.
	Title string
}

// beliefPoints is the number of evenly spaced beliefs at which a curve is evaluated.
const beliefPoints = 401

// Figure evaluates the run and draws the curves.
func (q QOverBelief) Figure() (*Figure, error) {
	state, err := shownState("QOverBelief", q.Run, 2, "two latents, to have the belief in one on the axis", true, q.State)
	if err != nil {
		return nil, err
	}
	spec := q.Run.Spec
	v := beliefValues{
		title: q.Title, model: spec.Name, latent: spec.Latents[0], other: spec.Latents[1],
		state: stateName(spec, state),
	}
	met := samplesAt(q.Run, state)
	// A certified run keeps the samples of each state apart, also where the model
	// cannot tell the states apart.
	var alike [][]float64
	if q.Run.Certificate.Kind == bcpace.ExactCertificate {
		for _, x := range met {
			if !slices.ContainsFunc(alike, func(s []float64) bool { return slices.Equal(s, x.State) }) {
				alike = append(alike, x.State)
			}
		}
	}
	v.b = beliefGrid(beliefPoints, met, q.Run.Radius())
	for a, action := range spec.Actions {
		c := actionValues{name: action.Name}
		for _, x := range v.b {
			b := bcpace.Belief{x, 1 - x}
			value, known := q.Run.Q(state, b, a)
			for _, s := range alike {
				// All of them bound the same value.
				v, k := q.Run.Q(s, b, a)
				value, known = min(value, v), known || k
			}
			c.q, c.known = append(c.q, value), append(c.known, known)
			if q.Exact != nil {
				c.exact = append(c.exact, q.Exact(b, a))
			}
		}
		v.actions = append(v.actions, c)
	}
	for _, x := range met {
		c := &v.actions[x.Action]
		c.sampleB, c.sampleQ = append(c.sampleB, x.Belief[0]), append(c.sampleQ, x.Q)
	}
	return v.figure()
}

// beliefGrid returns ascending beliefs from 0 to 1: evenly spaced ones and,
// where the samples are not too many, each sample's own with the ends of the
// stretch that it makes known, which is often shorter than the spacing.
func beliefGrid(points int, met []runs.Sample, radius float64) []float64 {
	var grid []float64
	for i := range points {
		grid = append(grid, float64(i)/float64(points-1))
	}
	if len(met) <= 1000 {
		for _, x := range met {
			b := x.Belief[0]
			// The L1 distance of two beliefs is twice their difference in b; a
			// hair less keeps rounding from making the ends unknown.
			reach := radius / 2 * (1 - 1e-6)
			grid = append(grid, b)
			if reach > 0 { // a certified run has no radius
				grid = append(grid, max(b-reach, 0), min(b+reach, 1))
			}
		}
	}
	slices.Sort(grid)
	return slices.Compact(grid)
}

// samplesAt returns the samples of a run at a state, or at one that the model cannot tell from it: they
// differ on axes of infinite scale only, on which no value depends.
func samplesAt(r *runs.Run, state []float64) (met []runs.Sample) {
	if r.Samples == nil {
		return nil
	}
	for i := range r.Samples.Len() {
		x, same := r.Samples.At(i), true
		for k, a := range r.Spec.Axes {
			same = same && (x.State[k] == state[k] || math.IsInf(a.Scale, 1))
		}
		if same {
			met = append(met, x)
		}
	}
	return met
}

// stateName writes a state as "axis value unit, …", leaving out axes that have
// one value only or do not matter.
func stateName(spec bcpace.Spec, s []float64) string {
	return words(strings.Join(stateParts(spec, s), ", "), 80)
}

// stateParts are the parts of stateName, but for those of some axes.
func stateParts(spec bcpace.Spec, s []float64, without ...int) (parts []string) {
	for i, a := range spec.Axes {
		if a.Min == a.Max || math.IsInf(a.Scale, 1) || slices.Contains(without, i) {
			continue
		}
		value := number(s[i])
		if k := int(s[i] - a.Min); a.Labels != nil && k >= 0 && k < len(a.Labels) {
			value = a.Labels[k]
		}
		parts = append(parts, strings.TrimSpace(a.Name+" "+value+" "+a.Unit))
	}
	return parts
}

// beliefValues are the numbers of a QOverBelief.
type beliefValues struct {
	title                string // or ""
	model, latent, other string
	state                string    // in words, or ""
	b                    []float64 // beliefs in latent, ascending from 0 to 1
	actions              []actionValues
}

type actionValues struct {
	name             string
	q                []float64 // one for each belief
	known            []bool
	exact            []float64 // nil, or one for each belief
	sampleB, sampleQ []float64
}

func (v beliefValues) figure() (*Figure, error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	p := newPanel(fmt.Sprintf("belief in %s", fit(name(v.latent, "the first latent"), labelStyle, 200*px)), "value Q (discounted reward)")
	f := &Figure{Title: name(v.title, titled(v.model, "optimistic value over belief")), Panels: []*plot.Plot{p}, Width: defaultWidth}
	under := v.drawCurves(p)
	var samples nested
	met := 0
	var ends levels // name the curves where they end
	for i, a := range v.actions {
		style := styleOf(i).marker(sampleSize)
		if met += len(a.sampleB); len(a.sampleB) > 0 {
			samples = append(samples, points{x: a.sampleB, y: a.sampleQ, style: style, apart: 8 * px, halo: 0.8 * px})
		}
		style.Radius *= 1.3
		ends = append(ends, level{value: a.q[len(a.q)-1], label: fit(actionName(a.name, i), labelStyle, 110*px), marker: style})
	}
	p.Add(besides{samples}, ends)
	all := slices.Concat(each(v.actions, func(a actionValues) []bool { return a.known })...)
	known, unknown := slices.Contains(all, true), slices.Contains(all, false)
	v.explain(f, known, unknown)
	f.explain(len(under) > 0, groundEntry)
	f.note(v.state != "", "at "+v.state)
	f.note(met > 0, "markers are samples")
	f.noteMarkers(met)
	p.X.Min, p.X.Max = 0, 1
	widen(&p.Y, 0.05)
	if known && unknown {
		f.foot = float64((vg.Length(len(v.actions))*strip + 8*px) / (panelHeight - 60*px))
		p.Y.Min -= f.foot * (p.Y.Max - p.Y.Min)
		p.Add(drawing(v.strips))
	}
	f.Alt = v.describe()
	f.setHeight()
	return f, nil
}

func (v beliefValues) check() error {
	check := checks{where: fmt.Sprintf("viz: QOverBelief of %q", words(v.model, 40))}
	for _, a := range v.actions {
		check.part = fmt.Sprintf(", action %q", words(a.name, 40))
		check.columns(column{"belief", v.b, false}, column{"Q", a.q, false})
		check.numbers("Exact", a.exact...)
		check.columns(column{"sample belief", a.sampleB, false}, column{"sample Q", a.sampleQ, false})
	}
	return check.err
}

// drawCurves draws the values of each action, and their grounds, which it returns.
func (v beliefValues) drawCurves(p *plot.Plot) (under []plot.Plotter) {
	curves := each(v.actions, func(a actionValues) curve { return curve{x: v.b, y: a.q} })
	under = grounds(curves, styleOf, false, false)
	p.Add(under...)
	for i, a := range v.actions {
		// A stretch between two points is known if both its ends are.
		known := func(k int) bool { return a.known[k] && a.known[k+1] }
		for from, to := range stretches(len(v.b)-1, func(k, l int) bool { return known(k) == known(l) }) {
			style := styleOf(i).solid(knownWidth)
			if !known(from) {
				style = faint(style)
			}
			p.Add(curve{v.b[from : to+1], a.q[from : to+1], style})
		}
	}
	for i, a := range v.actions {
		if a.exact != nil {
			p.Add(curve{v.b, a.exact, exactStyle(styleOf(i))})
		}
	}
	return under
}

// actionName is how a figure names an action.
func actionName(s string, i int) string { return name(s, fmt.Sprintf("action %d", i)) }

// sampleSize is the radius of a sample's marker, and knownWidth the width of a curve where it is known.
const sampleSize, knownWidth = 2.6 * px, 3.6 * px

// explain explains the kinds of line.
func (v beliefValues) explain(f *Figure, known, unknown bool) {
	exact := slices.ContainsFunc(v.actions, func(a actionValues) bool { return a.exact != nil })
	line := draw.LineStyle{Color: muted, Width: knownWidth}
	f.explain(known, LegendEntry{Text: "known" + when(unknown, ", and strips at the foot"), Line: line})
	f.explain(unknown, LegendEntry{Text: "not known", Line: faint(line)})
	f.explain(exact, LegendEntry{Text: "exact optimum", Line: exactStyle(series{color: muted})})
}

func (v beliefValues) describe() string {
	text := sentence(v.title) + fmt.Sprintf("Optimistic value Q of %s against the belief in %s, from 0 (certainly %s) to 1", name(v.model, "the model"), words(v.latent, 60), words(v.other, 60))
	text += when(v.state != "", ", at %s", v.state) + "."
	last := len(v.b) - 1
	for i, a := range v.actions {
		known := 0.0
		for k := range last {
			if a.known[k] && a.known[k+1] {
				known += v.b[k+1] - v.b[k]
			}
		}
		middle, _ := slices.BinarySearch(v.b, 0.5)
		text += fmt.Sprintf(" %s: %s at belief 0, %s at %s, %s at 1; known at %d%% of beliefs; %s here.",
			actionName(a.name, i), number(a.q[0]), number(a.q[middle]), number(v.b[middle]), number(a.q[last]),
			int(math.Round(100*known)), numtext.Several(len(a.sampleB), "sample"))
		if a.exact != nil {
			text += fmt.Sprintf(" At most %s from the exact optimum.", number(floats.Distance(a.q, a.exact, math.Inf(1))))
		}
	}
	return text
}

// exactStyle is the style of what a curve is compared with, such as its exact counterpart: thin
// dashes in a darker tone, which stay visible on top of the curve itself.
func exactStyle(s series) draw.LineStyle {
	c := s.color
	c.R, c.G, c.B = c.R/2, c.G/2, c.B/2
	return draw.LineStyle{Color: c, Width: 1.3 * px, Dashes: []vg.Length{5 * px, 3 * px}}
}

// faint is the style of a curve where it is not known: thin, in a colour that can still be told.
func faint(s draw.LineStyle) draw.LineStyle {
	s.Color = lighter(s.Color.(color.NRGBA), 85)
	s.Width = 1.5 * px
	return s
}

// strip is the height of a strip with the gap above it.
const strip = 7 * px

// strips stand at the foot of a panel, one below the other, with the parts of the X
// axis where something is known: a curve shows them poorly where they are short, or below
// markers.
func (v beliefValues) strips(c draw.Canvas, p *plot.Plot) {
	for i, a := range v.actions {
		y := c.Min.Y + vg.Length(len(v.actions)-1-i)*strip + 2*px
		c.FillPolygon(gridGrey, rectangle(c.Min.X, y, c.Max.X, y+strip-2*px))
		for from, to := range stretchesWhere(len(v.b), func(k int) bool { return a.known[k] }) {
			left, right := c.X(p.X.Norm(v.b[from])), c.X(p.X.Norm(v.b[to-1]))
			if short := 2*px - (right - left); short > 0 { // wide enough to be seen
				left, right = left-short/2, right+short/2
			}
			c.FillPolygon(styleOf(i).color, rectangle(max(left, c.Min.X), y, min(right, c.Max.X), y+strip-2*px))
		}
	}
}

// Explained draws how an estimate of Algorithm 1 comes about (cpace.Explain): a dot for
// the value of each neighbour, at its distance from the query; above it a line, the Lipschitz
// bonus, up to what the neighbour counts; and the mean of these, the estimate.
type Explained struct {
	// Title stands above the figure; "" names the query.
	Title       string
	Explanation *cpace.Explanation
}

// maxNeighbours is the most neighbours that are drawn.
const maxNeighbours = 2000

// valueSize and termSize let both markers be seen where a neighbour counts its value alone.
const valueSize, termSize = 5 * px, 3 * px

// Figure checks the explanation and draws it.
func (v Explained) Figure() (*Figure, error) {
	x, check := v.Explanation, checks{where: "viz: Explained"}
	switch {
	case x == nil:
		return nil, fmt.Errorf("viz: Explained.Explanation is nil, want what Explain has returned")
	case x.Latent >= 0:
		return nil, fmt.Errorf("viz: Explained has no neighbours: the belief is near the one-hot belief of %q, whose latent MDP has the value %s", x.Spec.Latents[x.Latent], number(x.Q))
	}
	check.want(len(x.Neighbours) <= maxNeighbours, " has %d neighbours, want at most %d: a run with a smaller K", len(x.Neighbours), maxNeighbours)
	p := newPanel("distance from the query", "value (discounted reward)")
	var at, value, term []float64
	for _, n := range x.Neighbours {
		at, value, term = append(at, n.Distance), append(value, n.Value), append(term, n.Term)
	}
	check.columns(column{"Distance", at, false}, column{"Value", value, false}, column{"Term", term, false})
	check.numbers("Q", x.Q)
	check.numbers("Upper", x.Upper)
	if !check.numbers("Radius", x.Radius) {
		return nil, check.err
	}
	dot, top := styleOf(0), styleOf(1)
	bonuses := drawing(func(c draw.Canvas, p *plot.Plot) {
		for i, x := range at {
			c.StrokeLines(top.line(1.4*px), project(c, p, []float64{x, x}, []float64{value[i], term[i]}))
		}
	})
	p.Add(bonuses, points{x: at, y: value, style: dot.marker(valueSize)}, points{x: at, y: term, style: top.marker(termSize), halo: 0.8 * px})
	p.Add(levels{
		{value: x.Q, label: "estimate " + number(x.Q), style: draw.LineStyle{Color: ink, Width: 1.6 * px}},
		{value: x.Upper, label: "upper bound " + number(x.Upper), style: draw.LineStyle{Color: muted, Width: 1.2 * px, Dashes: []vg.Length{4 * px, 3 * px}}},
	})
	edge := draw.LineStyle{Color: muted, Width: 1.2 * px, Dashes: []vg.Length{2 * px, 2 * px}}
	p.Add(upright(x.Radius, edge))
	p.X.Min, p.X.Max = 0, 1.05*slices.Max(append([]float64{x.Radius}, at...))
	p.X.Min = -0.02 * p.X.Max // the nearest are often at the query itself
	widen(&p.Y, 0.06)
	known := map[bool]string{true: "known", false: "unknown"}[x.Known]
	f := &Figure{Title: name(v.Title, v.query()), Panels: []*plot.Plot{p}, Width: defaultWidth,
		Subtitle: fmt.Sprintf("%s: %d of k = %d neighbours within the radius %s", known, floats.Count(func(d float64) bool { return d <= x.Radius }, at), x.K, number(x.Radius))}
	f.Subtitle += when(x.Missing > 0, "; %d are missing and count as the upper bound", x.Missing)
	f.Legend = []LegendEntry{
		{Text: "value of a neighbour", Marker: dot.marker(valueSize)},
		{Text: "what it counts, with its bonus", Line: top.line(1.4 * px), Marker: top.marker(termSize)},
		{Text: "radius", Line: edge},
	}
	f.Alt = v.describe(f.Title)
	f.setHeight()
	return f, nil
}

// query names the query.
func (v Explained) query() string {
	x := v.Explanation
	return words(fmt.Sprintf("Q of %s at the belief (%s)", x.Spec.ActionName(x.Action), joined(x.Belief, number)), maxWords)
}

// describe says in words what the figure shows.
func (v Explained) describe(title string) string {
	x := v.Explanation
	clipped := 0
	for _, n := range x.Neighbours {
		if n.Clipped {
			clipped++
		}
	}
	text := fmt.Sprintf("%s. The estimate is %s, with the upper bound %s.", title, number(x.Q), number(x.Upper))
	if n := len(x.Neighbours); n > 0 {
		text += fmt.Sprintf(" It has %d of k = %d neighbours; %d are clipped. The nearest %s", n, x.K, clipped, counts(x.Neighbours[0]))
		text += when(n > 1, ", the farthest %s", counts(x.Neighbours[n-1])) + "."
	}
	return text
}

// counts says what a neighbour counts.
func counts(n cpace.Neighbour) string {
	return fmt.Sprintf("is at distance %s and has the value %s, and counts %s", number(n.Distance), number(n.Value), number(n.Term))
}
