// Package script writes what starts the shards of a sweep on a cluster: a job array of Slurm, an Indexed
// Job of Kubernetes, rules of Snakemake or processes of Nextflow.
package script

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"math"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"text/template"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/sweep"
)

// Kinds of script.
const (
	Slurm      = "slurm"
	Kubernetes = "kubernetes"
	Snakemake  = "snakemake"
	Nextflow   = "nextflow"
)

// Exit codes of a shard by which a scheduler decides whether to run it again. It does not with any
// other code: 0 is done, 1 an error that comes again and 2 a wrong use.
const (
	// ExitAgain says that what stopped the shard may be gone the next time: its time was up, or its
	// folder could not be read or written.
	ExitAgain = 75
	// ExitInterrupted says that a signal has ended the shard.
	ExitInterrupted = 130
)

// Shards are tasks that compute a share of a sweep each, into a folder that all of them see.
type Shards struct {
	// Name is that of the job: small letters, digits and dashes.
	Name string
	// Count is the number of tasks, one for each shard.
	Count int
	// CPUs and Memory, in megabytes, are those of one task, which computes as many trials side by side as it has CPUs.
	CPUs, Memory int
	// Time is after what time a task is told to end, and Grace how long it then has to keep what it
	// has come to.
	Time, Grace time.Duration
	// Program is the name of the program on machines of Slurm, Snakemake and Nextflow, and Image the
	// container image of Kubernetes whose entry point it is.
	Program, Image string
	// Sweep is the sweep's file, Folder keeps the results, and Rows is where Snakemake and Nextflow
	// write the rows.
	Sweep, Folder, Rows string
	// Retries is how often a shard is run again at most.
	Retries int
	// Claim is the PersistentVolumeClaim of Kubernetes that has Sweep and Folder, and Mount where
	// pods see it. Queue is the local queue of Kueue that the Job waits in; "" for none.
	Claim, Mount, Queue string
}

// Patience is how long a cluster waits for a task that was told to end before it kills the task.
func (a Shards) Patience() time.Duration { return a.Grace + 30*time.Second }

// OnClaim returns the name of a file as the pods see it, who have the claim at Mount.
func (a Shards) OnClaim(file string) string {
	if path.IsAbs(file) {
		return file
	}
	return path.Join(a.Mount, file)
}

// Script returns a script of any kind. The error is in the words of the command's flags.
//
// In a job array of Slurm the shell passes the signal before the end on to the program, and puts a
// shard that is not done into the queue again. In an Indexed Job of Kubernetes a pod that is
// evicted costs no retry, one with an error that comes again is not retried, and indexes fail
// alone. A rule of Snakemake leaves an empty file for a shard, as the folder of results is that of
// all shards and must outlive one that fails.
func (a Shards) Script(kind string) (string, error) {
	if err := a.check(kind); err != nil {
		return "", err
	}
	at := absolute
	if kind == Kubernetes {
		at = a.OnClaim
	}
	sheet := struct {
		Shards
		Arguments []string // of the program
		Heap      int      // the megabytes at which the program gives memory back
	}{a, []string{"sweep", "run", at(a.Sweep), "--shard", fmt.Sprintf("%s/%d", autoShard, a.Count), "--folder", at(a.Folder), "--workers", fmt.Sprint(a.CPUs), "--grace", a.Grace.String()},
		max(a.Memory*9/10, 1)}
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, kind+".tmpl", sheet); err != nil {
		panic(err) // a template of this package
	}
	return b.String(), nil
}

// Variables of a job array of Slurm and of an Indexed Job of Kubernetes, by which a task knows
// which one it is.
const (
	slurmTask       = "SLURM_ARRAY_TASK_ID"
	kubernetesIndex = "JOB_COMPLETION_INDEX"
)

// autoShard is the text of a shard that the environment tells.
const autoShard = "auto"

// ParseShard reads a shard: 3/40, or auto/40, with which the variables of the environment, which getenv
// returns, tell the number. That is SLURM_ARRAY_TASK_ID in an array 1-40 of Slurm, of which any task may
// run, alone too, and JOB_COMPLETION_INDEX, which begins at 0, in an Indexed Job of Kubernetes.
func ParseShard(text string, getenv func(string) string) (s sweep.Shard, err error) {
	bad := func(got, want string) (sweep.Shard, error) {
		return sweep.Shard{}, bcpace.In("options").Bad("the shard", got, want)
	}
	number, count, _ := strings.Cut(text, "/")
	if s.Count, err = strconv.Atoi(count); err != nil || s.Count < 1 || s.Count > sweep.MaxShards {
		return bad(strconv.Quote(text), fmt.Sprintf("one such as 3/40, the third of forty, or auto/40 in a job array, with 1 to %d shards", sweep.MaxShards))
	}
	task, index := getenv(slurmTask), getenv(kubernetesIndex)
	switch {
	case number != autoShard:
		if s.Index, err = strconv.Atoi(number); err != nil || s.Check() != nil {
			return bad(strconv.Quote(text), "one such as 3/40, the third of forty, or auto/40 in a job array")
		}
	case task != "" && index != "":
		return bad(fmt.Sprintf("%q beside both %s and %s", text, slurmTask, kubernetesIndex), "one of them, or a number such as 3/40")
	case task != "":
		if s.Index, err = strconv.Atoi(task); err != nil || s.Check() != nil {
			return bad(fmt.Sprintf("%s=%q", slurmTask, task), fmt.Sprintf("1 to %d: an array 1-%d has a task for each shard", s.Count, s.Count))
		}
	case index != "":
		n, err := strconv.Atoi(index)
		if s.Index = n + 1; err != nil || s.Check() != nil {
			return bad(fmt.Sprintf("%s=%q of %d", kubernetesIndex, index, s.Count), fmt.Sprintf("0 to %d: as many completions as shards", s.Count-1))
		}
	default:
		return bad(fmt.Sprintf("%q without %s or %s", text, slurmTask, kubernetesIndex), "it in a job array of Slurm or an Indexed Job of Kubernetes; elsewhere a number such as 3/40")
	}
	return s, nil
}

//go:embed templates/*.tmpl
var files embed.FS

// templates are the scripts, by their kind.
var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"absolute": absolute, "dir": filepath.Dir, "base": filepath.Base, "ext": filepath.Ext,
	"shell": func(args ...string) string { return shellLine(args) }, "line": shellLine, "quoted": quoted, "groovy": groovy,
	"seconds": seconds, "minutes": func(d time.Duration) int { return (seconds(d) + 59) / 60 }, "clock": clock, "codes": codes,
}).ParseFS(files, "templates/*.tmpl"))

// seconds returns a time in whole seconds, rounded up.
func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }

// clock writes a time as Slurm does, in days, hours, minutes and seconds.
func clock(d time.Duration) string {
	s := seconds(d)
	return fmt.Sprintf("%d-%02d:%02d:%02d", s/86400, s/3600%24, s/60%60, s%60)
}

// codes writes the exit codes with which a shard is run again: its own, and those of a process that
// SIGKILL or SIGTERM has ended, as where it took too much memory.
func codes(by string) string {
	const killed, terminated = 137, 143
	return strings.Join(strings.Fields(fmt.Sprintln(ExitAgain, ExitInterrupted, killed, terminated)), by)
}

// absolute returns the name of a file as the machines of a cluster see it, who do not begin in
// the same folder.
func absolute(file string) string {
	if abs, err := filepath.Abs(file); err == nil {
		return abs
	}
	return file
}

// plain are arguments that need no quotes in a shell.
var plain = regexp.MustCompile(`^[-A-Za-z0-9_./:,=@%+]+$`)

// shellLine quotes those of the arguments for a shell that need quotes.
func shellLine(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		if quoted[i] = arg; !plain.MatchString(arg) {
			quoted[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// quoted quotes a text for YAML and for Python, of both of which a string of JSON is one.
func quoted(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic(err) // a text has one
	}
	return strings.TrimSpace(b.String())
}

// groovy quotes a text for Groovy, without anything that it would fill in.
func groovy(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
