package cpace

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/fingerprint"
	"bayescpace/bcpace/runs"
)

// Batch is a batch of rollouts (Solver.Batch) for Solver.Rollouts to have played:
// Episodes of them, from number First on, all with the greedy policy of one estimate. A
// BatchWorker plays any part of it, in this process or on another machine.
type Batch struct {
	// Setup is what NewBatchWorker needs: the model's name and parameters, the options and
	// the latent values. It is the same for all batches of an exploration.
	Setup []byte
	// Estimate is what BatchWorker.Play needs: where the samples are, and their values Q̃.
	Estimate []byte
	// First is the number of the first episode, and Episodes is how many there are.
	First, Episodes int

	take func(rollouts []byte, first, n int) error // keeps what Play has returned for them
}

// Played takes what BatchWorker.Play has returned for n episodes from number first on. The
// parts of a batch may come in any order. Bytes that cannot be what Play returns for them
// are refused with an *InputError that says what is wrong, and leave the batch as it was.
// Played is for one goroutine at a time.
func (b *Batch) Played(first, n int, rollouts []byte) error {
	if from := first - b.First; first < b.First || n < 1 || n > b.Episodes || from > b.Episodes-n {
		return bcpace.In("rollouts").Bad("the part of the batch", fmt.Sprintf("%d episodes from number %d on", n, first), fmt.Sprintf("some of the %d from number %d on", b.Episodes, b.First))
	}
	return b.take(rollouts, first, n)
}

// playElsewhere has Solver.Rollouts play n episodes from number first on. What it returns
// is what rollouts returns.
func (ex *explorer) playElsewhere(ctx context.Context, first, n int) ([]rollout, error) {
	if ex.setup == nil {
		var err error
		if ex.setup, err = ex.batchSetup(); err != nil {
			return nil, err
		}
	}
	reader, rolls := rolloutReader{spec: ex.est.spec, horizon: ex.set.Horizon}, make([]rollout, n)
	b := &Batch{Setup: ex.setup, Estimate: ex.est.appendEstimate(nil), First: first, Episodes: n, take: func(data []byte, from, n int) error {
		part, err := reader.read(data, from, n)
		if err == nil {
			copy(rolls[from-first:], part)
		}
		return err
	}}
	if err := ex.set.Rollouts(ctx, b); err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("playing episodes %d to %d: %w", first, first+n-1, err)
	}
	for i, r := range rolls {
		switch {
		case r.fault != "":
			if err := ex.repeatFault(ctx, first+i, r.fault); err != nil {
				return nil, err
			}
			return rolls[:i], nil
		case r.played:
		case ctx.Err() != nil: // the rollouts before this one are whole
			return rolls[:i], nil
		default:
			return nil, bcpace.In("options").Bad("Rollouts", fmt.Sprintf("a function that has left out episode %d", first+i), fmt.Sprintf("one that calls Batch.Played for all from %d to %d, or returns an error", first, first+n-1))
		}
	}
	return rolls, nil
}

// repeatFault plays an episode that has failed elsewhere, to return the model's error. It
// is an error, too, if the episode does not fail here. Without an error, ctx has ended.
func (ex *explorer) repeatFault(ctx context.Context, episode int, fault string) error {
	_, whole, err := ex.workers[0].play(ctx, episode, func(*runs.Episode, runs.Sample) {})
	if err == nil && whole {
		err = bcpace.In(fmt.Sprintf("episode %d", episode)).Bad("the model", "one that fails where the rollouts are played, with "+strconv.Quote(fault)+", and does not fail here", "a model that does the same everywhere")
	}
	return err
}

// BatchWorker plays rollouts of the batches of one exploration, in the program that explores
// or in another process that runs the same program. It is safe for concurrent use.
type BatchWorker struct {
	model  bcpace.Model
	spec   bcpace.Spec
	set    resolvedOptions
	latent bcpace.LatentValues

	mu   sync.Mutex
	held *heldEstimate // the last one, nil before
}

// heldEstimate is an estimate that is kept for further rollouts.
type heldEstimate struct {
	written []byte
	est     *estimator
	players int // that are using it
}

// batchHeader is the part of Batch.Setup that has names.
type batchHeader struct {
	Model  string
	Params []bcpace.Param
	// ControlPoints is as in a run file.
	ControlPoints int `json:",omitempty"`
	// Fingerprint is that of the model as it is explored.
	Fingerprint string
	// Options are without those that rollouts do not depend on, so that a run that is resumed
	// with others has the same Setup.
	Options Solver
	// OwnLatent says that the latent values are the model's own, which do not follow.
	OwnLatent bool `json:",omitempty"`
}

// maxSetupHeader bounds the header of Batch.Setup: Solver.Starts may be many.
const maxSetupHeader = 1 << 28

// batchSetup returns Batch.Setup.
func (ex *explorer) batchSetup() ([]byte, error) {
	h := batchHeader{Model: ex.est.spec.Name, Params: ex.est.spec.Params, Options: ex.set.Unlimited().(Solver),
		ControlPoints: bcpace.AbilitiesOf(ex.run.Model()).Points}
	var err error
	if h.Fingerprint, err = fingerprintOrFault(ex.run.Model()); err != nil {
		return nil, err
	}
	latent, err := ex.run.Values().Bytes()
	if err != nil { // a type that cannot be saved, which only a model has
		h.OwnLatent, latent = true, nil
	}
	header, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("parameters of the rollouts: %w", err)
	}
	out := append([]byte(setupMagic), binary.LittleEndian.AppendUint32(nil, uint32(len(header)))...)
	return append(append(out, header...), latent...), nil
}

// NewBatchWorker returns a worker for the batches with that Batch.Setup. find makes the
// model, as for runs.Read; envs.New is one. The error is that of find, an *InputError if the
// model is not made of what the explored one is made of (see Fingerprint) or setup cannot be
// a Batch.Setup, or an error of the model.
func NewBatchWorker(ctx context.Context, setup []byte, find runs.ModelFinder) (*BatchWorker, error) {
	const where = "the bytes of Batch.Setup"
	bad := bcpace.In(where).Bad
	size, rest, err := afterMagic(where, setupMagic, setup, 4)
	if err != nil {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(size))
	if n > min(int64(len(rest)), maxSetupHeader) {
		return nil, bad("the length of the header", n, fmt.Sprintf("at most the %d bytes after it", len(rest)))
	}
	var h batchHeader
	if err := json.Unmarshal(rest[:n], &h); err != nil {
		return nil, bad("the header", "not readable: "+err.Error(), "what the program has written that explores")
	}
	w := &BatchWorker{}
	if w.model, err = h.model(find); err != nil {
		return nil, err
	}
	w.spec = w.model.Spec()
	if w.set, err = h.Options.resolve(w.model); err != nil {
		return nil, err
	}
	switch written := rest[n:]; {
	case h.OwnLatent:
		w.latent, err = latentValues(ctx, w.model, h.Options)
	case len(written) > 0:
		w.latent, err = w.set.readLatent(written, w.model)
	}
	if err == nil {
		err = w.set.bind(ctx, w.model)
	}
	if err != nil {
		return nil, err
	}
	if w.latent == nil && w.set.needsLatent() {
		return nil, bad("the latent values", "missing", "those that the options need")
	}
	return w, nil
}

// model makes the model that is explored.
func (h *batchHeader) model(find runs.ModelFinder) (bcpace.Model, error) {
	m, err := find(h.Model, h.Params)
	if err != nil {
		return nil, fmt.Errorf("model of the rollouts: %w", err)
	}
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	if h.ControlPoints > 0 {
		if m, err = bcpace.Discretised(m, h.ControlPoints); err != nil {
			return nil, err
		}
	}
	m = bcpace.KeepHorizon(m)
	is, err := fingerprintOrFault(m)
	if err == nil && is != h.Fingerprint {
		err = bcpace.In("rollouts").Bad("model "+strconv.Quote(h.Model), "another one here than the one that is explored: it is described otherwise, or does something else",
			"the same model: the same code with the same parameters, on the same kind of processor")
	}
	return m, err
}

// fingerprintOrFault returns fingerprint.Of of m, and where m panics what it says: rollouts may
// not come there, or are to say so.
func fingerprintOrFault(m bcpace.Model) (string, error) {
	is, err := fingerprint.Of(m, nil)
	if fault := new(bcpace.ConformanceError); errors.As(err, &fault) {
		return fault.Error(), nil
	}
	return is, err
}

// Play plays n episodes from number first on with the greedy policy of an estimate,
// Batch.Estimate, one after the other, and returns what Batch.Played takes. An episode in
// which the model breaks its contract is in there; who explores meets the same error. The
// error is an *InputError for numbers out of range and for bytes that cannot be an
// estimate, or that of ctx.
//
// Play keeps the last estimate, so that its next parts take no time to read, and one with
// some samples more takes little.
func (w *BatchWorker) Play(ctx context.Context, estimate []byte, first, n int) ([]byte, error) {
	if first < 0 || n < 1 || n > maxBatch || first > math.MaxInt32-n {
		return nil, bcpace.In("rollouts").Bad("the part of the batch", fmt.Sprintf("%d episodes from number %d on", n, first),
			fmt.Sprintf("at most %d, of numbers from 0 to %d", maxBatch, math.MaxInt32-1))
	}
	h, err := w.hold(estimate)
	if err != nil {
		return nil, err
	}
	defer w.release(h)
	worker := newWorker(w.model, h.est)
	rolls := make([]rollout, n)
	for i := range rolls {
		if r := &rolls[i]; !r.play(ctx, worker, first+i) && r.err == nil {
			return nil, ctx.Err()
		}
	}
	return appendRollouts(nil, w.spec, first, rolls), nil
}

// hold returns an estimate, which release gives back. It is the held one if that is the same,
// or has the first samples of it and nobody uses it, and otherwise a new one.
func (w *BatchWorker) hold(written []byte) (*heldEstimate, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	h := w.held
	if h == nil || !bytes.Equal(h.written, written) {
		samples, err := readEstimate(written, &w.spec)
		if err != nil {
			return nil, err
		}
		if h == nil || h.players > 0 || !begins(h.est.samples, samples) {
			h = &heldEstimate{est: newEstimator(w.spec, w.set, w.latent)}
		}
		h.est.extend(samples)
		h.written, w.held = written, h
	}
	h.players++
	return h, nil
}

func (w *BatchWorker) release(h *heldEstimate) {
	w.mu.Lock()
	defer w.mu.Unlock()
	h.players--
}

// begins reports whether c has the places and actions of the first samples of d.
func begins(c, d *runs.Samples) bool {
	return hasPrefix(d.State, c.State) && hasPrefix(d.Belief, c.Belief) && hasPrefix(d.Action, c.Action) && hasPrefix(d.ID, c.ID)
}

func hasPrefix[E comparable](list, prefix []E) bool {
	return len(prefix) <= len(list) && slices.Equal(prefix, list[:len(prefix)])
}
