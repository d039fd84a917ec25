package disk

import (
	"context"
	"fmt"
	"io"
	"os"
)

// OpenAny opens a file, which may be a pipe, for reading under a context: Read ends with it at the
// latest, and so does the opening of a pipe that nobody writes to.
func OpenAny(ctx context.Context, path string) (io.ReadCloser, error) {
	file, err := openAny(ctx, path)
	if err != nil {
		return nil, err
	}
	return openFile{Within(ctx, file), file}, nil
}

// openFile is a file that is read through another reader.
type openFile struct {
	io.Reader
	io.Closer
}

func openAny(ctx context.Context, path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, Unreadable(path, err)
	}
	if info.Mode()&os.ModeNamedPipe == 0 {
		file, err := os.Open(path)
		if err != nil {
			return nil, Unreadable(path, err)
		}
		return file, nil
	}
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
		return o.file, o.err
	case <-ctx.Done():
	}
	go func() { // the file is closed once its writer has come
		if o := <-done; o.err == nil {
			o.file.Close()
		}
	}()
	return nil, fmt.Errorf("%s: %w", path, context.Cause(ctx))
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
