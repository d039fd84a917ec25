package sweep

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

// TestPulse: a process says what its workers have, not more often than it should, and nothing after its
// end; what is no pulse is left out.
//
//test:race
func TestPulse(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "not there yet")
	if all := ReadPulses(folder); len(all) > 0 {
		t.Errorf("without a folder: %+v", all)
	}
	NewPulseWriter(folder).Close()
	w, now := NewPulseWriter(folder), time.Unix(0, 0)
	w.now = func() time.Time { return now }
	var many []string
	for i := range 2 * maxPulseKeys {
		many = append(many, fmt.Sprintf("%064d", i))
	}
	w.Answered("a")
	w.Beat(map[string][]string{"b": many, "a": {"y", "x"}})
	now = now.Add(changeEvery - 1)
	w.Beat(nil) // too soon
	for name, text := range map[string]string{"pulse-1.json": "", "pulse-2.json": "{", "pulse-3.json": "{}", "pulse-4.json": `{"beat": "x"}`, "pulse-5": `{"beat": 1}`, "results": ""} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "pulse-6.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	want := map[string]Pulse{filepath.Base(w.name): {Beat: 1, Process: ProcessName(), Workers: []WorkerLoad{{"a", 2, []string{"x", "y"}, 1}, {"b", 2 * maxPulseKeys, many[:maxPulseKeys], 0}}}}
	if all := ReadPulses(folder); !reflect.DeepEqual(all, want) {
		t.Errorf("%+v, want %+v", all, want)
	}
	beat := func(after time.Duration, load map[string][]string, want int) {
		t.Helper()
		now = now.Add(after)
		w.Beat(load)
		if got := ReadPulses(folder)[filepath.Base(w.name)].Beat; got != want {
			t.Errorf("%v later: pulse %d, want %d", after, got, want)
		}
	}
	idle := map[string][]string{"a": {}}
	beat(1, idle, 2)                      // a second after the first
	beat(changeEvery, idle, 2)            // nothing has changed
	beat(PulseEvery-changeEvery, idle, 3) // but it lives
	beat(changeEvery-1, map[string][]string{"a": {"x"}}, 3)
	beat(1, map[string][]string{"a": {"x"}}, 4)
	w.Close()
	if all := ReadPulses(folder); len(all) > 0 {
		t.Errorf("after the end: %+v", all)
	}
	blocked := NewPulseWriter(filepath.Join(folder, "results"))
	blocked.Beat(nil) // a folder that there cannot be
	blocked.Close()
}
