package runs

import (
	"strconv"

	"bayescpace/bcpace/stop"
)

// reasons says for each reason to stop what a run with it says against it.
var reasons = map[stop.Reason]func(*Run) error{
	stop.Certified:   (*Run).stopsCertified,
	stop.Rounding:    (*Run).stopsRounding,
	stop.Searched:    (*Run).stopsSearched,
	stop.Refuted:     (*Run).stopsRefuted,
	stop.Fault:       (*Run).stopsAtAnyTime,
	stop.Converged:   (*Run).stopsConverged,
	stop.Episodes:    (*Run).stopsAtEpisodes,
	stop.Samples:     (*Run).stopsAtSamples,
	stop.Unsolved:    (*Run).stopsNever,
	stop.Steps:       (*Run).stopsNever,
	stop.Memory:      (*Run).stopsNever,
	stop.Interrupted: (*Run).stopsAtAnyTime,
	stop.Deadline:    (*Run).stopsAtAnyTime,
}

// verifyStop checks the reason to stop against what the run says beside it.
func (r *Run) verifyStop() error {
	if r.Stop == "" { // a checkpoint
		return nil
	}
	holds, ok := reasons[r.Stop]
	if !ok {
		return r.noReason("there is no such one")
	}
	return holds(r)
}

// stopsNever refuses a reason that no explorer has.
func (r *Run) stopsNever() error {
	return r.noReason("an exploration explores, and has no limit of steps, nor of memory")
}

// noReason returns the error of a run that contradicts its reason to stop.
func (r *Run) noReason(format string, args ...any) error {
	return Claim("the reason to stop", strconv.Quote(string(r.Stop)), "another one: "+format, args...)
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

// searchGap returns the gap at the start after the last episode of a search.
func (r *Run) searchGap() (gap float64, err error) {
	if !r.Brackets() {
		return 0, r.noReason("this one is of the certified algorithm")
	}
	return r.Trace[len(r.Trace)-1].Gap, nil
}

// searchClosed returns an error unless the search has narrowed the gap to ε.
func (r *Run) searchClosed() error {
	gap, err := r.searchGap()
	if err == nil && !(gap <= r.plan.Epsilon) {
		err = r.noReason("the gap is %v, more than ε = %v", gap, r.plan.Epsilon)
	}
	return err
}

func (r *Run) stopsCertified() error {
	if err := r.searchClosed(); err != nil {
		return err
	}
	if gap := r.Certificate.Gap(); !(gap <= r.plan.Epsilon) {
		return r.noReason("the gap of the certificate is %v, more than ε = %v", gap, r.plan.Epsilon)
	}
	return r.stopsUnrefuted()
}

// stopsUnrefuted returns an error if the certificate refutes the bounds of the search.
func (r *Run) stopsUnrefuted() error {
	if what := r.refutedSearch(r.Certificate); what != "" {
		return r.noReason("the certificate refutes %s", what)
	}
	return nil
}

func (r *Run) stopsRefuted() error {
	if err := r.searchClosed(); err != nil {
		return err
	}
	if r.refutedSearch(r.Certificate) == "" {
		return r.noReason("the certificate does not refute the bounds of the search")
	}
	return nil
}

func (r *Run) stopsSearched() error {
	gap, err := r.searchGap()
	if err != nil {
		return err
	}
	if r.plan.Exact {
		return r.noReason("the bounds of the search and of the certificate are the same")
	}
	if !(gap <= r.plan.Epsilon) {
		return r.noReason("the gap is %v, more than ε = %v", gap, r.plan.Epsilon)
	}
	if gap := r.Certificate.Gap(); gap <= r.plan.Epsilon {
		return r.noReason("the gap of the certificate is %v, within ε = %v", gap, r.plan.Epsilon)
	}
	return r.stopsUnrefuted()
}

// stopsRounding knows nothing of the gaps at cpace.Solver.Starts, which may have been left.
func (r *Run) stopsRounding() error {
	gap, err := r.searchGap()
	if err != nil {
		return err
	}
	if r.plan.Exact {
		gap = r.Certificate.Gap()
	}
	if gap <= r.plan.Epsilon && len(r.plan.Starts) == 0 {
		return r.noReason("the gap is %v, within ε = %v", gap, r.plan.Epsilon)
	}
	return nil
}

func (r *Run) stopsConverged() error {
	quiet := 0
	for _, row := range r.Trace {
		if quiet++; row.Added > 0 {
			quiet = 0
		}
	}
	if r.Brackets() || quiet < r.plan.Patience {
		return r.noReason("%d episodes without a new sample have passed, of %d", quiet, r.plan.Patience)
	}
	return nil
}

func (r *Run) stopsAtEpisodes() error {
	if r.plan.MaxEpisodes == 0 || len(r.Trace) < r.plan.MaxEpisodes {
		return r.noReason("%d episodes were played, of %d", len(r.Trace), r.plan.MaxEpisodes)
	}
	return nil
}

func (r *Run) stopsAtSamples() error {
	if r.plan.MaxSamples == 0 || r.Samples.Len() < r.plan.MaxSamples {
		return r.noReason("there are %d samples, of %d", r.Samples.Len(), r.plan.MaxSamples)
	}
	return nil
}

func (r *Run) stopsAtAnyTime() error { return nil }
