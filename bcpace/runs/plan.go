package runs

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// Plan is what the parameters of an Explorer come to for one model, with every default
// filled in.
type Plan struct {
	Epsilon float64 // ε, in reward units
	// Starts are the states and beliefs to explore from; nil for the model's own.
	Starts []bcpace.StartPoint
	// MaxEpisodes and MaxSamples end the exploration; 0 without such a limit.
	MaxEpisodes, MaxSamples int
	// Patience and Horizon are those of an exploration by episodes; 0 for a search.
	Patience, Horizon int
	// CertificateEpisodes is how many episodes of the policy are simulated for a
	// statistical certificate, −1 for none. Delta is the probability with which its
	// lower bound may fail, and Seed is the seed of the episodes.
	CertificateEpisodes int
	Delta               float64
	Seed                uint64
	// K is how many neighbours an estimate by averages takes, as the user gave it; 0 without one.
	K int
	// Alpha is α, the weight of the state's distance against the belief's.
	Alpha float64
	// LipQ is L_Q̃ = 2·L_Q of an estimate by averages; NaN without one. SeedRadius is
	// that of Known Latent Initialization; −1 without it.
	LipQ, SeedRadius float64
	// Latent are the user's own latent values, or nil.
	Latent bcpace.LatentValues
	// Controller is the user's own policy, or nil.
	Controller bcpace.Policy

	// Brackets says that the run is a search for bounds, see Run.Brackets. Exact says
	// that its values prove the certificate, which is then an ExactCertificate and
	// otherwise a simulated one.
	Brackets, Exact bool
	// Assumes is the assumption of the upper bound of a simulated certificate, for a
	// model whose states are not numbered.
	Assumes string
}

// DefaultDelta is the probability with which the lower bound of a statistical
// certificate may fail if the user gives none.
const DefaultDelta = 0.05

// maxEpisodes bounds the number of simulated episodes, as their returns are in memory.
const maxEpisodes = 1 << 20

// Resolve checks the parameters that all explorers have, and fills in their defaults for
// m. episodes is the default of CertificateEpisodes. The error is an *InputError.
func (p Plan) Resolve(m bcpace.Model, episodes int) (Plan, error) {
	need := bcpace.In("options").Need
	if err := cmp.Or(
		need(p.Epsilon > 0 && num.Finite(p.Epsilon), "Epsilon", p.Epsilon, "a finite ε > 0, in reward units"),
		need(p.MaxEpisodes >= 0, "MaxEpisodes", p.MaxEpisodes, "a number of episodes, or 0 for no limit"),
		need(p.MaxSamples >= 0, "MaxSamples", p.MaxSamples, "a number of samples, or 0 for no limit"),
		need(p.CertificateEpisodes >= -1 && p.CertificateEpisodes <= maxEpisodes, "CertificateEpisodes", p.CertificateEpisodes, fmt.Sprintf("a number of episodes up to %d, 0 for the default, or −1 for none", maxEpisodes)),
		need(p.Delta >= 0 && p.Delta < 1, "Delta", p.Delta, "a probability δ in (0, 1), or 0 for 0.05")); err != nil {
		return Plan{}, err
	}
	p.LipQ, p.SeedRadius = math.NaN(), -1
	p.CertificateEpisodes = cmp.Or(p.CertificateEpisodes, episodes)
	p.Delta = cmp.Or(p.Delta, DefaultDelta)
	p.Alpha = cmp.Or(p.Alpha, 1)
	var err error
	p.Starts, err = solverkit.StartsFor(m, p.Starts)
	return p, err
}

// Spent returns which limit ends an exploration here, or "".
func (p Plan) Spent(ctx context.Context, episodes, samples int) stop.Reason {
	why := stop.Of(ctx)
	switch {
	case why != "":
		return why
	case p.MaxSamples > 0 && samples >= p.MaxSamples:
		return stop.Samples
	case p.MaxEpisodes > 0 && episodes >= p.MaxEpisodes:
		return stop.Episodes
	}
	return ""
}
