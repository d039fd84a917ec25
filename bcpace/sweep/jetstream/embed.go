package jetstream

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/disk"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/store"
	"bayescpace/bcpace/sweep"
)

// Embedded describes an engine with a server and workers of its own.
type Embedded struct {
	Options
	// Folder is where the server keeps answers and blobs. It is made if it is not there. One
	// engine uses it at a time. The file connect.json in it, which only the user can read,
	// says how to reach the server.
	Folder string
	// Listen is the address that workers on other machines reach, as host:port; "" means that
	// only this machine reaches the server. Without a port, or with port 0, the server takes
	// a free one, and takes that one again the next time if it can.
	Listen string
	// Workers is the number of worker processes to start on this machine; 0 means none.
	Workers int
	// Command starts a worker process, which must call Child; nil means this program with the
	// arguments "sweep", "worker", "--child".
	Command []string
	// Grace is how long tasks that are told to end have to keep what they have; 0 means
	// sweep.DefaultGrace.
	Grace time.Duration
}

const (
	lockFile   = "lock"
	maxStore   = 64 << 30        // bytes that a server keeps on disk at most
	readyAfter = 2 * time.Minute // the most that a server takes to read what it keeps
)

// Embed starts a server and workers. The error names the folder if another engine uses it.
func Embed(ctx context.Context, c Embedded) (*Cluster, error) {
	in := bcpace.In("engine")
	if err := cmp.Or(
		in.Need(c.Folder != "", "Folder", `""`, "the name of a folder"),
		in.Need(c.Workers >= 0 && c.Workers <= num.MaxWorkers, "Workers", c.Workers, fmt.Sprintf("a number of processes up to %d, or 0 for none", num.MaxWorkers))); err != nil {
		return nil, err
	}
	e, err := newEngine(c.Options)
	if err != nil {
		return nil, err
	}
	h, err := openHouse(ctx, c.Folder, c.Listen)
	if err != nil {
		return nil, err
	}
	e.id, e.where, e.nc, e.broken = h.ID, "folder "+c.Folder, h.nc, h.log.failure
	working, end := context.WithCancel(context.Background())
	var all sync.WaitGroup // of worker processes
	e.close = sync.OnceValue(func() error {
		end()
		all.Wait()
		return h.close()
	})
	if err := e.open(ctx, 0); err != nil {
		return nil, err
	}
	if c.Workers > 0 {
		w := &processes{resolve: func() (link, error) { return h.link, nil }, command: c.Command, grace: cmp.Or(c.Grace, sweep.DefaultGrace), nc: e.nc}
		all.Go(func() {
			if err := w.run(working, c.Workers); err != nil {
				e.broken.put(err)
			}
		})
	}
	return e, nil
}

// house is a folder with a server that runs in it.
type house struct {
	connection
	link   link // for this machine
	lock   *os.File
	server *server.Server
	nc     *nats.Conn
	log    serverLog
}

// openHouse starts a server in a folder.
func openHouse(ctx context.Context, folder, listen string) (h *house, err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("folder of an engine: %w", err)
	}
	opened := &house{log: serverLog{make(failure, 1)}}
	h = opened
	defer func() {
		if err != nil {
			opened.close() // h is nil by now
		}
	}()
	if h.lock, err = os.OpenFile(filepath.Join(folder, lockFile), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, fmt.Errorf("folder of an engine: %w", err)
	}
	if err := disk.Lock(h.lock); err != nil {
		if errors.Is(err, disk.ErrLocked) {
			return nil, fmt.Errorf("folder %s: another engine uses it: wait until it ends, or give this one a folder of its own", folder)
		}
		return nil, fmt.Errorf("folder %s: %w", folder, err)
	}
	name := filepath.Join(folder, connectFile)
	if h.connection, err = readConnection(name); errors.Is(err, fs.ErrNotExist) {
		h.connection = connection{Token: randomHex(32), ID: randomHex(8)}
	} else if err != nil {
		return nil, err
	}
	host, port, err := h.place(listen)
	if err != nil {
		return nil, err
	}
	h.server, err = server.NewServer(&server.Options{
		ServerName: "bcpace-" + h.ID, Host: host, Port: port, Authorization: h.Token,
		JetStream: true, StoreDir: folder, SyncAlways: true, JetStreamMaxMemory: 64 << 20, JetStreamMaxStore: maxStore,
		MaxPayload: maxMessage, NoSigs: true, DisableJetStreamBanner: true,
	})
	if err != nil {
		return nil, fmt.Errorf("folder %s: %w", folder, err)
	}
	h.server.SetLoggerV2(h.log, false, false, false)
	go h.server.Start()
	for began := time.Now(); !h.server.ReadyForConnections(50 * time.Millisecond); {
		err := ctx.Err()
		select {
		case err = <-h.log.failure:
		default:
			if time.Since(began) > readyAfter {
				err = fmt.Errorf("it is not ready after %v", readyAfter)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("folder %s: starting the server: %w", folder, err)
		}
	}
	address, ok := h.server.Addr().(*net.TCPAddr)
	if !ok {
		return nil, fmt.Errorf("folder %s: the server does not listen", folder)
	}
	h.URL = "nats://" + net.JoinHostPort(reachable(address.IP, host), strconv.Itoa(address.Port))
	h.link = link{URL: "nats://" + net.JoinHostPort(local(address.IP), strconv.Itoa(address.Port)), Token: h.Token}
	if err := h.save(name); err != nil {
		return nil, err
	}
	if h.nc, err = h.link.dial("coordinator "+h.ID, nats.InProcessServer(h.server)); err != nil {
		return nil, fmt.Errorf("folder %s: %w", folder, err)
	}
	return h, nil
}

// place returns where the server is to listen.
func (h *house) place(listen string) (host string, port int, err error) {
	want := func(err error) error {
		return bcpace.In("engine").Bad("Listen", fmt.Sprintf("%q (%v)", listen, err), "host:port of this machine, such as 0.0.0.0:4222")
	}
	host = "127.0.0.1"
	if listen != "" {
		text := ""
		if host, text, err = net.SplitHostPort(listen); err != nil {
			host, text = listen, "0"
		}
		if port, err = strconv.Atoi(cmp.Or(text, "0")); err != nil || port < 0 || port > 65535 {
			return "", 0, want(errors.New("no port"))
		}
		host = cmp.Or(host, "0.0.0.0")
	}
	if port == 0 { // that of the last time, if it is free
		port = server.RANDOM_PORT
		if u, err := url.Parse(h.URL); err == nil && u.Port() != "" {
			if last, err := strconv.Atoi(u.Port()); err == nil && free(host, last) == nil {
				port = last
			}
		}
	} else if err := free(host, port); err != nil {
		return "", 0, want(err)
	}
	return host, port, nil
}

// free returns an error if it cannot listen there.
func free(host string, port int) error {
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return err
	}
	return l.Close()
}

// reachable returns what other machines call the address, or the host that was asked for.
func reachable(ip net.IP, host string) string {
	if ip.IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			return name
		}
	}
	if host == "localhost" {
		return ip.String()
	}
	return host
}

// local returns what this machine calls the address.
func local(ip net.IP) string {
	if ip.IsUnspecified() {
		return "127.0.0.1"
	}
	return ip.String()
}

// save writes connect.json, which only the user can read.
func (h *house) save(name string) error {
	data, err := json.MarshalIndent(h.connection, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("folder of an engine: %w", err)
	}
	err = errors.Join(f.Chmod(0o600), f.Close())
	if err == nil {
		err = store.WriteFile(name, bytes.NewReader(append(data, '\n')))
	}
	return err
}

// close ends the server. Of a house that was not opened as a whole, it closes what there is, and the error says nothing.
func (h *house) close() error {
	h.nc.Close()
	if h.server != nil {
		h.server.Shutdown()
		h.server.WaitForShutdown()
	}
	return h.lock.Close()
}

// serverLog hears what the server says of itself, and keeps why it cannot run.
type serverLog struct{ failure }

func (serverLog) Noticef(string, ...any) {}
func (serverLog) Warnf(string, ...any)   {}
func (serverLog) Debugf(string, ...any)  {}
func (serverLog) Tracef(string, ...any)  {}

// Errorf implements server.Logger. Most errors are of clients.
func (l serverLog) Errorf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	switch {
	case strings.Contains(text, "no space left"), strings.Contains(text, "DISABLED"):
		l.put(errors.New("the disk is full: free some space, then run again"))
	case strings.Contains(text, "write error"):
		l.put(errors.New(text))
	}
}

// Fatalf implements server.Logger. The server does not end the process by itself.
func (l serverLog) Fatalf(format string, args ...any) { l.put(fmt.Errorf(format, args...)) }
