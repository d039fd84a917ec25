package runtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"os"
	"sync/atomic"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/runs"
)

// The frame of a run file: magic, version, length of the header, header, body, checksum.
const (
	magic   = "bcp-run\n"
	version = 5
	fixed   = len(magic) + 8
)

// Reseal gives bytes the frame of a run file where they are long enough, so
// that a fuzzer gets past magic, version and checksum.
func Reseal(data []byte) []byte {
	if len(data) < fixed+sha256.Size {
		return data
	}
	out := append([]byte(magic), data[len(magic):len(data)-sha256.Size]...)
	binary.LittleEndian.PutUint32(out[len(magic):], version)
	sum := sha256.Sum256(out)
	return append(out, sum[:]...)
}

// WithHeader changes the header of a run file.
func WithHeader(file []byte, change func(map[string]any)) []byte {
	h, n := header(file)
	change(h)
	head, err := json.Marshal(h)
	if err != nil {
		panic(err)
	}
	out := append([]byte(magic), file[len(magic):len(magic)+4]...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(head)))
	return Reseal(append(append(out, head...), file[fixed+n:]...))
}

// header returns the header of a run file and its length.
func header(file []byte) (h map[string]any, n int) {
	n = int(binary.LittleEndian.Uint32(file[len(magic)+4:]))
	in := json.NewDecoder(bytes.NewReader(file[fixed : fixed+n]))
	in.UseNumber() // counts and seeds keep their digits
	if err := in.Decode(&h); err != nil {
		panic(err)
	}
	return h, n
}

// WithState changes the state in a run file, which has one.
func WithState(file []byte, change func([]byte) []byte) []byte {
	h, _ := header(file)
	n, err := h["State"].(json.Number).Int64()
	if err != nil {
		panic(err)
	}
	at := len(file) - sha256.Size - int(n)
	state := change(bytes.Clone(file[at : len(file)-sha256.Size]))
	out := append(append(bytes.Clone(file[:at]), state...), make([]byte, sha256.Size)...)
	return WithHeader(out, func(h map[string]any) {
		body, err := h["Body"].(json.Number).Int64()
		if err != nil {
			panic(err)
		}
		h["State"], h["Body"] = len(state), int(body)+len(state)-int(n)
	})
}

// TB is what testing.TB and rapid.TB have in common, as far as it is needed.
type TB interface {
	Helper()
	Fatal(...any)
}

// Explored returns the run file of what s finds in m with some workers.
func Explored(t TB, m bcpace.Model, s runs.Explorer, workers int) []byte {
	t.Helper()
	r, err := s.Explore(context.Background(), m, bcpace.Control{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return Bytes(t, r)
}

// GoOn resumes a run of any solver for a little while.
func GoOn(r *runs.Run) {
	s := With(r.Solver, func(o *cpace.Solver) { o.Batch, o.CertificateEpisodes = min(o.Batch, 10), -1 },
		func(s *certified.Solver) { s.Batch, s.CertificateEpisodes = min(s.Batch, 10), -1 })
	_, _ = runs.Resume(Asked(100), r, s)
}

// Bytes returns the run file of r.
func Bytes(t TB, r *runs.Run) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := r.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// With returns s with parameters that one of the two functions has changed.
func With(s runs.Explorer, paper func(*cpace.Solver), search func(*certified.Solver)) runs.Explorer {
	switch s := s.(type) {
	case cpace.Solver:
		paper(&s)
		return s
	case certified.Solver:
		search(&s)
		return s
	}
	return s
}

// patient is a context that is cancelled when it is asked for the n-th time: at
// the end of a round, within an episode, or within the search for a fixed point.
type patient struct {
	context.Context
	left atomic.Int64
}

// Err implements context.Context.
func (c *patient) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Asked returns a context that ends when it is asked for the n-th time.
func Asked(n int) context.Context {
	c := &patient{Context: context.Background()}
	c.left.Store(int64(n))
	return c
}

// Lacks ends a test that needs what this machine lacks: it is skipped, but in CI, which must
// have everything, it fails.
func Lacks(t interface {
	TB
	Skip(...any)
}, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}
