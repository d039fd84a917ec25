package viz

import (
	"fmt"
	"math"

	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/eval"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Intervals draws one row for each of several things compared, such as
// algorithms: a point and the interval around it, or an interval alone.
type Intervals struct {
	Title, Subtitle string
	XLabel          string // what is measured, with its unit
	Rows            []Interval
	References      []Reference // upright lines, named in the legend
	// Interval says what the intervals are, for the legend. "" means "mean and
	// 95% interval", or "interval" where none has a mean.
	Interval string
}

// Interval is a row of Intervals.
type Interval struct {
	Label        string
	Mean, Lo, Hi float64 // Lo ≤ Mean ≤ Hi; all three equal where there is no interval
}

// Between is a row of Intervals without an estimate, such as bounds: the bar has ends and no
// point. Its Mean is NaN.
func Between(label string, lo, hi float64) Interval {
	return Interval{Label: label, Mean: math.NaN(), Lo: lo, Hi: hi}
}

// bare reports whether the row has no estimate.
func (r Interval) bare() bool { return math.IsNaN(r.Mean) }

// maxIntervals is the most rows of one figure.
const maxIntervals = 60

// Figure checks the values and draws the rows in their order, the first on top.
func (v Intervals) Figure() (*Figure, error) {
	check := checksOf("Intervals", v.Title)
	n := len(v.Rows)
	check.count(n, "rows", maxIntervals)
	bare := true // no row has an estimate
	for i, r := range v.Rows {
		check.part = fmt.Sprintf(", row %d (%q)", i, words(r.Label, 40))
		check.numbers("Lo", r.Lo)
		check.numbers("Hi", r.Hi)
		check.want(r.Lo <= r.Hi, ": Lo is %v and Hi is %v, want Lo ≤ Hi", r.Lo, r.Hi)
		if !r.bare() {
			bare = false
			check.numbers("Mean", r.Mean)
			check.want(r.Lo <= r.Mean && r.Mean <= r.Hi, ": the interval [%v, %v] does not hold the mean %v", r.Lo, r.Hi, r.Mean)
		}
	}
	if err := check.references(v.References, false); err != nil {
		return nil, err
	}
	v.Interval = name(v.Interval, when(!bare, "mean and 95%% ")+"interval")
	p := newPanel(v.XLabel, "")
	f := &Figure{Title: v.Title, Subtitle: v.Subtitle, Panels: []*plot.Plot{p}, Width: defaultWidth}
	style := styleOf(0)
	for _, r := range referenceLevels(v.References) {
		p.Add(upright(r.value, r.style))
		p.X.Min, p.X.Max = min(p.X.Min, r.value), max(p.X.Max, r.value)
		f.Legend = append(f.Legend, LegendEntry{Text: r.label, Line: r.style})
	}
	ticks := make(plot.ConstantTicks, n)
	line := style.solid(2 * px)
	dots := points{style: style.marker(4.2 * px), halo: 0.8 * px}
	for i, r := range v.Rows {
		y := float64(n - 1 - i)
		ticks[i] = plot.Tick{Value: y, Label: fit(label(r.Label, fmt.Sprintf("row %d", i+1)), labelStyle, 170*px)}
		p.Add(whiskers(y, r.Lo, r.Hi, line))
		p.X.Min, p.X.Max = min(p.X.Min, r.Lo), max(p.X.Max, r.Hi)
		if !r.bare() {
			dots.x, dots.y = append(dots.x, r.Mean), append(dots.y, y)
		}
	}
	p.Add(dots)
	widen(&p.X, 0.06)
	p.Y.Min, p.Y.Max = -0.6, float64(n)-0.4
	p.Y.Tick.Marker, p.Y.Tick.Length = ticks, 0
	p.Y.Tick.Label.Color, p.Y.Tick.Label.Font.Size = ink, labelSize
	entry := LegendEntry{Text: v.Interval, Line: line}
	if !bare {
		entry.Marker = dots.style
	}
	f.Legend = append([]LegendEntry{entry}, f.Legend...)
	f.Alt = v.describe()
	f.Height = vg.Length(n)*28*px + 60*px + f.headHeight()
	return f, nil
}

func (v Intervals) describe() string {
	text := fmt.Sprintf("%s. %s, %s:", name(v.Title, "Comparison"), name(v.XLabel, "values"), v.Interval)
	for i, r := range v.Rows {
		text += when(i > 0, ";") + " " + label(r.Label, fmt.Sprintf("row %d", i+1))
		if r.bare() {
			text += fmt.Sprintf(" %s to %s", number(r.Lo), number(r.Hi))
			continue
		}
		text += fmt.Sprintf(" %s (%s to %s)", number(r.Mean), number(r.Lo), number(r.Hi))
	}
	return text + "." + describeReferences(v.References)
}

// upright is a line from the bottom of the panel to its top.
func upright(value float64, style draw.LineStyle) drawing {
	return func(c draw.Canvas, p *plot.Plot) {
		x := c.X(p.X.Norm(value))
		c.StrokeLine2(style, x, c.Min.Y, x, c.Max.Y)
	}
}

// whiskers are a horizontal interval with end caps, at height y.
func whiskers(y, lo, hi float64, style draw.LineStyle) drawing {
	return func(c draw.Canvas, p *plot.Plot) {
		const half = 8 * px // more than a marker, which hides a short interval
		q := project(c, p, []float64{lo, hi}, []float64{y, y})
		c.StrokeLines(style, q)
		for _, end := range q {
			c.StrokeLine2(style, end.X, end.Y-half, end.X, end.Y+half)
		}
	}
}

// BeliefEpisodes are recorded episodes as BeliefTrajectories draws them, each
// under the latent that it began with.
func BeliefEpisodes(trajectories []*eval.Trajectory) []BeliefEpisode {
	list := make([]BeliefEpisode, len(trajectories))
	for i, t := range trajectories {
		list[i].True = t.Latents[0]
		for k := range t.Len() + 1 {
			list[i].Belief = append(list[i].Belief, t.Belief(k))
		}
	}
	return list
}

// ResultInterval is a row of Intervals: the mean return of simulated episodes
// with its 95% interval.
func ResultInterval(label string, r eval.Result) Interval {
	return Interval{Label: label, Mean: r.Mean, Lo: r.CI95[0], Hi: r.CI95[1]}
}

// MeanInterval is a row of Intervals: a mean over seeds with its 95% interval.
func MeanInterval(label string, x eval.Interval) Interval {
	return Interval{Label: label, Mean: x.Mean, Lo: x.Lo, Hi: x.Hi}
}

// ScoreIntervals are rows of Intervals: the mean return of each solver's policy with
// its 95% interval.
func ScoreIntervals(scores []eval.Score) []Interval {
	return each(scores, func(s eval.Score) Interval { return ResultInterval(s.Name, s.Result) })
}

// ScoreSeries is a curve of Lines: the mean returns of scores, with the bands of their 95%
// intervals, at the numbers x, such as budgets.
func ScoreSeries(label string, x []float64, scores []eval.Score) Series {
	s := Series{Label: label, X: x, Markers: true}
	for _, score := range scores {
		s.Y = append(s.Y, score.Result.Mean)
		s.Lo, s.Hi = append(s.Lo, score.Result.CI95[0]), append(s.Hi, score.Result.CI95[1])
	}
	return s
}

// CourseSeries is a curve of Lines: the mean return so far over the steps of an episode, with
// the band of its 95% interval by Student's t if there are several, for episodes that were
// played with eval.Options.Every.
func CourseSeries(label string, r eval.Result) Series {
	s := Series{Label: label, X: []float64{0}, Y: []float64{0}, Lo: []float64{0}, Hi: []float64{0}}
	for k, c := range r.Course {
		s.X, s.Y = append(s.X, float64((k+1)*r.Every)), append(s.Y, c.Mean)
		s.Lo, s.Hi = append(s.Lo, c.Lo), append(s.Hi, c.Hi)
	}
	if r.Episodes < 2 { // there is no interval
		s.Lo, s.Hi = nil, nil
	}
	return s
}

// RegretSeries is a curve of Lines: how much less was returned so far than by an informed policy
// on the same number of steps. The band is the 95% interval of a difference of independent
// means.
func RegretSeries(label string, informed, r eval.Result) Series {
	s := CourseSeries(label, r)
	best := CourseSeries(label, informed)
	if best.Lo == nil {
		s.Lo, s.Hi = nil, nil
	}
	for i := range min(len(s.Y), len(best.Y)) {
		s.Y[i] = best.Y[i] - s.Y[i]
		if s.Lo != nil {
			half := math.Hypot(s.Hi[i]-s.Lo[i], best.Hi[i]-best.Lo[i]) / 2
			s.Lo[i], s.Hi[i] = s.Y[i]-half, s.Y[i]+half
		}
	}
	return s
}

// SpreadIntervals are rows of Intervals: for each setting, the mean value over
// its seeds between the lowest and the highest. Set Intervals.Interval to say
// so.
func SpreadIntervals(spreads []eval.Spread) []Interval {
	return each(spreads, func(s eval.Spread) Interval { // rounding may put the mean of equal values beside them
		return Interval{Label: s.Setting, Mean: min(max(s.Value, s.Lowest), s.Highest), Lo: s.Lowest, Hi: s.Highest}
	})
}

// IntervalSeries is a curve of Lines with intervals at x as its band. Those of package eval are
// means with their 95% intervals, such as those of a sweep.Curve; a mean without an interval, as
// of one trial, has a band of no width. Those of package cover are proved brackets of a number,
// without an estimate.
func IntervalSeries[T eval.Interval | cover.Interval](label string, x []float64, y []T) Series {
	s := Series{Label: label, X: x, Markers: true}
	for _, i := range y {
		switch i := any(i).(type) {
		case eval.Interval:
			lo, hi := ends(i)
			s.Y, s.Lo, s.Hi = append(s.Y, i.Mean), append(s.Lo, lo), append(s.Hi, hi)
		case cover.Interval:
			s.Lo, s.Hi, s.Band = append(s.Lo, float64(i.Lower)), append(s.Hi, float64(i.Upper)), "proved bracket"
		}
	}
	return s
}

// ends are those of an interval, or the mean where it has none.
func ends(i eval.Interval) (lo, hi float64) {
	if math.IsNaN(i.Lo) || math.IsNaN(i.Hi) {
		return i.Mean, i.Mean
	}
	return i.Lo, i.Hi
}
