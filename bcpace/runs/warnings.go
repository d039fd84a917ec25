package runs

import (
	"errors"
	"fmt"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/stop"
)

// Warning says what holds a run or a plan back, and what to change.
type Warning struct {
	Kind WarningKind `json:"kind"`
	What string      `json:"what"` // with the numbers
	Do   string      `json:"do"`   // what would help
}

// WarningKind names what a Warning is about.
type WarningKind string

const (
	// NeverKnown: hardly a query of the last episodes was known, so that the values are
	// the bound that they started from, and its slopes.
	NeverKnown WarningKind = "never known"
	// SamplesRising: when a limit ended the exploration, it still found as many new samples
	// as in the beginning.
	SamplesRising WarningKind = "samples rising"
	// BracketRefuted: Certificate.Refuted says that a bound is false.
	BracketRefuted WarningKind = "bracket refuted"
	// ProofContradicted: the policy earned more in simulated episodes than what is proved allows,
	// so that the lower bound of the simulation was withdrawn.
	ProofContradicted WarningKind = "proof contradicted"
	// CoarseGrid: the values of the latent MDPs on a grid err on average by more than ε and
	// by more than a fiftieth of their range.
	CoarseGrid WarningKind = "coarse grid"
	// WideGap: the bounds of a search are more than ten times ε apart, as GapParts says, or as
	// there is no upper bound but that of the range of rewards.
	WideGap WarningKind = "wide gap"
	// GreedyBehind: another policy earned more than the one that the exploration found, by
	// more than chance explains, and is returned in its place.
	GreedyBehind WarningKind = "greedy behind"
	// CutShort: the context ended in the set-up, and only policies that need none were simulated.
	CutShort WarningKind = "cut short"
	// HastyChoice: the context ended before Choice could compare policies.
	HastyChoice WarningKind = "hasty choice"
	// OneStep: episodes of the exploration have one step.
	OneStep WarningKind = "one step"
	// NotSimulated: the context ended before the policy was simulated, so that there is no
	// certificate.
	NotSimulated WarningKind = "not simulated"
)

const (
	fewKnown  = 0.01 // share of known queries
	mostKnown = 0.95
	coarse    = 0.02 // share of the range of values
	wide      = 10   // times ε
	rising    = 0.5  // new samples for each step in the last quarter, against the first
	// rowsToJudge is how many episodes a run must have for a statement on its trend.
	rowsToJudge = 8
)

// coarser is what makes more queries known.
const coarser = "a larger Epsilon, or a smaller LipQ or Alpha (package choose suggests some for a model)"

// moreGrid is what makes a grid finer.
const moreGrid = "more MaxPoints in the solver's Grid, or a Step that puts points on the borders where values jump"

// Other solvers, for whom more samples and more time are not enough.
const (
	noSamples = "; or another solver: certified, where the model lists what follows a state, or policy-search"
	noGrid    = "; or policy-search, which needs no grid"
	noWait    = ", or policy-search, which plays its policies as it finds them"
)

// Warnings returns what holds the run back, as far as the run itself shows, in order of
// importance; nil if there is nothing.
func (r *Run) Warnings() (list []Warning) {
	warn := func(kind WarningKind, do string, what string, args ...any) {
		list = append(list, Warning{kind, fmt.Sprintf(what, args...), do})
	}
	q, onGrid := r.LatentValues().(*dp.GridValues)
	if c := r.Certificate; c.Refuted != "" {
		do := moreGrid
		if short := c.Lower - r.Value; r.Brackets() && short > 0 && !(onGrid && q.MeanError >= short) {
			do = "a larger LipState, or " + moreGrid
		}
		if onGrid {
			do += noGrid
		}
		warn(BracketRefuted, do+"; and for a model of one's own a look at its Successors with package check", "a bound is false: %s", c.Refuted)
	}
	if c := r.Certificate; c.Kind == bcpace.StatisticalCertificate && c.UpperBy == bcpace.ByProof && c.LowerBy == bcpace.ByRange {
		warn(ProofContradicted, "another Seed; and if it is so again, a look at what the model states of itself with package check",
			"the policy earned more in %d simulated episodes than the %.6g that is proved: by chance, with a probability of %.2g at most, or as the model does something else than it states", c.Episodes, c.Upper, c.Delta)
	}
	if r.Horizon() == 1 && r.Spec.Horizon != 1 {
		warn(OneStep, "cpace.Solver.Horizon, or a smaller Epsilon, from which it follows", "episodes of the exploration have one step, so that it sees nothing but starts")
	}
	cut := r.cut()
	switch {
	case r.InSetUp() && r.Certificate.Kind != bcpace.NoCertificate:
		warn(CutShort, r.moreTime(), "%s before the first sample or bound: what acts is %s", cut, r.StandIn())
	case r.InSetUp():
		do := r.moreTime()
		if _, numbered := bcpace.AsFinite(r.model); !numbered && r.plan.Controller == nil {
			do += "; or a Controller of your own, which is simulated in time and returned if it earns more"
		}
		warn(NotSimulated, do, "%s before the first sample or bound: the exploration has no policy yet, and in its place is %s", cut, r.StandIn())
	case r.Certificate.Kind == bcpace.NoCertificate && r.Stop != stop.Fault && r.Stop != "" && !r.plan.Exact && r.plan.CertificateEpisodes > 0:
		warn(NotSimulated, "more time, or MaxSamples, which leaves time for the simulation"+noWait, "%s before the policy was simulated: nothing is known of what it earns", cut)
	}
	if !r.Brackets() {
		switch share, late := r.Known(len(r.Trace)), r.lateSamples(); {
		case r.Stop == stop.Converged || r.Stop == "" || r.Steps == 0:
		case share < fewKnown:
			warn(NeverKnown, coarser+noSamples, "%.2g%% of the last queries were known, after %d samples: within the known radius %.3g, there are seldom K = %d of them", 100*share, r.Samples.Len(), r.Radius(), max(r.plan.K, 1))
		case late > rising && share < mostKnown:
			warn(SamplesRising, "more samples, or "+coarser+noSamples, "the last quarter of the steps found %.0f%% as many new samples as the first: the exploration is far from its end", 100*late)
		}
	}
	if onGrid && q.MeanError > max(r.Epsilon(), coarse*(slices.Max(q.Table)-slices.Min(q.Table))) {
		warn(CoarseGrid, moreGrid+", or a larger Epsilon: values cannot be told apart by less than the grid errs"+noGrid,
			"the latent values on their grid err by about %.3g on average and by about %.3g where they err most, as estimated from this grid and a coarser one, and ε is %.3g", q.MeanError, q.Error, r.Epsilon())
	}
	if gap := r.Certificate.Gap(); r.Parts != (GapParts{}) && r.Brackets() && gap > wide*r.Epsilon() {
		why, do := r.widest()
		if r.plan.Exact {
			do += "; or sarsop, whose bounds may close sooner"
		} else {
			do += "; or for a policy without bounds policy-search"
		}
		warn(WideGap, do, "the bounds are %.3g apart, and ε is %.3g: %s%s", gap, r.Epsilon(), why, r.unproved())
	}
	switch c := r.Choice; {
	case c == nil:
	case c.hasty():
		warn(HastyChoice, "more time, or MaxSamples, which leaves time for the choice"+noWait, "%s before policies were compared: %s is returned after %d episodes of each", cut, c.Name(), c.Tried[c.Chosen].Episodes)
	case c.greedyBehind() && !r.InSetUp():
		own, best := c.Tried[0], c.Tried[c.Chosen]
		warn(GreedyBehind, "more samples, or another Epsilon, K or LipQ; Run.Greedy is its own policy"+noSamples, "the exploration's own policy earned %.4g, and %s %.4g, which is returned", own.Mean, best.Name, best.Mean)
	}
	return list
}

// cut says what ended a run that its context has ended, or a part of it.
func (r *Run) cut() string {
	if r.Stop == stop.Interrupted {
		return "the run was interrupted"
	}
	return "time was up"
}

// moreTime is what helps where the set-up has taken all of it.
func (r *Run) moreTime() string {
	fewer := "fewer states or latents"
	if _, numbered := bcpace.AsFinite(r.model); !numbered {
		fewer = "fewer MaxPoints in the solver's Grid, or fewer latents"
	}
	return "more time, or " + fewer + ", or policy-search, which has no set-up; package choose estimates what this one takes"
}

// widest says what holds the bounds of a search apart, and what would help.
func (r *Run) widest() (why, do string) {
	p := r.Parts
	const byRange = "the upper one is that of the range of rewards, "
	ended := r.Stop == stop.Deadline || r.Stop == stop.Interrupted
	switch largest := max(p.Search, p.Lipschitz, p.Grid, p.Simulation); {
	case r.Certificate.UpperBy == bcpace.ByRange && ended && r.Certificate.Refuted == "":
		return byRange + "as " + r.cut() + " before a better one was known", "more time, or a larger Epsilon"
	case r.Certificate.UpperBy == bcpace.ByRange:
		return byRange + "as no grid gives one that is less and holds", moreGrid
	case largest == p.Grid:
		return p.String(), moreGrid
	case largest == p.Simulation && ended:
		return p.String(), "more time"
	case largest == p.Simulation:
		return p.String(), "more CertificateEpisodes"
	case r.Trace[len(r.Trace)-1].Gap <= r.Epsilon(): // more samples change nothing
		return p.String() + "; but the search has closed, so that its bounds err by more than ε", moreGrid + ", or another LipState"
	case largest == p.Lipschitz:
		return p.String(), "a smaller LipState, or a Scale that fits the axes better"
	}
	return p.String(), "more time, or more MaxSamples"
}

// unproved says why no upper bound is proved that could be less, "" where one is, or where the values prove none.
func (r *Run) unproved() string {
	v, ok := r.values.(interface{ Unproved() error })
	if !ok || r.Certificate.UpperBy == bcpace.ByProof {
		return ""
	}
	if why := new(bcpace.UnsupportedError); errors.As(v.Unproved(), &why) {
		return "; no upper bound is proved, as that needs " + why.Need
	}
	return ""
}

// lateSamples returns how many new samples a step found in the last quarter of the
// episodes, as a share of that in the first; 0 for too few episodes.
func (r *Run) lateSamples() float64 {
	n := len(r.Trace)
	if n < rowsToJudge {
		return 0
	}
	rate := func(rows []Episode) float64 {
		steps, added := 0, 0
		for _, e := range rows {
			steps += e.Steps
			added += e.Added
		}
		return float64(added) / float64(max(steps, 1))
	}
	first := rate(r.Trace[:n/4])
	if first == 0 {
		return 0
	}
	return rate(r.Trace[n-n/4:]) / first
}
