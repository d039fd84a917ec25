package store

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
)

// TestConcurrentCleaning: goroutines that clean, list, read and write one store, each
// as if it were a process of its own, all succeed, and each file is removed once.
//
//test:race
func TestConcurrentCleaning(t *testing.T) {
	dir := t.TempDir()
	for i := range 200 {
		for _, name := range []string{"run-%d.bcp.damaged", "solution-%d.json.damaged", tempPrefix + "%d"} {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf(name, i)), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	var all sync.WaitGroup
	var mutex sync.Mutex
	removed := map[string]int{}
	for worker := range 8 {
		all.Go(func() {
			s, err := Open(dir)
			if err != nil {
				t.Error(err)
				return
			}
			for i := range 5 {
				list, err := s.Collect(0)
				if err != nil {
					t.Error(err)
				}
				mutex.Lock()
				for _, e := range list {
					if e.Kind == SetAside {
						removed[e.Name]++
					}
				}
				mutex.Unlock()
				if _, err := s.List(); err != nil {
					t.Error(err)
				}
				o := cpace.Solver{Epsilon: 1, MaxEpisodes: 1 + i%2, CertificateEpisodes: -1}
				if r, origin, err := s.Memo(t.Context(), fair, o, bcpace.Control{}); err != nil || len(r.Trace) != o.MaxEpisodes || origin.Damaged != nil || origin.Unsaved != nil {
					t.Errorf("worker %d: %+v, %v", worker, origin, err)
				}
			}
		})
	}
	all.Wait()
	for name, n := range removed {
		if n != 1 {
			t.Errorf("%s was removed %d times", name, n)
		}
	}
	if len(removed) != 400 {
		t.Errorf("%d files that were set aside are removed, want 400", len(removed))
	}
}
