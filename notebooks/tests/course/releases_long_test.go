//go:build unix && long

package course

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bayescpace/notebooks/internal/runner"
	"bayescpace/notebooks/internal/runnertest"
)

// stub is what a release has in place of a solution.
const stub = "// WRITE YOUR SOLUTION HERE, in place of the next line"

// Every release, made a source again, is the release that nbgrader makes of it.
func TestReleases(t *testing.T) {
	t.Parallel()
	c := NewCourse(t)
	remake(t, c, releases(t))
}

// released is the folder of the released assignments.
var released = filepath.Join("..", "..", "assignments", "release")

// releases are the names of the released assignments.
func releases(t *testing.T) (names []string) {
	t.Helper()
	assignments, err := os.ReadDir(released)
	if err != nil || len(assignments) < 10 {
		t.Fatalf("%d released assignments (%v), want ten or more", len(assignments), err)
	}
	for _, a := range assignments {
		names = append(names, a.Name())
	}
	return names
}

// remake makes sources of releases, and releases of these in the course.
func remake(t *testing.T, c *Course, names []string) {
	t.Helper()
	want := make(map[string][]byte)
	for _, name := range names {
		nb, err := runner.ReadNotebook(filepath.Join(released, name, name+".ipynb"))
		if err != nil {
			t.Fatal(err)
		}
		want[name], _ = nb.Bytes()
		asSource(t, c, name, nb)
	}
	c.Nbgrader("generate_assignment", "*")
	for name := range want {
		if got, _ := c.Notebook("release", name).Bytes(); !bytes.Equal(got, want[name]) {
			t.Errorf("the release is not as nbgrader makes it; go run ./notebooks nbgrader generate_assignment %s --force, after go run ./notebooks key open", name)
		}
	}
}

// asSource writes a release as a source whose solutions are the stubs.
func asSource(t *testing.T, c *Course, name string, nb *runner.Notebook) {
	t.Helper()
	for _, cell := range nb.CodeCells() {
		if !IsSolution(cell) {
			continue
		}
		var lines []string
		for line := range strings.SplitSeq(cell.Source(), "\n") {
			indent, _, begins := strings.Cut(line, stub)
			if begins {
				lines = append(lines, indent+"// BEGIN SOLUTION")
			}
			lines = append(lines, line)
			if indent, _, ends := strings.Cut(line, "panic(\"nothing"); ends {
				lines = append(lines, indent+"// END SOLUTION")
			}
		}
		cell["source"] = strings.Join(lines, "\n")
	}
	if err := nb.Write(filepath.Join(c.Dir, "source", name, name+".ipynb")); err != nil {
		t.Fatal(err)
	}
}

// README.md says how many points each assignment has, and how many of them a person gives.
func TestPoints(t *testing.T) {
	dir := filepath.Join("..", "..", "assignments")
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	assignments, err := os.ReadDir(filepath.Join(dir, "release"))
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range assignments {
		nb, err := runner.ReadNotebook(filepath.Join(dir, "release", a.Name(), a.Name()+".ipynb"))
		if err != nil {
			t.Fatal(err)
		}
		tests, hand := 0, 0
		for _, cell := range nb.Cells() {
			if points, byHand := Points(cell); byHand {
				hand += points
			} else {
				tests += points
			}
		}
		if row := fmt.Sprintf("| `%s` | %d | %d | %d |", a.Name(), tests+hand, tests, hand); !bytes.Contains(readme, []byte(row)) {
			t.Errorf("README.md has no row %q", row)
		}
	}
}

// What teachers have is in the repository in the sealed file alone.
func TestNothingIsOpen(t *testing.T) {
	cmd := exec.Command("git", "ls-files", "source", "key")
	cmd.Dir = filepath.Join("..", "..", "assignments")
	open, err := cmd.Output()
	if err != nil {
		runnertest.Lacks(t, "git does not say what it keeps: this is no clone, or there is no git: "+err.Error())
	}
	if len(open) > 0 {
		t.Errorf("git keeps %q, which every clone has then; git rm --cached these files, and go run ./notebooks key seal", open)
	}
}

// No release has a solution or a hidden test.
func TestReleasesHaveNoSecrets(t *testing.T) {
	released, err := filepath.Glob(filepath.Join("..", "..", "assignments", "release", "*", "*.ipynb"))
	if err != nil || len(released) == 0 {
		t.Fatalf("no releases: %v", err)
	}
	for _, path := range released {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"BEGIN SOLUTION", "HIDDEN TESTS"} {
			if bytes.Contains(data, []byte(secret)) {
				t.Errorf("%s has %q", path, secret)
			}
		}
	}
}
