package watch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"bayescpace/bcpace"
)

// sample is a line of the text format with a value.
type sample struct {
	name   string
	labels map[string]string
	value  float64
}

var (
	metricName = regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*`)
	labelName  = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*`)
)

// parseExposition reads text by the rules of the text format of Prometheus, version 0.0.4
// (https://prometheus.io/docs/instrumenting/exposition_formats/): each line ends in a line feed; a
// family has at most one HELP and one TYPE, which stand before its samples; the lines of a family
// stand together; no sample is there twice; names have certain letters, and the value of a label
// escapes a backslash, a double quote and a line feed.
func parseExposition(text string) (all []sample, err error) {
	if !strings.HasSuffix(text, "\n") {
		return nil, errors.New("the last line has no end")
	}
	types, helps, closed, there := map[string]string{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	family := ""
	enter := func(name string) error {
		if name == family {
			return nil
		}
		closed[family] = true
		family = name
		if closed[name] {
			return fmt.Errorf("the lines of %s do not stand together", name)
		}
		return nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if comment, ok := strings.CutPrefix(line, "# "); ok {
			word, rest, _ := strings.Cut(comment, " ")
			name, rest, _ := strings.Cut(rest, " ")
			if metricName.FindString(name) != name || name == "" {
				return nil, fmt.Errorf("name in %q", line)
			}
			if err := enter(name); err != nil {
				return nil, err
			}
			switch {
			case word == "HELP" && !helps[name] && rest != "":
				helps[name] = true
			case word == "TYPE" && types[name] == "" && (rest == "gauge" || rest == "counter" || rest == "untyped"):
				types[name] = rest
			default:
				return nil, fmt.Errorf("comment %q", line)
			}
			continue
		}
		s, err := parseSample(line)
		if err != nil {
			return nil, fmt.Errorf("line %q: %w", line, err)
		}
		if err := enter(s.name); err != nil {
			return nil, err
		}
		if types[s.name] == "" || !helps[s.name] {
			return nil, fmt.Errorf("line %q has no TYPE and HELP before it", line)
		}
		id := fmt.Sprintf("%s %q", s.name, s.labels)
		if there[id] {
			return nil, fmt.Errorf("line %q is there twice", line)
		}
		there[id] = true
		all = append(all, s)
	}
	return all, nil
}

func parseSample(line string) (s sample, err error) {
	s = sample{name: metricName.FindString(line), labels: make(map[string]string)}
	rest := line[len(s.name):]
	if s.name == "" {
		return s, errors.New("no name")
	}
	if strings.HasPrefix(rest, "{") {
		rest = rest[1:]
		for !strings.HasPrefix(rest, "}") {
			name := labelName.FindString(rest)
			after, ok := strings.CutPrefix(rest[len(name):], `="`)
			if name == "" || !ok {
				return s, errors.New("no label")
			}
			var value strings.Builder
			for {
				if after == "" {
					return s, errors.New("a label without an end")
				}
				c := after[0]
				after = after[1:]
				if c == '"' {
					break
				}
				if c == '\\' {
					if after == "" || !strings.Contains(`\"n`, after[:1]) {
						return s, errors.New("a wrong escape")
					}
					if c = after[0]; c == 'n' {
						c = '\n'
					}
					after = after[1:]
				}
				value.WriteByte(c)
			}
			if _, ok := s.labels[name]; ok {
				return s, errors.New("a label twice")
			}
			s.labels[name] = value.String()
			rest = strings.TrimPrefix(after, ",")
		}
		rest = rest[1:]
	}
	number, ok := strings.CutPrefix(rest, " ")
	if !ok {
		return s, errors.New("no blank before the value")
	}
	s.value, err = strconv.ParseFloat(number, 64)
	return s, err
}

// TestMetricsFormat writes random states and reads them back by the rules of the format.
func TestMetricsFormat(t *testing.T) {
	name := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", `a"b\c` + "\n", `\n`, "{},= #", "größer"}))
	rapid.Check(t, func(t *rapid.T) {
		s := State{Name: name.Draw(t, "name"), Trials: rapid.IntRange(0, 1e9).Draw(t, "trials"), Done: rapid.IntRange(0, 1e9).Draw(t, "done"), Left: -1,
			Rate: rapid.Float64Range(0, 1e12).Draw(t, "rate")}
		if rapid.Bool().Draw(t, "known") {
			s.Left = time.Duration(rapid.Int64Range(0, 1e18).Draw(t, "left"))
		}
		for _, n := range rapid.SliceOfNDistinct(name, 0, 5, rapid.ID).Draw(t, "workers") {
			s.Workers = append(s.Workers, WorkerState{n, rapid.IntRange(0, 9).Draw(t, "has"), rapid.IntRange(0, 9).Draw(t, "done")})
		}
		var text bytes.Buffer
		s.writeMetrics(&text)
		all, err := parseExposition(text.String())
		if err != nil {
			t.Fatalf("%v in\n%s", err, text.String())
		}
		want := map[string]float64{"trials": float64(s.Trials), "trials_done": float64(s.Done), "trials_per_second": s.Rate, "workers": float64(len(s.Workers))}
		if s.Left >= 0 {
			want["left_seconds"] = s.Left.Seconds()
		}
		workers := 0
		for _, x := range all {
			if x.labels["sweep"] != s.Name {
				t.Fatalf("the sweep is %q in %+v, want %q", x.labels["sweep"], x, s.Name)
			}
			short := strings.TrimPrefix(x.name, "bcpace_sweep_")
			if v, ok := want[short]; ok && v != x.value {
				t.Fatalf("%+v, want %v", x, v)
			}
			delete(want, short)
			if short == "worker_trials_running" {
				if w := s.Workers[workers]; x.labels["worker"] != w.Name || x.value != float64(w.Has) {
					t.Fatalf("%+v, want %+v", x, w)
				}
				workers++
			}
		}
		if len(want) > 0 || workers != len(s.Workers) {
			t.Fatalf("%v are missing, and %d of %d workers are there", want, workers, len(s.Workers))
		}
	})
	for _, bad := range []string{"a 1", "a 1\n", "# TYPE a gauge\n# HELP a x\na{b=\"\\x\"} 1\n", "# HELP a x\n# TYPE a gauge\na 1\na 1\n"} {
		if all, err := parseExposition(bad); err == nil {
			t.Errorf("the test takes %q for %v", bad, all)
		}
	}
}

// TestServe asks the server, as this machine and as a browser that a page elsewhere has led here.
func TestServe(t *testing.T) {
	m, err := Serve(t.Context(), ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	get := func(url, host string) (int, string, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if host != "" {
			r.Host = host
		}
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		text, err := io.ReadAll(a.Body)
		if err != nil {
			t.Fatal(err)
		}
		return a.StatusCode, a.Header.Get("Content-Type"), string(text)
	}
	if code, _, _ := get(m.URL(), ""); code != http.StatusServiceUnavailable {
		t.Errorf("before the first look: %d", code)
	}
	m.set(State{Name: "x", Trials: 7, Left: -1})
	code, kind, text := get(m.URL(), "")
	if all, err := parseExposition(text); code != http.StatusOK || err != nil || len(all) == 0 || kind != "text/plain; version=0.0.4; charset=utf-8" {
		t.Errorf("%d, %q, %v: %s", code, kind, err, text)
	}
	if code, _, _ := get(m.URL(), "localhost:1"); code != http.StatusOK {
		t.Errorf("as localhost: %d", code)
	}
	if code, _, text := get(m.URL(), "elsewhere.example"); code != http.StatusForbidden {
		t.Errorf("as another host: %d, %s", code, text)
	}
	if code, _, _ := get(strings.TrimSuffix(m.URL(), "/metrics"), ""); code != http.StatusNotFound {
		t.Errorf("another page: %d", code)
	}
	if _, err := Serve(t.Context(), m.listener.Addr().String()); err == nil {
		t.Error("a port is taken twice")
	}
}

func TestLoopback(t *testing.T) {
	for address, want := range map[string]string{":9100": "127.0.0.1:9100", "localhost:1": "127.0.0.1:1", "127.0.0.2:0": "127.0.0.2:0", "[::1]:80": "[::1]:80"} {
		if got, err := Loopback(address); err != nil || got != want {
			t.Errorf("%s is %q, %v, want %q", address, got, err, want)
		}
	}
	for _, address := range []string{"", "9100", "0.0.0.0:9100", "[::]:9100", "192.168.0.1:9100", "example.org:80", ":", ":http", ":65536", ":-1"} {
		if got, err := Loopback(address); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("%q is %q, %v, want an error", address, got, err)
		}
	}
}
