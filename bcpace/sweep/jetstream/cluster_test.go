//go:build unix

package jetstream

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"bayescpace/bcpace/sweep"
)

func init() { roles["server"] = serverRole }

// serverRole is a server of a cluster: its arguments are its number, a folder, a token, and
// the ports of all servers, for clients and for each other.
func serverRole(args []string) error {
	i, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	var ports []int
	for _, a := range args[3:] {
		p, err := strconv.Atoi(a)
		if err != nil {
			return err
		}
		ports = append(ports, p)
	}
	n := len(ports) / 2
	var routes []*url.URL
	for _, p := range ports[n:] {
		routes = append(routes, &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", p)})
	}
	s, err := server.NewServer(&server.Options{
		ServerName: args[0], Host: "127.0.0.1", Port: ports[i], Authorization: args[2], JetStream: true, StoreDir: args[1], NoSigs: true, NoLog: true,
		Cluster: server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: ports[n+i]}, Routes: routes,
	})
	if err != nil {
		return err
	}
	s.Start()
	s.WaitForShutdown()
	return nil
}

// freePorts returns ports of the loopback interface that nobody listens on.
func freePorts(t *testing.T, n int) (ports []string) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
	}
	return ports
}

// TestKilledServer: one of three servers of a cluster is killed while tasks are computed;
// every task is answered once, and another coordinator finds all answers.
func TestKilledServer(t *testing.T) {
	t.Parallel() // it mostly waits for the cluster
	ports := freePorts(t, 6)
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var servers []*exec.Cmd
	var urls []string
	for i := range 3 {
		args := append([]string{strconv.Itoa(i), t.TempDir(), "secret"}, ports...)
		cmd, _ := startRole(t, "server", args...)
		servers = append(servers, cmd)
		urls = append(urls, "nats://127.0.0.1:"+ports[i])
	}
	at := Server{Address: strings.Join(urls, ","), TokenFile: token}
	var e *Cluster
	eventually(t, "the cluster keeps answers", func() (ok bool) {
		var err error
		e, err = Connect(t.Context(), Remote{Server: at, Replicas: 3, Options: Options{Tries: maxTries, Lease: 3 * time.Second}})
		return err == nil
	})
	defer e.Close()
	ctx, stop := context.WithCancel(t.Context())
	worked := make(chan error, 1)
	go func() { worked <- Work(ctx, Worker{Server: at, Slots: 2, Command: childCommand()}) }()
	tasks := tasksOf("hash", 1000, testInput{Milli: 4})
	answers := make(map[string]sweep.Answer)
	err := e.Do(t.Context(), tasks, sweep.EngineObserver{Answered: func(a sweep.Answer) {
		if _, twice := answers[a.Key]; twice {
			t.Errorf("task %s is answered twice", a.Key)
		}
		if answers[a.Key] = a; len(answers) == 200 {
			servers[seeded(3).IntN(3)].Process.Signal(syscall.SIGKILL)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, tasks, answers)
	stop()
	if err := <-worked; err != nil {
		t.Error(err)
	}
	other, err := Connect(t.Context(), Remote{Server: at})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	again, err := collect(t, t.Context(), other, tasks)
	if err != nil {
		t.Fatal(err)
	}
	same(t, tasks, again)
}
