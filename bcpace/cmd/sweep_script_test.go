//go:build unix

package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bayescpace/bcpace/internal/runtest"
)

// TestSlurmScript runs the script of a job as Slurm does, with a program that says what it was
// given, and expects every argument as it was, whatever its letters.
func TestSlurmScript(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		runtest.Lacks(t, "no bash")
	}
	dir := filepath.Join(t.TempDir(), `it's a "$(folder)" of \ mine`)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	program, sweep := filepath.Join(dir, "pro gram"), filepath.Join(dir, "swe'ep.json")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho $GOMAXPROCS $GOMEMLIMIT\nfor arg; do echo \"<$arg>\"; done\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	script := succeed(t, "sweep", "script", "slurm", "--sweep", sweep, "--folder", dir, "--shards", "20", "--program", program,
		"--cpus", "8", "--memory", "16000", "--time", "36h0m1s", "--grace", "30s", "--name", "my-job")
	for _, want := range []string{"--job-name=my-job", "--array=1-20", "--ntasks=1", "--cpus-per-task=8", "--mem=16000M", "--time=1-12:00:01", "--signal=B:TERM@60"} {
		if !strings.Contains(script, "\n#SBATCH "+want+"\n") {
			t.Errorf("no line #SBATCH %s in\n%s", want, script)
		}
	}
	if strings.LastIndex(script, "#SBATCH") > strings.Index(script, "set -euo") {
		t.Errorf("a directive behind a command:\n%s", script)
	}
	args := []string{sweep, "--shard", "auto/20", "--folder", dir, "--workers", "8", "--grace", "30s"}
	want := "14400MiB\n<sweep>\n<run>\n"
	for _, arg := range args {
		want += "<" + arg + ">\n"
	}
	cmd := exec.Command("bash")
	cmd.Stdin = strings.NewReader(script)
	cmd.Dir = t.TempDir() // not where the script was made
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "8 "+want {
		t.Errorf("the job says %v\n%swant\n8 %s", err, out, want)
	}
	// The arguments are those of the verb.
	if err := sweepRunVerb.flags().parse(args); err != nil {
		t.Error(err)
	}
	if old := succeed(t, "sweep", "script", "slurm", "--array", "--sweep", sweep, "--folder", dir, "--shards", "20"); old != succeed(t, "sweep", "script", "slurm", "--sweep", sweep, "--folder", dir, "--shards", "20") {
		t.Errorf("--array makes another script:\n%s", old)
	}
}

// TestScriptErrors expects wrong usage to be told in one line.
func TestScriptErrors(t *testing.T) {
	for args, want := range map[string]string{
		"":                 `the script is "", want slurm, kubernetes, snakemake or nextflow`,
		"pbs":              `the script is "pbs", want slurm, kubernetes, snakemake or nextflow`,
		"slurm kubernetes": `unexpected argument "kubernetes"`,
		"slurm":            "--sweep, --folder or --shards is missing",
		"kubernetes --sweep a --folder b --shards 2":                                                                  "--image is missing",
		"slurm --sweep a --folder b --shards 2 --image b":                                                             "--image and slurm contradict",
		"slurm --sweep a --folder b --shards 2 --grace 0s":                                                            "--grace is 0s, want",
		"slurm --sweep a --folder b --shards 2 --grace 2h":                                                            "--grace is 2h0m0s, want",
		"snakemake --sweep a --folder b":                                                                              "--sweep, --folder or --shards is missing",
		"kubernetes --array --image a":                                                                                "--array goes with slurm",
		"slurm --indexed":                                                                                             "--array goes with slurm, and --indexed with kubernetes",
		"nextflow --sweep a --folder b --shards 0":                                                                    "--shards is 0, want",
		"nextflow --sweep a --folder b --shards 2 --retries 1001":                                                     "--retries is 1001, want",
		"nextflow --sweep a --folder b --shards 2 --rows r.txt":                                                       "--rows is \"r.txt\", want a name that ends in",
		"snakemake --sweep a --folder b --shards 2 --queue c":                                                         "--queue and snakemake contradict",
		"slurm --array --sweep a --folder b --shards 2 --rows c.csv":                                                  "--rows and slurm contradict",
		"snakemake --sweep a\tb --folder b --shards 2":                                                                "control characters",
		"kubernetes --indexed --image a --sweep a --folder b --shards 2":                                              "want a PersistentVolumeClaim",
		"kubernetes --indexed --image a --sweep a --folder b --shards 2 --claim c --mount d":                          "a folder that begins with /",
		"kubernetes --sweep a --folder b --shards 2 --image b --program c":                                            "--program and kubernetes contradict",
		"slurm --sweep a --folder b --shards 2 --cpus 0":                                                              "--cpus is 0, want",
		"slurm --sweep a --folder b --shards 2 --memory 0":                                                            "--memory is 0, want",
		"slurm --sweep a --folder b --shards 2 --time 5m --grace 5m":                                                  "want a time above 5m30s",
		"slurm --array --sweep a --folder b --shards 2 --time 5m --grace 5m":                                          "want a time above 5m30s",
		"snakemake --sweep a --folder b --shards 2 --rows {a}.csv":                                                    "has braces",
		"snakemake --sweep a{b --folder b --shards 2":                                                                 "has braces",
		"kubernetes --indexed --image a --sweep a --folder b --claim c --shards 100001":                               "want at most 100000 with kubernetes",
		"kubernetes --indexed --image a --sweep a --folder b --claim c --shards 11 --name " + strings.Repeat("a", 61): "with the index behind it",
		"slurm --sweep a --folder b --shards 2 --time 1s":                                                             "--time is 1s, want a minute or more",
		"slurm --sweep a --folder b --shards 2 --name My_Job":                                                         `--name is "My_Job"`,
	} {
		code, stdout, stderr := call(t, append([]string{"sweep", "script"}, strings.Split(args, " ")...)...)
		if args == "" {
			code, stdout, stderr = call(t, "sweep", "script")
		}
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q, want %q", args, code, stdout, stderr, want)
		}
	}
}
