package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestShardsDealOut: whatever the trials and the number of shards, each trial is in one shard, trials
// that are the same are in the same one, and shards differ by one trial at most.
func TestShardsDealOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfN(rapid.StringMatching("[a-e]{1,3}"), 1, 60).Draw(t, "ids")
		count := rapid.IntRange(1, 20).Draw(t, "count")
		in := make(map[string]int)
		var all []int
		sizes := make([]int, count)
		for index := 1; index <= count; index++ {
			for _, i := range (Shard{index, count}).deal(ids) {
				if was, ok := in[ids[i]]; ok && was != index {
					t.Fatalf("trial %q is in shards %d and %d", ids[i], was, index)
				} else if !ok {
					sizes[index-1]++
				}
				in[ids[i]] = index
				all = append(all, i)
			}
		}
		slices.Sort(all)
		for i := range ids {
			if i >= len(all) || all[i] != i {
				t.Fatalf("the shards have trials %v of %d", all, len(ids))
			}
		}
		if slices.Max(sizes)-slices.Min(sizes) > 1 {
			t.Fatalf("shards of %v trials", sizes)
		}
	})
}

// TestShardText: a shard is written as the command takes it, and one that there cannot be is refused.
func TestShardText(t *testing.T) {
	if (Shard{}).String() != "" || (Shard{3, 40}).String() != "3/40" {
		t.Errorf("shards are written %q and %q", Shard{}, Shard{3, 40})
	}
	if _, err := Run(t.Context(), tigers(), Options{Folder: t.TempDir(), Shard: Shard{3, 2}}); err == nil {
		t.Error("shard 3 of 2 is run")
	}
}

// merged computes the shards of a sweep, each in the folder that in says, and merges them.
func merged(t *testing.T, s Spec, count int, in func(index int) string) (*MergedRows, error) {
	t.Helper()
	var folders []string
	for index := 1; index <= count; index++ {
		folder := in(index)
		r, err := Run(t.Context(), s, Options{Folder: folder, Shard: Shard{index, count}})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range r.Rows {
			if row.Cached {
				t.Errorf("shard %d finds trial %d computed", index, row.Number)
			}
		}
		if !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	return Merge(t.Context(), folders, "")
}

// table returns the rows as JSON without what measures the computation.
func table(t *testing.T, r *Results) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var x struct {
		Name string
		Keys []string
		Rows []map[string]any
	}
	if err := json.Unmarshal(b.Bytes(), &x); err != nil {
		t.Fatal(err)
	}
	for _, row := range x.Rows {
		for _, measured := range []string{"seconds", "memory", "worker", "tries"} {
			delete(row, measured)
		}
	}
	return string(canonical(x))
}

// TestMerge: for random numbers of shards, in one folder or in one for each, the merged rows are those
// of one process, also where trials are the same and where a model comes from a file that is gone.
func TestMerge(t *testing.T) {
	odd()
	file := filepath.Join(t.TempDir(), "tiger.pomdp")
	text, err := os.ReadFile("../../data/tiger.pomdp")
	if err != nil {
		t.Fatal(err)
	}
	again := tigers()
	again.Grid = append(again.Grid[:1:1], Axis{Key: "eval.horizon", Values: []any{5, "5"}})
	r := rand.New(rand.NewPCG(1, 41))
	for name, s := range map[string]Spec{
		"environment": tigers(),
		"same trials": again,
		"a file":      {Name: "file", Base: Trial{Model: file, Eval: &Eval{Episodes: 5, Horizon: 5}}, List: []Setting{{"algorithm": "qmdp"}, {"algorithm": "certified"}}, Seeds: 3},
		"faults":      {Base: Trial{Env: "odd", Algorithm: "qmdp"}, Grid: []Axis{{Key: "set.mode", Values: []any{"ok", "panic", "wrong"}}}, Seeds: 2},
	} {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		want := run(t, s, t.TempDir())
		for range 2 {
			count, apart, dir := 1+r.IntN(9), r.IntN(2) == 1, t.TempDir()
			m, err := merged(t, s, count, func(index int) string {
				if apart {
					return filepath.Join(dir, fmt.Sprint(index))
				}
				return filepath.Join(dir, "all")
			})
			if err != nil {
				t.Fatalf("%s in %d shards: %v", name, count, err)
			}
			if len(m.Missing) > 0 || m.Twice > 0 || outcomes(m.Results) != outcomes(want) || table(t, m.Results) != table(t, want) {
				t.Errorf("%s in %d shards, apart %v: %v missing, %d twice, the rows are\n%s\nwant\n%s", name, count, apart, m.Missing, m.Twice, table(t, m.Results), table(t, want))
			}
		}
		os.Remove(file)
	}
}

// TestMergeRefuses: folders of other sweeps, other programs and no sweep at all are named; what is
// missing is told, what is there twice counts once, and what contradicts itself is no result.
//
//test:race
func TestMergeRefuses(t *testing.T) {
	s, other := tigers(), tigers()
	other.Seeds++
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	shard := func(s Spec, folder string, index, count int) {
		t.Helper()
		if _, err := Run(t.Context(), s, Options{Folder: at(folder), Shard: Shard{index, count}}); err != nil {
			t.Fatal(err)
		}
	}
	shard(s, "a", 1, 3)
	shard(s, "b", 2, 3)
	shard(s, "b again", 2, 3)
	shard(other, "other", 3, 3)
	if err := os.Mkdir(at("empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	merge := func(key string, folders ...string) (*MergedRows, error) {
		for i := range folders {
			folders[i] = at(folders[i])
		}
		return Merge(t.Context(), folders, key)
	}
	m, err := merge("", "a", "b", "b again")
	if err != nil || m.Twice != 4 || !slices.Equal(m.Missing, []int{2, 5, 8, 11}) || len(m.Rows) != 12 {
		t.Fatalf("without the third shard: error %v, %+v", err, m)
	}
	for i := range m.Rows {
		if m.Rows[i].Computed() == slices.Contains(m.Missing, i) {
			t.Errorf("row %d: computed %v", i, m.Rows[i].Computed())
		}
	}
	refused := func(want string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	_, err = merge("", "a", "other")
	refused("not of the same sweep and program", err)
	_, err = merge("", "a", "empty")
	refused("folder "+at("empty")+" has no shards", err)
	_, err = merge("", "nowhere")
	refused("nowhere", err)
	_, err = merge("")
	refused("want those that shards were computed in", err)
	_, err = merge("ffff", "a")
	refused("none whose key begins with ffff", err)
	shard(other, "a", 1, 3)
	_, err = merge("", "a")
	refused("shards of 2 sweeps", err)
	if m, err := merge(m.Key[:8], "a"); err != nil || len(m.Rows) != 12 {
		t.Errorf("by its key: %v, %v", m, err)
	}

	// Another program's, with the same sweep.
	was := filepath.Join(at("b"), manifestPrefix+m.Key[:16]+manifestExt)
	text, err := os.ReadFile(was)
	if err != nil {
		t.Fatal(err)
	}
	change := func(from, to string) {
		t.Helper()
		if err := os.WriteFile(was, bytes.Replace(text, []byte(from), []byte(to), 1), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	change(`"go":"`, `"go":"not `)
	_, err = merge("", "b")
	refused("merge them with the same program", err)
	change(`"seeds":2`, `"seeds":1`)
	_, err = merge("", "b")
	refused("is damaged", err)
	change("{", "[")
	_, err = merge("", "b")
	refused("not what sweep run --shard writes", err)
	change("", "")

	// A result that contradicts another one.
	l := ledger{folder: at("b again"), version: ThisVersion()}
	if err := l.put(entry{Key: m.Rows[1].Key, Outcome: []byte(`{"value":1}`)}); err != nil {
		t.Fatal(err)
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	_, err = merge("", "b", "b again")
	refused("trial 1 has one result", err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Merge(ctx, []string{at("b")}, "")
	refused("context canceled", err)
}

// TestRanges writes numbers in short.
func TestRanges(t *testing.T) {
	var odd []int
	for i := range 50 {
		odd = append(odd, 2*i)
	}
	for _, c := range []struct {
		numbers []int
		want    string
	}{{nil, ""}, {[]int{7}, "7"}, {[]int{1, 2, 3, 7, 9, 10}, "1–3, 7, 9–10"}, {odd[:3], "0, 2, 4"}} {
		if got := ranges(c.numbers); got != c.want {
			t.Errorf("%v is %q, want %q", c.numbers, got, c.want)
		}
	}
	if got := ranges(odd); !strings.HasSuffix(got, ", 38 and more") {
		t.Errorf("many are %q", got)
	}
}

// TestFolderRemoved: a shard whose folder somebody removes while it computes does not say that it is done
// with results that are lost; and if it has none yet, all that a merge needs is there in the end.
//
//test:race
func TestFolderRemoved(t *testing.T) {
	s := Spec{Base: Trial{Env: "tiger", Algorithm: "qmdp"}, Seeds: 20}
	for _, done := range []int{0, 10} {
		folder := filepath.Join(t.TempDir(), "results")
		_, err := Run(t.Context(), s, Options{Folder: folder, Shard: Shard{1, 1}, Workers: 1, Progress: func(p SweepProgress) {
			if p.Done == done && p.Note == "" {
				_ = os.RemoveAll(folder)
			}
		}})
		if lost := done > 0; lost && (!errors.Is(err, ErrFolder) || !strings.Contains(err.Error(), "was removed or replaced")) || !lost && err != nil {
			t.Errorf("removed after %d results: error %v", done, err)
		}
		if done > 0 {
			continue
		}
		if m, err := Merge(t.Context(), []string{folder}, ""); err != nil || len(m.Missing) > 0 {
			t.Errorf("the merge says %+v, %v", m, err)
		}
	}
}
