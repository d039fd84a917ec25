package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// A stamp is a file for a finished step of set-up, with the key that the step was done for.
// A step that is under way or failed has none, so that it is done again.

func (p Place) stamp(step string) string { return filepath.Join(p.Private, "stamps", step) }

// stamped reports whether a step was done for a key.
func (p Place) stamped(step, key string) bool {
	done, err := os.ReadFile(p.stamp(step))
	return err == nil && string(done) == key
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
	var parts []string
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("reading what set-up depends on: %w", err)
		}
		parts = append(parts, string(data))
	}
	return key(parts...), nil
}
