package runner

import (
	"cmp"
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

func write(path string, data []byte, dirMode, mode fs.FileMode) error {
	err := os.MkdirAll(filepath.Dir(path), dirMode)
	if err == nil {
		err = replace(path, data, mode)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

func replace(path string, data []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // which is not there any more where all is well
	_, err = f.Write(data)
	if err = cmp.Or(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
