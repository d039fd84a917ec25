package viz

import (
	"fmt"
	"math"

	"bayescpace/bcpace"
)

// Returns draws the mean return of bins of episodes with its 95% interval,
// against the episode.
type Returns struct {
	Title, Subtitle string
	// Run takes the returns of the rollouts of an exploration. Those are
	// optimistic rollouts, not an evaluation of the final policy.
	Run *bcpace.Run
	// Values are the returns of episodes 1, 2, …; used where Run is nil.
	Values []float64
	// BinSize is the number of episodes averaged in a point. 0 chooses one that
	// gives about 40 points.
	BinSize    int
	References []Reference // such as the optimum
	LogX       bool
}

// Figure bins the returns and draws them.
func (r Returns) Figure() (*Figure, error) {
	values, title := r.Values, r.Title
	switch {
	case r.Run != nil && r.Values != nil:
		return nil, fmt.Errorf("viz: Returns has both Run and Values, want one of them")
	case r.Run != nil:
		for _, t := range r.Run.Trace {
			values = append(values, t.Return)
		}
		if title == "" {
			title = "Return while exploring: " + name(r.Run.Spec.Name, "model")
		}
	}
	where := fmt.Sprintf("viz: Returns %q", words(title, 40))
	if len(values) == 0 {
		return nil, fmt.Errorf("%s has no episodes, want at least one", where)
	}
	if r.BinSize < 0 {
		return nil, fmt.Errorf("%s: BinSize is %d, want a number of episodes, or 0 for the default", where, r.BinSize)
	}
	if err := checkColumns(where, []column{{"return", values, false}}); err != nil {
		return nil, err
	}
	var bins []bin
	size := r.BinSize
	switch {
	case size == 0 && r.LogX:
		bins = binEpisodes(len(values), true)
	case size == 0:
		size = max(1, int(niceStep(float64(len(values))/40)))
		fallthrough
	default:
		for from := 0; from < len(values); from += size {
			bins = append(bins, bin{from, min(from+size, len(values))})
		}
	}
	s := Series{Label: "mean return" + binned(bins), Markers: len(bins) <= 60}
	for _, b := range bins {
		m, half := meanInterval(values[b.from:b.to])
		// A point stands in the middle of its episodes, counted from 1.
		s.X = append(s.X, float64(b.from+b.to+1)/2)
		s.Y, s.Lo, s.Hi = append(s.Y, m), append(s.Lo, m-half), append(s.Hi, m+half)
	}
	if len(bins) == len(values) {
		s.Lo, s.Hi = nil, nil // single episodes have no interval
	}
	l := Lines{
		Title: name(title, "Return"), Subtitle: r.Subtitle, XLabel: "episode", YLabel: "return (discounted reward)",
		Series: []Series{s}, References: r.References, LogX: r.LogX, Band: "95% interval of the mean",
	}
	all, half := meanInterval(values)
	l.Alt = fmt.Sprintf("%s. Mean return of %s is %s, 95%% interval %s to %s; it goes from %s in the first bin to %s in the last.%s",
		l.Title, count(len(values), "episode"), number(all), number(all-half), number(all+half), number(s.Y[0]), number(s.Y[len(s.Y)-1]), describeReferences(r.References))
	return l.Figure()
}

// meanInterval returns the mean and half the length of its 95% interval by the
// normal approximation, 0 for a single value.
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
	return m, 1.959964 * math.Sqrt(sum/(n-1)/n)
}
