package cmd

import (
	"fmt"
	"io"
	"time"

	"bayescpace/bcpace/sweep"
	"bayescpace/bcpace/sweep/jetstream"
	"bayescpace/bcpace/sweep/watch"
)

var sweepStatusVerb = verb{
	name: "sweep status", doc: "say how far sweeps have come",
	usage: "(FILE [--folder DIR] [--watch [--events]] | --connect FOLDER|FILE|URL [flags of the server]) [--json]",
	examples: []string{
		"sweep status neighbours.json",
		"sweep status neighbours.json --folder /shared/neighbours --watch",
		"sweep status --connect /shared/neighbours",
		"sweep status --connect tls://nats.example.org:4222 --credentials my.creds --json",
	},
	args: func() arguments { return new(sweepStatusArgs) },
}

// sweepStates is the JSON of the verb sweep status. A change of a name or meaning breaks what
// reads it.
type sweepStates struct {
	Sweeps []sweepState `json:"sweeps"`
}

// sweepState is how far a sweep has come.
type sweepState struct {
	Name string `json:"name"`
	// Key is that of sweep run, or the server's name for the sweep.
	Key string `json:"key"`
	counts
	// What a server knows; without one nothing runs.
	Live    bool      `json:"live"`
	Running int       `json:"running"`
	Workers []string  `json:"workers"`
	Began   time.Time `json:"began,omitzero"`
	Heard   time.Time `json:"heard,omitzero"`
	Version string    `json:"version"`
	Note    ground    `json:"note"`
}

// sweepStatusArgs are the flags of sweep status.
type sweepStatusArgs struct {
	sweepFlags
	connect string
	remote  serverFlags
	watch   bool
	events  bool
}

func (a *sweepStatusArgs) flags(f *flags) {
	a.sweepFlags.flags(f)
	f.section("sweeps that run")
	connectFlag(f, &a.connect)
	a.remote.flags(f)
	f.section("watching")
	f.toggle("watch", "look each second, until all trials are done or failed: how far it is, how fast, who has what, and faults", boolean(&a.watch))
	f.toggle("events", "with --watch, print what happens as lines of JSON, and nothing else", boolean(&a.events))
	f.section("output")
	f.jsonFlag()
}

// sweepStatus is the verb sweep status.
func (a *sweepStatusArgs) run(p program, f *flags) error {
	switch {
	case a.watch && f.json:
		return misuse("--watch and --json contradict each other: --events prints JSON, a line for each event")
	case !a.watch && a.events:
		return misuse("--events needs --watch, while which it tells")
	}
	if f.given["connect"] {
		if err := f.clash("--connect", "folder", "watch"); err != nil {
			return err
		}
		if f.given[sweepArg] {
			return misuse("FILE and --connect contradict each other: leave one of them out")
		}
		server, err := a.remote.server(f, "connect", a.connect)
		if err != nil {
			return err
		}
		return a.fromServer(p, f, server)
	}
	if !f.given[sweepArg] {
		return misuse("FILE or --connect is missing")
	}
	if err := f.clash("FILE", serverKeys...); err != nil {
		return err
	}
	s, err := a.read()
	if err != nil {
		return err
	}
	if a.watch {
		return a.follow(p, s)
	}
	r, err := sweep.Kept(p.ctx, s, a.folder)
	if err != nil {
		return err
	}
	states := sweepStates{[]sweepState{{
		Name: sweepName(s, a.file), Key: sweepKey(r), counts: countsOf(r), Workers: []string{}, Version: sweep.ThisVersion().String(),
	}}}
	return f.printText(p.stdout, states, states.people)
}

// follow watches a sweep until it is done.
func (a *sweepStatusArgs) follow(p program, s sweep.Spec) error {
	w := watch.Watch{Spec: s, Name: sweepName(s, a.file), Folder: a.folder}
	if w.Events = p.stdout; !a.events {
		w.Events, w.Display, w.Terminal = nil, p.stdout, isTerminal(p.stdout)
	}
	last, err := w.Run(p.ctx)
	if err != nil && p.ctx.Err() != nil && last.Trials > 0 {
		return fmt.Errorf("interrupted with %d of %d trials done; what computes them goes on", last.Done, last.Trials)
	}
	return err
}

// fromServer prints the sweeps that a server knows.
func (a *sweepStatusArgs) fromServer(p program, f *flags, server jetstream.Server) error {
	list, err := jetstream.State(p.ctx, server)
	if err != nil {
		return err
	}
	states := sweepStates{[]sweepState{}}
	for _, s := range list {
		workers := s.Workers
		if workers == nil {
			workers = []string{}
		}
		states.Sweeps = append(states.Sweeps, sweepState{
			Name: s.Name, Key: s.ID, counts: counts{s.Tasks, s.Done, s.Failed, s.Tasks - s.Done}, Live: s.Live,
			Running: s.Running, Workers: workers, Began: s.Began, Heard: s.Heard, Version: s.Version.String(), Note: ground(s.Note),
		})
	}
	return f.printText(p.stdout, states, states.people)
}

// people writes the states for people.
func (s sweepStates) people(w io.Writer) {
	table(w, func(row func(...any)) {
		row("trials", "done", "failed", "running", "workers", "live", "version", "sweep")
		for _, x := range s.Sweeps {
			row(x.Trials, x.Done, x.Failed, x.Running, len(x.Workers), x.Live, x.Version, oneLine(x.Name))
		}
	})
	fmt.Fprintf(w, "%d sweeps\n", len(s.Sweeps))
}
