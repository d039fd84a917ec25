package sweep

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"
)

// TestPulse: a process says what it has, not more often than it should, and nothing after its
// end; what is no pulse is left out.
//
//test:race
func TestPulse(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "not there yet")
	if all := ReadPulses(folder); len(all) > 0 {
		t.Errorf("without a folder: %+v", all)
	}
	newPulseWriter(folder).close()
	w, now := newPulseWriter(folder), time.Unix(0, 0)
	w.now = func() time.Time { return now }
	var many []string
	for i := range 2 * maxPulseKeys {
		many = append(many, fmt.Sprintf("%064d", i))
	}
	w.answered()
	w.beat(append(slices.Clone(many[7:]), many[:7]...))
	now = now.Add(changeEvery - 1)
	w.beat(nil) // too soon
	for name, text := range map[string]string{"pulse-1.json": "", "pulse-2.json": "{", "pulse-3.json": "{}", "pulse-4.json": `{"beat": "x"}`, "pulse-5": `{"beat": 1}`, "results": ""} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "pulse-6.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	want := map[string]Pulse{filepath.Base(w.name): {1, WorkerLoad{processName(), 2 * maxPulseKeys, many[:maxPulseKeys], 1}}}
	if all := ReadPulses(folder); !reflect.DeepEqual(all, want) {
		t.Errorf("%+v, want %+v", all, want)
	}
	beat := func(after time.Duration, running []string, want int) {
		t.Helper()
		now = now.Add(after)
		w.beat(running)
		if got := ReadPulses(folder)[filepath.Base(w.name)].Beat; got != want {
			t.Errorf("%v later: pulse %d, want %d", after, got, want)
		}
	}
	var idle []string
	beat(1, idle, 2)                      // a second after the first
	beat(changeEvery, idle, 2)            // nothing has changed
	beat(PulseEvery-changeEvery, idle, 3) // but it lives
	beat(changeEvery-1, []string{"x"}, 3)
	beat(1, []string{"x"}, 4)
	w.close()
	if all := ReadPulses(folder); len(all) > 0 {
		t.Errorf("after the end: %+v", all)
	}
	blocked := newPulseWriter(filepath.Join(folder, "results"))
	blocked.beat(nil) // a folder that there cannot be
	blocked.close()
}
