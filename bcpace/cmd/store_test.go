package cmd

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/store"
	"bayescpace/envs"
)

// wantStore is the contract of store --json, written down a second time.
type wantStore struct {
	Dir     string `json:"dir"`
	Bytes   int64  `json:"bytes"`
	Removed int    `json:"removed"`
	Files   []struct {
		Name     string `json:"name"`
		Kind     string `json:"kind"`
		Bytes    int64  `json:"bytes"`
		Model    string `json:"model"`
		Samples  int    `json:"samples"`
		Episodes int    `json:"episodes"`
		Stop     string `json:"stop"`
		Error    string `json:"error"`
	} `json:"files"`
}

func TestStore(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("BAYESCPACE_STORE", dir)
	r, _, err := store.Memo(context.Background(), envs.Tiger{}, cpace.Solver{Epsilon: 1, LipQ: 60, K: 20, MaxEpisodes: 10}, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	parts, err := filepath.Glob(filepath.Join(dir, "part-*")) // a slow machine has time for a checkpoint
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		if err := os.Remove(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "run-0.bcp"), []byte("bcp-run\nand no more"), 0o644); err != nil {
		t.Fatal(err)
	}
	l := decode[wantStore](t, succeed(t, "store", "--json"))
	if l.Dir != dir || l.Removed != 0 || len(l.Files) != 2 || l.Bytes != l.Files[0].Bytes+l.Files[1].Bytes {
		t.Fatalf("got %+v", l)
	}
	whole, bad := l.Files[0], l.Files[1]
	if whole.Error != "" {
		whole, bad = bad, whole
	}
	if whole.Kind != "run" || whole.Model != "tiger" || whole.Samples != r.Samples.Len() || whole.Episodes != 10 || whole.Stop != "episode budget" {
		t.Errorf("got %+v", whole)
	}
	if bad.Name != "run-0.bcp" || !strings.Contains(bad.Error, "truncated") {
		t.Errorf("got %+v", bad)
	}
	if text := succeed(t, "store", "--dir", dir); !strings.Contains(text, whole.Name) || !strings.Contains(text, "truncated") || !strings.Contains(text, "2 files") {
		t.Errorf("got %s", text)
	}
	if l := decode[wantStore](t, succeed(t, "store", "--keep", "0", "--json")); l.Removed != 1 || len(l.Files) != 1 || l.Files[0].Name != "run-0.bcp" {
		t.Errorf("after --keep 0: %+v", l)
	}
	for args, want := range map[string]string{"store --dir " + dir + "/none": "none", "store --keep -1": "--keep", "store --keep much": "whole number"} {
		if code, stdout, stderr := call(t, line(args)...); code == exitOK || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("bcpace %s: exit code %d, stdout %q, stderr %q, want %q", args, code, stdout, stderr, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("a store was made where there was none")
	}
}
