package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

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
	return readFile(name, func(f *os.File) (*runs.Run, error) { return runs.Read(f, runs.FixedModel(m), latent) })
}

// readFile reads a file of a store.
func readFile[T any](name string, read func(f *os.File) (T, error)) (x T, err error) {
	f, err := disk.Open(name)
	if err != nil {
		return x, fmt.Errorf("store: %w", err)
	}
	defer f.Close()
	if x, err = read(f); err != nil {
		err = fmt.Errorf("store: %s: %w", name, err)
	}
	return x, err
}

// PutRun files a run under a key.
func (s *Store) PutRun(key Key, r *runs.Run) error { return s.write(s.runFile(key), r) }

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

// rename gives a file that is written and synced its name. Tests end the process
// here.
var rename = os.Rename

// WriteFile makes the file called name as a whole: under a temporary name in
// the same folder, synced and renamed, so that neither a crash nor another
// process leaves half of one. A file that was there is replaced, and behind a
// symbolic link the file it leads to; its permissions stay. The error names the
// file; what is not a regular file is refused, as a rename would put a file in its
// place. Of a process that is killed a temporary file is left, which the next
// WriteFile or CheckFile in that folder removes.
func WriteFile(name string, content io.WriterTo) error {
	target, err := regular(name)
	if err != nil {
		return err
	}
	f, err := createTemp(filepath.Dir(target))
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, cause(err))
	}
	defer f.Close()
	if err := fill(f, target, content); err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("writing %s: %w", name, cause(err))
	}
	return nil
}

// CheckFile returns the error that WriteFile would meet at once, such as a
// folder that is missing or cannot be written to. It is meant for the time
// before long work, and leaves nothing behind.
func CheckFile(name string) error {
	target, err := regular(name)
	if err != nil {
		return err
	}
	if err := tryFolder(filepath.Dir(target)); err != nil {
		return fmt.Errorf("%s cannot be written: folder %s: %w", name, filepath.Dir(target), cause(err))
	}
	return nil
}

// regular follows symbolic links and returns the name to write under.
func regular(name string) (string, error) {
	bad := func(why any) (string, error) { return "", fmt.Errorf("%q cannot be written: %v", name, why) }
	if name == "" || os.IsPathSeparator(name[len(name)-1]) {
		return bad("it names no file")
	}
	if info, err := os.Lstat(name); err == nil && info.Mode()&os.ModeSymlink != 0 {
		target, err := filepath.EvalSymlinks(name)
		if err != nil {
			return bad(fmt.Errorf("a symbolic link that leads nowhere: %w", cause(err)))
		}
		name = target
	}
	switch info, err := os.Stat(name); {
	case err == nil && info.IsDir():
		return bad("it is a folder")
	case err == nil && !info.Mode().IsRegular():
		return bad("it is a device or a pipe, not a regular file")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return bad(cause(err))
	}
	return name, nil
}

// tryFolder makes and removes a temporary file in dir.
func tryFolder(dir string) error {
	f, err := createTemp(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := os.Remove(f.Name()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil // where there are no locks, another process may take it for abandoned
}

// fill writes content to f and gives it its name. The file stays open: its lock
// must last as long as its temporary name.
func fill(f *os.File, name string, content io.WriterTo) error {
	if _, err := content.WriteTo(f); err != nil {
		return err
	}
	mode := fs.FileMode(0o644) // other users of a shared clone may read it
	if info, err := os.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	if err := f.Chmod(mode); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := rename(f.Name(), name); err != nil {
		return err
	}
	syncDir(filepath.Dir(name))
	return nil
}

// syncDir makes a rename in dir last. Some file systems cannot sync a folder,
// and the file is whole in any case.
func syncDir(dir string) {
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	defer d.Close()
	_ = d.Sync()
}

// module is the last element of the module path of this project: a home may
// stand before it.
const module = "bayescpace"

// Folder returns the folder of the store: $BAYESCPACE_STORE if that is set;
// else .bayescpace/store in the nearest folder above the working folder, or
// above the notebook, that holds this project's go.mod or a go.work that uses
// it; else a folder of this project in the user's cache.
func Folder() (string, error) {
	if dir := os.Getenv("BAYESCPACE_STORE"); dir != "" {
		return filepath.Abs(dir)
	}
	wd, _ := os.Getwd() // "" where there is none
	for _, dir := range []string{wd, os.Getenv("GONB_DIR")} {
		if root, ok := projectAbove(dir); ok {
			return filepath.Abs(filepath.Join(root, ".bayescpace", "store"))
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("store: no folder to keep results in: %w; set BAYESCPACE_STORE to one", err)
	}
	return filepath.Join(cache, module, "store"), nil
}

// projectAbove walks up from dir, "" for none, to the folder that holds the project, or a
// workspace with it.
func projectAbove(dir string) (string, bool) {
	for up := ""; dir != up; dir, up = filepath.Dir(dir), dir {
		if isProject(filepath.Join(dir, "go.mod")) || usesProject(filepath.Join(dir, "go.work")) {
			return dir, true
		}
	}
	return "", false
}

// isProject reports whether a go.mod is that of this project.
func isProject(file string) bool {
	text, err := disk.Read(file, 1<<20)
	return err == nil && path.Base(modfile.ModulePath(text)) == module
}

// usesProject reports whether a go.work uses this project.
func usesProject(file string) bool {
	text, err := disk.Read(file, 1<<20)
	if err != nil {
		return false
	}
	work, err := modfile.ParseWork(file, text, nil)
	return err == nil && slices.ContainsFunc(work.Use, func(use *modfile.Use) bool {
		dir := use.Path
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(filepath.Dir(file), dir)
		}
		return isProject(filepath.Join(dir, "go.mod"))
	})
}

// Content is what a file holds, as a function that writes it. WriteFile takes it.
type Content func(w io.Writer) error

// WriteTo implements io.WriterTo: it returns how many bytes w has taken, also with an error.
func (c Content) WriteTo(w io.Writer) (int64, error) {
	counted := counter{w: w}
	err := c(&counted)
	return counted.n, err
}

// counter counts the bytes that it passes on.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

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
