package viz

import (
	"context"
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// BeliefSimplex draws the beliefs over three latents as a triangle whose corners
// are certainty of one latent, at one state: filled with the colour of the action
// that the policy takes there, and with the samples of the run as markers. The
// belief in a latent is the distance from the side across its corner, as a share
// of the triangle's height.
type BeliefSimplex struct {
	Title, Subtitle string
	Run             *runs.Run // of a model with three latents
	// State is where the beliefs are shown. nil means a start state of the
	// model, always the same one; a run without its model needs State.
	State []float64
	// Policy chooses the actions. nil means that of the run.
	Policy bcpace.Policy
}

// Figure asks the policy for its actions and draws the triangle.
func (s BeliefSimplex) Figure() (*Figure, error) {
	state, err := shownState("BeliefSimplex", s.Run, 3, "three latents, one for each corner", true, s.State)
	if err != nil {
		return nil, err
	}
	spec := s.Run.Spec
	policy := s.Policy
	if policy == nil {
		policy = s.Run.Policy()
	}
	v := simplex{title: s.Title, subtitle: s.Subtitle, model: spec.Name, state: stateName(spec, state), latents: spec.Latents}
	// A policy that draws its actions gets the same numbers in every figure.
	can, rng := bcpace.PolicyAbilitiesOf(policy), rand.New(rand.NewPCG(1, 1))
	v.act = func(b bcpace.Belief) int {
		action, _ := spec.Act(context.Background(), &can, state, b, rng) // −1 where it cannot tell
		return action
	}
	v.actions = each(spec.Actions, func(a bcpace.Action) simplexAction { return simplexAction{name: a.Name} })
	for _, x := range samplesAt(s.Run, state) {
		a := &v.actions[x.Action]
		a.samples = append(a.samples, slices.Clone(x.Belief))
	}
	return v.figure()
}

// shownState returns the state of a run that a figure shows: the given one, or a
// start state of the run's model, which must have so many latents, and a list of actions if list.
func shownState(figure string, run *runs.Run, latents int, need string, list bool, state []float64) ([]float64, error) {
	check := checks{where: "viz: " + figure}
	if !check.want(run != nil, ".Run is nil, want a run") {
		return nil, check.err
	}
	spec, m := run.Spec, run.Model()
	check.want(len(spec.Latents) == latents, " needs a model with %s; %q has %d (%s)", need, spec.Name, len(spec.Latents), words(strings.Join(spec.Latents, ", "), 80))
	if list && check.err == nil {
		check.err = solverkit.NeedActionList(spec, "viz."+figure)
	}
	if check.want(state != nil || m != nil, ".State is nil and the run has no model to ask for a start state, want a state of %d entries", len(spec.Axes)) {
		state = heldState(&check, state, m, spec)
	}
	return state, check.err
}

// simplex are the numbers of a BeliefSimplex.
type simplex struct {
	title, subtitle, model string
	latents                []string
	state                  string // in words, or ""
	actions                []simplexAction
	act                    func(bcpace.Belief) int
}

type simplexAction struct {
	name    string
	samples []bcpace.Belief
	share   float64 // of the triangle's area in which it is taken
}

// stretch is a part of a row with one action, between shares of the row's length.
type stretch struct {
	row      int
	from, to float64
	action   int
}

func (v simplex) figure() (*Figure, error) {
	check := &checks{where: fmt.Sprintf("viz: BeliefSimplex of %q", words(v.model, 40))}
	const rows = 240 // of about two pixels
	check.want(len(v.actions) <= len(styles), " has %d actions, want at most %d, which can be told apart", len(v.actions), len(styles))
	stretches := v.stretches(rows, check)
	if check.err != nil {
		return nil, check.err
	}
	for _, s := range stretches {
		width := 1 - (float64(s.row)+0.5)/float64(rows)
		v.actions[s.action].share += (s.to - s.from) * width * 2 / float64(rows)
	}
	p := newTriangle(0.055, 0.045)
	p.Add(regions(stretches, rows), drawing(triangleGrid))
	f := &Figure{Title: name(v.title, titled(v.model, "action over belief")), Panels: []*plot.Plot{p}, EqualScale: true}
	var samples nested
	met := 0
	for i, a := range v.actions {
		met += len(a.samples)
		if a.share == 0 && len(a.samples) == 0 {
			continue
		}
		entry := LegendEntry{Text: actionName(a.name, i)}
		if a.share > 0 {
			entry.Fill = pale(styleOf(i).color)
		}
		if len(a.samples) > 0 {
			m := points{style: styleOf(i).marker(3.2 * px), apart: 5 * px, halo: px}
			m.x, m.y = trianglePoints(a.samples...)
			samples = append(samples, m)
			entry.Marker = m.style
		}
		f.Legend = append(f.Legend, entry)
	}
	// Markers stand above the fills and below the names.
	p.Add(samples)
	for i, a := range v.actions {
		if a.share > 0 {
			p.Add(regionName(roomiest(stretches, rows, i, v.actions), fit(actionName(a.name, i), labelStyle, 110*px), pale(styleOf(i).color)))
		}
	}
	f.Legend = append(f.Legend, LegendEntry{Text: "a step of 0.2 in belief", Line: gridStyle})
	p.Add(corners(v.latents))
	f.note(v.state != "", "at "+v.state)
	f.note(true, "fill: action of the policy")
	f.note(samples != nil, "markers: samples")
	f.noteMarkers(met)
	f.Subtitle = name(v.subtitle, f.Subtitle)
	f.Width, f.Alt = 520*px, v.describe()
	f.setTriangleHeight()
	return f, nil
}

// stretches asks for the action at many beliefs of each row, and finds where it
// changes between two of them by bisection.
func (v simplex) stretches(rows int, check *checks) (all []stretch) {
	ask := func(second, share float64) int {
		b := beliefAt(second, share)
		a := v.act(b)
		check.want(a >= 0 && a < len(v.actions), ": the policy takes action %d at belief %v, want 0 to %d", a, b, len(v.actions)-1)
		return a
	}
	for row := range rows {
		second := (float64(row) + 0.5) / float64(rows)
		points := max(int(float64(rows)*(1-second)), 2)
		here := stretch{row: row, action: ask(second, 0)}
		for k := 1; k <= points && check.err == nil; k++ {
			share := float64(k) / float64(points)
			next := ask(second, share)
			if next == here.action {
				continue
			}
			lo, hi := float64(k-1)/float64(points), share
			for range 8 {
				if mid := (lo + hi) / 2; ask(second, mid) == here.action {
					lo = mid
				} else {
					hi = mid
				}
			}
			here.to = (lo + hi) / 2
			all = append(all, here)
			here = stretch{row: row, from: here.to, action: next}
		}
		here.to = 1
		all = append(all, here)
	}
	return all
}

// regions fills the triangle, row by row.
func regions(stretches []stretch, rows int) drawing {
	return func(c draw.Canvas, p *plot.Plot) {
		for _, s := range stretches {
			lo, hi := float64(s.row)/float64(rows), float64(s.row+1)/float64(rows)
			var x, y []float64
			corner := func(second, share float64) {
				// Between two actions a row ends upright; at the sides it follows them.
				at := second
				if share > 0 && share < 1 {
					at = (lo + hi) / 2
				}
				cx, _ := onTriangle(beliefAt(at, share))
				x, y = append(x, cx), append(y, second*triangleHeight)
			}
			// Each row reaches under the next, so that no gap shows between them.
			under := min(hi+1/float64(rows), 1)
			corner(lo, s.from)
			corner(lo, s.to)
			corner(under, s.to)
			corner(under, s.from)
			c.FillPolygon(pale(styleOf(s.action).color), project(c, p, x, y))
		}
	}
}

// roomiest returns the place for an action's name: where its region is wide and
// not close to its ends, and clear of the samples of all actions.
func roomiest(stretches []stretch, rows, action int, actions []simplexAction) (at [2]float64) {
	const clear = 0.07 // of a side's length
	byRow := make(map[int][]stretch)
	for _, s := range stretches {
		byRow[s.row] = append(byRow[s.row], s)
	}
	// within reports whether a place of the plane belongs to the region.
	within := func(x, second float64) bool {
		share := (x - second/2) / (1 - second)
		return slices.ContainsFunc(byRow[int(math.Floor(second*float64(rows)))], func(s stretch) bool {
			return s.action == action && s.from <= share && share <= s.to
		})
	}
	best := -1.0
	for _, s := range stretches {
		if s.action != action {
			continue
		}
		second := (float64(s.row) + 0.5) / float64(rows)
		width := (s.to - s.from) * (1 - second)
		for _, part := range []float64{0.5, 0.35, 0.65} {
			x, y := onTriangle(beliefAt(second, s.from+part*(s.to-s.from)))
			room := width * (min(second, 1-second) + 0.15) * (1 - math.Abs(part-0.5))
			for _, dx := range []float64{-clear, clear} {
				for _, dy := range []float64{-clear / 2, clear / 2} {
					if !within(x+dx, second+dy) {
						room /= 3
					}
				}
			}
			nearest := clear
			for _, a := range actions {
				for i := 0; i < len(a.samples) && room*(0.05+nearest/clear) > best; i++ { // others come no closer
					sx, sy := onTriangle(a.samples[i])
					nearest = min(nearest, math.Hypot(sx-x, sy-y))
				}
			}
			if room *= 0.05 + nearest/clear; room > best {
				best, at = room, [2]float64{x, y}
			}
		}
	}
	return at
}

// regionName writes the name of an action in its region, on a ground of its colour.
func regionName(at [2]float64, name string, fill color.Color) drawing {
	return func(c draw.Canvas, p *plot.Plot) {
		q := project(c, p, at[:1], at[1:])[0]
		sty := textStyle(labelSize, ink, true)
		sty.XAlign, sty.YAlign = draw.XCenter, draw.YCenter
		w, h := sty.Width(name)/2+4*px, 9*px
		c.FillPolygon(fill, rectangle(q.X-w, q.Y-h, q.X+w, q.Y+h))
		c.FillText(sty, vg.Point{X: q.X, Y: q.Y + lift}, name)
	}
}

func (v simplex) describe() string {
	text := sentence(v.title) + fmt.Sprintf("Triangle of the beliefs of %s over three latents, %s in the left corner, %s on top and %s in the right corner", name(v.model, "the model"),
		latentName(v.latents, 0), latentName(v.latents, 1), latentName(v.latents, 2))
	text += when(v.state != "", ", at %s", v.state) + ", filled by the action of the policy."
	for i, a := range v.actions {
		text += fmt.Sprintf(" %s: taken on %d%% of the area, %s here.", actionName(a.name, i), int(math.Round(100*a.share)), numtext.Several(len(a.samples), "sample"))
	}
	for k := range v.latents {
		if a := v.act(bcpace.OneHot(3, k)); a >= 0 && a < len(v.actions) {
			text += fmt.Sprintf(" If %s is certain: %s.", latentName(v.latents, k), actionName(v.actions[a].name, a))
		}
	}
	return text
}

// triangleHeight is that of the triangle with sides of length 1: the first
// latent's corner is (0, 0), the second's on top, the third's (1, 0).
var triangleHeight = math.Sqrt(3) / 2

// onTriangle returns where a belief lies in the triangle.
func onTriangle(b bcpace.Belief) (x, y float64) { return b[2] + b[1]/2, b[1] * triangleHeight }

// beliefAt returns the belief at a share of the way from the left to the right
// side, at height belief in the second latent.
func beliefAt(second, share float64) bcpace.Belief {
	return bcpace.Belief{(1 - second) * (1 - share), second, (1 - second) * share}
}

// trianglePoints are the places of beliefs.
func trianglePoints(beliefs ...bcpace.Belief) (x, y []float64) {
	for _, b := range beliefs {
		bx, by := onTriangle(b)
		x, y = append(x, bx), append(y, by)
	}
	return x, y
}

// newTriangle returns an empty panel for a triangle, with room above it for the name of a corner
// and below it for those of two.
func newTriangle(below, above float64) *plot.Plot {
	p := newBarePanel("", "")
	p.HideAxes()
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.02, 1.02, -below, triangleHeight+above
	return p
}

// setTriangleHeight gives the figure the height at which its triangle is as wide as the page allows.
func (f *Figure) setTriangleHeight() {
	p := f.Panels[0]
	f.Height = (f.Width-marginLeft-marginRight)*vg.Length((p.Y.Max-p.Y.Min)/(p.X.Max-p.X.Min)) + f.headHeight()
}

// gridStyle is that of the lines of equal belief, which cross all fills.
var gridStyle = draw.LineStyle{Color: color.NRGBA{0x66, 0x66, 0x66, 0x60}, Width: 0.8 * px}

// triangleGrid draws the sides of the triangle and the lines on which the belief
// in a latent is 0.2, 0.4, 0.6 and 0.8.
func triangleGrid(c draw.Canvas, p *plot.Plot) {
	for k := range 3 {
		i, j := (k+1)%3, (k+2)%3
		for step := range 5 {
			a, b := make(bcpace.Belief, 3), make(bcpace.Belief, 3)
			a[k], b[k] = float64(step)/5, float64(step)/5
			a[i], b[j] = 1-a[k], 1-b[k]
			style := gridStyle
			if step == 0 {
				style = draw.LineStyle{Color: muted, Width: 1.4 * px}
			}
			x, y := trianglePoints(a, b)
			c.StrokeLines(style, project(c, p, x, y))
		}
	}
}

// corners names the latents at the corners.
type corners []string

func (m corners) Plot(c draw.Canvas, p *plot.Plot) {
	for k := range m {
		x, y := trianglePoints(bcpace.OneHot(3, k))
		q := project(c, p, x, y)[0]
		sty := labelStyle
		sty.XAlign, sty.YAlign = []draw.XAlignment{draw.XLeft, draw.XCenter, draw.XRight}[k], draw.YTop
		q.Y -= 6 * px
		if k == 1 {
			sty.YAlign = draw.YBottom
			q.Y += 12 * px
		}
		c.FillText(sty, q, fit(latentName(m, k), labelStyle, 220*px))
	}
}

// heldBelief returns a copy of the belief that a figure is to show, or the prior of m for nil.
func heldBelief(check *checks, given bcpace.Belief, m bcpace.Model, latents int) bcpace.Belief {
	b := slices.Clone(given)
	if b == nil {
		b = make(bcpace.Belief, latents)
		m.Prior(b)
	}
	check.want(len(b) == latents && b.Validate() == nil, ".Belief is %v, want a belief over %d latents", b, latents)
	return b
}

// startOf returns a start state of m, always the same one.
func startOf(m bcpace.Model, axes int) []float64 {
	s := make([]float64, axes)
	m.Start(s, 0, rand.New(rand.NewPCG(1, 1)))
	return s
}
