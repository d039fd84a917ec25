package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/disk"
)

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
	blob := func(ctx context.Context, name string) (data []byte, err error) {
		for _, folder := range folders {
			kept := Local{Folder: filepath.Join(folder, "blobs")}
			if data, err = kept.Get(ctx, name); !errors.Is(err, fs.ErrNotExist) {
				return data, err
			}
		}
		return nil, err
	}
	read := func(file string) ([]byte, error) { return blob(ctx, m.Files[file]) }
	x, err := newRunner(ctx, s, Options{Folder: folders[0], read: read})
	if err != nil {
		return nil, err
	}
	ids, _, err := identities(column(x.results, func(x *TrialRow) Trial { return x.Trial }), read)
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
		l := ledger{folder: folder, version: ru.ledger.version}
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
