package sweep

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"bayescpace/bcpace/internal/disk"
	"bayescpace/bcpace/store"
)

// ledger keeps answers in a folder, by key: a line for each, in files of one process each, so
// that processes do not meet. A line has a checksum, so that one which was cut short, as by a
// full disk, is as if it were not there.
type ledger struct {
	folder  string
	version Version
	file    *os.File         // nil before the first answer
	seen    map[string]int64 // bytes of each file that find has passed on, and leaves out the next time
}

// ErrFolder is wrapped by the errors of reading and writing the folder of results, which may be gone
// the next time.
var ErrFolder = errors.New("the folder of results")

// inFolder has an error wrap ErrFolder too, and says what it says.
type inFolder struct{ error }

func (e inFolder) Is(target error) bool { return target == ErrFolder }
func (e inFolder) Unwrap() error        { return e.error }

func unkept(err error) error { return inFolder{fmt.Errorf("sweep: results cannot be kept: %w", err)} }

// entry is a line of a ledger.
type entry struct {
	Key     string          `json:"key"`
	Outcome json.RawMessage `json:"outcome,omitempty"`
	Fault   string          `json:"fault,omitempty"`
	Worker  string          `json:"worker,omitempty"`
	Tries   int             `json:"tries,omitempty"`
	Seconds float64         `json:"seconds,omitempty"`
	Memory  int64           `json:"memory,omitempty"`
}

// prefix is how the names of the files of a version begin: other versions' results are not read.
func (l *ledger) prefix() string {
	return fmt.Sprintf("results-%.16s-%s-%s-", l.version.Code, l.version.Go, l.version.Arch)
}

// find calls found with every whole entry of the folder; later ones of a key may come first.
func (l *ledger) find(found func(entry)) error {
	files, err := os.ReadDir(l.folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return inFolder{fmt.Errorf("sweep: the folder of results: %w", err)}
	}
	for _, f := range files {
		if strings.HasPrefix(f.Name(), l.prefix()) && f.Type().IsRegular() {
			n, err := readEntries(filepath.Join(l.folder, f.Name()), l.seen[f.Name()], found)
			if err != nil {
				return err
			}
			l.seen[f.Name()] = n
		}
	}
	return nil
}

// readEntries calls found with the whole entries from a byte on, and returns the byte after the last
// line that has an end.
func readEntries(name string, from int64, found func(entry)) (whole int64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return from, inFolder{fmt.Errorf("sweep: %w", err)}
	}
	defer f.Close()
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return from, inFolder{fmt.Errorf("sweep: reading %s: %w", name, err)}
	}
	for r := bufio.NewReaderSize(f, 1<<16); ; {
		line, err := r.ReadBytes('\n')
		if e, ok := parseEntry(line); ok {
			found(e)
		}
		switch {
		case errors.Is(err, io.EOF):
			return from, nil
		case err != nil:
			return from, inFolder{fmt.Errorf("sweep: reading %s: %w", name, err)}
		}
		from += int64(len(line))
	}
}

// parseEntry reads a line: a checksum in 8 hexadecimal digits, a blank, JSON.
func parseEntry(line []byte) (e entry, ok bool) {
	sum, text, ok := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" "))
	if !ok || !bytes.HasSuffix(line, []byte("\n")) {
		return e, false
	}
	want, err := strconv.ParseUint(string(sum), 16, 32)
	if err != nil || uint32(want) != crc32.ChecksumIEEE(text) {
		return e, false
	}
	if err := json.Unmarshal(text, &e); err != nil || e.Key == "" || (e.Outcome == nil) == (e.Fault == "") {
		return e, false
	}
	return e, true
}

// put adds an answer to the file of this process.
func (l *ledger) put(e entry) (err error) {
	if l.file == nil {
		if l.file, err = createIn(l.folder, l.prefix()+"*.jsonl"); err != nil {
			return unkept(err)
		}
	}
	text := canonical(e)
	line := append(fmt.Appendf(nil, "%08x ", crc32.ChecksumIEEE(text)), append(text, '\n')...)
	if n, err := l.file.Write(line); err != nil {
		if n > 0 {
			_, _ = l.file.Write([]byte("\n")) // so that the next line is whole again
		}
		return unkept(err)
	}
	return nil
}

// createIn makes a file of this process alone in a folder, which it makes where there is none.
func createIn(folder, pattern string) (*os.File, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	return os.CreateTemp(folder, pattern)
}

// close makes the answers last.
func (l *ledger) close() error {
	if l.file == nil {
		return nil
	}
	if err := errors.Join(l.file.Sync(), disk.Stays(l.file), l.file.Close()); err != nil {
		return unkept(err)
	}
	return nil
}

const (
	// PulseEvery is how often a process writes its Pulse at least.
	PulseEvery = 5 * time.Second
	// changeEvery is how often it does at most, where what it has has changed.
	changeEvery = time.Second
)

// Pulse is what a process says of itself in the folder of results, for who watches the sweep: that it
// lives, and which trials it has.
//
// It is a file of one process, which writes it again while it computes. Who reads it takes a process
// for alive while its file changes, and compares no clock of one machine with that of another.
type Pulse struct {
	// Beat is the number of this pulse, from 1 up.
	Beat int `json:"beat"`
	WorkerLoad
}

// WorkerLoad is a process with the trials that it has.
type WorkerLoad struct {
	// Name has the name of the machine and the number of the process.
	Name string `json:"name"`
	// Has is the number of trials that it has, and Keys are those of at most maxPulseKeys of them.
	Has  int      `json:"has"`
	Keys []string `json:"keys"`
	// Done is the number of trials that it has computed.
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

// pulseWriter writes the pulse of this process into a folder.
type pulseWriter struct {
	folder, name string
	now          func() time.Time
	at           time.Time // of the last pulse
	last         Pulse
	done         int
}

func newPulseWriter(folder string) *pulseWriter { return &pulseWriter{folder: folder, now: time.Now} }

// processName is how this process is called in its pulse.
func processName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "process"
	}
	return fmt.Sprintf("%s %d", host, os.Getpid())
}

// answered counts a trial that is computed.
func (w *pulseWriter) answered() { w.done++ }

// beat writes which keys of trials the process has, unless it did so just before. A folder that cannot be written to
// has no pulse: the results that cannot be kept there say so.
func (w *pulseWriter) beat(running []string) {
	slices.Sort(running)
	p := Pulse{w.last.Beat + 1, WorkerLoad{processName(), len(running), running[:min(len(running), maxPulseKeys)], w.done}}
	now, wait := w.now(), PulseEvery
	if !reflect.DeepEqual(p.WorkerLoad, w.last.WorkerLoad) {
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

// close takes the pulse away.
func (w *pulseWriter) close() {
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
