package viz

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
)

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
		p.Add(band{x, level[k], level[n-1-k], faded(style.color, opacity)})
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
	var b strings.Builder
	last, n := len(v.Quantiles)-1, len(v.Levels)
	fmt.Fprintf(&b, "%s. Belief of %s over %s:", title, name(v.Axis.Name, "a number"), numtext.Several(last+1, "step"))
	for i, t := range []int{0, last} {
		q := v.Quantiles[t]
		fmt.Fprintf(&b, "%s %s to %s at step %d", []string{"", ","}[i], number(q[0]), number(q[n-1]), t)
		if v.True != nil {
			fmt.Fprintf(&b, ", where it is %s", number(v.True[t]))
		}
	}
	fmt.Fprintf(&b, " (%s to %s %%).", number(100*v.Levels[0]), number(100*v.Levels[n-1]))
	return b.String()
}
