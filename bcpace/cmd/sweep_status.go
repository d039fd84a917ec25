package cmd

import (
	"cmp"
	"fmt"
	"io"

	"bayescpace/bcpace/sweep"
	"bayescpace/bcpace/sweep/watch"
)

var sweepStatusVerb = newVerb[sweepStatusArgs]("sweep status", "say how far a sweep has come",
	"FILE [--folder DIR] [--watch [--events]] [--json]",
	"sweep status neighbours.json",
	"sweep status neighbours.json --folder /shared/neighbours --watch")

// sweepStatusArgs are the flags of sweep status.
type sweepStatusArgs struct {
	sweepFlags
	watch  bool
	events bool
}

func (a *sweepStatusArgs) flags(f *flags) {
	a.sweepFlags.flags(f)
	f.section("watching")
	f.toggle("watch", "look each second, until all trials are done or failed: how far it is, how fast, who has what, and faults", boolean(&a.watch))
	f.toggle("events", "with --watch, print what happens as lines of JSON, and nothing else", boolean(&a.events))
	f.output()
}

// sweepStatus is the verb sweep status.
func (a *sweepStatusArgs) run(p program, f *flags) error {
	if err := cmp.Or(
		need(!a.watch || !f.json, "--watch and --json contradict each other: --events prints JSON, a line for each event"),
		need(a.watch || !a.events, "--events needs --watch, while which it tells"),
		f.require(sweepArg)); err != nil {
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
	name := sweepName(s, a.file)
	// A change of a key or meaning breaks what reads the JSON.
	state := append(append(facts{{"name", "", name}, {"key", "", sweepKey(r)}}, countsOf(r)...),
		fact{"version", "version", sweep.ThisVersion().String()}, fact{"", "sweep", oneLine(name)})
	return f.printText(p.stdout, facts{{"sweeps", "", []facts{state}}}, func(w io.Writer) {
		table(w, columns([]facts{state}, "trials", "done", "failed", "version", "sweep"))
	})
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
