package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/disk"
)

// Shard is a share of a sweep's trials for one of many processes that do not talk to one another:
// number Index, from 1 up, of Count. The zero value is the whole sweep.
//
// The trials are dealt out in turn, so that each shard has some of every setting. Trials that are
// the same are one and fall into one shard. All shards together have every trial, and no trial is
// in two of them.
type Shard struct{ Index, Count int }

// MaxShards is the most shards of a sweep.
const MaxShards = 1_000_000

// String writes it as --shard takes it, such as 3/40; "" for the whole sweep.
func (s Shard) String() string {
	if s == (Shard{}) {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Count)
}

// Check returns an *bcpace.InputError for a shard that there cannot be.
func (s Shard) Check() error {
	return bcpace.In("sweep").Need(s == (Shard{}) || s.Count >= 1 && s.Count <= MaxShards && s.Index >= 1 && s.Index <= s.Count, "the shard", fmt.Sprintf("number %d of %d", s.Index, s.Count), fmt.Sprintf("a number from 1 to that of all shards, at most %d", MaxShards))
}

// has reports whether the shard has the unique trial with that number, from 0 up.
func (s Shard) has(unique int) bool { return s.Count == 0 || unique%s.Count == s.Index-1 }

// identities returns for each trial what determines its result beside the code: trials that have
// the same one have the same key.
func identities(trials []Trial, read func(file string) ([]byte, error)) (ids []string, files map[string][]byte, err error) {
	files = make(map[string][]byte) // by name in the trial
	for i, t := range trials {
		if t.Model != "" {
			content, ok := files[t.Model]
			if !ok {
				if content, err = read(t.Model); err != nil {
					return nil, nil, fmt.Errorf("trial %d: %w", i, err)
				}
				files[t.Model] = content
			}
			t.Model = strings.ToLower(filepath.Ext(t.Model)) + " " + blobName(content)
		}
		ids = append(ids, string(canonical(t)))
	}
	return ids, files, nil
}

// deal returns the numbers of the trials of a shard.
func (s Shard) deal(ids []string) (numbers []int) {
	unique := make(map[string]int, len(ids))
	for i, id := range ids {
		n, ok := unique[id]
		if !ok {
			n = len(unique)
			unique[id] = n
		}
		if s.has(n) {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// manifest says in a folder which sweep its shards are of, so that they can be merged without the
// sweep's own file and the model files that it names.
type manifest struct {
	Format  int     `json:"format"`
	Key     string  `json:"key"` // of keyOf, for all trials
	Version Version `json:"version"`
	Trials  int     `json:"trials"`
	// Files has the names of the blobs with the content of model files.
	Files map[string]string `json:"files,omitempty"`
	Spec  json.RawMessage   `json:"spec"`
}

const (
	manifestFormat = 1
	manifestPrefix = "sweep-"
	manifestExt    = ".json"
)

// write keeps the manifest of a sweep and its model files in a folder, unless they are there.
func (m manifest) write(folder string, kept *local, files map[string][]byte) error {
	name := filepath.Join(folder, manifestPrefix+m.Key[:16]+manifestExt)
	if was, err := readManifest(name); err == nil && was.Key == m.Key {
		return nil
	}
	m.Files = make(map[string]string, len(files))
	for file, content := range files {
		blob, err := kept.put(content)
		if err != nil {
			return err
		}
		m.Files[file] = blob
	}
	if err := writeIn(folder, filepath.Base(name), append(canonical(m), '\n')); err != nil {
		return unkept(err)
	}
	return nil
}

func readManifest(name string) (m manifest, err error) {
	text, err := readFile(name)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil || m.Format != manifestFormat || !isName(m.Key) {
		return m, fmt.Errorf("%s is not what sweep run --shard writes: remove it, and run a shard again", name)
	}
	return m, nil
}

// manifests returns those of a folder by their keys.
func manifests(folder string) (map[string]manifest, error) {
	names, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("sweep: the folder of results: %w", err)
	}
	all := make(map[string]manifest)
	for _, f := range names {
		if !strings.HasPrefix(f.Name(), manifestPrefix) || !strings.HasSuffix(f.Name(), manifestExt) || !f.Type().IsRegular() {
			continue
		}
		m, err := readManifest(filepath.Join(folder, f.Name()))
		if err != nil {
			return nil, err
		}
		all[m.Key] = m
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("folder %s has no shards of a sweep, which sweep run --shard makes; sweep export writes the rows of another folder", folder)
	}
	return all, nil
}

// common returns the sweep of which all folders have shards. key is the beginning of its key, for
// folders that have shards of several.
func common(folders []string, key string) (m manifest, err error) {
	var in []map[string]manifest
	for _, folder := range folders {
		all, err := manifests(folder)
		if err != nil {
			return m, err
		}
		in = append(in, all)
	}
	found := slices.DeleteFunc(sorted(in[0]), func(k string) bool {
		return !strings.HasPrefix(k, key) || slices.ContainsFunc(in, func(all map[string]manifest) bool { return all[k].Key == "" })
	})
	describe := func(all map[string]manifest) string {
		return strings.Join(column(sorted(all), func(k *string) string {
			return fmt.Sprintf("%.16s (%d trials, program %v)", *k, all[*k].Trials, all[*k].Version)
		}), ", ")
	}
	switch {
	case len(found) == 1:
		return in[0][found[0]], nil
	case len(found) > 1:
		return m, fmt.Errorf("the folders have shards of %d sweeps, with the keys %.16q: say which one by its key, which sweep run --shard prints", len(found), found)
	}
	for i := range in {
		if i > 0 && describe(in[i]) != describe(in[0]) {
			return m, fmt.Errorf("folder %s has shards of sweep %s, and folder %s of %s: they are not of the same sweep and program", folders[0], describe(in[0]), folders[i], describe(in[i]))
		}
	}
	return m, fmt.Errorf("folder %s has shards of sweep %s, and none whose key begins with %s", folders[0], describe(in[0]), key)
}

// MergedRows are the rows of a sweep whose shards were computed in one folder or in several.
type MergedRows struct {
	*Results
	// Key is that of the sweep and its code, as in the folders.
	Key string
	// Missing are the numbers of the trials that have neither a result nor a fault.
	Missing []int
	// Twice is the number of results that were there more than once, as where a shard was run
	// again in another folder. Each counts once.
	Twice int
}

// Merge returns the rows of a sweep from the folders of its shards (Options.Shard). They are those
// of Run but for what they measure. Nothing is computed.
//
// A trial that has failed in one folder and has a result in another one has that result. The error
// says so where a folder has no shards, where the folders have no sweep in common, or several and
// key, the beginning of a sweep's key, does not say which; where another program has computed them;
// and where two folders contradict each other, which nothing but a fault of the machine or an
// untrue model explains.
func Merge(ctx context.Context, folders []string, key string) (*MergedRows, error) {
	if len(folders) == 0 {
		return nil, bcpace.In("Merge").Bad("the folders", "none", "those that shards were computed in")
	}
	folders = disk.Distinct(folders)
	m, err := common(folders, key)
	if err != nil {
		return nil, err
	}
	if v := ThisVersion(); m.Version != v {
		return nil, fmt.Errorf("folder %s: program %v has computed its shards, and this is %v: merge them with the same program", folders[0], m.Version, v)
	}
	s, err := Read(bytes.NewReader(m.Spec), "of the shards in "+folders[0])
	if err != nil {
		return nil, err
	}
	blob := func(name string) (data []byte, err error) {
		for _, folder := range folders {
			kept := local{folder: filepath.Join(folder, blobFolder)}
			if data, err = kept.get(name); !errors.Is(err, fs.ErrNotExist) {
				return data, err
			}
		}
		return nil, err
	}
	read := func(file string) ([]byte, error) { return blob(m.Files[file]) }
	x, err := newRunner(ctx, s, Options{Folder: folders[0], read: read})
	if err != nil {
		return nil, err
	}
	ids, _, err := identities(column(x.results.Rows, func(x *TrialRow) Trial { return x.Trial }), read)
	if err != nil {
		return nil, err
	}
	if k := keyOf(m.Version, ids...); k != m.Key {
		return nil, fmt.Errorf("folder %s: the sweep in it has the key %.16s, and its trials give %.16s: its file %s is damaged", folders[0], m.Key, k, manifestPrefix+m.Key[:16]+manifestExt)
	}
	x.results.blob = blob
	merged := &MergedRows{Results: x.results, Key: m.Key}
	if merged.Twice, err = x.join(folders); err != nil {
		return nil, err
	}
	for i := range x.results.Rows {
		if r := &x.results.Rows[i]; !r.Computed() && r.Fault == "" {
			merged.Missing = append(merged.Missing, i)
		}
	}
	return merged, nil
}

// join fills in the rows with what the folders have, and returns how many results were there
// again.
func (ru *runner) join(folders []string) (twice int, err error) {
	type place struct{ folder, outcome string }
	first := make(map[string]place)
	for _, folder := range folders {
		l := ledger{folder: folder, version: ru.ledger.version, seen: make(map[string]int64)}
		var contradicts error
		if err := l.find(func(e entry) {
			rows := ru.rows[e.Key]
			if len(rows) == 0 {
				return
			}
			row := &ru.results.Rows[rows[0]]
			if e.Fault != "" {
				if !row.Computed() && row.Fault == "" {
					ru.fill(e, true)
				}
				return
			}
			if was, ok := first[e.Key]; ok {
				if twice++; was.outcome != string(e.Outcome) && !row.Timed && contradicts == nil {
					contradicts = fmt.Errorf("trial %d has one result in folder %s and another in %s: run it again, and mistrust the machine or the model", row.Number, was.folder, folder)
				}
				return
			}
			if ru.fill(e, true) {
				first[e.Key] = place{folder, string(e.Outcome)}
			}
		}); err != nil {
			return 0, err
		}
		if contradicts != nil {
			return 0, contradicts
		}
	}
	return twice, nil
}

// Ranges writes the numbers of what is missing, such as 3, 17–20; at most 20 ranges.
func (m *MergedRows) Ranges() string { return ranges(m.Missing) }

func ranges(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		end := i
		for end+1 < len(numbers) && numbers[end+1] == numbers[end]+1 {
			end++
		}
		if len(parts) == 20 {
			return strings.Join(parts, ", ") + " and more"
		}
		part := fmt.Sprint(numbers[i])
		if end > i {
			part += fmt.Sprintf("–%d", numbers[end])
		}
		parts = append(parts, part)
		i = end + 1
	}
	return strings.Join(parts, ", ")
}
