package cmd

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace/frame"
	"bayescpace/bcpace/frame/parquet"
	"bayescpace/bcpace/runs"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// wantExported is the contract of export --json, written down a second time.
type wantExported struct {
	Model    string `json:"model"`
	Samples  int    `json:"samples"`
	Episodes int    `json:"episodes"`
}

// TestExport reads the tables of runs back, and compares them with the runs to the
// bit.
func TestExport(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ name, args string }{
		{"tiger", "solve --env tiger --set discount=0.8 --algorithm bayes-cpace --max-episodes 30 --seed 1"},
		{"room", "solve " + smallRoom + " --algorithm bayes-cpace --max-episodes 10"},
		{"certified", "solve --env chain --algorithm certified --epsilon 2"},
	} {
		run := filepath.Join(dir, c.name+".bcp")
		succeed(t, line(c.args+" --out "+run)...)
		r := readRun(t, run)
		for _, ext := range []string{".csv", ".parquet", ".PARQUET"} {
			samples, trace := filepath.Join(dir, "samples"+ext), filepath.Join(dir, "trace"+ext)
			e := decode[wantExported](t, succeed(t, "export", "--run", run, "--samples", samples, "--trace", trace, "--json"))
			if e.Model != r.Spec.Name || e.Samples != r.Samples.Len() || e.Episodes != len(r.Trace) {
				t.Errorf("got %+v", e)
			}
			if ext == ".csv" {
				sameTable(t, samples, frame.Samples(r))
				sameTable(t, trace, frame.Trace(r))
				checkColumns(t, samples, r)
				checkTrace(t, trace, r)
			} else { // package parquet reads them back
				sameParquet(t, samples, frame.Samples(r))
				sameParquet(t, trace, frame.Trace(r))
			}
		}
	}
}

// checkColumns compares columns with the run itself, not by way of a frame.
func checkColumns(t *testing.T, file string, r *runs.Run) {
	t.Helper()
	got := readTable(t, file)
	q, reward := got.Col("Q").Float(), got.Col("reward").Float()
	for i := range r.Samples.Len() {
		x := r.Samples.At(i)
		if math.Float64bits(q[i]) != math.Float64bits(x.Q) || math.Float64bits(reward[i]) != math.Float64bits(x.Reward) || got.Col("action").Elem(i).String() != r.Spec.Actions[x.Action].Name {
			t.Fatalf("%s: row %d is not sample %+v", file, i, x)
		}
	}
}

// checkTrace compares the values and gaps of a trace with the run itself.
func checkTrace(t *testing.T, file string, r *runs.Run) {
	t.Helper()
	got := readTable(t, file)
	certified := r.Brackets()
	if slices.Contains(got.Names(), "gap") != certified {
		t.Fatalf("%s: columns %q of a run of %s", file, got.Names(), r.Solver.Name())
	}
	for i, e := range r.Trace {
		if v := got.Col("value").Elem(i).Float(); math.Float64bits(v) != math.Float64bits(e.Value) {
			t.Fatalf("%s: value %v in row %d, want %v", file, v, i, e.Value)
		}
		if certified && math.Float64bits(got.Col("gap").Elem(i).Float()) != math.Float64bits(e.Gap) {
			t.Fatalf("%s: gap %v in row %d, want %v", file, got.Col("gap").Elem(i), i, e.Gap)
		}
	}
}

func readTable(t *testing.T, file string) dataframe.DataFrame {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	df, err := frame.ReadCSV(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return df
}

// sameParquet compares a file with what package parquet makes of a frame.
func sameParquet(t *testing.T, file string, df dataframe.DataFrame) {
	t.Helper()
	var want bytes.Buffer
	if err := parquet.Write(&want, df); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s is not the Parquet file of its frame: %v", file, err)
	}
}

// sameTable compares a file with a frame: names, types and values.
func sameTable(t *testing.T, file string, want dataframe.DataFrame) {
	t.Helper()
	got := readTable(t, file)
	if g, w := got.Names(), want.Names(); strings.Join(g, "|") != strings.Join(w, "|") || got.Nrow() != want.Nrow() {
		t.Fatalf("%s: columns %q of %d rows, want %q of %d", file, g, got.Nrow(), w, want.Nrow())
	}
	for j, name := range want.Names() {
		if g, w := got.Types()[j], want.Types()[j]; g != w {
			t.Fatalf("%s: column %s is of type %v, want %v", file, name, g, w)
		}
		for i := range want.Nrow() {
			g, w := got.Elem(i, j), want.Elem(i, j)
			if same := g.String() == w.String(); want.Types()[j] == series.Float && math.Float64bits(g.Float()) != math.Float64bits(w.Float()) || want.Types()[j] != series.Float && !same {
				t.Fatalf("%s: column %s, row %d is %v, want %v", file, name, i, g, w)
			}
		}
	}
}

func TestExportErrors(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "tiger.bcp")
	succeed(t, line("solve --env tiger --set discount=0.8 --algorithm bayes-cpace --max-episodes 3 --out "+run)...)
	half := filepath.Join(dir, "half.bcp")
	data, err := os.ReadFile(run)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(half, data[:len(data)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"export --samples a.csv", exitUsage, "--run is missing"},
		{"export --run " + run, exitUsage, "--samples or --trace is missing"},
		{"export --samples a.csv --trace ./a.csv --run " + run, exitUsage, "the same file"},
		{"export --samples a.xlsx --run " + run, exitUsage, ".csv or .parquet"},
		{"export --samples " + run + " --run " + run, exitUsage, ".csv or .parquet"},
		{"export --samples " + dir + "/none/a.csv --run " + run, exitError, "none"},
		{"export --samples " + dir + "/a.csv --run " + half, exitError, "truncated or damaged"},
		{"export --samples " + dir + "/a.csv --run " + dir + "/no.bcp", exitError, "no.bcp"},
	} {
		if code, stdout, stderr := call(t, line(c.args)...); code != c.code || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("bcpace %s: exit code %d, stdout %q, stderr %q, want %q", c.args, code, stdout, stderr, c.want)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "a.*")); len(left) > 0 {
		t.Errorf("files left: %v", left)
	}
}

// TestExportInterrupted expects no table, and no part of one.
func TestExportInterrupted(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "tiger.bcp")
	succeed(t, line("solve --env tiger --max-episodes 3 --out "+file)...)
	for _, name := range []string{"s.csv", "s.parquet"} {
		var stdout, stderr bytes.Buffer
		code := run(endedAfter(0, context.Canceled), line("export --run "+file+" --samples "+filepath.Join(dir, name)), &stdout, &stderr)
		if code != exitInterrupted || stdout.Len() > 0 || stderr.String() != "bcpace: interrupted before "+filepath.Join(dir, name)+" was written\n" {
			t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout.String(), stderr.String())
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("files left: %v", left)
	}
}
