package cpace

import (
	"encoding/binary"
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/columns"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/runs"
)

// What a Batch holds and what BatchWorker.Play returns begins with 8 bytes, the last of
// which is the version. All numbers are little-endian.
//
// Batch.Setup goes on with 4 bytes for the length of the header, the header, which is JSON
// of batchHeader, and the latent values to the end.
//
// Batch.Estimate goes on with 8 bytes for the number of samples, and the columns of
// estimateColumns.
//
// Rollouts go on with 8 bytes for the number of the first episode and 8 for how many there
// are, the columns of rolloutTable, those of the samples, as in a run file, and the texts of
// the faults.
const (
	setupMagic    = "bcp-set\x01"
	estimateMagic = "bcp-est\x01"
	rolloutMagic  = "bcp-rol\x01"
)

// afterMagic returns what comes after the first 8 bytes of data, and n more for its sizes.
func afterMagic(where, magic string, data []byte, n int) (sizes, rest []byte, err error) {
	if len(data) < len(magic)+n {
		return nil, nil, bcpace.In(where).Bad("their length", fmt.Sprintf("%d bytes", len(data)), fmt.Sprintf("at least %d", len(magic)+n))
	}
	if string(data[:len(magic)]) != magic {
		return nil, nil, bcpace.In(where).Bad("their beginning", fmt.Sprintf("%q", data[:len(magic)]), fmt.Sprintf("%q: another version of the program has made them, or they are something else", magic))
	}
	return data[len(magic) : len(magic)+n], data[len(magic)+n:], nil
}

// estimateColumns passes what a greedy policy needs of n samples to io.
func estimateColumns(c *runs.Samples, spec *bcpace.Spec, io columns.Columns, n int) {
	io.Floats(&c.State, n*len(spec.Axes))
	io.Floats(&c.Belief, n*len(spec.Latents))
	io.Ints(&c.Action, n)
	if spec.HasBox() {
		io.Longs(&c.ID, n)
	}
	io.Floats(&c.Q, n)
}

// appendEstimate appends the samples with their values, as far as a greedy policy needs them.
func (e *estimator) appendEstimate(dst []byte) []byte {
	dst = append(dst, estimateMagic...)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(e.samples.Len()))
	c := columns.Encoder{Out: dst}
	estimateColumns(e.samples, &e.spec, &c, e.samples.Len())
	return c.Out
}

// readEstimate reads what appendEstimate has written for a model of that Spec. The samples
// have no other columns. It allocates no more than some times the length of data.
func readEstimate(data []byte, spec *bcpace.Spec) (*runs.Samples, error) {
	const where = "the bytes of an estimate"
	bad := func(i int, what string, got any, want string) error {
		return bcpace.In(where).Bad(fmt.Sprintf("%s of sample %d", what, i), got, want)
	}
	sizes, rest, err := afterMagic(where, estimateMagic, data, 8)
	if err != nil {
		return nil, err
	}
	c := runs.NewSamples(*spec)
	var each columns.Counter
	estimateColumns(c, spec, &each, 1)
	n := binary.LittleEndian.Uint64(sizes)
	if uint64(len(rest)/int(each)) != n || len(rest)%int(each) != 0 {
		return nil, bcpace.In(where).Bad("their length", fmt.Sprintf("%d bytes for %d samples", len(rest), n), fmt.Sprintf("%d for each", int(each)))
	}
	estimateColumns(c, spec, &columns.Decoder{In: rest}, int(n))
	axes, latents := len(spec.Axes), len(spec.Latents)
	for i, a := range c.Action {
		s, b := c.State[i*axes:(i+1)*axes], bcpace.Belief(c.Belief[i*latents:(i+1)*latents])
		if err := placeFault(spec, s, b); err != "" {
			return nil, bad(i, "the place", fmt.Sprint(s, " and ", []float64(b)), err)
		}
		if a < 0 || int(a) >= len(spec.Actions) || !spec.IsAction(c.ActionID(i)) || num.BoxIndex(c.ActionID(i)) != int(a) {
			return nil, bad(i, "the action", fmt.Sprintf("number %d with id %d", a, c.ActionID(i)), spec.WantAction())
		}
		if !num.Finite(c.Q[i]) {
			return nil, bad(i, "the value", c.Q[i], "a finite number")
		}
	}
	return c, nil
}

// rounding is how far an entry of a belief may exceed 1.
const rounding = 1e-9

// placeFault says what would be right, unless s and b may be a state and a belief.
func placeFault(spec *bcpace.Spec, s []float64, b bcpace.Belief) (want string) {
	if off, want := spec.OffAxes(s); off != "" {
		return "a state within the axes: " + want
	}
	for _, p := range b {
		if !(p >= 0 && p <= 1+rounding) {
			return "a belief with entries in [0, 1]"
		}
	}
	return ""
}

// rolloutTable has what rollouts have beside their samples. Fault is the length of the error
// of an episode that has failed, and 0 otherwise.
type rolloutTable struct {
	Return         []float64
	Steps, Escapes []int64
	Fault          []int32
}

func (t *rolloutTable) columns(io columns.Columns, n int) {
	io.Floats(&t.Return, n)
	io.Longs(&t.Steps, n)
	io.Longs(&t.Escapes, n)
	io.Ints(&t.Fault, n)
}

// maxFault is the most bytes of the error of an episode: it is for the case that the episode
// does not fail again where the exploration runs.
const maxFault = 1000

// appendRollouts appends rollouts of whole or failed episodes from number first on.
func appendRollouts(dst []byte, spec bcpace.Spec, first int, rolls []rollout) []byte {
	found, faults := runs.NewSamples(spec), []byte(nil)
	var t rolloutTable
	for _, r := range rolls {
		text := ""
		if r.err != nil {
			r.row, r.found = runs.Episode{}, nil
			text = r.err.Error()
			text = text[:min(len(text), maxFault)]
		}
		t.Return = append(t.Return, r.row.Return)
		t.Steps, t.Escapes = append(t.Steps, int64(r.row.Steps)), append(t.Escapes, int64(r.row.Escapes))
		t.Fault, faults = append(t.Fault, int32(len(text))), append(faults, text...)
		for _, s := range r.found {
			found.Add(s)
		}
	}
	dst = append(dst, rolloutMagic...)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(first))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(len(rolls)))
	c := columns.Encoder{Out: dst}
	t.columns(&c, len(rolls))
	found.Columns(&c, found.Len())
	return append(c.Out, faults...)
}

// rolloutReader reads what appendRollouts has written, for a model of that Spec whose
// episodes are cut after so many steps.
type rolloutReader struct {
	spec    bcpace.Spec
	horizon int
}

// read reads the rollouts of n episodes from number first on, all of data. It allocates no
// more than some times the length of data.
func (rr *rolloutReader) read(data []byte, first, n int) ([]rollout, error) {
	where := fmt.Sprintf("rollouts of %d episodes from number %d on", n, first)
	bad := func(what string, got any, want string, args ...any) error {
		return bcpace.In(where).Bad(what, got, fmt.Sprintf(want, args...))
	}
	sizes, rest, err := afterMagic(where, rolloutMagic, data, 16)
	if err != nil {
		return nil, err
	}
	if f, k := binary.LittleEndian.Uint64(sizes), binary.LittleEndian.Uint64(sizes[8:]); f != uint64(first) || k != uint64(n) {
		return nil, bad("the part of the batch", fmt.Sprintf("%d episodes from number %d on", k, f), "those that were asked for")
	}
	var t rolloutTable
	var size, each columns.Counter
	if t.columns(&size, n); len(rest) < int(size) {
		return nil, bad("their length", fmt.Sprintf("%d bytes", len(data)), "%d or more", len(data)-len(rest)+int(size))
	}
	in := columns.Decoder{In: rest}
	t.columns(&in, n)
	found := runs.NewSamples(rr.spec)
	found.Columns(&each, 1)
	samples, faults := 0, 0
	for i := range n {
		episode, steps, escapes, fault := first+i, t.Steps[i], t.Escapes[i], t.Fault[i]
		switch {
		case steps < 0 || steps > int64(rr.horizon) || steps == 0 && fault == 0:
			return nil, bad(fmt.Sprintf("the number of steps of episode %d", episode), steps, "from 1 to %d", rr.horizon)
		case escapes < 0 || escapes > steps || escapes > int64(len(in.In)/int(each)-samples):
			return nil, bad(fmt.Sprintf("the number of samples of episode %d", episode), escapes, "from 0 to its %d steps, of %d bytes each in %d bytes", steps, int(each), len(in.In))
		case fault < 0 || fault > maxFault || fault > 0 && steps > 0:
			return nil, bad(fmt.Sprintf("the length of the error of episode %d", episode), fmt.Sprintf("%d, after %d steps", fault, steps), "from 0 to %d, and no steps beside an error", maxFault)
		case !num.Finite(t.Return[i]):
			return nil, bad(fmt.Sprintf("the return of episode %d", episode), t.Return[i], "a finite number")
		}
		samples, faults = samples+int(escapes), faults+int(fault)
	}
	if want := samples*int(each) + faults; len(in.In) != want {
		return nil, bad("their length", fmt.Sprintf("%d bytes", len(data)), "%d, for %d samples", len(data)-len(in.In)+want, samples)
	}
	found.Columns(&in, samples)
	if what := found.Fault(&rr.spec); what != "" {
		return nil, bad("a sample", what, "an action of the model and finite numbers")
	}
	rolls, at, text := make([]rollout, n), 0, in.In
	for i := range rolls {
		r, fault := &rolls[i], int(t.Fault[i])
		r.fault, text = string(text[:fault]), text[fault:]
		r.played = fault == 0
		r.row = runs.Episode{Return: t.Return[i], Steps: int(t.Steps[i]), Escapes: int(t.Escapes[i])}
		last := -1
		for range r.row.Escapes {
			s := found.At(at)
			if what, want := rr.sampleFault(s, first+i, last, r.row.Steps); what != "" {
				return nil, bad(fmt.Sprintf("sample %d", at), what, "%s", want)
			}
			r.found, last = append(r.found, s), s.Time
			at++
		}
	}
	return rolls, nil
}

// sampleFault says what keeps s from being a sample of an episode of so many steps after that
// of time last, and what would be right. It returns "" for one that may be.
func (rr *rolloutReader) sampleFault(s runs.Sample, episode, last, steps int) (what, want string) {
	late := s.Time == math.MaxInt32 && last == s.Time // it stands for all later ones
	for _, place := range [2][2][]float64{{s.State, s.Belief}, {s.Next, s.NextBelief}} {
		if want := placeFault(&rr.spec, place[0], place[1]); want != "" {
			return fmt.Sprint("one at ", place[0], " and ", place[1]), want
		}
	}
	switch {
	case s.Episode != episode:
		return fmt.Sprintf("one of episode %d", s.Episode), fmt.Sprintf("one of episode %d", episode)
	case s.Time >= steps || s.Time <= last && !late:
		return fmt.Sprintf("one of step %d, after that of step %d", s.Time, last), fmt.Sprintf("one of a later step, below %d", steps)
	case s.Done && s.Time != steps-1 && s.Time != math.MaxInt32:
		return fmt.Sprintf("one that ends the episode in step %d", s.Time), fmt.Sprintf("the end in step %d", steps-1)
	case !rr.spec.AllowsReward(s.Reward):
		return fmt.Sprintf("one with reward %v", s.Reward), fmt.Sprintf("a reward within [%v, %v]", rr.spec.RewardMin, rr.spec.RewardMax)
	}
	return "", ""
}
