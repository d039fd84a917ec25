package sweep

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"bayescpace/bcpace/internal/disk"
	"bayescpace/bcpace/store"
)

const (
	// PulseEvery is how often a process writes its Pulse at least.
	PulseEvery = 5 * time.Second
	// changeEvery is how often it does at most, where what its workers have has changed.
	changeEvery = time.Second
)

// Pulse is what a process says of itself in the folder of results, for who watches the sweep: that it
// lives, and which trials its workers have.
//
// It is a file of one process, which writes it again while it computes. Who reads it takes a process
// for alive while its file changes, and compares no clock of one machine with that of another.
type Pulse struct {
	// Beat is the number of this pulse, from 1 up.
	Beat int `json:"beat"`
	// Process has the name of the machine and the number of the process.
	Process string `json:"process"`
	// Workers are those that the process gives trials to. The one of a process that computes
	// itself has the process's name.
	Workers []WorkerLoad `json:"workers"`
}

// WorkerLoad is a worker with what it has.
type WorkerLoad struct {
	Name string `json:"name"`
	// Has is the number of trials that it has, and Keys are those of at most maxPulseKeys of them.
	Has  int      `json:"has"`
	Keys []string `json:"keys"`
	// Done is the number of trials that it has answered to this process.
	Done int `json:"done"`
}

// maxPulseKeys is the most keys of a WorkerLoad.
const maxPulseKeys = 64

const (
	pulsePrefix = "pulse-"
	pulseExt    = ".json"
	// maxPulse bounds the file of a pulse that is read, in bytes.
	maxPulse = 64 << 20
)

// PulseWriter writes the pulse of this process into a folder.
type PulseWriter struct {
	folder, name string
	now          func() time.Time
	at           time.Time // of the last pulse
	last         Pulse
	done         map[string]int // by worker
}

// NewPulseWriter returns a PulseWriter for a folder.
func NewPulseWriter(folder string) *PulseWriter {
	return &PulseWriter{folder: folder, now: time.Now, done: make(map[string]int)}
}

// ProcessName is how this process is called in its pulse.
func ProcessName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "process"
	}
	return fmt.Sprintf("%s %d", host, os.Getpid())
}

// Answered counts an answer of a worker.
func (w *PulseWriter) Answered(worker string) { w.done[worker]++ }

// Beat writes which keys of trials each worker has, unless it did so just before. A folder that cannot be written to
// has no pulse: the results that cannot be kept there say so.
func (w *PulseWriter) Beat(load map[string][]string) {
	p := Pulse{Beat: w.last.Beat + 1, Process: ProcessName()}
	for _, name := range slices.Sorted(maps.Keys(load)) {
		keys := slices.Sorted(slices.Values(load[name]))
		p.Workers = append(p.Workers, WorkerLoad{name, len(keys), keys[:min(len(keys), maxPulseKeys)], w.done[name]})
	}
	now, wait := w.now(), PulseEvery
	if !reflect.DeepEqual(p.Workers, w.last.Workers) {
		wait = changeEvery
	}
	if w.last.Beat > 0 && now.Sub(w.at) < wait {
		return
	}
	if w.name == "" {
		f, err := createIn(w.folder, pulsePrefix+"*"+pulseExt)
		if err != nil {
			return
		}
		_ = f.Close()
		w.name = f.Name()
	}
	w.at, w.last = now, p
	if text, err := json.Marshal(p); err == nil {
		_ = store.WriteFile(w.name, bytes.NewReader(text))
	}
}

// Close takes the pulse away.
func (w *PulseWriter) Close() {
	if w.name != "" {
		_ = os.Remove(w.name)
	}
}

// ReadPulses returns the pulses of a folder by the names of their files. A file that is no whole pulse, as of
// a process that was killed while it wrote the first one, is as if it were not there.
func ReadPulses(folder string) map[string]Pulse {
	files, _ := os.ReadDir(folder)
	all := make(map[string]Pulse)
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), pulsePrefix) || !strings.HasSuffix(f.Name(), pulseExt) {
			continue
		}
		var p Pulse
		text, err := disk.Read(filepath.Join(folder, f.Name()), maxPulse)
		if err == nil && json.Unmarshal(text, &p) == nil && p.Beat > 0 {
			all[f.Name()] = p
		}
	}
	return all
}
