package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"
)

// keyVersion is part of every key: raise it when the input of a trial means something else.
const keyVersion = "bayescpace sweep 1"

// task returns the task that computes a trial: its key is the hash of what determines the
// result, the version of the code too.
func (j job) task(v Version) Task {
	what := j
	if j.File != "" { // the name of the file does not count
		what.Trial.Model = strings.ToLower(filepath.Ext(j.Trial.Model))
	}
	return Task{Key: keyOf(v, canonical(what)), Kind: trialKind, Input: canonical(j)}
}

// keyOf returns the key of what is computed, such as the input of a task, by the code of a version.
func keyOf[T string | []byte](v Version, what ...T) string {
	h := sha256.New()
	for _, part := range append([]T{T(keyVersion), T(canonical(v))}, what...) {
		sum := sha256.Sum256([]byte(part))
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}
