// Package watch follows a sweep that is computed elsewhere, by what its folder of results gets: a
// display for people, events as lines of JSON, and metrics for Prometheus.
//
// All processes of a sweep write into that folder: each keeps the results of its trials, and says
// every five seconds, and after a change, which trials its workers have. So one watcher sees shards and workers of every
// engine, and no process of the sweep has to know of it. It compares no clocks of two machines.
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
	"unicode"

	"bayescpace/bcpace"
	"bayescpace/bcpace/sweep"
)

// Watch says which sweep is watched, and who is told of it.
type Watch struct {
	Spec sweep.Spec
	// Name is how the sweep is called.
	Name string
	// Folder keeps the results, of all shards. "" means that of sweep.Folder.
	Folder string
	// Every is the time between two looks at the folder; 0 means a second.
	Every time.Duration
	// Lost is how long the file of a process may stay as it is before its workers count as lost; 0
	// means 20 s.
	Lost time.Duration
	// Display, if set, gets the state after each look, as text.
	Display io.Writer
	// Terminal says that Display is a terminal, where each state replaces the one before. Elsewhere
	// a state is a line, and one that says the same as the last is left out.
	Terminal bool
	// Events, if set, gets a line of JSON for each Event.
	Events io.Writer
	// Address, if set, is where the state is served to Prometheus on this machine, as Serve takes it.
	// Serves, if set, is told the URL.
	Address string
	Serves  func(url string)
}

// CheckFlags returns an error for flags of the command sweep status that do not go together, in their
// words: --metrics is "" where it is not given.
func CheckFlags(watch, json, events bool, metrics string) error {
	switch {
	case watch && json:
		return errors.New("--watch and --json contradict each other: --events prints JSON, a line for each event")
	case !watch && (events || metrics != ""):
		return errors.New("--events and --metrics need --watch, while which they tell")
	case metrics != "":
		if _, err := Loopback(metrics); err != nil {
			return fmt.Errorf("--metrics: %w", err)
		}
	}
	return nil
}

// State is how far a sweep has come.
type State struct {
	// Name and Elapsed are the sweep's name and the time since the watch began.
	Name    string
	Elapsed time.Duration
	// Trials is their number, and Done of them have a result, which is a fault for those Failed.
	Trials, Done, Failed int
	// Running is the number of trials that workers have.
	Running int
	// Rate is the number of trials per second over the last minute, and Left an estimate of the time
	// to the end; −1 before there is one.
	Rate float64
	Left time.Duration
	// Workers are those that live, by name.
	Workers []WorkerState
	// Faults are those of the first trials that failed, at most MaxFaults.
	Faults []string
}

// WorkerState is a worker of the sweep.
type WorkerState struct {
	Name string
	// Has is the number of trials that it has now, and Done those that it has answered.
	Has, Done int
}

// MaxFaults is the most faults of a State.
const MaxFaults = 3

// rateOver is the time over which the rate is taken.
const rateOver = time.Minute

// Run watches until all trials have a result or a fault, and returns the last state. When ctx ends
// before that, it returns the state so far with ctx's error. The other errors are those of the sweep
// and its folder, and of a writer.
func (w Watch) Run(ctx context.Context) (State, error) {
	var metrics *Metrics
	if w.Address != "" {
		var err error
		if metrics, err = Serve(ctx, w.Address); err != nil {
			return State{}, err
		}
		defer metrics.Close()
		if w.Serves != nil {
			w.Serves(metrics.URL())
		}
	}
	results, again, err := sweep.Follow(ctx, w.Spec, w.Folder)
	if err != nil {
		return State{}, err
	}
	if w.Folder == "" {
		if w.Folder, err = sweep.Folder(); err != nil {
			return State{}, err
		}
	}
	if w.Every == 0 {
		w.Every = time.Second
	}
	if w.Lost == 0 {
		w.Lost = 4 * sweep.PulseEvery
	}
	f := newFollower(w, results)
	tick := time.NewTicker(w.Every)
	defer tick.Stop()
	for {
		s := f.look(time.Now())
		metrics.set(s)
		if err := f.tell(s); err != nil || s.Done == s.Trials {
			return s, err
		}
		select {
		case <-ctx.Done():
			return s, ctx.Err()
		case <-tick.C:
		}
		if err := again(); err != nil {
			return s, err
		}
	}
}

// tell hands the state to all who are told.
func (f *follower) tell(s State) error {
	if err := errors.Join(f.sendEvents(), f.show(s)); err != nil {
		return fmt.Errorf("watching the sweep: %w", err)
	}
	return nil
}

const (
	width      = 79 // columns: a longer line would wrap, and not be replaced
	maxWorkers = 12 // that are shown
)

// show writes the state to the display.
func (f *follower) show(s State) error {
	w := f.watch.Display
	switch {
	case w == nil:
		return nil
	case f.watch.Terminal:
		lines := s.lines()
		var text strings.Builder
		if f.lines > 0 {
			fmt.Fprintf(&text, "\x1b[%dA", f.lines) // up to the first of them
		}
		for _, l := range lines {
			text.WriteString("\r\x1b[K" + l + "\n") // cleared to its end
		}
		text.WriteString("\x1b[J") // what is below
		f.lines = len(lines)
		_, err := io.WriteString(w, text.String())
		return err
	}
	line := s.counts() + fmt.Sprintf(", %d running on %d workers", s.Running, len(s.Workers))
	if line == f.last {
		return nil
	}
	f.last = line
	_, err := fmt.Fprintln(w, line+s.paceText())
	return err
}

// counts says how far the sweep has come.
func (s State) counts() string {
	return fmt.Sprintf("%s: %d of %d done, %d failed", clean(s.Name), s.Done, s.Trials, s.Failed)
}

// paceText says how fast it is, where that is known.
func (s State) paceText() (text string) {
	if s.Rate > 0 {
		text = fmt.Sprintf(", %.3g trials/s", s.Rate)
	}
	if s.Left > 0 {
		text += fmt.Sprintf(", %v left", s.Left.Round(time.Second))
	}
	return text
}

// lines are what a terminal shows.
func (s State) lines() (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, cut(clean(fmt.Sprintf(format, args...)))) }
	add("%s", s.counts()+s.paceText())
	if len(s.Workers) == 0 && s.Done < s.Trials {
		add("no process computes it, as far as the folder says")
	}
	for i, w := range s.Workers {
		if i == maxWorkers {
			add("  and %d workers more", len(s.Workers)-i)
			break
		}
		add("  %s: %d running, %d done", w.Name, w.Has, w.Done)
	}
	for _, f := range s.Faults {
		add("  %s", f)
	}
	if n := s.Failed - len(s.Faults); n > 0 {
		add("  and %d faults more", n)
	}
	return lines
}

// clean keeps what a fault or a name quotes from moving the cursor.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}

// cut shortens a line to the width.
func cut(line string) string {
	if r := []rune(line); len(r) > width {
		return string(r[:width-1]) + "…"
	}
	return line
}

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
