//go:build unix

package front

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"bayescpace/notebooks/internal/runner"
	"bayescpace/notebooks/internal/runnertest"
)

// kernel is the name that Jupyter knows the kernel by.
const kernel = "bayescpace"

// drive runs drive.py in an empty folder outside of the clone, and returns the last
// line that it printed.
func drive(t *testing.T, s *runner.Session, result any, args ...string) {
	t.Helper()
	script, err := filepath.Abs("drive.py")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(s.Private, "venv", "bin", "python"), append([]string{script}, args...)...)
	tmp := t.TempDir()
	cmd.Dir = t.TempDir()
	cmd.Env = s.Env.With("TMPDIR", tmp).With("BAYESCPACE_STORE", t.TempDir()).List()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	if json.Unmarshal([]byte(lines[len(lines)-1]), result) != nil {
		t.Fatalf("%q: %v\n%s%s", args, err, &stdout, &stderr)
	}
	if stderr.Len() > 0 {
		t.Errorf("%q writes to the terminal:\n%s", args, &stderr)
	}
	for _, folder := range []string{cmd.Dir, tmp} {
		for begin := time.Now(); ; time.Sleep(20 * time.Millisecond) {
			left, err := os.ReadDir(folder)
			// A killed GoNB leaves the pipes of its cell, and a killed Jupyter the
			// connection file.
			left = slices.DeleteFunc(left, func(e os.DirEntry) bool { return !e.IsDir() })
			if err == nil && len(left) == 0 {
				break
			}
			if time.Since(begin) > runnertest.Patience {
				t.Errorf("%q leaves %v, %v", args, left, err)
				break
			}
		}
	}
}

// cell is what came of a cell.
type cell struct {
	Status, EValue, Text, Traceback string
	Displays                        []map[string]any // data by MIME type
}

// firstCell returns the cell that the README shows first, and what the README shows of its
// outputs: the text of the first display, and the picture of the second with its description.
func firstCell(t *testing.T, s *runner.Session) (source string, shown []map[string]any) {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join(s.Root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)\n## A first cell\n\n```go\n(.*?)\n```\n.*?\n```\n(.*?)\n```\n\n!\\[([^]]*)\\]\\(([^)]*)\\)\n").FindStringSubmatch(string(readme))
	if m == nil {
		t.Fatal("the README has no first cell with its output")
	}
	picture, err := os.ReadFile(filepath.Join(s.Root, filepath.FromSlash(m[4])))
	if err != nil {
		t.Fatal(err)
	}
	return m[1], []map[string]any{
		{"text/plain": m[2]},
		{"text/plain": m[3], "image/png": base64.StdEncoding.EncodeToString(picture)},
	}
}

// outputs makes a cell with displays, for a comparison.
func outputs(displays []map[string]any) runner.Cell {
	var all []any
	for _, data := range displays {
		all = append(all, map[string]any{"output_type": "display_data", "data": data})
	}
	return runner.Cell{"cell_type": "code", "outputs": all}
}

// The README's first cell runs as it stands in an empty folder, and shows what the README says;
// what is wrong with a cell is told for people, and ends what was sent with it.
func TestCells(t *testing.T) {
	t.Parallel()
	s := runnertest.Kernel(t, "testdata/passing")
	first, shown := firstCell(t, s)
	var cells, values []cell
	drive(t, s, &cells, "cells", kernel, first, "%%\nfmt.Println(tiger.Accuracy)\n\tfmt.Println(gone)", "%%\nfmt.Println(3)")
	cells[0].Displays = slices.DeleteFunc(cells[0].Displays, func(data map[string]any) bool {
		return strings.Contains(fmt.Sprint(data), "Compiling; the first cell") // shown where that takes long, and then cleared
	})
	if c := cells[0]; c.Status != "ok" || c.Text != "" {
		t.Errorf("the README's first cell: %+v", c)
	} else {
		for _, data := range c.Displays {
			delete(data, "text/html") // which the README cannot show
		}
		for _, what := range runner.CompareOutputs(outputs(shown), outputs(c.Displays)) {
			t.Errorf("the README's first cell shows something else than the README: %s", what)
		}
	}
	if c := cells[1]; c.Status != "error" || c.EValue != "line 3: undefined: gone\n    fmt.Println(gone)\n                ^\nNo cell that has been executed declares gone." || !strings.Contains(c.Traceback, "undefined: gone") {
		t.Errorf("a typo: %+v", c)
	}
	if c := cells[2]; c.Status != "aborted" || c.Text != "" {
		t.Errorf("the cell behind it: %+v", c)
	}
	told := [][2]string{
		// Each of these would end GoNB.
		{"%%\nfmt.Println(1)\n%%\nfmt.Println(2)", "line 3: a second line %%, %main or %exec; the first is line 1\n    %%\n    ^\nPut what is below it into a cell of its own."},
		{"%%\n% ", "line 2: a line of nothing but %\n    %\n    ^\nA command stands behind it, or one more %, below which statements stand."},
		{"%%script", "line 1: %%script without a program\n    %%script\n    ^\nName the program that the lines below are for, such as %%script bash."},
	}
	args := []string{"each", kernel}
	for _, c := range told {
		args = append(args, c[0])
	}
	drive(t, s, &cells, append(args, "import \"bayescpace/bcpace/nb\"\nvar lost = nb.Must(os.ReadFile(\"gone\"))")...)
	for i, c := range told {
		if got := cells[i].EValue; got != c[1] {
			t.Errorf("%s: it says\n%s", c[0], got)
		}
	}
	drive(t, s, &values, "cells", kernel, "import \"bayescpace/bcpace/nb\"\n\nvar half = 0.5\n%%\nhalf", "%%\nx := half\nx * 3", "%%\nhalf.gone")
	for i, want := range []string{"0.5", "1.5"} {
		if c := values[i]; c.Status != "ok" || len(c.Displays) != 1 || c.Displays[0]["text/plain"] != want {
			t.Errorf("a cell that ends with a value: %+v, want %s", c, want)
		}
	}
	if c := values[2]; c.EValue != "line 2: half.gone undefined (type float64 has no field or method gone)\n    half.gone\n         ^" {
		t.Errorf("a value that there is not: %+v", c)
	}
	last := cells[len(told)]
	if want := "error: open gone: no such file or directory\nEvery cell computes the variables"; !strings.HasPrefix(last.Text, want) {
		t.Errorf("a declaration that fails: %+v", last)
	}
}
