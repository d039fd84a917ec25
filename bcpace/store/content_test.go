package store

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

// full takes so many bytes and no more.
type full struct {
	bytes.Buffer
	free int
}

var errFull = errors.New("no space")

func (f *full) Write(p []byte) (int, error) {
	n, _ := f.Buffer.Write(p[:min(len(p), f.free)])
	if f.free -= n; n < len(p) {
		return n, errFull
	}
	return n, nil
}

// A Content says how many bytes have been written, also where an error ends it.
func TestContentCounts(t *testing.T) {
	const text = "one and another"
	c := Content(func(w io.Writer) error {
		if _, err := io.WriteString(w, text[:3]); err != nil {
			return err
		}
		_, err := io.WriteString(w, text[3:])
		return err
	})
	for free := range len(text) + 2 {
		w := full{free: free}
		n, err := c.WriteTo(&w)
		if want := min(free, len(text)); n != int64(want) || w.Len() != want || errors.Is(err, errFull) != (want < len(text)) {
			t.Errorf("with room for %d bytes: %d are counted and %d written, error %v", free, n, w.Len(), err)
		}
	}
}
