package runs

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

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
	bad := bcpace.In("options").Bad
	switch {
	case !(p.Epsilon > 0 && num.Finite(p.Epsilon)):
		return Plan{}, bad("Epsilon", p.Epsilon, "a finite ε > 0, in reward units")
	case p.MaxEpisodes < 0:
		return Plan{}, bad("MaxEpisodes", p.MaxEpisodes, "a number of episodes, or 0 for no limit")
	case p.MaxSamples < 0:
		return Plan{}, bad("MaxSamples", p.MaxSamples, "a number of samples, or 0 for no limit")
	case p.CertificateEpisodes < -1 || p.CertificateEpisodes > maxEpisodes:
		return Plan{}, bad("CertificateEpisodes", p.CertificateEpisodes, fmt.Sprintf("a number of episodes up to %d, 0 for the default, or −1 for none", maxEpisodes))
	case !(p.Delta >= 0 && p.Delta < 1):
		return Plan{}, bad("Delta", p.Delta, "a probability δ in (0, 1), or 0 for 0.05")
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

// LookAhead is the share of the time before a deadline that explorers leave for what comes
// after the exploration: the choice of a policy and the certificate.
const LookAhead = 0.2

// Shares of what is left then, in order.
const (
	// AfterGrid takes the place of LookAhead in a search with a list of actions in the place of a Box.
	AfterGrid = 0.6
	// AfterProof is what a search leaves after a policy by proof, and GridShare what a policy on a grid takes.
	AfterProof, GridShare = 0.6, 0.5

	choiceShare = 0.5 // of the choice of a policy
	playedShare = 0.5 // of the certificate's simulated episodes, where its upper bound takes time too
)

// AfterSearch returns the share of the time before a deadline that a search for bounds on a grid leaves for
// what comes after it, in a model with a list of actions in the place of a Box or without.
func AfterSearch(listed bool) float64 {
	if listed {
		return AfterGrid
	}
	return LookAhead
}

// SearchShares are the solverkit.Scheduled shares of a search for bounds. In a Finite model it has all of the time.
func SearchShares(m bcpace.Model) (list []solverkit.TimeShare) {
	if _, finite := bcpace.AsFinite(m); finite {
		return nil
	}
	add := func(what string, share float64) { list = append(list, solverkit.TimeShare{What: what, Share: share}) }
	can, spec := bcpace.AbilitiesOf(m), m.Spec()
	listed := spec.HasBox() || can.Behind != nil
	if add("tables and trials", 1-AfterSearch(listed)); can.Smoothness != nil {
		add("policy by proof", 1-AfterProof)
	}
	if listed {
		add("policy on a grid", GridShare)
	}
	add("choice of a policy", choiceShare)
	add("lower bound", playedShare)
	add("upper bound", 1)
	return list
}

// ExplorationShares are those of an exploration by episodes that returns a policy by a rule.
func ExplorationShares(rule PolicyRule) []solverkit.TimeShare {
	if rule == PolicyGreedy {
		return nil
	}
	return []solverkit.TimeShare{{What: "exploration", Share: 1 - LookAhead}, {What: "choice of a policy", Share: choiceShare}, {What: "certificate", Share: 1}}
}

// LeaveTime returns a context that ends when the given share of the time to the deadline of
// ctx is left, and ctx itself if it has none. It is for authors of explorers.
func LeaveTime(ctx context.Context, share float64) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, end.Add(-time.Duration(share*float64(time.Until(end)))))
}

// grace is how long an update goes on after the deadline. It ends as planned where that is soon, so that a run that is resumed is
// the one that was not cut; in a model with many successors it may take many seconds.
const grace = 500 * time.Millisecond

// Late reports whether the deadline of ctx has passed so long ago that what is under way ends where it is.
func Late(ctx context.Context) bool {
	end, timed := ctx.Deadline()
	return timed && time.Since(end) > grace
}
