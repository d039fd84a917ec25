package runs

import (
	"fmt"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
)

// verifyClaims checks what a run says of itself against itself: its certificate
// against the algorithm and the model, and its samples against the episodes that made
// them. Its reason to stop, which follows from these and from the bounds, is checked
// after them (verifyStop): so an error names what is false at first.
func (r *Run) verifyClaims() error {
	if err := r.verifyKind(); err != nil {
		return err
	}
	return r.verifyTrace()
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
