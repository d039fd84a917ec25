package viz

import (
	"math"

	"bayescpace/bcpace/eval"
)

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
	rows := make([]Interval, len(scores))
	for i, s := range scores {
		rows[i] = ResultInterval(s.Name, s.Result)
	}
	return rows
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
	for i := range min(len(s.Y), len(best.Y)) {
		s.Y[i] = best.Y[i] - s.Y[i]
		if s.Lo == nil || best.Lo == nil {
			continue
		}
		half := math.Hypot(s.Hi[i]-s.Lo[i], best.Hi[i]-best.Lo[i]) / 2
		s.Lo[i], s.Hi[i] = s.Y[i]-half, s.Y[i]+half
	}
	if best.Lo == nil {
		s.Lo, s.Hi = nil, nil
	}
	return s
}

// SpreadIntervals are rows of Intervals: for each setting, the mean value over
// its seeds between the lowest and the highest. Set Intervals.Interval to say
// so.
func SpreadIntervals(spreads []eval.Spread) []Interval {
	rows := make([]Interval, len(spreads))
	for i, s := range spreads {
		// Rounding may put the mean of equal values beside them.
		rows[i] = Interval{Label: s.Setting, Mean: min(max(s.Value, s.Lowest), s.Highest), Lo: s.Lowest, Hi: s.Highest}
	}
	return rows
}

// IntervalSeries is a curve of Lines: means at x, with their 95% intervals as a band, such as
// those of a sweep.Curve. A mean without an interval, as of one trial, has a band of no width.
func IntervalSeries(label string, x []float64, y []eval.Interval) Series {
	s := Series{Label: label, X: x, Markers: true}
	for _, i := range y {
		lo, hi := i.Lo, i.Hi
		if math.IsNaN(lo) || math.IsNaN(hi) {
			lo, hi = i.Mean, i.Mean
		}
		s.Y, s.Lo, s.Hi = append(s.Y, i.Mean), append(s.Lo, lo), append(s.Hi, hi)
	}
	return s
}
