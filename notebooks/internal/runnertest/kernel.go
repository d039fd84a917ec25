// Package runnertest has what the tests of the runner share that need a kernel, a
// browser or both: they lie in packages of their own, so that none takes long.
package runnertest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"bayescpace/notebooks/internal/runner"
)

// Patience is how long a test waits for what must come: so long that only what
// never comes is waited for in vain, however busy the machine is.
const Patience = 5 * time.Minute

// Kernel returns a session with all set up that any test of this run needs, on the notebooks in
// a folder below notebooks. With -short the test Lacks it. Packages that are tested
// side by side wait for the one that sets up; none may set up more later, below the
// kernels of the others.
func Kernel(t *testing.T, dir string) *runner.Session {
	t.Helper()
	if testing.Short() {
		Lacks(t, "this needs the kernel, which -short leaves out")
	}
	where, err := runner.FindPlace(".")
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	for _, profile := range profiles {
		if err := runner.NewSession(where, &said).Setup(t.Context(), profile); err != nil {
			t.Fatalf("setting up: %v\n%s", err, &said)
		}
	}
	seen(t, where.Root)
	where.Notebooks = filepath.Join(where.Notebooks, dir)
	return runner.NewSession(where, os.Stderr)
}

// seen looks at the sources of all packages. The go command does not know that cells
// import them; but it runs a test again, instead of giving its last result, when a
// file that the test has looked at is another one.
func seen(t *testing.T, root string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (d.Name()[0] == '.' || d.Name() == "testdata"):
			return filepath.SkipDir
		case strings.HasSuffix(path, "_test.go") || filepath.Ext(path) != ".go" && filepath.Ext(path) != ".txt":
			return nil
		}
		_, err = os.Stat(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Call runs a command line and returns its exit status and what it printed.
func Call(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = runner.Run(ctx, args, &out, &err)
	return code, out.String(), err.String()
}

// Program builds the program, and returns its path.
func Program(t *testing.T, s *runner.Session) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "notebooks")
	cmd := exec.Command("go", "build", "-o", program, "./notebooks")
	cmd.Dir = s.Root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// Folder makes a folder for notebooks outside of the clone, which is in a workspace
// with the clone, so that cells keep their runs above it. A killed test leaves nothing
// in the work tree.
func Folder(t *testing.T, s *runner.Session) string {
	t.Helper()
	above := t.TempDir()
	work := fmt.Sprintf("go %s\n\nuse %q\n", strings.TrimPrefix(runtime.Version(), "go"), s.Root)
	if err := os.WriteFile(filepath.Join(above, "go.work"), []byte(work), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(above, "notebooks")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// FreePort is a port that nobody listened on a moment ago.
func FreePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// Lacks ends a test that needs what is not here: it is skipped, but in CI, which must have
// everything, it fails.
func Lacks(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}
