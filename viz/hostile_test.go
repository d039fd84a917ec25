package viz

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online/pomcp"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// hostile are names that have broken layouts elsewhere.
var hostile = map[string]string{
	"empty":         "",
	"long":          strings.Repeat("very long name ", 5000),
	"no spaces":     strings.Repeat("W", 100_000),
	"lines":         "first\nsecond\r\nthird\tfourth\x00\x07\x1b[31mred",
	"right to left": "\u202eabc\u2066 שלום עולם مرحبا \u200f",
	"combining":     "Q\u0303" + strings.Repeat("\u0300", 1000),
	"not UTF-8":     "a\xff\xfe\xc3(",
	"markup":        `<script>alert("1")</script> & ]]> $x_1$ %s %d`,
	"emoji":         "😀 𝔸 and 👩‍🔬",
	"private use":   "\ue000\U0010fffd\ufffe\u2028",
}

// TestHostileNamesOfSomeCharts has the charts with the most names of their own.
func TestHostileNamesOfSomeCharts(t *testing.T) {
	hostileNames(t, func(chart string) bool { return chart == "Lines" || chart == "SearchTree" })
}

// hostileNames draws charts with every kind of name.
func hostileNames(t *testing.T, drawn func(chart string) bool) {
	for kind, s := range hostile {
		v := tigerValues(true)
		v.model, v.latent, v.other, v.state = s, s, s, words(s, 80)
		for i := range v.actions {
			v.actions[i].name = s
		}
		e := explorationOf(20, false)
		e.Run.Spec.Name, e.Run.Stop = s, stop.Reason(s)
		room := noisyRoom()
		room.Title, room.Subtitle, room.Latents, room.Plan.Unit = s, s, []string{s, s}, s
		for i := range room.Plan.Goals {
			room.Plan.Goals[i].Label, room.Paths[i].Label = s, s
		}
		beliefs := chainBeliefs()
		beliefs.Title, beliefs.Subtitle, beliefs.Latents = s, s, []string{s, s, s}
		lines := threeLines()
		lines.Title, lines.Subtitle, lines.XLabel, lines.YLabel, lines.Band = s, s, s, s, s
		for i := range lines.Series {
			lines.Series[i].Label = s
		}
		tree := searched(envs.Tiger{}, pomcp.Solver{Budget: bcpace.Budget{Simulations: 50}}, 8)
		tree.Title, tree.Subtitle, tree.Spec.Name, tree.Spec.Latents = s, s, s, []string{s, s}
		tree.Spec.Actions, tree.Spec.Axes = bcpace.Actions(s, s, s), []bcpace.Axis{{Name: s, Unit: s, Max: 2, Labels: []string{s, s, s}}}
		refs := []Reference{{s, 1}, {s, 1.01}}
		lines.References = refs
		for name, chart := range map[string]Chart{
			"Exploration": e, "QOverBelief": must(v.figure()), "Room": room, "BeliefTrajectories": beliefs, "Lines": lines, "SearchTree": tree,
			"Returns":    Returns{Title: s, Subtitle: s, Values: returnsOf(50), References: refs},
			"Categories": Lines{Title: s, Subtitle: s, YLabel: s, Categories: []string{s, s}, Series: []Series{{Label: s, Y: []float64{1, 2}}}, References: refs},
			"Intervals":  Intervals{Title: s, Subtitle: s, XLabel: s, Interval: s, Rows: []Interval{{s, 1, 0, 2}, {s, 1, 0, 2}}, References: refs},
		} {
			if !drawn(name) {
				continue
			}
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
			checkMargins(t, name+" of "+kind+" names, narrow", f.Narrower(410))
			if _, err := f.PDF(); err != nil {
				t.Errorf("%s of %s names: %v", name, kind, err)
			}
			for _, format := range []string{"pdf", "svg"} {
				if _, _, err := f.Paper(format, 120); err != nil {
					t.Errorf("%s of %s names, %s: %v", name, kind, format, err)
				}
			}
		}
	}
}

func TestWords(t *testing.T) {
	for in, want := range map[string]string{
		"":                       "",
		"  a \n\t b  ":           "a b",
		"Q\u0303":                "Q\u0303",
		"Q\u0303\u0302\u20d7":    "Q\u0303",
		"\u0303a \u0302b":        "a b",
		"a\x00b\u202ec":          "abc",
		"\xff":                   "",
		strings.Repeat("x", 100): strings.Repeat("x", 9) + "…",
		"exactly te":             "exactly te",
		"5\u00a0000":             "5\u00a0000",
	} {
		if got := words(in, 10); got != want {
			t.Errorf("words(%.20q, 10) = %q, want %q", in, got, want)
		}
	}
}

func TestExtremeValues(t *testing.T) {
	for name, y := range map[string][]float64{
		"huge":     {-1e300, 1e300},
		"tiny":     {0, 5e-324},
		"constant": {7, 7},
		"zero":     {0, 0},
		"close":    {1, 1 + 1e-15},
		"offset":   {100.000001, 100.000002},
		"one":      {3},
	} {
		x := make([]float64, len(y))
		for i := range x {
			x[i] = float64(i)
		}
		for _, l := range []Lines{
			{Series: []Series{{X: x, Y: y, Lo: y, Hi: y}}},
			{Series: []Series{{X: y, Y: x}}},
		} {
			f, err := l.Figure()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			checkMargins(t, name, f)
			p := f.Panels[0]
			checkTicks(t, name+", X", p.X.Tick.Marker, p.X.Min, p.X.Max)
			checkTicks(t, name+", Y", p.Y.Tick.Marker, p.Y.Min, p.Y.Max)
		}
	}
	l := Lines{LogX: true, LogY: true, Series: []Series{{X: []float64{1e-200, 1e200}, Y: []float64{1e200, 1e-200}}}}
	checkMargins(t, "log", must(l.Figure()))
	l.Series[0].Y = []float64{1, 1}
	checkMargins(t, "log of a constant", must(l.Figure()))
}

// The errors say what is wrong, where, and what would be right.
func TestErrors(t *testing.T) {
	nan := math.NaN()
	two := []float64{1, 2}
	tiger := tigerBeliefs()
	short := tigerBeliefs()
	short.Episodes[1].Belief[2] = []float64{1}
	wrong := tigerBeliefs()
	wrong.Episodes[1].True = 2
	room := func(change func(r *Room)) Room {
		r := noisyRoom()
		change(&r)
		return r
	}
	for want, chart := range map[string]Chart{
		`QOverBelief.Run is nil, want a run`:               QOverBelief{},
		`"chain" has 3 (a, b, c)`:                          QOverBelief{Run: &runs.Run{Spec: bcpace.Spec{Name: "chain", Latents: []string{"a", "b", "c"}}}},
		`State is nil and the run has no model to ask`:     QOverBelief{Run: &runs.Run{Spec: bcpace.Spec{Latents: []string{"a", "b"}}}},
		`State has 1 entries, want 0`:                      QOverBelief{Run: &runs.Run{Spec: bcpace.Spec{Latents: []string{"a", "b"}}}, State: two[:1]},
		`Exploration.Run is nil, want a run`:               Exploration{},
		`Exploration of "x": the trace is empty`:           Exploration{Run: &runs.Run{Spec: bcpace.Spec{Name: "x"}}},
		`has 0 series, want 1 to 200`:                      Lines{},
		`series 0 ("s") has no points`:                     Lines{Series: []Series{{Label: "s"}}},
		`X has 2 values and Y has 1, want the same number`: Lines{Series: []Series{{X: two, Y: two[:1]}}},
		`Y[1] is NaN, want a finite number`:                Lines{Series: []Series{{X: two, Y: []float64{1, nan}}}},
		`X[0] is +Inf, want a finite number`:               Lines{Series: []Series{{X: []float64{math.Inf(1), 1}, Y: two}}},
		`Y[0] is 0, want a positive number on a log axis`:  Lines{LogY: true, Series: []Series{{X: two, Y: []float64{0, 1}}}},
		`has one of Lo and Hi`:                             Lines{Series: []Series{{X: two, Y: two, Lo: two}}},
		`Lo[0] is 2 above Hi[0] 1`:                         Lines{Series: []Series{{X: two[:1], Y: two[:1], Lo: two[1:], Hi: two[:1]}}},
		`reference "r": Value[0] is NaN`:                   Lines{Series: []Series{{X: two, Y: two}}, References: []Reference{{"r", nan}}},
		`Returns "" has no episodes`:                       Returns{},
		`has both Run and Values`:                          Returns{Run: &runs.Run{}, Values: two},
		`return[1] is NaN`:                                 Returns{Values: []float64{1, nan}},
		`Points "" has no points`:                          Points{},
		`Groups has 1, want the same number`:               Points{X: two, Y: two, Groups: []string{"a"}},
		`has 8 groups, want 1 to 7`:                        Points{X: make([]float64, 8), Y: make([]float64, 8), Groups: strings.Split("abcdefgh", "")},
		`has 0 rows, want 1 to 60`:                         Intervals{},
		`the interval [2, 3] does not hold the mean 1`:     Intervals{Rows: []Interval{{"a", 1, 2, 3}}},
		`row 0 ("a"): Hi[0] is NaN`:                        Intervals{Rows: []Interval{{"a", 1, 0, nan}}},
		`Latents has 1 names, want at least two`:           BeliefTrajectories{Latents: []string{"a"}},
		`Latents has 7 names, want at most 6`:              BeliefTrajectories{Latents: make([]string, 7)},
		`has 0 episodes, want 1 to 500`:                    BeliefTrajectories{Latents: tiger.Latents},
		`episode 0 has no beliefs`:                         BeliefTrajectories{Latents: tiger.Latents, Episodes: []BeliefEpisode{{}}},
		`episode 1: Belief[2] has 1 entries, want 2`:       short,
		`episode 1: True is 2, want a latent from 0 to 1`:  wrong,
		`has no paths, want at least one`:                  room(func(r *Room) { r.Paths = nil }),
		`path 0 has no points`:                             room(func(r *Room) { r.Paths[0] = Path{} }),
		`path 1: X has 9 values and Y has 8`:               room(func(r *Room) { r.Paths[1].Y = r.Paths[1].Y[:8] }),
		`path 0: Belief[3] is [1.5 -0.5], want 2 prob`:     room(func(r *Room) { r.Paths[0].Belief[3] = bcpace.Belief{1.5, -0.5} }),
		`point 0 is (9, 2), outside the room {0 0 4 4}`:    room(func(r *Room) { r.Paths[0].X[0] = 9 }),
		`Plan.Room is {0 0 0 4}, want X0 < X1`:             room(func(r *Room) { r.Plan.Room.X1 = 0 }),
		`Plan.Goals[1]`:                                    room(func(r *Room) { r.Plan.Goals[1].Y1 = -3 }),
		`Plan.Light[0][2] is NaN`:                          room(func(r *Room) { r.Plan.Light[0].X1 = nan }),
		`the paths have more than 20000 points`:            room(func(r *Room) { r.Paths = slices.Repeat(r.Paths, 2000) }),
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
