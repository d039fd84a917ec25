package cmd

import (
	"fmt"
	"io"
	"math"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"bayescpace/bcpace/internal/limits"
)

var sweepScriptVerb = verb{
	name: "sweep script", doc: "print a script that starts workers on a cluster",
	usage: "slurm|kubernetes --connect FOLDER|FILE|URL [--workers N] [--cpus N] [--memory MB] [--time D] [--idle D] [--name NAME] [--program FILE | --image IMAGE] [--secret NAME] [flags of the server]",
	examples: []string{
		"sweep script slurm --connect /shared/neighbours --workers 20 --cpus 8 --time 12h",
		"sweep script kubernetes --connect tls://nats.example.org:4222 --token-file token --image example.org/bcpace:1 --workers 20",
	},
	flags: func() *flags { return new(sweepScriptArgs).flags() },
	run:   sweepScript,
}

// sweepScriptArgs are the flags of sweep script.
type sweepScriptArgs struct {
	kind    string
	connect string
	workers int
	cpus    int
	memory  int // MB
	time    time.Duration
	idle    time.Duration
	name    string
	program string
	image   string
	secret  string
	remote  serverFlags
}

// Kinds of script.
const (
	slurm      = "slurm"
	kubernetes = "kubernetes"
)

func (a *sweepScriptArgs) flags() *flags {
	f := newFlags()
	*a = sweepScriptArgs{workers: 1, cpus: 1, memory: 2048, time: 4 * time.Hour, idle: 10 * time.Minute, name: "bcpace-worker", program: "bcpace", secret: "bcpace-worker"}
	f.argument("slurm|kubernetes", "a job array of Slurm, or a Job and its Secret for Kubernetes", text(&a.kind))
	f.section("workers")
	connectFlag(f, &a.connect)
	f.value("workers", "N", "tasks of the array, or pods (default 1)", whole(&a.workers))
	f.value("cpus", "N", "processors of each, and worker processes in it (default 1)", whole(&a.cpus))
	f.value("memory", "MB", "memory of each (default 2048)", whole(&a.memory))
	f.value("time", "D", "time after which each is ended (default 4h)", duration(&a.time))
	f.value("idle", "D", "end a worker when there was nothing to compute for so long (default 10m)", duration(&a.idle))
	f.value("name", "NAME", "name of the job (default bcpace-worker)", text(&a.name))
	f.value("program", "FILE", "with slurm: the program on its machines (default bcpace, from PATH)", text(&a.program))
	f.value("image", "IMAGE", "with kubernetes: container image whose entry point is the program", text(&a.image))
	f.value("secret", "NAME", "with kubernetes: name of the Secret that has the files (default bcpace-worker)", text(&a.secret))
	a.remote.flags(f)
	return f
}

// namePattern is what names of jobs, pods and secrets look like.
var namePattern = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

// sweepScript is the verb sweep script.
func sweepScript(p program, args []string) error {
	var a sweepScriptArgs
	f := a.flags()
	if err := f.parse(args); err != nil {
		return err
	}
	if f.given["connect"] {
		if _, err := a.remote.server(f, "connect", a.connect); err != nil {
			return err
		}
	}
	switch {
	case a.kind != slurm && a.kind != kubernetes:
		return misuse("the script is %q, want slurm or kubernetes", a.kind)
	case !f.given["connect"]:
		return misuse("--connect is missing, which says where the sweep runs")
	case a.kind == slurm && (f.given["image"] || f.given["secret"]):
		return misuse("--image, --secret and slurm contradict each other: leave them out")
	case a.kind == kubernetes && f.given["program"]:
		return misuse("--program and kubernetes contradict each other: leave out --program, as the image has an entry point")
	case a.kind == kubernetes && a.image == "":
		return misuse("--image is missing, the container image whose entry point is the program")
	case a.workers < 1 || a.workers > 100_000:
		return misuse("--workers is %d, want a number from 1 to 100000", a.workers)
	case a.cpus < 1 || a.cpus > limits.Workers:
		return misuse("--cpus is %d, want a number from 1 to %d", a.cpus, limits.Workers)
	case a.memory < 1:
		return misuse("--memory is %d, want a number of megabytes above 0", a.memory)
	case a.time < time.Minute:
		return misuse("--time is %v, want a minute or more", a.time)
	case a.idle <= 0:
		return misuse("--idle is %v, want a time above 0", a.idle)
	case !namePattern.MatchString(a.name) || !namePattern.MatchString(a.secret):
		return misuse("--name is %q and --secret %q, want small letters, digits and dashes, at most 63", a.name, a.secret)
	}
	for _, x := range append(a.files(), workerFile{path: a.connect}, workerFile{path: a.program}, workerFile{path: a.image}) {
		if x.path != oneLine(x.path) {
			return misuse("%q has control characters, want a name without", x.path)
		}
	}
	script := a.slurm
	if a.kind == kubernetes {
		script = a.kubernetes
	}
	return write(p.stdout, script)
}

// heap returns the megabytes at which a worker process gives memory back.
func (a *sweepScriptArgs) heap() int { return max(a.memory*9/10/a.cpus, 1) }

// files returns those that the flags name, the connect.json of a folder too.
func (a *sweepScriptArgs) files() (list []workerFile) {
	if !isURL(a.connect) {
		file := a.connect
		if extension(file) != ".json" {
			file = path.Join(file, connectJSON)
		}
		list = append(list, workerFile{"connect", file, true})
	}
	return append(list, a.remote.files()...)
}

// arguments are those of a worker, whose files are where at says.
func (a *sweepScriptArgs) arguments(at func(file string) string) []string {
	args := []string{"sweep", "worker"}
	if isURL(a.connect) {
		args = append(args, "--connect", a.connect)
	}
	for _, x := range a.files() {
		args = append(args, "--"+x.flag, at(x.path))
	}
	return append(args, "--workers", fmt.Sprint(a.cpus), "--idle", a.idle.String())
}

// slurm writes a job array whose tasks are workers. Slurm runs the program itself in the place
// of the shell, so that the signal before the end reaches it.
func (a *sweepScriptArgs) slurm(w io.Writer) {
	seconds := int(math.Ceil(a.time.Seconds()))
	fmt.Fprintf(w, `#!/bin/bash
#SBATCH --job-name=%s
#SBATCH --array=1-%d
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=%d
#SBATCH --mem=%dM
#SBATCH --time=%d-%02d:%02d:%02d
#SBATCH --signal=B:TERM@30
#SBATCH --open-mode=append
# Workers of a sweep: submit with sbatch. One that is ended hands its trials back.
set -euo pipefail
export GOMAXPROCS=%[3]d GOMEMLIMIT=%[9]dMiB
`, a.name, a.workers, a.cpus, a.memory, seconds/86400, seconds/3600%24, seconds/60%60, seconds%60, a.heap())
	for _, x := range a.files() {
		fmt.Fprintf(w, `file=%s
if [ ! -r "$file" ]; then
  echo "$file cannot be read on $(hostname): start the sweep first, and keep the file where every machine sees it" >&2
  exit 1
fi
`, shellQuote(absolute(x.path)))
		if x.secret {
			fmt.Fprint(w, `case $(ls -dlL -- "$file") in
????------*) ;;
*)
  echo "$file can be read by others: chmod 600 it" >&2
  exit 1
  ;;
esac
`)
		}
	}
	line := "exec " + shellQuote(a.program)
	for _, arg := range a.arguments(absolute) {
		line += " " + shellQuote(arg)
	}
	fmt.Fprintln(w, line)
}

// absolute returns the name of a file as the machines of a cluster see it, who do not begin in
// the same folder.
func absolute(file string) string {
	if abs, err := filepath.Abs(file); err == nil {
		return abs
	}
	return file
}

// shellQuote quotes an argument for a shell, unless it needs no quotes.
func shellQuote(arg string) string {
	if regexp.MustCompile(`^[-A-Za-z0-9_./:,=@%+]+$`).MatchString(arg) {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// secretFolder is where a pod has the files of its Secret.
const secretFolder = "/var/run/bcpace"

// kubernetes writes a Job whose pods are workers. Its files come from a Secret, which the comment
// at the top makes: nothing secret stands in the manifest or on a command line.
func (a *sweepScriptArgs) kubernetes(w io.Writer) {
	files := a.files()
	a.kubernetesComment(w, files)
	a.kubernetesJob(w)
	a.kubernetesContainer(w, files)
	a.kubernetesVolumes(w, files)
}

// kubernetesComment says how to make the image and the Secret, and how to apply the manifest.
func (a *sweepScriptArgs) kubernetesComment(w io.Writer, files []workerFile) {
	fmt.Fprint(w, `# Workers of a sweep: apply with kubectl apply -f. One that is ended hands its trials back.
# The image needs the program alone, built with CGO_ENABLED=0: FROM scratch, COPY bcpace /, ENTRYPOINT ["/bcpace"].
`)
	if files != nil {
		fmt.Fprintf(w, "# The Secret with what they need to reach the server is made with\n#   kubectl create secret generic %s", a.secret)
		for _, x := range files {
			fmt.Fprintf(w, " %s", shellQuote("--from-file="+x.key()+"="+x.path))
		}
		fmt.Fprintln(w)
	}
}

// kubernetesJob writes the Job down to the list of its containers.
func (a *sweepScriptArgs) kubernetesJob(w io.Writer) {
	fmt.Fprintf(w, `apiVersion: batch/v1
kind: Job
metadata:
  name: %s
spec:
  parallelism: %d
  completions: %[2]d
  backoffLimit: %d
  activeDeadlineSeconds: %d
  template:
    spec:
      restartPolicy: OnFailure
      terminationGracePeriodSeconds: 30
      automountServiceAccountToken: false
      securityContext:
        runAsNonRoot: true
        runAsUser: 65532
        runAsGroup: 65532
        fsGroup: 65532
        seccompProfile:
          type: RuntimeDefault
      containers:
`, a.name, a.workers, 6*a.workers, int(math.Ceil(a.time.Seconds())))
}

// kubernetesContainer writes the container of a worker: its arguments, what it may use, and where
// its files are.
func (a *sweepScriptArgs) kubernetesContainer(w io.Writer, files []workerFile) {
	fmt.Fprintf(w, `        - name: worker
          image: %s
          args:
`, yamlQuote(a.image))
	at := map[string]string{}
	for _, x := range files {
		at[x.path] = secretFolder + "/" + x.key()
	}
	for _, arg := range a.arguments(func(file string) string { return at[file] }) {
		fmt.Fprintf(w, "            - %s\n", yamlQuote(arg))
	}
	fmt.Fprintf(w, `          env:
            - name: GOMAXPROCS
              value: "%d"
            - name: GOMEMLIMIT
              value: "%dMiB"
          resources:
            requests:
              cpu: "%[1]d"
              memory: "%[3]dMi"
            limits:
              memory: "%[3]dMi"
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities:
              drop: ["ALL"]
          volumeMounts:
            - name: tmp
              mountPath: /tmp
`, a.cpus, a.heap(), a.memory)
	if files != nil {
		fmt.Fprintf(w, `            - name: secret
              mountPath: %s
              readOnly: true
`, secretFolder)
	}
}

// kubernetesVolumes writes the volumes that the container mounts.
func (a *sweepScriptArgs) kubernetesVolumes(w io.Writer, files []workerFile) {
	fmt.Fprint(w, `      volumes:
        - name: tmp
          emptyDir: {}
`)
	if files != nil {
		fmt.Fprintf(w, `        - name: secret
          secret:
            secretName: %s
            defaultMode: 0400
`, a.secret)
	}
}

// yamlQuote quotes a text for YAML, of which JSON is a part.
func yamlQuote(text string) string {
	var b strings.Builder
	_ = writeJSON(&b, text)
	return strings.TrimSpace(b.String())
}
