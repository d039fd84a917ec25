//go:build unix

package cmd

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
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
	rows := func(engine string) [][]string {
		t.Helper()
		out := filepath.Join(dir, engine+".csv")
		sum := decode[sweepSummary](t, own("sweep", "run", file, "--engine", engine, "--workers", "2", "--folder", filepath.Join(dir, engine), "--out", out, "--json"))
		if want := (counts{Trials: 3, Done: 3}); sum.counts != want {
			t.Errorf("sweep run says %+v", sum)
		}
		return reproducible(t, out)
	}
	want := rows(localEngine)
	if got := rows(embeddedEngine); !reflect.DeepEqual(got, want) {
		t.Errorf("the rows are\n%q\nwant\n%q", got, want)
	}

	// A coordinator that waits for workers: one of another program, which does not have the
	// model, and one of its own.
	folder, out := filepath.Join(dir, "joined"), filepath.Join(dir, "joined.csv")
	coordinator := exec.Command(program, "sweep", "run", file, "--engine", "embedded", "--workers", "0", "--folder", folder, "--out", out)
	stderr, err := coordinator.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := coordinator.Start(); err != nil {
		t.Fatal(err)
	}
	defer coordinator.Process.Kill()
	expect(t, bufio.NewReader(stderr), "bcpace: workers join with bcpace sweep worker --connect "+filepath.Join(folder, connectJSON))
	standard := filepath.Join(dir, "bcpace")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-w", "-o", standard, "./bcpace").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	for other, want := range map[string]string{
		standard:   "this program has no environment coin: build it from the program that runs the sweep",
		os.Args[0]: "start the same program on both sides", // a test does not know its release of gonum
	} {
		cmd := exec.Command(other, line("sweep worker --connect "+folder)...)
		cmd.Env = append(os.Environ(), asProgram+"="+plain)
		said, err := cmd.CombinedOutput()
		text := strings.TrimPrefix(string(said), "ready\n")
		if err == nil || cmd.ProcessState.ExitCode() != exitError || strings.Count(text, "\n") != 1 || !strings.Contains(text, want) {
			t.Errorf("a worker of another program ends with %v and says %q, want %q", err, text, want)
		}
	}
	worker := exec.Command(program, "sweep", "worker", "--connect", folder, "--workers", "1")
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	defer worker.Process.Kill()
	if err := coordinator.Wait(); err != nil {
		t.Errorf("the coordinator ends with %v", err)
	}
	send(t, worker, os.Interrupt)
	if err := worker.Wait(); err != nil {
		t.Errorf("the worker ends with %v", err)
	}
	if got := reproducible(t, out); !reflect.DeepEqual(got, want) {
		t.Errorf("the rows are\n%q\nwant\n%q", got, want)
	}
}
