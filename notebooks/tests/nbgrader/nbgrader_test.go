//go:build unix

package nbgrader

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"bayescpace/notebooks/internal/runner"
	"bayescpace/notebooks/internal/runnertest"
)

// course is a copy of the course, outside of the clone.
type course struct {
	*runner.Session
	t    *testing.T
	said bytes.Buffer
	dir  string
}

// emptyCourse is a folder for a course.
func emptyCourse(t *testing.T) *course {
	t.Helper()
	s := runnertest.Kernel(t, "")
	dir := runnertest.Folder(t, s)
	c := &course{t: t, dir: filepath.Join(dir, "assignments")}
	where := s.Place
	where.Notebooks = dir
	c.Session = runner.NewSession(where, &c.said)
	return c
}

// newCourse is a course as it is committed, with nothing released.
func newCourse(t *testing.T) *course {
	t.Helper()
	c := emptyCourse(t)
	from := filepath.Join(c.Root, "notebooks", "assignments")
	if err := os.CopyFS(filepath.Join(c.dir, "source"), os.DirFS(filepath.Join(from, "source"))); err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile(filepath.Join(from, "nbgrader_config.py"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.dir, "nbgrader_config.py"), config, 0o644); err != nil {
		t.Fatal(err)
	}
	return c
}

// Run runs nbgrader in the course.
func (c *course) run(args ...string) {
	c.t.Helper()
	c.said.Reset()
	if err := c.Nbgrader(c.t.Context(), args); err != nil {
		c.t.Fatalf("nbgrader %s: %v\n%s", strings.Join(args, " "), err, &c.said)
	}
}

// Notebook reads a notebook of the course.
func (c *course) notebook(step, assignment string) *runner.Notebook {
	c.t.Helper()
	nb, err := runner.ReadNotebook(filepath.Join(c.dir, step, assignment, filepath.Base(assignment)+".ipynb"))
	if err != nil {
		c.t.Fatal(err)
	}
	return nb
}

// submit hands a notebook in, with other sources in the cells of these names.
func (c *course) submit(student, assignment string, nb *runner.Notebook, changes map[string]string) {
	c.t.Helper()
	changed := 0
	for _, cell := range nb.CodeCells() {
		if source, ok := changes[gradeID(cell)]; ok {
			cell["source"] = source
			changed++
		}
	}
	if changed != len(changes) {
		c.t.Fatalf("%s: %d cells changed, want %d", assignment, changed, len(changes))
	}
	if err := nb.Write(filepath.Join(c.dir, "submitted", student, assignment, assignment+".ipynb")); err != nil {
		c.t.Fatal(err)
	}
}

// scores returns the score and the highest possible one by assignment and student.
func (c *course) scores() map[string][2]float64 {
	c.t.Helper()
	c.run("export", "--to", "grades.csv")
	f, err := os.Open(filepath.Join(c.dir, "grades.csv"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer f.Close()
	scores := make(map[string][2]float64)
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
		scores[row[column["assignment"]]+" "+row[column["student_id"]]] = [2]float64{score, most}
	}
}

// gradeID is the name by which nbgrader knows a cell.
func gradeID(cell runner.Cell) string {
	metadata, _ := cell["metadata"].(map[string]any)
	grader, _ := metadata["nbgrader"].(map[string]any)
	return runner.Text(grader["grade_id"])
}

// failing returns the names of the cells of a notebook that ended with an error.
func failing(nb *runner.Notebook) (names []string) {
	for _, cell := range nb.CodeCells() {
		for _, o := range cell.Displays() {
			if o["output_type"] == "error" && !slices.Contains(names, gradeID(cell)) {
				names = append(names, gradeID(cell))
			}
		}
	}
	return names
}

// mistakes are what a student hands in.
type mistakes struct {
	points   float64
	released bool              // is of the release, not of the source
	changes  map[string]string // cells by their names
	fail     []string          // the tests that then fail, or any cells of the teacher's, of a source
}

// tries are what students hand in of each assignment, and the teacher, whose source
// gets all points.
var tries = map[string]map[string]mistakes{
	"beliefs": {
		"teacher":   {6, false, nil, nil},
		"untouched": {0, true, nil, nil},
		// Products of many small numbers become 0/0; and a function does not compile.
		"wrong": {4, false, map[string]string{
			"growls": "func afterGrowls(accuracy float64, left, right int) float64 {\n\tl, r := 1.0, 1.0\n\tfor range left {\n\t\tl, r = l*accuracy, r*(1-accuracy)\n\t}\n\tfor range right {\n\t\tl, r = l*(1-accuracy), r*accuracy\n\t}\n\treturn l / (l + r)\n}",
			"lead":   "func leadNeeded(accuracy, threshold float64) int {\n\treturn afterGrowls(accuracy\n}",
		}, []string{"test-many-growls", "test-lead"}},
		// What the visible tests ask for and no more, on which another exercise stands;
		// and a function without end. A loop that computes would take a processor from
		// the tests beside this one.
		"guessed": {2, false, map[string]string{
			"posterior": "func posterior(b bcpace.Belief, likelihood []float64) bcpace.Belief {\n\tif b[0] == 1 {\n\t\treturn nil\n\t}\n\tif b[0] == 0.5 {\n\t\treturn bcpace.Belief{0.85, 0.15}\n\t}\n\treturn bcpace.Belief{0.5, 0.5}\n}",
			"lead":      "func leadNeeded(accuracy, threshold float64) int {\n\tfor {\n\t\ttime.Sleep(time.Hour)\n\t}\n}",
		}, []string{"test-posterior", "test-posterior-care", "test-lead", "test-expected"}},
	},
	"optimism": {"teacher": {6, false, nil, nil}, "untouched": {0, true, nil, nil}},
	// Untouched but for a test that is changed, which is put back, and of which the
	// teacher is told.
	"covering": {"teacher": {5, false, nil, nil}, "tampered": {0, true, map[string]string{"test-grid": "%test\n\nfunc TestGrid(t *testing.T) {}"}, nil}},
}

// The released notebooks are made of the sources, the sources pass their own
// tests, what is released passes none, and mistakes cost what they should.
func TestAssignments(t *testing.T) {
	c := newCourse(t)
	sources, err := os.ReadDir(filepath.Join(c.dir, "source"))
	if err != nil || len(sources) != len(tries) {
		t.Fatalf("%d assignments, %v; want %d", len(sources), err, len(tries))
	}
	c.run("generate_assignment", "*")
	for assignment := range tries {
		got, _ := c.notebook("release", assignment).Bytes()
		committed, err := runner.ReadNotebook(filepath.Join(c.Root, "notebooks", "assignments", "release", assignment, assignment+".ipynb"))
		if err != nil {
			t.Fatal(err)
		}
		if released, _ := committed.Bytes(); !bytes.Equal(got, released) {
			t.Errorf("the release is not made of the source; go run ./notebooks nbgrader generate_assignment %s --force", assignment)
		}
	}
	// Both parts grade in a copy of the course as it was handed out, side by side.
	for part, students := range map[string][]string{"as they are": {"teacher", "untouched"}, "changed": {"wrong", "guessed", "tampered"}} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			own := emptyCourse(t)
			if err := os.CopyFS(own.dir, os.DirFS(c.dir)); err != nil {
				t.Fatal(err)
			}
			grade(t, own, students)
		})
	}
}

// grade hands in what these students have of each assignment, and grades it.
func grade(t *testing.T, c *course, students []string) {
	want := make(map[string][2]float64)
	tampered := false
	for assignment, tried := range tries {
		for _, student := range students {
			try, ok := tried[student]
			if !ok {
				continue
			}
			step := "source"
			if try.released {
				step = "release"
			}
			c.submit(student, assignment, c.notebook(step, assignment), try.changes)
			want[assignment+" "+student] = [2]float64{try.points, tried["teacher"].points}
			tampered = tampered || student == "tampered"
		}
	}
	c.run("autograde", "*", "--create", "--Execute.timeout=40") // for the one without end; any other cell takes a second or two, more on a busy machine
	warned := regexp.MustCompile(`(?m)^.*has changed!.*$`).FindAllString(c.said.String(), -1)
	if len(warned) > 0 != tampered || slices.ContainsFunc(warned, func(line string) bool { return !strings.Contains(line, "test-grid") }) {
		t.Errorf("the warnings of changed tests are %q; want one of test-grid where that was changed, and no other", warned)
	}
	for who := range want {
		assignment, student, _ := strings.Cut(who, " ")
		try := tries[assignment][student]
		if try.released {
			continue
		}
		graded := c.notebook(filepath.Join("autograded", student), assignment)
		var failed []string
		for i, cell := range graded.CodeCells() {
			if said := cell.Stream("stderr"); said != "" && student == "teacher" {
				t.Errorf("%s: cell %d writes to standard error, which costs its points: %s", assignment, i+1, said)
			}
		}
		for _, name := range failing(graded) {
			if student == "teacher" || strings.HasPrefix(name, "test-") {
				failed = append(failed, name)
			}
		}
		if !slices.Equal(failed, try.fail) {
			t.Errorf("%s: of %s the cells %q fail, want %q", assignment, student, failed, try.fail)
		}
	}
	scores := c.scores()
	for who, points := range want {
		if scores[who] != points {
			t.Errorf("%s: %v of %v points, want %v of %v", who, scores[who][0], scores[who][1], points[0], points[1])
		}
	}
	if _, ok := want["beliefs wrong"]; ok {
		feedback(t, c)
	}
}

// feedback tests what a student is told.
func feedback(t *testing.T, c *course) {
	c.run("generate_feedback", "beliefs", "--student", "wrong")
	told, err := os.ReadFile(filepath.Join(c.dir, "feedback", "wrong", "beliefs", "beliefs.html"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(told, []byte("give NaN, want 0.5: products of 400 small numbers become 0")) {
		t.Error("the feedback does not say what to look at")
	}
	for _, want := range []string{`<a href="#test-many-growls">many growls</a> (Score: 0.0 / 1.0)`, `display="block"`} {
		if !bytes.Contains(told, []byte(want)) {
			t.Errorf("the feedback has no %q", want)
		}
	}
	for _, bad := range []string{"Test cell", "https://cdnjs", "$$"} {
		if bytes.Contains(told, []byte(bad)) {
			t.Errorf("the feedback has %q", bad)
		}
	}
}

// JupyterLab has the panel in which a teacher grades, and that knows the course.
func TestFormgrader(t *testing.T) {
	t.Parallel()
	c := newCourse(t)
	c.Env["JUPYTER_TOKEN"] = "test"
	port := runnertest.FreePort(t)
	ended := make(chan error, 1)
	go func() { ended <- c.Formgrader(t.Context(), runner.Options{NoBrowser: true, Port: port}) }()
	// ask asks the server until it answers.
	ask := func(method, path string) string {
		request, err := http.NewRequestWithContext(t.Context(), method, fmt.Sprintf("http://127.0.0.1:%d/%s", port, path), nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "token test")
		for begin := time.Now(); time.Since(begin) < runnertest.Patience; time.Sleep(200 * time.Millisecond) {
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				select {
				case err := <-ended:
					t.Fatalf("JupyterLab ended: %v", err)
				default:
					continue
				}
			}
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			if err != nil || response.StatusCode >= 300 {
				t.Errorf("%s: %s, %v\n%s", path, response.Status, err, body)
			}
			return string(body)
		}
		t.Fatal("JupyterLab did not answer")
		return ""
	}
	if got := ask("GET", "formgrader/api/assignments"); !strings.Contains(got, `"source_path": "source/beliefs"`) {
		t.Errorf("the formgrader knows of %s; want the assignment beliefs", got)
	}
	if got := ask("POST", "formgrader/api/assignment/beliefs/assign"); !strings.Contains(got, `"success": true`) {
		t.Errorf("making the release: %s", got)
	}
	ask("POST", "api/shutdown")
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if made := runner.Text(c.notebook("release", "beliefs").CodeCells()[1]["source"]); !strings.Contains(made, "nothing is written here yet") {
		t.Errorf("the release has not what the course's configuration puts in place of a solution:\n%s", made)
	}
}
