//go:build unix && long

package course

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bayescpace/notebooks/internal/runner"
)

// Every released assignment works without its solutions: each cell that is the teacher's
// compiles, no test passes, and a function that does not compile costs no more than its own
// tests.
func TestStubs(t *testing.T) {
	t.Parallel()
	names := releases(t)
	half := (len(names) + 1) / 2 // each start of nbgrader takes a second
	for part := range slices.Chunk(names, half) {
		t.Run("from "+part[0], func(t *testing.T) {
			t.Parallel()
			c := NewCourse(t)
			remake(t, c, part)
			for _, name := range part {
				submitStubs(c, name)
			}
			c.Nbgrader("autograde", "*", "--create")
			scores := c.Scores()
			for _, name := range part {
				checkStubs(t, c, name, scores[name+" ann"])
			}
		})
	}
}

// submitStubs hands a release in whose last but one solution does not compile.
func submitStubs(c *Course, name string) {
	nb := c.Notebook("release", name)
	var solutions []runner.Cell
	for _, cell := range nb.CodeCells() {
		if IsSolution(cell) {
			solutions = append(solutions, cell)
		}
	}
	broken := solutions[len(solutions)-2]
	c.Submit("ann", name, nb, map[string]string{GradeID(broken): broken.Source() + "\n}"})
}

// checkStubs looks at what was graded of submitStubs.
func checkStubs(t *testing.T, c *Course, name string, got Grade) {
	graded := c.Notebook(filepath.Join("autograded", "ann"), name)
	most := 0.0
	for _, cell := range graded.Cells() {
		points, byHand := Points(cell)
		most += float64(points)
		if points == 0 || byHand {
			continue
		}
		if executed := fmt.Sprint(cell["execution_count"]); executed == "<nil>" {
			t.Errorf("%s: %s was not executed: a cell behind one that fails must be graded", name, GradeID(cell))
		}
	}
	failed := Failing(graded)
	for _, cell := range graded.CodeCells() {
		id := GradeID(cell)
		if strings.HasPrefix(id, "test-") != slices.Contains(failed, id) && !mayFail(cell) {
			t.Errorf("%s: %s failed %v; every test of a stub must fail, and no other cell", name, id, slices.Contains(failed, id))
		}
	}
	if want := (Grade{Got: 0, Most: most}); got != want {
		t.Errorf("%s: %v of %v points, want %v of %v", name, got.Got, got.Most, want.Got, want.Most)
	}
}

// mayFail tells whether a cell may fail in a notebook of stubs: a student's own, or one
// that shows what the student wrote.
func mayFail(cell runner.Cell) bool {
	return IsSolution(cell) || strings.HasPrefix(cell.Source(), "%%")
}
