package jetstream

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"bayescpace/bcpace/sweep"
)

// messages are one of each kind.
func messages() map[string]message {
	task := taskOf("hash", testInput{Text: "1"})
	answer := sweep.Answer{Key: task.Key, Output: []byte{1, 2}, Worker: "w", Tries: 1, Seconds: 0.5, Memory: 7}
	return map[string]message{
		"grant":   &grant{Task: &leased{Task: task, Tries: 1}},
		"holding": &holding{Worker: "w", Keys: []string{task.Key}},
		"gone":    &gone{Worker: "w", Why: "killed"},
		"offer":   &offer{Sweep: Sweep{ID: randomHex(8), Version: version()}, Lease: 1},
		"kept":    (*kept)(&answer),
	}
}

// TestRead: a message is read as it was written; cut anywhere, or followed by another, it is
// refused.
func TestRead(t *testing.T) {
	for name, m := range messages() {
		data := write(m)
		fresh := func() message { return reflect.New(reflect.TypeOf(m).Elem()).Interface().(message) }
		got := fresh()
		if err := read(data, got); err != nil || !bytes.Equal(write(got), data) {
			t.Errorf("%s: read as %s, error %v, want %s", name, write(got), err, data)
		}
		for i := range data {
			if read(data[:i], fresh()) == nil {
				t.Errorf("%s: %s is taken", name, data[:i])
			}
		}
		if read(append(data, data...), fresh()) == nil {
			t.Errorf("%s: two messages are taken for one", name)
		}
		if read([]byte(strings.Replace(string(data), "{", `{"run":"rm",`, 1)), fresh()) == nil {
			t.Errorf("%s: an unknown field is taken", name)
		}
	}
}

// TestReadRefuses what a message may not hold.
func TestReadRefuses(t *testing.T) {
	key := taskOf("hash", testInput{Text: "1"}).Key
	large := string(bytes.Repeat([]byte{'A'}, 4*(sweep.MaxInput/3+2)))
	answer := func(fields string) string {
		return `{"key":"` + key + `","worker":"w","tries":1,"seconds":1,"memory":1` + fields + `}`
	}
	for _, c := range []struct {
		what, text string
		m          message
	}{
		{"what nobody has", `{"worker":"","keys":[]}`, new(holding)},
		{"a long name", `{"worker":"` + strings.Repeat("w", maxText+1) + `","keys":[]}`, new(holding)},
		{"a key in capitals", `{"worker":"w","keys":["` + strings.ToUpper(key) + `"]}`, new(holding)},
		{"a key that is a subject", `{"worker":"w","keys":["` + strings.Repeat("*", 64) + `"]}`, new(holding)},
		{"too many keys", `{"worker":"w","keys":["` + strings.Repeat(key+`","`, maxHeld) + key + `"]}`, new(holding)},
		{"a large output", answer(`,"output":"` + large + `"`), new(kept)},
		{"output and fault", answer(`,"output":"AAAA","fault":"x"`), new(kept)},
		{"negative time", answer(`,"seconds":-1`), new(kept)},
		{"no try", answer(`,"tries":0`), new(kept)},
		{"a large input", `{"task":{"key":"` + key + `","name":"a","kind":"b","tries":1,"input":"` + large + `"}}`, new(grant)},
		{"no kind", `{"task":{"key":"` + key + `","name":"a","kind":"","tries":1,"input":""}}`, new(grant)},
		{"a sweep that is a subject", `{"id":"*","lease":1}`, new(offer)},
		{"no try of a task", `{"task":{"key":"` + key + `","name":"a","kind":"b","tries":0,"input":""}}`, new(grant)},
		{"no lease", `{"id":"0123456789abcdef","lease":0}`, new(offer)},
		{"a list", `[]`, new(holding)},
		{"another type", `{"worker":7,"keys":[]}`, new(holding)},
		{"a number too large", answer(`,"tries":1e99`), new(kept)},
		{"what is too large at all", `"` + strings.Repeat("x", maxMessage) + `"`, new(holding)},
	} {
		if err := read([]byte(c.text), c.m); err == nil {
			t.Errorf("%s is taken", c.what)
		} else if len(err.Error()) > 1000 {
			t.Errorf("%s: an error of %d bytes", c.what, len(err.Error()))
		}
	}
	if err := read([]byte(answer("")), new(kept)); err != nil {
		t.Errorf("an answer is refused: %v", err)
	}
}

// FuzzRead: readers do not panic, and what they take is read the same again.
func FuzzRead(f *testing.F) {
	for _, m := range messages() {
		f.Add(write(m))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, m := range messages() {
			got, again := reflect.New(reflect.TypeOf(m).Elem()).Interface().(message), reflect.New(reflect.TypeOf(m).Elem()).Interface().(message)
			if read(data, got) != nil {
				continue
			}
			if err := read(write(got), again); err != nil || !bytes.Equal(write(again), write(got)) {
				t.Errorf("%s is read as %s, and that as %s: %v", data, write(got), write(again), err)
			}
		}
	})
}

// TestShorten: a text is cut between letters.
func TestShorten(t *testing.T) {
	for n := range 8 {
		long := strings.Repeat("x", n) + strings.Repeat("ö", maxText)
		if got := shorten(long); len(got) > maxText || !strings.HasPrefix(long, strings.TrimSuffix(got, "…")) || checkText("text", got, false) != nil {
			t.Errorf("%d bytes: %q", len(got), got[:20])
		}
	}
	if got := shorten("short"); got != "short" {
		t.Errorf("%q", got)
	}
}
