package cmd

import (
	"cmp"
	"io"
	"time"

	"bayescpace/bcpace/sweep"
	"bayescpace/bcpace/sweep/script"
)

var sweepScriptVerb = newVerb[sweepScriptArgs]("sweep script", "print what computes a sweep on a cluster",
	"slurm|kubernetes|snakemake|nextflow --sweep FILE --folder DIR --shards N [--rows FILE] [--retries N] "+
		"[--claim NAME] [--mount DIR] [--queue NAME] [--cpus N] [--memory MB] [--time D] [--grace D] [--name NAME] [--program FILE | --image IMAGE]",
	"sweep script slurm --sweep /shared/neighbours.json --folder /shared/neighbours --shards 40 --cpus 8 --time 12h",
	"sweep script kubernetes --sweep neighbours.json --folder neighbours --claim sweeps --shards 40 --image example.org/bcpace:1 --queue research",
	"sweep script snakemake --sweep neighbours.json --folder results --shards 40 --rows rows.parquet")

// sweepScriptArgs are the flags of sweep script.
type sweepScriptArgs struct {
	kind string
	job  script.Shards
}

func (a *sweepScriptArgs) flags(f *flags) {
	a.job = script.Shards{Name: "bcpace-shard", CPUs: 1, Memory: 2048, Time: 4 * time.Hour, Grace: sweep.DefaultGrace, Program: "bcpace",
		Rows: "rows.parquet", Retries: 6, Mount: "/sweep"}
	f.argument("slurm|kubernetes|snakemake|nextflow", "a job array of Slurm, an Indexed Job of Kubernetes, rules of Snakemake, or processes of Nextflow", text(&a.kind))
	f.section("shards")
	f.value("sweep", "FILE", "the sweep, where every machine sees it", text(&a.job.Sweep))
	f.value("folder", "DIR", "folder of results, where every machine sees it", text(&a.job.Folder))
	f.value("shards", "N", "number of shards", whole(&a.job.Count))
	f.value("rows", "FILE", "with snakemake and nextflow: file for the rows (default rows.parquet)", text(&a.job.Rows))
	f.value("retries", "N", "how often a shard is run again at most (default 6)", whole(&a.job.Retries))
	f.value("claim", "NAME", "with kubernetes: PersistentVolumeClaim that has the sweep and the folder", text(&a.job.Claim))
	f.value("mount", "DIR", "with kubernetes: where pods see the claim, to which other names are relative (default /sweep)", text(&a.job.Mount))
	f.value("queue", "NAME", "with kubernetes: local queue of Kueue that the Job waits in", text(&a.job.Queue))
	f.section("tasks")
	f.value("cpus", "N", "processors of each, and trials side by side in it (default 1)", whole(&a.job.CPUs))
	f.value("memory", "MB", "memory of each (default 2048)", whole(&a.job.Memory))
	f.value("time", "D", "time after which each is told to end (default 4h)", duration(&a.job.Time))
	f.value("grace", "D", graceDoc, duration(&a.job.Grace))
	f.value("name", "NAME", "name of the job (default bcpace-shard)", text(&a.job.Name))
	f.value("program", "FILE", "but for kubernetes: the program on the machines (default bcpace, from PATH)", text(&a.job.Program))
	f.value("image", "IMAGE", "with kubernetes: container image whose entry point is the program", text(&a.job.Image))
	for _, name := range []string{"array", "indexed"} { // which told shards from what there was beside them
		f.toggle(name, "", boolean(new(bool)))
	}
}

// sweepScript is the verb sweep script.
func (a *sweepScriptArgs) run(p program, f *flags) error {
	noClaim := []string{"claim", "mount", "queue"}
	unread := map[string][]string{script.Slurm: append(noClaim, "rows"), script.Kubernetes: {"rows"}, script.Snakemake: noClaim, script.Nextflow: noClaim}
	if err := cmp.Or(
		need(unread[a.kind] != nil, "the script is %q, want slurm, kubernetes, snakemake or nextflow", a.kind),
		need((!f.given["array"] || a.kind == script.Slurm) && (!f.given["indexed"] || a.kind == script.Kubernetes), "--array goes with slurm, and --indexed with kubernetes"),
		need(a.kind == script.Kubernetes || !f.given["image"], "--image and %s contradict each other: leave out --image", a.kind),
		need(a.kind != script.Kubernetes || !f.given["program"], "--program and kubernetes contradict each other: leave out --program, as the image has an entry point"),
		need(a.kind != script.Kubernetes || a.job.Image != "", "--image is missing, the container image whose entry point is the program"),
		checkGrace(a.job.Grace),
		need(f.given["sweep"] && f.given["folder"] && f.given["shards"], "--sweep, --folder or --shards is missing: the sweep's file, the folder of its results, and the number of shards"),
		f.clash(a.kind, unread[a.kind]...),
		unless(a.kind == script.Slurm || a.kind == script.Kubernetes, checkRowsName(a.job.Rows, "rows"))); err != nil {
		return err
	}
	text, err := a.job.Script(a.kind)
	if err != nil {
		return misuse("%v", err)
	}
	return write(p.stdout, func(w io.Writer) { io.WriteString(w, text) })
}
