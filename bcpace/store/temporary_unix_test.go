//go:build unix

package store

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// killedProgram writes a file and kills itself at the event that it is told.
func killedProgram() {
	kill := func() {
		fatal(syscall.Kill(os.Getpid(), syscall.SIGKILL))
		select {}
	}
	name := os.Getenv("STORE_TEST_FILE")
	if os.Getenv("STORE_TEST_EVENT") == "before the write" {
		_, err := createTemp(filepath.Dir(name))
		fatal(err)
		kill()
	}
	fatal(WriteFile(name, Content(func(w io.Writer) error {
		io.WriteString(w, "new, first half")
		if os.Getenv("STORE_TEST_EVENT") == "between write and rename" {
			io.WriteString(w, "new, second half")
		}
		kill()
		return nil
	})))
}

// TestKilledWriters kills writers one after another. The file stays as it was, the
// litter does not grow, and the next writer that is left alone, or a check, clears it
// away.
func TestKilledWriters(t *testing.T) {
	for _, event := range []string{"before the write", "within the write", "between write and rename"} {
		dir := t.TempDir()
		name := filepath.Join(dir, "run.bcp")
		if err := WriteFile(name, bytes.NewBufferString("old")); err != nil {
			t.Fatal(err)
		}
		killed := func() {
			t.Helper()
			cmd := program(t, "killed", dir, "STORE_TEST_FILE="+name, "STORE_TEST_EVENT="+event)
			if out, err := cmd.Output(); err == nil || cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Fatalf("%s: the process says %q and ends with %v", event, out, err)
			}
			if got, err := os.ReadFile(name); err != nil || string(got) != "old" {
				t.Errorf("%s: the file holds %q (error %v)", event, got, err)
			}
			if all, _ := os.ReadDir(dir); len(all) != 2 || !strings.HasPrefix(all[0].Name(), tempPrefix) {
				t.Errorf("%s: the folder has %v, want the file and one temporary file", event, all)
			}
		}
		killed()
		killed()
		if err := CheckFile(name); err != nil {
			t.Fatal(err)
		}
		onlyFiles(t, dir, "run.bcp")
		killed()
		if err := WriteFile(filepath.Join(dir, "second.bcp"), bytes.NewBufferString("new")); err != nil {
			t.Fatal(err)
		}
		onlyFiles(t, dir, "run.bcp", "second.bcp")
	}
}
