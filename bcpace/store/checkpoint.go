package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"bayescpace/bcpace"
)

// Checkpoints of an exploration are filed under its course: all that its key is
// made of, but for the parameters that only end it. So an exploration with another
// budget goes on from where the one before it had come. The number of episodes
// is in a file's name. A writer takes only those away that have fewer than its
// own, so that of several processes the one that is ahead never loses what it
// has.

// course returns the key of all explorations that differ in their ends only.
func course(m bcpace.Model, s bcpace.Explorer) (Key, error) {
	return keyOf("course", m, s.Unlimited())
}

// trail are the checkpoints of a course.
type trail struct {
	store *Store
	key   Key
	pace  pace
	saved int   // episodes of the last checkpoint that is there
	err   error // of the last attempt to write one
}

// checkpoint is a file of a trail.
type checkpoint struct {
	name     string
	episodes int
}

func (t *trail) prefix() string { return "part-" + string(t.key) + "-" }

// list returns the checkpoints, the longest first.
func (t *trail) list() []checkpoint {
	var all []checkpoint
	names, _ := filepath.Glob(filepath.Join(t.store.dir, t.prefix()+"*"+runExt))
	for _, name := range names {
		number := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), t.prefix()), runExt)
		if n, err := strconv.Atoi(number); err == nil {
			all = append(all, checkpoint{name, n})
		}
	}
	slices.SortFunc(all, func(a, b checkpoint) int { return cmp.Compare(b.episodes, a.episodes) })
	return all
}

// load returns the longest checkpoint that can be read, or nil. What cannot be is
// set aside; damaged is the first error about it.
func (t *trail) load(m bcpace.Model, s bcpace.Explorer) (r *bcpace.Run, damaged error) {
	for tries := 0; tries < 100; tries++ {
		all := t.list()
		if len(all) == 0 {
			break
		}
		r, err := readRun(all[0].name, m, latentOf(s))
		if err == nil {
			t.saved = all[0].episodes
			return r, damaged
		}
		if errors.Is(err, fs.ErrNotExist) { // another process has got further
			continue
		}
		if changed(err) {
			if err := os.Remove(all[0].name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				break
			}
			continue
		}
		if damaged == nil {
			damaged = err
		}
		if t.store.setAside(all[0].name) != nil {
			break
		}
	}
	return nil, damaged
}

// save is a Checkpoint of bcpace.Control.
func (t *trail) save(p bcpace.Progress, soFar io.WriterTo) {
	if !t.pace.due() {
		return
	}
	if all := t.list(); len(all) > 0 && all[0].episodes >= p.Episodes { // another process is ahead
		t.saved, t.err = all[0].episodes, nil
		t.pace.done()
		return
	}
	name := filepath.Join(t.store.dir, fmt.Sprintf("%s%09d%s", t.prefix(), p.Episodes, runExt))
	t.err = t.store.write(name, soFar)
	if t.err == nil {
		t.saved = p.Episodes
		t.clear(p.Episodes)
	}
	t.pace.done()
}

// clear removes the checkpoints that are shorter than that.
func (t *trail) clear(episodes int) {
	for _, c := range t.list() {
		if c.episodes < episodes {
			os.Remove(c.name)
		}
	}
}

// explore goes on from the last checkpoint, or explores from the beginning, and
// leaves checkpoints behind.
func (t *trail) explore(ctx context.Context, m bcpace.Model, s bcpace.Explorer, c bcpace.Control, origin *Origin) (*bcpace.Run, error) {
	own := c.Checkpoint
	c.Checkpoint = func(p bcpace.Progress, soFar io.WriterTo) {
		t.save(p, soFar)
		if own != nil {
			own(p, soFar)
		}
	}
	t.pace.begin()
	last, damaged := t.load(m, s)
	origin.Damaged = cmp.Or(origin.Damaged, damaged)
	if last != nil {
		r, err := s.Resume(ctx, last, c)
		if err == nil {
			origin.Resumed = t.saved
			return r, nil
		}
		origin.Damaged = cmp.Or(origin.Damaged, fmt.Errorf("store: checkpoint of %d episodes: %w", t.saved, err))
	}
	return s.Explore(ctx, m, c)
}

// The pace of checkpoints: at first a tenth of the time so far passes between two
// of them, later maxPause, but at no time less than restraint times as long as the
// last one took. So they take a share of about 1/(1+restraint) of the time at most,
// each being a little longer than the last, and a killed process loses little.
const (
	minPause  = 200 * time.Millisecond
	maxPause  = 5 * time.Second
	restraint = 50
)

// pace tells when the next checkpoint is due.
type pace struct {
	now                func() time.Time // time.Now if nil
	start, began, next time.Time
}

func (p *pace) time() time.Time {
	if p.now != nil {
		return p.now()
	}
	return time.Now()
}

func (p *pace) begin() {
	p.start = p.time()
	p.next = p.start.Add(minPause)
}

// due reports whether a checkpoint is to be written now; done is called after it.
func (p *pace) due() bool {
	p.began = p.time()
	return !p.began.Before(p.next)
}

func (p *pace) done() {
	end := p.time()
	pause := min(max(end.Sub(p.start)/10, minPause), maxPause)
	p.next = end.Add(max(pause, restraint*end.Sub(p.began)))
}
