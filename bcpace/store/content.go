package store

import "io"

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
