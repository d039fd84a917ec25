package jetstream

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"
	"unicode/utf8"

	"bayescpace/bcpace/sweep"
)

// What a coordinator and its workers say to each other is JSON on subjects of core NATS, at
// most maxMessage bytes. A coordinator listens on bcpace.sweep.ID.VERB while a Do runs, and
// all of them listen on goneSubject and helloSubject. They tell of themselves on
// offerSubject. Readers take nothing that a message may not hold: whoever has the token may
// write what he likes.
const (
	offerSubject = "bcpace.offer" // an offer, by a coordinator to all workers
	helloSubject = "bcpace.hello" // by whoever wants all offers now
	goneSubject  = "bcpace.gone"  // a gone, by the parent of a worker process
	verbAsk      = "ask"          // a holding, by who wants a task, answered by a grant
	verbTell     = "tell"         // a kept, answered by what acknowledges it
	verbBeat     = "beat"         // a holding: what the worker still holds
	verbBack     = "back"         // a holding, answered: the worker hands all back
	verbTrouble  = "trouble"      // a trouble: why the worker cannot keep an answer
)

// Bounds of messages. A server takes 1 MiB by default.
const (
	maxMessage = 1 << 20
	maxHeld    = 4096    // of a holding
	maxText    = 4 << 10 // bytes of a name, a fault or a reason
)

// sweepSubject is where the coordinator of a sweep hears a verb; "*" stands for each.
func sweepSubject(id, verb string) string { return "bcpace.sweep." + id + "." + verb }

// Sweep is what a server knows of a sweep.
type Sweep struct {
	ID      string        `json:"id"`
	Name    string        `json:"name"`
	Version sweep.Version `json:"version"`
	Kinds   []string      `json:"kinds"`
	Needs   []string      `json:"needs"`
	// Live says that its coordinator runs. If not, the counts are those when it was last
	// heard of.
	Live  bool      `json:"live"`
	Began time.Time `json:"began"`
	Heard time.Time `json:"heard"`
	// Tasks, Done, Failed, Running and Queued count tasks; Failed are among those Done.
	Tasks   int `json:"tasks"`
	Done    int `json:"done"`
	Failed  int `json:"failed"`
	Running int `json:"running"`
	Queued  int `json:"queued"`
	// Workers are the names of the worker processes that have been heard of lately.
	Workers []string `json:"workers"`
	Note    string   `json:"note,omitempty"`
}

// offer tells workers of a sweep.
type offer struct {
	Sweep
	// Lease is how long the coordinator waits for a sign of life, in nanoseconds.
	Lease int64 `json:"lease"`
	// Over says that the sweep has ended: what is computed for it is of no use.
	Over bool `json:"over,omitempty"`
}

// grant is what a worker gets that asks; nil means that there is nothing for it now.
type grant struct {
	Task *leased `json:"task"`
}

// leased is a task for a worker; Tries counts this worker too.
type leased struct {
	sweep.Task
	Tries int `json:"tries"`
}

// holding names tasks of a worker.
type holding struct {
	Worker string   `json:"worker"`
	Keys   []string `json:"keys"`
}

// gone says that a worker process has ended, and how.
type gone struct {
	Worker string `json:"worker"`
	Why    string `json:"why"`
}

// trouble says why a worker cannot keep an answer.
type trouble = gone

// message is what checks itself after it has been read.
type message interface{ check() error }

// read reads one message and nothing after it.
func read(data []byte, m message) error {
	if len(data) > maxMessage {
		return fmt.Errorf("a message of %d bytes, want at most %d", len(data), maxMessage)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(m); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one message in one")
	}
	return m.check()
}

// write returns a message in bytes. What it is called with can be written.
func write(m any) []byte {
	data, err := json.Marshal(m)
	if err != nil {
		panic(fmt.Sprintf("jetstream: a message of type %T: %v", m, err))
	}
	return data
}

func (m *grant) check() error {
	if m.Task == nil {
		return nil
	}
	t := *m.Task
	return cmp.Or(checkTask(t.Task), checkThat(t.Tries >= 1, "task %q is given for the %d. time, want 1 or more", t.Name, t.Tries))
}

func (m *holding) check() error {
	if len(m.Keys) > maxHeld {
		return fmt.Errorf("%d keys, want at most %d", len(m.Keys), maxHeld)
	}
	for _, k := range m.Keys {
		if err := checkKey(k); err != nil {
			return err
		}
	}
	return checkText("worker", m.Worker, false)
}

func (m *gone) check() error {
	return cmp.Or(checkText("worker", m.Worker, false), checkText("reason", m.Why, true))
}

func (m *offer) check() error {
	return cmp.Or(checkThat(m.Lease > 0, "a lease of %d ns, want more than 0", m.Lease), checkHex("sweep", m.ID, 16))
}

func checkTask(t sweep.Task) error {
	return cmp.Or(checkKey(t.Key),
		checkThat(len(t.Input) <= sweep.MaxInput, "the input of task %.100q has %d bytes, want at most %d", t.Name, len(t.Input), sweep.MaxInput),
		checkThat(t.Limit >= 0, "the limit of task %.100q is %v, want 0 or more", t.Name, t.Limit),
		checkText("name of a task", t.Name, true), checkText("kind of a task", t.Kind, false))
}

func checkAnswer(a sweep.Answer) error {
	sound := a.Seconds >= 0 && !math.IsInf(a.Seconds, 0) && a.Memory >= 0 && a.Tries >= 1
	return cmp.Or(checkKey(a.Key),
		checkThat(len(a.Output) <= sweep.MaxInput, "an output of %d bytes, want at most %d", len(a.Output), sweep.MaxInput),
		checkThat(a.Fault == "" || len(a.Output) == 0, "both an output and a fault, want one of them"),
		checkThat(sound, "%v seconds, %d bytes and %d tries, want none below 0 and a try", a.Seconds, a.Memory, a.Tries),
		checkText("worker", a.Worker, false), checkText("fault", a.Fault, true))
}

// checkThat returns an error with a text where what is claimed does not hold.
func checkThat(holds bool, format string, args ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// checkHex refuses what is not so many hexadecimal digits in small letters, which a subject may
// end in.
func checkHex(what, text string, digits int) error {
	b, err := hex.DecodeString(text)
	return checkThat(err == nil && len(text) == digits && text == hex.EncodeToString(b), "%s %.70q, want %d hexadecimal digits", what, text, digits)
}

func checkKey(key string) error { return checkHex("key", key, 64) }

func checkText(what, text string, empty bool) error {
	return cmp.Or(checkThat(text != "" || empty, "no %s", what), checkThat(len(text) <= maxText, "a %s of %d bytes, want at most %d", what, len(text), maxText))
}

// shorten cuts a text to what a message may hold.
func shorten(text string) string {
	if len(text) <= maxText {
		return text
	}
	cut := maxText - len("…")
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
