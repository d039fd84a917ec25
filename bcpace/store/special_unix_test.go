//go:build unix

package store

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/disk"
)

// TestSpecialFiles: where a pipe, a folder or a device is in the place of a result,
// nobody waits for it; it is set aside, and the result is computed again.
func TestSpecialFiles(t *testing.T) {
	for what, put := range map[string]func(name string) error{
		"a pipe":   func(name string) error { return syscall.Mkfifo(name, 0o644) },
		"a folder": func(name string) error { return os.Mkdir(name, 0o755) },
		"a device": func(name string) error { return os.Symlink("/dev/zero", name) },
	} {
		s := open(t)
		k, err := resumeKey(fair, options)
		if err != nil {
			t.Fatal(err)
		}
		run, part := s.runFile(key(t, fair, options)), filepath.Join(s.Dir(), (&checkpoints{key: k}).prefix()+"000000010.bcp")
		for _, name := range []string{run, part} {
			if err := put(name); err != nil {
				t.Fatal(err)
			}
		}
		r, origin, err := s.Memo(t.Context(), fair, options, bcpace.Control{})
		if err != nil || r == nil || origin.Cached || origin.Unsaved != nil || !errors.Is(origin.Damaged, disk.ErrNotRegular) {
			t.Errorf("%s for a run: %+v, %v", what, origin, err)
		}
		if _, origin, err = s.Memo(t.Context(), fair, options, bcpace.Control{}); err != nil || !origin.Cached {
			t.Errorf("%s for a run, after it: %+v, %v", what, origin, err)
		}
		if err := put(filepath.Join(s.Dir(), "run-0.bcp")); err != nil {
			t.Fatal(err)
		}
		all, err := s.List()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range all {
			if e.Name == "run-0.bcp" && e.Kind != Foreign {
				t.Errorf("%s in the folder is listed as %+v", what, e)
			}
		}
		if _, err := s.Collect(0); err != nil {
			t.Errorf("%s in the folder: %v", what, err)
		}
	}
}
