package bcpace

import (
	"context"
	"fmt"
	"math"
)

// Verify checks the certificate of a run and returns the one that it has found.
// An exact certificate is checked from the model and the samples alone. The first
// bounds are made from the model anew, and it does not matter how samples and
// α-vectors came about:
//
//   - Every sample obeys Q_j ≥ (BU)(x_j) for U the envelope of all of them. Then
//     TU ≤ U for the operator TU = min(U0, min_j (BU)(x_j) + cone_j). T is monotone
//     and a γ-contraction, so U ≥ T^∞U; and started from a bound of Q*, T stays
//     above Q*, so T^∞U ≥ Q*.
//   - Every α-vector is at most the backup of the vectors that it names, so that
//     the policy of the vectors attains their upper surface (type envelope).
//
// Each inequality may fail by a tolerance for rounding, which the certificate
// then bears 1/(1−γ) times.
//
// For a statistical certificate of the certified algorithm, the samples are
// checked against their backups in the same way, in the model's quadrature. Then,
// for every such certificate, the policy is simulated again, with other random
// numbers. The certificate returned is the two-sided interval that holds the
// policy's value with probability 1−2δ. It contradicts the run's where it lies
// below its Lower, or above its Upper. A run whose certificate holds is refused
// with probability 2δ at most, as one end of the interval must fail for it.
//
// The error is an *UnsupportedError for a run without a certificate, an
// *InputError that names the sample or vector at fault or the certificate, or
// the context's.
func Verify(ctx context.Context, r *Run) (Certificate, error) {
	if r == nil {
		return Certificate{}, &InputError{Where: "Verify", What: "the run", Got: "nil", Want: "a run"}
	}
	switch r.Certificate.Kind {
	case ExactCertificate:
		return verifyExact(ctx, r)
	case StatisticalCertificate:
		return verifyStatistical(ctx, r)
	}
	return Certificate{}, &UnsupportedError{Model: r.Spec.Name, Algorithm: "verification", Need: "a run with a certificate; this one was interrupted or not simulated"}
}

// verifyStatistical simulates the policy of r again.
func verifyStatistical(ctx context.Context, r *Run) (Certificate, error) {
	if e, ok := r.values.(*continuum); ok {
		if err := e.verify(ctx, r.Value); err != nil {
			return Certificate{}, err
		}
	}
	x, err := r.simulate(ctx, verifyStream)
	if err != nil {
		return Certificate{}, err
	}
	if ctx.Err() != nil {
		return Certificate{}, ctx.Err()
	}
	c := Certificate{Kind: StatisticalCertificate, Lower: x.lower(), Upper: x.upper(), Delta: x.delta, Episodes: len(x.returns), Horizon: x.horizon,
		LowerBy: BySimulation, UpperBy: BySimulation, PolicyEarns: BySimulation}
	if c.Upper < r.Certificate.Lower || c.Lower > r.Certificate.Upper {
		return c, &InputError{Where: "run", What: "the certificate", Got: fmt.Sprintf("[%v, %v]", r.Certificate.Lower, r.Certificate.Upper),
			Want: fmt.Sprintf("one that meets [%v, %v], which %d other episodes support", c.Lower, c.Upper, c.Episodes)}
	}
	return c, nil
}

// verifyExact checks the samples and the vectors of r.
func verifyExact(ctx context.Context, r *Run) (Certificate, error) {
	f, _ := AsFinite(r.model)
	e, err := openEnvelope(ctx, f, r.Options)
	if err != nil {
		return Certificate{}, err
	}
	if err := e.fill(r.Samples, r.Samples.Len(), r.values.(*envelope).vectors); err != nil {
		return Certificate{}, err
	}
	tolerance := 1e-12 * max(e.spec.VMax(), -e.spec.VMin(), 1)
	if err := e.verifySamples(ctx, tolerance); err != nil {
		return Certificate{}, err
	}
	if err := e.verifyVectors(tolerance); err != nil {
		return Certificate{}, err
	}
	starts, err := startsOf(r.model)
	if err != nil {
		return Certificate{}, err
	}
	var lower, upper float64
	for _, s := range starts {
		i := e.classOf(f, s.state)
		u, _ := e.envelopeUpper(i, s.belief)
		l, _ := e.lower(i, s.belief)
		lower, upper = lower+s.weight*l, upper+s.weight*u
	}
	slack := tolerance / e.rate
	c := e.certificate(lower-slack, upper+slack)
	if apart := 4 * slack; r.Certificate.Lower > c.Lower+apart || r.Certificate.Upper < c.Upper-apart {
		return c, &InputError{Where: "run", What: "the certificate", Got: fmt.Sprintf("[%v, %v]", r.Certificate.Lower, r.Certificate.Upper),
			Want: fmt.Sprintf("no more than the samples support, [%v, %v]", c.Lower, c.Upper)}
	}
	return c, nil
}

// verifySamples checks that no sample promises less than its backup.
func (e *envelope) verifySamples(ctx context.Context, tolerance float64) error {
	for n := range e.state {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		e.top[n], _ = e.envelopeUpper(int(e.state[n]), e.beliefOf(int32(n)))
	}
	for j, q := range e.q {
		if b := e.backup(int32(j)); !(q >= b-tolerance) {
			return &InputError{Where: "run", What: fmt.Sprintf("the value of sample %d", j), Got: fmt.Sprint(q), Want: fmt.Sprintf("at least its backup, %v", b)}
		}
	}
	return nil
}

// verifyVectors checks that no vector promises more than the backup of those
// that it names.
func (e *envelope) verifyVectors(tolerance float64) error {
	v := make([]float64, e.latents)
	for i, s := range e.home {
		r := int(s)*e.actions + int(e.action[i])
		copy(v, e.reward[r*e.latents:(r+1)*e.latents])
		for k := e.row[r]; k < e.row[r+1]; k++ {
			if c := int(e.choice[e.from[i]+k-e.row[r]]); c >= 0 {
				e.pull(v, e.value[c*e.latents:(c+1)*e.latents], r, k)
			}
		}
		for φ, x := range e.value[i*e.latents : (i+1)*e.latents] {
			if !(x <= v[φ]+tolerance) {
				return &InputError{Where: "run", What: fmt.Sprintf("entry %d of α-vector %d", φ, i), Got: fmt.Sprint(x), Want: fmt.Sprintf("at most its backup, %v", v[φ])}
			}
		}
	}
	return nil
}

// fill enters the first samples of a run, and its vectors beyond the blind ones.
// The error is an *InputError for what cannot be one of this model.
func (e *envelope) fill(c *Samples, samples int, w vectors) error {
	for i := range samples {
		x := c.At(i)
		bad := func(what string, got any, want string) error {
			return &InputError{Where: "run", What: fmt.Sprintf("%s of sample %d", what, i), Got: fmt.Sprint(got), Want: want}
		}
		s := e.classOf(e.model, x.State)
		if s < 0 {
			return bad("the state", x.State, "a state of the model")
		}
		if err := x.Belief.Validate(); err != nil {
			return bad("the belief", x.Belief, "a distribution over the latents")
		}
		if math.IsNaN(x.Q) {
			return bad("the value", x.Q, "a number")
		}
		n := e.nodeOf(s, x.Belief)
		e.trials = x.Episode
		if j := e.sampleAt(n, x.Action); int(j) != i {
			return bad("the query", "that of an earlier one", "one of its own")
		}
		e.q[i] = x.Q
	}
	blind := e.states * e.actions
	for i := blind; i < len(w.home); i++ {
		s, a := int(w.home[i]), int(w.action[i])
		if s < 0 || s >= e.states || a < 0 || a >= e.actions {
			return &InputError{Where: "run", What: fmt.Sprintf("α-vector %d", i), Got: fmt.Sprintf("of state %d, action %d", s, a), Want: "a state and an action of the model"}
		}
		r := s*e.actions + a
		choices := w.choice[w.from[i]:w.from[i+1]]
		if len(choices) != e.row[r+1]-e.row[r] {
			return &InputError{Where: "run", What: fmt.Sprintf("α-vector %d", i), Got: fmt.Sprintf("made from %d vectors", len(choices)), Want: fmt.Sprintf("one for each of %d successors", e.row[r+1]-e.row[r])}
		}
		for k, c := range choices {
			entry := e.row[r] + k
			if done := e.done[entry]; done != (c < 0) || !done && (int(c) >= i || e.home[c] != e.next[entry]) {
				return &InputError{Where: "run", What: fmt.Sprintf("α-vector %d", i), Got: fmt.Sprintf("made from vector %d for its successor %d", c, k), Want: "an earlier vector of that state, or −1 where the episode ends"}
			}
		}
		e.choice = append(e.choice, choices...)
		v := w.value[i*e.latents : (i+1)*e.latents]
		for _, x := range v {
			if !finite(x) {
				return &InputError{Where: "run", What: fmt.Sprintf("α-vector %d", i), Got: fmt.Sprint(v), Want: "finite numbers"}
			}
		}
		e.keep(s, a, v)
	}
	return nil
}

// readEnvelope makes the values of a certified run from its samples and from
// the bytes of envelope.bytes.
func readEnvelope(r *Run, extra []byte) (values, error) {
	f, ok := AsFinite(r.model)
	if !ok {
		m, ok := r.model.(Enumerator)
		if !ok {
			return nil, &UnsupportedError{Model: r.Spec.Name, Algorithm: string(Certified), Need: "the successors of a state (Enumerator)"}
		}
		return readContinuum(r, m, extra)
	}
	e, err := openEnvelope(context.Background(), f, r.Options)
	if err != nil {
		return nil, err
	}
	w, err := e.decode(extra)
	if err != nil {
		return nil, err
	}
	if err := e.fill(r.Samples, r.Samples.Len(), w); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	e.epsilon = r.Options.Epsilon
	return e, nil
}

// decode reads the vectors beyond the blind ones, numbered as if those came
// first.
func (e *envelope) decode(extra []byte) (w vectors, err error) {
	blind := e.states * e.actions
	w.home, w.action, w.from, w.choice = make([]int32, blind), make([]int32, blind), make([]int, blind, blind+1), nil
	w.value = make([]float64, blind*e.latents)
	c := &decoder{in: extra}
	var counts []int32
	if len(extra) >= 8 {
		c.ints(&counts, 2)
	}
	if len(counts) < 2 || counts[0] < 0 || counts[1] < 0 ||
		int64(len(c.in)) != 4*(2*int64(counts[0])+int64(counts[1]))+8*int64(counts[0])*int64(e.latents) {
		return w, fmt.Errorf("%w: %d bytes of α-vectors, which is not what their count asks for", ErrFormat, len(extra))
	}
	n := int(counts[0])
	var home, action []int32
	var value []float64
	c.ints(&home, n)
	c.ints(&action, n)
	c.ints(&w.choice, int(counts[1]))
	c.floats(&value, n*e.latents)
	w.home, w.action, w.value = append(w.home, home...), append(w.action, action...), append(w.value, value...)
	at := 0
	w.from = append(w.from, 0)
	for i := range n {
		if s, a := int(home[i]), int(action[i]); s >= 0 && s < e.states && a >= 0 && a < e.actions {
			r := s*e.actions + a
			at += e.row[r+1] - e.row[r]
		}
		w.from = append(w.from, at)
	}
	if at != len(w.choice) {
		return w, fmt.Errorf("%w: α-vectors name %d others, want %d", ErrFormat, len(w.choice), at)
	}
	return w, nil
}
