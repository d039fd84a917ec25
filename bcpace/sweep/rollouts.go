package sweep

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// rolloutKind is the kind of the tasks that are rollouts of a batch.
const rolloutKind = "rollouts"

func init() { Handle(rolloutKind, new(rolloutWorkers).play) }

// rolloutPart is the input of a task: episodes of a batch.
type rolloutPart struct {
	// Setup and Estimate are the names of the blobs with those of the cpace.Batch.
	Setup    string `json:"setup"`
	Estimate string `json:"estimate"`
	First    int    `json:"first"`
	Episodes int    `json:"episodes"`
}

// String names the part for progress and errors.
func (p rolloutPart) String() string {
	if p.Episodes == 1 {
		return fmt.Sprintf("episode %d", p.First)
	}
	return fmt.Sprintf("episodes %d to %d", p.First, p.First+p.Episodes-1)
}

// rolloutWorkers are the workers of this process for the explorations that it has last had a
// part in, the last one first. They keep what the parts of a batch have in common.
type rolloutWorkers struct {
	mu   sync.Mutex
	list []*rolloutWorker
}

// mostRolloutWorkers is for how many explorations a process keeps a model with its latent
// values and an estimate.
const mostRolloutWorkers = 4

// rolloutWorker plays rollouts of one exploration.
type rolloutWorker struct {
	setup string

	mu       sync.Mutex
	worker   *cpace.BatchWorker // nil before there is one
	name     string             // of the blob
	estimate []byte             // its content
}

// play is the Handler of rollouts.
func (r *rolloutWorkers) play(ctx context.Context, input []byte, blobs Blobs) ([]byte, error) {
	var p rolloutPart
	if err := json.Unmarshal(input, &p); err != nil {
		return nil, fmt.Errorf("not a part of a batch: %w", err)
	}
	w, estimate, err := r.of(p.Setup).ready(ctx, p, blobs)
	if err != nil {
		return nil, err
	}
	rollouts, err := w.Play(ctx, estimate, p.First, p.Episodes)
	if err != nil {
		return nil, err
	}
	return pack(ctx, blobs, rollouts)
}

// of returns the worker for an exploration.
func (r *rolloutWorkers) of(setup string) *rolloutWorker {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := &rolloutWorker{setup: setup}
	if i := slices.IndexFunc(r.list, func(w *rolloutWorker) bool { return w.setup == setup }); i >= 0 {
		w = r.list[i]
		r.list = slices.Delete(r.list, i, i+1)
	}
	r.list = slices.Insert(r.list[:min(len(r.list), mostRolloutWorkers-1)], 0, w)
	return w
}

// ready returns what plays a part, and the estimate to play it with. Of several parts at
// once, one fetches what all need.
func (w *rolloutWorker) ready(ctx context.Context, p rolloutPart, blobs Blobs) (*cpace.BatchWorker, []byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.worker == nil {
		setup, err := blobs.Get(ctx, p.Setup)
		if err != nil {
			return nil, nil, fmt.Errorf("the set-up of the exploration: %w", err)
		}
		if w.worker, err = cpace.NewBatchWorker(ctx, setup, envs.New); err != nil {
			return nil, nil, err
		}
	}
	if w.name != p.Estimate {
		estimate, err := blobs.Get(ctx, p.Estimate)
		if err != nil {
			return nil, nil, fmt.Errorf("the estimate of the batch: %w", err)
		}
		w.name, w.estimate = p.Estimate, estimate
	}
	return w.worker, w.estimate, nil
}

// The first byte of an output says whether the rollouts follow, or the name of their blob.
const (
	packedHere = 'h'
	packedBlob = 'b'
)

// pack returns rollouts as an output, which has no room for more than MaxInput bytes.
func pack(ctx context.Context, blobs Blobs, rollouts []byte) ([]byte, error) {
	if len(rollouts) < MaxInput {
		return append([]byte{packedHere}, rollouts...), nil
	}
	name, err := blobs.Put(ctx, rollouts)
	return append([]byte{packedBlob}, name...), err
}

// unpack returns the rollouts of an output.
func unpack(ctx context.Context, blobs Blobs, output []byte) ([]byte, error) {
	if len(output) == 0 {
		return nil, bcpace.In("rollouts").Bad("the output", "no bytes", "rollouts")
	}
	switch rest := output[1:]; output[0] {
	case packedHere:
		return rest, nil
	case packedBlob:
		return blobs.Get(ctx, string(rest))
	}
	return nil, bcpace.In("rollouts").Bad("the first byte of the output", fmt.Sprintf("%q", output[0]), fmt.Sprintf("%q or %q", packedHere, packedBlob))
}

// Explore returns the run that o.Explore(ctx, m, c) returns, bit for bit, with the rollouts
// of its batches played by the workers of an engine: for a model whose steps take long. It
// is o with Rollouts in its own field of that name, which also serves cpace.Solver.Solve and cpace.Solver.Resume.
//
// Everything else is computed in this process: the values of the latent MDPs, those of the
// samples after each batch, and the episodes that choose and certify a policy, which a slow
// model makes long: see cpace.Solver.Policy and cpace.Solver.CertificateEpisodes.
func Explore(ctx context.Context, e Engine, m bcpace.Model, o cpace.Solver, c bcpace.Control) (*runs.Run, error) {
	if o.Rollouts != nil {
		return nil, bcpace.In("sweep.Explore").Bad("cpace.Solver.Rollouts", "a function", "none, as the engine plays the rollouts")
	}
	o.Rollouts = Rollouts(e, nil)
	return o.Explore(ctx, m, c)
}

// Rollouts returns a function for cpace.Solver.Rollouts that has batches played by the workers of an engine.
// A worker makes the model by envs.New from Spec.Name and Spec.Params: a model of the user's
// own is one that the worker's program has registered (envs.Register). If it is not what is
// explored, by its fingerprint.Of, the exploration ends with an error that says so.
//
// It pays for slow models. On a machine with two processors, two worker processes that talk to
// a server of package jetstream take the time of one goroutine here for rollouts of some
// 1.5 ms, and 0.60 and 0.55 of it for those of 10 and 50 ms (BenchmarkExplore there). A task
// adds some 15 µs where the engine is in this process (BenchmarkOverhead), which plays batches
// side by side on all processors anyway. Before the first batch, this process and each worker
// take the model's Fingerprint: some hundred steps.
//
// Each batch is cut into tasks, and the estimate that all of them need is a blob, of
// 8·(axes + latents) + 12 bytes for each sample. status, if set, is the EngineObserver.Status while
// a batch is played. The function is for one exploration at a time.
func Rollouts(e Engine, status func(Status)) func(context.Context, *cpace.Batch) error {
	version := ThisVersion()
	var setup []byte // that is a blob of this name
	var name string
	return func(ctx context.Context, b *cpace.Batch) (err error) {
		if !bytes.Equal(setup, b.Setup) {
			if name, err = e.Put(ctx, b.Setup); err != nil {
				return err
			}
			setup = b.Setup
		}
		part := rolloutPart{Setup: name}
		if part.Estimate, err = e.Put(ctx, b.Estimate); err != nil {
			return err
		}
		var tasks []Task
		parts := make(map[string]rolloutPart)
		for first, end := b.First, b.First+b.Episodes; first < end; first += part.Episodes {
			part.First, part.Episodes = first, min(episodesOfTask(b.Episodes), end-first)
			input := canonical(part)
			t := Task{Key: keyOf(version, input), Name: part.String(), Kind: rolloutKind, Input: input, Transient: true}
			tasks, parts[t.Key] = append(tasks, t), part
		}
		var answers []Answer
		var failed error
		within, cancel := context.WithCancel(ctx)
		defer cancel()
		err = e.Do(within, tasks, EngineObserver{Status: status, Answered: func(a Answer) {
			part, ok := parts[a.Key]
			switch {
			case !ok || failed != nil:
			case a.Fault != "":
				failed = part.failed(a, errors.New(a.Fault))
				cancel() // the others' work would be lost
			default:
				answers = append(answers, a)
			}
		}})
		for _, a := range answers {
			part := parts[a.Key]
			rollouts, unread := unpack(ctx, e, a.Output)
			if unread == nil {
				unread = b.Played(part.First, part.Episodes, rollouts)
			}
			if unread != nil && failed == nil {
				failed = part.failed(a, unread)
			}
		}
		return cmp.Or(failed, err)
	}
}

// tasksOfBatch is how many tasks a batch is cut into at most. Many small tasks keep all
// workers busy to the end of a batch, and each takes a message to and fro.
const tasksOfBatch = 256

// episodesOfTask returns how many episodes of a batch are a task.
func episodesOfTask(batch int) int { return (batch + tasksOfBatch - 1) / tasksOfBatch }

// failed returns the error of a part that an answer gives no rollouts for.
func (p rolloutPart) failed(a Answer, err error) error {
	return fmt.Errorf("%s, played by %s: %w", p, a.Worker, err)
}
