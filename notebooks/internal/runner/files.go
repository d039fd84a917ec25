package runner

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// writeFile writes data to a temporary file beside path, syncs it and renames
// it, so that path always holds all of the old or all of the new. A file that holds them is left as it is.
func writeFile(path string, data []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return write(path, data, 0o755, 0o644)
}

// writeFiles writes files below a folder, by their paths there.
func writeFiles[T ~string | ~[]byte](dir string, files map[string]T) error {
	for path, data := range files {
		if err := writeFile(filepath.Join(dir, filepath.FromSlash(path)), []byte(data)); err != nil {
			return err
		}
	}
	return nil
}

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

// A stamp is a file for a finished step of set-up, with the key that the step was done for.
// A step that is under way or failed has none, so that it is done again.

func (p Place) stamp(step string) string { return filepath.Join(p.Private, "stamps", step) }

// key makes one short key of all that a step depends on.
func key(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// fileKey is the key of files' contents.
func fileKey(paths ...string) (string, error) {
	var parts []string
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("reading what set-up depends on: %w", err)
		}
		parts = append(parts, string(data))
	}
	return key(parts...), nil
}
