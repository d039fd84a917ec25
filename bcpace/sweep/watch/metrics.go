package watch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"bayescpace/bcpace"
)

// Metrics serves the state of a sweep in the text format of Prometheus, to programs of this machine.
// The nil one serves nothing.
type Metrics struct {
	server   *http.Server
	listener net.Listener
	state    atomic.Pointer[State] // nil before the first look
}

// Serve begins to serve at an address such as :9100, 127.0.0.1:9100 or localhost:0, which takes any
// port that is free. An address of other machines is a *bcpace.InputError, as what is served has no
// password.
func Serve(ctx context.Context, address string) (*Metrics, error) {
	at, err := Loopback(address)
	if err != nil {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", at)
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	m := &Metrics{listener: listener}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", m.answer)
	m.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, MaxHeaderBytes: 1 << 16, ErrorLog: log.New(io.Discard, "", 0)}
	go m.server.Serve(listener) //nolint:errcheck // it ends with Close
	return m, nil
}

// Loopback returns the address of this machine alone that a text names, such as 127.0.0.1:9100 for
// :9100. Any other address is a *bcpace.InputError.
func Loopback(address string) (string, error) {
	bad := func() (string, error) {
		return "", bcpace.In("metrics").Bad("the address", strconv.Quote(address), "one of this machine alone, such as :9100 or 127.0.0.1:9100")
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return bad()
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return bad()
	}
	if host == "" || strings.EqualFold(host, "localhost") {
		host = "127.0.0.1"
	}
	if a, err := netip.ParseAddr(host); err != nil || !a.IsLoopback() {
		return bad()
	}
	return net.JoinHostPort(host, port), nil
}

// URL is where the metrics are.
func (m *Metrics) URL() string { return "http://" + m.listener.Addr().String() + "/metrics" }

// Close ends the server.
func (m *Metrics) Close() error {
	if err := m.server.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

func (m *Metrics) set(s State) {
	if m != nil {
		m.state.Store(&s)
	}
}

// answer answers a request. It refuses one in which a browser names another host, as a page elsewhere
// might lead to this address.
func (m *Metrics) answer(w http.ResponseWriter, r *http.Request) {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if _, err := Loopback(net.JoinHostPort(strings.Trim(host, "[]"), "0")); err != nil {
		http.Error(w, "metrics are for this machine alone", http.StatusForbidden)
		return
	}
	s := m.state.Load()
	if s == nil {
		http.Error(w, "the sweep has not been looked at yet", http.StatusServiceUnavailable)
		return
	}
	var text bytes.Buffer
	s.writeMetrics(&text)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Write(text.Bytes()) //nolint:errcheck // who asked has gone
}

// writeMetrics writes the state in the text format of Prometheus, version 0.0.4.
func (s State) writeMetrics(w io.Writer) {
	family := func(name, help string) (sample func(labels string, value float64)) {
		name = "bcpace_sweep_" + name
		fmt.Fprintf(w, "# HELP %s %s\n# TYPE %[1]s gauge\n", name, help)
		return func(labels string, value float64) {
			fmt.Fprintf(w, "%s{sweep=\"%s\"%s} %s\n", name, escape(s.Name), labels, strconv.FormatFloat(value, 'g', -1, 64))
		}
	}
	gauge := func(name, help string, value float64) { family(name, help)("", value) }
	ofWorkers := func(name, help string, value func(WorkerState) int) {
		sample := family(name, help)
		for _, x := range s.Workers {
			sample(`,worker="`+escape(x.Name)+`"`, float64(value(x)))
		}
	}
	gauge("trials", "Number of trials of the sweep.", float64(s.Trials))
	gauge("trials_done", "Trials that have a result or a fault.", float64(s.Done))
	gauge("trials_failed", "Trials that have a fault, which the next run tries again.", float64(s.Failed))
	gauge("trials_running", "Trials that workers have.", float64(s.Running))
	gauge("trials_per_second", "Trials done per second over the last minute.", s.Rate)
	if s.Left >= 0 {
		gauge("left_seconds", "Estimate of the time to the end.", s.Left.Seconds())
	}
	gauge("workers", "Workers that live.", float64(len(s.Workers)))
	ofWorkers("worker_trials_running", "Trials that a worker has.", func(x WorkerState) int { return x.Has })
	ofWorkers("worker_trials_done", "Trials that a worker has answered since its process began.", func(x WorkerState) int { return x.Done })
}

// escape writes a label's value between quotes.
func escape(value string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(strings.ToValidUTF8(value, "�"))
}
