package watch

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"bayescpace/bcpace/sweep"
)

// follower has what a watch has seen.
type follower struct {
	watch   Watch
	results *sweep.Results
	began   time.Time
	rows    map[string][]int // of the results, by key

	past    []mark
	told    []outcome         // what has been told of each row
	begun   []string          // the worker of the last EventBegun of each row
	has     map[string]string // the worker of each key that one had at the last look
	had     map[string]string // the last worker of each key
	sees    map[string]*process
	first   bool               // no look has been taken
	workers []sweep.WorkerLoad // at the last look
	events  []Event

	lines int    // that are on the terminal
	last  string // line
}

// outcome is whether a trial has a result.
type outcome uint8

const (
	open outcome = iota
	failed
	done
)

// mark is how many trials were done at a time.
type mark struct {
	at   time.Time
	done int
}

// process is a process whose pulse is in the folder.
type process struct {
	beat    int
	changed time.Time
	lives   bool // its pulse has changed while it was watched, or came meanwhile
	ours    bool // it has had a trial of this sweep
}

func newFollower(w Watch, r *sweep.Results) *follower {
	f := &follower{watch: w, results: r, began: time.Now(), rows: make(map[string][]int), told: make([]outcome, len(r.Rows)), begun: make([]string, len(r.Rows)),
		has: make(map[string]string), had: make(map[string]string), sees: make(map[string]*process), first: true}
	for i, row := range r.Rows {
		f.rows[row.Key] = append(f.rows[row.Key], i)
	}
	return f
}

// look returns the state now, and collects what has happened since the last look.
func (f *follower) look(now time.Time) State {
	s := State{Name: f.watch.Name, Elapsed: now.Sub(f.began), Trials: len(f.results.Rows), Left: -1}
	silent := f.lookAtWorkers(now, &s)
	f.lookAtTrials(&s)
	f.leave(s.Workers, silent)
	f.pace(now, &s)
	if f.first {
		f.events = slices.Insert(f.events, 0, f.event(EventWatching))
	}
	if s.Done == s.Trials {
		f.events = append(f.events, f.event(EventFinished))
	}
	for i := range f.events {
		f.events[i].Elapsed = s.Elapsed.Round(time.Millisecond).Seconds()
		if e := &f.events[i]; e.Event == EventWatching || e.Event == EventFinished {
			e.TrialCounts = &TrialCounts{s.Trials, s.Done, s.Failed}
		}
	}
	f.first = false
	return s
}

// event returns an event of the whole sweep.
func (f *follower) event(kind string) Event { return Event{Event: kind, Sweep: f.watch.Name} }

// lookAtWorkers fills in who lives and what they have, and returns the workers of processes whose pulse
// stands still.
func (f *follower) lookAtWorkers(now time.Time, s *State) (silent map[string]bool) {
	pulses := sweep.ReadPulses(f.watch.Folder)
	f.has, silent = make(map[string]string), make(map[string]bool)
	workers := make(map[string]sweep.WorkerLoad)
	for _, name := range sorted(pulses) {
		p := pulses[name]
		if !f.process(name, p, now) {
			silent[p.Name] = true
			continue
		}
		for _, k := range p.Keys {
			if rows := f.rows[k]; len(rows) > 0 && f.results.Rows[rows[0]].Computed() {
				p.Has-- // since the pulse was written
				continue
			}
			f.has[k], f.had[k] = p.Name, p.Name
		}
		was := workers[p.Name] // of another sweep of the process
		workers[p.Name] = sweep.WorkerLoad{Name: p.Name, Has: was.Has + p.Has, Done: was.Done + p.Done}
	}
	maps.DeleteFunc(f.sees, func(name string, _ *process) bool { return pulses[name].Beat == 0 }) // whose pulse is gone
	for _, name := range sorted(workers) {
		if !slices.ContainsFunc(f.workers, func(w sweep.WorkerLoad) bool { return w.Name == name }) {
			f.events = append(f.events, Event{Event: EventWorkerSeen, Worker: name})
		}
		s.Workers = append(s.Workers, workers[name])
		s.Running += workers[name].Has
	}
	return silent
}

// process reports whether a process lives and has had a trial of this sweep.
func (f *follower) process(name string, p sweep.Pulse, now time.Time) bool {
	seen := f.sees[name]
	if seen == nil {
		seen = &process{beat: p.Beat, changed: now, lives: !f.first}
		f.sees[name] = seen
	}
	if p.Beat != seen.beat {
		seen.beat, seen.changed, seen.lives = p.Beat, now, true
	}
	if now.Sub(seen.changed) > f.watch.Lost {
		seen.lives = false
	}
	seen.ours = seen.ours || slices.ContainsFunc(p.Keys, func(k string) bool { return f.rows[k] != nil })
	return seen.lives && seen.ours
}

// leave tells which workers are there no more.
func (f *follower) leave(now []sweep.WorkerLoad, silent map[string]bool) {
	for _, w := range f.workers {
		if slices.ContainsFunc(now, func(x sweep.WorkerLoad) bool { return x.Name == w.Name }) {
			continue
		}
		why := "it has ended, or does no more of this sweep"
		if silent[w.Name] {
			why = fmt.Sprintf("no sign of life for %v", f.watch.Lost)
		}
		f.events = append(f.events, Event{Event: EventWorkerLost, Worker: w.Name, Why: why})
	}
	f.workers = now
}

// lookAtTrials fills in how many trials are done, and why some failed.
func (f *follower) lookAtTrials(s *State) {
	for i := range f.results.Rows {
		r := &f.results.Rows[i]
		now := open
		switch {
		case r.Computed():
			now = done
		case r.Fault != "":
			now = failed
			s.Failed++
			if len(s.Faults) < MaxFaults {
				s.Faults = append(s.Faults, fmt.Sprintf("trial %d: %s", r.Number, r.Fault))
			}
		}
		if now != open {
			s.Done++
		}
		f.tellTrial(i, now)
	}
}

// tellTrial collects the events of a trial.
func (f *follower) tellTrial(i int, now outcome) {
	r := &f.results.Rows[i]
	e := Event{Trial: &r.Number, Key: r.Key}
	if worker := f.has[r.Key]; worker != "" && worker != f.begun[i] {
		f.begun[i] = worker
		e.Event, e.Worker = EventBegun, worker
		f.events = append(f.events, e)
	}
	if now != f.told[i] && !f.first {
		e.Worker, e.Seconds = f.had[r.Key], r.Seconds
		if e.Event = EventDone; now == failed {
			e.Event, e.Fault = EventFailed, r.Fault
		}
		f.events = append(f.events, e)
	}
	f.told[i] = now
}

// pace fills in the rate and the time that is left.
func (f *follower) pace(now time.Time, s *State) {
	f.past = append(f.past, mark{now, s.Done})
	for len(f.past) > 2 && now.Sub(f.past[1].at) >= rateOver {
		f.past = f.past[1:]
	}
	first := f.past[0]
	if t := now.Sub(first.at).Seconds(); t > 0 {
		s.Rate = float64(s.Done-first.done) / t
	}
	if left := float64(s.Trials-s.Done) / s.Rate; s.Rate > 0 && left < math.MaxInt64/1e9/2 {
		s.Left = time.Duration(left * 1e9)
	}
}
