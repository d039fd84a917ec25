//go:build unix

package front

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// patience is for what would hang.
const patience = time.Minute

const testKey = "a key"

// fake stands for GoNB behind the front, in this process.
type fake struct {
	*sockets
	t        *testing.T
	folder   string        // where it says that it compiles
	broken   string        // what making the workspace says, if it fails
	requests chan *message // those that are the test's to answer
}

// startFake opens the fake's sockets, which answers what the front asks for itself.
func startFake(t *testing.T, ctx context.Context, c connection, broken string) *fake {
	s, err := c.bind(ctx)
	if err != nil {
		t.Fatal(err)
	}
	k := &fake{sockets: s, t: t, folder: filepath.Join(t.TempDir(), "gonb_12345678"), broken: broken, requests: make(chan *message, 100)}
	if broken == "" {
		if err := os.MkdirAll(k.folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(k.folder, "go.work"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, from := range []*socket{s.shell, s.control, s.stdin} {
		go receive(t, from, k.take)
	}
	return k
}

// receive takes what the front sends to a socket, until that closes.
func receive(t *testing.T, from *socket, take func(*message)) {
	for {
		raw, err := from.Recv()
		if err != nil {
			return
		}
		m, err := parse(raw.Frames, []byte(testKey))
		if err != nil {
			t.Errorf("the front sent %v", err)
			return
		}
		take(m)
	}
}

func (k *fake) take(m *message) {
	switch {
	case m.header.Type == "kernel_info_request":
		k.publish(m, "status", map[string]any{"execution_state": "busy"})
		k.reply(m, "kernel_info_reply", map[string]any{"status": "ok", "implementation": "fake"})
		k.publish(m, "status", map[string]any{"execution_state": "idle"})
	case m.header.Type == "execute_request" && field(k.t, m, "code") == openingCell:
		if k.broken != "" {
			k.publish(m, "stream", map[string]any{"name": "stderr", "text": k.broken})
		} else {
			k.publish(m, "stream", map[string]any{"name": "stdout", "text": k.folder + "\n%goflags=[\"-ldflags=-s\"]\n"})
		}
		k.reply(m, "execute_reply", map[string]any{"status": "ok"})
		k.publish(m, "status", map[string]any{"execution_state": "idle"})
	default:
		k.requests <- m
	}
}

// next is the request that the front sends next.
func (k *fake) next() *message {
	k.t.Helper()
	select {
	case m := <-k.requests:
		return m
	case <-time.After(patience):
		k.t.Fatal("the front sends nothing on")
		return nil
	}
}

// none fails if a request has come.
func (k *fake) none() {
	k.t.Helper()
	select {
	case m := <-k.requests:
		k.t.Errorf("the front sent a %s on: %s", m.header.Type, m.content)
	default:
	}
}

func (k *fake) reply(to *message, kind string, content any) {
	k.shell.send(newMessage(kind, to, content).frames([]byte(testKey)))
}

func (k *fake) publish(of *message, kind string, content any) {
	k.iopub.send(newMessage(kind, of, content).frames([]byte(testKey)))
}

// finish answers a cell as GoNB does.
func (k *fake) finish(m *message, status string) {
	k.reply(m, "execute_reply", map[string]any{"status": status, "execution_count": 1})
	k.publish(m, "status", map[string]any{"execution_state": "idle"})
}

// client stands for Jupyter.
type client struct {
	*sockets
	t         *testing.T
	replies   chan *message
	controls  chan *message
	prompts   chan *message
	published chan *message
}

func startClient(t *testing.T, ctx context.Context, c connection) *client {
	s, err := c.dial(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cl := &client{s, t, make(chan *message, 100), make(chan *message, 100), make(chan *message, 100), make(chan *message, 1000)}
	for from, to := range map[*socket]chan *message{s.shell: cl.replies, s.control: cl.controls, s.stdin: cl.prompts, s.iopub: cl.published} {
		go receive(t, from, func(m *message) { to <- m })
	}
	return cl
}

// ask sends a request on the shell socket.
func (c *client) ask(kind string, content any) *message { return c.send(c.shell, kind, content) }

func (c *client) send(on *socket, kind string, content any) *message {
	m := newMessage(kind, nil, content)
	if err := on.send(m.frames([]byte(testKey))); err != nil {
		c.t.Fatal(err)
	}
	return m
}

// cell asks to execute code.
func (c *client) cell(code string) *message {
	return c.ask("execute_request", map[string]any{"code": code, "silent": false, "store_history": true, "allow_stdin": false, "stop_on_error": true})
}

// wait is the next message, which must be of a kind and answer a request.
func wait(t *testing.T, from chan *message, kind string, to *message) *message {
	t.Helper()
	select {
	case m := <-from:
		if m.header.Type != kind || m.parent.ID != to.header.ID {
			t.Fatalf("got a %s to %s, %s; want a %s to %s, %s", m.header.Type, m.parent.Type, m.content, kind, to.header.Type, to.content)
		}
		return m
	case <-time.After(patience):
		t.Fatalf("got nothing; want a %s", kind)
		return nil
	}
}

// until passes over what is published up to one of a kind that comes of a request.
func (c *client) until(kind string, of *message) *message {
	c.t.Helper()
	for {
		select {
		case m := <-c.published:
			if m.header.Type == kind && m.parent.ID == of.header.ID {
				return m
			}
		case <-time.After(patience):
			c.t.Fatalf("no %s is published", kind)
		}
	}
}

// idle passes over what is published until a request has ended.
func (c *client) idle(of *message) {
	c.t.Helper()
	for field(c.t, c.until("status", of), "execution_state") != "idle" {
	}
}

// field is a field of a message's content that holds text.
func field(t *testing.T, m *message, name string) string {
	var content map[string]any
	if err := json.Unmarshal(m.content, &content); err != nil {
		t.Errorf("%s: %v", m.content, err)
	}
	text, _ := content[name].(string)
	return text
}

// passes wants GoNB to get a cell that is sent now, and its reply to come back.
func passes(t *testing.T, k *fake, c *client) {
	t.Helper()
	asked := c.cell("later()")
	m := k.next()
	if m.header.ID != asked.header.ID {
		t.Errorf("GoNB got %s", m.content)
	}
	k.finish(m, "ok")
	wait(t, c.replies, "execute_reply", asked)
}

// start runs a front between a fake and a client.
func start(t *testing.T, broken string) (*fake, *client, func() bool) {
	return startHelped(t, broken, &fakeHelper{})
}

func startHelped(t *testing.T, broken string, h helper) (*fake, *client, func() bool) {
	return startWith(t, broken, h, func(*front) {})
}

func startWith(t *testing.T, broken string, h helper, change func(*front)) (*fake, *client, func() bool) {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	folder, err := temporary()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	given := connection{Transport: "ipc", IP: folder + "/j", Shell: 1, Control: 2, Stdin: 3, IOPub: 4, Heartbeat: 5, Key: testKey, SignatureScheme: "hmac-sha256"}
	jupyter, err := given.bind(ctx)
	if err != nil {
		t.Fatal(err)
	}
	behind := given.behind(folder)
	k := startFake(t, ctx, behind, broken)
	kernel, err := behind.dial(ctx)
	if err != nil {
		t.Fatal(err)
	}
	f := newFront(testKey, "/the/clone", jupyter, kernel, h)
	f.opening.made = func(string) {}
	change(f)
	ended := make(chan bool, 1)
	life, end := context.WithCancel(ctx)
	go func() { ended <- f.serve(life, make(chan struct{})) }()
	c := startClient(t, ctx, given)
	// Who subscribes late hears nothing: ask until the answer is heard.
	for heard := false; !heard; {
		wait(t, c.replies, "kernel_info_reply", c.ask("kernel_info_request", map[string]any{}))
		select {
		case <-c.published:
			heard = true
		case <-time.After(10 * time.Millisecond):
		}
	}
	m := c.ask("kernel_info_request", map[string]any{})
	wait(t, c.replies, "kernel_info_reply", m)
	c.idle(m)
	return k, c, func() bool {
		t.Helper()
		end()
		select {
		case died := <-ended:
			return died
		case <-time.After(patience):
			t.Fatal("the front does not end")
			return false
		}
	}
}

// fakeHelper knows what it is told.
type fakeHelper struct {
	mu        sync.Mutex
	ran       []string
	completed Completions
	help      string
	err       error
	hold      chan struct{} // an answer waits for it, if it is there
}

func (h *fakeHelper) Warm(context.Context) {}

func (h *fakeHelper) Ran(cell string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ran = append(h.ran, cell)
}

func (h *fakeHelper) Complete(context.Context, string, int) (Completions, error) {
	if h.hold != nil {
		<-h.hold
	}
	return h.completed, h.err
}

func (h *fakeHelper) Inspect(context.Context, string, int) (string, error) { return h.help, h.err }
