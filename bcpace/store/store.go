package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/disk"
	"bayescpace/bcpace/runs"
)

// Store is a folder of results. Several processes may use one at a time: a
// result appears in it as a whole or not at all.
type Store struct{ dir string }

// Open returns the store in dir, and makes the folder where it is missing.
// The error says where a folder that cannot be written to lies.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, unwritable(dir, err)
	}
	if err := tryFolder(dir); err != nil {
		return nil, unwritable(dir, err)
	}
	return &Store{dir}, nil
}

// OpenDefault returns the store in Folder.
func OpenDefault() (*Store, error) {
	dir, err := Folder()
	if err != nil {
		return nil, err
	}
	return Open(dir)
}

func unwritable(dir string, err error) error {
	return fmt.Errorf("store: results cannot be kept in %s: %w; set BAYESCPACE_STORE to a folder that can be written to", dir, cause(err))
}

// cause drops the path of a path error, where the message names it already.
func cause(err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err
	}
	return err
}

// Dir returns the folder of the store.
func (s *Store) Dir() string { return s.dir }

// Run returns the run of the given key, whose model and latent values (those
// of cpace.Solver.Latent) are available. The error is fs.ErrNotExist where there is
// none, and names the file where it is damaged.
func (s *Store) Run(key Key, m bcpace.Model, latent bcpace.LatentValues) (*runs.Run, error) {
	return readRun(s.runFile(key), m, latent)
}

func readRun(name string, m bcpace.Model, latent bcpace.LatentValues) (*runs.Run, error) {
	f, err := disk.Open(name)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	defer f.Close()
	r, err := runs.Read(f, runs.FixedModel(m), latent)
	if err != nil {
		return nil, fmt.Errorf("store: %s: %w", name, err)
	}
	return r, nil
}

// PutRun files a run under a key.
func (s *Store) PutRun(key Key, r *runs.Run) error {
	return s.write(s.runFile(key), r)
}

// runExt ends the names of runs and checkpoints.
const runExt = ".bcp"

func (s *Store) runFile(key Key) string { return filepath.Join(s.dir, "run-"+string(key)+runExt) }

// asideExt is added to the name of a file that cannot be read.
const asideExt = ".damaged"

// setAside makes room for a result where there is a file that cannot be read. Its
// content stays as it is.
func (s *Store) setAside(name string) error {
	if err := os.Rename(name, name+asideExt); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("store: %s cannot be set aside: %w", name, cause(err))
	}
	return nil
}

// write is WriteFile with the advice of a folder that cannot be written to.
func (s *Store) write(name string, content io.WriterTo) error {
	if err := tryFolder(s.dir); err != nil {
		return unwritable(s.dir, err)
	}
	if err := WriteFile(name, content); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}
