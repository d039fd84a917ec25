package process

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// died is the error of a process that ended, or closed its output, before it answered.
type died struct{ how string }

func (e *died) Error() string { return e.how }

// endTime is how long a process may take to end after the end of its input.
const endTime = 2 * time.Second

// beginTime is how long a process may take to begin.
const beginTime = time.Minute

// connection is a running process of a simulator. It is for one goroutine, but for cut.
type connection struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	pipe    *os.File      // what out reads
	said    tail          // on standard error
	timeout time.Duration // for one answer
	id      int64         // of the last request
	line    []byte
	silent  atomic.Bool   // it was killed as it did not answer in time
	ended   chan struct{} // closed when the process has ended
	state   string        // how it ended
}

// dial starts the process.
func dial(command []string, timeout time.Duration) (*connection, error) {
	c := &connection{cmd: exec.Command(command[0], command[1:]...), timeout: timeout, ended: make(chan struct{})}
	c.cmd.Stderr, c.cmd.WaitDelay = &c.said, time.Second
	ownGroup(c.cmd)
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	c.cmd.Stdout = theirs
	if err := c.cmd.Start(); err != nil {
		out.Close()
		return nil, err
	}
	c.in, c.out, c.pipe = in, bufio.NewReaderSize(out, 1<<16), out
	go c.wait()
	return c, nil
}

// wait waits until the process has ended. What it has started ends with it.
func (c *connection) wait() {
	c.state = "exit status 0"
	if err := c.cmd.Wait(); err != nil {
		c.state = err.Error()
	}
	killGroup(c.cmd)
	// What the process wrote last is still read; what keeps its output open all the same is not waited for.
	_ = c.pipe.SetReadDeadline(time.Now().Add(time.Second))
	close(c.ended)
}

// ask sends a request and returns the answer, of at most so many bytes. Another error than a *died
// is about an answer that is wrong or missing. After an error the connection must be killed.
func (c *connection) ask(k kind, calls []*call, boxes bool, most int) (*reply, error) {
	c.id++
	c.line = appendRequest(c.line[:0], c.id, k, calls, boxes)
	timer := time.AfterFunc(c.timeout, func() {
		c.silent.Store(true)
		c.cut()
	})
	defer timer.Stop()
	if _, err := c.in.Write(c.line); err != nil {
		return nil, c.failed(k, err)
	}
	line, err := c.read(most)
	if err != nil {
		return nil, c.failed(k, err)
	}
	return parseReply(line, c.id)
}

// errLong is the error of a line that is too long.
var errLong = errors.New("too long")

// read returns the next line, of at most so many bytes, until the next call.
func (c *connection) read(most int) ([]byte, error) {
	part, err := c.out.ReadSlice('\n')
	if err == nil && len(part) <= most {
		return part, nil
	}
	line := bytes.Clone(part)
	for errors.Is(err, bufio.ErrBufferFull) && len(line) <= most {
		part, err = c.out.ReadSlice('\n')
		line = append(line, part...)
	}
	switch {
	case len(line) > most:
		return nil, fmt.Errorf("%w: it wrote a line of more than %d bytes, which begins with %s", errLong, most, quoted(line))
	case err == io.EOF && len(line) > 0:
		return nil, fmt.Errorf("%w after a line without an end, %s", err, quoted(line))
	}
	return line, err
}

// failed returns the error of a request that could not be sent, or had no answer.
func (c *connection) failed(k kind, err error) error {
	if errors.Is(err, errLong) {
		return err
	}
	c.end()
	if c.silent.Load() {
		return fmt.Errorf("it did not answer %s within %v%s", k, c.timeout, c.said.quote())
	}
	return &died{fmt.Sprintf("it ended before it answered %s (%s)%s", k, c.state, c.said.quote())}
}

// cut ends the process, and what reads from it or writes to it, at once.
func (c *connection) cut() {
	killGroup(c.cmd)
	c.in.Close()
	c.pipe.Close()
}

// end closes the input of the process, gives it endTime to end by itself, and waits until it has
// ended.
func (c *connection) end() {
	c.in.Close()
	timer := time.AfterFunc(endTime, c.cut)
	defer timer.Stop()
	<-c.ended
	c.pipe.Close()
}

// kill ends the process at once, and waits until it has ended.
func (c *connection) kill() {
	c.cut()
	<-c.ended
}

// greet asks for the description of the model. The answer may take as long as a step, or timeout where that is more:
// the process begins with it.
func (c *connection) greet(ctx context.Context, timeout time.Duration) (*description, error) {
	defer context.AfterFunc(ctx, c.cut)()
	steps := c.timeout
	c.timeout = max(steps, timeout)
	r, err := c.ask(hello, nil, false, maxHello)
	c.timeout = steps
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	case r.Error != nil:
		return nil, fmt.Errorf("it answered hello with the error %q", *r.Error)
	case r.Protocol == nil:
		return nil, fmt.Errorf("its answer to hello has no \"protocol\", want %d", Version)
	case *r.Protocol != Version:
		return nil, fmt.Errorf("it speaks version %d of the protocol, and this program version %d", *r.Protocol, Version)
	case r.Model == nil:
		return nil, errors.New("its answer to hello has no \"model\", want the description of the model")
	}
	return r.Model, nil
}

// tail is a writer that keeps the end of what is written.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	const most = 2000
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-most):]...)
	t.text = t.text[max(0, len(t.text)-most):]
	return len(p), nil
}

// quote returns its last lines for an error, "" where there are none. The reason stands at the end.
func (t *tail) quote() string {
	const most, bytes = 3, 400
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(string(t.text))
	if text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	lines = lines[max(0, len(lines)-most):]
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if lines[i] = strconv.Quote(line); len(line) > bytes {
			lines[i] = "…" + strconv.Quote(strings.ToValidUTF8(line[len(line)-bytes:], ""))
		}
	}
	if len(lines) == 1 {
		return "; the last line on its standard error is " + lines[0]
	}
	return "; the last lines on its standard error are " + strings.Join(lines, ", ")
}
