//go:build unix

package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"bayescpace/bcpace/frame/parquet"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/sweep"
)

// TestSweepShards computes a sweep in shards, in one folder and in one for each, and expects the rows
// of one process, a refusal where shards are missing, and nothing computed again.
func TestSweepShards(t *testing.T) {
	t.Parallel()
	dir, file := sweepFile(t, neighbours)
	want := sweepRows(t, file)
	out := filepath.Join(dir, "rows.csv")
	all, shardKey := filepath.Join(dir, "all"), ""
	for i := 1; i <= 3; i++ {
		shard := fmt.Sprint(i, "/3")
		sum := decode[sweepSummary](t, succeed(t, "sweep", "run", file, "--shard", shard, "--folder", all, "--json"))
		if sum.Shard != ground(shard) || sum.Done != sum.Trials || sum.Trials < 2 || sum.Trials > 3 || sum.Cached != 0 {
			t.Errorf("shard %s says %+v", shard, sum)
		}
		shardKey = sum.Key
		if again := decode[sweepSummary](t, succeed(t, "sweep", "run", file, "--shard", shard, "--folder", all, "--json")); again.Cached != sum.Trials {
			t.Errorf("shard %s says again %+v", shard, again)
		}
		if i == 2 {
			code, stdout, stderr := call(t, "sweep", "merge", all, "--out", out)
			if code != exitError || stdout != "" || !strings.Contains(stderr, "2 of 8 trials are missing: 2, 5; run their shards") {
				t.Errorf("without a shard: exit code %d, stdout %q, stderr %q", code, stdout, stderr)
			}
			if _, err := os.Stat(out); err == nil {
				t.Error("rows are written though trials are missing")
			}
			some := decode[mergedRows](t, succeed(t, "sweep", "merge", all, "--out", out, "--partial", "--json"))
			if !slices.Equal(some.Missing, []int{2, 5}) || some.Done != 6 || some.Left != 2 {
				t.Errorf("with --partial: %+v", some)
			}
		}
	}
	apart := []string{filepath.Join(dir, "1"), filepath.Join(dir, "2")}
	for i, folder := range apart {
		succeed(t, "sweep", "run", file, "--shard", fmt.Sprint(i+1, "/2"), "--folder", folder)
	}
	for name, folders := range map[string][]string{"one folder": {all}, "the same by other names": {all, all + "/."}, "a folder for each": apart, "both": append([]string{all}, apart...)} {
		m := decode[mergedRows](t, succeed(t, append([]string{"sweep", "merge", "--out", out, "--json"}, folders...)...))
		twice := 0
		if len(folders) == 3 {
			twice = 8
		}
		if m.Key != shardKey {
			t.Errorf("%s: the key is %s, and a shard says %s", name, m.Key, shardKey)
		}
		if len(m.Missing) > 0 || m.Missing == nil || m.Twice != twice || m.Done != 8 || m.Name != "neighbours" || len(m.Key) != 64 {
			t.Errorf("%s: %+v", name, m)
		}
		if got := reproducible(t, out); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the rows are\n%q\nwant\n%q", name, got, want)
		}
	}
	_, other := sweepFile(t, strings.Replace(neighbours, "0.7", "0.8", 1))
	succeed(t, "sweep", "run", other, "--shard", "1/2", "--folder", filepath.Join(dir, "other"))
	for args, want := range map[string]string{
		"merge " + all + " " + filepath.Join(dir, "other") + " --out " + out: "not of the same sweep and program",
		"merge " + dir + " --out " + out:                                     "has no shards of a sweep",
		"run " + file + " --shard 4/3":                                       "one such as 3/40",
		"run " + file + " --shard auto/3":                                    "in a job array of Slurm",
		"run " + file + " --shard 1/3 --out rows.csv":                        "whose rows sweep merge writes",
		"run " + file + " --grace 0s":                                        "--grace is 0s, want",
		"merge --out " + out:                                                 "DIR is missing",
		"merge " + all:                                                       "--out is missing",
		"merge " + all + " --out rows.txt":                                   "want a name that ends in",
	} {
		code, stdout, stderr := call(t, append([]string{"sweep"}, strings.Fields(args)...)...)
		if code == exitOK || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q, want %q", args, code, stdout, stderr, want)
		}
	}
}

// TestShardExitCodes: what may be better the next time has another exit code than what comes again.
func TestShardExitCodes(t *testing.T) {
	t.Parallel()
	dir, file := sweepFile(t, endless)
	blocked := filepath.Join(dir, "a file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, broken := sweepFile(t, `{"base": {"env": "tiger", "algorithm": "qmdp", "timeout": "1ns"}, "list": [{"set.accuracy": 7}]}`)
	for _, c := range []struct {
		args []string
		want int
	}{
		{[]string{file, "--shard", "1/1", "--folder", filepath.Join(dir, "results"), "--timeout", "300ms"}, exitAgain},
		{[]string{file, "--folder", filepath.Join(dir, "results"), "--timeout", "300ms"}, exitError}, // no shard
		{[]string{file, "--shard", "1/1", "--folder", blocked}, exitAgain},
		{[]string{file, "--shard", "2/1"}, exitUsage},
		{[]string{broken, "--shard", "1/1", "--folder", dir}, exitError},
		{[]string{filepath.Join(dir, "nowhere"), "--shard", "1/1"}, exitError},
	} {
		if code, _, stderr := call(t, append([]string{"sweep", "run"}, c.args...)...); code != c.want || strings.Count(stderr, "\n") < 1 {
			t.Errorf("%q: exit code %d, stderr %q, want %d", c.args, code, stderr, c.want)
		}
	}
}

// TestShardFaults: a shard whose trials all fail is done, as those of other shards may not, so that a
// queue goes on to the merge. There it is an error if all have failed. The model file lies beside the
// sweep, and not in the working folder.
func TestShardFaults(t *testing.T) {
	t.Parallel()
	dir, file := sweepFile(t, `{"base": {"algorithm": "qmdp", "eval": {"exact": true, "horizon": 3}}, "list": [{"env": "tiger"}, {"model": "m.pomdp"}, {"model": "m.pomdp", "seed": 1}]}`)
	model, err := os.ReadFile("../../data/tiger.pomdp")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "m.pomdp"), model, 0o600); err != nil {
		t.Fatal(err)
	}
	folder, out := filepath.Join(dir, "results"), filepath.Join(dir, "rows.csv")
	for i, failed := range []int{0, 1, 1} {
		code, stdout, stderr := call(t, "sweep", "run", file, "--shard", fmt.Sprint(i+1, "/3"), "--folder", folder, "--json")
		if sum := decode[sweepSummary](t, stdout); code != exitOK || sum.Failed != failed || sum.Done != 1 || strings.Contains(stderr, "1 of 1 trials failed") != (failed == 1) {
			t.Errorf("shard %d: exit code %d, %+v, stderr %q", i+1, code, sum, stderr)
		}
	}
	if m := decode[mergedRows](t, succeed(t, "sweep", "merge", folder, "--out", out, "--json")); m.Done != 3 || m.Failed != 2 {
		t.Errorf("the merge says %+v", m)
	}
	if err := os.WriteFile(file, []byte(`{"base": {"model": "m.pomdp", "algorithm": "qmdp", "eval": {"exact": true, "horizon": 4}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "other")
	if code, _, stderr := call(t, "sweep", "run", file, "--shard", "1/1", "--folder", other); code != exitOK {
		t.Errorf("exit code %d, %q", code, stderr)
	}
	code, stdout, stderr := call(t, "sweep", "merge", other, "--out", out, "--json")
	if m := decode[mergedRows](t, stdout); code != exitError || m.Failed != 1 || !strings.Contains(stderr, "all 1 trials failed, such as trial 0: ") {
		t.Errorf("exit code %d, %+v, stderr %q", code, m, stderr)
	}
	if err := os.Remove(filepath.Join(dir, "m.pomdp")); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := call(t, "sweep", "run", file); code != exitError || !strings.Contains(stderr, "cannot read m.pomdp: neither the working folder nor "+dir+" has it") {
		t.Errorf("without the model: exit code %d, %q", code, stderr)
	}
}

// TestInterruptedBefore: a verb that is told to end before it has anything says so in plain words.
func TestInterruptedBefore(t *testing.T) {
	t.Parallel()
	dir, file := sweepFile(t, neighbours)
	folder, out := filepath.Join(dir, "results"), filepath.Join(dir, "rows.csv")
	succeed(t, "sweep", "run", file, "--shard", "1/1", "--folder", folder)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{
		{"merge", folder, "--out", out}, {"export", file, "--folder", folder, "--out", out}, {"status", file, "--folder", folder}, {"status", file, "--folder", folder, "--watch"},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(ctx, append([]string{"sweep"}, args...), &stdout, &stderr); code != exitInterrupted || stderr.String() != "bcpace: interrupted before there was anything to keep\n" {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", args, code, &stdout, &stderr)
		}
	}
}

// TestFolderLost: where results cannot be kept, nobody says that they are.
func TestFolderLost(t *testing.T) {
	t.Parallel()
	_, file := sweepFile(t, neighbours)
	a := sweepFlags{file: file, folder: t.TempDir()}
	s, err := a.read()
	if err != nil {
		t.Fatal(err)
	}
	r, err := sweep.Run(t.Context(), s, sweep.Options{Folder: a.folder})
	if err != nil {
		t.Fatal(err)
	}
	for cause, kept := range map[error]bool{errors.New("no sweep"): true, fmt.Errorf("%w is full", sweep.ErrFolder): false} {
		if _, err := stopOf(t.Context(), r, cause); !errors.Is(err, cause) || strings.Contains(err.Error(), "is kept") != kept {
			t.Errorf("of %v it says %v", cause, err)
		}
	}
}

// TestShardsKilled computes 1,000 trials in eight processes, of which three are killed when they have
// computed some of theirs, and run again. The rows are those of one process. The processes that run
// again compute what was not kept, so that nothing but what a killed process had in hand is computed twice.
func TestShardsKilled(t *testing.T) {
	t.Parallel()
	const shards, each = 8, 75
	dir, file := sweepFile(t, fmt.Sprintf(`{"base": {"env": "tiger", "algorithm": "qmdp", "eval": {"episodes": 20, "horizon": 40}}, "seeds": %d}`, shards*each))
	want := sweepRows(t, file)
	folder := filepath.Join(dir, "results")
	line := func(i int) string {
		return fmt.Sprintf("sweep run %s --shard %d/%d --workers 1 --folder %s --json", file, i, shards, folder)
	}
	lines := func() (n int) {
		files, err := filepath.Glob(filepath.Join(folder, "results-*.jsonl"))
		if err != nil {
			t.Error(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Error(err)
			}
			n += strings.Count(string(text), "\n")
		}
		return n
	}
	kept := 0 // by those killed
	for i := 1; i <= 3; i++ {
		before := lines()
		cmd, _, _ := start(t, plain, line(i))
		for begin := time.Now(); lines() < before+10; time.Sleep(time.Millisecond) {
			if time.Since(begin) > 5*time.Minute {
				t.Fatal("no trial is done")
			}
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // "killed"
		if n := lines() - before; n == each {
			t.Errorf("shard %d was done before it was killed", i)
		}
		kept = lines()
	}
	cached, computed := 0, 0
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := 1; i <= shards; i++ {
		cmd, stdout, said := start(t, plain, line(i))
		all.Go(func() {
			rest, _ := io.ReadAll(said)
			if err := cmd.Wait(); err != nil || len(rest) > 0 {
				t.Errorf("shard %d: %v, %q", i, err, rest)
				return
			}
			var sum sweepSummary
			if err := json.Unmarshal(stdout.Bytes(), &sum); err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			cached, computed = cached+sum.Cached, computed+sum.Done-sum.Cached
		})
	}
	all.Wait()
	if cached != kept || computed != shards*each-kept || lines() != shards*each {
		t.Errorf("%d results were kept, %d found, %d computed then, %d are there, want %d", kept, cached, computed, lines(), shards*each)
	}
	out := filepath.Join(dir, "rows.csv")
	m := decode[mergedRows](t, succeed(t, "sweep", "merge", folder, "--out", out, "--json"))
	if m.Twice != 0 || m.Done != shards*each {
		t.Errorf("the merge says %+v", m)
	}
	if got := reproducible(t, out); !reflect.DeepEqual(got, want) {
		t.Error("the rows are not those of one process")
	}
	t.Logf("%d results of killed processes, %d computed by those that ran again and the others", kept, computed)
}

// standIn are commands of Slurm as far as a job array needs them: sbatch runs the tasks of an array
// one after the other with the variables that Slurm gives them, sends SIGTERM to the batch shell of the
// first task once it has begun, and runs a task again that scontrol puts into the queue.
var standIn = map[string]string{
	"sbatch": `#!/bin/bash
set -u
if [ "$1" = --wait ]; then shift; fi # it waits anyway
script=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
array=$(sed -n 's/^#SBATCH --array=//p' "$script")
first=${array%-*} last=${array#*-}
export SLURM_ARRAY_JOB_ID=77 SLURM_ARRAY_TASK_MIN=$first SLURM_ARRAY_TASK_MAX=$last SLURM_ARRAY_TASK_COUNT=$((last-first+1))
for id in $(seq "$first" "$last"); do
  restarts=0
  while :; do
    export SLURM_ARRAY_TASK_ID=$id SLURM_JOB_ID=$((77+id)) SLURM_QUEUE=$(mktemp)
    if [ "$restarts" -gt 0 ]; then export SLURM_RESTART_COUNT=$restarts; else unset SLURM_RESTART_COUNT; fi
    bash "$script" & job=$!
    if [ "$id" = "$first" ] && [ "$restarts" = 0 ]; then
      until ls "$RESULTS"/sweep-*.json >/dev/null 2>&1 || ! kill -0 "$job"; do sleep 0.05; done
      kill -TERM "$job"
    fi
    wait "$job"; code=$?
    echo "task $id, try $restarts: $code"
    if ! grep -qx "77_$id" "$SLURM_QUEUE"; then break; fi
    restarts=$((restarts+1))
  done
done
`,
	"scontrol": `#!/bin/bash
[ "$1" = requeue ] && echo "$2" >> "$SLURM_QUEUE"
`,
}

// slurmStandIn returns a folder with those commands and this program as bcpace.
func slurmStandIn(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	programs := map[string]string{"bcpace": "#!/bin/sh\n" + asProgram + "=" + plain + " exec '" + self + "' \"$@\"\n"}
	for name, text := range standIn {
		programs[name] = text
	}
	for name, text := range programs {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return bin
}

// TestPageOnClusters runs the commands of the page, but for the one that builds the program, as they
// stand there.
func TestPageOnClusters(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		runtest.Lacks(t, "no bash")
	}
	page, err := os.ReadFile("../sweep/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(page), "\n```sh\n")
	commands, _, closed := strings.Cut(rest, "\n```\n")
	if !ok || !closed {
		t.Fatal("the page has no commands for a shell")
	}
	bin, dir := slurmStandIn(t), t.TempDir()
	shared := filepath.Join(dir, "shared")
	if err := os.Mkdir(shared, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(bin, "bcpace"), filepath.Join(shared, "bcpace")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bash, "-e", "-c", commands)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "RESULTS="+filepath.Join(dir, "nowhere"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	f, err := os.Open(filepath.Join(shared, "rows.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if columns, err := parquet.Columns(f); err != nil || !slices.Contains(columns, "exact") {
		t.Errorf("the rows have %q, %v", columns, err)
	}
}

// TestSlurmArray plays the script of a job array from submission to rows, with a task that is told to
// end and goes into the queue again.
func TestSlurmArray(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		runtest.Lacks(t, "no bash")
	}
	dir, file := sweepFile(t, `{"base": {"env": "tiger", "algorithm": "bayes-cpace", "params": {"k": 20, "batch": 0, "patience": 900000000, "max-episodes": 4000, "certificate-episodes": -1, "return": "greedy"}}, "seeds": 3}`)
	want := sweepRows(t, file)
	bin := slurmStandIn(t)
	folder, job := filepath.Join(dir, `results of "mine"`), filepath.Join(dir, "job.sh")
	script := succeed(t, "sweep", "script", "slurm", "--sweep", file, "--folder", folder, "--shards", "3", "--retries", "2", "--grace", "10s")
	for _, want := range []string{"--job-name=bcpace-shard", "--array=1-3", "--requeue", "--signal=B:TERM@40"} {
		if !strings.Contains(script, "\n#SBATCH "+want+"\n") {
			t.Errorf("no line #SBATCH %s in\n%s", want, script)
		}
	}
	if err := os.WriteFile(job, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(bash, "-n", job).CombinedOutput(); err != nil {
		t.Errorf("bash -n: %v: %s", err, out)
	}
	cmd := exec.Command(bash, filepath.Join(bin, "sbatch"), job)
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "RESULTS="+folder)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// On a machine that is very fast the first task may be done before the signal.
	for _, want := range []string{"task 1, try 0: ", "task 2, try 0: 0\n", "task 3, try 0: 0\n"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the tasks say\n%s\nwant %q", out, want)
		}
	}
	if told := strings.Contains(string(out), fmt.Sprint("task 1, try 0: ", exitInterrupted)); told != strings.Contains(string(out), "task 1, try 1: 0\n") {
		t.Errorf("the first task is told to end and does not go on:\n%s", out)
	}
	rows := filepath.Join(dir, "rows.csv")
	succeed(t, "sweep", "merge", folder, "--out", rows)
	if got := reproducible(t, rows); !reflect.DeepEqual(got, want) {
		t.Errorf("the rows are\n%q\nwant\n%q\nafter\n%s", got, want, out)
	}

	// A shard that cannot be done is not queued again.
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(bash, filepath.Join(bin, "sbatch"), job)
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "RESULTS="+filepath.Join(dir, "nowhere"))
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "try 1") || !strings.Contains(string(out), "task 3, try 0: 1\n") {
		t.Errorf("with a broken sweep: %v, %s", err, out)
	}
}

// TestTerminateTwice: the second request to terminate, as Slurm sends it, does not end a sweep that
// keeps what it has.
func TestTerminateTwice(t *testing.T) {
	t.Parallel()
	dir, file := sweepFile(t, endless)
	folder := filepath.Join(dir, "results")
	cmd, stdout, said := start(t, plain, "sweep run "+file+" --workers 1 --folder "+folder+" --json")
	for begin := time.Now(); decode[sweepStates](t, succeed(t, "sweep", "status", file, "--folder", folder, "--json")).Sweeps[0].Done < 2; time.Sleep(10 * time.Millisecond) {
		if time.Since(begin) > 5*time.Minute {
			t.Fatal("the trials with an end are not done")
		}
	}
	for range 3 {
		_ = cmd.Process.Signal(syscall.SIGTERM)
	}
	_, _ = io.ReadAll(said)
	_ = cmd.Wait()
	if sum := decode[sweepSummary](t, stdout.String()); cmd.ProcessState.ExitCode() != exitInterrupted || sum.Stop != "interrupted" {
		t.Errorf("%v, %+v", cmd.ProcessState, sum)
	}
}
