package answer

import (
	"context"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/runs"
)

// Limits of a search, which bound the work for a question. The questions that the pages
// offer end by themselves well before.
const (
	samplesMost = 8_000
	trialsMost  = 4_000
)

// search explores in one goroutine, as a browser has only one for a page's work. It ends at
// the limits above, or after fewer trials if s says so.
func search(m bcpace.Model, s certified.Solver) (*runs.Run, error) {
	s.MaxSamples = samplesMost
	if s.MaxEpisodes == 0 {
		s.MaxEpisodes = trialsMost
	}
	return s.Explore(context.Background(), m, bcpace.Control{Workers: 1})
}

// limited reports whether a search ended at a limit: its bounds hold, and may be further
// apart than its ε.
func limited(r *runs.Run) bool { return !r.Stop.ByItself() }

// bounds returns the lower and upper bound that a search on a Finite model has of the
// optimal value.
func bounds(r *runs.Run, p bcpace.StartPoint) (lower, upper float64) {
	upper, _ = r.At(p.State, p.Belief)
	lower, _ = r.Values().(interface {
		Lower(s []float64, b bcpace.Belief) (float64, int)
	}).Lower(p.State, p.Belief)
	return lower, upper
}
