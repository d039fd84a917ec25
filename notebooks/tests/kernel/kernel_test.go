//go:build unix

package kernel

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
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

	"bayescpace/notebooks/internal/runner"
	"bayescpace/notebooks/internal/runnertest"
)

// Writing back what has not changed changes no byte; what has, it does. The pages that
// come besides need no network.
func TestRunWrite(t *testing.T) {
	t.Parallel()
	s := runnertest.Kernel(t, "testdata/passing")
	dir := runnertest.Folder(t, s)
	want, err := os.ReadFile(filepath.Join(s.Notebooks, "00_pass.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	// The others have the first cells alone.
	short := regexp.MustCompile(`(?s),\n  \{[^{}]*"id": "cell-04".*?\n \],`).ReplaceAll(want, []byte("\n ],"))
	for name, spoilt := range map[string][]byte{
		"00_value.ipynb":     bytes.Replace(short, []byte("1.4142135623730951"), []byte(`3`), 1),
		"01_unchanged.ipynb": want,
		"02_id.ipynb":        bytes.Replace(short, []byte(`"id": "cell-03",`), nil, 1), // an id is made where there is none
	} {
		if err := os.WriteFile(filepath.Join(dir, name), spoilt, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out := t.TempDir()
	code, said, stderr := runnertest.Call(t.Context(), "run", "all", "--write", "--dir", dir, "--out", out)
	if code != 0 || !strings.Contains(said, out) {
		t.Fatalf("status %d\n%s%s", code, said, stderr)
	}
	for path, got := range snapshot(t, dir) {
		if whole := filepath.Base(path) == "01_unchanged.ipynb"; whole && got != string(want) || !whole && got != string(short) {
			t.Errorf("%s is not what was committed", path)
		}
	}
	for name, written := range map[string]bool{"00_value": true, "01_unchanged": false, "02_id": true} {
		if line := regexp.MustCompile(`(?m)^ok    ` + name + ` .*$`).FindString(said); line == "" || strings.HasSuffix(line, "  written") != written {
			t.Errorf("%s: it says %q", name, line)
		}
		if _, err := runner.ReadNotebook(filepath.Join(out, name+".ipynb")); err != nil {
			t.Error(err)
		}
	}
	checkPage(t, filepath.Join(out, "01_unchanged.html"))
}

// checkPage looks at the page of the passing notebook.
func checkPage(t *testing.T, path string) {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`alt="A line rising to 19.4 at belief 0.5 &amp; falling &lt;again&gt;"`, "<math", "root of two: 1.4142135623730951"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page has no %s", want)
		}
	}
	for _, loads := range []string{"<script src", `src="http`, `href="http`, "@import", "url(http", `src=""`} {
		if bytes.Contains(page, []byte(loads)) {
			t.Errorf("the page has %s: it should need no network", loads)
		}
	}
}

// Every failure is told, the notebooks after a failing one are executed all the
// same, and none is written back.
func TestRunFailing(t *testing.T) {
	t.Parallel()
	s := runnertest.Kernel(t, "testdata/failing")
	before := snapshot(t, s.Notebooks)
	out := t.TempDir()
	said := ""
	for _, args := range [][]string{
		{"run", "--write", "--dir", s.Notebooks, "--out", out, "00", "01", "02"},
		{"run", "--write", "--dir", s.Notebooks, "--out", out, "--timeout", "2s", "03"}, // whose only cell has no end
	} {
		code, printed, stderr := runnertest.Call(t.Context(), args...)
		if code != 1 || stderr != "" || strings.Contains(printed, "\x1b[") {
			t.Errorf("status %d, stderr %q\n%s", code, stderr, printed)
		}
		said += printed
	}
	for name, says := range map[string][]string{
		"00_error":   {"FAIL  00_error", "00_error, cell 2: failed", "| fmt.Println(values[3])", "index out of range [3] with length 0"},
		"01_command": {"01_command, cell 1: a ! command failed", "| !ls /nowhere", "No such file or directory"},
		"02_compile": {"02_compile, cell 1: failed", "undefined: undefined"},
		"03_timeout": {"3 notebook(s) failed", "03_timeout, cell 1: ran out of time", "longer than 2 seconds", "1 notebook(s) failed"},
	} {
		for _, words := range says {
			if !strings.Contains(said, words) {
				t.Errorf("%s: does not say %q:\n%s", name, words, said)
			}
		}
		for _, ending := range []string{".ipynb", ".html"} {
			if _, err := os.Stat(filepath.Join(out, name+ending)); err != nil {
				t.Errorf("what the cells before gave is not written: %v", err)
			}
		}
	}
	if after := snapshot(t, s.Notebooks); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Error("a failed notebook was written back")
	}
}

// A file that is no notebook fails by itself, and the next one is executed.
func TestRunBroken(t *testing.T) {
	t.Parallel()
	s := runnertest.Kernel(t, "testdata/failing")
	dir := t.TempDir()
	whole, err := os.ReadFile(filepath.Join(s.Notebooks, "01_command.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"00_torn.ipynb": whole[:len(whole)/2], "01_outside.ipynb": whole} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	code, said, stderr := runnertest.Call(t.Context(), "run", "all", "--dir", dir, "--out", t.TempDir())
	if code != 1 || !strings.Contains(said, "00_torn: could not be executed: JSONDecodeError") || !strings.Contains(said, "FAIL  01_outside") {
		t.Errorf("status %d\n%s%s", code, said, stderr)
	}
}

// What differs from what is committed is told, by the kernel and without it.
func TestCompare(t *testing.T) {
	t.Parallel()
	s := runnertest.Kernel(t, "testdata/passing")
	if code, said, stderr := runnertest.Call(t.Context(), "run", "all", "--dir", s.Notebooks, "--out", t.TempDir()); code != 0 {
		t.Errorf("passing: status %d\n%s%s", code, said, stderr)
	}
	differing := filepath.Join(s.Root, "notebooks", "testdata", "differing")
	for _, args := range [][]string{{"run", "all", "--dir", differing, "--out", t.TempDir()}, {"check", "--dir", differing}} {
		code, said, _ := runnertest.Call(t.Context(), args...)
		if code != 1 || strings.Count(said, ", cell ") != 2 {
			t.Errorf("%s: status %d\n%s", args[0], code, said)
		}
		for _, words := range []string{"00_differs, cell 1: stdout differs", "- value 19.4", "+ value 19.5", "00_differs, cell 2: ", "1 displays are committed, 0 came", "run --write 00_differs"} {
			if !strings.Contains(said, words) {
				t.Errorf("%s does not say %q:\n%s", args[0], words, said)
			}
		}
	}
}

// A link to a notebook leads to its page where there is one, or will be, and elsewhere names the
// notebook: a reader of a page has no notebooks.
func TestLinksOfPages(t *testing.T) {
	t.Parallel()
	runnertest.Kernel(t, "testdata/passing")
	dir, out := t.TempDir(), t.TempDir()
	texts := map[string]string{
		"00_from":  "# From\n\nSee [the other](01_other.ipynb#A-place), [an earlier one](02_earlier.ipynb), [one without a page](03_none.ipynb), [03_none](03_none.ipynb) and [a game](live/tiger.html).",
		"01_other": "# Other\n\nBack to [the first](00_from.ipynb).", "02_earlier": "# Earlier", "03_none": "# None",
	}
	for name, text := range texts {
		source, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		notebook := fmt.Sprintf(`{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "markdown", "id": "a", "metadata": {}, "source": %s}]}`, source)
		if err := os.WriteFile(filepath.Join(dir, name+".ipynb"), []byte(notebook), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(out, "02_earlier.html"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if code, said, stderr := runnertest.Call(t.Context(), "run", "--dir", dir, "--out", out, "--gallery", "00", "01"); code != 0 || stderr != "" {
		t.Fatalf("status %d\n%s%s", code, said, stderr)
	}
	for _, name := range []string{"00_from.html", "01_other.html", "index.html"} {
		data, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		page := string(data)
		if strings.Contains(page, `.ipynb"`) || strings.Contains(page, ".ipynb#") || strings.Contains(page, `href="live/`) {
			t.Errorf("%s links to what a reader does not have:\n%s", name, page)
		}
		for _, link := range regexp.MustCompile(`href="([^"#:]+)`).FindAllStringSubmatch(page, -1) {
			if _, err := os.Stat(filepath.Join(out, link[1])); err != nil {
				t.Errorf("%s leads nowhere: %v", name, err)
			}
		}
		if name == "01_other.html" {
			for _, want := range []string{`<a rel="prev" href="00_from.html">`, `<a rel="contents" href="index.html">`, `<a rel="next" href="02_earlier.html">`} {
				if strings.Count(page, want) != 2 {
					t.Errorf("%s has not twice %s", name, want)
				}
			}
			continue
		}
		for _, want := range []string{`<a href="01_other.html#A-place">the other</a>`, `<a href="02_earlier.html">an earlier one</a>`, "one without a page (03_none), 03_none and a game (a page that <code>go run ./notebooks live</code> makes)"} {
			if !strings.Contains(page, want) {
				t.Errorf("%s does not say %q", name, want)
			}
		}
	}
}

// Without a name, the first notebook is executed, and how to go on is said.
func TestRunFirst(t *testing.T) {
	t.Parallel()
	s := runnertest.Kernel(t, "testdata/passing")
	out := t.TempDir()
	code, said, stderr := runnertest.Call(t.Context(), "run", "--dir", s.Notebooks, "--out", out)
	if code != 0 || stderr != "" {
		t.Fatalf("status %d\n%s%s", code, said, stderr)
	}
	page := filepath.Join(out, "00_pass.html")
	for _, words := range []string{"ok    00_pass", "the executed notebook is " + page, "go run ./notebooks lab", "go run ./notebooks run all"} {
		if !strings.Contains(said, words) {
			t.Errorf("it does not say %q:\n%s", words, said)
		}
	}
	if _, err := os.Stat(page); err != nil {
		t.Error(err)
	}
}

// Without a kernel, the same mistakes are told, and what needs one is refused.
func TestCheckFailing(t *testing.T) {
	t.Parallel()
	s := runnertest.Kernel(t, "testdata/failing")
	said := ""
	for _, args := range [][]string{
		{"check", "--dir", s.Notebooks, "00", "01", "02"},
		{"check", "--dir", s.Notebooks, "--timeout", "1s", "03"},
		{"check", "--dir", filepath.Join(s.Root, "notebooks", "testdata", "passing")},
	} {
		code, printed, stderr := runnertest.Call(t.Context(), args...)
		if code != 1 || stderr != "" {
			t.Errorf("%q: status %d, stderr %q\n%s", args, code, stderr, printed)
		}
		said += printed
	}
	for _, words := range []string{
		"00_error, cell 2: failed", "index out of range [3] with length 0",
		"01_command, cell 1: failed", `the line "!ls /nowhere/at/all" needs the kernel`,
		"02_compile, cell 1: failed", "cell 1, line 2: undefined: undefined", "3 notebook(s) failed",
		"03_timeout, cell 1: ran out of time", "longer than 1 seconds",
		"00_pass, cell 6: failed", "only the kernel shows",
	} {
		if !strings.Contains(said, words) {
			t.Errorf("it does not say %q:\n%s", words, said)
		}
	}
}

// What is compared or committed is computed anew; a plain run uses what is stored, and
// leaves the notebooks' folder as it is, though its outputs are others.
func TestFreshStore(t *testing.T) {
	s := runnertest.Kernel(t, "testdata/fresh")
	t.Setenv("BAYESCPACE_STORE", "")
	before := snapshot(t, s.Notebooks)
	if code, said, stderr := runnertest.Call(t.Context(), "check", "--dir", s.Notebooks); code != 0 {
		t.Errorf("check: status %d\n%s%s", code, said, stderr)
	}
	out := t.TempDir()
	if code, said, stderr := runnertest.Call(t.Context(), "run", "--dir", s.Notebooks, "--out", out); code != 0 || !strings.Contains(said, "ok    00_fresh") {
		t.Errorf("run: status %d\n%s%s", code, said, stderr)
	}
	if after := snapshot(t, s.Notebooks); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Error("check, or run without --write, changed the notebooks' folder")
	}
	nb, err := runner.ReadNotebook(filepath.Join(out, "00_fresh.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	if got := nb.CodeCells()[0].Stream("stdout"); got != "a store of its own: false\n" {
		t.Errorf("run printed %q", got)
	}
}

// Interrupting gives the cell's program time to save what it has, leaves no
// process and no file, and ends with status 130.
func TestInterrupt(t *testing.T) {
	s := runnertest.Kernel(t, "testdata/interrupt")
	before := snapshot(t, s.Notebooks)
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
	code, said, stderr := runnertest.Call(ctx, "run", "--dir", s.Notebooks, "--out", t.TempDir())
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
	if after := snapshot(t, s.Notebooks); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Error("the notebooks' folder was changed")
	}
}

// When this program dies without a word, its kernel ends as well.
func TestKilled(t *testing.T) {
	s := runnertest.Kernel(t, "testdata/interrupt")
	note := filepath.Join(t.TempDir(), "note")
	cmd := exec.Command(runnertest.Program(t, s), "run", "--dir", s.Notebooks, "--out", t.TempDir())
	cmd.Env = s.Env.With("BAYESCPACE_TEST_NOTE", note).With("TMPDIR", t.TempDir()).List()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	for begin := time.Now(); pid == 0 && time.Since(begin) < runnertest.Patience; time.Sleep(50 * time.Millisecond) {
		wrote, _ := os.ReadFile(note)
		fmt.Sscan(string(wrote), &pid)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if pid == 0 {
		t.Fatal("the cell never began")
	}
	for begin := time.Now(); time.Since(begin) < runnertest.Patience; time.Sleep(50 * time.Millisecond) {
		if syscall.Kill(pid, 0) != nil {
			return
		}
	}
	t.Errorf("the cell's process %d is still there", pid)
}

// The cells with the tag long are compiled with the others and keep their outputs, where a
// test asks for that.
func TestSkipLong(t *testing.T) {
	t.Parallel()
	cell := func(source, said string, tags ...string) map[string]any {
		return map[string]any{
			"cell_type": "code", "execution_count": 1, "metadata": map[string]any{"tags": append([]string{}, tags...)}, "source": source,
			"outputs": []any{map[string]any{"output_type": "stream", "name": "stdout", "text": said}},
		}
	}
	short := cell("%%\nfmt.Println(1 + 1)", "2\n")
	for _, test := range []struct {
		name string
		skip bool
		long map[string]any
		want string // part of the report, "" for none
	}{
		{"kept", true, cell("%%\nfmt.Println(19.4)", "another\n", "long"), ""},
		{"executed", false, cell("%%\nfmt.Println(19.4)", "another\n", "long"), "cell 2: "},
		{"not compiled", true, cell("%%\nfmt.Println(undeclared)", "another\n", "long"), "undefined: undeclared"},
		{"no tag", true, cell("%%\nfmt.Println(19.4)", "another\n"), "cell 2: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := runnertest.Kernel(t, "")
			s.Notebooks = t.TempDir()
			text, err := json.Marshal(map[string]any{"cells": []any{short, test.long}, "metadata": map[string]any{}, "nbformat": 4, "nbformat_minor": 5})
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(s.Notebooks, "00_long.ipynb"), text, 0o644); err != nil {
				t.Fatal(err)
			}
			err = s.ExecuteLinked(t.Context(), nil, runner.Options{Timeout: runner.DefaultTimeout, SkipLong: test.skip}, func(e runner.Executed, _ time.Duration) error {
				report, err := s.Check(e)
				if test.want == "" && report != "" || !strings.Contains(report, test.want) {
					t.Errorf("it reports %q, want %q", report, test.want)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// The packages outputsNN together compare every notebook.
func TestEveryNotebookIsCompared(t *testing.T) {
	files, err := filepath.Glob("../outputs*/outputs_test.go")
	if err != nil {
		t.Fatal(err)
	}
	next := "00"
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		ends := regexp.MustCompile(`Outputs\(t, "(\d\d)", "(\d\d)"\)`).FindSubmatch(text)
		if ends == nil || string(ends[1]) != next {
			t.Fatalf("%s compares the notebooks %q, want them from %s on", file, ends, next)
		}
		next = string(ends[2])
	}
	if next != "99" {
		t.Errorf("notebooks from %s on are compared by no package", next)
	}
}

var (
	imgTag     = regexp.MustCompile(`<img [^>]*>`)
	described  = regexp.MustCompile(`\salt="[^"]+"`)
	unrendered = regexp.MustCompile(`<code>\\[A-Za-z][^<]*</code>`)
)

// The pages of the notebooks as they are committed can be read by everybody: each picture has a
// description, and the export turns every formula into MathML.
func TestPagesAreForEverybody(t *testing.T) {
	t.Parallel()
	s := runnertest.Kernel(t, "")
	paths, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	var requests bytes.Buffer
	dir, pages := t.TempDir(), make(map[string]string)
	for _, path := range paths {
		pages[path] = filepath.Join(dir, runner.Title(path)+".html")
		nb, err := runner.ReadNotebook(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range nb.CodeCells() { // whose outputs have the pictures: to colour Go takes most of an export
			c["source"] = ""
		}
		shown := filepath.Join(dir, runner.Title(path)+".ipynb")
		if err := nb.Write(shown); err != nil {
			t.Fatal(err)
		}
		if err := json.NewEncoder(&requests).Encode(map[string]any{"export": shown, "to": pages[path], "pages": []string{}}); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(s.Private, "venv", "bin", "python"), filepath.Join(s.Private, "lib", "execute.py"))
	cmd.Env = s.Env.List()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write(requests.Bytes()); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewScanner(out)
	for _, path := range paths {
		if !answers.Scan() || answers.Text() != `{"event": "exported"}` {
			t.Fatalf("%s: %q, %v", path, answers.Text(), answers.Err())
		}
	}
	in.Close() // which ends what is under way
	cmd.Wait()
	pictures := 0
	for path, to := range pages {
		page, err := os.ReadFile(to)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range imgTag.FindAll(page, -1) {
			pictures++
			if !described.Match(m) {
				t.Errorf("%s: a picture has no description: %.80s", path, m)
			}
		}
		for _, m := range unrendered.FindAll(page, -1) {
			t.Errorf("%s: a formula is left as it was: %s", path, m)
		}
	}
	if pictures == 0 {
		t.Error("the pages have no picture")
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
