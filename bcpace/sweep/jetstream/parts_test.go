//go:build linux

package jetstream

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/sweep"
)

// TestParts: a server keeps the last part of a task, lists those that have one, and forgets it.
//
//test:race
func TestParts(t *testing.T) {
	t.Parallel()
	e := embed(t, Embedded{})
	ctx := t.Context()
	a, b := strings.Repeat("a", 64), strings.Repeat("b", 64)
	if keys, err := e.vault.partKeys(ctx); err != nil || len(keys) > 0 {
		t.Errorf("at first: %q, error %v", keys, err)
	}
	if _, err := e.vault.Part(ctx, a); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a part that is not there: %v", err)
	}
	large := bytes.Repeat([]byte("part "), 1<<20)
	for _, data := range [][]byte{[]byte("first"), large, []byte("last")} {
		if err := e.vault.KeepPart(ctx, a, data); err != nil {
			t.Fatal(err)
		}
		if got, err := e.vault.Part(ctx, a); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%.10q: %.10q, %v", data, got, err)
		}
	}
	if err := e.vault.KeepPart(ctx, b, nil); err != nil {
		t.Fatal(err)
	}
	keys, err := e.vault.partKeys(ctx)
	slices.Sort(keys)
	if err != nil || !slices.Equal(keys, []string{a, b}) {
		t.Errorf("the parts are of %q, %v", keys, err)
	}
	e.vault.dropPart(ctx, a)
	e.vault.dropPart(ctx, a)
	if keys, err := e.vault.partKeys(ctx); err != nil || !slices.Equal(keys, []string{b}) {
		t.Errorf("after the end of a: %q, %v", keys, err)
	}
}

// TestTrialMoves: a trial whose worker is killed or told to end again and again, and whose coordinator
// is started again, goes on from its part and never falls behind it, to the outcome of one process.
func TestTrialMoves(t *testing.T) {
	live := workerPIDs(t)
	s := sweep.Spec{Base: sweep.Trial{Env: "tiger", Algorithm: "bayes-cpace", KeepRun: true,
		Params: sweep.Values{"k": 20, "batch": 0, "patience": 900000000, "max-episodes": 15000, "certificate-episodes": -1, "return": "greedy"}}}
	want, err := sweep.Run(t.Context(), s, sweep.Options{Folder: t.TempDir()})
	if err != nil || want.Rows[0].Fault != "" {
		t.Fatalf("%v, %s", err, want.Rows[0].Fault)
	}
	key := want.Rows[0].Key
	folder, results := t.TempDir(), t.TempDir()
	last := 0
	for session := range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		e, err := Embed(ctx, Embedded{Folder: folder, Workers: 1, Command: childCommand()})
		if err != nil {
			t.Fatal(err)
		}
		var seen string // the digest of the part that was read
		found := 0
		episodes := func() int {
			info, err := e.vault.parts.GetInfo(t.Context(), key)
			if err != nil || info.Digest == seen {
				return found
			}
			data, err := e.vault.Part(t.Context(), key)
			if err != nil {
				return found
			}
			seen = info.Digest
			_, run, _ := bytes.Cut(data, []byte("\n"))
			what, err := runs.ReadInfo(bytes.NewReader(run))
			if err != nil {
				t.Fatal(err)
			}
			if what.Episodes < last {
				t.Fatalf("a part of %d episodes follows one of %d", what.Episodes, last)
			}
			found = what.Episodes
			return found
		}
		last = max(last, episodes()) // what was kept while the coordinator ended
		ended := make(chan *sweep.Results, 1)
		var over atomic.Bool // on a busy machine parts are rare, and the trial may end before the next one
		goesOn := func() bool { return over.Load() || episodes() > last }
		go func() {
			r, err := sweep.Run(ctx, s, sweep.Options{Folder: results, Engine: e})
			if err != nil && ctx.Err() == nil {
				t.Error(err)
			}
			over.Store(true)
			ended <- r
		}()
		for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
			eventually(t, "the trial goes on", goesOn)
			if over.Load() {
				break
			}
			pids := live()
			if len(pids) != 1 || syscall.Kill(pids[0], signal) != nil {
				t.Fatalf("workers %v, want one to end", pids)
			}
			eventually(t, "the worker ends", func() bool { return !slices.Contains(live(), pids[0]) })
			last = episodes()
		}
		if session == 0 { // Ctrl-C of the coordinator
			eventually(t, "the trial goes on", goesOn)
			cancel()
		}
		r := <-ended
		if session == 1 {
			if last == 0 {
				t.Error("no part was kept")
			}
			if got := r.Rows[0]; got.Fault != "" || got.Key != key || got.Run != want.Rows[0].Run || got.Value != want.Rows[0].Value {
				t.Errorf("the row is %+v, want %+v", got, want.Rows[0])
			}
			eventually(t, "the part goes", func() bool { keys, err := e.vault.partKeys(t.Context()); return err == nil && len(keys) == 0 })
		}
		cancel()
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}
