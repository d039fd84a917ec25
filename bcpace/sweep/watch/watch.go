// Package watch follows a sweep that is computed elsewhere, by what its folder of results gets: a
// display for people, events as lines of JSON, and metrics for Prometheus.
//
// All processes of a sweep write into that folder: each keeps the results of its trials, and says
// every five seconds, and after a change, which trials its workers have. So one watcher sees shards and workers of every
// engine, and no process of the sweep has to know of it. It compares no clocks of two machines.
package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"bayescpace/bcpace/sweep"
)

// Watch says which sweep is watched, and who is told of it.
type Watch struct {
	Spec sweep.Spec
	// Name is how the sweep is called.
	Name string
	// Folder keeps the results, of all shards. "" means that of sweep.Folder.
	Folder string
	// Every is the time between two looks at the folder; 0 means a second.
	Every time.Duration
	// Lost is how long the file of a process may stay as it is before its workers count as lost; 0
	// means 20 s.
	Lost time.Duration
	// Display, if set, gets the state after each look, as text.
	Display io.Writer
	// Terminal says that Display is a terminal, where each state replaces the one before. Elsewhere
	// a state is a line, and one that says the same as the last is left out.
	Terminal bool
	// Events, if set, gets a line of JSON for each Event.
	Events io.Writer
	// Address, if set, is where the state is served to Prometheus on this machine, as Serve takes it.
	// Serves, if set, is told the URL.
	Address string
	Serves  func(url string)
}

// CheckFlags returns an error for flags of the command sweep status that do not go together, in their
// words: --metrics is "" where it is not given.
func CheckFlags(watch, json, events bool, metrics string) error {
	switch {
	case watch && json:
		return errors.New("--watch and --json contradict each other: --events prints JSON, a line for each event")
	case !watch && (events || metrics != ""):
		return errors.New("--events and --metrics need --watch, while which they tell")
	case metrics != "":
		if _, err := Loopback(metrics); err != nil {
			return fmt.Errorf("--metrics: %w", err)
		}
	}
	return nil
}

// State is how far a sweep has come.
type State struct {
	// Name and Elapsed are the sweep's name and the time since the watch began.
	Name    string
	Elapsed time.Duration
	// Trials is their number, and Done of them have a result, which is a fault for those Failed.
	Trials, Done, Failed int
	// Running is the number of trials that workers have.
	Running int
	// Rate is the number of trials per second over the last minute, and Left an estimate of the time
	// to the end; −1 before there is one.
	Rate float64
	Left time.Duration
	// Workers are those that live, by name.
	Workers []WorkerState
	// Faults are those of the first trials that failed, at most MaxFaults.
	Faults []string
}

// WorkerState is a worker of the sweep.
type WorkerState struct {
	Name string
	// Has is the number of trials that it has now, and Done those that it has answered.
	Has, Done int
}

// MaxFaults is the most faults of a State.
const MaxFaults = 3

// rateOver is the time over which the rate is taken.
const rateOver = time.Minute

// Run watches until all trials have a result or a fault, and returns the last state. When ctx ends
// before that, it returns the state so far with ctx's error. The other errors are those of the sweep
// and its folder, and of a writer.
func (w Watch) Run(ctx context.Context) (State, error) {
	var metrics *Metrics
	if w.Address != "" {
		var err error
		if metrics, err = Serve(ctx, w.Address); err != nil {
			return State{}, err
		}
		defer metrics.Close()
		if w.Serves != nil {
			w.Serves(metrics.URL())
		}
	}
	results, again, err := sweep.Follow(ctx, w.Spec, w.Folder)
	if err != nil {
		return State{}, err
	}
	if w.Folder == "" {
		if w.Folder, err = sweep.Folder(); err != nil {
			return State{}, err
		}
	}
	if w.Every == 0 {
		w.Every = time.Second
	}
	if w.Lost == 0 {
		w.Lost = 4 * sweep.PulseEvery
	}
	f := newFollower(w, results)
	tick := time.NewTicker(w.Every)
	defer tick.Stop()
	for {
		s := f.look(time.Now())
		metrics.set(s)
		if err := f.tell(s); err != nil || s.Done == s.Trials {
			return s, err
		}
		select {
		case <-ctx.Done():
			return s, ctx.Err()
		case <-tick.C:
		}
		if err := again(); err != nil {
			return s, err
		}
	}
}

// tell hands the state to all who are told.
func (f *follower) tell(s State) error {
	if err := errors.Join(f.sendEvents(), f.show(s)); err != nil {
		return fmt.Errorf("watching the sweep: %w", err)
	}
	return nil
}
