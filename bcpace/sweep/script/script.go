// Package script writes what starts a sweep on a cluster: workers that join a coordinator, or
// shards that need no server, as a job array of Slurm, a Job of Kubernetes, rules of Snakemake or
// processes of Nextflow.
//
// What is written holds no secret: the names of files with secrets stand in it.
package script

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"time"
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

// ClusterTask is what a cluster gives to each task of a job.
type ClusterTask struct {
	// Name is that of the job: small letters, digits and dashes.
	Name string
	// Count is the number of tasks.
	Count int
	// CPUs and Memory, in megabytes, are those of one task.
	CPUs, Memory int
	// Time is after what time a task is told to end, and Grace how long it then has to keep what it
	// has come to.
	Time, Grace time.Duration
	// Program is the name of the program on machines of Slurm, Snakemake and Nextflow, and Image the
	// container image of Kubernetes whose entry point it is.
	Program, Image string
}

// heap returns the megabytes at which a process of a task gives memory back, one of several.
func (t ClusterTask) heap(processes int) int { return max(t.Memory*9/10/processes, 1) }

// margin is the time that a cluster waits beyond Task.Grace before it kills.
const margin = 30 * time.Second

// seconds returns a time in whole seconds, rounded up.
func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }

// sbatch writes the head of a job array.
func (t ClusterTask) sbatch(w io.Writer) {
	s := seconds(t.Time)
	fmt.Fprintf(w, `#!/bin/bash
#SBATCH --job-name=%s
#SBATCH --array=1-%d
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=%d
#SBATCH --mem=%dM
#SBATCH --time=%d-%02d:%02d:%02d
#SBATCH --signal=B:TERM@%d
#SBATCH --open-mode=append
`, t.Name, t.Count, t.CPUs, t.Memory, s/86400, s/3600%24, s/60%60, s%60, seconds(t.Grace+margin))
}

// container writes the container of a pod down to its environment.
func (t ClusterTask) container(w io.Writer, name string, args []string) {
	fmt.Fprintf(w, `        - name: %s
          image: %s
          args:
`, name, quoted(t.Image))
	for _, arg := range args {
		fmt.Fprintf(w, "            - %s\n", quoted(arg))
	}
}

// limits writes what a container may use, down to the list of its mounts.
func (t ClusterTask) limits(w io.Writer, processes int) {
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
`, t.CPUs, t.heap(processes), t.Memory)
}

// security writes what a pod may do, down to the list of its containers.
func security(w io.Writer) {
	fmt.Fprint(w, `      automountServiceAccountToken: false
      securityContext:
        runAsNonRoot: true
        runAsUser: 65532
        runAsGroup: 65532
        fsGroup: 65532
        seccompProfile:
          type: RuntimeDefault
      containers:
`)
}

// volumes writes the volume that every pod has.
func volumes(w io.Writer) {
	fmt.Fprint(w, `      volumes:
        - name: tmp
          emptyDir: {}
`)
}

// imageComment says how to make the image.
const imageComment = `# The image needs the program alone, built with CGO_ENABLED=0: FROM scratch, COPY bcpace /, ENTRYPOINT ["/bcpace"].
`

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

// shellQuote quotes an argument for a shell, unless it needs no quotes.
func shellQuote(arg string) string {
	if plain.MatchString(arg) {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// shellLine quotes a command for a shell.
func shellLine(args ...string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = shellQuote(arg)
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
