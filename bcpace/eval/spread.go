package eval

import (
	"context"

	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"
)

// Spread sums up several runs that differ in their seed alone: how good their
// policies are, and what they cost. Exploration is random, so that one run says
// little about a setting.
type Spread struct {
	// Setting names what the runs share.
	Setting string
	// Value is the mean over the runs of the exact value of the greedy policy,
	// Lowest and Highest the extremes, in reward units.
	Value, Lowest, Highest float64
	// Optimistic is the mean of Run.Value, the estimate at the start.
	Optimistic float64
	// Samples, Episodes and Sweeps (of value iteration) are means over the runs.
	Samples, Episodes, Sweeps float64
}

// SpreadOf evaluates the policies of the runs, of which there must be at least
// one, in their model. For errors see Evaluate.
func SpreadOf(ctx context.Context, setting string, m bcpace.Model, all []*runs.Run, o ExactOptions) (Spread, error) {
	s := Spread{Setting: setting}
	if len(all) == 0 {
		return s, bcpace.In("spread "+setting).Bad("runs", "none", "at least one")
	}
	n := float64(len(all))
	for i, r := range all {
		e, err := Evaluate(ctx, m, r.Policy(), o)
		if err != nil {
			return s, err
		}
		if i == 0 {
			s.Lowest, s.Highest = e.Value, e.Value
		}
		s.Lowest, s.Highest = min(s.Lowest, e.Value), max(s.Highest, e.Value)
		s.Value += e.Value / n
		s.Optimistic += r.Value / n
		s.Samples += float64(r.Samples.Len()) / n
		s.Episodes += float64(len(r.Trace)) / n
		for _, t := range r.Trace {
			s.Sweeps += float64(t.Sweeps) / n
		}
	}
	return s, nil
}
