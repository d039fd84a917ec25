//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// kernel returns a session with a kernel that is set up, on the notebooks in dir.
func kernel(t *testing.T, dir string) *session {
	t.Helper()
	if testing.Short() {
		t.Skip("needs the kernel, which -short leaves out; CI runs these without -short")
	}
	where, err := findPlace(".")
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	if err := newSession(where, &said).setup(t.Context(), profileRun); err != nil {
		t.Fatalf("setting up: %v\n%s", err, &said)
	}
	where.notebooks = filepath.Join(where.root, "notebooks", dir)
	return newSession(where, os.Stderr)
}

// TestNotebooks executes every notebook in the real kernel and compares its
// outputs with the committed ones.
func TestNotebooks(t *testing.T) {
	t.Parallel() // beside TestAssignments
	s := kernel(t, "")
	paths, err := s.list()
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Fatal("there are no notebooks, want those of the README")
	}
	reports := make(map[string]string)
	out := t.TempDir()
	ctx := t.Context()
	if deadline, ok := t.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-30*time.Second))
		defer cancel()
	}
	err = s.executeAll(ctx, nil, options{timeout: defaultTimeout, fresh: true}, func(d *driver, e executed, took time.Duration) error {
		t.Logf("%s: %s", title(e.path), seconds(took))
		report, err := s.check(e)
		if reports[e.path] = report; err != nil || e.nb == nil {
			return err
		}
		to := filepath.Join(out, title(e.path))
		if err := e.nb.write(to + ".ipynb"); err != nil {
			return err
		}
		if err := d.export(ctx, to+".ipynb", to+".html"); err != nil {
			return err
		}
		checkPage(t, to+".html")
		return nil
	})
	if ctx.Err() != nil {
		t.Fatalf("%d of %d notebooks were executed before the tests ran out of time: go test -timeout 40m ./...", len(reports), len(paths))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		t.Run(title(path), func(t *testing.T) {
			if report, ok := reports[path]; !ok {
				t.Error("was not executed")
			} else if report != "" {
				t.Error("\n" + report)
			}
		})
	}
}

var (
	imgTag     = regexp.MustCompile(`<img [^>]*>`)
	described  = regexp.MustCompile(`\salt="[^"]+"`)
	unrendered = regexp.MustCompile(`<code>\\[A-Za-z][^<]*</code>`)
)

// checkPage tells of pictures without a description and of formulas that the
// export could not turn into MathML.
func checkPage(t *testing.T, path string) {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range imgTag.FindAll(page, -1) {
		if !described.Match(m) {
			t.Errorf("%s: a picture has no description: %.80s", title(path), m)
		}
	}
	for _, m := range unrendered.FindAll(page, -1) {
		t.Errorf("%s: a formula is left as it was: %s", title(path), m)
	}
}

// snapshot is the contents of all files in a folder and below.
func snapshot(t *testing.T, dir string) map[string]string {
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

func TestRunPassing(t *testing.T) {
	s := kernel(t, "testdata/passing")
	before := snapshot(t, s.notebooks)
	out := t.TempDir()
	code, said, stderr := call(t.Context(), "run", "--dir", s.notebooks, "--out", out)
	if code != 0 || !strings.Contains(said, "ok    00_pass") || !strings.Contains(said, out) {
		t.Fatalf("status %d\n%s%s", code, said, stderr)
	}
	if after := snapshot(t, s.notebooks); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Error("run without --write changed the notebooks' folder")
	}
	page, err := os.ReadFile(filepath.Join(out, "00_pass.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`alt="A line rising to 19.4 at belief 0.5 &amp; falling &lt;again&gt;"`, "<math", "root of two: 1.4142135623730951"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page has no %s", want)
		}
	}
	for _, loads := range []string{"<script", `src="http`, `href="http`, "@import", "url(http", `src=""`} {
		if bytes.Contains(page, []byte(loads)) {
			t.Errorf("the page has %s: it should need no network", loads)
		}
	}
	if _, err := readNotebook(filepath.Join(out, "00_pass.ipynb")); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(s.notebooks, "go.*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Writing back what has not changed changes no byte; what has, it does.
func TestRunWrite(t *testing.T) {
	s := kernel(t, "testdata/passing")
	// The first cell finds the module above the notebook, so the copy must lie in it.
	dir, err := os.MkdirTemp(filepath.Join(s.root, "notebooks", "testdata"), "write-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	want, err := os.ReadFile(filepath.Join(s.notebooks, "00_pass.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "00_pass.ipynb")
	for _, stale := range []string{"1.4142135623730951", "", `"cell-03"`} {
		spoilt := want
		if stale != "" {
			spoilt = bytes.Replace(want, []byte(stale), []byte(`3`), 1)
		}
		if stale == `"cell-03"` {
			spoilt = bytes.Replace(want, []byte(`"id": "cell-03",`), nil, 1) // an id is made where there is none
		}
		if err := os.WriteFile(path, spoilt, 0o644); err != nil {
			t.Fatal(err)
		}
		if code, said, stderr := call(t.Context(), "run", "--write", "--dir", dir, "--out", t.TempDir()); code != 0 {
			t.Fatalf("status %d\n%s%s", code, said, stderr)
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("after spoiling %q: the file is not what was committed (%v)", stale, err)
		}
	}
}

func TestRunFailing(t *testing.T) {
	s := kernel(t, "testdata/failing")
	before := snapshot(t, s.notebooks)
	for _, c := range []struct {
		name string
		says []string
		not  string
	}{
		{"00_error", []string{"FAIL  00_error", "00_error, cell 3: failed", "| fmt.Println(values[3])", "index out of range [3] with length 0"}, "\x1b["},
		{"01_command", []string{"01_command, cell 2: a ! command failed", "| !ls /nowhere", "No such file or directory"}, "\x1b["},
		{"02_compile", []string{"02_compile, cell 2: failed", "undefined: undefined"}, "\x1b["},
		{"03_timeout", []string{"03_timeout, cell 2: ran out of time", "longer than 2 seconds"}, "\x1b["},
	} {
		out := t.TempDir()
		code, said, stderr := call(t.Context(), "run", "--timeout", "2s", "--write", "--dir", s.notebooks, "--out", out, c.name)
		if code != 1 || stderr != "" || strings.Contains(said, c.not) {
			t.Errorf("%s: status %d, stderr %q\n%s", c.name, code, stderr, said)
		}
		for _, words := range c.says {
			if !strings.Contains(said, words) {
				t.Errorf("%s: does not say %q:\n%s", c.name, words, said)
			}
		}
		for _, ending := range []string{".ipynb", ".html"} {
			if _, err := os.Stat(filepath.Join(out, c.name+ending)); err != nil {
				t.Errorf("what the cells before gave is not written: %v", err)
			}
		}
	}
	if after := snapshot(t, s.notebooks); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Error("a failed notebook was written back")
	}
}

// The notebooks after a failing one are executed all the same.
func TestRunGoesOn(t *testing.T) {
	s := kernel(t, "testdata/failing")
	code, said, _ := call(t.Context(), "run", "--dir", s.notebooks, "--out", t.TempDir(), "00", "01")
	if code != 1 || !strings.Contains(said, "00_error, cell 3") || !strings.Contains(said, "01_command, cell 2") || !strings.Contains(said, "2 notebook(s) failed") {
		t.Errorf("status %d\n%s", code, said)
	}
}

// A file that is no notebook fails by itself, and the next one is executed.
func TestRunBroken(t *testing.T) {
	s := kernel(t, "testdata/failing")
	dir := t.TempDir()
	whole, err := os.ReadFile(filepath.Join(s.notebooks, "01_command.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"00_torn.ipynb": whole[:len(whole)/2], "01_outside.ipynb": whole} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	code, said, stderr := call(t.Context(), "run", "--dir", dir, "--out", t.TempDir())
	if code != 1 || !strings.Contains(said, "00_torn: could not be executed: JSONDecodeError") || !strings.Contains(said, "FAIL  01_outside") {
		t.Errorf("status %d\n%s%s", code, said, stderr)
	}
}

func TestCheck(t *testing.T) {
	s := kernel(t, "testdata/passing")
	if code, said, stderr := call(t.Context(), "check", "--dir", s.notebooks); code != 0 {
		t.Errorf("passing: status %d\n%s%s", code, said, stderr)
	}
	code, said, _ := call(t.Context(), "check", "--dir", filepath.Join(s.root, "notebooks", "testdata", "differing"))
	if code != 1 || strings.Count(said, ", cell ") != 2 {
		t.Errorf("differing: status %d\n%s", code, said)
	}
	for _, words := range []string{"00_differs, cell 2: stdout differs", "- value 19.4", "+ value 19.5", "00_differs, cell 3: ", "1 displays are committed, 0 came", "run --write 00_differs"} {
		if !strings.Contains(said, words) {
			t.Errorf("does not say %q:\n%s", words, said)
		}
	}
}

// What is compared or committed is computed anew; a plain run uses what is stored.
func TestFreshStore(t *testing.T) {
	s := kernel(t, "testdata/fresh")
	t.Setenv("BAYESCPACE_STORE", "")
	if code, said, stderr := call(t.Context(), "check", "--dir", s.notebooks); code != 0 {
		t.Errorf("check: status %d\n%s%s", code, said, stderr)
	}
	out := t.TempDir()
	if code, said, stderr := call(t.Context(), "run", "--dir", s.notebooks, "--out", out); code != 0 {
		t.Errorf("run: status %d\n%s%s", code, said, stderr)
	}
	nb, err := readNotebook(filepath.Join(out, "00_fresh.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	if got := nb.codeCells()[1].stream("stdout"); got != "a store of its own: false\n" {
		t.Errorf("run printed %q", got)
	}
}

// Interrupting gives the cell's program time to save what it has, leaves no
// process and no file, and ends with status 130.
func TestInterrupt(t *testing.T) {
	s := kernel(t, "testdata/interrupt")
	before := snapshot(t, s.notebooks)
	note := filepath.Join(t.TempDir(), "note")
	t.Setenv("BAYESCPACE_TEST_NOTE", note)
	t.Setenv("TMPDIR", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if pid, err := os.ReadFile(note); err == nil && len(pid) > 0 {
				cancel()
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	time.AfterFunc(time.Minute, cancel)
	code, said, stderr := call(ctx, "run", "--dir", s.notebooks, "--out", t.TempDir())
	if code != 130 || !strings.Contains(stderr, "interrupted") {
		t.Errorf("status %d\n%s%s", code, said, stderr)
	}
	wrote, err := os.ReadFile(note)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(wrote))
	if len(lines) != 2 || lines[1] != "saved" {
		t.Errorf("the cell's program wrote %q; want its number and that it saved", wrote)
	}
	if pid, err := strconv.Atoi(lines[0]); err != nil || syscall.Kill(pid, 0) == nil {
		t.Errorf("process %s is still there", lines[0])
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("left in the temporary folder: %v", left)
	}
	if after := snapshot(t, s.notebooks); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Error("the notebooks' folder was changed")
	}
}

// When this program dies without a word, its kernel ends as well.
func TestKilled(t *testing.T) {
	s := kernel(t, "testdata/interrupt")
	note := filepath.Join(t.TempDir(), "note")
	program := filepath.Join(t.TempDir(), "notebooks")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(program, "run", "--dir", s.notebooks, "--out", t.TempDir())
	cmd.Env = s.env.with("BAYESCPACE_TEST_NOTE", note).with("TMPDIR", t.TempDir()).list()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	for range 600 {
		wrote, _ := os.ReadFile(note)
		if _, err := fmt.Sscan(string(wrote), &pid); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if pid == 0 {
		t.Fatal("the cell never began")
	}
	for range 150 {
		if syscall.Kill(pid, 0) != nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("the cell's process %d is still there", pid)
}
