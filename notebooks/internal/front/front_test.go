//go:build unix

package front

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// A cell, what it shows and its reply pass as they are.
//
//test:race
func TestCell(t *testing.T) {
	t.Parallel()
	k, c, _ := start(t, "")
	asked := c.cell("%%\nfmt.Println(1)")
	m := k.next()
	if string(m.content) != string(asked.content) || m.header != asked.header {
		t.Errorf("GoNB got %s %s; want %s", m.head, m.content, asked.content)
	}
	k.publish(m, "stream", map[string]any{"name": "stdout", "text": "1\n"})
	k.finish(m, "ok")
	reply := wait(t, c.replies, "execute_reply", asked)
	if string(reply.content) != `{"execution_count":1,"status":"ok"}` {
		t.Errorf("the reply is %s", reply.content)
	}
	if text := field(t, c.until("stream", asked), "text"); text != "1\n" {
		t.Errorf("it printed %q", text)
	}
	c.idle(asked)
}

// How a cell's program has ended is told once: by the error, and by the stream only
// where there is none, as of a command.
//
//test:race
func TestExitStatus(t *testing.T) {
	t.Parallel()
	k, c, _ := start(t, "")
	for _, x := range []struct {
		ended string
		fails bool
	}{{"exit status 3", true}, {"exit status 3", false}, {"signal: interrupt", true}, {"signal: killed", true}} {
		fails := x.fails
		asked := c.cell("f()")
		m := k.next()
		k.publish(m, "stream", map[string]any{"name": "stderr", "text": "said\n"})
		k.publish(m, "stream", map[string]any{"name": "stderr", "text": x.ended + "\n"})
		if fails {
			k.publish(m, "error", map[string]any{"ename": "ERROR", "evalue": x.ended, "traceback": []string{x.ended}})
		}
		k.finish(m, "ok")
		var got []string
		for ended := false; !ended; {
			select {
			case m := <-c.published:
				switch ended = m.says().State == "idle" && m.parent.ID == asked.header.ID; m.header.Type {
				case "stream", "error":
					got = append(got, m.header.Type)
				}
			case <-time.After(patience):
				t.Fatalf("%q are shown, and no end", got)
			}
		}
		want := []string{"stream", "stream"}
		if fails {
			want = []string{"stream", "error"}
		}
		if !slices.Equal(got, want) {
			t.Errorf("with an error %v: %q are shown, want %q", fails, got, want)
		}
		wait(t, c.replies, "execute_reply", asked)
	}
}

// What GoNB leaves without an answer gets one, on the socket that it came from, and
// who shows the kernel's state knows afterwards that a cell runs.
//
//test:race
func TestAnswers(t *testing.T) {
	t.Parallel()
	k, c, _ := start(t, "")
	running := c.cell("long()")
	k.next()
	for kind, reply := range map[string]string{
		"kernel_info_request": "kernel_info_reply", "comm_info_request": "comm_info_reply",
		"history_request": "history_reply", "is_complete_request": "is_complete_reply",
	} {
		m := c.ask(kind, map[string]any{})
		wait(t, c.replies, reply, m)
		c.idle(m)
		if state := field(t, c.until("status", running), "execution_state"); state != "busy" {
			t.Errorf("after a %s the kernel is %s", kind, state)
		}
	}
	m := c.send(c.control, "kernel_info_request", map[string]any{})
	if got := field(t, wait(t, c.controls, "kernel_info_reply", m), "implementation"); got != "fake" {
		t.Errorf("the kernel is %q", got)
	}
	k.none()
}

// After an error, the cells that were sent with the failing one are given up, and
// those sent later are not.
//
//test:race
func TestErrorStops(t *testing.T) {
	t.Parallel()
	k, c, _ := start(t, "")
	first, second, third := c.cell("fails()"), c.cell("2"), c.cell("3")
	wait(t, c.replies, "is_complete_reply", c.ask("is_complete_request", map[string]any{})) // the front has them all
	k.finish(k.next(), "error")
	wait(t, c.replies, "execute_reply", first)
	for _, m := range []*message{second, third} {
		if reply := wait(t, c.replies, "execute_reply", m); field(t, reply, "status") != "aborted" {
			t.Errorf("%s: %s", m.content, reply.content)
		}
		c.idle(m)
	}
	passes(t, k, c)
}

// Who wants to go on after an error does.
//
//test:race
func TestErrorGoesOn(t *testing.T) {
	t.Parallel()
	k, c, _ := start(t, "")
	first := c.ask("execute_request", map[string]any{"code": "fails()", "silent": false, "store_history": true, "allow_stdin": false, "stop_on_error": false})
	second := c.cell("2")
	k.finish(k.next(), "error")
	wait(t, c.replies, "execute_reply", first)
	m := k.next()
	k.finish(m, "ok")
	if m.header.ID != second.header.ID {
		t.Errorf("GoNB got %s", m.content)
	}
	wait(t, c.replies, "execute_reply", second)
}

// GoNB has one cell at a time, in order, and all the fields that it needs.
//
//test:race
func TestOrder(t *testing.T) {
	t.Parallel()
	k, c, _ := start(t, "")
	var sent []*message
	for range 20 {
		sent = append(sent, c.ask("execute_request", map[string]any{"code": "x"}))
	}
	for _, want := range sent {
		m := k.next()
		k.none()
		if m.header.ID != want.header.ID || !strings.Contains(string(m.content), `"store_history":true`) || !strings.Contains(string(m.content), `"silent":false`) {
			t.Fatalf("GoNB got %s", m.content)
		}
		k.finish(m, "ok")
		wait(t, c.replies, "execute_reply", want)
	}
}

// Stop interrupts the cell that runs and gives up those behind it.
//
//test:race
func TestInterrupt(t *testing.T) {
	t.Parallel()
	k, c, _ := start(t, "")
	first, second := c.cell("long()"), c.cell("2")
	running := k.next()
	wait(t, c.replies, "is_complete_reply", c.ask("is_complete_request", map[string]any{}))
	stop := c.send(c.control, "interrupt_request", map[string]any{})
	wait(t, c.controls, "interrupt_reply", stop)
	m := k.next()
	if m.header.Type != "interrupt_request" {
		t.Fatalf("GoNB got a %s", m.header.Type)
	}
	k.reply(m, "interrupt_reply", map[string]any{"status": "ok"})
	if reply := wait(t, c.replies, "execute_reply", second); field(t, reply, "status") != "aborted" {
		t.Errorf("the cell behind: %s", reply.content)
	}
	k.finish(running, "ok")
	wait(t, c.replies, "execute_reply", first)
}

// Messages of widgets pass both ways with their buffers, also while a cell runs.
//
//test:race
func TestComm(t *testing.T) {
	t.Parallel()
	k, c, _ := start(t, "")
	c.cell("slider()")
	running := k.next()
	m := newMessage("comm_msg", nil, map[string]any{"comm_id": "a", "data": 0.85})
	m.buffers = [][]byte{{0, 1, 2}, {}, {255}}
	m.metadata = []byte(`{"x": 1}`)
	if err := c.shell.send(m.frames([]byte(testKey))); err != nil {
		t.Fatal(err)
	}
	got := k.next()
	if string(got.content) != string(m.content) || string(got.metadata) != string(m.metadata) || !slices.EqualFunc(got.buffers, m.buffers, slices.Equal) {
		t.Errorf("GoNB got %s %s %v", got.content, got.metadata, got.buffers)
	}
	back := newMessage("comm_msg", running, map[string]any{"comm_id": "a", "data": 1})
	back.buffers = m.buffers
	k.iopub.send(back.frames([]byte(testKey)))
	for {
		got := <-c.published
		if got.header.ID == back.header.ID {
			if !slices.EqualFunc(got.buffers, m.buffers, slices.Equal) || string(got.content) != string(back.content) {
				t.Errorf("Jupyter got %s %v", got.content, got.buffers)
			}
			return
		}
	}
}

// A cell may ask for input.
//
//test:race
func TestInput(t *testing.T) {
	t.Parallel()
	k, c, _ := start(t, "")
	asked := c.cell("input()")
	running := k.next()
	k.stdin.send(newMessage("input_request", running, map[string]any{"prompt": "name?"}).frames([]byte(testKey)))
	wait(t, c.prompts, "input_request", asked)
	c.send(c.stdin, "input_reply", map[string]any{"value": "Lee"})
	if m := k.next(); m.header.Type != "input_reply" || field(t, m, "value") != "Lee" {
		t.Errorf("GoNB got a %s, %s", m.header.Type, m.content)
	}
}

// The kernel ends with Jupyter's request; a cell that runs is interrupted first.
//
//test:race
func TestShutdown(t *testing.T) {
	t.Parallel()
	k, c, end := start(t, "")
	first, second := c.cell("long()"), c.cell("2")
	running := k.next()
	wait(t, c.replies, "is_complete_reply", c.ask("is_complete_request", map[string]any{}))
	m := c.send(c.control, "shutdown_request", map[string]any{"restart": true})
	if reply := wait(t, c.controls, "shutdown_reply", m); string(reply.content) != `{"restart":true,"status":"ok"}` {
		t.Errorf("the reply is %s", reply.content)
	}
	if reply := wait(t, c.replies, "execute_reply", second); field(t, reply, "status") != "aborted" {
		t.Errorf("the cell behind: %s", reply.content)
	}
	if m := k.next(); m.header.Type != "interrupt_request" {
		t.Errorf("GoNB got a %s", m.header.Type)
	}
	k.finish(running, "ok")
	wait(t, c.replies, "execute_reply", first)
	if end() {
		t.Error("GoNB is said to have ended by itself")
	}
}

// A kernel that cannot find the module says so above the first cell, and once.
//
//test:race
func TestTrouble(t *testing.T) {
	t.Parallel()
	k, c, _ := start(t, "go: no such directory\nexit status 1\n")
	for i := range 2 {
		asked := c.cell("x")
		k.finish(k.next(), "ok")
		wait(t, c.replies, "execute_reply", asked)
		told := 0
		for {
			m := <-c.published
			if m.header.Type == "stream" && m.parent.ID == asked.header.ID {
				if text := field(t, m, "text"); !strings.Contains(text, "/the/clone") || !strings.Contains(text, "no such directory") {
					t.Errorf("it says %q", text)
				}
				told++
			}
			if m.header.Type == "status" && m.parent.ID == asked.header.ID && field(t, m, "execution_state") == "idle" {
				break
			}
		}
		if want := 1 - i; told != want {
			t.Errorf("cell %d: told %d times, want %d", i+1, told, want)
		}
	}
}

// Who has not the key is not heard, and neither is what is no message.
//
//test:race
func TestStranger(t *testing.T) {
	t.Parallel()
	k, c, _ := start(t, "")
	m := newMessage("execute_request", nil, map[string]any{"code": "x"})
	for _, frames := range [][][]byte{m.frames([]byte("another key")), m.frames(nil), {[]byte("x")}, {delimiter}, m.frames([]byte(testKey))[:4]} {
		if err := c.shell.send(frames); err != nil {
			t.Fatal(err)
		}
	}
	wait(t, c.replies, "is_complete_reply", c.ask("is_complete_request", map[string]any{}))
	k.none()
}

// Who writes gets an answer while a cell runs, and other answers do not wait for it.
//
//test:race
func TestHelp(t *testing.T) {
	t.Parallel()
	h := &fakeHelper{help: "**Run**", hold: make(chan struct{}), completed: Completions{Start: 3, End: 5, Matches: []Match{{Text: "Explore", Kind: "function", Type: "func()"}}}}
	k, c, _ := startHelped(t, "", h)
	running := c.cell("long()")
	k.next()
	tab := c.ask("complete_request", map[string]any{"code": "nb.Ex", "cursor_pos": 5})
	help := c.ask("inspect_request", map[string]any{"code": "nb.Ex", "cursor_pos": 5, "detail_level": 0})
	if reply := wait(t, c.replies, "inspect_reply", help); !strings.Contains(string(reply.content), `"text/markdown":"**Run**"`) || !strings.Contains(string(reply.content), `"found":true`) {
		t.Errorf("help is %s", reply.content)
	}
	close(h.hold)
	want := `{"cursor_end":5,"cursor_start":3,"matches":["Explore"],"metadata":{"_jupyter_types_experimental":[{"end":5,"signature":"func()","start":3,"text":"Explore","type":"func()"}]},"status":"ok"}`
	if reply := wait(t, c.replies, "complete_reply", tab); string(reply.content) != want {
		t.Errorf("completion is %s", reply.content)
	}
	c.idle(tab)
	if state := field(t, c.until("status", running), "execution_state"); state != "busy" {
		t.Errorf("afterwards the kernel is %s", state)
	}
	k.none()
}

// Completion that is not ready says so at once, and is not asked again before it has answered.
//
//test:race
func TestSlowCompletion(t *testing.T) {
	t.Parallel()
	h := &fakeHelper{hold: make(chan struct{}), completed: Completions{Start: 3, End: 5, Matches: []Match{{Text: "Explore", Kind: "function", Type: "func()"}}}}
	_, c, _ := startWith(t, "", h, func(f *front) { f.soon = time.Millisecond })
	ask := func() string {
		return string(wait(t, c.replies, "complete_reply", c.ask("complete_request", map[string]any{"code": "nb.Ex", "cursor_pos": 5})).content)
	}
	for range 3 {
		if got := ask(); !strings.Contains(got, `"matches":["completion is starting …","press Tab again in some seconds"]`) || strings.Count(got, `"text":" "`) != 2 {
			t.Errorf("completion is %s", got)
		}
	}
	close(h.hold)
	for begin := time.Now(); !strings.Contains(ask(), `"matches":["Explore"]`); {
		if time.Since(begin) > patience {
			t.Fatal("completion never comes")
		}
	}
}

// Failing to help says nothing of how it failed.
//
//test:race
func TestNoHelp(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]string{
		errors.New("gopls answered hover: internal"): `{"data":{},"found":false,"metadata":{},"status":"ok"}`,
		ErrAbsent: "go run ./notebooks lab",
	} {
		_, c, _ := startHelped(t, "", &fakeHelper{err: err})
		m := c.ask("inspect_request", map[string]any{"code": "nb.Ex", "cursor_pos": 5})
		if got := string(wait(t, c.replies, "inspect_reply", m).content); !strings.Contains(got, want) || strings.Contains(got, "internal") {
			t.Errorf("%v: %s", err, got)
		}
		m = c.ask("complete_request", map[string]any{"code": "nb.Ex", "cursor_pos": 5})
		got := string(wait(t, c.replies, "complete_reply", m).content)
		if errors.Is(err, ErrAbsent) {
			if !strings.Contains(got, "completion is being installed") {
				t.Errorf("%v: %s", err, got)
			}
			continue
		}
		if got != `{"cursor_end":5,"cursor_start":5,"matches":[],"metadata":{"_jupyter_types_experimental":[]},"status":"ok"}` {
			t.Errorf("%v: %s", err, got)
		}
	}
}

// The helper knows the cells that were compiled, whether or not they failed then.
//
//test:race
func TestRan(t *testing.T) {
	t.Parallel()
	h := &fakeHelper{}
	k, c, _ := startHelped(t, "", h)
	for code, evalue := range map[string]string{"var good int": "", "var panics int": "exit status 2", "var torn int": "main.go:1:1: expected declaration"} {
		asked := c.cell(code)
		m := k.next()
		status := "ok"
		if evalue != "" {
			status = "error"
		}
		k.reply(m, "execute_reply", map[string]any{"status": status, "evalue": evalue})
		k.publish(m, "status", map[string]any{"execution_state": "idle"})
		wait(t, c.replies, "execute_reply", asked)
		c.idle(asked)
		// The front takes one message at a time: once it answers, it has done with the cell. A
		// cell that comes before that is given up behind one that fails.
		wait(t, c.replies, "kernel_info_reply", c.ask("kernel_info_request", map[string]any{}))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	slices.Sort(h.ran)
	if !slices.Equal(h.ran, []string{"var good int", "var panics int"}) {
		t.Errorf("it knows %q", h.ran)
	}
}
