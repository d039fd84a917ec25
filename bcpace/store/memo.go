package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"bayescpace/bcpace"
)

// Origin says where a result came from.
type Origin struct {
	// Cached says that it was read from the store.
	Cached bool
	// Damaged is set where the store had the result in a file that cannot be
	// read, which it names. The result was then computed again and the file
	// replaced.
	Damaged error
	// Unsaved is set where a computed result could not be written.
	Unsaved error
}

// Memo is bcpace.Explore with a memory in the default store: the run of the
// same model, options and code comes back as it was. A run that was cut off by
// ctx is returned and not stored. A store that cannot be written to is an
// error before the exploration begins.
func Memo(ctx context.Context, m bcpace.Model, opts bcpace.Options) (*bcpace.Run, Origin, error) {
	s, err := OpenDefault()
	if err != nil {
		return nil, Origin{}, err
	}
	return s.Memo(ctx, m, opts)
}

// Memo is the function Memo with this store.
func (s *Store) Memo(ctx context.Context, m bcpace.Model, opts bcpace.Options) (*bcpace.Run, Origin, error) {
	key, err := RunKey(m, opts)
	if err != nil {
		return nil, Origin{}, err
	}
	var origin Origin
	r, err := s.Run(key, m, opts.Latent)
	switch {
	case err == nil && sameOptions(r.Options, opts):
		r.Options = opts
		origin.Cached = true
		return r, origin, nil
	case err == nil:
		origin.Damaged = fmt.Errorf("store: %s: %w: it holds a run with other options", s.runFile(key), bcpace.ErrFormat)
	case !errors.Is(err, fs.ErrNotExist):
		origin.Damaged = err
	}
	r, err = bcpace.Explore(ctx, m, opts)
	if err != nil {
		return nil, origin, err
	}
	if r.Stop != bcpace.StopInterrupted && r.Stop != bcpace.StopDeadline {
		origin.Unsaved = s.PutRun(key, r)
	}
	return r, origin, nil
}

// sameOptions compares all options that change a run.
func sameOptions(a, b bcpace.Options) bool {
	d, e := newDigest("options"), newDigest("options")
	return d.options(a) == nil && e.options(b) == nil && d.key() == e.key()
}
