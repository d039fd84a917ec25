//go:build unix

package front

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"syscall"

	"go.lsp.dev/jsonrpc2"

	"bayescpace/notebooks/internal/host"
)

// server is a running gopls that is spoken to over its standard input and output,
// so that it ends with this process, however this one ends.
type server struct {
	group host.Group
	conn  jsonrpc2.Conn
	life  context.Context // ends with gopls
}

// startServer starts a program in a group of its own, as a terminal's Ctrl-C
// is not for it, and with the lowest priority: cells go first.
func startServer(program, dir string, env []string) (*server, error) {
	cmd := exec.Command(program, "serve")
	cmd.Dir, cmd.Env = dir, env
	life, end := context.WithCancel(context.Background())
	s := &server{life: life}
	var pipes struct {
		io.Reader
		io.WriteCloser
	}
	var err error
	if pipes.Reader, err = cmd.StdoutPipe(); err == nil {
		pipes.WriteCloser, err = cmd.StdinPipe()
	}
	if err == nil {
		s.group, err = host.StartGroup(cmd)
	}
	if err != nil {
		end()
		return nil, fmt.Errorf("starting gopls: %w", err)
	}
	syscall.Setpriority(syscall.PRIO_PROCESS, cmd.Process.Pid, 10) // no harm where it may not be set
	s.conn = jsonrpc2.NewConn(jsonrpc2.NewStream(pipes))
	s.conn.Go(context.Background(), func(ctx context.Context, reply jsonrpc2.Replier, _ jsonrpc2.Request) error {
		return reply(ctx, nil, nil) // nobody has what it asks for
	})
	go func() {
		<-s.conn.Done()
		s.group.Kill()
		s.group.Wait()
		end()
	}()
	return s, nil
}

// end ends gopls.
func (s *server) end() {
	s.conn.Close()
	s.group.Kill()
	<-s.life.Done()
}

func (s *server) notify(ctx context.Context, method string, params any) error {
	if err := s.conn.Notify(ctx, method, params); err != nil {
		return fmt.Errorf("telling gopls of %s: %w", method, err)
	}
	return nil
}

// call asks gopls and reads its answer into result.
func (s *server) call(ctx context.Context, method string, params, result any) error {
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	id, err := s.conn.Call(asking, method, params, result)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		s.conn.Notify(context.WithoutCancel(ctx), "$/cancelRequest", map[string]any{"id": &id})
	}
	return fmt.Errorf("asking gopls for %s: %w", method, err)
}
