package viz

import (
	"cmp"
	"fmt"
	"math"

	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/runs"
)

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
	s := Series{Label: name(binned(bins), "return of each episode"), Markers: len(bins) <= 60}
	for _, b := range bins {
		m, half := meanInterval(values[b.from:b.to])
		// A point stands in the middle of its episodes, counted from 1.
		s.X = append(s.X, float64(2*r.After+b.from+b.to+1)/2)
		s.Y, s.Lo, s.Hi = append(s.Y, m), append(s.Lo, m-half), append(s.Hi, m+half)
	}
	if binned(bins) == "" {
		s.Lo, s.Hi = nil, nil // single episodes have no interval
	}
	l := Lines{
		Title: name(title, "Return"), Subtitle: r.Subtitle, XLabel: "episode", YLabel: "return (discounted reward)",
		Series: []Series{s}, References: r.References, Band: "95% interval of the mean",
	}
	all, half := meanInterval(values)
	l.Alt = fmt.Sprintf("%s. Mean return of %s is %s, 95%% interval %s to %s; it goes from %s in the first bin to %s in the last.%s",
		l.Title, numtext.Several(len(values), "episode"), number(all), number(all-half), number(all+half), number(s.Y[0]), number(s.Y[len(s.Y)-1]), describeReferences(r.References))
	return l.Figure()
}

// meanInterval returns the mean and half the length of its 95% interval by
// Student's t, which takes the mean as normal; 0 for a single value.
func meanInterval(values []float64) (m, half float64) {
	m = mean(values)
	if len(values) < 2 {
		return m, 0
	}
	sum := 0.0
	for _, v := range values {
		sum += (v - m) * (v - m)
	}
	n := float64(len(values))
	return m, tQuantile(len(values)-1) * math.Sqrt(sum/(n-1)/n)
}

// tQuantile returns the 0.975 quantile of Student's t with dof ≥ 1 degrees of
// freedom: a table, then the expansion in 1/dof of Abramowitz and Stegun,
// 26.7.5, which is within 0.001 from there on.
func tQuantile(dof int) float64 {
	if table := []float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306}; dof <= len(table) {
		return table[dof-1]
	}
	const z = 1.959964
	const z3, z5, z7 = z * z * z, z * z * z * z * z, z * z * z * z * z * z * z
	n := float64(dof)
	return z + (z3+z)/(4*n) + (5*z5+16*z3+3*z)/(96*n*n) + (3*z7+19*z5+17*z3-15*z)/(384*n*n*n)
}
