//go:build unix

package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// ownProgram builds the program of README.md beside this file in a module of its own beside the clone, once for all
// tests, and returns it.
func ownProgram(t *testing.T) string {
	t.Helper()
	clone, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(clone, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var source string
	for _, block := range regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(read("bcpace/cmd/README.md"), -1) {
		if strings.Contains(block[1], "cmd.Main()") {
			source = block[1]
		}
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": source, "go.mod": read("go.mod"), "go.sum": read("go.sum")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "own")
	for _, x := range []struct {
		workspace string
		args      []string
	}{
		{"off", []string{"mod", "edit", "-module", "example.org/own", "-require", "bayescpace@v0.0.0", "-replace", "bayescpace=" + clone}},
		{"off", []string{"list", "-mod=mod", "-deps"}}, // what README.md says of a module of one's own finds all packages
		{"off", []string{"mod", "edit", "-droprequire", "bayescpace", "-dropreplace", "bayescpace"}},
		// In a workspace, the packages that the tests have compiled need not be compiled again.
		{"", []string{"work", "init", ".", clone}},
		{"", []string{"build", "-mod=readonly", "-ldflags=-w", "-o", program}}, // -w leaves out what a debugger reads, and links faster
	} {
		cmd := exec.Command("go", x.args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOPROXY=off", "GOWORK="+x.workspace)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v: %s", x.args, err, out)
		}
	}
	return program
}

// TestOwnProgram expects the program of README.md to be the command, with its own model in every verb.
func TestOwnProgram(t *testing.T) {
	t.Parallel()
	program := ownProgram(t)
	own := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Dir = t.TempDir()
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil || stderr.Len() > 0 {
			t.Fatalf("%q: %v, stderr %q", args, err, stderr.String())
		}
		return string(out)
	}
	if got := own("envs"); !strings.Contains(got, "\ncoin\n") || !strings.Contains("\n"+got, "\ntiger (core)\n") {
		t.Errorf("envs says %s", got)
	}
	dir, file := sweepFile(t, `{"base": {"env": "coin", "algorithm": "certified", "eval": {"exact": true}}, "grid": [{"key": "set.bias", "values": [0.6, 0.7, 0.9]}]}`)
	saved := filepath.Join(dir, "run.bcp")
	solved := decode[result](t, own(line("solve --env coin --set bias=0.9 --json --out "+saved)...))
	if solved.Model != "coin" || solved.Certificate != "exact" {
		t.Errorf("solve says %+v", solved)
	}
	own(line("verify --run " + saved)...)
	own(line("eval --episodes 5 --horizon 5 --run " + saved)...)
	sum := decode[sweepSummary](t, own("sweep", "run", file, "--folder", filepath.Join(dir, "results"), "--json"))
	if want := (counts{Trials: 3, Done: 3}); sum.counts != want {
		t.Errorf("sweep run says %+v", sum)
	}
}
