package sweep

import (
	"fmt"
	"path/filepath"
	"strings"

	"bayescpace/bcpace"
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
	if s != (Shard{}) && (s.Count < 1 || s.Count > MaxShards || s.Index < 1 || s.Index > s.Count) {
		return bcpace.In("sweep").Bad("the shard", fmt.Sprintf("number %d of %d", s.Index, s.Count), fmt.Sprintf("a number from 1 to that of all shards, at most %d", MaxShards))
	}
	return nil
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
