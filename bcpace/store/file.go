package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

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
