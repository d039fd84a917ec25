//go:build unix

package front

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A cell that is compiled says so to a person, until it shows something or ends; to a program that executes it, it says nothing.
//
//test:race
func TestWaiting(t *testing.T) {
	t.Parallel()
	var compiles atomic.Bool
	k, c, _ := startWith(t, "", &fakeHelper{}, func(f *front) {
		f.untold, f.lookEvery, f.compiles = 0, time.Millisecond, compiles.Load
	})
	person := func(asks bool) *message {
		return c.ask("execute_request", map[string]any{"code": "f()", "silent": false, "store_history": true, "allow_stdin": asks, "stop_on_error": true})
	}
	// order returns the kinds of what is published of a cell up to its end, each once where it comes again and again.
	order := func(of *message) (kinds string) {
		for last := ""; ; {
			select {
			case m := <-c.published:
				if m.parent.ID != of.header.ID {
					continue
				}
				if m.header.Type != last && m.header.Type != "update_display_data" {
					last = m.header.Type
					kinds += last + " "
				}
				if m.says().State == "idle" {
					return strings.TrimSpace(kinds)
				}
			case <-time.After(patience):
				t.Fatalf("%q is published, and no end", kinds)
			}
		}
	}
	opened := person(false) // a cell waits until the kernel has started, and a person is told that first
	k.finish(k.next(), "ok")
	wait(t, c.replies, "execute_reply", opened)
	c.idle(opened)
	for _, shows := range []bool{true, false} {
		compiles.Store(true)
		asked := person(true)
		m := k.next()
		first := c.until("display_data", asked)
		if text := string(first.content); !strings.Contains(text, "Compiling; the first cell") || !strings.Contains(text, "waiting-"+asked.header.ID) {
			t.Errorf("it says %s", text)
		}
		c.until("update_display_data", asked)
		want := "clear_output status"
		if shows {
			k.publish(m, "stream", map[string]any{"name": "stdout", "text": "1\n"})
			want = "clear_output stream status"
		}
		k.finish(m, "ok")
		if got := order(asked); got != want {
			t.Errorf("shows %v: %q is published, want %q", shows, got, want)
		}
		wait(t, c.replies, "execute_reply", asked)
	}
	// What runs and shows nothing is not compiled any more.
	asked := person(true)
	m := k.next()
	c.until("update_display_data", asked)
	compiles.Store(false)
	c.until("clear_output", asked)
	k.finish(m, "ok")
	wait(t, c.replies, "execute_reply", asked)
	c.idle(asked)

	compiles.Store(true)
	asked = person(false)
	m = k.next()
	for range 50 { // looks, as many as answers
		wait(t, c.replies, "is_complete_reply", c.ask("is_complete_request", map[string]any{}))
	}
	k.finish(m, "ok")
	wait(t, c.replies, "execute_reply", asked)
	if got := order(asked); got != "status" {
		t.Errorf("a program is told %q", got)
	}
}

// An interrupt is sent to GoNB, which loses one that comes before the program has begun, until the cell has ended;
// and no longer.
//
//test:race
func TestLateInterrupt(t *testing.T) {
	t.Parallel()
	k, c, _ := startWith(t, "", &fakeHelper{}, func(f *front) { f.lookEvery = time.Millisecond })
	asked := c.cell("for {}")
	m := k.next()
	k.none()
	c.send(c.control, "interrupt_request", map[string]any{})
	for range 5 {
		if r := k.next(); r.header.Type != "interrupt_request" {
			t.Fatalf("GoNB got a %s", r.header.Type)
		}
	}
	k.finish(m, "error")
	wait(t, c.replies, "execute_reply", asked)

	c.cell("1")
	for {
		if r := k.next(); r.header.Type == "execute_request" {
			break
		}
	}
	for range 50 { // looks, as many as answers
		wait(t, c.replies, "is_complete_reply", c.ask("is_complete_request", map[string]any{}))
	}
	k.none()
}

// A compiler is seen in the process group of the kernel, and in no other.
//
//test:race
func TestCompiling(t *testing.T) {
	t.Parallel()
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(sleep)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "compile")
	if err := os.WriteFile(name, data, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, "600")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	for begin := time.Now(); !compiling(cmd.Process.Pid); time.Sleep(10 * time.Millisecond) { // until its name is there
		if time.Since(begin) > patience {
			t.Fatal("no compiler is seen")
		}
	}
	if compiling(cmd.Process.Pid + 1<<30) {
		t.Error("a compiler is seen in a group that there is not")
	}
}
