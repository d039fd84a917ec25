package cmd

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"bayescpace/bcpace/frame/parquet"
	"bayescpace/bcpace/sweep"
)

// neighbours is a sweep of eight quick trials.
const neighbours = `{"name": "neighbours",
 "base": {"env": "tiger", "set": {"discount": 0.5}, "algorithm": "bayes-cpace", "params": {"max-episodes": 10, "certificate-episodes": 20}, "eval": {"exact": true, "horizon": 10}},
 "grid": [{"key": "params.k", "values": [1, 5]}, {"key": "set.accuracy", "values": [0.7, 0.85]}],
 "seeds": 2}`

// sweepFile writes a sweep to a file of a new folder, which is returned too.
func sweepFile(t testing.TB, text string) (dir, file string) {
	t.Helper()
	dir = t.TempDir()
	file = filepath.Join(dir, "sweep.json")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir, file
}

// reproducible returns the rows of a CSV without the columns that measure the computation.
func reproducible(t testing.TB, name string) [][]string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, measured := range []string{"seconds", "memory", "worker", "tries"} {
		j := slices.Index(rows[0], measured)
		if j < 0 {
			t.Fatalf("no column %s in %q", measured, rows[0])
		}
		for i := range rows {
			rows[i] = slices.Delete(rows[i], j, j+1)
		}
	}
	return rows
}

// sweepRows runs a sweep in this process and returns its rows.
func sweepRows(t *testing.T, file string) [][]string {
	t.Helper()
	dir := t.TempDir()
	out := filepath.Join(dir, "rows.csv")
	succeed(t, "sweep", "run", file, "--folder", filepath.Join(dir, "results"), "--out", out)
	return reproducible(t, out)
}

// TestSweep runs a sweep, expects the rows that the package computes, and nothing computed
// again by the next run.
func TestSweep(t *testing.T) {
	dir, file := sweepFile(t, neighbours)
	folder, out := filepath.Join(dir, "results"), filepath.Join(dir, "rows.csv")
	first := decode[sweepSummary](t, succeed(t, "sweep", "run", file, "--workers", "2", "--folder", folder, "--out", out, "--json"))
	if want := (counts{Trials: 8, Done: 8}); first.counts != want || first.Cached != 0 || first.Stop != sweepDone || first.Folder != folder || first.Out != ground(out) ||
		first.Name != "neighbours" || len(first.Key) != 64 {
		t.Errorf("the first run says %+v", first)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, err := sweep.Read(f, file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := sweep.Run(t.Context(), s, sweep.Options{Folder: filepath.Join(dir, "other")})
	if err != nil {
		t.Fatal(err)
	}
	rows := reproducible(t, out)
	if len(rows) != 9 || sweepKey(r) != first.Key {
		t.Errorf("%d rows of sweep %s, want 9 of %s", len(rows), first.Key, sweepKey(r))
	}
	own := filepath.Join(dir, "own.csv")
	if err := writeRows(t.Context(), own, r); err != nil {
		t.Fatal(err)
	}
	if want := reproducible(t, own); !reflect.DeepEqual(rows, want) {
		t.Errorf("the rows are\n%q\nwant\n%q", rows, want)
	}

	asJSON, asParquet := filepath.Join(dir, "rows.json"), filepath.Join(dir, "rows.parquet")
	again := decode[sweepSummary](t, succeed(t, "sweep", "run", file, "--folder", folder, "--out", asJSON, "--json"))
	if again.Cached != 8 || again.Done != 8 || again.Key != first.Key {
		t.Errorf("the second run says %+v", again)
	}
	text, err := os.ReadFile(asJSON)
	if err != nil {
		t.Fatal(err)
	}
	var table struct{ Rows []map[string]any }
	if err := json.Unmarshal(text, &table); err != nil || len(table.Rows) != 8 || table.Rows[3]["set.accuracy"] != 0.85 {
		t.Errorf("the JSON has %v, %v", table.Rows, err)
	}
	exported := decode[exportedRows](t, succeed(t, "sweep", "export", file, "--folder", folder, "--out", asParquet, "--json"))
	if exported.counts != first.counts || exported.Key != first.Key || exported.Out != asParquet {
		t.Errorf("the export says %+v", exported)
	}
	p, err := os.Open(asParquet)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if columns, err := parquet.Columns(p); err != nil || !slices.Contains(columns, "exact") || columns[0] != "trial" {
		t.Errorf("Parquet has the columns %q, %v", columns, err)
	}
	// What was written is replaced, and nothing else is.
	succeed(t, "sweep", "run", file, "--folder", folder, "--out", asJSON)
	succeed(t, "sweep", "export", file, "--folder", folder, "--out", out)
	succeed(t, "sweep", "export", file, "--folder", folder, "--out", asParquet)
	other := filepath.Join(dir, "samples.csv")
	if err := os.WriteFile(other, []byte("episode,time\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := call(t, "sweep", "export", file, "--folder", folder, "--out", other); code != exitError || !strings.Contains(stderr, "is not a table of a sweep") {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}

	state := decode[sweepStates](t, succeed(t, "sweep", "status", file, "--folder", folder, "--json"))
	if len(state.Sweeps) != 1 || state.Sweeps[0].counts != first.counts || state.Sweeps[0].Key != first.Key {
		t.Errorf("the status is %+v", state)
	}
	state = decode[sweepStates](t, succeed(t, "sweep", "status", file, "--folder", filepath.Join(dir, "none"), "--json"))
	if want := (counts{Trials: 8, Left: 8}); len(state.Sweeps) != 1 || state.Sweeps[0].counts != want {
		t.Errorf("the status of a sweep that has not begun is %+v", state)
	}
}

// TestSweepFaults expects a trial that fails as a row, with a line that counts such rows and exit
// code 0, and the next run to try it again.
func TestSweepFaults(t *testing.T) {
	// No exact value where states are not numbered.
	dir, file := sweepFile(t, `{"base": {"env": "light-dark-tiger", "algorithm": "qmdp", "eval": {"exact": true}}, "grid": [{"key": "set.sigma", "values": [0, 0.1]}]}`)
	out := filepath.Join(dir, "rows.csv")
	for range 2 {
		code, stdout, stderr := call(t, "sweep", "run", file, "--folder", dir, "--out", out, "--json")
		sum := decode[sweepSummary](t, stdout)
		if want := (counts{Trials: 2, Done: 2, Failed: 1}); code != exitOK || sum.counts != want || sum.Stop != sweepDone ||
			!strings.HasPrefix(stderr, "bcpace: 1 of 2 trials failed, such as trial 1: ") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("exit code %d, %+v, stderr %q", code, sum, stderr)
		}
	}
	rows := reproducible(t, out)
	fault := slices.Index(rows[0], "fault")
	if rows[1][fault] != "" || rows[2][fault] == "" {
		t.Errorf("the rows are %q", rows)
	}
	if s := decode[sweepStates](t, succeed(t, "sweep", "status", file, "--folder", dir, "--json")).Sweeps[0]; s.Failed != 1 || s.Done != 2 {
		t.Errorf("the status is %+v", s)
	}
}

// endless is a sweep of two quick trials before one that is never content.
const endless = `{"base": {"env": "chain", "algorithm": "bayes-cpace", "params": {"batch": 1, "certificate-episodes": -1}},
	"list": [{"params.max-episodes": 5}, {"params.max-episodes": 6}, {"params.patience": 900000000}]}`

// TestSweepInterrupted expects a sweep that Ctrl-C or the time has ended to keep what there is,
// and the next run to compute the rest alone.
func TestSweepInterrupted(t *testing.T) {
	dir, file := sweepFile(t, endless)
	out := filepath.Join(dir, "rows.csv")
	done := func() sweepState {
		return decode[sweepStates](t, succeed(t, "sweep", "status", file, "--folder", dir, "--json")).Sweeps[0]
	}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		defer interrupt()
		for done().Done < 2 && !t.Failed() {
			time.Sleep(10 * time.Millisecond)
		}
	}()
	var stdout, stderr bytes.Buffer
	code := run(ctx, []string{"sweep", "run", file, "--folder", dir, "--out", out, "--json"}, &stdout, &stderr)
	<-watched
	sum := decode[sweepSummary](t, stdout.String())
	if want := (counts{Trials: 3, Done: 2, Left: 1}); code != exitInterrupted || sum.Stop != "interrupted" || sum.counts != want ||
		stderr.String() != "bcpace: interrupted with 2 of 3 trials done; the same command goes on\n" {
		t.Errorf("exit code %d, %+v, stderr %q", code, sum, stderr.String())
	}
	if rows := reproducible(t, out); len(rows) != 4 {
		t.Errorf("the rows are %q", rows)
	}

	code, _, text := call(t, "sweep", "run", file, "--folder", dir, "--timeout", "100ms")
	if code != exitError || !strings.HasPrefix(text, "bcpace: out of time ") || strings.Count(text, "\n") != 1 {
		t.Errorf("exit code %d, stderr %q", code, text)
	}
	// The rest has an end after all: what was done is not done again.
	if err := os.WriteFile(file, []byte(strings.Replace(endless, `"params.patience": 900000000`, `"params.max-episodes": 7`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	again := decode[sweepSummary](t, succeed(t, "sweep", "run", file, "--folder", dir, "--out", out, "--json"))
	if want := (counts{Trials: 3, Done: 3}); again.counts != want || again.Cached != 2 {
		t.Errorf("the next run says %+v", again)
	}
}

// TestSweepErrors expects what is wrong in one line, before anything is computed.
func TestSweepErrors(t *testing.T) {
	dir, file := sweepFile(t, neighbours)
	bad := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	syntax := bad("syntax.json", "{\n\"base\": {\"env\" \"tiger\"}}")
	unknown := bad("unknown.json", `{"base": {"env": "lion", "algorithm": "qmdp"}}`)
	key := bad("key.json", `{"base": {"env": "tiger", "algorithm": "qmdp"}, "grid": [{"key": "params.k", "values": [1]}]}`)
	for args, want := range map[string]string{
		"run":                             "FILE is missing",
		"export --out x.csv":              "FILE is missing",
		"status":                          "FILE is missing",
		"export " + file:                  "--out is missing",
		"run " + file + " " + file:        "unexpected argument",
		"run " + file + " --out rows.txt": `--out is "rows.txt", want a name that ends in .csv, .parquet or .json`,
		"run " + file + " --timeout -1s":  `"-1s" for flag --timeout: want a time above 0`,
		"run " + file + " --workers 0":    "--workers is 0, want a number from 1",
		"run " + file + " --workers 1025": "--workers is 1025, want a number from 1 to 1024",
		"run " + file + " --engine local": "--engine",
		"status --watch":                  "FILE is missing",
	} {
		code, stdout, stderr := call(t, line("sweep "+args)...)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 2 {
			t.Errorf("sweep %s: exit code %d, stdout %q, stderr %q, want %q", args, code, stdout, stderr, want)
		}
	}
	results := filepath.Join(dir, "results")
	for args, want := range map[string]string{
		"run " + filepath.Join(dir, "none.json"): "cannot read " + filepath.Join(dir, "none.json") + ": no such file",
		"run " + syntax:                          "line 2: invalid character",
		"run " + unknown:                         `environment is "lion", want one of tiger`,
		"export --out " + filepath.Join(dir, "rows.csv") + " " + unknown: `environment is "lion", want one of tiger`,
		"run " + key: `"k"`,
		"run " + file + " --out " + dir + "/no/rows.csv": "no such file or directory",
		"run " + file + " --out " + file:                 "which is not a table of a sweep or the JSON of a sweep's rows",
	} {
		code, stdout, stderr := call(t, line("sweep "+args)...)
		if code != exitError || stdout != "" || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("sweep %s: exit code %d, stdout %q, stderr %q, want %q", args, code, stdout, stderr, want)
		}
	}
	if _, err := os.Stat(results); !errors.Is(err, os.ErrNotExist) {
		t.Error("an error leaves a folder of results")
	}
}

// TestSweepProgress expects what is known at any time.
func TestSweepProgress(t *testing.T) {
	for want, p := range map[string]sweep.SweepProgress{
		"sweep: 0 of 8 done, 0 failed, looking at the trials":             {Trials: 8, Left: -1, Note: "looking at the trials"},
		"sweep: 3 of 8 done, 1 failed, 2 running on 4 workers, 1m2s left": {Trials: 8, Done: 3, Failed: 1, Running: 2, Workers: 4, Left: 62*time.Second + 300*time.Millisecond},
	} {
		if got := progressOf(p); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// sweepSummary is the JSON of the verb sweep run.
type sweepSummary struct {
	Name  string `json:"name"`
	Key   string `json:"key"`
	Shard ground `json:"shard"`
	counts
	Cached  int    `json:"cached"`
	Stop    string `json:"stop"`
	Seconds number `json:"seconds"`
	Folder  string `json:"folder"`
	Out     ground `json:"out"`
}

// exportedRows is the JSON of the verb sweep export.
type exportedRows struct {
	Name string `json:"name"`
	Key  string `json:"key"`
	counts
	Out string `json:"out"`
}

// mergedRows is the JSON of the verb sweep merge.
type mergedRows struct {
	exportedRows
	Missing []int `json:"missing"`
	Twice   int   `json:"twice"`
}

// sweepStates is the JSON of the verb sweep status.
type sweepStates struct {
	Sweeps []sweepState `json:"sweeps"`
}

// sweepState is how far a sweep has come.
type sweepState struct {
	Name string `json:"name"`
	Key  string `json:"key"`
	counts
	Version string `json:"version"`
}

// counts are those of a sweep's trials.
type counts struct {
	Trials int `json:"trials"`
	// Done have a result, which is a fault for those Failed. Left have none.
	Done   int `json:"done"`
	Failed int `json:"failed"`
	Left   int `json:"left"`
}
