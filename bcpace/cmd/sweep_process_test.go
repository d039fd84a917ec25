//go:build unix

package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// sweepRows runs a sweep in this process and returns its rows.
func sweepRows(t *testing.T, file string) [][]string {
	t.Helper()
	dir := t.TempDir()
	out := filepath.Join(dir, "rows.csv")
	succeed(t, "sweep", "run", file, "--folder", filepath.Join(dir, "results"), "--out", out)
	return reproducible(t, out)
}

// TestSweepEmbedded expects the rows of this process from worker processes, and from one that
// joins.
func TestSweepEmbedded(t *testing.T) {
	t.Parallel()
	dir, file := sweepFile(t, neighbours)
	want := sweepRows(t, file)
	for _, joins := range []bool{false, true} {
		folder, out := filepath.Join(dir, "results"), filepath.Join(dir, "rows.csv")
		args, workers := "--workers 2", ""
		if joins {
			folder, args, workers = filepath.Join(dir, "joined"), "--workers 0", "worker --connect "+filepath.Join(dir, "joined")
		}
		coordinator, stdout, said := start(t, plain, "sweep run "+file+" --engine embedded "+args+" --folder "+folder+" --out "+out+" --json")
		var worker *exec.Cmd
		var workerSaid io.Reader
		if joins {
			expect(t, said, "bcpace: workers join with bcpace sweep worker --connect "+filepath.Join(folder, connectJSON))
			worker, _, workerSaid = start(t, plain, "sweep "+workers+" --workers 2")
		}
		rest, _ := io.ReadAll(said)
		if err := coordinator.Wait(); err != nil || len(rest) > 0 {
			t.Fatalf("%s: %v, stderr %q", args, err, rest)
		}
		sum := decode[sweepSummary](t, stdout.String())
		if all := (counts{Trials: 8, Done: 8}); sum.counts != all || sum.Cached != 0 || sum.Engine != embeddedEngine {
			t.Errorf("%s: %+v", args, sum)
		}
		if got := reproducible(t, out); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the rows are\n%q\nwant\n%q", args, got, want)
		}
		if joins {
			send(t, worker, os.Interrupt)
			rest, _ := io.ReadAll(workerSaid)
			if err := worker.Wait(); err != nil {
				t.Errorf("the worker ends with %v, stderr %q", err, rest)
			}
		}
		state := decode[sweepStates](t, succeed(t, "sweep", "status", "--connect", folder, "--json"))
		if len(state.Sweeps) != 1 || state.Sweeps[0].Name != "neighbours" || state.Sweeps[0].Done != 8 || state.Sweeps[0].Live {
			t.Errorf("%s: the status is %+v", args, state)
		}
		if info, err := os.Stat(filepath.Join(folder, connectJSON)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s holds a token, and has %v, %v", connectJSON, info.Mode(), err)
		}
	}
}

// TestSweepEmbeddedInterrupted sends Ctrl-C to a sweep with worker processes, and expects the next
// run to compute what is missing alone.
func TestSweepEmbeddedInterrupted(t *testing.T) {
	t.Parallel()
	dir, file := sweepFile(t, endless)
	folder, out := filepath.Join(dir, "results"), filepath.Join(dir, "rows.csv")
	args := "sweep run " + file + " --engine embedded --workers 1 --folder " + folder + " --out " + out + " --json"
	coordinator, stdout, said := start(t, plain, args)
	kept := func() sweepState {
		return decode[sweepStates](t, succeed(t, "sweep", "status", file, "--folder", folder, "--json")).Sweeps[0]
	}
	for begin := time.Now(); kept().Done < 2; time.Sleep(20 * time.Millisecond) {
		if time.Since(begin) > 5*time.Minute {
			t.Fatal("the trials with an end are not done")
		}
	}
	send(t, coordinator, os.Interrupt)
	rest, _ := io.ReadAll(said)
	err := coordinator.Wait()
	sum := decode[sweepSummary](t, stdout.String())
	if all := (counts{Trials: 3, Done: 2, Left: 1}); coordinator.ProcessState.ExitCode() != exitInterrupted || sum.counts != all || sum.Stop != "interrupted" ||
		string(rest) != "bcpace: interrupted with 2 of 3 trials done; the same command goes on\n" {
		t.Errorf("%v, %+v, stderr %q", err, sum, rest)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(endless, `"params.patience": 900000000`, `"params.max-episodes": 7`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	coordinator, stdout, said = start(t, plain, args)
	rest, _ = io.ReadAll(said)
	if err := coordinator.Wait(); err != nil || len(rest) > 0 {
		t.Fatalf("%v, stderr %q", err, rest)
	}
	sum = decode[sweepSummary](t, stdout.String())
	if all := (counts{Trials: 3, Done: 3}); sum.counts != all || sum.Cached != 2 {
		t.Errorf("the next run says %+v", sum)
	}
	if got, want := reproducible(t, out), sweepRows(t, file); !reflect.DeepEqual(got, want) {
		t.Errorf("the rows are\n%q\nwant\n%q", got, want)
	}
}

// TestSweepRefused expects a worker that cannot take part to say why in one line and end.
func TestSweepRefused(t *testing.T) {
	t.Parallel()
	dir, file := sweepFile(t, endless)
	coordinator, _, said := start(t, plain, "sweep run "+file+" --engine embedded --workers 0 --folder "+dir)
	expect(t, said, "bcpace: workers join with bcpace sweep worker --connect "+filepath.Join(dir, connectJSON))
	text, err := os.ReadFile(filepath.Join(dir, connectJSON))
	if err != nil {
		t.Fatal(err)
	}
	var connect map[string]any
	if err := json.Unmarshal(text, &connect); err != nil {
		t.Fatal(err)
	}
	connect["token"] = strings.Repeat("0", 64)
	if text, err = json.Marshal(connect); err != nil {
		t.Fatal(err)
	}
	copied := func(name string, mode os.FileMode) string {
		name = filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(name, text, mode); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for connect, want := range map[string]string{
		copied(connectJSON, 0o600):       "refuses the token",
		copied(connectJSON, 0o644):       "which others can read (mode 0644): chmod 600 it",
		filepath.Join(dir, "sweep.json"): "others can read",
		filepath.Join(dir, "nowhere"):    "nowhere",
	} {
		code, stdout, stderr := call(t, "sweep", "worker", "--connect", connect)
		if code != exitError || stdout != "" || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("exit code %d, stdout %q, stderr %q, want %q", code, stdout, stderr, want)
		}
	}
	// A second engine in the folder.
	code, _, stderr := call(t, "sweep", "run", file, "--engine", "embedded", "--workers", "0", "--folder", dir)
	if code != exitError || !strings.Contains(stderr, "another engine uses it") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
	send(t, coordinator, os.Interrupt)
	if _, err := io.ReadAll(said); err != nil {
		t.Error(err)
	}
	_ = coordinator.Wait() // "interrupted"
}

// TestSweepServer runs a sweep on a server that runs already, for which that of another engine
// stands in: address, token and workers as with one of an administrator's.
func TestSweepServer(t *testing.T) {
	t.Parallel()
	house, other := sweepFile(t, endless)
	server, _, serverSaid := start(t, plain, "sweep run "+other+" --engine embedded --workers 0 --folder "+house)
	expect(t, serverSaid, "bcpace: workers join with bcpace sweep worker --connect "+filepath.Join(house, connectJSON))
	text, err := os.ReadFile(filepath.Join(house, connectJSON))
	if err != nil {
		t.Fatal(err)
	}
	var connect struct{ URL, Token string }
	if err := json.Unmarshal(text, &connect); err != nil {
		t.Fatal(err)
	}
	dir, file := sweepFile(t, neighbours)
	token, out := filepath.Join(dir, "token"), filepath.Join(dir, "rows.csv")
	if err := os.WriteFile(token, []byte(connect.Token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	coordinator, stdout, said := start(t, plain, "sweep run "+file+" --engine "+connect.URL+" --token-file "+token+" --folder "+filepath.Join(dir, "results")+" --out "+out+" --json")
	expect(t, said, "bcpace: workers join with bcpace sweep worker --connect "+connect.URL+" --token-file "+token)
	// One process of the worker may be kept by the trial of the other sweep that has no end.
	worker, _, workerSaid := start(t, plain, "sweep worker --connect "+connect.URL+" --token-file "+token+" --workers 2")
	rest, _ := io.ReadAll(said)
	if err := coordinator.Wait(); err != nil || len(rest) > 0 {
		t.Fatalf("%v, stderr %q", err, rest)
	}
	if sum, all := decode[sweepSummary](t, stdout.String()), (counts{Trials: 8, Done: 8}); sum.counts != all || sum.Engine != connect.URL {
		t.Errorf("%+v", sum)
	}
	if got, want := reproducible(t, out), sweepRows(t, file); !reflect.DeepEqual(got, want) {
		t.Errorf("the rows are\n%q\nwant\n%q", got, want)
	}
	var names []string
	for _, s := range decode[sweepStates](t, succeed(t, "sweep", "status", "--connect", connect.URL, "--token-file", token, "--json")).Sweeps {
		names = append(names, fmt.Sprint(s.Name, " ", s.Live))
	}
	slices.Sort(names)
	if want := []string{"neighbours false", "sweep.json true"}; !slices.Equal(names, want) {
		t.Errorf("the server knows %q, want %q", names, want)
	}
	for _, one := range []struct {
		cmd  *exec.Cmd
		said io.Reader
	}{{worker, workerSaid}, {server, serverSaid}} {
		send(t, one.cmd, os.Interrupt)
		io.Copy(io.Discard, one.said)
		_ = one.cmd.Wait() // the sweep of the server is not done
	}
}

// TestSweepIdle expects a worker that finds nothing to compute to end, if it is told to.
func TestSweepIdle(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), connectJSON)
	text := `{"url": "nats://127.0.0.1:1", "token": "` + strings.Repeat("0", 64) + `", "id": "` + strings.Repeat("0", 16) + `"}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := call(t, "sweep", "worker", "--connect", file, "--idle", "200ms")
	if code != exitOK || stdout != "" || !strings.HasSuffix(stderr, "bcpace: nothing to compute for 200ms\n") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}
