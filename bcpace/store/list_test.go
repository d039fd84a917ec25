package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/stop"
)

// filled returns a store with a file of every kind, each written an hour after the
// one before, and their names in that order.
func filled(t *testing.T) (*Store, []string) {
	t.Helper()
	s := open(t)
	if _, _, err := s.Memo(t.Context(), fair, options, bcpace.Control{}); err != nil {
		t.Fatal(err)
	}
	other := options
	other.Seed = 2
	second := options
	second.Seed = 3
	if _, _, err := s.Memo(t.Context(), fair, second, bcpace.Control{}); err != nil {
		t.Fatal(err)
	}
	part := filepath.Base(begun(t, s, fair, other, 10))
	k := key(t, fair, options)
	run, run2 := filepath.Base(s.runFile(k)), filepath.Base(s.runFile(key(t, fair, second)))
	whole, err := os.ReadFile(s.runFile(k))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"run-1.bcp": whole[:len(whole)-1], "run-2.bcp.damaged": nil, tempPrefix + "1": nil, "notes.txt": []byte("mine"), "solution-1.json": whole,
	} {
		if err := os.WriteFile(filepath.Join(s.Dir(), name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	names := []string{run, run2, part, "run-1.bcp", "solution-1.json", "run-2.bcp.damaged", tempPrefix + "1", "notes.txt"}
	for i, name := range names {
		at := time.Now().Add(time.Duration(i-1000) * time.Hour)
		if err := os.Chtimes(filepath.Join(s.Dir(), name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	return s, names
}

//test:race
func TestList(t *testing.T) {
	s, names := filled(t)
	all, err := s.List()
	if err != nil || len(all) != len(names) {
		t.Fatalf("%d entries, %v", len(all), err)
	}
	for i, want := range []struct {
		kind FileKind
		err  string
		stop stop.Reason
	}{
		{RunFile, "", stop.Converged}, {RunFile, "", stop.Converged}, {Checkpoint, "", ""}, {RunFile, "truncated or damaged", ""},
		{Solved, "the file is no policy", ""}, {SetAside, "", ""}, {Temporary, "", ""}, {Foreign, "", ""},
	} {
		e := all[i]
		if e.Name != names[i] || e.Kind != want.kind || (e.Err == nil) != (want.err == "") || e.Err != nil && !strings.Contains(e.Err.Error(), want.err) {
			t.Errorf("entry %d is %+v, want %s %+v", i, e, names[i], want)
		}
		if isRun := (e.Kind == RunFile || e.Kind == Checkpoint) && e.Err == nil; (e.Run != nil) != isRun {
			t.Errorf("%s: run %+v", e.Name, e.Run)
		} else if isRun && (e.Run.Model != "coin" || e.Run.Stop != want.stop || e.Run.Episodes == 0 || e.Run.Samples == 0) {
			t.Errorf("%s: run %+v, want stop %q", e.Name, e.Run, want.stop)
		}
	}
	if _, err := (&Store{dir: filepath.Join(s.Dir(), "none")}).List(); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// TestCollect takes limits that leave all results, all but the checkpoint, one and
// none.
//
//test:race
func TestCollect(t *testing.T) {
	for left, want := range map[int]string{3: "5 6", 2: "5 6 2", 1: "5 6 2 0", 0: "5 6 2 0 1"} {
		s, names := filled(t)
		all, err := s.List()
		if err != nil {
			t.Fatal(err)
		}
		limit := map[int]int64{3: all[0].Size + all[1].Size + all[2].Size, 2: all[0].Size + all[1].Size, 1: all[1].Size}[left]
		removed, err := s.Collect(limit)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range removed {
			for i, name := range names {
				if e.Name == name {
					got = append(got, string(rune('0'+i)))
				}
			}
			if _, err := os.Lstat(filepath.Join(s.Dir(), e.Name)); err == nil {
				t.Errorf("%s is still there", e.Name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("limit %d: removed %q, want %q", limit, got, want)
		}
		if rest, err := s.List(); err != nil || len(rest) != len(names)-len(removed) {
			t.Errorf("%d files are left, %v", len(rest), err)
		}
	}
}
