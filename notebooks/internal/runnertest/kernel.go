// Package runnertest has what the tests of the runner share that need a kernel, a
// browser or both: they lie in packages of their own, so that none takes long.
package runnertest

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bayescpace/notebooks/internal/runner"
)

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
		case strings.HasSuffix(path, "_test.go") || !strings.HasSuffix(path, ".go"):
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
	cmd := exec.Command("go", "work", "init", s.Root)
	cmd.Dir, cmd.Env = above, append(os.Environ(), "GOWORK=", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("making a workspace: %v\n%s", err, out)
	}
	dir := filepath.Join(above, "notebooks")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Copy writes notebooks without their outputs into a folder, by their file names.
func Copy(t *testing.T, dir string, notebooks map[string]*runner.Notebook) {
	t.Helper()
	for name, nb := range notebooks {
		for _, c := range nb.CodeCells() {
			c["outputs"], c["execution_count"] = []any{}, nil
		}
		if err := nb.Write(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// Notebook makes a notebook of cells given as JSON.
func Notebook(t *testing.T, cells ...string) *runner.Notebook {
	t.Helper()
	path := filepath.Join(t.TempDir(), "00_x.ipynb")
	data := `{"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [` + strings.Join(cells, ",") + `]}`
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
	nb, err := runner.ReadNotebook(path)
	if err != nil {
		t.Fatal(err)
	}
	return nb
}

// CellsOf makes a notebook of code cells.
func CellsOf(t *testing.T, sources ...string) *runner.Notebook {
	t.Helper()
	cells := make([]string, len(sources))
	for i, source := range sources {
		text, _ := json.Marshal(source)
		cells[i] = `{"cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": ` + string(text) + `}`
	}
	nb := Notebook(t, cells...)
	nb.Normalise(func(s string) string { return s })
	return nb
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

// Snapshot is the contents of all files in a folder and below.
func Snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
