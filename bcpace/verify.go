package bcpace

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayescpace/bcpace/internal/columns"
)

// Verify checks what a run claims and returns the certificate that it has found. The
// run's own is in Run.Certificate. It checks that the certificate is of the kind
// that the algorithm and the model have, that samples, episodes, Value, Steps and
// Stop agree with one another, and that Stop is StopCertified only where the gap is ε,
// StopSearched only where that of the search is, and not the certificate's.
//
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
// Beliefs next to each other share a node, as they did in the search: the nodes are
// made in the same order, from the starts on. Where this machine rounds as the one
// that made the run, each inequality holds to the bit and the certificate found is
// the run's own. Elsewhere an inequality may fail by the rounding of a backup. The
// certificate found bears 1/(1−γ) times the largest such failure.
//
// For a statistical certificate of the certified algorithm, the samples are
// checked against their backups in the same way, in the model's quadrature; of
// another run, the latent values and the value at the start. Then,
// for every such certificate, the simulation is made again, which must give the
// run's Lower and support its Upper; and the policy is simulated with other
// random numbers. The certificate returned is the two-sided interval that holds the
// policy's value with probability 1−2δ. It contradicts the run's where it lies
// below its Lower, or above its Upper. A run whose certificate holds is refused
// with probability 2δ at most, as one end of the interval must fail for it. A proved
// Upper is not contradicted: the interval then begins where the range of returns does.
//
// The error is an *UnsupportedError for a run without a certificate, an
// *InputError that names the sample, vector or claim at fault, or
// the context's.
func Verify(ctx context.Context, r *Run) (Certificate, error) {
	if r == nil {
		return Certificate{}, &InputError{Where: "Verify", What: "the run", Got: "nil", Want: "a run"}
	}
	if r.Certificate.Kind == NoCertificate {
		return Certificate{}, &UnsupportedError{Model: r.Spec.Name, Algorithm: "verification", Need: "a run with a certificate; this one was interrupted or not simulated"}
	}
	set, err := r.Options.resolve(r.model)
	if err != nil {
		return Certificate{}, err
	}
	if err := r.verifyClaims(set); err != nil {
		return Certificate{}, err
	}
	verify := verifyStatistical
	if r.Certificate.Kind == ExactCertificate {
		verify = verifyExact
	}
	c, err := verify(ctx, r)
	if err != nil {
		return c, err
	}
	return c, r.verifyStop(set)
}

// verifyStatistical makes the certificate of r again, and simulates the policy with
// other random numbers.
func verifyStatistical(ctx context.Context, r *Run) (Certificate, error) {
	if err := r.verifyValues(ctx); err != nil {
		return Certificate{}, err
	}
	claimed := r.Certificate
	again, err := r.simulate(ctx, simulatedStream, claimed.Episodes)
	if err != nil {
		return Certificate{}, err
	}
	x, err := r.simulate(ctx, verifyStream, 0)
	if err != nil {
		return Certificate{}, err
	}
	if ctx.Err() != nil {
		return Certificate{}, ctx.Err()
	}
	made, err := r.statistical(ctx, again)
	if err != nil {
		return Certificate{}, err
	}
	slack := 1e-12 * (again.hi - again.lo) // sums of returns round otherwise elsewhere
	if !(math.Abs(claimed.Lower-made.Lower) <= slack) {
		return made, claim("the certificate's lower bound", claimed.Lower, "%v, which its %d episodes and the upper bound %v give; on another kind of processor they may go otherwise", made.Lower, claimed.Episodes, made.Upper)
	}
	if !(claimed.Upper >= made.Upper-slack) {
		return made, claim("the certificate's upper bound", claimed.Upper, "%v at least", made.Upper)
	}
	c, err := Certificate{Kind: StatisticalCertificate, Lower: x.lower(), Upper: x.upper(), Delta: x.delta, Episodes: len(x.returns), Horizon: x.horizon,
		LowerBy: BySimulation, UpperBy: BySimulation, PolicyEarns: BySimulation}.checked(r.Spec.Name)
	if made.UpperBy == ByProof {
		c = c.refuted(made.Upper, x.lo)
	}
	if err != nil {
		return Certificate{}, err
	}
	if c.Upper < claimed.Lower || c.Lower > claimed.Upper {
		return c, claim("the certificate", fmt.Sprintf("[%v, %v]", claimed.Lower, claimed.Upper), "one that meets [%v, %v], which %d other episodes support", c.Lower, c.Upper, c.Episodes)
	}
	return c, nil
}

// verifyValues checks what a statistical certificate and the policy stand on.
func (r *Run) verifyValues(ctx context.Context) error {
	if e, ok := r.values.(*continuum); ok {
		if err := e.verify(ctx, r.Value, r.Options.LipState); err != nil || len(r.state()) == 0 {
			return err
		}
		return r.verifyState(ctx)
	}
	if err := r.verifyLatent(ctx); err != nil {
		return err
	}
	starts, err := startsOf(r.model)
	if err != nil {
		return err
	}
	value, scratch := 0.0, r.est.scratch()
	for _, s := range starts {
		q, _, _ := r.est.greedy(scratch, s.state, s.belief)
		value += s.weight * q
	}
	if !(math.Abs(r.Value-value) <= 1e-9*(r.Spec.VMax()-r.Spec.VMin())) {
		return claim("the value at the start", r.Value, "that of the samples, %v", value)
	}
	return nil
}

// verifyLatent checks the latent values that a run has computed.
func (r *Run) verifyLatent(ctx context.Context) error {
	if r.Options.Latent != nil || cutsEpisodes(r.model) { // given, or from before the steps left were in the states
		return nil
	}
	want, err := latentValues(ctx, r.model, r.Options)
	if err != nil {
		return err
	}
	tolerance := 2*latentTolerance(r.Spec) + 1e-12*(r.Spec.VMax()-r.Spec.VMin())
	same := func(x, y []float64) bool {
		return slices.EqualFunc(x, y, func(a, b float64) bool {
			return math.Abs(a-b) <= tolerance || math.IsNaN(a) && math.IsNaN(b)
		})
	}
	ok := false
	switch got := r.est.latent.(type) {
	case nil:
		ok = want == nil
	case *FiniteValues:
		v, is := want.(*FiniteValues)
		ok = is && same(got.Table, v.Table) && same([]float64{got.Error}, []float64{v.Error})
	case *GridValues:
		v, is := want.(*GridValues)
		ok = is && slices.Equal(got.Axes, v.Axes) && same(got.Table, v.Table) && same([]float64{got.Error, got.MeanError}, []float64{v.Error, v.MeanError})
	}
	if !ok {
		return &InputError{Where: "run", What: "the latent values", Got: "other ones than the model's", Want: "those that the options ask for, solved to " + fmt.Sprint(latentTolerance(r.Spec))}
	}
	return nil
}

// verifyExact goes over the samples and the vectors of r as the search did, in the
// order in which they came: the same beliefs then share a node.
func verifyExact(ctx context.Context, r *Run) (Certificate, error) {
	f, _ := AsFinite(r.model)
	e, err := openEnvelope(ctx, f, r.Options)
	if err != nil {
		return Certificate{}, err
	}
	set, err := r.Options.resolve(r.model)
	if err != nil {
		return Certificate{}, err
	}
	x, err := newCertifier(r.model, e, r.Options, set)
	if err != nil {
		return Certificate{}, err
	}
	if err := e.fill(r.Samples, r.Samples.Len(), r.values.(*envelope).vectors, true); err != nil {
		return Certificate{}, err
	}
	e.forget()
	upperShort, err := e.verifySamples(ctx)
	if err != nil {
		return Certificate{}, err
	}
	lowerShort, err := e.verifyVectors()
	if err != nil {
		return Certificate{}, err
	}
	if err := e.verifyLists(r.Samples); err != nil {
		return Certificate{}, err
	}
	lower, upper := x.bounds()
	c, err := e.certificate(lower-lowerShort/e.Rate, upper+upperShort/e.Rate)
	if err != nil {
		return Certificate{}, err
	}
	// On another kind of processor, r and c may differ by the rounding of each.
	slack := 2 * e.rounding() / e.Rate
	if !(math.Abs(r.Certificate.Lower-c.Lower) <= slack && math.Abs(r.Certificate.Upper-c.Upper) <= slack) {
		return c, &InputError{Where: "run", What: "the certificate", Got: fmt.Sprintf("[%v, %v]", r.Certificate.Lower, r.Certificate.Upper),
			Want: fmt.Sprintf("what the samples support, [%v, %v]", c.Lower, c.Upper)}
	}
	if !(math.Abs(r.Value-upper) <= slack) {
		return c, &InputError{Where: "run", What: "the value at the start", Got: fmt.Sprint(r.Value), Want: fmt.Sprintf("that of the samples, %v", upper)}
	}
	if gap := r.Trace[len(r.Trace)-1].Gap; !(math.Abs(gap-(upper-lower)) <= 2*slack) {
		return c, &InputError{Where: "run", What: "the gap after the last episode", Got: fmt.Sprint(gap), Want: fmt.Sprintf("that of the samples, %v", upper-lower)}
	}
	if gap := x.apart(); r.Stop == StopCertified && gap > set.Epsilon {
		return c, &InputError{Where: "run", What: "the reason to stop", Got: string(r.Stop), Want: fmt.Sprintf("another one: a gap at Options.Starts is %v, more than ε = %v", gap, set.Epsilon)}
	}
	if len(r.state()) == 0 {
		return c, nil
	}
	return c, r.verifyState(ctx)
}

// verifyState checks what Resume would go on from.
func (r *Run) verifyState(ctx context.Context) error {
	set, err := r.Options.resolve(r.model)
	if err != nil {
		return err
	}
	x, err := r.newSearch(r.Options, set)
	if err != nil {
		return err
	}
	return x.restore(ctx, r)
}

// forget has the bounds kept at all nodes made anew from all samples and vectors.
func (e *envelope) forget() {
	for i := range e.high {
		e.high[i], e.heard[i] = math.Inf(1), -1
	}
	for n := range e.low {
		e.top[n], e.low[n], e.lowSeen[n] = math.Inf(1), math.Inf(-1), 0
	}
}

// verifySamples checks that no sample promises less than its backup, and returns by
// how much one falls short at most: by what rounds differently elsewhere. It
// leaves U(s,b), as the samples have it, in top.
func (e *envelope) verifySamples(ctx context.Context) (short float64, err error) {
	for n := range e.state {
		if n%256 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		e.top[n] = math.Inf(-1)
		for a := range e.Actions {
			e.top[n] = max(e.top[n], e.upperAt(int32(n), a))
		}
	}
	tolerance := 2 * e.rounding()
	for j, q := range e.q {
		b := e.backup(int32(j))
		if !(q >= b-tolerance) {
			return 0, &InputError{Where: "run", What: fmt.Sprintf("the value of sample %d", j), Got: fmt.Sprint(q), Want: fmt.Sprintf("at least its backup, %v", b)}
		}
		short = max(short, b-q)
	}
	return short, nil
}

// verifyVectors checks that no vector promises more than the backup of those
// that it names, and returns by how much one exceeds it at most. The blind ones have
// been made from the model, and are below the values of their policies by the
// proof at BlindBound.
func (e *envelope) verifyVectors() (short float64, err error) {
	tolerance := 2 * e.rounding()
	v := make([]float64, e.Latents)
	for i := e.States * e.Actions; i < len(e.home); i++ {
		r := int(e.home[i])*e.Actions + int(e.action[i])
		copy(v, e.Reward(r))
		first, end := e.Entries(r)
		for k := first; k < end; k++ {
			if c := int(e.choice[e.from[i]+k-first]); c >= 0 {
				e.AddBackup(v, e.value[c*e.Latents:(c+1)*e.Latents], r, k)
			}
		}
		for φ, x := range e.value[i*e.Latents : (i+1)*e.Latents] {
			if !(x <= v[φ]+tolerance) {
				return 0, &InputError{Where: "run", What: fmt.Sprintf("entry %d of α-vector %d", φ, i), Got: fmt.Sprint(x), Want: fmt.Sprintf("at most its backup, %v", v[φ])}
			}
			short = max(short, x-v[φ])
		}
	}
	return short, nil
}

// verifyLists checks what the samples say beside their values: rewards, and where
// they lead.
func (e *envelope) verifyLists(c *Samples) error {
	const rounding = 1e-12 // of probabilities, which a reward may exceed by its size
	scale := max(e.spec.RewardMax, -e.spec.RewardMin, 1)
	state := make([]float64, len(e.spec.Axes))
	belief := make(Belief, e.Latents)
	for j := range c.Len() {
		x, r := c.At(j), int(e.rowOf[j])
		bad := func(what string, got, want any) error {
			return &InputError{Where: "run", What: fmt.Sprintf("the %s of sample %d", what, j), Got: fmt.Sprint(got), Want: fmt.Sprint(want)}
		}
		b := e.beliefOf(e.node[j])
		if want := e.Expected(r, b); !(math.Abs(x.Reward-want) <= rounding*scale) {
			return bad("reward", x.Reward, want)
		}
		if x.Time != 0 {
			return bad("time", x.Time, "0, as a search has none")
		}
		likeliest := 0.0
		for _, k := range e.kids(int32(j)) {
			likeliest = max(likeliest, k.prob)
		}
		leads := false
		for _, k := range e.kids(int32(j)) {
			if k.prob < likeliest-rounding || x.Done != (k.node < 0) {
				continue
			}
			e.NextAt(state, int(k.entry))
			e.Update(belief, b, r, int(k.entry), e.scratch)
			if leads = slices.Equal(state, x.Next) && belief.L1(x.NextBelief) <= rounding; leads {
				break
			}
		}
		if !leads && likeliest > 0 {
			return bad("successor", fmt.Sprintf("%v with the belief %v, done %v", x.Next, x.NextBelief, x.Done), "the likeliest one")
		}
	}
	return nil
}

// fill enters the first samples of a run, and its vectors beyond the blind ones;
// with follow, also the successors of the samples, which takes an envelope that has
// begun as the search did. A sample stands at its own belief. Made elsewhere, its
// node may have been next to it: then it moves there, and strays says how far.
//
// The error is an *InputError for what cannot be one of this model. Without follow
// there is none for samples that a search has made, whatever rounding does: only
// their own nodes are there, all of which are apart.
func (e *envelope) fill(c *Samples, samples int, w vectors, follow bool) error {
	for i := range samples {
		x := c.At(i)
		bad := func(what string, got any, want string) error {
			return &InputError{Where: "run", What: fmt.Sprintf("%s of sample %d", what, i), Got: fmt.Sprint(got), Want: want}
		}
		s := e.StateIndex(x.State)
		if s < 0 {
			return bad("the state", x.State, "a state of the model")
		}
		if err := x.Belief.Validate(); err != nil {
			return bad("the belief", x.Belief, "a distribution over the latents")
		}
		if math.IsNaN(x.Q) {
			return bad("the value", x.Q, "a number")
		}
		n, _ := e.place(s, x.Belief)
		if e.sample[int(n)*e.Actions+x.Action] >= 0 {
			return bad("the query", "that of an earlier one", "one of its own")
		}
		e.trials = x.Episode
		if follow {
			e.strays = max(e.strays, x.Belief.L1(e.beliefOf(n)))
			copy(e.beliefOf(n), x.Belief)
			e.follow(n, x.Action)
		}
		e.newSample(n, x.Action)
		e.q[i] = x.Q
	}
	blind := e.States * e.Actions
	for i := blind; i < len(w.home); i++ {
		s, a := int(w.home[i]), int(w.action[i])
		if s < 0 || s >= e.States || a < 0 || a >= e.Actions {
			return &InputError{Where: "run", What: fmt.Sprintf("α-vector %d", i), Got: fmt.Sprintf("of state %d, action %d", s, a), Want: "a state and an action of the model"}
		}
		r := s*e.Actions + a
		choices := w.choice[w.from[i]:w.from[i+1]]
		first, end := e.Entries(r)
		if len(choices) != end-first {
			return &InputError{Where: "run", What: fmt.Sprintf("α-vector %d", i), Got: fmt.Sprintf("made from %d vectors", len(choices)), Want: fmt.Sprintf("one for each of %d successors", end-first)}
		}
		for k, c := range choices {
			entry := first + k
			if next, done := e.Next(entry); done != (c < 0) || !done && (int(c) >= i || int(e.home[c]) != next) {
				return &InputError{Where: "run", What: fmt.Sprintf("α-vector %d", i), Got: fmt.Sprintf("made from vector %d for its successor %d", c, k), Want: "an earlier vector of that state, or −1 where the episode ends"}
			}
		}
		e.choice = append(e.choice, choices...)
		v := w.value[i*e.Latents : (i+1)*e.Latents]
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
	if err := e.fill(r.Samples, r.Samples.Len(), w, false); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	e.epsilon = r.Options.Epsilon
	return e, nil
}

// decode reads the vectors beyond the blind ones, numbered as if those came
// first.
func (e *envelope) decode(extra []byte) (w vectors, err error) {
	blind := e.States * e.Actions
	w.home, w.action, w.from, w.choice = make([]int32, blind), make([]int32, blind), make([]int, blind, blind+1), nil
	w.value = make([]float64, blind*e.Latents)
	c := &columns.Decoder{In: extra}
	var counts []int32
	if len(extra) >= 8 {
		c.Ints(&counts, 2)
	}
	if len(counts) < 2 || counts[0] < 0 || counts[1] < 0 ||
		int64(len(c.In)) != 4*(2*int64(counts[0])+int64(counts[1]))+8*int64(counts[0])*int64(e.Latents) {
		return w, fmt.Errorf("%w: %d bytes of α-vectors, which is not what their count asks for", ErrFormat, len(extra))
	}
	n := int(counts[0])
	var home, action []int32
	var value []float64
	c.Ints(&home, n)
	c.Ints(&action, n)
	c.Ints(&w.choice, int(counts[1]))
	c.Floats(&value, n*e.Latents)
	w.home, w.action, w.value = append(w.home, home...), append(w.action, action...), append(w.value, value...)
	at := 0
	w.from = append(w.from, 0)
	for i := range n {
		if s, a := int(home[i]), int(action[i]); s >= 0 && s < e.States && a >= 0 && a < e.Actions {
			r := s*e.Actions + a
			first, end := e.Entries(r)
			at += end - first
		}
		w.from = append(w.from, at)
	}
	if at != len(w.choice) {
		return w, fmt.Errorf("%w: α-vectors name %d others, want %d", ErrFormat, len(w.choice), at)
	}
	return w, nil
}
