package watch

import (
	"encoding/json"
	"maps"
	"slices"
)

// The kinds of events.
const (
	// EventWatching is the first one, with the counts before the watch.
	EventWatching = "watching"
	// EventBegun says that a worker has a trial, once for each worker that has it. A trial that ends
	// before its process says what it has (some second after a change) has none, nor have those of a worker
	// beyond its first 64.
	EventBegun = "trial begun"
	// EventDone and EventFailed say that a trial has a result or a fault.
	EventDone   = "trial done"
	EventFailed = "trial failed"
	// EventWorkerSeen and EventWorkerLost say that a worker lives, or that its process has ended, no
	// more counts it among its workers, or gives no sign of life.
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
