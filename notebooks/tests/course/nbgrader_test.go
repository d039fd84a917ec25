//go:build unix && (key || long)

// Package course tests the course. With -tags key it tests the solutions of the assignments,
// hidden tests, and what students may hand in: all that is sealed, so that these tests need the
// teachers' word. With -tags long it tests what a clone has without the word: how submissions are
// graded, on a small assignment in testdata, and the released assignments without their solutions.
package course

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bayescpace/notebooks/internal/runner"
	"bayescpace/notebooks/internal/runnertest"
)

// Course is a course for nbgrader outside of the clone.
type Course struct {
	*runner.Session
	Dir  string
	Said bytes.Buffer // by the last command
	t    *testing.T
}

// NewCourse is a course with the configuration of the committed one and nothing else.
func NewCourse(t *testing.T) *Course {
	t.Helper()
	s := runnertest.Kernel(t, "")
	dir := runnertest.Folder(t, s)
	c := &Course{Dir: filepath.Join(dir, "assignments"), t: t}
	where := s.Place
	where.Notebooks = dir
	c.Session = runner.NewSession(where, &c.Said)
	config, err := os.ReadFile(filepath.Join(s.Root, "notebooks", "assignments", "nbgrader_config.py"))
	if err == nil {
		err = os.MkdirAll(c.Dir, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(c.Dir, "nbgrader_config.py"), config, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Clone is a course of its own for another test, which begins with what this one has.
func (c *Course) Clone(t *testing.T) *Course {
	t.Helper()
	own := NewCourse(t)
	if err := os.RemoveAll(own.Dir); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(own.Dir, os.DirFS(c.Dir)); err != nil {
		t.Fatal(err)
	}
	return own
}

// Nbgrader runs nbgrader in the course.
func (c *Course) Nbgrader(args ...string) {
	c.t.Helper()
	c.Said.Reset()
	if err := c.Session.Nbgrader(c.t.Context(), args); err != nil {
		c.t.Fatalf("nbgrader %s: %v\n%s", strings.Join(args, " "), err, &c.Said)
	}
}

// Notebook reads a notebook of the course. The assignment may have a student before it.
func (c *Course) Notebook(step, assignment string) *runner.Notebook {
	c.t.Helper()
	nb, err := runner.ReadNotebook(filepath.Join(c.Dir, step, assignment, filepath.Base(assignment)+".ipynb"))
	if err != nil {
		c.t.Fatal(err)
	}
	return nb
}

// Submit hands a notebook in, with other sources in the cells of these names.
func (c *Course) Submit(student, assignment string, nb *runner.Notebook, changes map[string]string) {
	c.t.Helper()
	changed := 0
	for _, cell := range nb.CodeCells() {
		if source, ok := changes[GradeID(cell)]; ok {
			cell["source"] = source
			changed++
		}
	}
	if changed != len(changes) {
		c.t.Fatalf("%s: of %s %d cells were changed, want %d", assignment, student, changed, len(changes))
	}
	if err := nb.Write(filepath.Join(c.Dir, "submitted", student, assignment, assignment+".ipynb")); err != nil {
		c.t.Fatal(err)
	}
}

// Grade is what a submission got, and the most that it can get, both from tests and by hand.
type Grade struct{ Got, Most float64 }

// Scores returns the scores by "assignment student".
func (c *Course) Scores() map[string]Grade {
	c.t.Helper()
	c.Nbgrader("export", "--to", "grades.csv")
	f, err := os.Open(filepath.Join(c.Dir, "grades.csv"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer f.Close()
	scores := make(map[string]Grade)
	var column map[string]int
	for r := csv.NewReader(f); ; {
		row, err := r.Read()
		if err == io.EOF {
			return scores
		}
		if err != nil {
			c.t.Fatal(err)
		}
		if column == nil {
			column = make(map[string]int)
			for i, name := range row {
				column[name] = i
			}
			continue
		}
		score, _ := strconv.ParseFloat(row[column["score"]], 64)
		most, _ := strconv.ParseFloat(row[column["max_score"]], 64)
		scores[row[column["assignment"]]+" "+row[column["student_id"]]] = Grade{score, most}
	}
}

// grader returns what nbgrader knows of a cell, nil for a cell that it does not know.
func grader(cell runner.Cell) map[string]any {
	metadata, _ := cell["metadata"].(map[string]any)
	grader, _ := metadata["nbgrader"].(map[string]any)
	return grader
}

// GradeID is the name by which nbgrader knows a cell.
func GradeID(cell runner.Cell) string { return runner.Text(grader(cell)["grade_id"]) }

// IsSolution tells whether students write in a cell.
func IsSolution(cell runner.Cell) bool { return grader(cell)["solution"] == true }

// Points returns how many points a cell gives, and whether a person gives them.
func Points(cell runner.Cell) (points int, byHand bool) {
	g := grader(cell)
	if g["grade"] != true {
		return 0, false
	}
	x, _ := strconv.Atoi(fmt.Sprint(g["points"]))
	return x, g["solution"] == true
}

// Failing returns the names of the cells of a notebook that ended with an error.
func Failing(nb *runner.Notebook) (names []string) {
	for _, cell := range nb.CodeCells() {
		for _, o := range cell.Displays() {
			if o["output_type"] == "error" && !slices.Contains(names, GradeID(cell)) {
				names = append(names, GradeID(cell))
			}
		}
	}
	return names
}
