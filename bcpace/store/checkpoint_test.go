package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// clock is a time that a test sets.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

// TestPace plays explorations with checkpoints of several costs, and expects the
// shares of time and the pauses that Memo promises.
func TestPace(t *testing.T) {
	for _, cost := range []time.Duration{0, time.Millisecond, 30 * time.Millisecond, time.Second} {
		c := &clock{time.Unix(0, 0)}
		p := Interval{now: c.now}
		start := c.t
		p.Begin()
		spent, last := time.Duration(0), c.t
		for range 200_000 {
			c.t = c.t.Add(time.Millisecond) // a round
			if !p.Due() {
				continue
			}
			sofar := c.t.Sub(start)
			if pause := c.t.Sub(last); pause > max(minPause, min(sofar/10, maxPause), restraint*cost)+time.Millisecond {
				t.Fatalf("checkpoints of %v: %v pass between two, after %v", cost, pause, sofar)
			}
			c.t = c.t.Add(cost)
			spent += cost
			p.Done()
			last = c.t
		}
		// The first one comes before its cost is known.
		if total := c.t.Sub(start); spent-cost > total/(restraint+1) || last == start {
			t.Errorf("checkpoints of %v take %v of %v", cost, spent, total)
		}
	}
}

// begun leaves a checkpoint of some episodes in s, and returns its name.
func begun(t *testing.T, s *Store, m bcpace.Model, o runs.Explorer, episodes int) string {
	t.Helper()
	k, err := resumeKey(m, o)
	if err != nil {
		t.Fatal(err)
	}
	c := &clock{time.Unix(0, 0)}
	tr := &checkpoints{store: s, key: k, interval: Interval{now: c.now}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	how := bcpace.Control{Progress: func(p bcpace.Progress) {
		if c.t = c.t.Add(time.Hour); p.Episodes > episodes {
			cancel()
		}
	}}
	r, err := tr.explore(ctx, m, o, how, new(Origin))
	if err != nil || r.Stop != stop.Interrupted || tr.err != nil || tr.saved != episodes {
		t.Fatalf("begun: stop %q, %d episodes saved, %v, %v", r.Stop, tr.saved, tr.err, err)
	}
	all := tr.list()
	if len(all) != 1 {
		t.Fatalf("checkpoints %v, want one", all)
	}
	return all[0].name
}

// TestMemoResumes continues from a checkpoint, with the same and with other budgets,
// to the run in one piece.
//
//test:race
func TestMemoResumes(t *testing.T) {
	s := open(t)
	for _, episodes := range []int{5, 30, 200} { // the last converges
		o := options
		o.MaxEpisodes = episodes
		if episodes == 5 {
			begun(t, s, fair, options, 10) // is beyond the budget
		}
		want, err := runs.Explore(t.Context(), fair, o)
		if err != nil {
			t.Fatal(err)
		}
		got, origin, err := s.Memo(t.Context(), fair, o, bcpace.Control{})
		if err != nil || origin != (Origin{Resumed: 10}) {
			t.Fatalf("%d episodes: %+v, %v", episodes, origin, err)
		}
		if !bytes.Equal(contents(t, got), contents(t, want)) {
			t.Errorf("%d episodes: the run differs from that in one piece", episodes)
		}
	}
	onlyRuns(t, s, 3) // and no checkpoint
}

// TestMemoResumesCertified does so with the certified algorithm, for numbered and
// for continuous states.
func TestMemoResumesCertified(t *testing.T) {
	for _, x := range []struct {
		m       bcpace.Model
		epsilon float64
	}{{envs.Chain{}, 0.02}, {envs.LightDarkTiger{Width: 3, Height: 3, Sigma: 0.1, Nodes: 2, Discount: 0.6}, 0.3}} {
		s, m := open(t), x.m
		o := certified.Solver{Epsilon: x.epsilon, CertificateEpisodes: 10}
		begun(t, s, m, o, 10)
		for _, o.MaxEpisodes = range []int{5, 15, 0} { // the last comes to its end by itself
			want, err := runs.Explore(t.Context(), m, o)
			if err != nil || o.MaxEpisodes == 0 && !want.Stop.ByItself() {
				t.Fatalf("%s: stop %q, %v", want.Spec.Name, want.Stop, err)
			}
			got, origin, err := s.Memo(t.Context(), m, o, bcpace.Control{})
			if err != nil || origin.Resumed < 10 || origin.Damaged != nil || origin.Unsaved != nil {
				t.Fatalf("%s, %d episodes: %+v, %v", want.Spec.Name, o.MaxEpisodes, origin, err)
			}
			if !bytes.Equal(contents(t, got), contents(t, want)) {
				t.Errorf("%s, %d episodes: the run differs from that in one piece", want.Spec.Name, o.MaxEpisodes)
			}
		}
		onlyRuns(t, s, 3) // and no checkpoint
	}
}

// TestMemoSimulation: a run whose simulation was cut off is not kept as if it were
// whole.
//
//test:race
func TestMemoSimulation(t *testing.T) {
	s := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	explored := false
	m := coin{accuracy: fair.accuracy, reward: func(latent, action int) float64 {
		if explored {
			cancel()
		}
		if action-1 == latent {
			return 1
		}
		return -1
	}}
	how := bcpace.Control{Workers: 1, Progress: func(p bcpace.Progress) { explored = p.Quiet == p.Patience }}
	want, err := runs.Explore(t.Context(), fair, options)
	if err != nil {
		t.Fatal(err)
	}
	if r, _, err := s.Memo(ctx, m, options, how); err != nil || r.Stop != stop.Interrupted || r.Certificate.Episodes >= want.Certificate.Episodes {
		t.Fatalf("stop %q, %+v, %v", r.Stop, r.Certificate, err)
	}
	got, origin, err := s.Memo(t.Context(), fair, options, bcpace.Control{})
	if err != nil || origin.Cached || !bytes.Equal(contents(t, got), contents(t, want)) {
		t.Errorf("%+v, %+v, want %+v, %v", origin, got.Certificate, want.Certificate, err)
	}
}

// TestMemoKept: who is interrupted is told from where it continues.
//
//test:race
func TestMemoKept(t *testing.T) {
	s := open(t)
	name := begun(t, s, fair, options, 10)
	ctx, cancel := context.WithCancel(t.Context())
	r, origin, err := s.Memo(ctx, fair, options, bcpace.Control{Progress: func(bcpace.Progress) { cancel() }})
	if err != nil || r.Stop != stop.Interrupted || len(r.Trace) < 10 || origin != (Origin{Resumed: 10, Kept: 10}) {
		t.Errorf("%+v, %v", origin, err)
	}
	if _, err := os.Stat(name); err != nil {
		t.Error(err)
	}
}

// TestCheckpointDamaged: what cannot be read is named and set aside as it is, and
// a shorter checkpoint takes its place, or the beginning.
//
//test:race
func TestCheckpointDamaged(t *testing.T) {
	good := open(t)
	whole, err := os.ReadFile(begun(t, good, fair, options, 10))
	if err != nil {
		t.Fatal(err)
	}
	flipped, newer := bytes.Clone(whole), bytes.Clone(whole)
	flipped[len(flipped)/2] ^= 1
	newer[8]++
	want, err := runs.Explore(t.Context(), fair, options)
	if err != nil {
		t.Fatal(err)
	}
	for what, content := range map[string][]byte{
		"truncated": whole[:len(whole)/2], "another kind": []byte("PK\x03\x04 not a run at all"), "checksum": flipped, "version": newer,
	} {
		for _, shorter := range []int{0, 10} {
			s := open(t)
			name := ""
			if shorter > 0 {
				name = begun(t, s, fair, options, shorter)
			} else {
				k, _ := resumeKey(fair, options)
				name = s.Dir() + "/" + (&checkpoints{key: k}).prefix() + "000000010.bcp"
			}
			bad := strings.Replace(name, "000000010.bcp", "000000015.bcp", 1)
			if err := os.WriteFile(bad, content, 0o644); err != nil {
				t.Fatal(err)
			}
			got, origin, err := s.Memo(t.Context(), fair, options, bcpace.Control{})
			if err != nil || origin.Resumed != shorter || origin.Damaged == nil || !errors.Is(origin.Damaged, runs.ErrFormat) {
				t.Fatalf("%s: %+v, %v", what, origin, err)
			}
			if msg := origin.Damaged.Error(); !strings.Contains(msg, bad) || what != "checksum" && !strings.Contains(msg, what) {
				t.Errorf("%s: %v", what, msg)
			}
			if !bytes.Equal(contents(t, got), contents(t, want)) {
				t.Errorf("%s: the run differs", what)
			}
			if kept, err := os.ReadFile(bad + asideExt); err != nil || !bytes.Equal(kept, content) {
				t.Errorf("%s: the file is not as it was: %v", what, err)
			}
		}
	}
}

// TestCheckpointContradicted: a checkpoint whose values its samples do not give is
// not resumed.
//
//test:race
func TestCheckpointContradicted(t *testing.T) {
	s := open(t)
	name := begun(t, s, fair, options, 10)
	r, err := readRun(name, fair, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Value++
	if err := WriteFile(name, r); err != nil {
		t.Fatal(err)
	}
	got, origin, err := s.Memo(t.Context(), fair, options, bcpace.Control{})
	if err != nil || origin.Resumed != 0 || origin.Damaged == nil || !strings.Contains(origin.Damaged.Error(), "cannot be resumed") {
		t.Fatalf("%+v, %v", origin, err)
	}
	want, err := runs.Explore(t.Context(), fair, options)
	if err != nil || !bytes.Equal(contents(t, got), contents(t, want)) {
		t.Errorf("the run differs: %v", err)
	}
}

// TestOwnCheckpoint: a checkpoint of the caller's own is called too.
func TestOwnCheckpoint(t *testing.T) {
	calls := 0
	how := bcpace.Control{Checkpoint: func(bcpace.Progress, io.WriterTo) { calls++ }}
	if _, _, err := open(t).Memo(t.Context(), fair, options, how); err != nil || calls == 0 {
		t.Errorf("%d calls, %v", calls, err)
	}
}
