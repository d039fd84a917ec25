//go:build unix

package nbgrader

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bayescpace/notebooks/internal/runner"
	"bayescpace/notebooks/internal/runnertest"
)

// stub is what a release has in place of a solution.
const stub = "// WRITE YOUR SOLUTION HERE, in place of the next line"

// Every released assignment works without its solutions: each cell that is the teacher's
// compiles, no test passes, and a function that does not compile costs no more than its own
// tests. The release is made a source again, of which nbgrader makes the same release.
func TestReleases(t *testing.T) {
	t.Parallel()
	from := filepath.Join("..", "..", "assignments", "release")
	assignments, err := os.ReadDir(from)
	if err != nil || len(assignments) < 8 {
		t.Fatalf("%d released assignments (%v), want eight or more", len(assignments), err)
	}
	half := (len(assignments) + 1) / 2 // each start of nbgrader takes a second
	for part := range slices.Chunk(assignments, half) {
		t.Run("from "+part[0].Name(), func(t *testing.T) {
			t.Parallel()
			c := runnertest.NewCourse(t)
			want := make(map[string][]byte)
			for _, a := range part {
				released, err := runner.ReadNotebook(filepath.Join(from, a.Name(), a.Name()+".ipynb"))
				if err != nil {
					t.Fatal(err)
				}
				want[a.Name()], _ = released.Bytes()
				asSource(t, c, a.Name(), released)
			}
			c.Nbgrader("generate_assignment", "*")
			for name := range want {
				if got, _ := c.Notebook("release", name).Bytes(); !bytes.Equal(got, want[name]) {
					t.Errorf("the release is not as nbgrader makes it; go run ./notebooks nbgrader generate_assignment %s --force, after go run ./notebooks key open", name)
				}
				submitStubs(c, name)
			}
			c.Nbgrader("autograde", "*", "--create")
			scores := c.Scores()
			for name := range want {
				checkStubs(t, c, name, scores[name+" ann"])
			}
		})
	}
}

// asSource writes a release as a source whose solutions are the stubs.
func asSource(t *testing.T, c *runnertest.Course, name string, nb *runner.Notebook) {
	t.Helper()
	for _, cell := range nb.CodeCells() {
		if !runnertest.IsSolution(cell) {
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

// submitStubs hands a release in whose last but one solution does not compile.
func submitStubs(c *runnertest.Course, name string) {
	nb := c.Notebook("release", name)
	var solutions []runner.Cell
	for _, cell := range nb.CodeCells() {
		if runnertest.IsSolution(cell) {
			solutions = append(solutions, cell)
		}
	}
	broken := solutions[len(solutions)-2]
	c.Submit("ann", name, nb, map[string]string{runnertest.GradeID(broken): broken.Source() + "\n}"})
}

// checkStubs looks at what was graded of submitStubs.
func checkStubs(t *testing.T, c *runnertest.Course, name string, got runnertest.Score) {
	graded := c.Notebook(filepath.Join("autograded", "ann"), name)
	most := 0.0
	for _, cell := range graded.Cells() {
		points, byHand := runnertest.Points(cell)
		most += float64(points)
		if points == 0 || byHand {
			continue
		}
		if executed := fmt.Sprint(cell["execution_count"]); executed == "<nil>" {
			t.Errorf("%s: %s was not executed: a cell behind one that fails must be graded", name, runnertest.GradeID(cell))
		}
	}
	failed := runnertest.Failing(graded)
	for _, cell := range graded.CodeCells() {
		id := runnertest.GradeID(cell)
		if strings.HasPrefix(id, "test-") != slices.Contains(failed, id) && !mayFail(cell) {
			t.Errorf("%s: %s failed %v; every test of a stub must fail, and no other cell", name, id, slices.Contains(failed, id))
		}
	}
	if want := (runnertest.Score{Got: 0, Most: most}); got != want {
		t.Errorf("%s: %v of %v points, want %v of %v", name, got.Got, got.Most, want.Got, want.Most)
	}
}

// mayFail tells whether a cell may fail in a notebook of stubs: a student's own, or one
// that shows what the student wrote.
func mayFail(cell runner.Cell) bool {
	return runnertest.IsSolution(cell) || strings.HasPrefix(cell.Source(), "%%")
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
			if points, byHand := runnertest.Points(cell); byHand {
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
