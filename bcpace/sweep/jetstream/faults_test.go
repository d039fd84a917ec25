//go:build unix

package jetstream

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"bayescpace/bcpace/sweep"
)

// TestPoison: tasks that end every worker that has them are given up and named, and so are
// those that fail, panic or never end; all others are answered.
//
//test:race
func TestPoison(t *testing.T) {
	t.Parallel()
	e := embed(t, Embedded{Workers: 2, Options: Options{Tries: 2}})
	good := tasksOf("hash", 60, testInput{})
	var tasks []sweep.Task
	bad := map[string]string{
		"poison": "trial poison ended its worker 2 times; the last time:", "panic": "on purpose", "error": "it cannot be", "deaf": "did not end within",
	}
	keys := make(map[string]string)
	for i, task := range good {
		tasks = append(tasks, task)
		for j, kind := range []string{"poison", "panic", "error", "deaf"} {
			if i == 10*(j+1) {
				x := taskOf(kind, testInput{Text: kind})
				if kind == "deaf" {
					x.Limit = 100 * time.Millisecond
				}
				keys[x.Key], tasks = kind, append(tasks, x)
			}
		}
	}
	answers, err := collect(t, t.Context(), e, tasks)
	if err != nil {
		t.Fatal(err)
	}
	for key, kind := range keys {
		if a := answers[key]; !strings.Contains(a.Fault, bad[kind]) || a.Output != nil {
			t.Errorf("%s: %+v, want a fault with %q", kind, a, bad[kind])
		}
		delete(answers, key)
	}
	same(t, good, answers)
}

// TestListensHereAlone: an engine listens on the loopback interface and nowhere else, and its
// token is for the user alone.
func TestListensHereAlone(t *testing.T) {
	folder := t.TempDir()
	embed(t, Embedded{Folder: folder})
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	c, err := readConnection(filepath.Join(folder, connectFile))
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(strings.TrimPrefix(c.URL, "nats://"), ":")
	for _, a := range addresses {
		ip, _, err := net.ParseCIDR(a.String())
		if err != nil || ip.To4() == nil {
			continue
		}
		conn, err := net.DialTimeout("tcp", net.JoinHostPort(ip.String(), port), time.Second)
		if err == nil {
			conn.Close()
		}
		if (err == nil) != ip.Equal(net.IPv4(127, 0, 0, 1)) {
			t.Errorf("a connection to %v: error %v", ip, err)
		}
	}
	if info, err := os.Stat(filepath.Join(folder, connectFile)); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%s: mode %v, error %v, want one for the user alone", connectFile, info.Mode(), err)
	}
}

// TestWrongToken: who has another token is refused in one line.
func TestWrongToken(t *testing.T) {
	folder := t.TempDir()
	embed(t, Embedded{Folder: folder})
	c, err := readConnection(filepath.Join(folder, connectFile))
	if err != nil {
		t.Fatal(err)
	}
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]Server{"another token": {Address: c.URL, TokenFile: token}, "no token": {Address: c.URL}} {
		err := Work(t.Context(), Worker{Server: s, Slots: 1, Command: childCommand()})
		if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(strings.ToLower(err.Error()), "authoriz") {
			t.Errorf("%s: a worker has error %v", name, err)
		}
		if _, err := Connect(t.Context(), Remote{Server: s}); err == nil {
			t.Errorf("%s: a coordinator is let in", name)
		}
	}
}

// TestAnotherVersion: a worker of another version is refused, with both versions named.
//
//test:race
func TestAnotherVersion(t *testing.T) {
	folder := t.TempDir()
	e := embed(t, Embedded{Folder: folder})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	running := make(chan error, 1)
	go func() { running <- e.Do(ctx, tasksOf("hash", 1, testInput{}), sweep.EngineObserver{}) }()
	t.Setenv(versionVariable, "f00f00f00f00f00f")
	err := Work(t.Context(), Worker{Server: Server{Address: folder}, Slots: 1, Command: childCommand()})
	if err == nil || !strings.Contains(err.Error(), "f00f00f00f00 (go1, none)") || !strings.Contains(err.Error(), sweep.ThisVersion().String()) {
		t.Errorf("a worker of another version has error %v", err)
	}
	cancel()
	<-running
}

// TestHostileMessages: what somebody with the token sends to every subject is dropped and
// counted, and the sweep has its answers all the same.
//
//test:race
func TestHostileMessages(t *testing.T) {
	folder := t.TempDir()
	e := embed(t, Embedded{Folder: folder})
	c, err := readConnection(filepath.Join(folder, connectFile))
	if err != nil {
		t.Fatal(err)
	}
	nc, err := nats.Connect(c.URL, nats.Token(c.Token))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	tasks := tasksOf("hash", 40, testInput{Milli: 1})
	key := strings.Repeat("0", 64)
	messages := []string{
		"", "{", "[]", "null", "\x00\xff", strings.Repeat("x", 500_000), `{"key":"` + key + `","worker":"w","tries":1,"output":"eA=="}`,
		`{"key":"` + tasks[0].Key + `","worker":"w","tries":0}`, `{"worker":"w","keys":["../../etc/passwd"]}`,
		`{"worker":"w","max":1000000000,"keys":[]}`, `{"task":{"key":"` + tasks[0].Key + `","tries":1000000000}}`, `{"worker":"","why":"x"}`, `{"id":"x"}`, `{"worker":"w","tasks":[]}`,
	}
	if err := nc.Publish(offerSubject, make([]byte, maxMessage+1)); err == nil {
		t.Error("the server takes a message over its limit")
	}
	var last sweep.Status
	answered := make(map[string]sweep.Answer)
	hostile := func() {
		for _, m := range messages {
			for _, subject := range []string{sweepSubject(c.ID, verbAsk), sweepSubject(c.ID, verbTell), sweepSubject(c.ID, verbBeat), sweepSubject(c.ID, verbBack), sweepSubject(c.ID, "other"), goneSubject, helloSubject, offerSubject} {
				if err := nc.PublishRequest(subject, "reply", []byte(m)); err != nil {
					t.Error(err)
				}
			}
		}
		if err := nc.Flush(); err != nil {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	var working sync.Once
	worked := make(chan error, 1)
	err = e.Do(ctx, tasks, sweep.EngineObserver{
		Answered: func(a sweep.Answer) { answered[a.Key] = a },
		Status: func(s sweep.Status) {
			if last = s; s.Dropped < 40 { // what is sent before the sweep listens is lost
				go hostile()
				return
			}
			working.Do(func() {
				go func() {
					worked <- Work(ctx, Worker{Server: Server{Address: folder}, Slots: 2, Command: childCommand()})
				}()
			})
		},
	})
	cancel()
	if err != nil {
		t.Fatal(err)
	}
	if err := <-worked; err != nil {
		t.Error(err)
	}
	same(t, tasks, answered)
	if last.Dropped < 40 {
		t.Errorf("%d messages are dropped, want most of %d", last.Dropped, 8*len(messages))
	}
	// What is kept under a key and is no answer is computed again.
	if err := nc.Publish(answerSubject+taskOf("hash", testInput{Text: "spoilt"}).Key, []byte("spoilt")); err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	go Work(ctx, Worker{Server: Server{Address: folder}, Slots: 1, Command: childCommand()})
	spoilt := []sweep.Task{taskOf("hash", testInput{Text: "spoilt"})}
	again, err := collect(t, ctx, e, spoilt)
	if err != nil {
		t.Fatal(err)
	}
	same(t, spoilt, again)
}
