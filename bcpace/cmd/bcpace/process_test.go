//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestInterrupt sends a real process a real signal, and expects the run so far
// in the file and in the summary.
func TestInterrupt(t *testing.T) {
	for _, c := range []struct {
		name   string
		signal os.Signal
		args   string
	}{
		{"interrupt", os.Interrupt, "solve --env tiger --patience 900000000 --seed 2"},
		{"terminate", syscall.SIGTERM, "solve --env chain --batch 0 --patience 900000000"},
		// An episode that has no end.
		{"within an episode", os.Interrupt, "solve --env chain --horizon 900000000000000 --k 1 --epsilon 100"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			name := filepath.Join(t.TempDir(), "run.bcp")
			cmd := exec.Command(os.Args[0], line(c.args+" --json --out "+name)...)
			cmd.Env = append(os.Environ(), asProgram+"=1")
			var stdout bytes.Buffer
			cmd.Stdout = &stdout
			stderr, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Process.Kill()
			watchdog := time.AfterFunc(60*time.Second, func() { cmd.Process.Kill() })
			defer watchdog.Stop()
			lines := bufio.NewReader(stderr)
			if ready, err := lines.ReadString('\n'); err != nil || ready != "ready\n" {
				t.Fatalf("the process says %q (error %v)", ready, err)
			}
			// The latent MDPs, without which there is nothing to keep, take a
			// millisecond.
			time.Sleep(300 * time.Millisecond)
			if _, err := os.Stat(name); err == nil {
				t.Error("the file is there before the end")
			}
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			rest, _ := io.ReadAll(lines)
			if err := cmd.Wait(); err != nil || string(rest) != "bcpace: interrupted; bcpace solve --resume "+name+" goes on\n" {
				t.Fatalf("%v, stderr %q", err, rest)
			}
			r := decode[wantResult](t, stdout.String())
			saved := readRun(t, name)
			if r.Stop != "interrupted" || saved.Stop != "interrupted" || saved.Value != *r.Value || saved.Samples.Len() != *r.Samples {
				t.Errorf("printed %+v, saved stop %q, value %v, %d samples", r, saved.Stop, saved.Value, saved.Samples.Len())
			}
			succeed(t, line("eval --episodes 5 --horizon 5 --run "+name)...)
		})
	}
}

// TestKilled kills a process that cannot know of it, and expects the last checkpoint
// to lead to the run that was not killed.
func TestKilled(t *testing.T) {
	t.Parallel()
	const args = "solve --env tiger --set discount=0.5 --k 20 --patience 900000000 --seed 2"
	dir := t.TempDir()
	name, whole := filepath.Join(dir, "run.bcp"), filepath.Join(dir, "whole.bcp")
	cmd := exec.Command(os.Args[0], line(args+" --out "+name)...)
	cmd.Env = append(os.Environ(), asProgram+"="+oftenSaved)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	for begin := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(name); err == nil {
			break
		}
		if time.Since(begin) > 60*time.Second {
			t.Fatal("no checkpoint")
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // "killed"
	saved := readRun(t, name)
	if saved.Stop != "" {
		t.Fatalf("the run that was killed has stopped: %q", saved.Stop)
	}
	more := fmt.Sprint(" --max-episodes ", len(saved.Trace)+60)
	succeed(t, line("solve --resume "+name+more)...)
	succeed(t, line(args+" --out "+whole+more)...)
	sameFiles(t, name, whole)
}

// TestExitCodes expects the process to end with what run returns.
func TestExitCodes(t *testing.T) {
	for args, want := range map[string]int{"envs --json": 0, "solve --env lion": 1, "solve": 2} {
		cmd := exec.Command(os.Args[0], line(args)...)
		cmd.Env = append(os.Environ(), asProgram+"=1")
		out, _ := cmd.Output()
		if got := cmd.ProcessState.ExitCode(); got != want || (want == 0) != (len(out) > 0) {
			t.Errorf("bcpace %s: exit code %d, stdout %q, want %d", args, got, out, want)
		}
	}
}

// TestConcurrentWriters expects one whole file of several processes' making.
func TestConcurrentWriters(t *testing.T) {
	name := filepath.Join(t.TempDir(), "run.bcp")
	var all []*exec.Cmd
	for _, seed := range strings.Split("1234", "") {
		cmd := exec.Command(os.Args[0], line("solve --env tiger --max-episodes 20 --out "+name+" --seed "+seed)...)
		cmd.Env = append(os.Environ(), asProgram+"=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, cmd)
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if r := readRun(t, name); len(r.Trace) != 20 {
		t.Errorf("%d episodes", len(r.Trace))
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "*")); len(left) != 1 {
		t.Errorf("files left: %v", left)
	}
}
