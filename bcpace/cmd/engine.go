package cmd

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/sweep"
	"bayescpace/bcpace/sweep/jetstream"
)

// engineFlags say what computes.
type engineFlags struct {
	name     string
	workers  int
	listen   string
	replicas int
	grace    time.Duration
	remote   serverFlags
	server   jetstream.Server
}

// Names of engines that are not the URL of a server.
const (
	localEngine    = "local"
	embeddedEngine = "embedded"
)

// flags adds the flags of an engine to f, without --workers, which others have too.
func (a *engineFlags) flags(f *flags) {
	a.name, a.grace = localEngine, sweep.DefaultGrace
	f.value("engine", "NAME", "what computes: local, this process (the default); embedded, worker processes here and those that join, with a server of NATS in this process; or the URL of a server, "+
		"nats:// or tls://, which workers join (bcpace sweep worker)", text(&a.name))
	f.value("listen", "HOST:PORT", "address on which embedded takes workers of other machines (default: those of this machine alone)", text(&a.listen))
	f.value("replicas", "R", "servers of the cluster behind the URL that keep each answer: 1, 3 or 5 (default 1)", whole(&a.replicas))
	a.remote.flags(f)
}

// check returns a *usageError for flags that do not go together. workers is what --workers says.
func (a *engineFlags) check(f *flags, workers int) (err error) {
	if a.workers = workers; !f.given["workers"] {
		a.workers = runtime.GOMAXPROCS(0)
	}
	engine := "--engine " + a.name
	if a.workers < 0 || a.workers > num.MaxWorkers || a.workers == 0 && a.name == localEngine {
		return misuse("--workers is %d, want a number from 1 to %d, or 0 with --engine embedded", a.workers, num.MaxWorkers)
	}
	if isURL(a.name) {
		if err := f.clash(engine, "listen"); err != nil {
			return err
		}
		if f.given["workers"] {
			return misuse("--workers and %s contradict each other: leave out --workers, and join workers with bcpace sweep worker --connect %s", engine, a.name)
		}
		if f.given["replicas"] && !slices.Contains([]int{1, 3, 5}, a.replicas) {
			return misuse("--replicas is %d, want 1, 3 or 5", a.replicas)
		}
		a.server, err = a.remote.server(f, "engine", a.name)
		return err
	}
	switch a.name {
	case localEngine:
		err = f.clash(engine, "listen")
	case embeddedEngine:
		if _, _, bad := net.SplitHostPort(a.listen); a.listen != "" && bad != nil {
			err = misuse("--listen is %q, want an address such as 0.0.0.0:4222", a.listen)
		}
	default:
		err = misuse("--engine is %q, want local, embedded, or URLs such as nats://host:4222", a.name)
	}
	if err != nil {
		return err
	}
	return f.clash(engine, append(slices.Clone(serverKeys), "replicas")...)
}

// start starts the engine. Folder is where embedded keeps what it has, and needs is what workers must have.
func (a *engineFlags) start(ctx context.Context, p program, folder, name string, needs []string) (sweep.Engine, error) {
	settings := jetstream.Options{Name: name, Needs: needs}
	switch {
	case a.name == localEngine:
		return &sweep.Local{Workers: a.workers, Folder: filepath.Join(folder, "blobs"), Grace: a.grace}, nil
	case a.name == embeddedEngine:
		e, err := jetstream.Embed(ctx, jetstream.Embedded{Options: settings, Folder: folder, Listen: a.listen, Workers: a.workers, Grace: a.grace})
		if err == nil && (a.listen != "" || a.workers == 0) {
			p.sayHowToJoin(filepath.Join(folder, connectJSON))
		}
		return e, err
	}
	e, err := jetstream.Connect(ctx, jetstream.Remote{Options: settings, Server: a.server, Replicas: a.replicas})
	if err == nil {
		how := a.name
		for _, x := range a.remote.files() {
			how += " --" + x.Flag + " " + x.Path
		}
		p.sayHowToJoin(how)
	}
	return e, err
}

// sayHowToJoin says how to start a worker, for a sweep that may wait for one.
func (p program) sayHowToJoin(connect string) {
	fmt.Fprintf(p.stderr, "bcpace: workers join with bcpace sweep worker --connect %s\n", oneLine(connect))
}
