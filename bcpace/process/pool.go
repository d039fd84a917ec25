package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"time"

	"bayescpace/bcpace"
)

const (
	maxHello   = 64 << 20 // bytes of the answer to hello
	maxNumber  = 64       // bytes of a number in an answer, with what stands around it
	maxReply   = 4096     // bytes of an answer beside its numbers, such as the text of an error
	maxBatch   = 256      // things asked for in one request
	maxRestart = 3        // times a process is started anew for one request
	leastLife  = 100      // requests answered for each process that has died, from the fourth death on

	batchTime = 200 * time.Millisecond // that the things of one request take, about: nothing cuts a request short
	graceTime = time.Second            // that an answer may still take after the end of a context, see Model.Within
)

// errClosed is the error of a question after the end.
var errClosed = errors.New("the model is closed, and its processes have ended")

// pool asks several processes of one simulator. What goroutines ask for while the processes are
// busy is put together: the next request asks for all of it.
type pool struct {
	program Program
	about   *description // what all processes say of the model
	spec    bcpace.Spec

	mu      sync.Mutex
	more    *sync.Cond           // something is queued, or err is set
	queue   [kinds][]*call       // in the order in which they came
	waiting int                  // how many are queued
	idle    int                  // processes that wait for more
	started int                  // processes that have a goroutine
	pace    [kinds]time.Duration // that one thing took in the last request, 0 before the first
	running map[*connection]request
	asked   int            // requests so far
	deaths  int            // of processes, before they had answered
	death   string         // how the last of them died
	err     error          // from which on nothing is answered
	slow    bool           // err is that of a cut, for which the simulator was only slow
	ended   sync.WaitGroup // of the goroutines of processes
}

// request is what a process has been asked and has not answered; the zero value is nothing.
type request struct {
	number int // among those of all processes, from 1
	kind   kind
	begin  time.Time
}

// ask has a call answered, and waits for that.
func (p *pool) ask(c *call) error {
	c.done = make(chan struct{}, 1)
	p.mu.Lock()
	if p.err != nil {
		defer p.mu.Unlock()
		return p.err
	}
	p.queue[c.kind] = append(p.queue[c.kind], c)
	p.waiting++
	if p.idle == 0 && p.started < p.program.Processes {
		p.add(nil)
	}
	p.mu.Unlock()
	p.more.Signal()
	<-c.done
	return c.err
}

// add starts a goroutine that serves with a process: c, or one that it starts. The lock is held.
func (p *pool) add(c *connection) {
	p.started++
	p.ended.Go(func() { p.serve(c) })
}

// serve answers calls with one process until the end. It takes none before the process has begun, which may be long after the others.
func (p *pool) serve(c *connection) {
	if c == nil {
		var err error
		if c, err = p.begin(); err != nil {
			p.mu.Lock()
			p.fail(err)
			p.mu.Unlock()
		}
	}
	for {
		k, batch := p.take()
		if batch == nil {
			break
		}
		var err error
		begin := time.Now()
		c, err = p.answer(c, k, batch)
		p.mu.Lock()
		if err != nil {
			err = p.fail(err)
		}
		p.pace[k] = max(1, time.Since(begin)/time.Duration(len(batch)))
		p.mu.Unlock()
		for _, x := range batch {
			if err != nil {
				x.err = err
			}
			x.done <- struct{}{}
		}
	}
	if c != nil {
		c.end()
		p.forget(c)
	}
}

// take waits for calls and returns some of one kind, no more than the share of one process; nil at the end.
func (p *pool) take() (kind, []*call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle++
	for p.waiting == 0 && p.err == nil {
		p.more.Wait()
		p.mu.Unlock()
		runtime.Gosched() // goroutines that were answered together ask again one after the other
		p.mu.Lock()
	}
	p.idle--
	if p.err != nil {
		return 0, nil
	}
	k := kind(0)
	for i := range p.queue {
		if len(p.queue[i]) > len(p.queue[k]) {
			k = kind(i)
		}
	}
	q := p.queue[k]
	n := 1
	if pace := p.pace[k]; pace > 0 {
		n = max(1, min(maxBatch, (len(q)+p.idle)/(p.idle+1), int(batchTime/pace)))
	}
	batch := append([]*call(nil), q[:n]...)
	p.queue[k] = append(q[:0], q[n:]...)
	p.waiting -= n
	return k, batch
}

// fail ends all: every call from now on, and what is queued, has the error, or an earlier one, which it returns. The lock is held.
func (p *pool) fail(err error) error {
	p.err = cmp.Or(p.err, err)
	for k, q := range p.queue {
		for _, c := range q {
			c.err = p.err
			c.done <- struct{}{}
		}
		p.queue[k] = nil
	}
	p.waiting = 0
	p.more.Broadcast()
	return p.err
}

// cut ends all, and the processes at once, as why has ended, the error of a context. The error says for how long a process has not
// answered, where that began before why did.
func (p *pool) cut(why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.slow = p.err == nil // and not of no use already
	err := fmt.Errorf("%v after %w it was still asked, as it answers slowly", graceTime, over{why})
	var oldest request
	for _, r := range p.running {
		if r.number > 0 && (oldest.number == 0 || r.begin.Before(oldest.begin)) {
			oldest = r
		}
	}
	if silent := time.Since(oldest.begin); oldest.number > 0 && silent >= graceTime {
		p.slow = false
		err = fmt.Errorf("it had not answered request %d (%s) for %.1f s when %w", oldest.number, oldest.kind, silent.Seconds(), over{why})
	}
	p.fail(p.wrong(err))
	for c := range p.running {
		c.cut()
	}
}

// revive has a simulator that was cut as it was slow, and not silent, answer again, once its processes have ended.
func (p *pool) revive() {
	p.mu.Lock()
	slow := p.slow
	p.mu.Unlock()
	if !slow {
		return
	}
	p.ended.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.slow { // and nobody has closed it
		p.slow, p.err, p.started, p.idle, p.waiting = false, nil, 0, 0, 0
	}
}

// over is the error of a context in other words.
type over struct{ error }

func (e over) Unwrap() error { return e.error }

func (e over) Error() string {
	if errors.Is(e.error, context.DeadlineExceeded) {
		return "time was up"
	}
	return "it was interrupted"
}

// close ends the processes, those that still answer after endTime, and waits until they have ended.
func (p *pool) close() {
	p.mu.Lock()
	p.slow = false
	p.fail(errClosed)
	p.mu.Unlock()
	timer := time.AfterFunc(endTime, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for c := range p.running {
			c.cut()
		}
	})
	defer timer.Stop()
	p.ended.Wait()
}

// forget takes a process from those that run.
func (p *pool) forget(c *connection) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.running, c)
}

// kill ends a process at once.
func (p *pool) kill(c *connection) {
	c.kill()
	p.forget(c)
}

// answer has calls of one kind answered, and returns the process that did, for the next ones. What
// the simulator says is wrong with one call is the error of that call. The error is one after which
// the simulator is of no use.
func (p *pool) answer(c *connection, k kind, batch []*call) (*connection, error) {
	c, r, err := p.try(c, k, batch)
	if err != nil {
		return nil, err
	}
	switch {
	case r.Error == nil:
		err = r.take(k, batch, len(p.spec.Axes), len(p.spec.Latents))
	case len(batch) == 1:
		batch[0].err = p.wrong(fmt.Errorf("it answered with the error %q", *r.Error))
	default: // of one among them: each alone tells which
		for i := range batch {
			if c, err = p.answer(c, k, batch[i:i+1]); err != nil {
				return nil, err
			}
		}
		return c, nil
	}
	if err != nil {
		p.kill(c)
		return nil, p.wrong(err)
	}
	return c, nil
}

// try asks a process, and one that is started anew where it dies.
func (p *pool) try(c *connection, k kind, batch []*call) (*connection, *reply, error) {
	most := maxReply + len(batch)*maxNumber*(len(p.spec.Axes)+len(p.spec.Latents)+2)
	for tries := 0; ; tries++ {
		var err error
		if c == nil {
			if c, err = p.begin(); err != nil {
				return nil, nil, err
			}
		}
		p.note(c, k)
		r, err := c.ask(k, batch, p.spec.HasBox(), most)
		p.note(c, none)
		if err == nil {
			return c, r, nil
		}
		p.kill(c)
		c = nil
		if err = p.survive(err, tries); err != nil {
			return nil, nil, err
		}
	}
}

// begin starts a process, and another one where it dies.
func (p *pool) begin() (*connection, error) {
	for tries := 0; ; tries++ {
		c, err := p.connect(context.Background())
		if err == nil {
			return c, nil
		}
		if err = p.survive(err, tries); err != nil {
			return nil, err
		}
	}
}

// note notes what a process is asked, or that it is asked none.
func (p *pool) note(c *connection, k kind) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var r request
	if k != none {
		p.asked++
		r = request{p.asked, k, time.Now()}
	}
	p.running[c] = r
}

// survive counts the death of a process, which err is of, at the try of that number, and returns nil where another is to be started.
func (p *pool) survive(err error, tries int) error {
	dead, ok := errors.AsType[*died](err)
	if !ok {
		return p.wrong(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil { // which has ended it
		return p.err
	}
	p.deaths++
	p.death = dead.how
	switch {
	case tries == maxRestart:
		return p.wrong(fmt.Errorf("%w; it was started anew %d times for this request", err, maxRestart))
	case p.deaths > maxRestart && p.asked < leastLife*p.deaths:
		return p.wrong(fmt.Errorf("it ended %d times in %d requests, and may end once in %d: %w", p.deaths, p.asked, leastLife, err))
	}
	return nil
}

// connect starts a process, which must say of the model what the first one said.
func (p *pool) connect(ctx context.Context) (*connection, error) {
	c, err := dial(p.program.Command, p.program.Timeout)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	err = p.err
	if p.running == nil {
		p.running = make(map[*connection]request)
	}
	p.running[c] = request{}
	p.mu.Unlock()
	if err != nil { // it was closed meanwhile
		p.kill(c)
		return nil, err
	}
	about, err := c.greet(ctx, beginTime)
	if err == nil && p.about != nil && !reflect.DeepEqual(about, p.about) {
		err = errors.New("another process of it described another model: the description must be the same every time")
	}
	if err != nil {
		p.kill(c)
		return nil, err
	}
	if p.about == nil { // the first process, before there are others: they only read it
		p.about = about
	}
	return c, nil
}

// wrong says whose error it is.
func (p *pool) wrong(err error) error {
	return fmt.Errorf("simulator %s: %w", quoted([]byte(p.program.text())), err)
}
