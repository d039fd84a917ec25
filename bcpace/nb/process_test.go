//go:build unix

package nb

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
)

// TestMain runs this binary as a program of its own where a test asks for it.
func TestMain(m *testing.M) {
	switch os.Getenv("NB_TEST_PROGRAM") {
	case "":
		os.Exit(m.Run())
	case "explore":
		ctx := Context()
		show := bcpace.Control{Progress: func(p bcpace.Progress) {
			if p.Episodes == 1 {
				Show("exploring")
			}
		}}
		Show(Must(explore(ctx, standard(), twoDoors{}, cpace.Solver{Epsilon: 0.5, Seed: 1, Patience: 1 << 40}, show)))
		Show("next")
	case "error":
		Show("before")
		Must(1, errors.New("model \"x\":\nε is 0"))
		Show("after")
	case "context":
		ctx := Context() // from here on an interrupt is heard
		Show("waiting")
		<-ctx.Done()
		Show("interrupted")
	}
}

// program starts this binary as one of the programs above.
func program(t *testing.T, name string) (cmd *exec.Cmd, stdout *bufio.Reader, stderr *strings.Builder) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "NB_TEST_PROGRAM="+name, "BAYESCPACE_STORE="+t.TempDir(), "GONB_PIPE=")
	stderr = new(strings.Builder)
	cmd.Stderr = stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	return cmd, bufio.NewReader(pipe), stderr
}

// rest reads all that is left.
func rest(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	var b strings.Builder
	if _, err := r.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestInterrupt: an interrupted cell shows what it has and continues.
func TestInterrupt(t *testing.T) {
	for name, want := range map[string][]string{
		"explore": {"interrupted: this is the run so far, ", "Bayes-CPACE on two doors", "interrupted\n", "\nnext\n"},
		"context": {"interrupted\n"},
	} {
		cmd, stdout, stderr := program(t, name)
		if _, err := stdout.ReadString('\n'); err != nil {
			t.Fatalf("%s: %v: %s", name, err, stderr)
		}
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		out := rest(t, stdout)
		if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
			t.Errorf("%s: %v, stderr %q", name, err, stderr)
		}
		for _, w := range want {
			if !strings.Contains(out, w) {
				t.Errorf("%s: output %q lacks %q", name, out, w)
			}
		}
	}
}

func TestErrorEndsTheCell(t *testing.T) {
	cmd, stdout, stderr := program(t, "error")
	out := rest(t, stdout)
	err := cmd.Wait()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("it ended with %v, want status 1", err)
	}
	if want := "error: model \"x\": ε is 0\n"; stderr.String() != want || out != "before\n" {
		t.Errorf("stdout %q, stderr %q, want %q", out, stderr, want)
	}
}
