package viz

import (
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// BeliefTrajectories draws how the belief moved in several episodes, against
// the step, in the colour of each episode's true latent: the belief in the
// first of two latents, or one panel for each of more. Episodes of different latents
// stand a line's width apart, so that none hides another.
type BeliefTrajectories struct {
	Title, Subtitle string
	Latents         []string // at least two
	Episodes        []BeliefEpisode
}

// BeliefEpisode is the course of the belief in one episode.
type BeliefEpisode struct {
	// Belief[t] is the belief before step t, with one entry for each latent.
	Belief [][]float64
	True   int // the latent of the episode
}

// maxLatentPanels is the most panels that stay readable.
const maxLatentPanels = 6

// apart is how far episodes of one latent are drawn above those of the latent before it.
const apart = 0.012

// maxBeliefEpisodes is the most episodes that are more than a grey cloud.
const maxBeliefEpisodes = 500

// Figure checks the values and draws them.
func (t BeliefTrajectories) Figure() (*Figure, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	shown := len(t.Latents)
	if shown == 2 {
		shown = 1
	}
	f := &Figure{Title: name(t.Title, "Belief over an episode"), Subtitle: t.Subtitle, Width: defaultWidth}
	seen := make([]bool, len(t.Latents))
	longest := 1
	for _, e := range t.Episodes {
		seen[e.True] = true
		longest = max(longest, len(e.Belief)-1)
	}
	const full = 0.9
	opacity := full
	if len(t.Episodes) > 10 {
		opacity = max(0.25, 6/float64(len(t.Episodes)))
	}
	for k := range shown {
		p := newPanel("", "belief in "+fit(latentName(t.Latents, k), labelStyle, stackedHeight-70*px))
		p.X.Tick.Marker = niceTicks{whole: true}
		for _, e := range t.Episodes {
			var x, y []float64
			for i, b := range e.Belief {
				x, y = append(x, float64(i)), append(y, b[k]+apart*(float64(e.True)-float64(len(t.Latents)-1)/2))
			}
			style := styleOf(e.True)
			style.color = faded(style.color, opacity)
			x, y = thin(x, y)
			p.Add(curve{x, y, style.line(1.8 * px)})
			if longest <= 40 {
				p.Add(points{x: x, y: y, style: style.marker(2.8 * px), apart: 1.5 * px})
			}
		}
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, float64(longest), -0.04, 1.04
		f.Panels = append(f.Panels, p)
	}
	f.Panels[shown-1].X.Label.Text = "step"
	for k, style := range styles[:len(t.Latents)] {
		entry := LegendEntry{Text: "true latent: " + latentName(t.Latents, k), Line: style.line(1.8 * px)}
		if longest <= 40 {
			entry.Marker = style.marker(3.2 * px)
		}
		f.explain(seen[k], entry)
	}
	f.note(len(f.Legend) > 1, "latents are drawn a line apart")
	f.note(opacity < full, "darker: more episodes")
	f.Alt = t.describe()
	f.setHeight()
	return f, nil
}

func (t BeliefTrajectories) check() error {
	check, n := checksOf("BeliefTrajectories", t.Title), len(t.Latents)
	check.want(n >= 2, ": Latents has %d names, want at least two, as a belief in one latent never moves", n)
	check.want(n <= maxLatentPanels, ": Latents has %d names, want at most %d: pass the latents to look at and the rest of the belief as one", n, maxLatentPanels)
	check.count(len(t.Episodes), "episodes", maxBeliefEpisodes)
	for i, e := range t.Episodes {
		check.part = fmt.Sprintf(", episode %d", i)
		check.want(e.True >= 0 && e.True < n, ": True is %d, want a latent from 0 to %d", e.True, n-1)
		check.want(len(e.Belief) > 0, " has no beliefs, want at least that of step 0")
		for k, b := range e.Belief {
			check.want(len(b) == n, ": Belief[%d] has %d entries, want %d, one for each latent", k, len(b), n)
			check.part = fmt.Sprintf(", episode %d, step %d", i, k)
			check.beliefs(b)
			check.part = fmt.Sprintf(", episode %d", i)
		}
	}
	return check.err
}

func (t BeliefTrajectories) describe() string {
	text := fmt.Sprintf("%s: %s.", name(t.Title, "Belief over an episode"), numtext.Several(len(t.Episodes), "episode"))
	for k := range t.Latents {
		episodes, final := 0, 0.0
		for _, e := range t.Episodes {
			if e.True == k {
				episodes++
				final += e.Belief[len(e.Belief)-1][k]
			}
		}
		if episodes > 0 {
			text += fmt.Sprintf(" Where %s is true (%s), the belief in it ends at %s on average.",
				latentName(t.Latents, k), numtext.Several(episodes, "episode"), number(final/float64(episodes)))
		}
	}
	return text
}

// BeliefPoints draws beliefs of weighted points, such as particles, over a plane of two numbers that are hidden: each belief in a
// colour and with a marker of its own, whose area at each point is in proportion to its weight.
type BeliefPoints struct {
	Title, Subtitle string
	X, Y            bcpace.Axis     // names and units, and the limits if Min < Max
	Beliefs         []WeightedCloud // one to as many as there are colours
}

// WeightedCloud is a belief of a BeliefPoints.
type WeightedCloud struct {
	Label string
	X, Y  []float64 // at least one point
	// Weight of each point, 0 or more; nil for equal ones.
	Weight []float64
	// True is where the hidden numbers are; nil where that is not to be seen.
	True []float64
}

// maxCloudPoints is far more than a plane has room for.
const maxCloudPoints = 1 << 20

// Figure checks the values and draws them.
func (v BeliefPoints) Figure() (*Figure, error) {
	check := checksOf("BeliefPoints", v.Title)
	check.count(len(v.Beliefs), "beliefs", len(styles))
	for i, b := range v.Beliefs {
		check.part = fmt.Sprintf(", belief %d (%q)", i, words(b.Label, 40))
		b.check(check)
	}
	if check.err != nil {
		return nil, check.err
	}
	p := newPanel(axisLabel(v.X), axisLabel(v.Y))
	f := &Figure{Title: name(v.Title, "Belief over a plane"), Subtitle: v.Subtitle, Panels: []*plot.Plot{p}, Width: 520 * px}
	text := ""
	var truth []plot.Plotter
	for i, b := range v.Beliefs {
		style := styleOf(i)
		named := label(b.Label, fmt.Sprintf("belief %d", i+1))
		p.Add(b.cloud(style))
		f.Legend = append(f.Legend, LegendEntry{Text: named, Marker: style.marker(4 * px)})
		x, y, dx, dy := b.moments()
		text += fmt.Sprintf(" %s: %s with mean (%s, %s) and deviations %s and %s", named, numtext.Several(len(b.X), "point"), number(x), number(y), number(dx), number(dy))
		if b.True != nil {
			at := points{x: b.True[:1], y: b.True[1:], style: style.marker(6 * px), halo: 2 * px}
			at.style.Shape = cross{}
			truth = append(truth, at)
			text += fmt.Sprintf("; what is hidden is at (%s, %s)", number(b.True[0]), number(b.True[1]))
		}
		text += "."
	}
	if truth != nil {
		p.Add(truth...)
		f.Legend = append(f.Legend, LegendEntry{Text: "what is hidden", Marker: draw.GlyphStyle{Color: ink, Radius: 5 * px, Shape: cross{}}})
	}
	limit(&p.X, v.X)
	limit(&p.Y, v.Y)
	f.Alt = f.Title + ". Points over " + name(v.X.Name, "x") + " and " + name(v.Y.Name, "y") + "." + text
	f.Height = 360*px + f.headHeight()
	return f, nil
}

// check looks for values that cannot be drawn.
func (b WeightedCloud) check(check *checks) {
	check.count(len(b.X), "points", maxCloudPoints)
	columns := []column{{"X", b.X, false}, {"Y", b.Y, false}}
	if b.Weight != nil {
		columns = append(columns, column{"Weight", b.Weight, false})
	}
	check.columns(columns...)
	check.want(b.True == nil || len(b.True) == 2, ": True has %d numbers, want two, or nil", len(b.True))
	check.numbers("True", b.True...)
	sum := 0.0
	for i, w := range b.Weight {
		check.want(w >= 0, ": Weight[%d] is %v, want 0 or more", i, w)
		sum += w
	}
	check.want(b.Weight == nil || sum > 0 && sum <= 1e200, ": the sum of Weight is %v, want one above 0, and 1e200 at most", sum)
}

// weight returns that of a point.
func (b WeightedCloud) weight(i int) float64 {
	if b.Weight == nil {
		return 1
	}
	return b.Weight[i]
}

// moments returns the mean and the standard deviation of both numbers.
func (b WeightedCloud) moments() (x, y, dx, dy float64) {
	sum := 0.0
	for i := range b.X {
		sum += b.weight(i)
	}
	for i := range b.X {
		x, y = x+b.weight(i)/sum*b.X[i], y+b.weight(i)/sum*b.Y[i]
	}
	for i := range b.X {
		dx, dy = dx+b.weight(i)/sum*(b.X[i]-x)*(b.X[i]-x), dy+b.weight(i)/sum*(b.Y[i]-y)*(b.Y[i]-y)
	}
	return x, y, math.Sqrt(dx), math.Sqrt(dy)
}

// cloud draws the points of a belief.
func (b WeightedCloud) cloud(style series) ranged {
	return ranged{func(c draw.Canvas, p *plot.Plot) {
		weight, places := make(map[[2]int]float64), [][2]int(nil)
		const apart = px // of the cells whose points are drawn as one
		for i, q := range project(c, p, b.X, b.Y) {
			if !c.Contains(q) {
				continue
			}
			at := [2]int{int(q.X / apart), int(q.Y / apart)}
			if _, known := weight[at]; !known {
				places = append(places, at)
			}
			weight[at] += b.weight(i)
		}
		most := 0.0
		for _, w := range weight {
			most = max(most, w)
		}
		sty := draw.GlyphStyle{Color: faded(style.color, 0.55), Shape: style.glyph}
		for _, at := range places {
			sty.Radius = max(5*px*vg.Length(math.Sqrt(weight[at]/most)), 0.7*px)
			c.DrawGlyphNoClip(sty, vg.Point{X: (vg.Length(at[0]) + 0.5) * apart, Y: (vg.Length(at[1]) + 0.5) * apart})
		}
	}, b.X, [][]float64{b.Y}}
}

// BeliefQuantiles draws what an agent believes of a hidden number over an episode: bands between pairs of quantiles, the
// lowest with the highest one, the line of the middle one, and where the number is.
type BeliefQuantiles struct {
	Title, Subtitle string
	Axis            bcpace.Axis // name and unit of the number, and the limits if Min < Max
	// Levels are the probabilities of the quantiles, ascending, such as 0.05, 0.25, 0.5, 0.75 and 0.95.
	Levels []float64
	// Quantiles has, for each step, the quantile of each level.
	Quantiles [][]float64
	// True is the number itself, by step; nil where it is not to be seen.
	True []float64
}

// Figure checks the values and draws them.
func (v BeliefQuantiles) Figure() (*Figure, error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	p := newPanel("step", axisLabel(v.Axis))
	p.X.Tick.Marker = niceTicks{whole: true}
	f := &Figure{Title: name(v.Title, "Belief over an episode"), Subtitle: v.Subtitle, Panels: []*plot.Plot{p}, Width: defaultWidth}
	steps, n := len(v.Quantiles), len(v.Levels)
	x, level := make([]float64, steps), make([][]float64, n)
	for t, q := range v.Quantiles {
		x[t] = float64(t)
		for k := range q {
			level[k] = append(level[k], q[k])
		}
	}
	style := styleOf(0)
	for k := range n / 2 {
		const opacity = 0.18 // of a band, which lies on those before it
		p.Add(band(x, level[k], level[n-1-k], faded(style.color, opacity)))
		f.Legend = append(f.Legend, LegendEntry{Text: fmt.Sprintf("%s to %s %%", number(100*v.Levels[k]), number(100*v.Levels[n-1-k])), Fill: faded(style.color, 1-math.Pow(1-opacity, float64(k+1)))})
	}
	if n%2 == 1 {
		line := style.line(2 * px)
		p.Add(curve{x, level[n/2], line})
		f.Legend = append(f.Legend, LegendEntry{Text: fmt.Sprintf("%s %%", number(100*v.Levels[n/2])), Line: line})
	}
	if v.True != nil {
		other := styleOf(1)
		line := other.line(1.8 * px)
		p.Add(curve{x, v.True, line})
		entry := LegendEntry{Text: "what is hidden", Line: line}
		if steps <= 60 {
			p.Add(points{x: x, y: v.True, style: other.marker(2.8 * px), apart: 1.5 * px})
			entry.Marker = other.marker(3 * px)
		}
		f.Legend = append(f.Legend, entry)
	}
	limit(&p.Y, v.Axis)
	widen(&p.X, 0.015)
	f.Alt = v.describe(f.Title)
	f.setHeight()
	return f, nil
}

// check returns an error for values that cannot be drawn.
func (v BeliefQuantiles) check() error {
	check := checksOf("BeliefQuantiles", v.Title)
	check.count(len(v.Levels), "Levels", 9)
	for k, p := range v.Levels {
		check.want(p >= 0 && p <= 1 && (k == 0 || p > v.Levels[k-1]), ": Levels[%d] is %v, want probabilities from 0 to 1 that ascend", k, p)
	}
	check.count(len(v.Quantiles), "steps", maxPathPoints)
	if v.True != nil {
		check.columns(column{"Quantiles", make([]float64, len(v.Quantiles)), false}, column{"True", v.True, false})
	}
	for t, q := range v.Quantiles {
		check.part = fmt.Sprintf(", step %d", t)
		check.columns(column{"Levels", v.Levels, false}, column{"Quantiles", q, false})
		for k := 1; k < len(q); k++ {
			check.want(q[k] >= q[k-1], ": quantile %d is %v after %v, want quantiles that do not descend", k, q[k], q[k-1])
		}
	}
	return check.err
}

// describe says in words what the figure shows.
func (v BeliefQuantiles) describe(title string) string {
	last, n := len(v.Quantiles)-1, len(v.Levels)
	text := fmt.Sprintf("%s. Belief of %s over %s:", title, name(v.Axis.Name, "a number"), numtext.Several(last+1, "step"))
	for i, t := range []int{0, last} {
		q := v.Quantiles[t]
		text += fmt.Sprintf("%s %s to %s at step %d", []string{"", ","}[i], number(q[0]), number(q[n-1]), t)
		if v.True != nil {
			text += fmt.Sprintf(", where it is %s", number(v.True[t]))
		}
	}
	return text + fmt.Sprintf(" (%s to %s %%).", number(100*v.Levels[0]), number(100*v.Levels[n-1]))
}
