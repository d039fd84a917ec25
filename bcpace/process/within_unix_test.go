//go:build unix

package process_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
)

// soon fails where what began at that time took so long as if nothing had cut it.
func soon(t *testing.T, begin time.Time) {
	t.Helper()
	if took := time.Since(begin); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestSlowAnswersAgain: a simulator that is slow, and not silent, is cut with the context too, and answers again after that, as what was found
// has to be kept.
//
//test:race
func TestSlowAnswersAgain(t *testing.T) {
	t.Parallel()
	p, _ := program(t, "", `time.sleep(0.2); right(q)`)
	m := begin(t, p)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	leave := m.Within(ctx)
	var err error
	for now := time.Now(); err == nil && time.Since(now) < 30*time.Second; {
		err = stepped(m)
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("%v", err)
	}
	leave()
	if err := errors.Join(m.Err(), stepped(m)); err != nil {
		t.Errorf("after that: %v", err)
	}
	m.Close()
}

// TestWithin: the end of a context cuts a request that is not answered, soon and with an error that wraps that of the context and says
// what was asked. What was called before it was left has no effect later.
//
//test:race
func TestWithin(t *testing.T) {
	t.Parallel()
	for want, how := range map[error]func(context.Context) (context.Context, context.CancelFunc){
		context.DeadlineExceeded: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 200*time.Millisecond)
		},
		context.Canceled: func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(200*time.Millisecond, cancel)
			return ctx, cancel
		},
	} {
		for _, answer := range []string{`time.sleep(600)`, `say('{"id":2,"next":', end=""); time.sleep(600)`} {
			p, folder := program(t, "", answer)
			m := begin(t, p)
			now := time.Now()
			ctx, cancel := how(t.Context())
			leave := m.Within(ctx)
			var group sync.WaitGroup
			for range 3 {
				group.Go(func() {
					if err := stepped(m); !errors.Is(err, want) || !strings.Contains(fmt.Sprint(err), "had not answered request 1 (step) for ") {
						t.Errorf("got %v, want it to wrap %v", err, want)
					}
				})
			}
			group.Wait()
			if err := m.Err(); !errors.Is(err, want) {
				t.Errorf("the model has the error %v", err)
			}
			leave()
			cancel()
			m.Close()
			soon(t, now)
			left(t, folder)
		}
	}
	p, _ := program(t, "", `right(q)`)
	m := begin(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	leave := m.Within(ctx)
	cancel()
	leave()
	time.Sleep(1500 * time.Millisecond)
	if err := stepped(m); err != nil || m.Err() != nil {
		t.Errorf("after Within was left: %v, %v", err, m.Err())
	}
}

// TestDeaths: a simulator that dies after so many requests, each time, is told of where it answers enough between, and ends the model
// where it does not.
func TestDeaths(t *testing.T) {
	for _, x := range []struct{ every, steps, deaths int }{{1, 10, 0}, {3, 100, 0}, {60, 600, 0}, {150, 700, 4}, {1000, 100, 0}} {
		p, _ := program(t, "", fmt.Sprintf(`
        n = globals().get("n", 0) + 1
        if n > %d: sys.exit("line one\nno power")
        right(q)`, x.every))
		m := begin(t, p)
		var err error
		for range x.steps {
			if err = stepped(m); err != nil {
				break
			}
		}
		switch deaths := m.Deaths(); {
		case x.every < 100:
			if err == nil || !strings.Contains(err.Error(), `ended 4 times in `) || !strings.Contains(err.Error(), `"line one", "no power"`) {
				t.Errorf("death after %d requests: error %v", x.every, err)
			}
		case err != nil || (x.deaths > 0) != strings.Contains(deaths, fmt.Sprintf(`ended %d times in `, x.deaths)) || (x.deaths > 0) != strings.Contains(deaths, "no power"):
			t.Errorf("death after %d requests: error %v, told %q, want %d deaths", x.every, err, deaths, x.deaths)
		}
	}
}

// TestSlowSecondProcess: a process that is slow to begin holds nothing up.
//
//test:race
func TestSlowSecondProcess(t *testing.T) {
	t.Parallel()
	p, folder := program(t, `
        if len(os.listdir(FOLDER)) > 1: time.sleep(600)
        say(json.dumps({"id": id, "protocol": 1, "model": MODEL}))`, `time.sleep(0.01); right(q)`)
	p.Processes = 2
	m, now := begin(t, p), time.Now()
	defer soon(t, now)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for steps, two := 0, false; steps < 20 && time.Since(now) < time.Minute; {
				if err := stepped(m); err != nil {
					t.Error(err)
					return
				}
				if files, _ := os.ReadDir(folder); two || len(files) > 1 { // the second one has begun
					two, steps = true, steps+1
				}
			}
		})
	}
	group.Wait()
	m.Close()
	if n := left(t, folder); n != 2 {
		t.Errorf("%d processes were started, want 2", n)
	}
}

// TestCheckWithin: a check that has no more time says what it has not tried.
//
//test:race
func TestCheckWithin(t *testing.T) {
	p, _ := program(t, "", `right(q)`)
	p.Command[4] = strings.Replace(p.Command[4], `    elif q["ask"] == "likelihood"`, `    elif q["ask"] == "start":
        say(json.dumps({"id": id, "states": [[0, 0] for _ in q["latents"]]}))
    elif q["ask"] == "likelihood"`, 1)
	p.Command[4] = strings.Replace(p.Command[4], `say('{"id":%d,"log":[[0,null]]}' % id)`, `say(json.dumps({"id": id, "log": [[0, 0] for _ in q["states"]]}))`, 1)
	m := begin(t, p)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	now := time.Now()
	r, err := check.Within(ctx, m, check.Options{Draws: 1_000_000})
	if err != nil || !r.Cut || r.States == 0 || !strings.HasPrefix(r.String(), "Time was up before all was tried.") {
		t.Fatalf("got %v, error %v", r, err)
	}
	for _, x := range r.Tests {
		if last := x.Name == check.Repeats || x.Name == check.Rewards; last && !x.Cut {
			t.Errorf("the test %s is said to have come to its end", x.Name)
		}
	}
	soon(t, now)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := check.Within(over, m, check.Options{}); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("without any time: %v, %v", r, err)
	}
	if err := bcpace.Validate(m); err != nil {
		t.Error(err)
	}
}
