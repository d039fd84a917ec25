//go:build unix

package cmd

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestSolveEngine expects worker processes to play the rollouts of a run to the same file, for a
// model of the user's own, and a run that was interrupted to go on with or without them.
func TestSolveEngine(t *testing.T) {
	t.Parallel()
	const args = "solve --env own-chain --set length=4 --batch 20 --k 3 --epsilon 0.5 --patience 900000000 --seed 2"
	dir := t.TempDir()
	whole, played, cut := filepath.Join(dir, "whole.bcp"), filepath.Join(dir, "played.bcp"), filepath.Join(dir, "cut.bcp")
	succeed(t, line(args+" --max-episodes 200 --out "+whole)...)

	cmd, stdout, said := start(t, plain, args+" --max-episodes 200 --engine embedded --workers 2 --json --out "+played, "env", "TMPDIR="+dir)
	rest, _ := io.ReadAll(said)
	if err := cmd.Wait(); err != nil || len(rest) > 0 {
		t.Fatalf("%v, stderr %q", err, rest)
	}
	if r := decode[wantResult](t, stdout.String()); r.Algorithm != "bayes-cpace" || *r.Episodes != 200 {
		t.Errorf("the result is %+v", r)
	}
	sameFiles(t, whole, played)
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 2 {
		t.Errorf("beside the two runs there is something left: %q", left)
	}

	cmd, _, said = start(t, oftenSaved, args+" --engine embedded --workers 2 --out "+cut)
	for begin := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(cut); err == nil {
			break
		}
		if time.Since(begin) > 5*time.Minute {
			t.Fatal("no checkpoint")
		}
	}
	send(t, cmd, os.Interrupt)
	rest, _ = io.ReadAll(said)
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || string(rest) != "bcpace: interrupted; bcpace solve --resume "+cut+" goes on\n" {
		t.Fatalf("exit code %d, stderr %q", code, rest)
	}
	episodes := len(readRun(t, cut).Trace)
	for _, engine := range []string{"", " --engine embedded --workers 1 --folder " + filepath.Join(dir, "engine")} {
		out := filepath.Join(dir, "resumed.bcp")
		more := fmt.Sprint(" --max-episodes ", episodes+40)
		cmd, _, said := start(t, plain, "solve --resume "+cut+more+engine+" --out "+out)
		rest, _ := io.ReadAll(said)
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%v, stderr %q", err, rest)
		}
		succeed(t, line(args+more+" --out "+whole)...)
		sameFiles(t, whole, out)
	}
}

// TestSolveEngineErrors expects wrong usage to be told before anything starts.
func TestSolveEngineErrors(t *testing.T) {
	dir := t.TempDir()
	saved, file := filepath.Join(dir, "certified.bcp"), filepath.Join(dir, "file.bcp")
	succeed(t, line("solve --env tiger --max-samples 5 --out "+saved)...)
	succeed(t, line("solve --model ../../data/tiger.pomdpx --batch 5 --max-episodes 5 --algorithm bayes-cpace --out "+file)...)
	for args, want := range map[string]string{
		"--env chain --engine embedded --algorithm certified": "--engine and --algorithm certified contradict each other: leave out --engine, or take bayes-cpace",
		"--env chain --engine embedded --batch 1":             "--engine and --batch 1 contradict each other",
		"--env chain --engine embedded --workers -1":          "--workers is -1, want",
		"--env chain --engine moon":                           `--engine is "moon", want local, embedded, or URLs`,
		"--env chain --engine nats://a --folder x":            "--folder and --engine nats://a contradict",
		"--env chain --engine nats://a --workers 2":           "--workers and --engine nats://a contradict",
		"--env chain --listen 0.0.0.0:1":                      "--listen and --engine local contradict",
		"--env chain --engine local --folder x":               "--folder and --engine local contradict",
		"--env chain --token-file x":                          "--token-file and --engine local contradict",
		"--model ../../data/tiger.pomdpx --engine embedded":   "--engine and --model contradict each other: a worker makes the model by its name",
		"--resume " + saved + " --engine embedded":            "--engine and --algorithm certified contradict",
		"--resume " + file + " --engine embedded":             "--engine and --model contradict each other: a worker makes the model by its name",
	} {
		code, stdout, stderr := call(t, line("solve "+args)...)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 2 {
			t.Errorf("solve %s: exit code %d, stdout %q, stderr %q, want %q", args, code, stdout, stderr, want)
		}
	}
	// An engine in this process is what solve does anyway.
	succeed(t, line("solve --env tiger --engine local --max-samples 5")...)
}
