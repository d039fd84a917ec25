// Package disk opens regular files, locks them between processes, and refuses what is no regular file: to
// open or to read a pipe, a socket or a device may take without end. Where a pipe is fine, OpenAny ends
// with a context.
package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ErrNotRegular is the cause of an error about something that is not a regular file.
var ErrNotRegular = errors.New("not a regular file")

// Open opens a regular file for reading, behind a symbolic link as well. Anything
// else is refused at once, with an error that wraps ErrNotRegular. All errors name the file.
func Open(name string) (*os.File, error) {
	// The first look keeps devices closed; the second one is at what was opened.
	info, err := os.Stat(name)
	if err != nil {
		return nil, Unreadable(name, err)
	}
	if err := check(name, info); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // does not wait for who writes into a pipe
	if err != nil {
		return nil, Unreadable(name, err)
	}
	if info, err = f.Stat(); err == nil {
		err = check(name, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Read returns the content of a regular file, of which it reads so many bytes at most. The errors are
// those of Open, and of reading.
func Read(name string, most int64) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// Unreadable names a file beside the cause of err, which package os has returned for it,
// without the name of the system call.
func Unreadable(name string, err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("cannot read %s: %w", name, err)
}

func check(name string, info fs.FileInfo) error {
	what := ""
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		what = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		what = "a pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	default:
		what = "a device"
	}
	return fmt.Errorf("%s is %s, %w", name, what, ErrNotRegular)
}
