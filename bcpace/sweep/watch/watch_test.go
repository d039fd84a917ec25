package watch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bayescpace/bcpace/sweep"
)

// spec is a sweep of seven quick trials: the fifth and its twin fail.
func spec(t *testing.T) sweep.Spec {
	t.Helper()
	s, err := sweep.Read(strings.NewReader(`{"base": {"env": "tiger", "algorithm": "qmdp", "eval": {"exact": true, "horizon": 5}},
		"list": [{"set.accuracy": 0.6}, {"set.accuracy": 0.7}, {"set.accuracy": 0.8}, {"set.accuracy": 0.9},
			{"env": "light-dark-tiger", "set.sigma": 0.5}, {"env": "light-dark-tiger", "set.sigma": 0.5}, {"set.accuracy": 0.95}]}`), "of the test")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// readEvents reads the lines of events.
func readEvents(t *testing.T, text string) (all []Event) {
	t.Helper()
	for line := range strings.Lines(text) {
		var e Event
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&e); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all = append(all, e)
	}
	return all
}

// begins writes to a buffer, and calls first before the first byte.
type begins struct {
	bytes.Buffer
	first func()
}

func (b *begins) Write(text []byte) (int, error) {
	if b.Len() == 0 && b.first != nil {
		b.first()
	}
	return b.Buffer.Write(text)
}

// TestWatchToTheEnd watches a sweep that one process has begun before and that two shards finish, and
// expects an event for each trial that was done meanwhile.
func TestWatchToTheEnd(t *testing.T) {
	t.Parallel()
	s, folder := spec(t), t.TempDir()
	shard := func(i int) *sweep.Results {
		r, err := sweep.Run(t.Context(), s, sweep.Options{Folder: folder, Shard: sweep.Shard{Index: i, Count: 3}})
		if err != nil {
			t.Error(err)
		}
		return r
	}
	before := shard(3)
	var display bytes.Buffer
	var running sync.WaitGroup
	defer running.Wait()
	events := &begins{first: func() {
		running.Go(func() { shard(1) })
		running.Go(func() { shard(2) })
	}}
	last, err := Watch{Spec: s, Name: "seven", Folder: folder, Every: 5 * time.Millisecond, Display: &display, Events: events}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if last.Trials != 7 || last.Done != 7 || last.Failed != 2 || len(last.Faults) != 2 || !strings.Contains(last.Faults[0], "trial 4: ") || last.Left != 0 && last.Left != -1 {
		t.Errorf("the last state is %+v", last)
	}
	want, got := make(map[int]string), make(map[int]string)
	for i := range 7 {
		if want[i] = EventDone; i == 4 || i == 5 {
			want[i] = EventFailed
		}
	}
	for _, row := range before.Rows {
		delete(want, row.Number)
	}
	all := readEvents(t, events.String())
	elapsed := 0.0
	for i, e := range all {
		if e.Elapsed < elapsed {
			t.Errorf("event %d comes before the one before it: %+v", i, e)
		}
		elapsed = e.Elapsed
		switch e.Event {
		case EventDone, EventFailed:
			if got[*e.Trial] != "" || len(e.Key) != 64 || (e.Fault != "") != (e.Event == EventFailed) {
				t.Errorf("%+v after %q", e, got[*e.Trial])
			}
			got[*e.Trial] = e.Event
		case EventWatching:
			if i > 0 || *e.TrialCounts != (TrialCounts{7, len(before.Rows), len(before.Failed())}) || e.Sweep != "seven" {
				t.Errorf("event %d is %+v, counts %+v", i, e, e.TrialCounts)
			}
		case EventFinished:
			if i != len(all)-1 || *e.TrialCounts != (TrialCounts{7, 7, 2}) {
				t.Errorf("event %d of %d is %+v, counts %+v", i, len(all), e, e.TrialCounts)
			}
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the events are of %v, want %v", got, want)
	}
	lines := strings.Split(strings.TrimSuffix(display.String(), "\n"), "\n")
	if !strings.HasPrefix(lines[len(lines)-1], "seven: 7 of 7 done, 2 failed, ") || strings.Contains(display.String(), "\x1b") {
		t.Errorf("the display says\n%s", display.String())
	}
	// What is done is told at once.
	var again bytes.Buffer
	if s, err := (Watch{Spec: s, Folder: folder, Events: &again}).Run(t.Context()); err != nil || s.Done != 7 {
		t.Errorf("again: %+v, %v", s, err)
	}
	if all := readEvents(t, again.String()); len(all) != 2 || all[0].Event != EventWatching || all[1].Event != EventFinished {
		t.Errorf("again: %+v", all)
	}
}

// TestWatchEnds: the end of a context, a sweep that cannot be, and a display that takes nothing end the
// watch with what there is.
func TestWatchEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	events := &begins{first: cancel}
	if s, err := (Watch{Spec: spec(t), Folder: t.TempDir(), Events: events}).Run(ctx); !errors.Is(err, context.Canceled) || s.Trials != 7 || s.Done != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	no := errors.New("no room")
	if _, err := (Watch{Spec: spec(t), Folder: t.TempDir(), Display: refuses{no}}).Run(t.Context()); !errors.Is(err, no) {
		t.Errorf("a display that takes nothing: %v", err)
	}
	if _, err := (Watch{Folder: t.TempDir()}).Run(t.Context()); err == nil {
		t.Error("no error of a sweep that has no model")
	}
}

type refuses struct{ err error }

func (r refuses) Write([]byte) (int, error) { return 0, r.err }

// watched returns a follower of a folder in which nothing is done, and the keys of its trials.
func watched(t *testing.T) (f *follower, folder string, keys []string) {
	t.Helper()
	folder = t.TempDir()
	r, err := sweep.Kept(t.Context(), spec(t), folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rows {
		keys = append(keys, row.Key)
	}
	return newFollower(Watch{Name: "seven", Folder: folder, Lost: 20 * time.Second}, r), folder, keys
}

// told are the events since the last call, as text.
func (f *follower) since() (list []string) {
	for _, e := range f.events {
		text := e.Event
		if e.Trial != nil {
			text += fmt.Sprintf(" %d", *e.Trial)
		}
		if e.Worker != "" {
			text += " by " + e.Worker
		}
		if e.Why != "" {
			text += ": " + e.Why
		}
		list = append(list, text)
	}
	f.events = nil
	return list
}

// TestWorkersComeAndGo: a worker is seen when the pulse of its process changes or comes, not when one is
// left of a process that was killed; and it is lost when the pulse ends or stands still.
func TestWorkersComeAndGo(t *testing.T) {
	f, folder, keys := watched(t)
	now := time.Unix(0, 0)
	pulse := func(file, name string, done int, keys ...string) {
		text, err := json.Marshal(sweep.Pulse{Beat: 1, WorkerLoad: sweep.WorkerLoad{Name: name, Has: len(keys), Keys: keys, Done: done}})
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, "pulse-"+file+".json"), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	pulse("1", "killed", 0, keys[0])
	look := func(after time.Duration, want ...string) State {
		t.Helper()
		now = now.Add(after)
		s := f.look(now)
		if got := f.since(); !slices.Equal(got, want) {
			t.Errorf("after %v: %q, want %q", after, got, want)
		}
		return s
	}
	look(0, "watching")
	pulse("2", "a", 1, keys[1])
	pulse("3", "b", 0, keys[2])
	pulse("4", "b", 2, keys[3]) // another sweep of that process
	pulse("5", "of another sweep", 0, strings.Repeat("0", 64))
	s := look(time.Second, "worker seen by a", "worker seen by b", "trial begun 1 by a", "trial begun 2 by b", "trial begun 3 by b")
	if want := []sweep.WorkerLoad{{Name: "a", Has: 1, Done: 1}, {Name: "b", Has: 2, Done: 2}}; !reflect.DeepEqual(s.Workers, want) || s.Running != 3 {
		t.Errorf("the workers are %+v, of %d trials, want %+v", s.Workers, s.Running, want)
	}
	for _, file := range []string{"3", "4"} {
		if err := os.Remove(filepath.Join(folder, "pulse-"+file+".json")); err != nil {
			t.Fatal(err)
		}
	}
	look(time.Second, "worker lost by b: it has ended, or does no more of this sweep")
	look(18 * time.Second)
	look(2*time.Second, "worker lost by a: no sign of life for 20s")
	look(time.Hour)
}

// TestPace: the rate is that of the last minute.
func TestPace(t *testing.T) {
	f, _, _ := watched(t)
	now := time.Unix(0, 0)
	for second, done := range []int{0, 10, 20, 30} {
		s := State{Trials: 1000, Done: done, Left: -1}
		if f.pace(now.Add(time.Duration(second)*time.Second), &s); second == 0 && (s.Rate != 0 || s.Left != -1) || second > 0 && s.Rate != 10 {
			t.Errorf("second %d: %+v", second, s)
		}
	}
	s := State{Trials: 1000, Done: 150, Left: -1}
	if f.pace(now.Add(63*time.Second), &s); s.Rate != 2 || s.Left != 425*time.Second {
		t.Errorf("after a minute: %+v", s)
	}
	s = State{Trials: 1000, Done: 150, Left: -1}
	if f.pace(now.Add(10*time.Minute), &s); s.Rate != 0 || s.Left != -1 {
		t.Errorf("after nothing was done for long: %+v", s)
	}
}

// TestTerminal: each state takes the place of the one before, whatever its number of lines, and no
// name or fault moves the cursor.
func TestTerminal(t *testing.T) {
	f, _, _ := watched(t)
	var screen bytes.Buffer
	f.watch.Display, f.watch.Terminal = &screen, true
	hostile := "a\x1b[2J\nb" + strings.Repeat("ä", 200)
	many := State{Name: "x", Trials: 99, Done: 9, Failed: 9, Rate: 0.5, Left: 90 * time.Second, Faults: []string{hostile, "f", "g"}}
	for i := range 20 {
		many.Workers = append(many.Workers, sweep.WorkerLoad{Name: fmt.Sprint(hostile[:3], i), Has: 1, Done: i})
	}
	var shown []string // by a terminal that knows what is used
	for _, s := range []State{{Name: "x", Trials: 99, Left: -1}, many, {Name: hostile, Trials: 99, Done: 99}} {
		screen.Reset()
		if err := f.show(s); err != nil {
			t.Fatal(err)
		}
		shown = play(t, shown, screen.String())
		if want := s.lines(); !slices.Equal(shown, want) {
			t.Errorf("the terminal shows\n%q\nwant\n%q", shown, want)
		}
	}
	if text := strings.Join(many.lines(), "\n"); !strings.Contains(text, "0.5 trials/s, 1m30s left") || !strings.Contains(text, "and 8 workers more") || !strings.Contains(text, "and 6 faults more") {
		t.Errorf("the lines are\n%s", text)
	}
}

// play is a terminal with the lines that it shows, the cursor below them.
func play(t *testing.T, lines []string, text string) []string {
	t.Helper()
	at := len(lines)
	var up int
	if n, err := fmt.Sscanf(text, "\x1b[%dA", &up); n == 1 && err == nil {
		at -= up
		text = text[strings.Index(text, "A")+1:]
	}
	text, ok := strings.CutSuffix(text, "\x1b[J")
	if at != 0 || !ok {
		t.Fatalf("the cursor is in line %d, and the rest is %q", at, text)
	}
	lines = nil
	for line := range strings.Lines(text) {
		line, ok := strings.CutPrefix(line, "\r\x1b[K")
		if line = strings.TrimSuffix(line, "\n"); !ok || strings.ContainsAny(line, "\x1b\r") || len([]rune(line)) > width {
			t.Fatalf("line %q", line)
		}
		lines = append(lines, line)
	}
	return lines
}
