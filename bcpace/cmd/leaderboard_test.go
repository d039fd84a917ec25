package cmd

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLeaderboard ranks two policies beside a file that is none and a policy for another model.
func TestLeaderboard(t *testing.T) {
	dir := t.TempDir()
	for file, solve := range map[string]string{
		"ada/one.bcp":   "--env tiger",
		"ben/two.json":  "--env tiger --set accuracy=0.85 --algorithm qmdp",
		"eve/wrong.bcp": "--env tiger --set accuracy=0.9",
	} {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if code := run(t.Context(), append(line("solve "+solve+" --out"), path), &out, &errs); code != exitOK {
			t.Fatalf("solve %s: %s", solve, &errs)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "none.txt"), []byte("no policy"), 0o600); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(t.TempDir(), "board.html")
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"leaderboard", "--folder", dir, "--env", "tiger", "--episodes", "200", "--horizon", "100", "--seed", "3", "--json", "--out", page}, &out, &errs); code != exitOK {
		t.Fatalf("code %d: %s", code, &errs)
	}
	var rows []place
	if err := json.Unmarshal(out.Bytes(), &rows); err != nil {
		t.Fatal(err)
	}
	got := make(map[string]place)
	for _, r := range rows {
		got[r.Name] = r
	}
	if len(rows) != 4 || got["ada/one"].Rank != 1 || got["ben/two"].Rank != 1 || !strings.Contains(got["eve/wrong"].Fault, "accuracy 0.85") || got["none"].Fault == "" {
		t.Errorf("rows %+v", rows)
	}
	if html, err := os.ReadFile(page); err != nil || !strings.Contains(string(html), "ben/two") {
		t.Errorf("page: %v", err)
	}
	if code := run(t.Context(), []string{"leaderboard", "--folder", t.TempDir(), "--env", "tiger"}, &out, &errs); code == exitOK || !strings.Contains(errs.String(), "a policy at least") {
		t.Errorf("an empty folder: code %d, %s", code, &errs)
	}
}

// place is the JSON of a row of the verb leaderboard.
type place struct {
	Rank   int      `json:"rank"` // 0 with a fault
	Name   string   `json:"name"`
	Mean   number   `json:"mean"`
	CI95   interval `json:"ci95"`
	Behind number   `json:"behind"`
	Fault  string   `json:"fault,omitempty"`
}
