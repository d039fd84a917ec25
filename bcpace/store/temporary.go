package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bayescpace/bcpace/internal/disk"
)

// tempPrefix begins the names of files that are being written.
const tempPrefix = ".bcpace-new-"

// createTemp makes a temporary file in dir and locks it until it is closed. The
// lock tells other processes that its writer lives: it ends with the process,
// however that ends. Temporary files without one are removed first, so that
// writers which were killed leave no more than the next one clears away.
func createTemp(dir string) (*os.File, error) {
	removeAbandoned(dir)
	for {
		f, err := os.CreateTemp(dir, tempPrefix)
		if err != nil {
			return nil, err
		}
		// Before it was locked, another process may have taken it for abandoned.
		if err := disk.Lock(f); !errors.Is(err, disk.ErrLocked) && !gone(f) {
			return f, nil // a file system without locks does without
		}
		f.Close()
	}
}

// gone says that a file has lost its name.
func gone(f *os.File) bool {
	_, err := os.Lstat(f.Name())
	return errors.Is(err, fs.ErrNotExist)
}

// removeAbandoned removes the temporary files in dir whose writers were killed.
// What it cannot remove does no harm.
func removeAbandoned(dir string) {
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		if f.Type().IsRegular() && strings.HasPrefix(f.Name(), tempPrefix) {
			removeIfAbandoned(filepath.Join(dir, f.Name()))
		}
	}
}

// removeIfAbandoned removes a temporary file unless a process is writing it, and
// reports whether it did.
func removeIfAbandoned(name string) bool {
	f, err := os.OpenFile(name, os.O_RDWR, 0) // a network's file system wants it writable for a lock
	if err != nil {
		return false
	}
	defer f.Close() // and unlock it, after it has lost its name
	return disk.Lock(f) == nil && os.Remove(name) == nil
}
