package script

import (
	"fmt"
	"io"
	"path"
	"time"
)

// Workers are worker processes that join a sweep's coordinator.
type Workers struct {
	ClusterTask // has as many worker processes as CPUs
	// URL is the server's, or "" if a file named connect says where it is.
	URL string
	// Files are those that a worker reads.
	Files []File
	// Idle is after what time without work a worker ends.
	Idle time.Duration
	// Secret is the name of the Secret of Kubernetes that has the files.
	Secret string
}

// File is a file that a worker reads, by the flag that names it.
type File struct {
	Flag, Path string
	Secret     bool // what it holds
}

// ConnectFile is the name of the file that says how to reach an embedded server.
const ConnectFile = "connect.json"

// key is the name of the file in a Secret.
func (x File) key() string {
	if x.Flag == "connect" {
		return ConnectFile
	}
	return x.Flag
}

// arguments are those of a worker, whose files are where at says.
func (a Workers) arguments(at func(file string) string) []string {
	args := []string{"sweep", "worker"}
	if a.URL != "" {
		args = append(args, "--connect", a.URL)
	}
	for _, x := range a.Files {
		args = append(args, "--"+x.Flag, at(x.Path))
	}
	return append(args, "--workers", fmt.Sprint(a.CPUs), "--idle", a.Idle.String(), "--grace", a.Grace.String())
}

// Slurm writes a job array whose tasks are workers. Slurm runs the program itself in the place
// of the shell, so that the signal before the end reaches it.
func (a Workers) Slurm(w io.Writer) {
	a.sbatch(w)
	fmt.Fprintf(w, `# Workers of a sweep: submit with sbatch. One that is ended hands its trials back.
set -euo pipefail
export GOMAXPROCS=%d GOMEMLIMIT=%dMiB
`, a.CPUs, a.heap(a.CPUs))
	for _, x := range a.Files {
		fmt.Fprintf(w, `file=%s
if [ ! -r "$file" ]; then
  echo "$file cannot be read on $(hostname): start the sweep first, and keep the file where every machine sees it" >&2
  exit 1
fi
`, shellQuote(absolute(x.Path)))
		if x.Secret {
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
	fmt.Fprintln(w, "exec "+shellLine(append([]string{a.Program}, a.arguments(absolute)...)...))
}

// secretFolder is where a pod has the files of its Secret.
const secretFolder = "/var/run/bcpace"

// Kubernetes writes a Job whose pods are workers. Its files come from a Secret, which the comment
// at the top makes: nothing secret stands in the manifest or on a command line.
func (a Workers) Kubernetes(w io.Writer) {
	fmt.Fprint(w, "# Workers of a sweep: apply with kubectl apply -f. One that is ended hands its trials back.\n"+imageComment)
	if a.Files != nil {
		fmt.Fprintf(w, "# The Secret with what they need to reach the server is made with\n#   kubectl create secret generic %s", a.Secret)
		for _, x := range a.Files {
			fmt.Fprintf(w, " %s", shellQuote("--from-file="+x.key()+"="+x.Path))
		}
		fmt.Fprintln(w)
	}
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
      terminationGracePeriodSeconds: %d
`, a.Name, a.Count, 6*a.Count, seconds(a.Time), seconds(a.Grace+margin))
	security(w)
	at := map[string]string{}
	for _, x := range a.Files {
		at[x.Path] = path.Join(secretFolder, x.key())
	}
	a.container(w, "worker", a.arguments(func(file string) string { return at[file] }))
	a.limits(w, a.CPUs)
	if a.Files != nil {
		fmt.Fprintf(w, `            - name: secret
              mountPath: %s
              readOnly: true
`, secretFolder)
	}
	volumes(w)
	if a.Files != nil {
		fmt.Fprintf(w, `        - name: secret
          secret:
            secretName: %s
            defaultMode: 0400
`, a.Secret)
	}
}
