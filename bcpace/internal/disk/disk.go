// Package disk opens regular files, locks them between processes, and refuses what is no regular file: to
// open or to read a pipe, a socket or a device may take without end. Where a pipe is fine, OpenAny ends
// with a context.
package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
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
	f, err := os.OpenFile(name, os.O_RDONLY|atOnce, 0)
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

// OpenAny opens a file, which may be a pipe, for reading under a context: Read ends with it at the
// latest, and so does the opening of a pipe that nobody writes to.
func OpenAny(ctx context.Context, path string) (io.ReadCloser, error) {
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened, 1)
	go func() {
		file, err := os.Open(path)
		done <- opened{file, err}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return nil, Unreadable(path, o.err)
		}
		return openFile{Within(ctx, o.file), o.file}, nil
	case <-ctx.Done():
	}
	go func() { // the file is closed once its writer has come
		if o := <-done; o.err == nil {
			o.file.Close()
		}
	}()
	return nil, fmt.Errorf("%s: %w", path, context.Cause(ctx))
}

// openFile is a file that is read through another reader.
type openFile struct {
	io.Reader
	io.Closer
}

// Within returns r such that a Read ends with ctx.
func Within(ctx context.Context, r io.Reader) io.Reader {
	if _, is := r.(openFile); is || ctx.Done() == nil {
		return r
	}
	return &contextReader{ctx: ctx, r: r, done: make(chan chunk, 1)}
}

// contextReader reads in a goroutine of its own, which ctx leaves behind if it
// ends first.
type contextReader struct {
	ctx  context.Context
	r    io.Reader
	buf  []byte
	done chan chunk
}

// chunk is what a Read returned.
type chunk struct {
	n   int
	err error
}

// Read implements io.Reader.
func (c *contextReader) Read(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	if len(c.buf) < len(p) {
		c.buf = make([]byte, len(p))
	}
	buf := c.buf[:len(p)]
	go func() {
		n, err := c.r.Read(buf)
		c.done <- chunk{n, err}
	}()
	select {
	case read := <-c.done:
		return copy(p, buf[:read.n]), read.err
	case <-c.ctx.Done():
		return 0, context.Cause(c.ctx)
	}
}

// Distinct returns the names of files or folders without those that lead to an earlier one. What is not
// there stays.
func Distinct(names []string) (list []string) {
	var seen []os.FileInfo
	for _, name := range names {
		info, err := os.Stat(name)
		if err == nil && slices.ContainsFunc(seen, func(x os.FileInfo) bool { return os.SameFile(x, info) }) {
			continue
		}
		list, seen = append(list, name), append(seen, info)
	}
	return list
}

// Stays returns an error for an open file that its name leads to no more, as when somebody has removed
// its folder: what is written into it is lost.
func Stays(f *os.File) error {
	open, err := f.Stat()
	if err != nil {
		return err
	}
	if named, err := os.Stat(f.Name()); err != nil || !os.SameFile(open, named) {
		return fmt.Errorf("%s was removed or replaced while it was written", f.Name())
	}
	return nil
}

// ErrLocked says that another process holds the lock of a file.
var ErrLocked = errors.New("locked by another process")
