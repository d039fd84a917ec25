//go:build unix && key

package course

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bayescpace/notebooks/internal/runner"
)

// opened is a course with what the teachers' file of the clone has.
func opened(t *testing.T) *Course {
	t.Helper()
	word, err := runner.Word()
	if err != nil {
		t.Fatalf("what is built with -tags key needs the teachers' word in its file (notebooks/assignments/README.md): %v", err)
	}
	c := NewCourse(t)
	file, err := os.ReadFile(filepath.Join(c.Root, "notebooks", "assignments", "teachers.sealed"))
	if err == nil {
		err = os.WriteFile(filepath.Join(c.Dir, "teachers.sealed"), file, 0o644)
	}
	if err == nil {
		err = c.Open(word)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// try is what a student hands in.
type try struct {
	points  float64           // from tests
	fail    []string          // the tests that fail
	changes map[string]string // cells by their names
}

// tries reads key/tries/ASSIGNMENT.txt. There "#@ STUDENT POINTS TEST…" begins what a
// student hands in, with the tests that fail, and "#@@ CELL" the text of a cell.
func tries(t *testing.T, c *Course, assignment string) map[string]try {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(c.Dir, "key", "tries", assignment+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]try)
	for _, part := range strings.Split("\n"+string(text), "\n#@ ")[1:] {
		cells := strings.Split(part, "\n#@@ ")
		head := strings.Fields(cells[0])
		points, err := strconv.ParseFloat(head[1], 64)
		if err != nil {
			t.Fatalf("%s: %v", assignment, err)
		}
		x := try{points, head[2:], make(map[string]string)}
		for _, cell := range cells[1:] {
			id, source, _ := strings.Cut(cell, "\n")
			x.changes[id] = strings.TrimSpace(source)
		}
		all[head[0]] = x
	}
	return all
}

// The released notebooks are made of the sources. The sources pass their own tests, and so
// does what is right by another way. Mistakes cost what they should, and a function without end
// costs no more than its own test.
func TestAssignments(t *testing.T) {
	c := opened(t)
	sources, err := os.ReadDir(filepath.Join(c.Dir, "source"))
	if err != nil {
		t.Fatal(err)
	}
	releases, err := os.ReadDir(filepath.Join(c.Root, "notebooks", "assignments", "release"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := names(sources), names(releases); !slices.Equal(got, want) {
		t.Fatalf("the sources are %q, want one for each release: %q", got, want)
	}
	c.Nbgrader("generate_assignment", "*")
	for _, a := range sources {
		got, _ := c.Notebook("release", a.Name()).Bytes()
		committed, err := os.ReadFile(filepath.Join(c.Root, "notebooks", "assignments", "release", a.Name(), a.Name()+".ipynb"))
		if err != nil || !bytes.Equal(got, committed) {
			t.Errorf("the release is not made of what is sealed (%v); go run ./notebooks nbgrader generate_assignment %s --force, or key seal", err, a.Name())
		}
	}
	for _, student := range []string{"teacher", "other", "wrong", "endless"} {
		t.Run(student, func(t *testing.T) {
			t.Parallel()
			grade(t, c.Clone(t), student, sources)
		})
	}
}

// names returns the names of folders.
func names(list []os.DirEntry) (all []string) {
	for _, d := range list {
		if d.IsDir() {
			all = append(all, d.Name())
		}
	}
	return all
}

// grade hands in what a student has of every assignment, and grades it.
func grade(t *testing.T, c *Course, student string, assignments []os.DirEntry) {
	want := make(map[string]try)
	for _, a := range assignments {
		name, step := a.Name(), "source"
		x, ok := tries(t, c, name)[student]
		if student == "other" {
			step = "release"
		}
		nb := c.Notebook(step, name)
		if student == "teacher" {
			ok = true
			for _, cell := range nb.Cells() {
				if points, byHand := Points(cell); !byHand {
					x.points += float64(points)
				}
			}
		}
		if !ok && student == "endless" {
			continue // a cell without end takes the whole time of a cell, so two assignments have one
		}
		if !ok {
			t.Fatalf("key/tries/%s.txt has no student %q", name, student)
		}
		c.Submit(student, name, nb, x.changes)
		want[name] = x
	}
	if len(want) < 2 {
		t.Fatalf("key/tries has %d assignments of the student %q, want two or more", len(want), student)
	}
	c.Nbgrader("autograde", "*", "--create")
	scores := c.Scores()
	for name, x := range want {
		if got := scores[name+" "+student].Got; got != x.points {
			t.Errorf("%s: %v points from tests, want %v", name, got, x.points)
		}
		graded := c.Notebook(filepath.Join("autograded", student), name)
		failed := slices.DeleteFunc(Failing(graded), func(id string) bool { return student != "teacher" && !strings.HasPrefix(id, "test-") })
		if !slices.Equal(failed, x.fail) {
			t.Errorf("%s: the cells %q fail, want %q", name, failed, x.fail)
		}
		for _, cell := range graded.CodeCells() {
			if said := cell.Stream("stderr"); said != "" && student == "teacher" {
				t.Errorf("%s: %s writes to standard error, which costs its points: %s", name, GradeID(cell), said)
			}
		}
	}
}

// The key answers every question of the notebooks, and has a rubric for every cell that a
// person grades.
func TestKey(t *testing.T) {
	c := opened(t)
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return "\n" + string(text)
	}
	answers := read(filepath.Join(c.Dir, "key", "answers.md"))
	list := read(filepath.Join(c.Root, "notebooks", "assignments", "questions.txt"))
	for _, line := range strings.Split(strings.TrimSpace(list), "\n") {
		f := strings.Fields(line)
		_, answer, ok := strings.Cut(answers, "\n## "+f[0]+" "+f[1]+"\n")
		if answer, _, _ = strings.Cut(answer, "\n## "); !ok || strings.TrimSpace(answer) == "" {
			t.Errorf("key/answers.md has no answer under ## %s %s", f[0], f[1])
		}
	}
	rubric := read(filepath.Join(c.Dir, "key", "rubric.md"))
	sources, err := os.ReadDir(filepath.Join(c.Dir, "source"))
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range sources {
		for _, cell := range c.Notebook("source", a.Name()).Cells() {
			points, byHand := Points(cell)
			if heading := fmt.Sprintf("\n## %s: %s (%d)\n", a.Name(), GradeID(cell), points); byHand && !strings.Contains(rubric, heading) {
				t.Errorf("key/rubric.md has no heading %q", heading)
			}
		}
	}
}

// The programs that computed the numbers of the answers go with the toolkit as it is. To run
// them takes minutes, and what they print is for a reader.
func TestProgramsOfTheKey(t *testing.T) {
	c := opened(t)
	// In a workspace with the clone, whose own folder may be open too, so under another path.
	for _, args := range [][]string{{"mod", "init", "bayescpace/notebooks/opened"}, {"work", "use", "."}, {"vet", "-tags", "key", "./key/..."}} {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir, cmd.Env = c.Dir, append(os.Environ(), "GOWORK=", "GOFLAGS=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}
