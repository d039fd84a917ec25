package jetstream

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
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
	var no *refused
	if errors.As(err, &no) {
		fmt.Fprintln(stdout, refusedWord+strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return err
}

// refused says that this program is of no use to the server.
type refused struct{ err error }

func (r *refused) Error() string { return r.err.Error() }
func (r *refused) Unwrap() error { return r.err }

func work(ctx context.Context, s start, stdout io.Writer, check func(string) error) error {
	if check == nil {
		check = func(string) error { return nil }
	}
	w := &worker{name: s.Worker, link: s.Link, check: check, grace: s.Grace, sweeps: make(map[string]*joined), wake: make(chan struct{}, 1),
		outgoing: make(chan struct{}, 1), closed: make(chan struct{}), keeping: make(chan struct{}, maxKeeping)}
	if err := w.connect(ctx); err != nil || ctx.Err() != nil {
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
	held    map[string]bool // tasks that the coordinator takes the worker to have
}

// job is a task that a worker has got.
type job struct {
	leased
	sweep *joined
}

// outbound is an answer for a coordinator.
type outbound struct {
	sweep  *joined
	answer sweep.Answer
}

const (
	batchTime  = 100 * time.Millisecond // how much work a worker asks for at once
	slowAfter  = 5 * batchTime          // how long others wait behind a task before they are handed back
	offerValid = 5 * offerEvery         // how long a sweep is taken to live
	leaveTime  = 5 * time.Second        // to keep and tell what has been computed
	maxKeeping = 64                     // answers on their way to the disk
)

// worker computes tasks, one at a time.
type worker struct {
	name  string
	link  link
	check func(need string) error
	grace time.Duration
	nc    *nats.Conn
	vault *vault // nil before the first ask

	wake     chan struct{} // something has changed
	outgoing chan struct{} // outbox is not empty
	closed   chan struct{} // the connection was closed
	keeping  chan struct{} // holds a value for each answer on its way to the disk

	mu       sync.Mutex
	sweeps   map[string]*joined
	queue    []job // tasks not begun
	fetching bool
	slow     bool // a task takes long: let nothing wait behind it
	mean     time.Duration
	outbox   []outbound
	refusal  error
}

// connect waits for the server.
func (w *worker) connect(ctx context.Context) (err error) {
	options := []nats.Option{
		nats.ReconnectHandler(func(nc *nats.Conn) { nc.Publish(helloSubject, nil) }),
		nats.ClosedHandler(func(nc *nats.Conn) {
			w.mu.Lock()
			w.refusal = nc.LastError()
			w.mu.Unlock()
			close(w.closed)
		}),
	}
	for {
		w.nc, err = w.link.dial(w.name, options...)
		if err == nil {
			break
		}
		if refusal(err) {
			return &refused{err}
		}
		if pause(ctx, 200*time.Millisecond) != nil {
			return nil
		}
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
		j = &joined{held: make(map[string]bool)}
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
	tellCtx, end := context.WithCancel(context.Background())
	defer end()
	go w.beats(tellCtx)
	go w.tells(tellCtx)
	for {
		if ctx.Err() != nil {
			w.leave()
			return nil
		}
		j, ok := w.next()
		if ok {
			if err := w.compute(ctx, j); err != nil {
				w.leave()
				if ctx.Err() != nil {
					return nil
				}
				return err
			}
			continue
		}
		if err := w.refuses(); err != nil {
			return err
		}
		select {
		case <-w.wake:
		case <-time.After(offerEvery):
		case <-w.closed:
			return w.refuses()
		case <-ctx.Done():
		}
	}
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

// next returns the next task that waits here, and sees to it that more come.
func (w *worker) next() (j job, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.queue) > 0 && !ok {
		j, w.queue = w.queue[0], w.queue[1:]
		ok = j.sweep.ctx.Err() == nil
	}
	max := maxTasks
	if w.mean > 0 {
		max = min(maxTasks, int(batchTime/w.mean))
	}
	switch {
	case w.mean == 0, max < 2: // a task alone is a batch: nothing waits behind it
		if !ok {
			w.fetch(1)
		}
	case len(w.queue) <= max/2:
		w.fetch(max)
	}
	return j, ok
}

// fetch asks a coordinator for tasks, unless one has been asked: one that had tasks to give when
// it was last heard of, if there is any, as another one lets the worker wait. w.mu is locked.
func (w *worker) fetch(max int) {
	var all, waiting []*joined
	for id, j := range w.sweeps {
		if time.Since(j.offered) > offerValid && len(j.held) == 0 {
			delete(w.sweeps, id)
		} else if j.lacks == nil {
			all = append(all, j)
			if j.Queued > 0 {
				waiting = append(waiting, j)
			}
		}
	}
	if len(waiting) > 0 {
		all = waiting
	}
	if w.fetching || len(all) == 0 {
		return
	}
	w.fetching = true
	j := all[rand.IntN(len(all))]
	a := ask{Worker: w.name, Max: max, Keys: sortedKeys(j.held)}
	go func() {
		tasks, err := w.ask(j, a)
		w.mu.Lock()
		w.fetching = false
		for _, t := range tasks {
			j.held[t.Key] = true
			w.queue = append(w.queue, job{t, j})
		}
		if errors.Is(err, nats.ErrNoResponders) && len(j.held) == 0 && w.sweeps[j.ID] == j {
			delete(w.sweeps, j.ID)
		}
		slow := w.slow
		w.mu.Unlock()
		if slow {
			w.unload(j.ctx)
		}
		if err != nil {
			time.Sleep(50 * time.Millisecond)
		}
		w.changed()
	}()
}

func (w *worker) ask(j *joined, a ask) ([]leased, error) {
	if w.vault == nil { // it is there since the sweep was offered
		ctx, cancel := context.WithTimeout(j.ctx, 5*time.Second)
		defer cancel()
		v, err := openVault(ctx, w.nc, false, 0)
		if err != nil {
			return nil, err
		}
		w.vault = v
	}
	m, err := w.nc.Request(sweepSubject(j.ID, verbAsk), write(a), maxPoll+3*time.Second)
	if err != nil {
		return nil, err
	}
	var g grant
	if err := read(m.Data, &g); err != nil {
		return nil, err
	}
	return g.Tasks, nil
}

// compute computes a task. The error says that the process must end.
func (w *worker) compute(ctx context.Context, j job) error {
	taskCtx, cancel := context.WithCancel(j.sweep.ctx)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	over := false // the task has ended; w.mu guards it, as the timer may fire just then
	timer := time.AfterFunc(slowAfter, func() {
		w.mu.Lock()
		slow := !over
		w.slow = w.slow || slow
		w.mu.Unlock()
		if slow {
			w.unload(j.sweep.ctx)
		}
	})
	defer timer.Stop()
	type outcome struct {
		answer sweep.Answer
		stuck  bool
	}
	ended := make(chan outcome, 1)
	go func() {
		a, stuck := sweep.Attempt(taskCtx, j.Task, w.vault, w.name, j.Tries)
		ended <- outcome{a, stuck}
	}()
	var o outcome
	select {
	case o = <-ended:
	case <-taskCtx.Done():
		select {
		case <-ended:
		case <-time.After(w.grace):
			return fmt.Errorf("the handler of kind %q does not end when it is told to", j.Kind)
		}
	}
	w.mu.Lock()
	over, w.slow = true, false
	if taskCtx.Err() != nil {
		w.mu.Unlock()
		return nil // leave hands it back, or nobody wants it
	}
	// Slow down at once, and speed up by and by.
	took := time.Duration(o.answer.Seconds * float64(time.Second))
	w.mean = max(took, (4*w.mean+took)/5, time.Microsecond)
	w.mu.Unlock()
	o.answer.Fault = shorten(o.answer.Fault)
	w.deliver(ctx, j, o.answer)
	if o.stuck {
		return fmt.Errorf("%s: %s", j.Name, o.answer.Fault)
	}
	return nil
}

// unload hands back the tasks that wait here.
func (w *worker) unload(ctx context.Context) {
	w.mu.Lock()
	jobs := w.queue
	w.queue = nil
	w.mu.Unlock()
	keys := make(map[*joined][]string)
	for _, j := range jobs {
		keys[j.sweep] = append(keys[j.sweep], j.Key)
	}
	w.handBack(ctx, keys)
}

func (w *worker) handBack(ctx context.Context, keys map[*joined][]string) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for s, keys := range keys {
		w.nc.RequestWithContext(ctx, sweepSubject(s.ID, verbBack), write(holding{w.name, keys}))
		w.mu.Lock()
		for _, k := range keys {
			delete(s.held, k)
		}
		w.mu.Unlock()
	}
}

// deliver has an answer kept, if it is one to keep, and told. Where so many wait for a server
// that is gone, it waits until ctx ends, and the answer is lost.
func (w *worker) deliver(ctx context.Context, j job, a sweep.Answer) {
	if a.Fault != "" || j.Transient {
		w.post(outbound{j.sweep, a})
		return
	}
	select {
	case w.keeping <- struct{}{}:
	case <-ctx.Done():
		return
	}
	go func() {
		defer func() { <-w.keeping }()
		kept, ok := w.keep(j.sweep, a)
		if !ok {
			return
		}
		w.post(outbound{j.sweep, kept})
		if a.Part {
			short, cancel := context.WithTimeout(j.sweep.ctx, 5*time.Second)
			defer cancel()
			w.vault.dropPart(short, a.Key)
		}
	}()
}

// keep has the server keep an answer, however long that takes. If there is one already, it
// returns that.
func (w *worker) keep(s *joined, a sweep.Answer) (kept sweep.Answer, ok bool) {
	for {
		ctx, cancel := context.WithTimeout(s.ctx, 5*time.Second)
		err := w.vault.keep(ctx, a)
		if errors.Is(err, errTaken) {
			var there bool
			if kept, there, err = w.vault.answer(ctx, a.Key); there {
				cancel()
				return kept, true
			}
			var damaged *unreadable
			if err == nil || errors.As(err, &damaged) {
				cancel()
				continue // it has been removed
			}
		}
		cancel()
		if err == nil {
			return a, true
		}
		if s.ctx.Err() != nil || w.nc.IsClosed() {
			return a, false
		}
		if !passing(err) {
			w.nc.Publish(sweepSubject(s.ID, verbTrouble), write(trouble{w.name, shorten(fmt.Sprintf("an answer cannot be kept: %v", err))}))
			pause(s.ctx, time.Second)
		}
		pause(s.ctx, 100*time.Millisecond)
	}
}

// post has an answer told.
func (w *worker) post(o outbound) {
	w.mu.Lock()
	w.outbox = append(w.outbox, o)
	w.mu.Unlock()
	select {
	case w.outgoing <- struct{}{}:
	default:
	}
}

// tells tells coordinators of answers: while one message is on its way, the next ones collect.
func (w *worker) tells(ctx context.Context) {
	for ctx.Err() == nil {
		w.mu.Lock()
		s, t, n := w.letter()
		w.mu.Unlock()
		if n == 0 {
			select {
			case <-w.outgoing:
			case <-ctx.Done():
			}
			continue
		}
		w.tell(ctx, s, t)
		w.mu.Lock()
		w.outbox = append(w.outbox[:0], w.outbox[n:]...)
		for _, a := range t.Answers {
			delete(s.held, a.Key)
		}
		w.mu.Unlock()
	}
}

// letter puts the first answers for one coordinator into a message. w.mu is locked.
func (w *worker) letter() (s *joined, t tell, n int) {
	t.Worker = w.name
	bytes := 0
	for _, o := range w.outbox {
		bytes += len(o.answer.Output) + len(o.answer.Fault)
		if n > 0 && (o.sweep != s || bytes > maxBatch) || n == maxTasks {
			break
		}
		s = o.sweep
		t.Answers = append(t.Answers, o.answer)
		n++
	}
	return s, t, n
}

// tell tells a coordinator until it has heard, or does not run any more: what is to be kept
// is kept by then.
func (w *worker) tell(ctx context.Context, s *joined, t tell) {
	absent := 0
	for data := write(t); ctx.Err() == nil && s.ctx.Err() == nil; {
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
		pause(ctx, 100*time.Millisecond)
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
				said[id] = sortedKeys(j.held)
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
	go w.endWithoutServer(ctx, cancel)
	w.unload(ctx)
	for range maxKeeping { // until all are kept
		select {
		case w.keeping <- struct{}{}:
		case <-ctx.Done():
		}
	}
	for ctx.Err() == nil && !w.told() {
		pause(ctx, time.Millisecond)
	}
	if !w.nc.IsConnected() {
		return
	}
	keys := make(map[*joined][]string)
	w.mu.Lock()
	for _, j := range w.sweeps {
		if len(j.held) > 0 {
			keys[j] = sortedKeys(j.held)
		}
	}
	w.mu.Unlock()
	w.handBack(ctx, keys)
	w.nc.FlushWithContext(ctx)
}

// endWithoutServer ends the wait of leave if the server cannot be reached for a moment: what
// has not been kept is computed again.
func (w *worker) endWithoutServer(ctx context.Context, cancel context.CancelFunc) {
	const moment = 500 * time.Millisecond
	for gone := time.Duration(0); ctx.Err() == nil; {
		const look = 20 * time.Millisecond
		if gone += look; w.nc.IsConnected() {
			gone = 0
		}
		if gone > moment {
			cancel()
		}
		pause(ctx, look)
	}
}

// told reports whether the outbox is empty.
func (w *worker) told() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.outbox) == 0
}
