// Package watch follows a sweep that is computed elsewhere, by what its folder of results gets: a
// display for people, and events as lines of JSON.
//
// All processes of a sweep write into that folder: each keeps the results of its trials, and says
// every five seconds, and after a change, which trials it has. So one watcher sees all shards, and no
// process of the sweep has to know of it. It compares no clocks of two machines.
package watch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"bayescpace/bcpace/sweep"
)

// Watch says which sweep is watched, and who is told of it.
type Watch struct {
	Spec sweep.Spec
	// Name is how the sweep is called.
	Name string
	// Folder keeps the results, of all shards.
	Folder string
	// Every is the time between two looks at the folder; 0 means a second.
	Every time.Duration
	// Lost is how long the file of a process may stay as it is before it counts as lost; 0
	// means 20 s.
	Lost time.Duration
	// Display, if set, gets the state after each look, as text.
	Display io.Writer
	// Terminal says that Display is a terminal, where each state replaces the one before. Elsewhere
	// a state is a line, and one that says the same as the last is left out.
	Terminal bool
	// Events, if set, gets a line of JSON for each Event.
	Events io.Writer
}

// State is how far a sweep has come.
type State struct {
	// Name and Elapsed are the sweep's name and the time since the watch began.
	Name    string
	Elapsed time.Duration
	// Trials is their number, and Done of them have a result, which is a fault for those Failed.
	Trials, Done, Failed int
	// Running is the number of trials that processes have.
	Running int
	// Rate is the number of trials per second over the last minute, and Left an estimate of the time
	// to the end; −1 before there is one.
	Rate float64
	Left time.Duration
	// Workers are the processes that live, by name, without the keys of what they have.
	Workers []sweep.WorkerLoad
	// Faults are those of the first trials that failed, at most MaxFaults.
	Faults []string
}

// MaxFaults is the most faults of a State.
const MaxFaults = 3

// rateOver is the time over which the rate is taken.
const rateOver = time.Minute

// Run watches until all trials have a result or a fault, and returns the last state. When ctx ends
// before that, it returns the state so far with ctx's error. The other errors are those of the sweep
// and its folder, and of a writer.
func (w Watch) Run(ctx context.Context) (State, error) {
	results, again, err := sweep.Follow(ctx, w.Spec, w.Folder)
	if err != nil {
		return State{}, err
	}
	w.Every, w.Lost = cmp.Or(w.Every, time.Second), cmp.Or(w.Lost, 4*sweep.PulseEvery)
	f := newFollower(w, results)
	tick := time.NewTicker(w.Every)
	defer tick.Stop()
	for {
		s := f.look(time.Now())
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

const (
	width      = 79 // columns: a longer line would wrap, and not be replaced
	maxWorkers = 12 // that are shown
)

// show writes the state to the display.
func (f *follower) show(s State) error {
	w := f.watch.Display
	switch {
	case w == nil:
		return nil
	case f.watch.Terminal:
		lines := s.lines()
		var text strings.Builder
		if f.lines > 0 {
			fmt.Fprintf(&text, "\x1b[%dA", f.lines) // up to the first of them
		}
		for _, l := range lines {
			text.WriteString("\r\x1b[K" + l + "\n") // cleared to its end
		}
		text.WriteString("\x1b[J") // what is below
		f.lines = len(lines)
		_, err := io.WriteString(w, text.String())
		return err
	}
	line := s.counts() + fmt.Sprintf(", %d running on %d workers", s.Running, len(s.Workers))
	if line == f.last {
		return nil
	}
	f.last = line
	_, err := fmt.Fprintln(w, line+s.paceText())
	return err
}

// counts says how far the sweep has come.
func (s State) counts() string {
	return fmt.Sprintf("%s: %d of %d done, %d failed", clean(s.Name), s.Done, s.Trials, s.Failed)
}

// paceText says how fast it is, where that is known.
func (s State) paceText() (text string) {
	if s.Rate > 0 {
		text = fmt.Sprintf(", %.3g trials/s", s.Rate)
	}
	if s.Left > 0 {
		text += fmt.Sprintf(", %v left", s.Left.Round(time.Second))
	}
	return text
}

// lines are what a terminal shows.
func (s State) lines() (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, cut(clean(fmt.Sprintf(format, args...)))) }
	add("%s", s.counts()+s.paceText())
	if len(s.Workers) == 0 && s.Done < s.Trials {
		add("no process computes it, as far as the folder says")
	}
	for i, w := range s.Workers {
		if i == maxWorkers {
			add("  and %d workers more", len(s.Workers)-i)
			break
		}
		add("  %s: %d running, %d done", w.Name, w.Has, w.Done)
	}
	for _, f := range s.Faults {
		add("  %s", f)
	}
	if n := s.Failed - len(s.Faults); n > 0 {
		add("  and %d faults more", n)
	}
	return lines
}

// clean keeps what a fault or a name quotes from moving the cursor.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}

// cut shortens a line to the width.
func cut(line string) string {
	if r := []rune(line); len(r) > width {
		return string(r[:width-1]) + "…"
	}
	return line
}

// The kinds of events.
const (
	// EventWatching is the first one, with the counts before the watch.
	EventWatching = "watching"
	// EventBegun says that a worker, which is a process, has a trial, once for each worker that has it. A trial that ends
	// before its process says what it has (some second after a change) has none, nor have those of a worker
	// beyond its first 64.
	EventBegun = "trial begun"
	// EventDone and EventFailed say that a trial has a result or a fault.
	EventDone   = "trial done"
	EventFailed = "trial failed"
	// EventWorkerSeen and EventWorkerLost say that a worker lives, or that it has ended, computes no more of
	// the sweep, or gives no sign of life.
	EventWorkerSeen = "worker seen"
	EventWorkerLost = "worker lost"
	// EventFinished is the last one, after all trials have a result or a fault.
	EventFinished = "finished"
)

// Event is what has happened to a sweep. A change of a name or meaning in its JSON breaks what reads
// it. Fields that say nothing of an event are left out.
type Event struct {
	Event string `json:"event"`
	// Elapsed is the time since the watch began, in seconds.
	Elapsed float64 `json:"elapsed"`
	// Sweep is the sweep's name, and Counts are its numbers: of the first event and the last.
	Sweep string `json:"sweep,omitempty"`
	*TrialCounts
	// Trial is the number of a trial, and Key stands for what determines its result.
	Trial *int   `json:"trial,omitempty"`
	Key   string `json:"key,omitempty"`
	// Worker is who has the trial or has computed it, or who is seen or lost.
	Worker string `json:"worker,omitempty"`
	// Seconds is the time that the trial took.
	Seconds float64 `json:"seconds,omitempty"`
	// Fault says why a trial has failed, and Why why a worker counts as lost.
	Fault string `json:"fault,omitempty"`
	Why   string `json:"why,omitempty"`
}

// TrialCounts are the numbers of a sweep's trials.
type TrialCounts struct {
	Trials int `json:"trials"`
	// Done have a result, which is a fault for those Failed.
	Done   int `json:"done"`
	Failed int `json:"failed"`
}

// sendEvents writes the events since the last time.
func (f *follower) sendEvents() error {
	events := f.events
	f.events = nil
	if f.watch.Events == nil {
		return nil
	}
	lines := json.NewEncoder(f.watch.Events)
	for _, e := range events {
		if err := lines.Encode(e); err != nil {
			return err
		}
	}
	return nil
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
