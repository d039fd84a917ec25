package nb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/stop"
)

// recorder is a screen that keeps what was sent, as a notebook would save it.
type recorder struct {
	ids  []string
	now  map[string]message // by id, the last state
	sent int
	late bool // something was sent after the last flush
}

func (r *recorder) send(m message, id string) {
	if r.now == nil {
		r.now = make(map[string]message)
	}
	if id == "" {
		id = fmt.Sprint("message ", r.sent)
	}
	if _, ok := r.now[id]; !ok {
		r.ids = append(r.ids, id)
	}
	r.now[id] = m
	r.sent++
	r.late = true
}

func (r *recorder) flush() { r.late = false }

// saved are the plain texts of the outputs that a saved notebook has.
func (r *recorder) saved() string {
	var texts []string
	for _, id := range r.ids {
		texts = append(texts, r.now[id].plain)
	}
	return strings.Join(texts, "|")
}

// clock continues by a step at each look.
type clock struct {
	at   time.Time
	step time.Duration
}

func (c *clock) now() time.Time {
	c.at = c.at.Add(c.step)
	return c.at
}

func TestProgressNotebook(t *testing.T) {
	r := &recorder{}
	o := &output{screen: r, live: true}
	c := &clock{step: 10 * time.Millisecond}
	p := newProgress("exploring <x>", o, c.now)
	for i := range 100 { // 1 s
		p.Count(i, 200)
	}
	if r.sent < 3 || r.sent > 6 {
		t.Errorf("%d updates in a second, want about 5 after the delay", r.sent)
	}
	if len(r.ids) != 1 {
		t.Errorf("%d outputs, want one that is replaced", len(r.ids))
	}
	if m := r.now[r.ids[0]]; !strings.Contains(m.html, "<progress value=") || !strings.Contains(m.html, "exploring &lt;x&gt;: ") || !strings.Contains(m.plain, " of 200 (") {
		t.Errorf("it shows %q and %q", m.html, m.plain)
	}
	p.Close()
	p.Close()
	p.Count(150, 200)
	if r.saved() != "" || r.late {
		t.Errorf("it leaves %q (unflushed %v), want nothing", r.saved(), r.late)
	}
	o.show(message{plain: "a"}, message{plain: "b"})
	if r.saved() != "a|b" {
		t.Errorf("saved are %q, want the first message in the place of the progress", r.saved())
	}
	// Quick work is not displayed at all.
	n := r.sent
	q := newProgress("quick", o, (&clock{step: time.Millisecond}).now)
	for i := range 100 {
		q.set(-1, fmt.Sprint(i))
	}
	q.Close()
	if r.sent != n {
		t.Error("work of 100 ms was displayed")
	}
}

func TestProgressPipe(t *testing.T) {
	var b bytes.Buffer
	o := &output{screen: terminal{&b}}
	p := newProgress("x", o, (&clock{step: time.Second}).now)
	p.Of(2)(1)
	p.set(0.5, "half")
	p.Close()
	if b.Len() > 0 {
		t.Errorf("a pipe got %q", b.String())
	}
}

//test:race
func TestFailClosesProgress(t *testing.T) {
	r := &recorder{}
	o := &output{screen: r, live: true}
	newProgress("x", o, (&clock{step: time.Second}).now).set(0.5, "half")
	var b bytes.Buffer
	o.fail(&b, errors.New("no such\nthing"))
	o.fail(&b, fmt.Errorf("rollouts: %w", context.Canceled))
	if b.String() != "error: no such thing\ninterrupted: rollouts: context canceled\n" || r.saved() != "" || r.late {
		t.Errorf("stderr %q, outputs %q", b.String(), r.saved())
	}
}

// TestExplore: the cell that explores and a later one leave the same outputs,
// and an interrupted one says so.
//
//test:race
func TestExplore(t *testing.T) {
	t.Setenv("BAYESCPACE_STORE", t.TempDir())
	opts := cpace.Solver{Epsilon: 0.5, Seed: 1, MaxEpisodes: 30}
	r := &recorder{}
	o := &output{screen: r, live: true}
	first, err := explore(t.Context(), o, twoDoors{}, opts, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	o.show(render1(first, limits{}))
	r2 := &recorder{}
	o2 := &output{screen: r2, live: true}
	second, err := explore(t.Context(), o2, twoDoors{}, opts, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	o2.show(render1(second, limits{}))
	if r.saved() != r2.saved() || !strings.Contains(r.saved(), "Bayes-CPACE on two doors (reward=10)") {
		t.Errorf("outputs are\n%s\nthen\n%s", r.saved(), r2.saved())
	}

	ctx, cancel := context.WithCancel(t.Context())
	opts.Seed = 2
	c := bcpace.Control{Progress: func(p bcpace.Progress) {
		if p.Episodes == 2 {
			cancel()
		}
	}}
	r3 := &recorder{}
	run, err := explore(ctx, &output{screen: r3, live: true}, twoDoors{}, opts, c)
	if err != nil || run.Stop != stop.Interrupted {
		t.Fatalf("interrupted: %v, %v", run, err)
	}
	if want := "interrupted: this is the run so far, 2 episodes"; !strings.HasPrefix(r3.saved(), want) {
		t.Errorf("it says %q, want %q", r3.saved(), want)
	}
	if _, err := explore(t.Context(), o, twoDoors{}, cpace.Solver{}, bcpace.Control{}); err == nil || !strings.Contains(err.Error(), "Epsilon") {
		t.Errorf("without ε: %v", err)
	}
}

func TestMust(t *testing.T) {
	if Must(3, nil) != 3 {
		t.Error("Must(3, nil) is not 3")
	}
	code := 0
	exit = func(c int) { code = c }
	defer func() { exit = os.Exit }()
	stderr := os.Stderr
	defer func() { os.Stderr = stderr }()
	os.Stderr, _ = os.Open(os.DevNull)
	Must(3, errors.New("x"))
	if code != 1 {
		t.Errorf("exit status %d, want 1", code)
	}
}
