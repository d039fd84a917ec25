package bcpace

import "fmt"

// verifyClaims checks what a run says of itself against itself: its certificate
// against the algorithm and the model, its samples against the episodes that made
// them, and its reason to stop against the limits and bounds.
func (r *Run) verifyClaims() error {
	set, err := r.Options.resolve(r.model)
	if err != nil {
		return err
	}
	if err := r.verifyKind(set); err != nil {
		return err
	}
	if err := r.verifyTrace(); err != nil {
		return err
	}
	return r.verifyStop(set)
}

// claim returns the error of a claim that cannot be true.
func claim(what string, got any, want string, args ...any) error {
	return &InputError{Where: "run", What: what, Got: fmt.Sprint(got), Want: fmt.Sprintf(want, args...)}
}

// exact tells whether a certificate of r is an exact one.
func (r *Run) exact() bool {
	_, ok := r.values.(*envelope)
	return ok
}

// verifyKind checks what a certificate says beside its bounds.
func (r *Run) verifyKind(set settings) error {
	c := r.Certificate
	if !(c.Lower <= c.Upper) {
		return claim("the certificate", fmt.Sprintf("[%v, %v]", c.Lower, c.Upper), "a lower bound that does not exceed the upper one")
	}
	if want := r.founded(c); c != want {
		return claim("the certificate", fmt.Sprintf("%+v", c), "%+v, as such bounds of this algorithm and model have", want)
	}
	switch c.Kind {
	case ExactCertificate:
		if !r.exact() {
			return claim("the certificate", c.Kind, "another one: an exact one takes the certified algorithm and numbered states (Finite)")
		}
		if c.Delta != 0 || c.Episodes != 0 || c.Horizon != 0 {
			return claim("the certificate", fmt.Sprintf("an exact one with δ = %v, %d episodes and horizon %d", c.Delta, c.Episodes, c.Horizon), "0 for each, as nothing was simulated")
		}
	case StatisticalCertificate:
		if r.exact() {
			return claim("the certificate", c.Kind, "an exact one, as every certified run with numbered states has")
		}
		x := r.simulation()
		switch {
		case c.Delta != x.delta:
			return claim("the certificate's δ", c.Delta, "that of the options, %v", x.delta)
		case c.Horizon != x.horizon:
			return claim("the certificate's horizon", c.Horizon, "that of the model, %d", x.horizon)
		case c.Episodes < 1 || c.Episodes > x.planned:
			return claim("the certificate's number of episodes", c.Episodes, "one from 1 to the %d of the options", x.planned)
		}
	default:
		return claim("the certificate", quote(string(c.Kind)), "%q or %q", ExactCertificate, StatisticalCertificate)
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
			return claim(what("the number of samples"), row.Added, "%d, as the samples say", samples-first)
		case row.Added > row.Escapes || row.Escapes > row.Steps:
			return claim(what("the number of steps, escapes and samples"), fmt.Sprintf("%d, %d, %d", row.Steps, row.Escapes, row.Added), "none larger than the one before it")
		case !finite(row.Return) || !finite(row.Value) || !(row.Residual >= 0) || row.Sweeps < 0:
			return claim(what("the outcome"), fmt.Sprintf("%+v", row), "numbers")
		}
		if r.est != nil {
			continue
		}
		if row.Return != 0 || row.Sweeps != 0 || row.Residual != 0 || row.Escapes != row.Added {
			return claim(what("the outcome"), fmt.Sprintf("%+v", row), "no return, sweeps or residual, and as many escapes as samples, as of a search")
		}
		if before := r.Trace[max(i-1, 0)]; row.Value > before.Value || row.Gap > before.Gap || !(row.Gap >= -1e-9*(1+r.Spec.VMax()-r.Spec.VMin())) {
			return claim(what("the value and gap"), fmt.Sprintf("%v, %v", row.Value, row.Gap), "no more than those before it, %v and %v", before.Value, before.Gap)
		}
	}
	switch n := len(r.Trace); {
	case samples != r.Samples.Len():
		return claim(fmt.Sprintf("the episode of sample %d", samples), r.Samples.Episode[samples], "one that is not before that of an earlier sample, and one of %d", n)
	case steps != r.Steps:
		return claim("the number of steps", r.Steps, "%d, as the episodes say", steps)
	case n > 0 && r.Trace[n-1].Value != r.Value:
		return claim("the value at the start", r.Value, "%v, as after the last episode", r.Trace[n-1].Value)
	case n == 0 && r.est == nil:
		return claim("the number of episodes", 0, "one at least")
	}
	return nil
}

// verifyStop checks the reason to stop.
func (r *Run) verifyStop(set settings) error {
	bad := func(format string, args ...any) error {
		return claim("the reason to stop", quote(string(r.Stop)), "another one: "+format, args...)
	}
	quiet := 0
	for _, row := range r.Trace {
		if quiet++; row.Added > 0 {
			quiet = 0
		}
	}
	switch r.Stop {
	case "", StopInterrupted, StopDeadline:
		return nil
	case StopCertified, StopRounding:
		if r.est != nil {
			return bad("this one is of the certified algorithm")
		}
		if gap := r.Trace[len(r.Trace)-1].Gap; r.Stop == StopCertified && !(gap <= set.Epsilon) {
			return bad("the gap is %v, more than ε = %v", gap, set.Epsilon)
		}
		if gap := r.Certificate.Gap(); r.Stop == StopCertified && r.exact() && !(gap <= set.Epsilon) {
			return bad("the gap of the certificate is %v, more than ε = %v", gap, set.Epsilon)
		}
		return nil
	case StopConverged:
		if r.est == nil || quiet < set.Patience {
			return bad("%d episodes without a new sample have passed, of %d", quiet, set.Patience)
		}
		return nil
	case StopEpisodes:
		if set.MaxEpisodes == 0 || len(r.Trace) < set.MaxEpisodes {
			return bad("%d episodes were played, of %d", len(r.Trace), set.MaxEpisodes)
		}
		return nil
	case StopSamples:
		if set.MaxSamples == 0 || r.Samples.Len() < set.MaxSamples {
			return bad("there are %d samples, of %d", r.Samples.Len(), set.MaxSamples)
		}
		return nil
	}
	return bad("there is no such one")
}
