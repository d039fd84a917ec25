package runs

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/stop"
)

// Verify checks what a run claims and returns the certificate that it has found. The
// run's own is in Run.Certificate. It checks that the certificate is of the kind
// that the algorithm and the model have, that samples, episodes, Value, Steps and
// Stop agree with one another, and that Stop is stop.Certified only where the gap is ε,
// stop.Searched only where that of the search is, and not the certificate's.
//
// Verify checks an exact certificate from the model and the samples alone. It computes
// the initial bounds from the model again, and checks two properties that prove the
// bounds whatever made the samples and α-vectors:
//
//   - Every sample obeys Q_j ≥ (BU)(x_j), where U is the upper bound of all of them.
//     Then TU ≤ U for the operator TU = min(U0, min_j (BU)(x_j) + cone_j). T is
//     monotone and a γ-contraction, so U ≥ T^∞U; and from a bound of Q*, T stays
//     above Q*, so T^∞U ≥ Q*.
//   - Every α-vector is at most the backup of the vectors that it names, so that the
//     policy of the vectors attains their upper surface (package certified, type
//     finiteBounds).
//
// Beliefs next to each other share a node, as they did in the search: Verify adds the
// nodes in the same order, from the starts on. If this machine rounds like the one that
// made the run, each inequality holds to the bit, and Verify returns the certificate of
// the run. Otherwise an inequality may fail by the rounding of a backup, and Verify
// widens the certificate by 1/(1−γ) times the largest such failure.
//
// If several policies were tried, Verify repeats their episodes, which must choose the same.
//
// For a statistical certificate of a certified run, Verify checks the samples against
// their backups in the same way; for that of another run, it checks the latent values
// and the value at the start. Then, for every such certificate, it repeats the
// simulation, which must give the run's Lower and support its Upper, and simulates the
// policy with other random numbers. It returns the two-sided interval that holds the
// policy's value with probability 1−2δ, of kind PolicyInterval. This
// interval contradicts the run's if it lies below its Lower or above its Upper. A run
// whose certificate holds is refused with probability 2δ at most, as one end of the
// interval must fail for it. A proved Upper is not contradicted: the interval then begins
// where the range of returns does.
//
// The error is an *UnsupportedError for a run without a certificate, an
// *InputError that names the sample, vector or claim at fault, or
// the context's.
func Verify(ctx context.Context, r *Run) (bcpace.Certificate, error) {
	if r == nil {
		return bcpace.Certificate{}, bcpace.In("Verify").Bad("the run", "nil", "a run")
	}
	if r.Certificate.Kind == bcpace.NoCertificate {
		return bcpace.Certificate{}, &bcpace.UnsupportedError{Model: r.Spec.Name, Algorithm: "verification", Need: "a run with a certificate; this one was interrupted or not simulated"}
	}
	again := *r
	var err error
	if again.plan, err = r.Solver.Plan(r.model); err != nil { // the solver is the user's to change
		return bcpace.Certificate{}, err
	}
	r = &again
	// Its reason to stop, which follows from all of these and from the bounds, is checked after them: so an error names what
	// is false at first.
	if err := cmp.Or(r.verifyKind(), r.verifyTrace()); err != nil {
		return bcpace.Certificate{}, err
	}
	c, err := r.values.Verify(ctx, r)
	if err == nil {
		err = r.verifyChoice(ctx)
	}
	if err == nil && !r.plan.Exact {
		if c, err = verifyStatistical(ctx, r); err == nil {
			err = r.verifyParts()
		}
	}
	if err != nil {
		return c, err
	}
	return c, r.verifyStop()
}

// verifyStatistical makes the certificate of r again, and simulates the policy with
// other random numbers.
func verifyStatistical(ctx context.Context, r *Run) (bcpace.Certificate, error) {
	claimed := r.Certificate
	again, err := r.simulate(ctx, simulatedStream, claimed.Episodes, 0)
	x, failed := r.simulate(ctx, verifyStream, 0, 0)
	if err = cmp.Or(err, failed, ctx.Err()); err != nil {
		return bcpace.Certificate{}, err
	}
	slack := 1e-12 * (again.hi - again.lo) // sums of returns round otherwise elsewhere
	// Values may prove closer bounds than ProvedAtStart does without a deadline, as far as memory allows.
	if v, ok := r.values.(interface {
		ProveDownTo(ctx context.Context, r *Run, claimed float64) error
	}); ok && claimed.UpperBy == bcpace.ByProof {
		if err := v.ProveDownTo(ctx, r, claimed.Upper+slack); err != nil {
			return bcpace.Certificate{}, err
		}
	}
	made, _, _, err := r.statistical(ctx, again)
	if err != nil {
		return bcpace.Certificate{}, err
	}
	if !(math.Abs(claimed.Lower-made.Lower) <= slack) {
		return made, Claim("the certificate's lower bound", claimed.Lower, "%v, which its %d episodes and the upper bound %v give; on another kind of processor they may go otherwise", made.Lower, claimed.Episodes, made.Upper)
	}
	var hasty []float64
	// UpperAtStart of Values may be less where its context ends than where it does not: both bounds hold, and either will do.
	if v, ok := r.values.(interface {
		UpperInHaste(ctx context.Context, r *Run) ([]float64, error)
	}); ok && !(claimed.Upper >= made.Upper-slack && claimed.Refuted == made.Refuted) {
		if hasty, err = v.UpperInHaste(ctx, r); err != nil {
			return bcpace.Certificate{}, err
		}
	}
	if least := slices.Min(append(hasty, made.Upper)); !(claimed.Upper >= least-slack) {
		return made, Claim("the certificate's upper bound", claimed.Upper, "%v at least", least)
	}
	early := claimed.UpperBy == bcpace.ByRange // as time was up
	withdrawn := claimed.Refuted == r.refutedSearch(claimed)
	for _, h := range hasty {
		early = early || math.Abs(claimed.Upper-h) <= slack
		withdrawn = withdrawn || claimed.Refuted == r.withRefuted(claimed, h).Refuted
	}
	if claimed.Refuted != made.Refuted && !(early && withdrawn) {
		return made, Claim("what the certificate refutes", strconv.Quote(claimed.Refuted), "%q", made.Refuted)
	}
	c, err := bcpace.Certificate{Kind: bcpace.PolicyInterval, Lower: x.lower(), Upper: x.upper(), Delta: x.delta, Episodes: len(x.returns), Horizon: x.horizon,
		LowerBy: bcpace.BySimulation, UpperBy: bcpace.BySimulation, PolicyEarns: bcpace.BySimulation}.Checked(r.Spec.Name)
	if made.UpperBy == bcpace.ByProof {
		c = rangeInstead(c, made.Upper, x.lo)
	}
	if err != nil {
		return bcpace.Certificate{}, err
	}
	if c.Upper < claimed.Lower || c.Lower > claimed.Upper {
		return c, Claim("the certificate", fmt.Sprintf("[%v, %v]", claimed.Lower, claimed.Upper), "one that meets [%v, %v], which %d other episodes support", c.Lower, c.Upper, c.Episodes)
	}
	return c, nil
}

// verifyKind checks what a certificate says beside its bounds.
func (r *Run) verifyKind() error {
	c := r.Certificate
	if !(c.Lower <= c.Upper) {
		return Claim("the certificate", fmt.Sprintf("[%v, %v]", c.Lower, c.Upper), "a lower bound that does not exceed the upper one")
	}
	if want := r.founded(c); c != want {
		return Claim("the certificate", fmt.Sprintf("%+v", c), "%+v, as such bounds of this algorithm and model have", want)
	}
	switch c.Kind {
	case bcpace.ExactCertificate:
		if !r.plan.Exact {
			return Claim("the certificate", c.Kind, "another one: an exact one takes the certified algorithm and numbered states (Finite)")
		}
		if c.Delta != 0 || c.Episodes != 0 || c.Horizon != 0 {
			return Claim("the certificate", fmt.Sprintf("an exact one with δ = %v, %d episodes and horizon %d", c.Delta, c.Episodes, c.Horizon), "0 for each, as nothing was simulated")
		}
	case bcpace.StatisticalCertificate:
		if r.plan.Exact {
			return Claim("the certificate", c.Kind, "an exact one, as every certified run with numbered states has")
		}
		x := r.simulation()
		switch {
		case c.Delta != x.delta:
			return Claim("the certificate's δ", c.Delta, "that of the options, %v", x.delta)
		case c.Horizon != x.horizon:
			return Claim("the certificate's horizon", c.Horizon, "that of the model, %d", x.horizon)
		case c.Episodes < 1 || c.Episodes > x.planned:
			return Claim("the certificate's number of episodes", c.Episodes, "one from 1 to the %d of the options", x.planned)
		}
	default:
		return Claim("the certificate", strconv.Quote(string(c.Kind)), "%q or %q", bcpace.ExactCertificate, bcpace.StatisticalCertificate)
	}
	return nil
}

// verifyTrace checks the episodes against one another and against the samples.
func (r *Run) verifyTrace() error {
	steps, samples := 0, 0
	for i, row := range r.Trace {
		what := func(field string) string { return fmt.Sprintf("%s of episode %d", field, i) }
		first := samples
		for samples < r.Samples.Len() && int(r.Samples.Episode[samples]) == i {
			samples++
		}
		steps += row.Steps
		switch {
		case row.Added != samples-first:
			return Claim(what("the number of samples"), row.Added, "%d, as the samples say", samples-first)
		case row.Added > row.Escapes || row.Escapes > row.Steps:
			return Claim(what("the number of steps, escapes and samples"), fmt.Sprintf("%d, %d, %d", row.Steps, row.Escapes, row.Added), "none larger than the one before it")
		case !num.Finite(row.Return) || !num.Finite(row.Value) || !(row.Residual >= 0) || row.Sweeps < 0:
			return Claim(what("the outcome"), fmt.Sprintf("%+v", row), "numbers")
		}
		if !r.Brackets() {
			if row.Steps > r.plan.Horizon {
				return Claim(what("the number of steps"), row.Steps, "no more than the %d that cpace.Solver.Horizon or ε and the discount ask for", r.plan.Horizon)
			}
			continue
		}
		if row.Return != 0 || row.Sweeps != 0 || row.Residual != 0 || row.Escapes != row.Added {
			return Claim(what("the outcome"), fmt.Sprintf("%+v", row), "no return, sweeps or residual, and as many escapes as samples, as of a search")
		}
		if before := r.Trace[max(i-1, 0)]; row.Value > before.Value || !(row.Gap <= before.Gap) {
			return Claim(what("the value and gap"), fmt.Sprintf("%v, %v", row.Value, row.Gap), "no more than those before it, %v and %v", before.Value, before.Gap)
		}
		// Where L_S is assumed, and too small, the bounds of a search may cross.
		if r.plan.Exact && !(row.Gap >= -1e-9*(1+r.Spec.VMax()-r.Spec.VMin())) {
			return Claim(what("the gap"), row.Gap, "0 or more")
		}
	}
	switch n := len(r.Trace); {
	case samples != r.Samples.Len():
		return Claim(fmt.Sprintf("the episode of sample %d", samples), r.Samples.Episode[samples], "one that is not before that of an earlier sample, and one of %d", n)
	case steps != r.Steps:
		return Claim("the number of steps", r.Steps, "%d, as the episodes say", steps)
	case n > 0 && r.Trace[n-1].Value != r.Value:
		return Claim("the value at the start", r.Value, "%v, as after the last episode", r.Trace[n-1].Value)
	case n == 0 && r.Brackets():
		return Claim("the number of episodes", 0, "one at least")
	}
	return nil
}

// Claim returns the error of a claim that cannot be true.
func Claim(what string, got any, want string, args ...any) error {
	return bcpace.In("run").Bad(what, got, fmt.Sprintf(want, args...))
}

// stopRule is what refutes some reasons to stop, where it is broken.
type stopRule struct {
	of     []stop.Reason
	broken bool
	why    string
}

// stopRules are those that what the run says beside its reason makes; the first that is broken tells most. That of
// stop.Rounding knows nothing of the gaps at cpace.Solver.Starts, which may have been left.
func (r *Run) stopRules() []stopRule {
	searched, ε := math.Inf(1), r.plan.Epsilon // the gap at the start after the last episode of a search
	if r.Brackets() {
		searched = r.Trace[len(r.Trace)-1].Gap
	}
	certified, refuted, moving := r.Certificate.Gap(), r.refutedSearch(r.Certificate), searched
	if r.plan.Exact {
		moving = certified
	}
	quiet := 0
	for _, row := range r.Trace {
		if quiet++; row.Added > 0 {
			quiet = 0
		}
	}
	type all = []stop.Reason
	return []stopRule{
		{all{stop.Fault, stop.Interrupted, stop.Deadline}, false, ""},
		{all{stop.Unsolved, stop.Steps, stop.Memory}, true, "an exploration explores, and has no limit of steps, nor of memory"},
		{all{stop.Certified, stop.Rounding, stop.Searched, stop.Refuted}, !r.Brackets(), "this one is of the certified algorithm"},
		{all{stop.Searched}, r.plan.Exact, "the bounds of the search and of the certificate are the same"},
		{all{stop.Certified, stop.Searched, stop.Refuted}, !(searched <= ε), fmt.Sprintf("the gap is %v, more than ε = %v", searched, ε)},
		{all{stop.Certified}, !(certified <= ε), fmt.Sprintf("the gap of the certificate is %v, more than ε = %v", certified, ε)},
		{all{stop.Searched}, certified <= ε, fmt.Sprintf("the gap of the certificate is %v, within ε = %v", certified, ε)},
		{all{stop.Certified, stop.Searched}, refuted != "", "the certificate refutes " + refuted},
		{all{stop.Refuted}, refuted == "", "the certificate does not refute the bounds of the search"},
		{all{stop.Rounding}, moving <= ε && len(r.plan.Starts) == 0, fmt.Sprintf("the gap is %v, within ε = %v", moving, ε)},
		{all{stop.Converged}, r.Brackets() || quiet < r.plan.Patience,
			fmt.Sprintf("%d episodes without a new sample have passed, of %d", quiet, r.plan.Patience)},
		{all{stop.Episodes}, r.plan.MaxEpisodes == 0 || len(r.Trace) < r.plan.MaxEpisodes,
			fmt.Sprintf("%d episodes were played, of %d", len(r.Trace), r.plan.MaxEpisodes)},
		{all{stop.Samples}, r.plan.MaxSamples == 0 || r.Samples.Len() < r.plan.MaxSamples,
			fmt.Sprintf("there are %d samples, of %d", r.Samples.Len(), r.plan.MaxSamples)},
	}
}

// verifyStop checks the reason to stop against what the run says beside it; a checkpoint has none.
func (r *Run) verifyStop() error {
	known := r.Stop == ""
	for _, rule := range r.stopRules() {
		of := slices.Contains(rule.of, r.Stop)
		if known = known || of; of && rule.broken {
			return Claim("the reason to stop", strconv.Quote(string(r.Stop)), "another one: %s", rule.why)
		}
	}
	if !known {
		return Claim("the reason to stop", strconv.Quote(string(r.Stop)), "another one: there is no such one")
	}
	return nil
}

// endsCertified leaves stop.Certified only where the certificate is as narrow as was
// asked for, and does not refute the search: the bounds of a search whose certificate is
// simulated may be within ε and those of the certificate not.
func (r *Run) endsCertified() {
	switch {
	case !r.Brackets() || r.plan.Exact || r.Stop != stop.Certified && r.Stop != stop.Searched:
	case r.refutedSearch(r.Certificate) != "":
		r.Stop = stop.Refuted
	case !(r.Certificate.Gap() <= r.plan.Epsilon):
		r.Stop = stop.Searched
	}
}
