package sweep

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
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
