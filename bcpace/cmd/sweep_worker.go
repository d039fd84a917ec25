package cmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/sweep"
	"bayescpace/bcpace/sweep/jetstream"
)

var sweepWorkerVerb = verb{
	name: "sweep worker", doc: "compute trials for a sweep that runs elsewhere, until it is told to end",
	usage: "--connect FOLDER|FILE|URL [--workers N] [--idle D] [--grace D] [flags of the server]",
	examples: []string{
		"sweep worker --connect /shared/neighbours",
		"sweep worker --connect connect.json --workers 8 --idle 10m",
		"sweep worker --connect tls://nats.example.org:4222 --credentials my.creds",
	},
	args: func() arguments { return new(sweepWorkerArgs) },
}

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
	if !f.given["connect"] {
		return misuse("--connect is missing, which says where the sweep runs")
	}
	if a.workers < 0 || a.workers > num.MaxWorkers {
		return misuse("--workers is %d, want a number from 1 to %d, or 0 for one per processor", a.workers, num.MaxWorkers)
	}
	server, err := a.remote.server(f, "connect", a.connect)
	if err != nil {
		return err
	}
	say := func(line string) { fmt.Fprintf(p.stderr, "bcpace: %s\n", oneLine(line)) }
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
	err = jetstream.Work(ctx, jetstream.Worker{Server: server, Slots: a.workers, Grace: a.grace, Log: say})
	cancel()
	waited.Wait()
	if idle && err == nil { // said here, as no other goroutine writes any more
		say(fmt.Sprintf("nothing to compute for %v", a.idle))
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
