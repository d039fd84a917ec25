package jetstream

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"bayescpace/bcpace/sweep"
)

// start is the line that a parent writes to a worker process's standard input.
type start struct {
	Link   link          `json:"link"`
	Worker string        `json:"worker"`
	Grace  time.Duration `json:"grace"` // for a handler to return after it was told to
}

// What a worker process tells its parent, a line each.
const (
	readyWord   = "ready"
	refusedWord = "refused " // and why: to start another is of no use
)

// Child is what a worker process does: it reads from stdin how to reach the server and
// computes tasks until ctx ends or its parent does, which closes stdin. It writes to stdout
// what its parent must know. check says whether this program has what a sweep needs; nil
// means that it has everything. A nil error means that it was told to end. After any error
// the process must end, as a handler may still run.
func Child(ctx context.Context, stdin io.Reader, stdout io.Writer, check func(need string) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	in := bufio.NewReaderSize(stdin, 4*maxText)
	line, err := in.ReadSlice('\n')
	var s start
	if err == nil {
		err = json.Unmarshal(line, &s)
	}
	if err != nil {
		return fmt.Errorf("a worker process is started by the program that has tasks, which writes to its standard input: %w", err)
	}
	go func() {
		io.Copy(io.Discard, in)
		cancel()
	}()
	err = work(ctx, s, stdout, check)
	if _, no := errors.AsType[*refused](err); no {
		fmt.Fprintln(stdout, refusedWord+strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return err
}

// refused says that this program is of no use to the server.
type refused struct{ error }

func (r *refused) Unwrap() error { return r.error }

func work(ctx context.Context, s start, stdout io.Writer, check func(string) error) error {
	if check == nil {
		check = func(string) error { return nil }
	}
	w := &worker{name: s.Worker, link: s.Link, check: check, grace: s.Grace, sweeps: make(map[string]*joined), wake: make(chan struct{}, 1),
		closed: make(chan struct{}), keeping: make(chan struct{}, maxKeeping)}
	if err := w.connect(ctx); err != nil || w.nc == nil {
		return err
	}
	defer w.nc.Close()
	fmt.Fprintln(stdout, readyWord)
	return w.run(ctx)
}

// joined is a sweep that a worker knows.
type joined struct {
	offer
	offered time.Time // when its last offer came
	lacks   error     // why the worker cannot serve it
	ctx     context.Context
	end     context.CancelFunc
	held    []string // keys of tasks that the coordinator takes the worker to have, the last one at the end
}

const (
	offerValid = 5 * offerEvery  // how long a sweep is taken to live
	leaveTime  = 5 * time.Second // to keep and tell what has been computed
	maxKeeping = 64              // answers on their way to the disk or the coordinator
)

// worker computes tasks, one at a time.
type worker struct {
	name  string
	link  link
	check func(need string) error
	grace time.Duration
	nc    *nats.Conn
	vault *vault // nil before the first ask

	wake    chan struct{} // a sweep has come or gone
	closed  chan struct{} // the connection was closed
	keeping chan struct{} // holds a value for each answer on its way

	mu      sync.Mutex
	sweeps  map[string]*joined
	refusal error
}

// connect waits for the server.
func (w *worker) connect(ctx context.Context) (err error) {
	w.nc, err = w.link.await(ctx, w.name, func(string) {},
		nats.ReconnectHandler(func(nc *nats.Conn) { nc.Publish(helloSubject, nil) }),
		nats.ClosedHandler(func(nc *nats.Conn) {
			w.mu.Lock()
			w.refusal = nc.LastError()
			w.mu.Unlock()
			close(w.closed)
		}))
	if err != nil {
		return &refused{err}
	}
	if w.nc == nil {
		return nil
	}
	if _, err := w.nc.Subscribe(offerSubject, w.hear); err != nil {
		return err
	}
	return w.nc.Publish(helloSubject, nil)
}

// hear notes an offer.
func (w *worker) hear(m *nats.Msg) {
	var o offer
	if read(m.Data, &o) != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	j := w.sweeps[o.ID]
	if o.Over {
		if j != nil {
			j.end()
			delete(w.sweeps, o.ID)
			w.changed()
		}
		return
	}
	if j == nil {
		j = new(joined)
		j.ctx, j.end = context.WithCancel(context.Background())
		w.sweeps[o.ID] = j
		w.changed()
	}
	j.offer, j.offered, j.lacks = o, time.Now(), w.lacks(o)
}

// lacks returns why this program cannot serve a sweep, or nil.
func (w *worker) lacks(o offer) error {
	if v := version(); o.Version != v {
		return fmt.Errorf("sweep %q has version %v, this program is %v: start the same program on both sides", o.Name, o.Version, v)
	}
	for _, k := range o.Kinds {
		if _, ok := sweep.HandlerOf(k); !ok {
			return fmt.Errorf("sweep %q has tasks of kind %q, this program handles %q", o.Name, k, sweep.Kinds())
		}
	}
	for _, n := range o.Needs {
		if err := w.check(n); err != nil {
			return fmt.Errorf("sweep %q needs %q: %w", o.Name, n, err)
		}
	}
	return nil
}

// changed wakes run. w.mu may be locked.
func (w *worker) changed() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *worker) run(ctx context.Context) error {
	beating, end := context.WithCancel(context.Background())
	defer end()
	go w.beats(beating)
	for ctx.Err() == nil {
		if err := w.refuses(); err != nil {
			return err
		}
		s := w.choose()
		if s == nil {
			select {
			case <-w.wake:
			case <-time.After(offerEvery):
			case <-w.closed:
			case <-ctx.Done():
			}
		} else if t := w.ask(ctx, s); t != nil {
			if err := w.compute(ctx, s, *t); err != nil && ctx.Err() == nil {
				w.leave()
				return err
			}
		}
	}
	w.leave()
	return nil
}

// refuses returns an error if the server has closed the connection, or has sweeps and this
// program can serve none of them.
func (w *worker) refuses() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.closed:
		return &refused{w.link.explain(w.refusal)}
	default:
	}
	var lacks error
	for _, j := range w.sweeps {
		if time.Since(j.offered) > offerValid {
			continue
		}
		if j.lacks == nil {
			return nil
		}
		lacks = j.lacks
	}
	if lacks != nil {
		return &refused{lacks}
	}
	return nil
}

// choose returns the sweep to ask for a task: one that had tasks to give when it was last heard of, if
// there is any, as another one lets the worker wait. It returns nil where there is none to ask.
func (w *worker) choose() *joined {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all, waiting []*joined
	for id, s := range w.sweeps {
		if time.Since(s.offered) > offerValid && len(s.held) == 0 {
			delete(w.sweeps, id)
		} else if s.lacks == nil {
			all = append(all, s)
			if s.Queued > 0 {
				waiting = append(waiting, s)
			}
		}
	}
	if len(waiting) > 0 {
		all = waiting
	}
	if len(all) == 0 {
		return nil
	}
	return all[rand.IntN(len(all))]
}

// ask asks a coordinator for a task; nil means that it has none for now.
func (w *worker) ask(ctx context.Context, s *joined) *leased {
	short, cancel := context.WithTimeout(s.ctx, maxPoll+3*time.Second)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	w.mu.Lock()
	request := write(holding{w.name, s.held})
	w.mu.Unlock()
	var err error
	if w.vault == nil { // it is there since the sweep was offered
		w.vault, err = openVault(short, w.nc, false, 0)
	}
	var g grant
	if err == nil {
		var m *nats.Msg
		if m, err = w.nc.RequestWithContext(short, sweepSubject(s.ID, verbAsk), request); err == nil {
			err = read(m.Data, &g)
		}
	}
	w.mu.Lock()
	if err == nil && g.Task != nil {
		s.held = append(s.held, g.Task.Key)
	}
	if errors.Is(err, nats.ErrNoResponders) && len(s.held) == 0 && w.sweeps[s.ID] == s {
		delete(w.sweeps, s.ID)
	}
	w.mu.Unlock()
	if err != nil {
		select { // the next batch of a sweep may be offered before
		case <-w.wake:
		case <-s.ctx.Done():
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
		}
		return nil
	}
	return g.Task
}

// compute computes a task. The error says that the process must end.
func (w *worker) compute(ctx context.Context, s *joined, t leased) error {
	taskCtx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	var answer sweep.Answer
	var stuck bool
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		answer, stuck = sweep.Attempt(taskCtx, t.Task, w.vault, w.name, t.Tries)
	}()
	select {
	case <-ended:
	case <-taskCtx.Done():
		select {
		case <-ended:
		case <-time.After(w.grace):
			return fmt.Errorf("the handler of kind %q does not end when it is told to", t.Kind)
		}
	}
	if taskCtx.Err() != nil {
		return nil // leave hands it back, or nobody wants it
	}
	answer.Fault = shorten(answer.Fault)
	w.deliver(ctx, s, t, &answer)
	if stuck {
		return fmt.Errorf("%s: %s", t.Name, answer.Fault)
	}
	return nil
}

// deliver has an answer kept, if it is one to keep, and told. Where so many wait for a server
// that is gone, it waits until ctx ends, and the answer is lost.
func (w *worker) deliver(ctx context.Context, s *joined, t leased, a *sweep.Answer) {
	select {
	case w.keeping <- struct{}{}:
	case <-ctx.Done():
		return
	}
	go func() {
		defer func() { <-w.keeping }()
		if a.Fault == "" && !t.Transient {
			part := a.Part
			if a = w.keep(s, a); a == nil {
				return
			}
			if part { // dropped before the answer is told, which may end the sweep
				short, cancel := context.WithTimeout(s.ctx, 5*time.Second)
				w.vault.dropPart(short, a.Key)
				cancel()
			}
		}
		w.tell(s, a)
		w.mu.Lock()
		s.held = slices.DeleteFunc(s.held, func(key string) bool { return key == a.Key })
		w.mu.Unlock()
	}()
}

// keep has the server keep an answer, however long that takes. If there is one already, it
// returns that; nil means that the sweep or the connection has ended.
func (w *worker) keep(s *joined, a *sweep.Answer) *sweep.Answer {
	for {
		ctx, cancel := context.WithTimeout(s.ctx, 5*time.Second)
		kept, err := w.vault.keep(ctx, a)
		cancel()
		switch {
		case err == nil:
			return kept
		case s.ctx.Err() != nil || w.nc.IsClosed():
			return nil
		case errors.As(err, new(*unreadable)): // it has been removed
			continue
		case !passing(err):
			w.nc.Publish(sweepSubject(s.ID, verbTrouble), write(trouble{w.name, shorten(fmt.Sprintf("an answer cannot be kept: %v", err))}))
			pause(s.ctx, time.Second)
		}
		pause(s.ctx, 100*time.Millisecond)
	}
}

// tell tells a coordinator until it has heard, or does not run any more: what is to be kept
// is kept by then.
func (w *worker) tell(s *joined, a *sweep.Answer) {
	absent := 0
	for data := write(a); s.ctx.Err() == nil && !w.nc.IsClosed(); pause(s.ctx, 100*time.Millisecond) {
		_, err := w.nc.Request(sweepSubject(s.ID, verbTell), data, 5*time.Second)
		if err == nil {
			return
		}
		if errors.Is(err, nats.ErrNoResponders) {
			// It may have been started again, and not listen yet.
			if absent++; absent > 20 {
				return
			}
		}
	}
}

// beats says that the worker lives, to those whose tasks it has.
func (w *worker) beats(ctx context.Context) {
	for {
		every := time.Second
		w.mu.Lock()
		said := make(map[string][]string)
		for id, j := range w.sweeps {
			every = min(every, time.Duration(j.Lease)/3)
			if len(j.held) > 0 {
				said[id] = slices.Clone(j.held)
			}
		}
		w.mu.Unlock()
		for id, keys := range said {
			w.nc.Publish(sweepSubject(id, verbBeat), write(holding{w.name, keys}))
		}
		if pause(ctx, every) != nil {
			return
		}
	}
}

// leave tells what has been computed and hands back the rest, unless the server is gone.
func (w *worker) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), leaveTime)
	defer cancel()
	go func() { // without a server for half a second, what has not been kept is computed again
		for gone := 0; gone < 25 && pause(ctx, 20*time.Millisecond) == nil; gone++ {
			if w.nc.IsConnected() {
				gone = 0
			}
		}
		cancel()
	}()
	for range maxKeeping { // until all are told
		select {
		case w.keeping <- struct{}{}:
		case <-ctx.Done():
		}
	}
	w.mu.Lock()
	ids := sortedKeys(w.sweeps)
	w.mu.Unlock()
	for _, id := range ids {
		short, cancel := context.WithTimeout(ctx, time.Second)
		w.nc.RequestWithContext(short, sweepSubject(id, verbBack), write(holding{Worker: w.name}))
		cancel()
	}
}
