package sweep

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/runs"
)

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
