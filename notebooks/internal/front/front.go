//go:build unix

// Package front is the kernel that Jupyter talks to. It stands before GoNB, which
// compiles and runs the cells, and passes messages between the two. In it stands,
// for every program that starts the kernel, what GoNB does not do: the module is
// known in any folder, an error ends a Run All, and nothing stays when it ends.
package front

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"
)

// front is one running kernel. Its fields are for the goroutine of serve alone;
// the others hand it functions.
type front struct {
	key     []byte
	root    string   // the folder of the module that cells may import
	jupyter *sockets // towards those who ask
	kernel  *sockets // towards GoNB
	helper  helper
	do      chan func()

	opening opening
	info    json.RawMessage // what GoNB says of itself, once it has
	asked   []request       // for it before it was there

	queue   []*message // cells that wait
	current *message   // the cell that runs, or nil
	ended   ended
	exit    *message       // held back until the next one: how the cell's program has ended
	count   int            // its number, or that of the last one
	sources map[int]source // cells by their number
	said    printed        // by the running cell
	ending  bool           // no cell may begin any more

	life     context.Context // ends with serve
	declared cells           // what the cells that have run declare
	program  *program        // nil until GoNB compiles somewhere

	asking chan struct{} // has one entry while the helper completes
	soon   time.Duration // see there

	interrupted *message // the cell that an interrupt is for; nil for none
	waiting     waiting
	compiles    func() bool   // reports whether the cell is compiled; nil where nobody can tell
	untold      time.Duration // see there, and lookEvery
	lookEvery   time.Duration
}

// ended is what is known of the end of the running cell.
type ended struct {
	replied, idle bool
	failed        bool // and those behind it are given up
}

// request is a message that somebody waits for an answer to, on the socket that it
// came from.
type request struct {
	*message
	from *socket
}

func newFront(key, root string, jupyter, kernel *sockets, help helper) *front {
	return &front{key: []byte(key), root: root, jupyter: jupyter, kernel: kernel, helper: help, do: make(chan func(), 64), sources: make(map[int]source), asking: make(chan struct{}, 1), soon: soon, untold: untold, lookEvery: lookEvery}
}

// graceToEnd is how long a running cell may take to save what it has. Jupyter kills
// a kernel that takes five seconds to end.
const graceToEnd = 4 * time.Second

// serve passes messages until Jupyter wants the kernel to end, ctx is done or GoNB
// has ended, and interrupts the cell that runs then. It returns whether GoNB ended
// by itself.
func (f *front) serve(ctx context.Context, gone <-chan struct{}) (died bool) {
	receiving, cancel := context.WithCancel(context.Background())
	defer cancel()
	f.life = receiving
	for from, take := range map[*socket]func(*message){
		f.jupyter.shell:   func(m *message) { f.onRequest(receiving, request{m, f.jupyter.shell}) },
		f.jupyter.control: func(m *message) { f.onRequest(receiving, request{m, f.jupyter.control}) },
		f.jupyter.stdin:   func(m *message) { f.kernel.stdin.send(m.frames(f.key)) },
		f.kernel.shell:    f.onReply,
		f.kernel.control:  f.onReply,
		f.kernel.stdin:    func(m *message) { f.jupyter.stdin.send(m.frames(f.key)) },
		f.kernel.iopub:    f.onPublished,
	} {
		go f.receive(receiving, from, take)
	}
	go f.jupyter.heartbeat.echo()

	f.publish(nil, "status", map[string]any{"execution_state": "starting"})
	knock := time.NewTicker(20 * time.Millisecond)
	defer knock.Stop()
	f.knock()
	look := time.NewTicker(f.lookEvery)
	defer look.Stop()
	var late <-chan time.Time
	done := ctx.Done()
	for {
		select {
		case fn := <-f.do:
			fn()
		case <-knock.C:
			if f.opening.subscribed {
				knock.Stop()
			} else {
				f.knock()
			}
		case <-look.C:
			f.look()
		case <-done:
			done, f.ending = nil, true
		case <-late:
			return false
		case <-gone:
			if !f.ending {
				f.tellDeath()
			}
			return !f.ending
		}
		switch {
		case f.ending && f.current == nil:
			return false
		case f.ending && late == nil:
			late = time.After(graceToEnd)
			f.interrupt()
		}
	}
}

// receive hands the messages that come on a socket to take, which runs in the goroutine of serve. It
// passes over what is no message, or is not from who has the key.
func (f *front) receive(ctx context.Context, from *socket, take func(*message)) {
	for raw, err := from.Recv(); err == nil; raw, err = from.Recv() {
		m, err := parse(raw.Frames, f.key)
		if err != nil {
			continue
		}
		select {
		case f.do <- func() { take(m) }:
		case <-ctx.Done():
			return
		}
	}
}

// echo answers heartbeats.
func (s *socket) echo() {
	for m, err := s.Recv(); err == nil; m, err = s.Recv() {
		s.send(m.Frames)
	}
}

// onRequest takes a message from Jupyter.
func (f *front) onRequest(ctx context.Context, r request) {
	switch r.header.Type {
	case "execute_request":
		f.queue = append(f.queue, r.message)
		f.next()
	case "kernel_info_request":
		if f.info == nil {
			f.asked = append(f.asked, r)
		} else {
			f.answer(r, "kernel_info_reply", f.info)
		}
	case "complete_request":
		f.meanwhile(ctx, r, "complete_reply", f.completion)
	case "inspect_request":
		f.meanwhile(ctx, r, "inspect_reply", f.inspection)
	// GoNB leaves those without an answer, and who asked waits without end.
	case "comm_info_request": // of a program that people write cells in
		go f.helper.Warm(ctx)
		f.answer(r, "comm_info_reply", map[string]any{"status": "ok", "comms": map[string]any{}})
	case "history_request":
		f.answer(r, "history_reply", map[string]any{"status": "ok", "history": []any{}})
	case "is_complete_request":
		f.answer(r, "is_complete_reply", map[string]any{"status": "unknown"})
	case "interrupt_request":
		f.interrupt()
		f.answer(r, "interrupt_reply", map[string]any{"status": "ok"})
	case "shutdown_request":
		f.answer(r, "shutdown_reply", map[string]any{"status": "ok", "restart": r.says().Restart})
		f.abort()
		f.ending = true
	default:
		f.kernel.shell.send(r.frames(f.key))
	}
}

// onReply takes an answer of GoNB's.
func (f *front) onReply(m *message) {
	switch {
	case f.opening.owns(m.parent.ID):
		f.onOpeningReply(m)
	case m.header.Type == "interrupt_reply", m.header.Type == "shutdown_reply": // the front has answered
	case f.current != nil && m.parent.ID == f.current.header.ID && m.header.Type == "execute_reply":
		f.onExecuted(m)
	default:
		f.jupyter.shell.send(m.frames(f.key))
	}
}

// onPublished takes what GoNB tells everybody.
func (f *front) onPublished(m *message) {
	if f.opening.owns(m.parent.ID) {
		f.onOpeningPublished(m)
		return
	}
	ends := m.header.Type == "status" && m.says().State == "idle"
	if ends || slices.Contains(outputs, m.header.Type) {
		f.shows(m.parent.ID, true)
	}
	if f.exit != nil {
		if m.header.Type != "error" { // which says it too
			f.jupyter.iopub.send(f.exit.frames(f.key))
		}
		f.exit = nil
	}
	switch m.header.Type {
	case "error":
		m.content = f.known().explain(m.content)
	case "stream":
		if exits(m.content) {
			f.exit = m
			return
		}
		if f.current != nil && m.parent.ID == f.current.header.ID {
			m.content = f.said.cut(m.content)
		}
	}
	f.jupyter.iopub.send(m.frames(f.key))
	if f.current != nil && m.parent.ID == f.current.header.ID && ends {
		f.ended.idle = true
		f.finish()
	}
}

// answer answers a request that GoNB does not see, and publishes that the kernel was
// busy with it, as the protocol wants.
func (f *front) answer(r request, kind string, content any) {
	f.publish(r.message, "status", map[string]any{"execution_state": "busy"})
	r.from.send(newMessage(kind, r.message, content).frames(f.key))
	f.publish(r.message, "status", map[string]any{"execution_state": "idle"})
	if f.current != nil { // whoever shows the kernel's state has taken it for idle
		f.publish(f.current, "status", map[string]any{"execution_state": "busy"})
	}
}

// publish tells everybody something that comes of parent, or of nothing when that
// is nil.
func (f *front) publish(parent *message, kind string, content any) {
	m := newMessage(kind, parent, content)
	m.routing = [][]byte{[]byte("kernel." + kind)}
	f.jupyter.iopub.send(m.frames(f.key))
}

// interrupt gives up the cells that wait and interrupts the one that runs.
func (f *front) interrupt() {
	f.abort()
	f.interrupted = f.current
	f.sendInterrupt()
}

func (f *front) sendInterrupt() {
	f.kernel.control.send(newMessage("interrupt_request", nil, map[string]any{}).frames(f.key))
}

// next begins the first cell that waits, when none runs.
func (f *front) next() {
	if !f.opening.done || f.current != nil || f.ending || len(f.queue) == 0 {
		return
	}
	m := f.queue[0]
	f.queue = slices.Delete(f.queue, 0, 1)
	if text := fault(m.says().Code); text != "" {
		f.refuse(m, text)
		f.next()
		return
	}
	f.current, f.said = m, 0
	if f.waiting.cell != m {
		f.wait(m)
	}
	f.shows(m.header.ID, false)
	f.tellTrouble()
	f.study(m)
}

func (f *front) known() known { return known{f.sources, f.count, f.declared, f.program} }

// study finds out what has to be known of a cell before GoNB gets it, while other messages go on.
func (f *front) study(m *message) {
	cell := opened(m.says().Code)
	end, ends := endOf(cell.sent)
	all := allOf(f.sources) + "\n" + cell.text
	if path := importOf(all, "nb"); !ends || path != "" && !strings.HasSuffix(path, "/bcpace/nb") {
		end, ends = ending{}, false
	}
	p, declared, life, lacks := f.program, f.declared, f.life, ""
	go func() {
		if p != nil && !strings.Contains(all, "%autoget") && !strings.Contains(all, "go get ") {
			lacks = p.lacks(life, cell)
		}
		if p != nil && lacks == "" && ends && end.around == "" {
			end.around = p.around(life, &declared, cell.sent)
		}
		select {
		case <-life.Done():
		case f.do <- func() {
			if lacks == "" {
				f.begin(m, cell, end)
				return
			}
			f.shows(m.header.ID, true)
			f.current, f.interrupted = nil, nil
			f.refuse(m, lacks)
			f.next()
		}:
		}
	}()
}

// begin hands a cell to GoNB with a function around its end, and notes it. A request to execute gets the fields that it may
// leave out and GoNB fails without.
func (f *front) begin(m *message, cell source, end ending) {
	if end.around != "" {
		cell.sent = end.in(cell.sent)
	}
	var content map[string]any
	if json.Unmarshal(m.content, &content) == nil {
		changed := cell.sent != cell.text
		for name, usual := range map[string]any{"code": "", "silent": false, "store_history": true, "allow_stdin": false} {
			if _, ok := content[name]; !ok {
				content[name], changed = usual, true
			}
		}
		if changed {
			content["code"] = cell.sent
			m.content = marshal(content)
		}
		if counts, _ := content["store_history"].(bool); counts { // as GoNB does
			f.count++
		}
		f.sources[f.count] = cell
	}
	f.kernel.shell.send(m.frames(f.key))
}

// onExecuted takes the reply to the running cell.
func (f *front) onExecuted(m *message) {
	m.content = f.known().explain(m.content)
	f.jupyter.shell.send(m.frames(f.key))
	reply := m.says()
	if reply.Status == "ok" || ran.MatchString(reply.EValue) {
		f.helper.Ran(f.sources[f.count].sent)
		f.declared.add(f.sources[f.count].sent)
	}
	f.ended.replied = true
	f.ended.failed = reply.Status == "error" && f.current.stopsOnError()
	f.finish()
}

// finish goes on to the next cell when all of the running one is here. After an error,
// those that were sent with it are given up, as a notebook's user knows it from Python.
func (f *front) finish() {
	if !f.ended.replied || !f.ended.idle {
		return
	}
	failed := f.ended.failed
	f.current, f.ended, f.interrupted = nil, ended{}, nil
	if failed {
		f.abort()
	}
	f.next()
}

// abort gives up the cells that wait.
func (f *front) abort() {
	given := f.queue
	f.queue = nil
	for _, m := range given {
		f.shows(m.header.ID, true)
		f.answer(request{m, f.jupyter.shell}, "execute_reply", map[string]any{"status": "aborted"})
	}
}

// ran matches the error of a cell that was compiled and failed then.
var ran = regexp.MustCompile(`^(exit status|signal:)`)
