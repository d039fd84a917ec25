package runs_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// endless is a file that continues with zeros, and counts what is read of it.
type endless struct {
	begin io.Reader
	read  int
}

func (e *endless) Read(p []byte) (int, error) {
	n, err := e.begin.Read(p)
	if err == io.EOF {
		clear(p)
		n = len(p)
	}
	e.read += n
	return n, nil
}

// TestEndlessRunFile: of what continues behind a run, or is none, little is read.
func TestEndlessRunFile(t *testing.T) {
	whole := runtest.Explored(t, envs.Tiger{}, cpace.Solver{Epsilon: 1, LipQ: 60, K: 2, MaxEpisodes: 5, CertificateEpisodes: -1}, 0)
	long := bytes.Clone(whole)
	copy(long[12:], "\xff\xff\xff\xff") // its header
	for _, c := range []struct {
		name, want string
		begin      []byte
		most       int
	}{
		{"a run with zeros behind it", "truncated or damaged", whole, len(whole) + 1},
		{"zeros", "another kind of file", nil, 48},
		{"a later version", "version 6", bytes.Replace(whole, []byte{6, 0, 0, 0}, []byte{66, 0, 0, 0}, 1), 48},
		{"a long header", "4294967295 bytes", long, 48},
	} {
		for _, read := range []func(io.Reader) error{
			func(r io.Reader) error { _, err := runs.Read(r, envs.New, nil); return err },
			func(r io.Reader) error { _, err := runs.ReadInfo(r); return err },
		} {
			e := &endless{begin: bytes.NewReader(c.begin)}
			if err := read(e); !errors.Is(err, runs.ErrFormat) || !strings.Contains(err.Error(), c.want) || e.read > c.most {
				t.Errorf("%s: %d bytes are read, want %d at most; error %v", c.name, e.read, c.most, err)
			}
		}
	}
}

// TestWideCounts: counts of any size come back from a file.
func TestWideCounts(t *testing.T) {
	m := envs.Tiger{}
	r, err := runs.Explore(t.Context(), m, cpace.Solver{Epsilon: 1, LipQ: 60, K: 2, MaxEpisodes: 5, CertificateEpisodes: -1})
	if err != nil {
		t.Fatal(err)
	}
	r.Trace[0].Steps, r.Trace[1].Escapes, r.Trace[2].Added, r.Trace[3].Sweeps = math.MaxInt32+1, 1<<40, -1<<50, math.MaxInt32
	read, err := runs.Read(bytes.NewReader(runtest.Bytes(t, r)), runs.FixedModel(m), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, was := range r.Trace {
		if read.Trace[i] != was {
			t.Errorf("episode %d is %+v, was %+v", i, read.Trace[i], was)
		}
	}
}
