package jetstream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/side"
	"bayescpace/bcpace/sweep"
)

// run is a Do while it runs.
type run struct {
	e        *Cluster
	finished chan struct{} // closed when all tasks are done
	failed   failure       // what ends the Do
	listens  atomic.Bool   // workers are heard

	mu     sync.Mutex // for all below, and calls of the observer
	o      sweep.EngineObserver
	leases *leases
	asks   []waiting // by workers for which there was nothing
	closed bool      // the Do returns: nobody gets a task, and no answer counts
	said   Sweep     // what the coordinator tells about the sweep, without the counts
	counts sweep.Status
}

// waiting is an ask to be answered when there is something for its worker, or at the end of
// some time.
type waiting struct {
	worker string
	m      *nats.Msg
	until  time.Time
}

const (
	tickEvery   = 100 * time.Millisecond
	statusEvery = 500 * time.Millisecond
	offerEvery  = time.Second
	noteEvery   = 10 * time.Second
	maxPoll     = 2 * time.Second // how long an ask waits
)

// poll is how long an ask waits: less than a lease, as to ask is a sign of life.
func poll(lease time.Duration) time.Duration { return min(maxPoll, lease/2) }

// Do implements sweep.Engine. A second call waits for the first to end.
func (e *Cluster) Do(ctx context.Context, tasks []sweep.Task, o sweep.EngineObserver) error {
	select {
	case e.doing <- struct{}{}:
		defer func() { <-e.doing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	r := &run{e: e, o: o, finished: make(chan struct{}), failed: make(failure, 1)}
	r.counts.Tasks = len(tasks)
	r.leases = newLeases(tasks, e.options.Tries, e.options.Lease)
	kinds := make(map[string]bool)
	for i, t := range tasks {
		if err := checkTask(t); err != nil {
			return fmt.Errorf("task %d: %w", i, err)
		}
		kinds[t.Kind] = true
	}
	if len(r.leases.index) < len(tasks) {
		return bcpace.In("tasks").Bad("the number of keys", len(r.leases.index), fmt.Sprintf("%d, as many as tasks", len(tasks)))
	}
	r.said = Sweep{ID: e.id, Name: e.options.Name, Version: version(), Kinds: sortedKeys(kinds), Needs: e.options.Needs, Live: true, Began: time.Now(), Tasks: len(tasks)}
	if len(tasks) == 0 {
		return ctx.Err()
	}
	stop := make(chan struct{})
	var ticking sync.WaitGroup
	ticking.Go(func() { r.ticks(stop) })
	err := r.explain(r.do(ctx))
	close(stop)
	ticking.Wait()
	if ctx.Err() != nil && err != nil {
		return ctx.Err()
	}
	return err
}

// do computes what is not kept.
func (r *run) do(ctx context.Context) error {
	if err := r.recall(ctx); err != nil {
		return err
	}
	select {
	case <-r.finished:
		return nil
	default:
	}
	if err := r.dropParts(ctx); err != nil {
		return err
	}
	subscriptions, err := r.listen()
	defer func() {
		for _, s := range subscriptions {
			s.Drain() // who has asked has an answer, and need not wait for one in the next Do
		}
		r.over()
	}()
	if err != nil {
		return err
	}
	r.listens.Store(true)
	r.offer("")
	select {
	case <-r.finished:
		return nil
	case err := <-r.failed:
		return err
	case err := <-r.e.broken:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// recall answers what the server keeps.
func (r *run) recall(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	info, err := patiently(ctx, func(ctx context.Context) (*jetstream.StreamInfo, error) { return r.e.vault.stream.Info(ctx) })
	if err != nil || info.State.Msgs == 0 {
		return err
	}
	side.Each(16, len(r.leases.tasks), func(_, i int) {
		t := r.leases.tasks[i]
		if t.Transient || ctx.Err() != nil {
			return
		}
		a, err := patiently(ctx, func(ctx context.Context) (*sweep.Answer, error) { return r.e.vault.answer(ctx, t.Key) })
		switch {
		case errors.As(err, new(*unreadable)):
			r.drop()
		case err != nil:
			cancel(err)
		case a != nil:
			r.change(time.Now(), func() { r.answer(*a) })
		}
	})
	return context.Cause(ctx)
}

// dropParts removes what is kept of tasks that are done.
func (r *run) dropParts(ctx context.Context) error {
	keys, err := patiently(ctx, r.e.vault.partKeys)
	for _, key := range keys {
		r.mu.Lock()
		i, ok := r.leases.index[key]
		ended := ok && r.leases.state[i].phase == done
		r.mu.Unlock()
		if ended {
			r.e.vault.dropPart(ctx, key)
		}
	}
	return err
}

// patience is how long a server may be without a leader, or out of reach.
const patience = 30 * time.Second

// patiently calls f again while the server cannot be reached, within patience.
func patiently[T any](ctx context.Context, f func(context.Context) (T, error)) (T, error) {
	for began := time.Now(); ; {
		short, cancel := context.WithTimeout(ctx, 5*time.Second)
		x, err := f(short)
		cancel()
		if !passing(err) || time.Since(began) > patience || pause(ctx, 100*time.Millisecond) != nil {
			return x, err
		}
	}
}

// passing reports whether an error may be gone a moment later, as where a server of a
// cluster has ended and another takes over.
func passing(err error) bool {
	passes := []error{nats.ErrTimeout, nats.ErrNoResponders, nats.ErrConnectionReconnecting, nats.ErrDisconnected, nats.ErrReconnectBufExceeded,
		nats.ErrNoStreamResponse, nats.ErrStaleConnection, context.DeadlineExceeded}
	if slices.ContainsFunc(passes, func(e error) bool { return errors.Is(err, e) }) {
		return true
	}
	return err != nil && (strings.Contains(err.Error(), "no response from stream") || strings.Contains(err.Error(), "temporarily unavailable"))
}

// listen subscribes to what workers say.
func (r *run) listen() (all []*nats.Subscription, err error) {
	for subject, hear := range map[string]nats.MsgHandler{
		sweepSubject(r.e.id, "*"): r.hear,
		goneSubject:               func(m *nats.Msg) { heard(r, m, func(g gone) { r.ended(g.Worker, g.Why) }) },
		helloSubject:              func(m *nats.Msg) { r.offer(m.Reply) },
	} {
		s, err := r.e.nc.Subscribe(subject, hear)
		if err != nil {
			return all, err
		}
		s.SetPendingLimits(-1, 64<<20)
		all = append(all, s)
	}
	return all, r.e.nc.Flush()
}

// heard has a message read and calls take with it, or counts it where it cannot be read.
func heard[M any, P interface {
	*M
	message
}](r *run, m *nats.Msg, take func(M)) {
	var into M
	if read(m.Data, P(&into)) != nil {
		r.drop()
		return
	}
	take(into)
}

func (r *run) drop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts.Dropped++
}

// hear is called with each message of a worker.
func (r *run) hear(m *nats.Msg) {
	now := time.Now()
	switch verb := m.Subject[strings.LastIndexByte(m.Subject, '.')+1:]; verb {
	case verbAsk:
		heard(r, m, func(h holding) {
			if m.Reply == "" {
				return
			}
			r.change(now, func() {
				r.forget(h.Worker) // it has given up waiting for an earlier one
				// What it was granted and does not have was lost on the way.
				r.leases.beat(h.Worker, h.Keys, now, 0)
				r.asks = append(r.asks, waiting{h.Worker, m, now.Add(poll(r.e.options.Lease))})
			})
		})
	case verbTell:
		heard(r, m, func(a kept) {
			r.change(now, func() { r.answer(sweep.Answer(a)) })
			m.Respond(nil)
		})
	case verbBeat:
		heard(r, m, func(h holding) {
			r.change(now, func() { r.leases.beat(h.Worker, h.Keys, now, r.e.options.Lease) })
		})
	case verbBack:
		heard(r, m, func(h holding) {
			r.change(now, func() {
				r.forget(h.Worker)
				r.leases.back(h.Worker)
			})
			m.Respond(nil)
		})
	case verbTrouble:
		heard(r, m, func(t trouble) { r.failed.put(fmt.Errorf("worker %s: %s", t.Worker, t.Why)) })
	default:
		r.drop()
	}
}

// change makes a change of the leases, and gives what has become free to those who wait.
func (r *run) change(now time.Time, make func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	make()
	r.serve(now)
}

// explain adds what is kept to an error that has ended a Do.
func (r *run) explain(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	kept, tasks := r.counts.Done-r.counts.Failed, r.counts.Tasks
	return fmt.Errorf("%s: %w; the answers of %d of %d tasks are there, and a later run goes on from them", r.e.where, err, kept, tasks)
}

// answer takes an answer, unless there was one before. r.mu is locked.
func (r *run) answer(a sweep.Answer) {
	if r.closed {
		return
	}
	i, ok := r.leases.finish(a.Key)
	if !ok {
		if _, known := r.leases.index[a.Key]; !known {
			r.counts.Dropped++
		}
		return
	}
	a.Key = r.leases.tasks[i].Key // so that the message can be forgotten
	r.counts.Done++
	if a.Fault != "" {
		r.counts.Failed++
	}
	if r.o.Answered != nil {
		r.o.Answered(a)
	}
	if r.counts.Done == r.counts.Tasks {
		close(r.finished)
	}
}

// ended takes the tasks of a worker that has ended.
func (r *run) ended(worker, why string) {
	r.change(time.Now(), func() {
		if i, poisoned := r.leases.end(worker); poisoned {
			t, n := r.leases.tasks[i], int(r.leases.state[i].tries)
			r.answer(sweep.Answer{Key: t.Key, Worker: worker, Tries: n, Fault: fmt.Sprintf("%s ended its worker %d times; the last time: %s", t.Name, n, why)})
		}
		r.forget(worker)
	})
}

// forget leaves out the ask of a worker. r.mu is locked.
func (r *run) forget(worker string) {
	r.asks = slices.DeleteFunc(r.asks, func(w waiting) bool { return w.worker == worker })
}

// serve answers asks. r.mu is locked.
func (r *run) serve(now time.Time) {
	keep := r.asks[:0]
	for _, w := range r.asks {
		var g grant
		if r.leases.queued > 0 && !r.closed {
			g.Task = r.leases.take(w.worker, now)
		}
		if g.Task == nil && now.Before(w.until) && !r.closed {
			keep = append(keep, w)
			continue
		}
		w.m.Respond(write(g)) // what does not arrive is missing in what the worker says next that it has
	}
	r.asks = keep
}

// ticks does what is due from time to time.
func (r *run) ticks(stop chan struct{}) {
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	var status, offer, note time.Time
	for {
		now := time.Now()
		var silent []string
		r.change(now, func() { silent = r.leases.silent(now) })
		for _, w := range silent {
			r.ended(w, fmt.Sprintf("it was not heard of for %v", r.e.options.Lease))
		}
		if now.Sub(status) >= statusEvery {
			status = now
			r.status()
		}
		if now.Sub(offer) >= offerEvery && r.listens.Load() {
			offer = now
			r.offer("")
		}
		if now.Sub(note) >= noteEvery {
			note = now
			r.note(r.state())
		}
		select {
		case <-tick.C:
		case <-stop:
			r.status()
			return
		}
	}
}

// status tells the observer.
func (r *run) status() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.o.Status == nil {
		return
	}
	s := r.counts
	s.Running, s.Workers, s.Load = r.leases.running(), len(r.leases.holders), r.leases.load()
	switch {
	case !r.e.nc.IsConnected():
		s.Note = "waiting for the server"
	case s.Workers == 0 && s.Done < s.Tasks:
		s.Note = "waiting for a worker"
	}
	r.o.Status(s)
}

// state returns what the coordinator tells about the sweep.
func (r *run) state() offer {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.said
	s.Heard = time.Now()
	s.Done, s.Failed, s.Running, s.Queued = r.counts.Done, r.counts.Failed, r.leases.running(), r.leases.queued
	return offer{Sweep: s, Lease: int64(r.e.options.Lease)}
}

// offer tells workers of the sweep. Who asks for an answer of his own, as State does, hears of
// the workers too.
func (r *run) offer(to string) {
	o := r.state()
	if to == "" {
		to = offerSubject
	} else {
		r.mu.Lock()
		o.Workers = sortedKeys(r.leases.holders)
		o.Workers = o.Workers[:min(len(o.Workers), maxHeld)]
		r.mu.Unlock()
	}
	r.e.nc.Publish(to, write(o))
}

// note has the server keep what is known of the sweep. Where that fails, less is known later.
func (r *run) note(o offer) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_, _ = r.e.vault.sweeps.Put(ctx, o.ID, write(o))
}

// over tells everybody that the sweep has ended.
func (r *run) over() {
	r.change(time.Now(), func() { r.closed = true })
	o := r.state()
	o.Live, o.Over = false, true
	r.e.nc.Publish(offerSubject, write(o))
	r.note(o)
}
