package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"bayescpace/notebooks/internal/host"
)

// stamps maps each finished step of set-up to the key that it was done for.
// A step that is under way or failed has none, so that it is done again.
type stamps map[string]string

// readStamps returns no stamps where there are none, or where they cannot be
// read: set-up then starts over.
func readStamps(path string) stamps {
	s := make(stamps)
	data, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(data, &s) != nil {
		return make(stamps)
	}
	return s
}

// changeStamps changes the stamps of set-up, of which another process may change
// others at the same moment.
func (p Place) changeStamps(ctx context.Context, change func(stamps)) error {
	unlock, err := host.LockFolder(ctx, p.Private, "setup.json.lock", true, nil)
	if err != nil {
		return err
	}
	defer unlock()
	done := readStamps(p.stamps())
	change(done)
	return done.write(p.stamps())
}

func (s stamps) write(path string) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("writing the set-up's stamps: %w", err)
	}
	return writeFile(path, append(data, '\n'))
}

// key makes one short key of all that a step depends on.
func key(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// fileKey is the key of files' contents.
func fileKey(paths ...string) (string, error) {
	h := sha256.New()
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return "", fmt.Errorf("reading what set-up depends on: %w", err)
		}
		n, err := io.Copy(h, f)
		f.Close()
		if err != nil {
			return "", fmt.Errorf("reading %s: %w", path, err)
		}
		fmt.Fprintf(h, ":%d;", n)
	}
	return hex.EncodeToString(h.Sum(nil))[:16], nil
}
