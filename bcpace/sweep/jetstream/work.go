package jetstream

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/sweep"
)

// Worker describes a machine's worker processes.
type Worker struct {
	Server
	// Slots is the number of worker processes, each of which computes one task at a time; 0
	// means one for each processor that Go uses.
	Slots int
	// Command starts a worker process, which must call Child; nil means this program with the
	// arguments "sweep", "worker", "--child".
	Command []string
	// Grace is how long tasks that are told to end have to keep what they have; 0 means
	// sweep.DefaultGrace.
	Grace time.Duration
	// Log, if set, is told of what the user may want to know, such as a worker process that
	// has ended and is started again. Calls come one at a time.
	Log func(line string)
}

// Work starts worker processes, and others for those that end, until ctx ends. Then they hand
// back what they have not finished, and Work returns nil. It waits for a server that does not
// run yet. It returns an error if the server refuses the connection, or if there are sweeps
// and it can serve none of them: they are of another version, or need something that this
// program does not have.
func Work(ctx context.Context, w Worker) error {
	if err := solverkit.CheckWorkers("worker", "Slots", w.Slots, "processes"); err != nil {
		return err
	}
	l, err := w.resolve()
	if err != nil {
		return err
	}
	p := &processes{resolve: w.resolve, command: w.Command, grace: cmp.Or(w.Grace, sweep.DefaultGrace), log: w.Log}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	nc, err := l.await(ctx, "parent of workers", p.say, nats.ClosedHandler(func(nc *nats.Conn) {
		if err := nc.LastError(); refusal(err) { // the server wants to know no more of this client
			cancel(&refused{l.explain(err)})
		}
	}))
	if err != nil {
		return err
	}
	if nc != nil {
		defer nc.Close()
		p.nc = nc
		err = p.run(ctx, cmp.Or(w.Slots, runtime.GOMAXPROCS(0)))
	}
	if no, is := errors.AsType[*refused](context.Cause(ctx)); is {
		return no
	}
	return err
}

// await connects, and waits for a server that does not run yet. It returns nil if ctx ends.
func (l link) await(ctx context.Context, name string, say func(string), options ...nats.Option) (*nats.Conn, error) {
	for tries := 0; ; tries++ {
		nc, err := l.dial(name, options...)
		if err == nil || refusal(err) {
			return nc, err
		}
		if tries == 0 {
			say(fmt.Sprintf("waiting: %v", err))
		}
		if pause(ctx, 200*time.Millisecond) != nil {
			return nil, nil
		}
	}
}

// processes are the worker processes that this one starts.
type processes struct {
	resolve func() (link, error)
	command []string
	grace   time.Duration // of a task
	log     func(string)
	nc      *nats.Conn // on which coordinators are told of a process that has ended by itself
	logging sync.Mutex
}

const (
	maxStarts = 5                // in a row that come to nothing
	killAfter = 10 * time.Second // after the grace of its task, a process that does not end when it is told to
)

func (p *processes) say(line string) {
	if p.log != nil {
		p.logging.Lock()
		defer p.logging.Unlock()
		p.log(line)
	}
}

// run keeps that many processes until ctx ends, or one of them says that it is of no use.
func (p *processes) run(ctx context.Context, slots int) error {
	if p.command == nil {
		self, err := os.Executable()
		if err != nil {
			return fmt.Errorf("starting worker processes: %w", err)
		}
		p.command = []string{self, "sweep", "worker", "--child"}
	}
	host, err := os.Hostname()
	if err != nil {
		host = "host"
	}
	tag := randomHex(3)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	for i := range slots {
		all.Go(func() {
			for n, failed := 0, 0; ctx.Err() == nil; n++ {
				// No two processes ever have the same name.
				name := fmt.Sprintf("%.64s-%d-%s/%d.%d", host, os.Getpid(), tag, i, n)
				ready, why, err := p.process(ctx, name)
				if ctx.Err() != nil {
					return
				}
				p.nc.Publish(goneSubject, write(gone{name, why}))
				if ready {
					failed = 0
				} else if failed++; err == nil && failed == maxStarts {
					err = fmt.Errorf("worker processes end before they are ready; the last one: %s", why)
				}
				if err != nil {
					cancel(err)
					return
				}
				p.say(fmt.Sprintf("worker process %s has ended: %s; starting another", name, why))
				pause(ctx, time.Duration(failed)*100*time.Millisecond)
			}
		})
	}
	all.Wait()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// process starts a worker process and waits until it has ended. why says how it has. An error
// says that others would be of no use either.
func (p *processes) process(ctx context.Context, name string) (ready bool, why string, err error) {
	l, err := p.resolve()
	if err != nil {
		return false, err.Error(), err
	}
	cmd := exec.Command(p.command[0], p.command[1:]...)
	last := new(tail)
	cmd.Stderr = last
	stdin, err := cmd.StdinPipe()
	stdout, failed := cmd.StdoutPipe()
	if err := cmp.Or(err, failed); err != nil {
		return false, err.Error(), err
	}
	if err := cmd.Start(); err != nil {
		return false, err.Error(), fmt.Errorf("starting a worker process: %w", err)
	}
	stdin.Write(append(write(start{l, name, p.grace}), '\n'))
	over := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		select {
		case <-over:
			return
		case <-ctx.Done():
		}
		stdin.Close() // which tells it to end
		select {
		case <-over:
		case <-time.After(p.grace + killAfter):
			cmd.Process.Kill()
		}
	})
	var refusal error
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		text := lines.Text()
		ready = ready || text == readyWord
		if reason, ok := strings.CutPrefix(text, refusedWord); ok {
			refusal = &refused{errors.New(reason)}
		}
	}
	cmd.Wait()
	close(over)
	watching.Wait()
	why = cmd.ProcessState.String()
	if text := last.line(); text != "" {
		why += " (" + text + ")"
	}
	return ready, shorten(why), refusal
}

// tail keeps the end of what is written to it.
type tail []byte

func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	*t = (*t)[max(0, len(*t)-maxTail):]
	return len(p), nil
}

const maxTail = 64 << 10

// line returns the line that says most: that of a panic or fatal error, or else the last one.
func (t tail) line() string {
	lines := bytes.Split(bytes.TrimSpace(t), []byte("\n"))
	for _, l := range lines {
		if bytes.HasPrefix(l, []byte("panic: ")) || bytes.HasPrefix(l, []byte("fatal error: ")) {
			return fmt.Sprintf("%.500s", l)
		}
	}
	return fmt.Sprintf("%.500s", lines[len(lines)-1])
}

// randomHex returns n random bytes in hexadecimal digits.
func randomHex(n int) string {
	b := make([]byte, n)
	rand.Read(b)
	return fmt.Sprintf("%x", b)
}
