package codehash_test

import (
	"regexp"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/codehash"
	"bayescpace/bcpace/numtext"
)

// TestOf: the same files have the same hash of 64 digits, and others another one.
func TestOf(t *testing.T) {
	h := codehash.Of(bcpace.Sources)
	if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(h) || h != codehash.Of(bcpace.Sources) || h == codehash.Of(numtext.Sources) {
		t.Errorf("the hash is %q, want 64 hexadecimal digits that are those of the core alone", h)
	}
}
