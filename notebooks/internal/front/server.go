//go:build unix

package front

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
)

// server is a running gopls that is spoken to over its standard input and output,
// so that it ends with this process, however this one ends.
type server struct {
	cmd *exec.Cmd

	writing sync.Mutex // guards in; a write may wait until gopls reads
	in      io.WriteCloser

	mu      sync.Mutex // guards what follows
	last    int
	waiting map[int]chan response
	gone    chan struct{} // closed when gopls has ended
}

// response is what gopls answers.
type response struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

var errGone = errors.New("gopls has ended")

// startServer starts a program in a process group of its own, as a terminal's Ctrl-C
// is not for it, and with the lowest priority: cells go first.
func startServer(program, dir string, env []string) (*server, error) {
	s := &server{cmd: exec.Command(program, "serve"), waiting: make(map[int]chan response), gone: make(chan struct{})}
	s.cmd.Dir, s.cmd.Env = dir, env
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		s.in, err = s.cmd.StdinPipe()
	}
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("starting gopls: %w", err)
	}
	syscall.Setpriority(syscall.PRIO_PROCESS, s.cmd.Process.Pid, 10) // no harm where it may not be set
	go func() {
		s.read(bufio.NewReader(out))
		syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
		s.cmd.Wait()
		close(s.gone)
	}()
	return s, nil
}

// end ends gopls.
func (s *server) end() {
	s.in.Close()
	syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
	<-s.gone
}

func (s *server) ended() bool {
	select {
	case <-s.gone:
		return true
	default:
		return false
	}
}

// packet is a message of the protocol, of whatever kind.
type packet struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
}

// read takes what gopls says until it ends.
func (s *server) read(from *bufio.Reader) {
	for {
		head, err := textproto.NewReader(from).ReadMIMEHeader()
		if err != nil {
			return
		}
		n, err := strconv.Atoi(head.Get("Content-Length"))
		if err != nil || n < 0 {
			return
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(from, body); err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			response
		}
		if json.Unmarshal(body, &m) != nil {
			return
		}
		switch {
		case m.Method != "" && len(m.ID) > 0: // it asks for something: nobody has it
			s.write(packet{ID: m.ID, Result: json.RawMessage("null")})
		case m.Method == "":
			id, _ := strconv.Atoi(string(m.ID))
			s.mu.Lock()
			if to := s.waiting[id]; to != nil {
				to <- m.response
			}
			delete(s.waiting, id)
			s.mu.Unlock()
		}
	}
}

func (s *server) write(p packet) error {
	p.Version = "2.0"
	body, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("asking gopls: %w", err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(body), body)
	s.writing.Lock()
	defer s.writing.Unlock()
	if _, err := s.in.Write(b.Bytes()); err != nil {
		return fmt.Errorf("asking gopls: %w", err)
	}
	return nil
}

func (s *server) notify(method string, params any) error {
	return s.write(packet{Method: method, Params: params})
}

// call asks gopls and reads its answer into result.
func (s *server) call(ctx context.Context, method string, params, result any) error {
	answer := make(chan response, 1)
	s.mu.Lock()
	s.last++
	id := s.last
	s.waiting[id] = answer
	s.mu.Unlock()
	if err := s.write(packet{ID: json.RawMessage(strconv.Itoa(id)), Method: method, Params: params}); err != nil {
		return err
	}
	select {
	case r := <-answer:
		if r.Error != nil {
			return fmt.Errorf("gopls answered %s: %s", method, r.Error.Message)
		}
		return json.Unmarshal(r.Result, result)
	case <-s.gone:
		return errGone
	case <-ctx.Done():
		s.notify("$/cancelRequest", map[string]any{"id": id})
		return ctx.Err()
	}
}
