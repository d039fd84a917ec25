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
	title, subtitle string
	spec            bcpace.Spec // with boxes
	lo, hi          float64     // ends of the colours of values; equal for those of the values
	x, y            coordinate
	held            string    // in words, or ""
	value           []float64 // at each cell, row by row; nil without values
	rect            Rect
	nx, ny          int
	controls        []controlMap
	action          []float64 // the action of a list at each cell; nil with controls
}

// controlMap is an axis of a Box, with the control at each cell.
type controlMap struct {
	bcpace.Axis
	u []float64
}

// ask computes the numbers.
func (v StateMap) ask() (*planeMap, error) {
	const where = "viz: StateMap"
	m, policy := v.Model, v.Policy
	if v.Run != nil && policy == nil {
		policy = v.Run.Policy()
	}
	if v.Run != nil && m == nil {
		m = v.Run.Model()
	}
	switch {
	case policy == nil:
		return nil, fmt.Errorf("%s has neither a Run nor a Policy, want one of them", where)
	case m == nil:
		return nil, fmt.Errorf("%s.Model is nil, want the model that Policy plays in, as there is no Run with a model", where)
	case v.Cells < 0 || v.Cells == 1 || v.Cells > 400:
		return nil, fmt.Errorf("%s: Cells is %d, want 2 to 400, or 0 for 60", where, v.Cells)
	}
	m, err := bcpace.ForPolicy(m, policy)
	if err != nil {
		return nil, err
	}
	spec := m.Spec()
	if err := checkColumns(where, []column{{"Lo", []float64{v.Lo}, false}, {"Hi", []float64{v.Hi}, false}}); err != nil {
		return nil, err
	}
	if v.Lo > v.Hi || v.Lo == v.Hi && v.Lo != 0 {
		return nil, fmt.Errorf("%s: Lo is %v and Hi is %v, want Lo below Hi, or both 0", where, v.Lo, v.Hi)
	}
	a := &planeMap{title: v.Title, subtitle: v.Subtitle, lo: v.Lo, hi: v.Hi}
	a.spec, _ = eval.ActionBehind(m, -1)
	if a.x, a.y, err = v.coordinates(where, spec); err != nil {
		return nil, err
	}
	s, b, err := v.place(where, m, spec)
	if err != nil {
		return nil, err
	}
	a.held = a.heldOf(s, b)
	if err := a.layControls(where); err != nil {
		return nil, err
	}
	cells := cmp.Or(v.Cells, 60)
	a.nx, a.ny = a.x.cells(cells), a.y.cells(cells)
	a.rect.X0, a.rect.X1 = a.x.ends()
	a.rect.Y0, a.rect.Y1 = a.y.ends()
	at := lattice{Rect: a.rect, nx: a.nx, ny: a.ny}
	can := bcpace.PolicyAbilitiesOf(bcpace.Fork(policy))
	// A policy that draws its actions gets the same numbers in every figure.
	rng := rand.New(rand.NewPCG(1, 1))
	var u [3]float64
	for j := range a.ny {
		for i := range a.nx {
			a.x.set(s, b, at.x(i))
			a.y.set(s, b, at.y(j))
			if v.Run != nil {
				value, _ := v.Run.At(s, b)
				a.value = append(a.value, value)
			}
			id, _ := spec.Act(context.Background(), &can, s, b, rng) // −1 where it cannot tell
			_, id = eval.ActionBehind(m, id)
			index, control := a.spec.Control(u[:], id)
			if index < 0 {
				return nil, fmt.Errorf("%s: the policy takes action %d at state %v and belief %v, want %s", where, id, s, b, a.spec.WantAction())
			}
			if a.controls == nil {
				a.action = append(a.action, float64(index))
			}
			for k := range a.controls {
				a.controls[k].u = append(a.controls[k].u, control[k])
			}
		}
	}
	return a, checkColumns(where, []column{{"the value of the run", a.value, false}})
}

// coordinates returns what stands on the axes.
func (v StateMap) coordinates(where string, spec bcpace.Spec) (x, y coordinate, err error) {
	var usual []coordinate
	for i, a := range spec.Axes {
		if a.Min < a.Max && !math.IsInf(a.Scale, 1) {
			usual = append(usual, coordinate{Axis: a, state: i})
		}
	}
	if len(spec.Latents) > 1 {
		usual = append(usual, beliefIn(0))
	}
	pick := func(field, name string, not *coordinate) (coordinate, error) {
		if name != "" {
			return coordinateOf(where, field, name, spec)
		}
		for _, c := range usual {
			if not == nil || c.state != not.state || c.latent != not.latent {
				return c, nil
			}
		}
		return coordinate{}, fmt.Errorf("%s.%s is \"\" and the model has no second axis, want the name of a latent or of an axis", where, field)
	}
	if x, err = pick("X", v.X, nil); err != nil {
		return x, y, err
	}
	if y, err = pick("Y", v.Y, &x); err != nil {
		return x, y, err
	}
	switch {
	case x.state == y.state && x.latent == y.latent:
		return x, y, fmt.Errorf("%s: X and Y are both %q, want two different axes", where, words(x.label(spec), 60))
	case x.state < 0 && y.state < 0:
		return x, y, fmt.Errorf("%s: X and Y are both beliefs, want an axis of the state for one of them; BeliefSimplex draws beliefs", where)
	case x.Min == x.Max || y.Min == y.Max:
		return x, y, fmt.Errorf("%s: an axis has one value only, want axes with more", where)
	case (x.state < 0 || y.state < 0) && len(spec.Latents) < 2:
		return x, y, fmt.Errorf("%s: the belief in the only latent is 1, want an axis of the state", where)
	}
	return x, y, nil
}

// place returns the state and the belief that are held, as copies.
func (v StateMap) place(where string, m bcpace.Model, spec bcpace.Spec) ([]float64, bcpace.Belief, error) {
	s := slices.Clone(v.State)
	if s == nil {
		s = startOf(m, len(spec.Axes))
	}
	b := slices.Clone(v.Belief)
	if b == nil {
		b = make(bcpace.Belief, len(spec.Latents))
		m.Prior(b)
	}
	if len(s) != len(spec.Axes) {
		return nil, nil, fmt.Errorf("%s.State has %d entries, want %d, one for each axis of %q", where, len(s), len(spec.Axes), words(spec.Name, 40))
	}
	if err := b.Validate(); err != nil || len(b) != len(spec.Latents) {
		return nil, nil, fmt.Errorf("%s.Belief is %v, want a belief over %d latents", where, b, len(spec.Latents))
	}
	return s, b, checkColumns(where, []column{{"State", s, false}})
}

// heldOf says what is held.
func (a *planeMap) heldOf(s []float64, b bcpace.Belief) string {
	var parts []string
	for i, x := range a.spec.Axes {
		if i == a.x.state || i == a.y.state || x.Min == x.Max || math.IsInf(x.Scale, 1) {
			continue
		}
		parts = append(parts, strings.TrimSpace(x.Name+" "+number(s[i])+" "+x.Unit))
	}
	if a.x.state >= 0 && a.y.state >= 0 && len(b) > 1 {
		for k, p := range b {
			parts = append(parts, "belief in "+a.spec.Latents[k]+" "+number(p))
		}
	}
	return words(strings.Join(parts, ", "), maxWords)
}

// layControls makes room for the controls of the one action with a Box.
func (a *planeMap) layControls(where string) error {
	if !a.spec.HasBox() {
		if n := len(a.spec.Actions); n > maxSimplexActions {
			return fmt.Errorf("%s: %q has %d actions, want at most %d, which can be told apart, or one with a Box", where, words(a.spec.Name, 40), n, maxSimplexActions)
		}
		return nil
	}
	if len(a.spec.Actions) > 1 {
		return fmt.Errorf("%s: %q has %d actions, one of them with a Box, want that one alone", where, words(a.spec.Name, 40), len(a.spec.Actions))
	}
	for _, x := range a.spec.Actions[0].Box {
		a.controls = append(a.controls, controlMap{Axis: x})
	}
	return nil
}

// mapHeight is the height of a panel.
const mapHeight = 230 * px

func (a *planeMap) figure() (*Figure, error) {
	f := &Figure{Title: name(a.title, titled(a.spec.Name, "values and actions")), Width: 520 * px}
	f.Subtitle = words(a.subtitle, maxWords)
	if f.Subtitle == "" && a.held != "" {
		f.Subtitle = "at " + a.held
	}
	add := func(z []float64, color func(float64) color.Color) *plot.Plot {
		p := newBarePanel("", fit(a.y.label(a.spec), labelStyle, mapHeight-50*px))
		p.Add(heat{lattice{a.rect, a.nx, a.ny, z}, color})
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = a.rect.X0, a.rect.X1, a.rect.Y0, a.rect.Y1
		p.X.Tick.Marker, p.Y.Tick.Marker = niceTicks{whole: a.x.Discrete}, niceTicks{whole: a.y.Discrete, about: 5}
		f.Panels = append(f.Panels, p)
		return p
	}
	if a.value != nil {
		lo, hi := slices.Min(a.value), slices.Max(a.value)
		below, above := "", ""
		if a.lo < a.hi {
			below, above = end(lo < a.lo, "≤ "), end(hi > a.hi, "≥ ")
			lo, hi = a.lo, a.hi
		}
		share := func(z float64) float64 {
			return min(max((z-lo)/max(hi-lo, math.SmallestNonzeroFloat64), 0), 1)
		}
		p := add(a.value, func(z float64) color.Color { return valueColor(share(z)) })
		c := contours{lattice: lattice{a.rect, a.nx, a.ny, a.value}, style: draw.LineStyle{Color: ink, Width: 0.8 * px}}
		for _, t := range (niceTicks{about: 8}).Ticks(lo, hi) {
			c.levels = append(c.levels, t.Value)
		}
		p.Add(c)
		f.Legend = append(f.Legend, LegendEntry{Text: "value " + below + number(lo), Ramp: valueColor, RampEnd: above + number(hi)})
		if len(c.levels) > 1 {
			f.Legend = append(f.Legend, LegendEntry{Text: "every " + number(c.levels[1]-c.levels[0]) + " (discounted reward)", Line: c.style})
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
		add(a.action, func(z float64) color.Color { return pale(styleOf(int(z)).color) })
		for i, x := range a.spec.Actions {
			if slices.Contains(a.action, float64(i)) {
				f.Legend = append(f.Legend, LegendEntry{Text: name(x.Name, fmt.Sprintf("action %d", i)), Fill: pale(styleOf(i).color)})
			}
		}
	}
	f.Panels[len(f.Panels)-1].X.Label.Text = fit(a.x.label(a.spec), labelStyle, 380*px)
	f.Alt = a.describe(f.Title)
	height := mapHeight
	// Two lengths have one scale, unless the plane is much longer than wide.
	if shape := (a.rect.Y1 - a.rect.Y0) / (a.rect.X1 - a.rect.X0); a.x.state >= 0 && a.y.state >= 0 && a.x.Unit == a.y.Unit && a.x.Unit != "" && shape >= 0.2 && shape <= 1.2 {
		f.EqualScale = true
		height = (f.Width-marginLeft-marginRight-60*px)*vg.Length(shape) + 40*px
	}
	f.Height = vg.Length(len(f.Panels))*height + 20*px + f.headHeight()
	return f, nil
}

func (a *planeMap) describe(title string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s. %s, from %s to %s, against %s, from %s to %s", title, a.y.label(a.spec), number(a.y.Min), number(a.y.Max), a.x.label(a.spec), number(a.x.Min), number(a.x.Max))
	if a.held != "" {
		fmt.Fprintf(&b, ", at %s", a.held)
	}
	b.WriteString(".")
	at := lattice{Rect: a.rect, nx: a.nx, ny: a.ny}
	if a.value != nil {
		worst, best := 0, 0
		for i, z := range a.value {
			if z < a.value[worst] {
				worst = i
			}
			if z > a.value[best] {
				best = i
			}
		}
		place := func(i int) string { return "(" + number(at.x(i%a.nx)) + ", " + number(at.y(i/a.nx)) + ")" }
		fmt.Fprintf(&b, " The value is least at %s, %s, and largest at %s, %s.", place(worst), number(a.value[worst]), place(best), number(a.value[best]))
	}
	for _, u := range a.controls {
		fmt.Fprintf(&b, " %s from %s to %s; in the corners from the lower left, counter-clockwise, %s, %s, %s and %s.", name(axisLabel(u.Axis), "control"), number(slices.Min(u.u)), number(slices.Max(u.u)),
			number(u.u[0]), number(u.u[a.nx-1]), number(u.u[len(u.u)-1]), number(u.u[len(u.u)-a.nx]))
	}
	for i, x := range a.spec.Actions {
		if a.action == nil {
			break
		}
		n := 0
		for _, z := range a.action {
			if int(z) == i {
				n++
			}
		}
		fmt.Fprintf(&b, " %s: taken on %d%% of the area.", name(x.Name, fmt.Sprintf("action %d", i)), percent(float64(n)/float64(len(a.action))))
	}
	return b.String()
}
