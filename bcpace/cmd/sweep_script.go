package cmd

import (
	"cmp"
	"io"
	"path"
	"slices"
	"time"

	"bayescpace/bcpace/sweep"
	"bayescpace/bcpace/sweep/script"
)

var sweepScriptVerb = newVerb[sweepScriptArgs]("sweep script", "print what computes a sweep on a cluster",
	"slurm|kubernetes --connect FOLDER|FILE|URL [--workers N] [--idle D] [--secret NAME] [flags of the server], or slurm --array|kubernetes --indexed|snakemake|nextflow --sweep FILE --folder DIR --shards N [--rows FILE] [--retries N] "+
		"[--claim NAME] [--mount DIR] [--queue NAME]; [--cpus N] [--memory MB] [--time D] [--grace D] [--name NAME] [--program FILE | --image IMAGE]",
	"sweep script slurm --connect /shared/neighbours --workers 20 --cpus 8 --time 12h",
	"sweep script kubernetes --connect tls://nats.example.org:4222 --token-file token --image example.org/bcpace:1 --workers 20",
	"sweep script slurm --array --sweep /shared/neighbours.json --folder /shared/neighbours --shards 40 --cpus 8 --time 12h",
	"sweep script kubernetes --indexed --sweep neighbours.json --folder neighbours --claim sweeps --shards 40 --image example.org/bcpace:1 --queue research",
	"sweep script snakemake --sweep neighbours.json --folder results --shards 40 --rows rows.parquet")

// sweepScriptArgs are the flags of sweep script.
type sweepScriptArgs struct {
	kind           string
	array, indexed bool
	connect        string
	workers        int
	shards         int
	task           script.ClusterTask
	joins          script.Workers // but for its Task
	alone          script.Shards  // likewise
	remote         serverFlags
}

// Flags of sweep script that only workers, and that only shards have.
var (
	workerKeys = append([]string{"connect", "workers", "idle", "secret"}, serverKeys...)
	shardKeys  = []string{"sweep", "folder", "shards", "rows", "retries", "claim", "mount", "queue"}
)

func (a *sweepScriptArgs) flags(f *flags) {
	*a = sweepScriptArgs{workers: 1, task: script.ClusterTask{CPUs: 1, Memory: 2048, Time: 4 * time.Hour, Grace: sweep.DefaultGrace, Program: "bcpace"},
		joins: script.Workers{Idle: 10 * time.Minute, Secret: "bcpace-worker"}, alone: script.Shards{Rows: "rows.parquet", Retries: 6, Mount: "/sweep"}}
	f.argument("slurm|kubernetes|snakemake|nextflow", "a job array of Slurm, a Job for Kubernetes, rules of Snakemake, or processes of Nextflow", text(&a.kind))
	f.section("tasks")
	f.value("cpus", "N", "processors of each, and trials side by side in it (default 1)", whole(&a.task.CPUs))
	f.value("memory", "MB", "memory of each (default 2048)", whole(&a.task.Memory))
	f.value("time", "D", "time after which each is told to end (default 4h)", duration(&a.task.Time))
	f.value("grace", "D", graceDoc, duration(&a.task.Grace))
	f.value("name", "NAME", "name of the job (default bcpace-worker or bcpace-shard)", text(&a.task.Name))
	f.value("program", "FILE", "but for kubernetes: the program on the machines (default bcpace, from PATH)", text(&a.task.Program))
	f.value("image", "IMAGE", "with kubernetes: container image whose entry point is the program", text(&a.task.Image))
	f.section("workers, which join a sweep that runs")
	connectFlag(f, &a.connect)
	f.value("workers", "N", "tasks of the array, or pods (default 1)", whole(&a.workers))
	f.value("idle", "D", "end a worker when there was nothing to compute for so long (default 10m)", duration(&a.joins.Idle))
	f.value("secret", "NAME", "with kubernetes: name of the Secret that has the files (default bcpace-worker)", text(&a.joins.Secret))
	a.remote.flags(f)
	f.section("shards, which need no server")
	f.toggle("array", "with slurm: a job array of shards", boolean(&a.array))
	f.toggle("indexed", "with kubernetes: an Indexed Job of shards", boolean(&a.indexed))
	f.value("sweep", "FILE", "the sweep, where every machine sees it", text(&a.alone.Sweep))
	f.value("folder", "DIR", "folder of results, where every machine sees it", text(&a.alone.Folder))
	f.value("shards", "N", "number of shards", whole(&a.shards))
	f.value("rows", "FILE", "with snakemake and nextflow: file for the rows (default rows.parquet)", text(&a.alone.Rows))
	f.value("retries", "N", "how often a shard is run again at most (default 6)", whole(&a.alone.Retries))
	f.value("claim", "NAME", "with kubernetes: PersistentVolumeClaim that has the sweep and the folder", text(&a.alone.Claim))
	f.value("mount", "DIR", "with kubernetes: where pods see the claim, to which other names are relative (default /sweep)", text(&a.alone.Mount))
	f.value("queue", "NAME", "with kubernetes: local queue of Kueue that the Job waits in", text(&a.alone.Queue))
}

// sweepScript is the verb sweep script.
func (a *sweepScriptArgs) run(p program, f *flags) error {
	if err := cmp.Or(
		need(slices.Contains([]string{script.Slurm, script.Kubernetes, script.Snakemake, script.Nextflow}, a.kind), "the script is %q, want slurm, kubernetes, snakemake or nextflow", a.kind),
		need((!a.array || a.kind == script.Slurm) && (!a.indexed || a.kind == script.Kubernetes), "--array goes with slurm, and --indexed with kubernetes"),
		a.checkTask(f)); err != nil {
		return err
	}
	if a.array || a.indexed || a.kind == script.Snakemake || a.kind == script.Nextflow {
		return a.printShards(p, f)
	}
	return a.printWorkers(p, f)
}

// checkTask returns a *usageError for a task that there cannot be.
func (a *sweepScriptArgs) checkTask(f *flags) error {
	if err := cmp.Or(
		need(a.kind == script.Kubernetes || !f.given["image"], "--image and %s contradict each other: leave out --image", a.kind),
		need(a.kind != script.Kubernetes || !f.given["program"], "--program and kubernetes contradict each other: leave out --program, as the image has an entry point"),
		need(a.kind != script.Kubernetes || a.task.Image != "", "--image is missing, the container image whose entry point is the program")); err != nil {
		return err
	}
	if err := a.task.Check(); err != nil {
		return misuse("%v", err)
	}
	return checkGrace(a.task.Grace)
}

// print writes a script, or returns why there is none.
func (a *sweepScriptArgs) print(p program, text string, err error) error {
	if err != nil {
		return misuse("%v", err)
	}
	return write(p.stdout, func(w io.Writer) { io.WriteString(w, text) })
}

// printWorkers writes a script whose tasks are workers.
func (a *sweepScriptArgs) printWorkers(p program, f *flags) error {
	if err := cmp.Or(f.clash(a.kind+" with workers", shardKeys...), f.require("connect")); err != nil {
		return err
	}
	if _, err := a.remote.server(f, "connect", a.connect); err != nil {
		return err
	}
	x := a.joins
	if a.kind == script.Slurm && f.given["secret"] {
		return misuse("--secret and slurm contradict each other: leave out --secret")
	}
	x.ClusterTask = a.named("bcpace-worker", a.workers)
	if isURL(a.connect) {
		x.URL = a.connect
	} else {
		file := a.connect
		if extension(file) != ".json" {
			file = path.Join(file, connectJSON)
		}
		x.Files = append(x.Files, script.File{Flag: "connect", Path: file, Secret: true})
	}
	x.Files = append(x.Files, a.remote.files()...)
	text, err := x.Script(a.kind)
	return a.print(p, text, err)
}

// named returns the task with its number, and with a name if it has none.
func (a *sweepScriptArgs) named(name string, count int) script.ClusterTask {
	t := a.task
	if t.Count = count; t.Name == "" {
		t.Name = name
	}
	return t
}

// printShards writes a script whose tasks are shards.
func (a *sweepScriptArgs) printShards(p program, f *flags) error {
	x := a.alone
	noClaim := []string{"claim", "mount", "queue"}
	unread := map[string][]string{script.Slurm: append(noClaim, "rows"), script.Kubernetes: {"rows"}, script.Snakemake: noClaim, script.Nextflow: noClaim}
	if err := cmp.Or(
		f.clash(a.kind+" with shards", workerKeys...),
		need(f.given["sweep"] && f.given["folder"] && f.given["shards"], "--sweep, --folder or --shards is missing: the sweep's file, the folder of its results, and the number of shards"),
		f.clash(a.kind, unread[a.kind]...),
		unless(a.kind == script.Slurm || a.kind == script.Kubernetes, checkRowsName(x.Rows, "rows"))); err != nil {
		return err
	}
	x.ClusterTask = a.named("bcpace-shard", a.shards)
	text, err := x.Script(a.kind)
	return a.print(p, text, err)
}
