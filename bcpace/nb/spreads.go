package nb

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/runs"
)

// Setting is a line of Spreads: options under a name.
type Setting struct {
	Name    string
	Options cpace.Solver
}

// Spreads explores m with each setting under several seeds, counted from that of
// its options, and sums every setting up: the exact values of the greedy
// policies over the given number of steps (0 for no end), samples, episodes and
// sweeps. No certificate is simulated unless options ask for one. Runs come from the store
// where they are in it, as with Explore. An error, such as a model that is not finite, ends the
// cell. Package sweep and Sweep are for more trials than a few.
func Spreads(m bcpace.Model, seeds, horizon int, settings ...Setting) []eval.Spread {
	var rows []eval.Spread
	for _, s := range settings {
		var all []*runs.Run
		for i := range seeds {
			o := s.Options
			o.Seed += uint64(i)
			if o.CertificateEpisodes == 0 {
				o.CertificateEpisodes = -1 // their exact values are asked for anyway
			}
			all = append(all, Explore(m, o))
		}
		rows = append(rows, Must(eval.SpreadOf(Context(), s.Name, m, all, eval.ExactOptions{Horizon: horizon})))
	}
	return rows
}
