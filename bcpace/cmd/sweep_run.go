package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"bayescpace/bcpace/sweep"
	"bayescpace/bcpace/sweep/jetstream"
	"bayescpace/envs"
)

var sweepRunVerb = verb{
	name: "sweep run", doc: "compute the trials of a sweep, or go on with them",
	usage: "FILE [--engine local|embedded|URL] [--workers N] [--folder DIR] [--out FILE [--force]] [--timeout D] [--json] [flags of the engine]",
	examples: []string{
		"sweep run neighbours.json --out rows.csv",
		"sweep run neighbours.json --engine embedded --workers 4 --out rows.parquet",
		"sweep run neighbours.json --engine embedded --listen 0.0.0.0:4222 --folder /shared/neighbours",
		"sweep run neighbours.json --engine tls://nats.example.org:4222 --credentials my.creds --replicas 3",
	},
	flags: func() *flags { return new(sweepRunArgs).flags() },
	run:   sweepRun,
}

// sweepSummary is the JSON of the verb sweep run. A change of a name or meaning breaks what
// reads it.
type sweepSummary struct {
	Name string `json:"name"`
	// Key stands for the trials and the code that computes them.
	Key string `json:"key"`
	counts
	// Cached of those done had their results before.
	Cached  int    `json:"cached"`
	Stop    string `json:"stop"`
	Seconds number `json:"seconds"`
	Engine  string `json:"engine"`
	Folder  string `json:"folder"`
	Out     ground `json:"out"`
}

// Reasons why a sweep ends.
const (
	sweepDone        = "done"
	sweepInterrupted = "interrupted"
	sweepLate        = "out of time"
)

// sweepRunArgs are the flags of sweep run.
type sweepRunArgs struct {
	sweepFlags
	engine  engineFlags
	out     string
	force   bool
	timeout time.Duration
	json    bool
}

func (a *sweepRunArgs) flags() *flags {
	f := newFlags()
	a.sweepFlags.flags(f)
	f.value("out", "FILE", "write a row for each trial to a .csv, .parquet or .json file", text(&a.out))
	forceFlag(f, &a.force)
	f.value("timeout", "D", "end the sweep after a time such as 10m, and keep what there is", duration(&a.timeout))
	jsonFlag(f, &a.json)
	a.engine.flags(f)
	return f
}

// sweepRun is the verb sweep run.
func sweepRun(p program, args []string) error {
	var a sweepRunArgs
	f := a.flags()
	if err := f.parse(args); err != nil {
		return err
	}
	if !f.given[sweepArg] {
		return misuse("FILE is missing, the sweep to run")
	}
	if f.given["timeout"] && a.timeout <= 0 {
		return misuse("--timeout is %v, want a time above 0; without the flag there is no limit", a.timeout)
	}
	if f.given["out"] {
		if err := checkRows(a.out, a.force); err != nil { // now, not after the work
			return err
		}
	}
	if err := a.engine.check(f); err != nil {
		return err
	}
	begin := time.Now()
	s, err := a.read()
	if err != nil {
		return err
	}
	ctx := p.ctx
	if a.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, a.timeout)
		defer cancel()
	}
	engine := a.engine.start(ctx, p, a.folder, sweepName(s, a.file), needsOf(s))
	show := p.sweepProgress(a.json)
	results, err := sweep.Run(ctx, s, sweep.Options{Engine: engine, Folder: a.folder, Progress: show.now})
	show.end()
	if closed := engine.Close(); err == nil {
		err = closed
	}
	stop, err := stopOf(ctx, results, err)
	if err != nil {
		return err
	}
	sum := sweepSummary{Name: s.Name, Key: sweepKey(results), counts: countsOf(results), Stop: stop, Engine: a.engine.name, Folder: a.folder, Out: ground(a.out)}
	for _, row := range results.Rows {
		if row.Cached {
			sum.Cached++
		}
	}
	if a.out != "" { // also after Ctrl-C, which has ended p.ctx
		if err := writeRows(context.WithoutCancel(ctx), a.out, results); err != nil {
			return err
		}
	}
	sum.Seconds = number(time.Since(begin).Seconds())
	if err := sum.print(p.stdout, a.json); err != nil {
		return err
	}
	if failed := results.Failed(); len(failed) > 0 {
		fmt.Fprintf(p.stderr, "bcpace: %s\n", oneLine(fmt.Sprintf("%d of %d trials failed, such as trial %d: %s; the next run tries them again", len(failed), sum.Trials, failed[0].Number, failed[0].Fault)))
	}
	if stop != sweepDone {
		return fmt.Errorf("%s with %d of %d trials done; the same command goes on", stop, sum.Done, sum.Trials)
	}
	return nil
}

// stopOf says why a sweep has ended. The error is err if that is another reason than the end of
// ctx, or if there are no results.
func stopOf(ctx context.Context, results *sweep.Results, err error) (stop string, _ error) {
	ended := ctx.Err()
	switch {
	case err == nil:
		return sweepDone, nil
	case ended == nil || !errors.Is(err, ended):
		if results != nil && countsOf(results).Done > 0 {
			err = fmt.Errorf("%w; what is computed is kept, and the same command goes on", err)
		}
		return "", err
	case errors.Is(ended, context.DeadlineExceeded):
		stop = sweepLate
	default:
		stop = sweepInterrupted
	}
	if results == nil {
		return "", fmt.Errorf("%s before the first trial", stop)
	}
	return stop, nil
}

// print writes the summary as JSON or as a table.
func (s sweepSummary) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return writeJSON(w, s)
	}
	return write(w, func(w io.Writer) {
		table(w, func(row func(...any)) {
			if s.Name != "" {
				row("name", s.Name)
			}
			row("key", s.Key)
			row("trials", s.Trials)
			row("done", s.Done)
			row("failed", s.Failed)
			row("cached", s.Cached)
			row("stop", s.Stop)
			row("seconds", fmt.Sprintf("%.3f", float64(s.Seconds)))
			row("engine", s.Engine)
			row("folder", s.Folder)
			if s.Out != "" {
				row("rows", string(s.Out))
			}
		})
	})
}

// sweepName is what workers and status call a sweep.
func sweepName(s sweep.Spec, file string) string {
	if s.Name != "" {
		return s.Name
	}
	return filepath.Base(file)
}

// engineFlags say what computes.
type engineFlags struct {
	name     string
	workers  int
	listen   string
	replicas int
	remote   serverFlags
	server   jetstream.Server
}

// Names of engines that are not the URL of a server.
const (
	localEngine    = "local"
	embeddedEngine = "embedded"
)

func (a *engineFlags) flags(f *flags) {
	a.name = localEngine
	f.section("engine, which changes the time and never the result")
	f.value("engine", "NAME", "what computes: local, this process (the default); embedded, worker processes here and those that join, with a server of NATS in this process; or the URL of a server, "+
		"nats:// or tls://, which workers join (bcpace sweep worker)", text(&a.name))
	f.value("workers", "N", "goroutines of local, or worker processes that embedded starts here: 0 if only those compute that join (default: one for each processor)", whole(&a.workers))
	f.value("listen", "HOST:PORT", "address on which embedded takes workers of other machines (default: those of this machine alone)", text(&a.listen))
	f.value("replicas", "R", "servers of the cluster behind the URL that keep each answer: 1, 3 or 5 (default 1)", whole(&a.replicas))
	a.remote.flags(f)
}

// check returns a *usageError for flags that do not go together.
func (a *engineFlags) check(f *flags) (err error) {
	if !f.given["workers"] {
		a.workers = runtime.GOMAXPROCS(0)
	}
	for _, flag := range []string{"listen", "replicas"} {
		if given, fits := f.given[flag], (flag == "listen") == (a.name == embeddedEngine) && (flag != "replicas" || isURL(a.name)); given && !fits {
			return misuse("--%s and --engine %s contradict each other: leave out --%s", flag, a.name, flag)
		}
	}
	switch {
	case a.workers < 0 || a.workers > maxWorkers || a.workers == 0 && a.name == localEngine:
		return misuse("--workers is %d, want a number from 1 to %d, or 0 with --engine embedded", a.workers, maxWorkers)
	case isURL(a.name):
		if f.given["workers"] {
			return misuse("--workers and --engine %s contradict each other: leave out --workers, and join workers with bcpace sweep worker --connect %s", a.name, a.name)
		}
		if f.given["replicas"] && !slices.Contains([]int{1, 3, 5}, a.replicas) {
			return misuse("--replicas is %d, want 1, 3 or 5", a.replicas)
		}
		a.server, err = a.remote.server(f, "engine", a.name)
		return err
	case a.name != localEngine && a.name != embeddedEngine:
		return misuse("--engine is %q, want local, embedded, or URLs such as nats://host:4222", a.name)
	case a.listen != "":
		if _, _, err := net.SplitHostPort(a.listen); err != nil {
			return misuse("--listen is %q, want an address such as 0.0.0.0:4222", a.listen)
		}
	}
	return f.clash("--engine "+a.name, serverKeys...)
}

// start returns the engine, which starts when there is something to compute.
func (a *engineFlags) start(ctx context.Context, p program, folder, name string, needs []string) sweep.Engine {
	settings := jetstream.Settings{Name: name, Needs: needs}
	switch {
	case a.name == localEngine:
		return &sweep.Local{Workers: a.workers, Folder: filepath.Join(folder, "blobs")}
	case a.name != embeddedEngine:
		return &lazyEngine{start: func() (sweep.Engine, error) {
			return jetstream.Connect(ctx, jetstream.Remote{Settings: settings, Server: a.server, Replicas: a.replicas})
		}}
	}
	return &lazyEngine{start: func() (sweep.Engine, error) {
		e, err := jetstream.Embed(ctx, jetstream.Embedded{Settings: settings, Folder: folder, Listen: a.listen, Workers: a.workers})
		if err != nil {
			return nil, err
		}
		if a.listen != "" || a.workers == 0 {
			connect := filepath.Join(folder, connectJSON)
			fmt.Fprintf(p.stderr, "bcpace: workers join with bcpace sweep worker --connect %s\n", oneLine(connect))
		}
		return e, nil
	}}
}

// lazyEngine is an engine that starts when it is used: a sweep whose results are all there
// needs none.
type lazyEngine struct {
	start  func() (sweep.Engine, error)
	once   sync.Once
	engine sweep.Engine
	err    error
}

func (l *lazyEngine) started() (sweep.Engine, error) {
	l.once.Do(func() { l.engine, l.err = l.start() })
	return l.engine, l.err
}

// Do implements sweep.Engine.
func (l *lazyEngine) Do(ctx context.Context, tasks []sweep.Task, o sweep.Observer) error {
	e, err := l.started()
	if err != nil {
		return err
	}
	return e.Do(ctx, tasks, o)
}

// Put implements sweep.Blobs.
func (l *lazyEngine) Put(ctx context.Context, data []byte) (string, error) {
	e, err := l.started()
	if err != nil {
		return "", err
	}
	return e.Put(ctx, data)
}

// Get implements sweep.Blobs.
func (l *lazyEngine) Get(ctx context.Context, name string) ([]byte, error) {
	e, err := l.started()
	if err != nil {
		return nil, err
	}
	return e.Get(ctx, name)
}

// Close implements sweep.Engine.
func (l *lazyEngine) Close() error {
	if l.engine == nil {
		return nil
	}
	return l.engine.Close()
}

// needPrefix begins what a worker must have: an environment that is not of package envs.
const needPrefix = "environment "

// needsOf returns what a worker must have beside the code of this module.
func needsOf(s sweep.Spec) (needs []string) {
	add := func(name string) {
		if need := needPrefix + name; envs.Registered(name) && !slices.Contains(needs, need) {
			needs = append(needs, need)
		}
	}
	add(s.Base.Env)
	for _, setting := range s.List {
		add(fmt.Sprint(setting["env"]))
	}
	for _, axis := range s.Grid {
		if axis.Key == "env" {
			for _, name := range axis.Values {
				add(fmt.Sprint(name))
			}
		}
	}
	return needs
}

// sweepShow shows how far a sweep has come, from its first second on.
type sweepShow struct {
	line *progressLine
	last atomic.Pointer[sweep.Progress]
	stop chan struct{}
	done sync.WaitGroup
}

// sweepProgress begins to show.
func (p program) sweepProgress(asJSON bool) *sweepShow {
	s := &sweepShow{line: p.progress(asJSON), stop: make(chan struct{})}
	s.done.Go(func() {
		for tick := time.NewTicker(time.Second / 2); ; {
			select {
			case <-tick.C:
				s.line.show("%s", progressOf(s.last.Load()))
			case <-s.stop:
				tick.Stop()
				s.line.clear()
				return
			}
		}
	})
	return s
}

func (s *sweepShow) now(p sweep.Progress) { s.last.Store(&p) }

// end takes the line away.
func (s *sweepShow) end() {
	close(s.stop)
	s.done.Wait()
}

// progressOf says how far a sweep has come, before its trials are known too.
func progressOf(p *sweep.Progress) string {
	if p == nil {
		return "sweep: looking at the trials"
	}
	text := fmt.Sprintf("sweep: %d of %d done, %d failed, %d running on %d workers", p.Done, p.Trials, p.Failed, p.Running, p.Workers)
	if p.Left >= 0 {
		text += fmt.Sprintf(", %v left", p.Left.Round(time.Second))
	}
	if p.Note != "" {
		text += ", " + oneLine(p.Note)
	}
	if p.Dropped > 0 {
		text += fmt.Sprintf(", %d messages left out", p.Dropped)
	}
	return text
}
