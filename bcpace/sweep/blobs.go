package sweep

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"bayescpace/bcpace/internal/disk"
	"bayescpace/bcpace/store"
)

// blobFolder is the part of a folder of results that has blobs, each a file under the hash of its content, and parts.
const blobFolder = "blobs"

// put keeps data and returns its name: the 64 hexadecimal digits of its SHA-256.
func (l *local) put(data []byte) (name string, err error) {
	name = blobName(data)
	return name, l.keep(name, data)
}

// keep keeps data under a name.
func (l *local) keep(name string, data []byte) error {
	if err := writeIn(l.folder, name, data); err != nil {
		return inFolder{fmt.Errorf("sweep: %w", err)}
	}
	return nil
}

// writeIn writes a file in a folder, which it makes where there is none.
func writeIn(folder, name string, data []byte) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return store.WriteFile(filepath.Join(folder, name), bytes.NewReader(data))
}

// partPrefix begins the names of parts, which lie beside the blobs.
const partPrefix = "part-"

// keepPart keeps data as how far the task of a key has come, in place of what was kept.
func (l *local) keepPart(key string, data []byte) error { return l.keep(partPrefix+key, data) }

// part returns what keepPart has kept; the error is fs.ErrNotExist where there is nothing.
func (l *local) part(key string) ([]byte, error) { return l.read(partPrefix + key) }

// dropPart removes the part of a task whose result is kept.
func (l *local) dropPart(key string) {
	_ = os.Remove(filepath.Join(l.folder, partPrefix+key)) // one that stays does no harm
}

// dropParts removes the parts of those tasks that done names, as of a process that was killed between
// a result and the end of its part.
func (l *local) dropParts(done func(key string) bool) {
	files, _ := os.ReadDir(l.folder)
	for _, f := range files {
		if key, ok := strings.CutPrefix(f.Name(), partPrefix); ok && done(key) {
			l.dropPart(key)
		}
	}
}

// get returns the data of that name. The error is fs.ErrNotExist where there is none, and says so
// where the data does not have that hash.
func (l *local) get(name string) (data []byte, err error) {
	if data, err = l.read(name); err != nil {
		return nil, fmt.Errorf("sweep: data %.12s: %w", name, err)
	}
	if blobName(data) != name {
		return nil, fmt.Errorf("sweep: data %.12s is damaged: its hash is %.12s", name, blobName(data))
	}
	return data, nil
}

// read returns what keep has kept.
func (l *local) read(name string) ([]byte, error) {
	if !isName(strings.TrimPrefix(name, partPrefix)) {
		return nil, fmt.Errorf("%q is no name, want 64 hexadecimal digits: %w", name, fs.ErrNotExist)
	}
	return readFile(filepath.Join(l.folder, name))
}

// readFile reads a regular file.
func readFile(name string) ([]byte, error) { return disk.Read(name, math.MaxInt64) }

func blobName(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// isName reports whether text is 64 hexadecimal digits, which a path may end in.
func isName(text string) bool {
	b, err := hex.DecodeString(text)
	return err == nil && len(b) == sha256.Size
}
