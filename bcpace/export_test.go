package bcpace

import (
	"crypto/sha256"
	"encoding/binary"
)

// Reseal gives bytes the frame of a run file where they are long enough, so
// that a fuzzer gets past magic, version and checksum.
func Reseal(data []byte) []byte {
	if len(data) < runFixed+sha256.Size {
		return data
	}
	out := append([]byte(runMagic), data[len(runMagic):len(data)-sha256.Size]...)
	binary.LittleEndian.PutUint32(out[len(runMagic):], runVersion)
	sum := sha256.Sum256(out)
	return append(out, sum[:]...)
}
