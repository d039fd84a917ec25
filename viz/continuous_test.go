package viz

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// made is a model of an environment.
func made[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// steering pushes against x where the sign of the gain is likely, and probes otherwise.
type steering struct{ bcpace.Spec }

func (p steering) Act(s []float64, b bcpace.Belief, _ *rand.Rand) int {
	lean := 2*b[0] - 1
	if math.Abs(lean) < 0.2 {
		lean = 0.9
	}
	id, err := p.ActionID(0, []float64{max(-1, min(1, -s[0]*lean))})
	if err != nil {
		return -1
	}
	return id
}

// dual is a model whose state has one axis, with a policy and an episode of each latent.
func dual() (bcpace.Enumerator, bcpace.Policy, []*eval.Trajectory) {
	m := made(envs.DualControl{}.Model())
	p := steering{m.Spec()}
	list, err := eval.RecordEachLatent(m, p, eval.Options{Horizon: 20, Seed: 2})
	if err != nil {
		panic(err)
	}
	return m, p, list
}

// swinging are episodes of a pendulum that is pushed the way it moves.
func swinging() (bcpace.Enumerator, []*eval.Trajectory) {
	m := made(envs.Pendulum{}.Model())
	spec := m.Spec()
	list, err := eval.RecordEachLatent(m, bcpace.PolicyFunc(func(s []float64, _ bcpace.Belief, _ *rand.Rand) int {
		id, _ := spec.ActionID(0, []float64{math.Copysign(3, s[1])})
		return id
	}), eval.Options{Horizon: 60, Seed: 1})
	if err != nil {
		panic(err)
	}
	return m, list
}

// dualValues resembles the values of dual control.
func dualValues() *planeMap {
	m, p, _ := dual()
	a, err := StateMap{Model: m, Policy: p}.ask()
	if err != nil {
		panic(err)
	}
	for j := range a.ny {
		for i := range a.nx {
			x, b := a.middleX(i), a.middleY(j)
			a.z = append(a.z, 10-x*x/4-2*(1-math.Pow(2*b-1, 2)))
		}
	}
	return a
}

// headings is a policy of a room that walks around its middle.
func headings() StateMap {
	m := envs.LightDarkTiger{AnyHeading: true, Sigma: 0.1}
	spec := m.Spec()
	box := spec.Actions[0].Box[0]
	return StateMap{Title: "Around the middle", Model: m, X: "x", Y: "y", Policy: bcpace.PolicyFunc(func(s []float64, _ bcpace.Belief, _ *rand.Rand) int {
		turn := math.Atan2(s[0]-2, 2-s[1]) / (2 * math.Pi) * box.Period
		id, _ := spec.ActionID(0, []float64{box.Wrap(turn)})
		return id
	})}
}

// continuous are the figures of models with controls.
func continuous() map[string]Chart {
	m, p, list := dual()
	pendulum, swings := swinging()
	return map[string]Chart{
		"statemap":         must(dualValues().figure()),
		"statemap_heading": headings(),
		"statemap_list":    StateMap{Model: envs.LightDarkTiger{Sigma: 0.1}, Policy: bcpace.PolicyFunc(func(s []float64, _ bcpace.Belief, _ *rand.Rand) int { return int(s[0]+s[1]) % 4 })},
		"phase":            PhasePortrait{Model: pendulum, Episodes: swings, Latent: "mass 1 kg"},
		"controls":         Controls{Model: m, Episodes: []Played{{"steering", list[0]}, {"the same, the other gain", list[1]}}, Informed: p},
		"controls_one":     Controls{Title: "A push with the motion", Model: pendulum, Episodes: []Played{{"push", swings[0]}}, Step: 0.1},
	}
}

func TestGoldenContinuous(t *testing.T) {
	for name, chart := range continuous() {
		t.Run(name, func(t *testing.T) { checkGolden(t, name, chart) })
	}
}

// TestContours: the ends of a line have its level, linearly between two middles.
func TestContours(t *testing.T) {
	g := lattice{Rect: Rect{0, 0, 4, 3}, nx: 40, ny: 30}
	f := func(x, y float64) float64 { return 2*x - 3*y }
	for j := range g.ny {
		for i := range g.nx {
			g.z = append(g.z, f(g.middleX(i), g.middleY(j)))
		}
	}
	n := 0
	contours{lattice: g, levels: []float64{-1, 0, 2.5}}.lines(func(level float64, x, y [2]float64) {
		n++
		for k := range x {
			if got := f(x[k], y[k]); math.Abs(got-level) > 1e-12 {
				t.Errorf("at (%v, %v), on the line of %v, it is %v", x[k], y[k], level, got)
			}
		}
	})
	if n < 100 {
		t.Errorf("%d pieces, want the lines across the rectangle", n)
	}
}

// TestSaddle: a line never crosses another of its own level.
func TestSaddle(t *testing.T) {
	for _, z := range [][]float64{{0, 3, 3, 0}, {3, 0, 0, 3}, {0, 1, 1, 0}, {1, 0, 0, 1}} {
		var at [][2][2]float64
		contours{lattice: lattice{Rect: Rect{0, 0, 2, 2}, nx: 2, ny: 2, z: z}, levels: []float64{0.9}}.lines(func(_ float64, x, y [2]float64) {
			at = append(at, [2][2]float64{x, y})
		})
		if len(at) != 2 {
			t.Fatalf("%v: %d pieces, want 2", z, len(at))
		}
		// Each piece cuts off one corner, so that its middle is beside that of the square.
		high := z[0] >= 0.9
		mean := (z[0] + z[1] + z[2] + z[3]) / 4
		for _, q := range at {
			x, y := (q[0][0]+q[0][1])/2, (q[1][0]+q[1][1])/2
			alongDiagonal := (x < 1) == (y < 1)
			if cutsFirst := (mean >= 0.9) != high; alongDiagonal != cutsFirst {
				t.Errorf("%v: a piece around (%v, %v)", z, x, y)
			}
		}
	}
}

// TestStateMapAsksThePolicy compares the cells with what the policy does.
func TestStateMapAsksThePolicy(t *testing.T) {
	m, p, _ := dual()
	a, err := StateMap{Model: m, Policy: p, X: "gain 1", Y: "x", Cells: 7}.ask()
	if err != nil {
		t.Fatal(err)
	}
	spec := m.Spec()
	for j := range 7 {
		for i := range 7 {
			b := (float64(i) + 0.5) / 7
			s := []float64{-4 + 8*(float64(j)+0.5)/7}
			var u [3]float64
			_, want := spec.Control(u[:], p.Act(s, bcpace.Belief{b, 1 - b}, nil))
			if got := a.controls[0].u[j*7+i]; math.Abs(got-want[0]) > 1e-5 {
				t.Errorf("at x %v, belief %v: %v, want %v", s, b, got, want)
			}
		}
	}
}

func TestBeliefKeepsOdds(t *testing.T) {
	b := bcpace.Belief{0.5, 0.3, 0.2}
	beliefIn(0).set(nil, b, 0)
	if math.Abs(b[1]-0.6) > 1e-12 || math.Abs(b[2]-0.4) > 1e-12 || b[0] != 0 {
		t.Errorf("belief %v, want 0, 0.6, 0.4", b)
	}
	b = bcpace.Belief{1, 0, 0}
	beliefIn(0).set(nil, b, 0.5)
	if b[0] != 0.5 || b[1] != 0.25 || b[2] != 0.25 {
		t.Errorf("belief %v, want 0.5, 0.25, 0.25", b)
	}
}

// TestTrailCrossesTheEndOfAnAngle: no line crosses the whole panel.
func TestTrailCrossesTheEndOfAnAngle(t *testing.T) {
	m, list := swinging()
	f := must(PhasePortrait{Model: m, Episodes: list}.Figure())
	p := f.Panels[0]
	c := drawingOf(f)
	x := m.Spec().Axes[0]
	crossings := 0
	for _, e := range list {
		trail := beliefTrail{x: x, y: m.Spec().Axes[1]}
		for k := range e.Len() + 1 {
			trail.px, trail.py = append(trail.px, e.State(k)[0]), append(trail.py, e.State(k)[1])
		}
		at := [2]float64{trail.px[0], trail.py[0]}
		for i := 1; i <= e.Len(); i++ {
			var lines [][]vg.Point
			lines, at = trail.step(c, p, at, i)
			if len(lines) > 1 {
				crossings++
			}
			for _, q := range lines {
				if across := math.Abs(float64(q[1].X - q[0].X)); across > float64(c.Max.X-c.Min.X)/2 {
					t.Errorf("step %d is drawn %v across", i, vg.Length(across))
				}
			}
		}
	}
	if crossings == 0 {
		t.Error("no episode passes the lowest point, want some that do")
	}
}

// TestTrailStaysAtTheEndOfAnAngle: a path that goes beyond the end by less than a line's width is
// drawn on its own side of the panel, and one that goes farther on both.
func TestTrailStaysAtTheEndOfAnAngle(t *testing.T) {
	m, list := swinging()
	f := must(PhasePortrait{Model: m, Episodes: list}.Figure())
	p, c := f.Panels[0], drawingOf(f)
	trail := beliefTrail{x: m.Spec().Axes[0], y: m.Spec().Axes[1],
		px: []float64{-math.Pi, math.Pi - 0.02, -math.Pi + 0.03, math.Pi - 0.5, math.Pi - 0.1, -math.Pi + 0.02, math.Pi - 0.1},
		py: []float64{0, 0.5, 1, 0, -1, 0, 1}}
	at := [2]float64{trail.px[0], trail.py[0]}
	for i, want := range []struct {
		lines int
		x     float64
	}{1: {1, -math.Pi}, 2: {1, -math.Pi + 0.03}, 3: {2, math.Pi - 0.5}, 4: {1, math.Pi - 0.1}, 5: {1, math.Pi}, 6: {1, math.Pi - 0.1}} {
		if i == 0 {
			continue
		}
		var lines [][]vg.Point
		lines, at = trail.step(c, p, at, i)
		if len(lines) != want.lines || math.Abs(at[0]-want.x) > 1e-12 {
			t.Errorf("step %d is drawn by %d lines and ends at %v, want %d and %v", i, len(lines), at[0], want.lines, want.x)
		}
	}
}

func TestEndTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   string
	}{{-math.Pi, math.Pi, "−π −2 0 2 π"}, {0, 2 * math.Pi, "0 2 4 2π"}, {0, 360, "0 100 200 300 360"}, {-0.5, 0.5, "−0.5 −0.2 0 0.2 0.5"}} {
		var got []string
		for _, k := range (endTicks{}).Ticks(c.lo, c.hi) {
			got = append(got, k.Label)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("from %v to %v: %s, want %s", c.lo, c.hi, s, c.want)
		}
	}
}

func TestHostileNamesOfContinuous(t *testing.T) {
	m, p, list := dual()
	pendulum, swings := swinging()
	for kind, s := range hostile {
		a := dualValues()
		a.Title, a.Subtitle, a.held, a.spec.Name = s, s, words(s, maxWords), s
		a.spec.Latents = []string{s, s}
		a.x.Name, a.x.Unit, a.controls[0].Name, a.controls[0].Unit = s, s, s, s
		for name, chart := range map[string]Chart{
			"StateMap":      must(a.figure()),
			"PhasePortrait": PhasePortrait{Title: s, Subtitle: s, Model: pendulum, Episodes: swings},
			"Controls":      Controls{Title: s, Subtitle: s, Model: m, Episodes: []Played{{s, list[0]}, {s, list[1]}}, Informed: p},
		} {
			f, err := chart.Figure()
			if err != nil {
				t.Errorf("%s of %s names: %v", name, kind, err)
				continue
			}
			checkMargins(t, name+" of "+kind+" names", f)
			if !utf8.ValidString(f.Alt) || len(f.Alt) > 10_000 || strings.ContainsAny(f.Alt, "\n\x00\x1b\u202e") {
				t.Errorf("%s of %s names: description %.200q", name, kind, f.Alt)
			}
			if _, err := f.SVG(); err != nil {
				t.Errorf("%s of %s names: %v", name, kind, err)
			}
		}
	}
}

func TestContinuousErrors(t *testing.T) {
	m, p, list := dual()
	pendulum, swings := swinging()
	short := *list[0]
	short.Beliefs = short.Beliefs[:3]
	two := made(bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{Name: "two", Axes: []bcpace.Axis{{Name: "x", Max: 1}, {Name: "y", Max: 1}}, Latents: []string{"one"}, Discount: 0.9, RewardMax: 1,
			Actions: []bcpace.Action{{Name: "rest"}, {Name: "push", Box: []bcpace.Axis{{Name: "u", Max: 1}}}}},
		Starts: [][]float64{{0, 0}}, MeanAt: func(mean, s []float64, _, _ int, _ []float64) { copy(mean, s) }, Sigma: []float64{0.1, 0.1},
		RewardAt: func([]float64, int, int, []float64, []float64) float64 { return 0 },
	}))
	known := made(envs.DualControl{Gains: []float64{1}}.Model())
	rest := bcpace.PolicyFunc(func([]float64, bcpace.Belief, *rand.Rand) int { return 0 })
	for want, chart := range map[string]Chart{
		`has neither a Run nor a Policy`:                       StateMap{Model: m},
		`StateMap.Model is nil`:                                StateMap{Policy: p},
		`Cells is 1, want 2 to 400`:                            StateMap{Model: m, Policy: p, Cells: 1},
		`X is "z", want an axis of the state or a latent, one`: StateMap{Model: m, Policy: p, X: "z"},
		`X and Y are both "x"`:                                 StateMap{Model: m, Policy: p, X: "x", Y: "x"},
		`X and Y are both beliefs`:                             StateMap{Model: m, Policy: p, X: "gain 1", Y: "gain -1"},
		`State has 2 entries, want 1`:                          StateMap{Model: m, Policy: p, State: []float64{1, 2}},
		`Belief is [1], want a belief over 2 latents`:          StateMap{Model: m, Policy: p, Belief: bcpace.Belief{1}},
		`the policy takes action`:                              StateMap{Model: m, Policy: rest},
		`"two" has 2 actions, one of them with a Box`:          StateMap{Model: two, Policy: rest, X: "x", Y: "y"},
		`the belief in the only latent is 1`:                   StateMap{Model: two, Policy: rest, X: "x", Y: "one", Cells: 3},
		`the model has no second axis`:                         StateMap{Model: known, Policy: rest},
		`PhasePortrait.Model is nil`:                           PhasePortrait{},
		`"dual-control": the state has fewer than two axes`:    PhasePortrait{Model: m},
		`has no episodes`:                                      PhasePortrait{Model: pendulum},
		`episode 0 is nil`:                                     PhasePortrait{Model: pendulum, Episodes: []*eval.Trajectory{nil}},
		`Latent is "z", want one of mass 0.6 kg`:               PhasePortrait{Model: pendulum, Episodes: swings, Latent: "z"},
		`X and Y are "angle" and "angle"`:                      PhasePortrait{Model: pendulum, Episodes: swings, X: "angle", Y: "angle"},
		`as its model has`:                                     PhasePortrait{Model: pendulum, Episodes: list},
		`Controls.Model is nil`:                                Controls{},
		`the model has 3 actions, want one action with a Box`:  Controls{Model: envs.Tiger{}},
		`has 0 episodes, want 1 to 7`:                          Controls{Model: m},
		`Step is -1`:                                           Controls{Model: m, Episodes: []Played{{"", list[0]}}, Step: -1},
		`episode 0 is nil, want a trajectory`:                  Controls{Model: m, Episodes: []Played{{}}},
		`episode 0 has 21 states of 1 entries and 3 beliefs`:   Controls{Model: m, Episodes: []Played{{"", &short}}},
		`episode 0, informed: action 0 of step 0 is none of`:   Controls{Model: m, Episodes: []Played{{"", list[0]}}, Informed: rest},
	} {
		f, err := chart.Figure()
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "viz: ") {
			t.Errorf("%T: error %v, want it to say %q", chart, err, want)
		}
		if f != nil && err != nil {
			t.Errorf("%T: a figure beside the error %v", chart, err)
		}
	}
}

// drawingOf is the canvas of the data of a figure's only panel.
func drawingOf(f *Figure) draw.Canvas {
	w, h := f.Size()
	c := draw.New(vgimg.New(vg.Length(w)*px, vg.Length(h)*px))
	return f.Panels[0].DataCanvas(c)
}

// TestKnownControls: what is known of a Box is drawn as what is known of a list is.
func TestKnownControls(t *testing.T) {
	room := envs.LightDarkTiger{AnyHeading: true}
	run, err := runs.Explore(t.Context(), room, cpace.Solver{Epsilon: 2, LipQ: 0.5, MaxSamples: 30, CertificateEpisodes: -1})
	if err != nil {
		t.Fatal(err)
	}
	f, err := KnownRoom{Run: run}.Figure()
	if err != nil {
		t.Fatal(err)
	}
	checkMargins(t, "known headings", f)
	if strings.Contains(f.Alt, " 0% of") || strings.Contains(f.Alt, " 100% of") {
		t.Errorf("%s; want a part of the queries known", f.Alt)
	}
	three := made(envs.DualControl{Gains: []float64{1, -1, 0.5}, Nodes: 3}.Model())
	if run, err = runs.Explore(t.Context(), three, cpace.Solver{Epsilon: 1, LipQ: 0.5, MaxSamples: 30, CertificateEpisodes: -1}); err != nil {
		t.Fatal(err)
	}
	if f, err = (KnownBeliefs{Run: run}).Figure(); err != nil {
		t.Fatal(err)
	}
	checkMargins(t, "known controls", f)
	for _, c := range []Chart{BeliefSimplex{Run: run}, QOverBelief{Run: &runs.Run{Spec: made(envs.DualControl{}.Model()).Spec()}}} {
		if _, err := c.Figure(); err == nil || !strings.Contains(err.Error(), "list of actions") {
			t.Errorf("%T of a model with a Box: error %v, want one about a list", c, err)
		}
	}
}
