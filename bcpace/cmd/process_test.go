//go:build unix

package cmd

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// start starts the program and waits until it catches signals. What it says on
// standard error after that comes from lines. One that hangs is killed.
func start(t *testing.T, how, args string, before ...string) (cmd *exec.Cmd, stdout *bytes.Buffer, lines *bufio.Reader) {
	t.Helper()
	all := append(append(before, os.Args[0]), line(args)...)
	cmd = exec.Command(all[0], all[1:]...)
	cmd.Env = append(os.Environ(), asProgram+"="+how)
	stdout = new(bytes.Buffer)
	cmd.Stdout = stdout
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	// What this process ignores, as it does SIGHUP under nohup, its child would ignore too; what
	// it catches is back at its default there.
	catch := make(chan os.Signal, 1)
	signal.Notify(catch, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	err = cmd.Start()
	signal.Stop(catch)
	if err != nil {
		t.Fatal(err)
	}
	hangs := time.AfterFunc(5*time.Minute, func() { cmd.Process.Kill() })
	t.Cleanup(func() {
		hangs.Stop()
		cmd.Process.Kill()
	})
	lines = bufio.NewReader(stderr)
	expect(t, lines, "ready")
	return cmd, stdout, lines
}

// expect reads a line.
func expect(t *testing.T, lines *bufio.Reader, want string) {
	t.Helper()
	if got, err := lines.ReadString('\n'); err != nil || got != want+"\n" {
		t.Fatalf("the process says %q (error %v), want %q", got, err, want)
	}
}

// send sends a signal.
func send(t *testing.T, cmd *exec.Cmd, s os.Signal) {
	t.Helper()
	if err := cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// TestInterrupt sends a real process a real signal, and expects the run so far
// in the file and in the summary.
func TestInterrupt(t *testing.T) {
	for _, c := range []struct {
		name   string
		signal os.Signal
		args   string
	}{
		{"interrupt", os.Interrupt, "solve --env tiger --algorithm bayes-cpace --patience 900000000 --seed 2"},
		{"terminate", syscall.SIGTERM, "solve --env chain --batch 0 --patience 900000000"},
		{"end of the terminal", syscall.SIGHUP, "solve --env chain --batch 1 --patience 900000000"},
		// An episode that has no end.
		{"within an episode", os.Interrupt, "solve --env chain --horizon 1000000000 --k 1 --epsilon 100"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			name := filepath.Join(t.TempDir(), "run.bcp")
			cmd, stdout, lines := start(t, announcing, c.args+" --json --out "+name)
			expect(t, lines, "begun")
			if _, err := os.Stat(name); err == nil {
				t.Error("the file is there before the end")
			}
			send(t, cmd, c.signal)
			rest, _ := io.ReadAll(lines)
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || string(rest) != "bcpace: interrupted; bcpace solve --resume "+name+" goes on\n" {
				t.Fatalf("exit code %d, stderr %q", code, rest)
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

// TestSecondInterrupt expects the second signal to end a program that the first one
// did not.
func TestSecondInterrupt(t *testing.T) {
	t.Parallel()
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		cmd, _, lines := start(t, stubborn, "")
		send(t, cmd, s)
		expect(t, lines, "asked to end")
		ended := make(chan error)
		go func() { ended <- cmd.Wait() }()
		for alive := true; alive; { // the default behaviour comes back at some time after the first
			select {
			case <-ended:
				alive = false
			case <-time.After(time.Millisecond):
				_ = cmd.Process.Signal(s)
			}
		}
		if got := cmd.ProcessState.Sys().(syscall.WaitStatus).Signal(); got != s {
			t.Errorf("ended by %v, want %v", got, s)
		}
	}
}

// TestSecondInterruptIgnored starts the program as the background of a shell script
// does, with Ctrl-C ignored: there, too, the second signal ends it.
func TestSecondInterruptIgnored(t *testing.T) {
	t.Parallel()
	for _, first := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd, _, lines := start(t, stubborn, "", "sh", "-c", `trap "" INT; exec "$0" "$@"`)
		send(t, cmd, first)
		expect(t, lines, "asked to end")
		ended := make(chan error)
		go func() { ended <- cmd.Wait() }()
		for alive := true; alive; {
			select {
			case <-ended:
				alive = false
			case <-time.After(time.Millisecond):
				_ = cmd.Process.Signal(os.Interrupt)
			}
		}
		if got := cmd.ProcessState.ExitCode(); got != exitInterrupted {
			t.Errorf("after %v: exit code %d, want %d", first, got, exitInterrupted)
		}
	}
}

// TestNohup expects a program under nohup to outlive the terminal.
func TestNohup(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "run.bcp")
	cmd, _, lines := start(t, announcing, "solve --env chain --batch 1 --patience 900000000 --out "+name, "nohup")
	send(t, cmd, syscall.SIGHUP)
	expect(t, lines, "begun")
	send(t, cmd, os.Interrupt)
	expect(t, lines, "bcpace: interrupted; bcpace solve --resume "+name+" goes on")
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("exit code %d, want %d", code, exitInterrupted)
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
		if time.Since(begin) > 5*time.Minute {
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
		cmd.Env = append(os.Environ(), asProgram+"="+plain)
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
		cmd := exec.Command(os.Args[0], line("solve --env tiger --max-episodes 20 --force --out "+name+" --seed "+seed)...)
		cmd.Env = append(os.Environ(), asProgram+"="+plain)
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
