package script

import (
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"
)

// Shards are tasks that compute a share of a sweep each, into a folder that all of them see.
type Shards struct {
	ClusterTask // one for each shard; as many trials side by side as CPUs
	// Sweep is the sweep's file, Folder keeps the results, and Rows is where Snakemake and Nextflow
	// write the rows.
	Sweep, Folder, Rows string
	// Retries is how often a shard is run again at most.
	Retries int
	// Claim is the PersistentVolumeClaim of Kubernetes that has Sweep and Folder, and Mount where
	// pods see it. Queue is the local queue of Kueue that the Job waits in; "" for none.
	Claim, Mount, Queue string
}

// arguments are those of a shard.
func (a Shards) arguments(shard string, at func(file string) string) []string {
	return []string{"sweep", "run", at(a.Sweep), "--shard", shard, "--folder", at(a.Folder), "--workers", fmt.Sprint(a.CPUs), "--grace", a.Grace.String()}
}

// auto is the shard of a task that reads its number.
func (a Shards) auto() string { return fmt.Sprintf("auto/%d", a.Count) }

// Slurm writes a job array whose tasks are the shards. The shell passes the signal before the end
// on to the program, and puts a shard that is not done into the queue again.
func (a Shards) Slurm(w io.Writer) {
	a.sbatch(w)
	fmt.Fprintf(w, `#SBATCH --requeue
# The shards of a sweep: submit with sbatch. When all are done, this writes the rows:
#   %s
# A shard that was ended keeps what it has, and goes into the queue again, at most %d times. Those that
# are missing in the end can be submitted alone, such as with sbatch --array=3,7.
set -euo pipefail
export GOMAXPROCS=%d GOMEMLIMIT=%dMiB
%s &
shard=$!
told=
trap 'trap "" TERM; told=yes; kill -TERM "$shard" 2>/dev/null || true' TERM
code=0
wait "$shard" || code=$?
if [ -n "$told" ]; then # what has ended is the wait
  last=0
  wait "$shard" || last=$?
  if [ "$last" -ne 127 ]; then code=$last; fi
fi
case $code in
%s)
  if [ "${SLURM_RESTART_COUNT:-0}" -lt %[2]d ]; then
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
  fi
  ;;
esac
exit "$code"
`, shellLine(a.Program, "sweep", "merge", absolute(a.Folder), "--out", "rows.parquet"), a.Retries, a.CPUs, a.heap(1),
		shellLine(append([]string{a.Program}, a.arguments(a.auto(), absolute)...)...), join(again, " | "))
}

// again are the exit codes with which a shard is run again: its own, and those of a process that
// SIGKILL or SIGTERM has ended, as where it took too much memory.
var again = []int{ExitAgain, ExitInterrupted, 137, 143}

func join(codes []int, by string) string {
	return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(codes), "[]")), by)
}

// Kubernetes writes an Indexed Job whose pods are the shards. A pod that is evicted costs no retry,
// and one with an error that comes again is not retried. Indexes fail alone.
func (a Shards) Kubernetes(w io.Writer) {
	at := func(file string) string {
		if path.IsAbs(file) {
			return file
		}
		return path.Join(a.Mount, file)
	}
	fmt.Fprintf(w, `# The shards of a sweep: apply with kubectl apply -f. When all are done, this writes the rows where the claim is seen:
#   bcpace %s
%s# What must be on the claim before: %s
apiVersion: batch/v1
kind: Job
metadata:
  name: %s
`, shellLine("sweep", "merge", at(a.Folder), "--out", "rows.parquet"), imageComment, at(a.Sweep), a.Name)
	suspend := ""
	if a.Queue != "" {
		fmt.Fprintf(w, "  labels:\n    kueue.x-k8s.io/queue-name: %s\n", quoted(a.Queue))
		suspend = "  suspend: true # until Kueue lets it run\n"
	}
	fmt.Fprintf(w, `spec:
%s  completionMode: Indexed
  completions: %d
  parallelism: %[2]d
  backoffLimitPerIndex: %d
  podFailurePolicy:
    rules:
      - action: Ignore
        onPodConditions:
          - type: DisruptionTarget
      - action: FailIndex
        onExitCodes:
          containerName: shard
          operator: In
          values: [1, 2]
  template:
    spec:
      restartPolicy: Never
      activeDeadlineSeconds: %d
      terminationGracePeriodSeconds: %d
`, suspend, a.Count, a.Retries, seconds(a.Time), seconds(a.Grace+margin))
	security(w)
	a.container(w, "shard", a.arguments(a.auto(), at))
	a.limits(w, 1)
	fmt.Fprintf(w, "            - name: sweep\n              mountPath: %s\n", quoted(a.Mount))
	volumes(w)
	fmt.Fprintf(w, `        - name: sweep
          persistentVolumeClaim:
            claimName: %s
`, a.Claim)
}

// Snakemake writes rules for the shards and for the rows. A shard leaves an empty file, as the
// folder of results is that of all shards and must outlive one that fails.
func (a Shards) Snakemake(w io.Writer) {
	fmt.Fprintf(w, `# The shards of a sweep and their rows: snakemake --cores 8, or with a profile of a cluster.
# Snakemake retries a shard whatever its exit code is.
PROGRAM = %s
SWEEP = %s
FOLDER = %s
SHARDS = %d


rule all:
    input: %s


rule shard:
    input: SWEEP
    output: touch("shards/{shard}-of-%[4]d.done")
    wildcard_constraints: shard=r"\d+"
    threads: %[6]d
    resources: mem_mb=%d, runtime=%d
    retries: %d
    shell: "{PROGRAM:q} sweep run {SWEEP:q} --shard {wildcards.shard}/{SHARDS} --folder {FOLDER:q} --workers {threads} --grace %s"


rule merge:
    input: expand("shards/{shard}-of-%[4]d.done", shard=range(1, SHARDS + 1))
    output: %[5]s
    shell: "{PROGRAM:q} sweep merge {FOLDER:q} --out {output:q}"
`, quoted(a.Program), quoted(absolute(a.Sweep)), quoted(absolute(a.Folder)), a.Count, quoted(a.Rows), a.CPUs, a.Memory, (seconds(a.Time)+59)/60, a.Retries, a.Grace)
}

// Nextflow writes processes for the shards and for the rows.
func (a Shards) Nextflow(w io.Writer) {
	fmt.Fprintf(w, `// The shards of a sweep and their rows: nextflow run FILE.
nextflow.enable.dsl = 2

// These are quoted for a shell.
params.program = %s
params.sweep = %s
params.folder = %s
params.shards = %d

process SHARD {
    cpus %d
    memory '%d MB'
    time '%d min'
    errorStrategy { task.exitStatus in [%s] ? 'retry' : 'finish' }
    maxRetries %d

    input:
    val shard

    output:
    val shard

    script:
    """
    exec ${params.program} sweep run ${params.sweep} --shard ${shard}/${params.shards} --folder ${params.folder} --workers ${task.cpus} --grace %s
    """
}

process MERGE {
    publishDir %s, mode: 'copy', saveAs: { %s }

    input:
    val shards

    output:
    path 'rows%s'

    script:
    """
    ${params.program} sweep merge ${params.folder} --out rows%[13]s
    """
}

workflow {
    MERGE(SHARD(channel.of(1..params.shards)).collect())
}
`, groovy(shellQuote(a.Program)), groovy(shellQuote(absolute(a.Sweep))), groovy(shellQuote(absolute(a.Folder))), a.Count, a.CPUs, a.Memory, (seconds(a.Time)+59)/60,
		join(again, ", "), a.Retries, a.Grace, groovy(filepath.Dir(absolute(a.Rows))), groovy(filepath.Base(a.Rows)), filepath.Ext(a.Rows))
}

// groovy quotes a text for Groovy, without anything that it would fill in.
func groovy(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
