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
	"strconv"
	"strings"

	"bayescpace/bcpace/internal/disk"
)

// ledger keeps answers in a folder, by key: a line for each, in files of one process each, so
// that processes do not meet. A line has a checksum, so that one which was cut short, as by a
// full disk, is as if it were not there.
type ledger struct {
	folder  string
	version Version
	file    *os.File         // nil before the first answer
	seen    map[string]int64 // bytes of each file that find has passed on, and leaves out the next time; nil to read all
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
			if l.seen != nil {
				l.seen[f.Name()] = n
			}
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
