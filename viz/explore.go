package viz

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/runs"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// Exploration draws how a run explored, against the episode: above, the number
// of samples so far; below, the steps of an episode that escaped from the
// known set, averaged over bins of episodes where there are many.
type Exploration struct {
	Run *runs.Run
	// LogX makes the episode axis logarithmic, for runs that learn most at
	// their beginning.
	LogX bool
}

// Figure draws the trace of the run.
func (e Exploration) Figure() (*Figure, error) {
	check := &checks{where: "viz: Exploration"}
	if !check.want(e.Run != nil, ".Run is nil, want a run") ||
		!check.want(len(e.Run.Trace) > 0, " of %q: the trace is empty, want at least one episode", words(e.Run.Spec.Name, 40)) {
		return nil, check.err
	}
	n := len(e.Run.Trace)
	episode, total, escapes := make([]float64, n), make([]float64, n), make([]float64, n)
	sum, escaped, last := 0, 0, 0
	for i, t := range e.Run.Trace {
		sum, escaped = sum+t.Added, escaped+t.Escapes
		episode[i], total[i], escapes[i] = float64(i+1), float64(sum), float64(t.Escapes)
		if t.Escapes > 0 {
			last = i + 1
		}
	}
	upper := newPanel("", "samples")
	upper.Add(stepped(episode, total, styleOf(0).solid(2.4*px)))
	lower := newPanel("episode", "escapes per episode")
	bins := binEpisodes(n, maxBins, e.LogX)
	heights := each(bins, func(b bin) float64 { return mean(escapes[b.from:b.to]) })
	lower.Add(bars(bins, heights, vermilion))
	lower.Y.Max = slices.Max(heights)
	for _, p := range []*plot.Plot{upper, lower} {
		p.X.Tick.Marker, p.Y.Tick.Marker = niceTicks{whole: true}, niceTicks{whole: true}
		if e.LogX {
			p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, logTicks{whole: true, data: []float64{1, float64(n)}, besides: true}
		}
		p.X.Min, p.X.Max = 0.5, float64(n)+0.5
		p.Y.Min = 0
		p.Y.Max = max(p.Y.Max, 1) * 1.06
	}
	if len(bins) < n {
		lower.Y.Tick.Marker = niceTicks{}
	}
	f := &Figure{Title: titled(e.Run.Spec.Name, "exploration"), Panels: []*plot.Plot{upper, lower}, Width: defaultWidth,
		Subtitle: fmt.Sprintf("%s in %s", numtext.Several(sum, "sample"), numtext.Several(n, "episode"))}
	f.Subtitle += when(e.Run.Stop != "", ", stopped: %s", words(string(e.Run.Stop), 40))
	below := "escapes from the known set" + when(binned(bins) != "", ", %s", binned(bins))
	f.Legend = []LegendEntry{{Text: "samples so far", Line: styleOf(0).solid(2.4 * px)}, {Text: below, Fill: vermilion}}
	f.Alt = fmt.Sprintf("%s. Samples grow from %s after the first episode to %s after episode %s.", f.Title, number(total[0]), number(float64(sum)), numtext.Count(n))
	if last == 0 {
		f.Alt += " No step escaped from the known set."
	} else {
		f.Alt += fmt.Sprintf(" %s from the known set, the last in episode %s; %s per episode in the last tenth.",
			numtext.Several(escaped, "escape"), numtext.Count(last), number(mean(escapes[n-(n+9)/10:])))
	}
	f.setHeight()
	return f, nil
}

// stepped is a curve that rises from 0 and holds each value from half an
// episode before to half an episode after, where there are few enough to see
// the steps.
func stepped(x, y []float64, style draw.LineStyle) curve {
	s := curve{[]float64{x[0] - 0.5}, []float64{0}, style}
	if len(x) > maxPoints/2 {
		x, y = thin(x, y)
		s.x, s.y = append(s.x, x...), append(s.y, y...)
		return s
	}
	for i := range x {
		s.x, s.y = append(s.x, x[i]-0.5, x[i]+0.5), append(s.y, y[i], y[i])
	}
	return s
}

// bin is a range of episodes, from … to−1, counted from 0.
type bin struct{ from, to int }

// maxBins is the most bars that can be told apart.
const maxBins = 80

// binEpisodes divides n episodes into at most about most bins: single ones or equal ones where there
// are more, or for a log axis ones of equal ratio.
func binEpisodes(n, most int, log bool) []bin {
	if !log || n <= most {
		// Sizes such as 50 or 200 are easier to name than n/80.
		return equalBins(n, max(int(math.Ceil(niceStep(float64(n)/float64(most)))), 1))
	}
	ratio := math.Pow(float64(n), 2/float64(most))
	return binsTo(n, func(from int) int { return max(from+1, int(float64(from+1)*ratio)) })
}

// binsTo divides n episodes into bins that end where end says.
func binsTo(n int, end func(from int) int) (bins []bin) {
	for from := 0; from < n; from = bins[len(bins)-1].to {
		bins = append(bins, bin{from, min(end(from), n)})
	}
	return bins
}

// equalBins divides n episodes into bins of one size. A short rest, whose mean
// would be a poor one, goes with the last of them.
func equalBins(n, size int) []bin {
	return binsTo(n, func(from int) int {
		if n-from-size < (size+1)/2 {
			return n
		}
		return from + size
	})
}

// binned says what a point stands for, "" where it is a single episode.
func binned(bins []bin) string {
	size := bins[0].to - bins[0].from
	switch {
	case bins[len(bins)-1].to == len(bins):
		return ""
	case len(bins) < 3 || bins[1].to-bins[1].from == size && bins[len(bins)-2].to-bins[len(bins)-2].from == size:
		return fmt.Sprintf("mean of %d episodes", size)
	}
	return "mean of growing bins"
}

func mean(values []float64) float64 { return floats.Sum(values) / float64(len(values)) }

// bars are filled from zero, each over the episodes of its bin.
func bars(bins []bin, heights []float64, fill color.Color) drawing {
	return func(c draw.Canvas, p *plot.Plot) {
		for i, b := range bins {
			x0, x1 := float64(b.from)+0.5, float64(b.to)+0.5
			q := project(c, p, []float64{x0, x1, x1, x0}, []float64{0, 0, heights[i], heights[i]})
			// A hair between bars that are wide enough for it.
			if q[1].X-q[0].X > 4*px {
				q[1].X, q[2].X = q[1].X-px, q[2].X-px
			}
			c.FillPolygon(fill, q)
		}
	}
}

// Returns draws the mean return of bins of episodes with its 95% interval,
// against the episode.
type Returns struct {
	Title, Subtitle string
	// Run takes the returns of the rollouts of an exploration. Those are
	// optimistic rollouts, not an evaluation of the final policy.
	Run *runs.Run
	// Values are the returns of episodes After + 1, After + 2, …; used where Run is nil.
	Values     []float64
	After      int         // 0 or more, and 0 with Run
	References []Reference // such as the optimum
}

// Figure bins the returns and draws them.
func (r Returns) Figure() (*Figure, error) {
	values, title := r.Values, r.Title
	if r.Run != nil && r.Values == nil {
		for _, t := range r.Run.Trace {
			values = append(values, t.Return)
		}
		title = cmp.Or(title, titled(r.Run.Spec.Name, "return while exploring"))
	}
	check := checksOf("Returns", title)
	check.want(r.Run == nil || r.Values == nil, " has both Run and Values, want one of them")
	check.want(len(values) > 0, " has no episodes, want at least one")
	check.want(r.After >= 0 && (r.After == 0 || r.Run == nil), ": After is %d, want the number of episodes before Values, and 0 with Run", r.After)
	if !check.numbers("return", values...) {
		return nil, check.err
	}
	bins := binEpisodes(len(values), 40, false)
	// A point stands in the middle of its episodes, counted from 1.
	x := each(bins, func(b bin) float64 { return float64(2*r.After+b.from+b.to+1) / 2 })
	s := IntervalSeries(name(binned(bins), "return of each episode"), x, each(bins, func(b bin) eval.Interval { return eval.IntervalOf(values[b.from:b.to]) }))
	s.Markers = len(bins) <= 60
	if binned(bins) == "" {
		s.Lo, s.Hi = nil, nil // single episodes have no interval
	}
	l := Lines{
		Title: name(title, "Return"), Subtitle: r.Subtitle, XLabel: "episode", YLabel: "return (discounted reward)",
		Series: []Series{s}, References: r.References, Band: "95% interval of the mean",
	}
	all := eval.IntervalOf(values)
	lo, hi := ends(all) // of no width for a single value
	l.Alt = fmt.Sprintf("%s. Mean return of %s is %s, 95%% interval %s to %s; it goes from %s in the first bin to %s in the last.%s",
		l.Title, numtext.Several(len(values), "episode"), number(all.Mean), number(lo), number(hi), number(s.Y[0]), number(s.Y[len(s.Y)-1]), describeReferences(r.References))
	return l.Figure()
}

// Escapes draws how many unknown queries runs have made against the steps they took, on a
// logarithmic axis of steps: once all that a policy reaches is known, its curve is level.
type Escapes struct {
	Title, Subtitle string
	Runs            []EscapesRun // one at least
	References      []Reference  // such as the most samples, k·N
}

// EscapesRun is a run of Bayes-CPACE with its name, as BoundsRun has one.
type EscapesRun = BoundsRun

// Figure adds up the traces of the runs and draws them.
func (e Escapes) Figure() (*Figure, error) {
	check := checksOf("Escapes", e.Title)
	if !check.count(len(e.Runs), "runs", len(styles)) {
		return nil, check.err
	}
	l := Lines{Title: name(e.Title, "Escapes from the known region"), Subtitle: e.Subtitle, XLabel: "steps", YLabel: "unknown queries so far", LogX: true, References: e.References}
	for i, r := range e.Runs {
		if !check.want(r.Run != nil && len(r.Run.Trace) > 0, ", run %d (%q) has no trace, want a run with one episode at least", i, words(r.Label, 40)) {
			return nil, check.err
		}
		s := Series{Label: label(r.Label, name(r.Run.Spec.Name, fmt.Sprintf("run %d", i+1)))}
		steps, escapes := 0, 0
		for _, t := range r.Run.Trace {
			steps, escapes = steps+t.Steps, escapes+t.Escapes
			s.X, s.Y = append(s.X, float64(steps)), append(s.Y, float64(escapes))
		}
		l.Series = append(l.Series, s)
	}
	return l.Figure()
}
