package cmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/sweep"
	"bayescpace/bcpace/sweep/jetstream"
	"bayescpace/bcpace/sweep/watch"
)

var sweepStatusVerb = newVerb[sweepStatusArgs]("sweep status", "say how far sweeps have come",
	"(FILE [--folder DIR] [--watch [--events]] | --connect FOLDER|FILE|URL [flags of the server]) [--json]",
	"sweep status neighbours.json",
	"sweep status neighbours.json --folder /shared/neighbours --watch",
	"sweep status --connect /shared/neighbours",
	"sweep status --connect tls://nats.example.org:4222 --credentials my.creds --json")

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
	f.output()
}

// sweepStatus is the verb sweep status.
func (a *sweepStatusArgs) run(p program, f *flags) error {
	elsewhere, here := f.given["connect"], f.given[sweepArg]
	if err := cmp.Or(
		need(!a.watch || !f.json, "--watch and --json contradict each other: --events prints JSON, a line for each event"),
		need(a.watch || !a.events, "--events needs --watch, while which it tells"),
		f.excludes("connect", "folder", "watch"),
		need(!elsewhere || !here, "FILE and --connect contradict each other: leave one of them out"),
		need(elsewhere || here, "FILE or --connect is missing"),
		unless(elsewhere, f.clash("FILE", serverKeys...))); err != nil {
		return err
	}
	if elsewhere {
		server, err := a.remote.server(f, "connect", a.connect)
		if err != nil {
			return err
		}
		list, err := jetstream.State(p.ctx, server)
		if err != nil {
			return err
		}
		return printSweeps(p, f, list)
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
	return printSweeps(p, f, []jetstream.Sweep{{Name: sweepName(s, a.file), ID: sweepKey(r), Tasks: len(r.Rows), Done: doneOf(r), Failed: len(r.Failed()), Version: sweep.ThisVersion()}})
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

// printSweeps prints how far sweeps have come, as a server knows it; of one without a server, nothing runs. A change of a key or meaning breaks what reads
// the JSON, whose keys of a sweep are those of sweep run, or the server's names.
func printSweeps(p program, f *flags, list []jetstream.Sweep) error {
	states := append([]facts{}, each(list, func(s jetstream.Sweep) facts {
		return facts{{"name", "", s.Name}, {"key", "", s.ID}, {"trials", "trials", s.Tasks}, {"done", "done", s.Done}, {"failed", "failed", s.Failed}, {"left", "", s.Tasks - s.Done},
			{"live", "", s.Live}, {"running", "running", s.Running}, {"workers", "", append([]string{}, s.Workers...)}, {"", "workers", len(s.Workers)}, {"", "live", s.Live},
			{"began", "", orNil(s.Began)}, {"heard", "", orNil(s.Heard)}, {"version", "version", s.Version.String()}, {"note", "", ground(s.Note)}, {"", "sweep", oneLine(s.Name)}}
	})...)
	return f.printText(p.stdout, facts{{"sweeps", "", states}}, func(w io.Writer) {
		table(w, columns(states, "trials", "done", "failed", "running", "workers", "live", "version", "sweep"))
		fmt.Fprintf(w, "%d sweeps\n", len(list))
	})
}

var sweepWorkerVerb = newVerb[sweepWorkerArgs]("sweep worker", "compute trials for a sweep that runs elsewhere, until it is told to end",
	"--connect FOLDER|FILE|URL [--workers N] [--idle D] [--grace D] [flags of the server]",
	"sweep worker --connect /shared/neighbours",
	"sweep worker --connect connect.json --workers 8 --idle 10m",
	"sweep worker --connect tls://nats.example.org:4222 --credentials my.creds")

// sweepWorkerArgs are the flags of sweep worker.
type sweepWorkerArgs struct {
	connect string
	workers int
	idle    time.Duration
	grace   time.Duration
	remote  serverFlags
	child   bool
}

func (a *sweepWorkerArgs) flags(f *flags) {
	a.grace = sweep.DefaultGrace
	f.section("work")
	connectFlag(f, &a.connect)
	f.value("workers", "N", "worker processes, each of which computes one trial at a time; 0 for one per processor", whole(&a.workers))
	f.value("idle", "D", "end when there was nothing to compute for a time such as 10m (default: wait for the next sweep)", timeLimit(&a.idle))
	f.value("grace", "D", graceDoc, duration(&a.grace))
	a.remote.flags(f)
	f.toggle("child", "", boolean(&a.child)) // what this program starts its processes with
}

// sweepWork is the verb sweep worker.
func (a *sweepWorkerArgs) run(p program, f *flags) error {
	if err := checkGrace(a.grace); err != nil {
		return err
	}
	defer holdTerminate()()
	if a.child {
		return jetstream.Child(p.ctx, os.Stdin, p.stdout, sweep.CheckNeed)
	}
	if err := cmp.Or(
		f.require("connect"),
		need(a.workers >= 0 && a.workers <= num.MaxWorkers, "--workers is %d, want a number from 1 to %d, or 0 for one per processor", a.workers, num.MaxWorkers)); err != nil {
		return err
	}
	server, err := a.remote.server(f, "connect", a.connect)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(p.ctx)
	var waited sync.WaitGroup
	idle := false
	if a.idle > 0 {
		asked := server
		if info, err := os.Stat(a.connect); err == nil && info.IsDir() {
			asked.Address = filepath.Join(a.connect, connectJSON) // who asks for a folder opens it where no engine does
		}
		waited.Go(func() {
			idle = waitIdle(ctx, asked, a.idle)
			cancel()
		})
	}
	err = jetstream.Work(ctx, jetstream.Worker{Server: server, Slots: a.workers, Grace: a.grace, Log: p.say})
	cancel()
	waited.Wait()
	if idle && err == nil { // said here, as no other goroutine writes any more
		p.say(fmt.Sprintf("nothing to compute for %v", a.idle))
	}
	return err
}

// waitIdle waits until there was nothing to compute for a time; it reports false where ctx ends
// before that. A server that cannot be asked has nothing to compute.
func waitIdle(ctx context.Context, server jetstream.Server, idle time.Duration) bool {
	busy := func() bool {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		sweeps, err := jetstream.State(ctx, server)
		return err == nil && slices.ContainsFunc(sweeps, func(s jetstream.Sweep) bool { return s.Live && s.Done < s.Tasks })
	}
	tick := time.NewTicker(min(idle/4+1, 5*time.Second))
	defer tick.Stop()
	for last := time.Now(); time.Since(last) < idle; {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
			if busy() {
				last = time.Now()
			}
		}
	}
	return true
}
