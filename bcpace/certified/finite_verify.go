package certified

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/internal/columns"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/runs"
)

// resetNodeBounds discards the bounds kept at all nodes, so that they are computed again
// from all samples and vectors.
func (e *finiteBounds) resetNodeBounds() {
	for i := range e.high {
		e.high[i], e.lastSeen[i] = math.Inf(1), -1
	}
	for n := range e.low {
		e.top[n], e.low[n], e.lowSeen[n] = math.Inf(1), math.Inf(-1), 0
	}
}

// verifySamples checks that no sample's value is less than its backup, but for rounding,
// and returns the largest difference. It sets top to U(s,b) as the samples give it.
func (e *finiteBounds) verifySamples(ctx context.Context) (short float64, err error) {
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
			return 0, bcpace.In("run").Bad(fmt.Sprintf("the value of sample %d", j), q, fmt.Sprintf("at least its backup, %v", b))
		}
		short = max(short, b-q)
	}
	return short, nil
}

// verifyVectors checks that no vector exceeds the backup of the vectors that it names,
// but for rounding, and returns the largest difference. Those may be later ones, as with a
// fixed policy: the proof of finiteBounds asks for no order. It leaves out the blind vectors,
// which come from the model: dp.BlindBound proves that they are below the values of
// their policies.
func (e *finiteBounds) verifyVectors() (short float64, err error) {
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
				return 0, bcpace.In("run").Bad(fmt.Sprintf("entry %d of α-vector %d", φ, i), x, fmt.Sprintf("at most its backup, %v", v[φ]))
			}
			short = max(short, x-v[φ])
		}
	}
	return short, nil
}

// verifySuccessors checks the rewards and the successors of the samples.
func (e *finiteBounds) verifySuccessors(c *runs.Samples) error {
	const rounding = 1e-12 // of a probability; of a reward, in units of the largest one
	scale := max(e.spec.RewardMax, -e.spec.RewardMin, 1)
	state := make([]float64, len(e.spec.Axes))
	belief := make(bcpace.Belief, e.Latents)
	for j := range c.Len() {
		x, r := c.At(j), int(e.rowOf[j])
		bad := func(what string, got, want any) error {
			return bcpace.In("run").Bad(fmt.Sprintf("the %s of sample %d", what, j), got, fmt.Sprint(want))
		}
		b := e.beliefOf(e.node[j])
		if want := e.Expected(r, b); !(math.Abs(x.Reward-want) <= rounding*scale) {
			return bad("reward", x.Reward, want)
		}
		if x.Time != 0 {
			return bad("time", x.Time, "0, as the samples of a certified run have no time")
		}
		likeliest := 0.0
		for _, k := range e.successors(int32(j)) {
			likeliest = max(likeliest, k.prob)
		}
		leads := false
		for _, k := range e.successors(int32(j)) {
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

// load adds the first samples of a run, and its vectors except for the blind ones. With
// follow it also adds the successors of the samples, and needs bounds with the nodes that
// newFiniteSearch gave to the search. Rounding on another machine may have put the node of a
// sample next to its belief: then load moves the node to that belief, and displacement
// has the largest such distance.
//
// The error is an *InputError for a sample or a vector that this model cannot have.
// Without follow, the samples of any search pass: the only nodes are their own, and no
// two of these are close enough to be one.
func (e *finiteBounds) load(c *runs.Samples, samples int, w vectors, follow bool) error {
	for i := range samples {
		x := c.At(i)
		need := func(ok bool, what string, got any, want string) error {
			if ok {
				return nil
			}
			return bcpace.In("run").Bad(fmt.Sprintf("%s of sample %d", what, i), got, want)
		}
		s := e.StateIndex(x.State)
		err := cmp.Or(need(s >= 0, "the state", x.State, "a state of the model"),
			need(x.Belief.Validate() == nil, "the belief", x.Belief, "a distribution over the latents"),
			need(!math.IsNaN(x.Q), "the value", x.Q, "a number"))
		if err != nil {
			return err
		}
		n, _ := e.findOrAddNode(s, x.Belief)
		fresh := e.sample[int(n)*e.Actions+x.Action] < 0
		if err := need(fresh, "the point", "that of an earlier sample", "one that no other sample has"); err != nil {
			return err
		}
		e.trials = x.Episode
		if follow {
			e.displacement = max(e.displacement, x.Belief.L1(e.beliefOf(n)))
			copy(e.beliefOf(n), x.Belief)
			e.listSuccessors(n, x.Action)
		}
		e.newSample(n, x.Action)
		e.q[i] = x.Q
	}
	blind := e.States * e.Actions
	homeOf := func(c int32) int {
		if int(c) < blind { // which w leaves empty
			return int(e.home[c])
		}
		return int(w.home[c])
	}
	for i := blind; i < len(w.home); i++ {
		s, a := int(w.home[i]), int(w.action[i])
		if s < 0 || s >= e.States || a < 0 || a >= e.Actions {
			return bcpace.In("run").Bad(fmt.Sprintf("α-vector %d", i), fmt.Sprintf("of state %d, action %d", s, a), "a state and an action of the model")
		}
		r := s*e.Actions + a
		choices := w.choice[w.from[i]:w.from[i+1]]
		first, end := e.Entries(r)
		if len(choices) != end-first {
			return bcpace.In("run").Bad(fmt.Sprintf("α-vector %d", i), fmt.Sprintf("made from %d vectors", len(choices)), fmt.Sprintf("one for each of %d successors", end-first))
		}
		for k, c := range choices {
			entry := first + k
			if next, done := e.Next(entry); done != (c < 0) || !done && (int(c) >= len(w.home) || homeOf(c) != next) {
				return bcpace.In("run").Bad(fmt.Sprintf("α-vector %d", i), fmt.Sprintf("made from vector %d for its successor %d", c, k), "a vector of that state, or −1 where the episode ends")
			}
		}
		e.choice = append(e.choice, choices...)
		v := w.value[i*e.Latents : (i+1)*e.Latents]
		for _, x := range v {
			if !num.Finite(x) {
				return bcpace.In("run").Bad(fmt.Sprintf("α-vector %d", i), v, "finite numbers")
			}
		}
		e.addVector(s, a, v)
	}
	return nil
}

// readFiniteBounds returns the bounds of a run from its samples and from the bytes that
// finiteBounds.Bytes has written.
func readFiniteBounds(r *runs.Run, f bcpace.Finite, s Solver, extra []byte) (*finiteBounds, error) {
	extra, marked := cutMark(extra)
	e, _, err := solveFiniteBounds(context.Background(), f, s.begunWith(marked))
	if err != nil {
		return nil, err
	}
	w, err := e.decodeVectors(extra)
	if err != nil {
		return nil, err
	}
	if err := e.load(r.Samples, r.Samples.Len(), w, false); err != nil {
		return nil, fmt.Errorf("%w: %w", runs.ErrFormat, err)
	}
	e.epsilon = s.Epsilon
	return e, nil
}

// cutMark returns what Bytes has written behind tibMark, and whether that was there.
func cutMark(extra []byte) (rest []byte, marked bool) {
	return bytes.CutPrefix(extra, binary.LittleEndian.AppendUint32(nil, math.MaxUint32))
}

// begunWith returns s with the bound of a run that began with the tighter informed bound, or did not: without
// it, BoundFIB is what "" meant, or is the same.
func (s Solver) begunWith(tib bool) Solver {
	if s.Bound == "" && !tib {
		s.Bound = cpace.BoundFIB
	}
	return s
}

// decodeVectors reads the vectors that Bytes has written. Their numbers begin behind
// those of the blind vectors, which it leaves empty.
func (e *finiteBounds) decodeVectors(extra []byte) (w vectors, err error) {
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
		return w, fmt.Errorf("%w: %d bytes of α-vectors, which does not agree with their number", runs.ErrFormat, len(extra))
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
		return w, fmt.Errorf("%w: the α-vectors were made from %d others, want %d, one for each successor", runs.ErrFormat, len(w.choice), at)
	}
	return w, nil
}
