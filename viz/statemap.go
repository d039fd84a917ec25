package viz

import (
	"cmp"
	"context"
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/runs"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// StateMap draws what a run or a policy says in a plane: above, the value of a run as
// colours and contours, and below, the action that is taken. The axes are two of the state,
// or one of them, or both, the belief in a latent; everything else is held.
//
//	viz.StateMap{Run: run, X: "x", Y: "gain 1"}
//
// The control of an action with a Box has a panel for each of its axes, and actions of a
// list have a colour each.
type StateMap struct {
	Title, Subtitle string
	// Run has the values and, without a Policy, the actions. nil leaves the values out.
	Run *runs.Run
	// Policy is whose actions are drawn. nil means the policy of Run.
	Policy bcpace.Policy
	// Model is the model that Policy plays in. nil means that of Run.
	Model bcpace.Model
	// X and Y name an axis of the state or a latent. "" means the first two axes of the
	// state that have more than one value, and then the belief in the first latent.
	X, Y string
	// State and Belief are what is held. nil means a start state of the model, always the
	// same one, and the prior.
	State  []float64
	Belief bcpace.Belief
	// Lo and Hi are the ends of the colours of values, to compare figures; values beyond have
	// the colour of the end. Both 0 means the least and the largest value.
	Lo, Hi float64
	// Cells is the number of cells on an axis. 0 means 60.
	Cells int
	// Plan has the goals and walls that are drawn where both axes are of the state; the zero RoomPlan
	// means those of a RoomModel. The axes are X and Y above.
	Plan RoomPlan
}

// Figure asks for values and actions and draws them.
func (v StateMap) Figure() (*Figure, error) {
	a, err := v.ask()
	if err != nil {
		return nil, err
	}
	return a.figure()
}

// planeMap are the numbers of a StateMap.
type planeMap struct {
	StateMap
	lattice              // with the value at each cell; nil without values
	spec     bcpace.Spec // with boxes
	x, y     coordinate
	held     string // in words, or ""
	controls []controlMap
	action   []float64 // the action of a list at each cell; nil with controls
}

// controlMap is an axis of a Box, with the control at each cell.
type controlMap struct {
	bcpace.Axis
	u []float64
}

// ask computes the numbers.
func (v StateMap) ask() (*planeMap, error) {
	check := &checks{where: "viz: StateMap"}
	m, policy := v.Model, v.Policy
	if v.Run != nil && policy == nil {
		policy = v.Run.Policy()
	}
	if v.Run != nil && m == nil {
		m = v.Run.Model()
	}
	if !check.want(policy != nil, " has neither a Run nor a Policy, want one of them") ||
		!check.want(m != nil, ".Model is nil, want the model that Policy plays in, as there is no Run with a model") {
		return nil, check.err
	}
	check.want(v.Cells == 0 || v.Cells >= 2 && v.Cells <= 400, ": Cells is %d, want 2 to 400, or 0 for 60", v.Cells)
	whole := m
	m, err := bcpace.ForPolicy(m, policy)
	if err != nil {
		return nil, err
	}
	spec := m.Spec()
	check.numbers("Lo", v.Lo)
	check.numbers("Hi", v.Hi)
	check.want(v.Lo < v.Hi || v.Lo == 0 && v.Hi == 0, ": Lo is %v and Hi is %v, want Lo below Hi, or both 0", v.Lo, v.Hi)
	a := &planeMap{StateMap: v}
	a.spec, _ = eval.ActionBehind(m, -1)
	a.x, a.y = v.coordinates(check, spec)
	s, b := heldState(check, v.State, m, spec), heldBelief(check, v.Belief, m, len(spec.Latents))
	if a.layControls(check); check.err != nil {
		return nil, check.err
	}
	a.held = a.heldOf(s, b)
	if a.Plan.X, a.Plan.Y = a.x.Name, a.y.Name; a.x.state >= 0 && a.y.state >= 0 {
		a.Plan = a.Plan.of(check, whole)
		a.Plan.frame, a.Plan.Cells = true, true // no walls around, and none set off
	}
	cells := cmp.Or(v.Cells, 60)
	a.nx, a.ny = a.x.cells(cells), a.y.cells(cells)
	a.X0, a.X1 = a.x.ends()
	a.Y0, a.Y1 = a.y.ends()
	act := acting(m, policy)
	var u [3]float64
	for j := range a.ny {
		for i := range a.nx {
			a.x.set(s, b, a.middleX(i))
			a.y.set(s, b, a.middleY(j))
			if v.Run != nil {
				value, _ := v.Run.At(s, b)
				a.z = append(a.z, value)
			}
			id := act(s, b)
			index, control := a.spec.Control(u[:], id)
			if !check.want(index >= 0, ": the policy takes action %d at state %v and belief %v, want %s", id, s, b, a.spec.WantAction()) {
				return nil, check.err
			}
			if a.controls == nil {
				a.action = append(a.action, float64(index))
			}
			for k := range a.controls {
				a.controls[k].u = append(a.controls[k].u, control[k])
			}
		}
	}
	check.numbers("the value of the run", a.z...)
	return a, check.err
}

// acting returns what a policy of m does, as an id of the model behind m; −1 where it cannot tell. A policy
// that draws its actions gets the same numbers in every figure.
func acting(m bcpace.Model, p bcpace.Policy) func(s []float64, b bcpace.Belief) int {
	spec, can, rng := m.Spec(), bcpace.PolicyAbilitiesOf(bcpace.Fork(p)), rand.New(rand.NewPCG(1, 1))
	return func(s []float64, b bcpace.Belief) int {
		id, _ := spec.Act(context.Background(), &can, s, b, rng)
		_, id = eval.ActionBehind(m, id)
		return id
	}
}

// coordinates returns what stands on the axes.
func (v StateMap) coordinates(check *checks, spec bcpace.Spec) (x, y coordinate) {
	usual := axesOf(spec, func(a bcpace.Axis) bool { return a.Min < a.Max && !math.IsInf(a.Scale, 1) })
	if len(spec.Latents) > 1 {
		usual = append(usual, spec.Latents[0])
	}
	names := completed([2]string{v.X, v.Y}, usual)
	for i, field := range []string{"X", "Y"} {
		check.want(names[i] != "", ".%s is \"\" and the model has no second axis, want the name of a latent or of an axis", field)
	}
	x, y = coordinateOf(check, "X", names[0], spec), coordinateOf(check, "Y", names[1], spec)
	if check.err != nil {
		return x, y
	}
	check.want(x.state != y.state || x.latent != y.latent, ": X and Y are both %q, want two different axes", words(x.label(spec), 60))
	check.want(x.state >= 0 || y.state >= 0, ": X and Y are both beliefs, want an axis of the state for one of them; BeliefSimplex draws beliefs")
	check.want(x.Min != x.Max && y.Min != y.Max, ": an axis has one value only, want axes with more")
	check.want(x.state >= 0 && y.state >= 0 || len(spec.Latents) > 1, ": the belief in the only latent is 1, want an axis of the state")
	return x, y
}

// axesOf names the axes of the state that are so.
func axesOf(spec bcpace.Spec, so func(bcpace.Axis) bool) (names []string) {
	for _, a := range spec.Axes {
		if so(a) {
			names = append(names, a.Name)
		}
	}
	return names
}

// completed puts the first of the usual names that the other one has not in the place of a name that is "".
func completed(names [2]string, usual []string) [2]string {
	for k := range names {
		if i := slices.IndexFunc(usual, func(s string) bool { return s != names[1-k] }); names[k] == "" && i >= 0 {
			names[k] = usual[i]
		}
	}
	return names
}

// heldState returns a copy of the state that is held.
func heldState(check *checks, given []float64, m bcpace.Model, spec bcpace.Spec) []float64 {
	s := slices.Clone(given)
	if s == nil {
		s = startOf(m, len(spec.Axes))
	}
	check.want(len(s) == len(spec.Axes), ".State has %d entries, want %d, one for each axis of %q", len(s), len(spec.Axes), words(spec.Name, 40))
	check.numbers("State", s...)
	return s
}

// heldOf says what is held.
func (a *planeMap) heldOf(s []float64, b bcpace.Belief) string {
	parts := stateParts(a.spec, s, a.x.state, a.y.state)
	if a.x.state >= 0 && a.y.state >= 0 && len(b) > 1 {
		for k, p := range b {
			parts = append(parts, "belief in "+a.spec.Latents[k]+" "+number(p))
		}
	}
	return words(strings.Join(parts, ", "), maxWords)
}

// layControls makes room for the controls of the one action with a Box.
func (a *planeMap) layControls(check *checks) {
	n, model := len(a.spec.Actions), words(a.spec.Name, 40)
	if !a.spec.HasBox() {
		check.want(n <= len(styles), ": %q has %d actions, want at most %d, which can be told apart, or one with a Box", model, n, len(styles))
		return
	}
	check.want(n == 1, ": %q has %d actions, one of them with a Box, want that one alone", model, n)
	a.controls = each(a.spec.Actions[0].Box, func(x bcpace.Axis) controlMap { return controlMap{Axis: x} })
}

// mapHeight is the height of a panel.
const mapHeight = 230 * px

func (a *planeMap) figure() (*Figure, error) {
	f := &Figure{Title: name(a.Title, titled(a.spec.Name, "values and actions")), Width: 520 * px}
	f.Subtitle = name(a.Subtitle, when(a.held != "", "at %s", a.held))
	add := func(z []float64, color func(float64) color.Color) *plot.Plot {
		p := newBarePanel("", fit(a.y.label(a.spec), labelStyle, mapHeight-50*px))
		p.Add(lattice{a.Rect, a.nx, a.ny, z}.heat(color))
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = a.X0, a.X1, a.Y0, a.Y1
		p.X.Tick.Marker, p.Y.Tick.Marker = niceTicks{whole: a.x.Discrete}, niceTicks{whole: a.y.Discrete, about: 5}
		f.Panels = append(f.Panels, p)
		return p
	}
	if a.z != nil {
		lo, hi := slices.Min(a.z), slices.Max(a.z)
		ramp := rampOf(&lo, &hi, a.Lo, a.Hi)
		share := func(z float64) float64 {
			return min(max((z-lo)/max(hi-lo, math.SmallestNonzeroFloat64), 0), 1)
		}
		p := add(a.z, func(z float64) color.Color { return valueColor(share(z)) })
		c := contours{lattice: a.lattice, color: func(z float64) color.Color { return onColor(valueColor(share(z))) }}
		c.levels = each(niceTicks{about: 8}.Ticks(lo, hi), func(t plot.Tick) float64 { return t.Value })
		p.Add(c)
		ramp.Text = "value " + ramp.Text
		f.Legend = append(f.Legend, ramp)
		if len(c.levels) > 1 {
			f.Legend = append(f.Legend, LegendEntry{Text: "every " + number(c.levels[1]-c.levels[0]) + " (discounted reward)", Line: draw.LineStyle{Color: ink, Width: px}})
		}
	}
	for _, u := range a.controls {
		ramp := controlColor
		if u.Period > 0 {
			ramp = turnColor
		}
		add(u.u, func(z float64) color.Color { return ramp((z - u.Min) / (u.Max - u.Min)) })
		f.Legend = append(f.Legend, LegendEntry{Text: name(u.Name, "control") + " " + number(u.Min), Ramp: ramp, RampEnd: strings.TrimSpace(number(u.Max) + " " + words(u.Unit, 20))})
	}
	if a.action != nil {
		add(a.action, func(z float64) color.Color { return lighter(styleOf(int(z)).color, 70) })
		for i, x := range a.spec.Actions {
			f.explain(slices.Contains(a.action, float64(i)), LegendEntry{Text: actionName(x.Name, i), Fill: lighter(styleOf(i).color, 70)})
		}
	}
	f.Panels[len(f.Panels)-1].X.Label.Text = fit(a.x.label(a.spec), labelStyle, 380*px)
	f.Alt = a.describe(f.Title)
	for _, p := range f.Panels {
		if a.x.state >= 0 && a.y.state >= 0 {
			p.Add(drawing(func(c draw.Canvas, p *plot.Plot) { a.Plan.lines(c, p, px) }), drawing(a.Plan.goalLabels))
		}
	}
	height := mapHeight
	if f.EqualScale = sameScale(a.x, a.y); f.EqualScale {
		shape := min(1, (a.Y1-a.Y0)/(a.X1-a.X0)) // a tall plane is narrower than the page
		height = (f.Width-marginLeft-marginRight-60*px)*vg.Length(shape) + 40*px
	}
	f.Height = vg.Length(len(f.Panels))*height + 20*px + f.headHeight()
	return f, nil
}

func (a *planeMap) describe(title string) string {
	text := fmt.Sprintf("%s. %s, from %s to %s, against %s, from %s to %s", title, a.y.label(a.spec), number(a.y.Min), number(a.y.Max), a.x.label(a.spec), number(a.x.Min), number(a.x.Max))
	text += when(a.held != "", ", at %s", a.held) + "."
	if a.z != nil {
		lo, hi := slices.Min(a.z), slices.Max(a.z)
		place := func(z float64) string {
			i := slices.Index(a.z, z)
			return "(" + number(a.middleX(i%a.nx)) + ", " + number(a.middleY(i/a.nx)) + ")"
		}
		text += fmt.Sprintf(" The value is least at %s, %s, and largest at %s, %s.", place(lo), number(lo), place(hi), number(hi))
	}
	for _, u := range a.controls {
		text += fmt.Sprintf(" %s from %s to %s; in the corners from the lower left, counter-clockwise, %s, %s, %s and %s.", name(axisLabel(u.Axis), "control"), number(slices.Min(u.u)), number(slices.Max(u.u)),
			number(u.u[0]), number(u.u[a.nx-1]), number(u.u[len(u.u)-1]), number(u.u[len(u.u)-a.nx]))
	}
	for i, x := range a.spec.Actions {
		if a.action != nil {
			n := floats.Count(func(z float64) bool { return int(z) == i }, a.action)
			text += fmt.Sprintf(" %s: taken on %d%% of the area.", actionName(x.Name, i), percent(float64(n)/float64(len(a.action))))
		}
	}
	return text
}

// coordinate is what stands on an axis of a figure: an axis of the state, or the belief in
// a latent.
type coordinate struct {
	bcpace.Axis
	state  int // number of the state's axis, or −1
	latent int // the latent, where state is −1
}

// coordinateOf returns the coordinate of that name: that of an axis of the state or, if none
// has the name, that of a latent.
func coordinateOf(check *checks, field, name string, spec bcpace.Spec) coordinate {
	names := axesOf(spec, func(bcpace.Axis) bool { return true })
	if i := slices.Index(names, name); i >= 0 {
		return coordinate{Axis: spec.Axes[i], state: i}
	}
	k := spec.LatentIndex(name)
	check.want(k >= 0, ": %s is %q, want an axis of the state or a latent, one of %s", field, words(name, 40), words(strings.Join(append(names, spec.Latents...), ", "), 200))
	return beliefIn(k)
}

// beliefIn is the coordinate of the belief in a latent.
func beliefIn(latent int) coordinate {
	return coordinate{Axis: bcpace.Axis{Max: 1}, state: -1, latent: latent}
}

// label is the name of the coordinate with its unit.
func (c coordinate) label(spec bcpace.Spec) string {
	if c.state < 0 {
		return "belief in " + latentName(spec.Latents, c.latent)
	}
	return axisLabel(c.Axis)
}

// set puts a value into a state or a belief: the other latents keep their odds.
func (c coordinate) set(s []float64, b bcpace.Belief, x float64) {
	if c.state >= 0 {
		s[c.state] = x
		return
	}
	rest := 0.0
	for k, p := range b {
		if k != c.latent {
			rest += p
		}
	}
	for k := range b {
		switch {
		case k == c.latent:
			b[k] = x
		case rest > 0:
			b[k] *= (1 - x) / rest
		default:
			b[k] = (1 - x) / float64(len(b)-1)
		}
	}
}

// cells is the number of cells on the axis: most, or the values of a discrete axis.
func (c coordinate) cells(most int) int {
	if c.Whole() {
		return min(most, int(c.Max-c.Min)+1)
	}
	return most
}

// ends are the ends of the axis, with half a cell around the values of a discrete one.
func (c coordinate) ends() (lo, hi float64) {
	if c.Whole() {
		return c.Min - 0.5, c.Max + 0.5
	}
	return c.Min, c.Max
}
