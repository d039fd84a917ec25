package eval

import (
	"context"
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"
)

// Interval is a mean with an interval that is to hold the expected value with probability
// 0.95. That of IntervalOf is by Student's t: it does where the mean is about normally
// distributed, and less often where values are rarely far from the others, as those of few
// seeds may be. The ends are NaN for fewer than two values.
type Interval struct{ Mean, Lo, Hi float64 }

// IntervalOf returns the mean of x with its interval by Student's t.
func IntervalOf(x []float64) Interval {
	mean, _, _, ci := summary(x)
	return Interval{mean, ci[0], ci[1]}
}

// Text writes the mean and the half width with so many decimals, 17.25 ± 0.50, and of an
// interval whose middle is not the mean both ends: 17.25 (10.31 to 18.02).
func (i Interval) Text(decimals int) string {
	if math.Abs(i.Hi+i.Lo-2*i.Mean) > 1e-6*(i.Hi-i.Lo) {
		return fmt.Sprintf("%.*f (%.*f to %.*f)", decimals, i.Mean, decimals, i.Lo, decimals, i.Hi)
	}
	return fmt.Sprintf("%.*f ± %.*f", decimals, i.Mean, decimals, i.Hi-i.Mean)
}

// Averages sums up several runs that differ in their seed alone, as Spread does, with
// intervals: each seed is a draw of its own.
type Averages struct {
	// Setting names what the runs share.
	Setting string
	// Samples, Steps and Sweeps (of value iteration) are those of a run.
	Samples, Steps, Sweeps Interval
	// Value is the exact value of its policy, in reward units.
	Value Interval
}

// AveragesOf evaluates the policies of the runs, of which there must be at least one, in
// their model. For errors see Evaluate.
func AveragesOf(ctx context.Context, setting string, m bcpace.Model, all []*runs.Run, o ExactOptions) (Averages, error) {
	if len(all) == 0 {
		return Averages{}, bcpace.In("averages of "+setting).Bad("runs", "none", "at least one")
	}
	var samples, steps, sweeps, values []float64
	for _, r := range all {
		e, err := Evaluate(ctx, m, r.Policy(), o)
		if err != nil {
			return Averages{}, err
		}
		total := 0
		for _, t := range r.Trace {
			total += t.Sweeps
		}
		samples, steps = append(samples, float64(r.Samples.Len())), append(steps, float64(r.Steps))
		sweeps, values = append(sweeps, float64(total)), append(values, e.Value)
	}
	return Averages{setting, IntervalOf(samples), IntervalOf(steps), IntervalOf(sweeps), IntervalOf(values)}, nil
}
