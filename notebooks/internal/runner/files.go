package runner

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// writeFile writes data to a temporary file beside path, syncs it and renames
// it, so that path always holds all of the old or all of the new.
func writeFile(path string, data []byte) error { return write(path, data, 0o755, 0o644) }

// writeSecret is writeFile for what only the user may read.
func writeSecret(path string, data []byte) error { return write(path, data, 0o700, 0o600) }

func write(path string, data []byte, dirMode, mode fs.FileMode) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
			err = fmt.Errorf("writing %s: %w", path, err)
		}
	}()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Chmod(mode); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
