//go:build unix

package process

import (
	"bufio"
	"context"
	"errors"
	"math"
	"os/exec"
	"strings"
	"testing"
	"time"
)

//test:race
func TestSilentGreeting(t *testing.T) {
	path, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	c, err := dial([]string{path, "600"}, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	defer c.kill()
	if _, err := c.greet(t.Context(), 10*time.Millisecond); err == nil || !strings.Contains(err.Error(), "it did not answer hello within 10ms") {
		t.Errorf("got %v", err)
	}
	c, err = dial([]string{path, "600"}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	defer c.kill()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := c.greet(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// FuzzReply: whatever a simulator writes, the reader of its answers returns an error, or answers of the right size in which
// every number is one.
func FuzzReply(f *testing.F) {
	for _, line := range []string{
		`{"id":1,"next":[[0,1]],"reward":[0.5],"done":[true]}`, `{"id":1,"log":[[-1,null]]}`, `{"id":1,"states":[[0,1]]}`,
		`{"id":1,"error":"no"}`, `{"id":1,"protocol":1,"model":{"name":"m","axes":[{"name":"x","max":1,"scale":"inf"}],"actions":["a",{"name":"b","box":[]}],"latents":["l"]}}`,
		`{"id":1,"next":[[NaN,null]]}`, `{"id":1} {}`, `[`, ``, `{"id":1,"next":[[1e999,0]],"reward":[0],"done":[null]}`, `{"ID":1,"Log":[[],[]]}`,
	} {
		for k := range int(kinds) {
			f.Add(line, k)
		}
	}
	f.Fuzz(func(t *testing.T, line string, which int) {
		if which < 0 || which >= int(kinds) {
			return
		}
		c := &connection{out: bufio.NewReaderSize(strings.NewReader(line), 16)}
		if text, err := c.read(100); len(text) > 100 || err == nil && !strings.HasSuffix(string(text), "\n") {
			t.Fatalf("read %q, %v", text, err)
		}
		r, err := parseReply([]byte(line), 1)
		if err != nil {
			return
		}
		if r.Model != nil {
			spec, b := r.Model.spec(), r.Model.prior()
			_, _ = spec.Validate(), b.Validate()
		}
		k := kind(which)
		if k == hello || r.Error != nil {
			return
		}
		x := &call{kind: k, next: []float64{math.NaN(), math.NaN()}, reward: math.NaN()}
		if r.take(k, []*call{x}, 2, 2) != nil {
			return
		}
		finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
		switch {
		case (k == start || k == step) && !(finite(x.next[0]) && finite(x.next[1])), k == step && !finite(x.reward):
			t.Fatalf("%s of %q gives %v, reward %v", k, line, x.next, x.reward)
		case k == likelihood && (len(x.log) != 2 || math.IsNaN(x.log[0]) || math.IsInf(x.log[0], 1)):
			t.Fatalf("%s of %q gives %v", k, line, x.log)
		}
	})
}

// A line of a request is what the page of the protocol shows, and numbers come back bit for bit.
func TestRequests(t *testing.T) {
	c := &call{state: []float64{0.1, math.Copysign(0, -1)}, latent: 1, action: 2, control: []float64{1e21}, seed: 1<<53 - 1, next: []float64{5e-324}}
	for k, want := range map[kind]string{
		hello:           `{"id":7,"ask":"hello","protocol":1}`,
		itself:          `{"id":7,"ask":"check"}`,
		start:           `{"id":7,"ask":"start","latents":[1],"seeds":[9007199254740991]}`,
		startLikelihood: `{"id":7,"ask":"start_likelihood","states":[[0.1,-0]]}`,
		step:            `{"id":7,"ask":"step","states":[[0.1,-0]],"latents":[1],"actions":[2],"controls":[[1e+21]],"seeds":[9007199254740991]}`,
		likelihood:      `{"id":7,"ask":"likelihood","states":[[0.1,-0]],"actions":[2],"controls":[[1e+21]],"next":[[5e-324]]}`,
	} {
		if got := string(appendRequest(nil, 7, k, []*call{c}, true)); got != want+"\n" {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}
