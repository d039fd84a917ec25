//go:build unix && long

package course

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"bayescpace/notebooks/internal/runner"
	"bayescpace/notebooks/internal/runnertest"
)

// TestMain lets more tests run side by side than there are processors: one of them waits
// half a minute for a function without end. A -parallel of the command line comes later.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	m.Run()
}

// newCourse is a course with the assignment sample alone.
func newCourse(t *testing.T) *Course {
	t.Helper()
	c := NewCourse(t)
	if err := os.CopyFS(filepath.Join(c.Dir, "source"), os.DirFS(filepath.Join("testdata", "source"))); err != nil {
		t.Fatal(err)
	}
	return c
}

// tried is what a student hands in of the sample.
type tried struct {
	points   float64           // of 4, of which a person gives 1
	released bool              // is of the release, not of the source
	changes  map[string]string // cells by their names
	fail     []string          // the tests that then fail
}

var students = map[string]tried{
	"teacher":   {3, false, nil, nil},
	"untouched": {0, true, nil, []string{"test-mean", "test-mean-of-none", "test-largest"}},
	// Right by another way.
	"other": {3, true, map[string]string{
		"mean":    "func mean(x []float64) (m float64) {\n\tfor i, v := range x {\n\t\tm += (v - m) / float64(i+1)\n\t}\n\treturn m\n}",
		"largest": "func largest(numbers []float64) int { return slices.Index(numbers, slices.Max(numbers)) }",
	}, nil},
	// 0/0, and a function that does not compile.
	"wrong": {1, false, map[string]string{
		"mean":    "func mean(x []float64) float64 {\n\tsum := 0.0\n\tfor _, v := range x {\n\t\tsum += v\n\t}\n\treturn sum / float64(len(x))\n}",
		"largest": "func largest(x []float64) int {\n\treturn slices.Max(x\n}",
	}, []string{"test-mean-of-none", "test-largest"}},
	// What a visible test asks for and no more; and without numbers, a function without end.
	// A loop that computes would take a processor from the tests beside this one.
	"guessed": {1, true, map[string]string{
		"mean":    "func mean(x []float64) float64 {\n\tfor len(x) == 0 {\n\t\ttime.Sleep(time.Hour)\n\t}\n\treturn 1.5\n}",
		"largest": "func largest(x []float64) int { return slices.Index(x, slices.Max(x)) }",
	}, []string{"test-mean", "test-mean-of-none"}},
	// A test that is changed, which is put back, and of which the teacher is told.
	"tampered": {0, true, map[string]string{"test-mean": "%test\n\nfunc TestMean(t *testing.T) {}"}, []string{"test-mean", "test-mean-of-none", "test-largest"}},
}

// The sources are sealed with a word and opened with it, what is released has no solution,
// and submissions get the points that they should.
func TestGrading(t *testing.T) {
	t.Parallel()
	c := newCourse(t)
	const word = "a word for this test alone"
	if err := os.MkdirAll(filepath.Join(c.Dir, "key"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := c.Seal(word); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(c.Dir, "source")); err != nil {
		t.Fatal(err)
	}
	if err := c.Session.Nbgrader(t.Context(), []string{"generate_assignment", "sample"}); err == nil || !strings.Contains(err.Error(), "go run ./notebooks key open") {
		t.Fatalf("without the sources it says %v", err)
	}
	if err := c.Open("another word than that one"); !errors.Is(err, runner.ErrWord) {
		t.Fatalf("opening with another word: %v", err)
	}
	if err := c.Open(word); err != nil {
		t.Fatal(err)
	}
	c.Nbgrader("generate_assignment", "sample")
	c.Nbgrader("release_assignment", "sample") // into the folder of the course's own place, and no other
	if _, err := os.Stat(filepath.Join(filepath.Dir(filepath.Dir(c.Dir)), ".bayescpace", "exchange", "bayescpace", "outbound", "sample")); err != nil {
		t.Errorf("the exchange is elsewhere: %v", err)
	}
	released, err := c.Notebook("release", "sample").Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"range x", "numbers may be negative", "next number"} {
		if bytes.Contains(released, []byte(secret)) {
			t.Errorf("the release has %q of the source", secret)
		}
	}
	for student, try := range students {
		step := "source"
		if try.released {
			step = "release"
		}
		c.Submit(student, "sample", c.Notebook(step, "sample"), try.changes)
	}
	// The one without end is ended after the 30 seconds that nbgrader_config.py says.
	c.Nbgrader("autograde", "sample", "--create")
	warned := regexp.MustCompile(`(?m)^.*has changed!.*$`).FindAllString(c.Said.String(), -1)
	if len(warned) == 0 || slices.ContainsFunc(warned, func(line string) bool { return !strings.Contains(line, "cell test-mean has changed!") }) {
		t.Errorf("the warnings of changed tests are %q; want one of test-mean and no other", warned)
	}
	scores := c.Scores()
	var endless []string
	for student, try := range students {
		if got, want := scores["sample "+student], (Grade{Got: try.points, Most: 4}); got != want {
			t.Errorf("%s: %v of %v points, want %v of %v", student, got.Got, got.Most, want.Got, want.Most)
		}
		graded := c.Notebook(filepath.Join("autograded", student), "sample")
		failed := slices.DeleteFunc(Failing(graded), func(id string) bool { return !strings.HasPrefix(id, "test-") })
		if !slices.Equal(failed, try.fail) {
			t.Errorf("of %s the tests %q fail, want %q", student, failed, try.fail)
		}
		for _, cell := range graded.CodeCells() {
			for _, o := range cell.Displays() {
				if o["ename"] == "CellTimeoutError" {
					endless = append(endless, student+" "+GradeID(cell))
				}
			}
		}
	}
	if want := []string{"guessed test-mean-of-none"}; !slices.Equal(endless, want) {
		t.Errorf("%q ran out of time, want %q", endless, want)
	}
	feedback(t, c)
}

// feedback tests what a student is told.
func feedback(t *testing.T, c *Course) {
	c.Nbgrader("generate_feedback", "sample", "--student", "wrong")
	told, err := os.ReadFile(filepath.Join(c.Dir, "feedback", "wrong", "sample", "sample.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"is NaN, want 0: look at the length before you divide by it", `<a href="#test-mean-of-none">mean of none</a> (Score: 0.0 / 1.0)`} {
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
	if got := ask("GET", "formgrader/api/assignments"); !strings.Contains(got, `"source_path": "source/sample"`) {
		t.Errorf("the formgrader knows of %s; want the assignment sample", got)
	}
	if got := ask("POST", "formgrader/api/assignment/sample/assign"); !strings.Contains(got, `"success": true`) {
		t.Errorf("making the release: %s", got)
	}
	ask("POST", "api/shutdown")
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if made := runner.Text(c.Notebook("release", "sample").CodeCells()[1]["source"]); !strings.Contains(made, "nothing is written here yet") {
		t.Errorf("the release has not what the course's configuration puts in place of a solution:\n%s", made)
	}
}
