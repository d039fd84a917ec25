//go:build unix

package cmd

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestSpecialFiles: what is not a regular file is no run, and is not waited
// for.
func TestSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe.bcp")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	for file, what := range map[string]string{pipe: "a pipe", dir: "a folder", "/dev/zero": "a device"} {
		for _, args := range []string{"eval --run", "verify --run", "cover --run", "solve --resume"} {
			want := file + " is " + what
			if args == "cover --run" && file == dir { // it takes folders, for what is in them
				want = pipe + " is a pipe"
			}
			code, stdout, stderr := call(t, append(strings.Fields(args), file)...)
			if code != exitError || stdout != "" || !strings.Contains(stderr, want) {
				t.Errorf("bcpace %s %s: exit code %d, output %q, error %q", args, file, code, stdout, stderr)
			}
		}
	}
}
