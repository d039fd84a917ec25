package fingerprint_test

import (
	"regexp"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/fingerprint"
	"bayescpace/bcpace/numtext"
)

// TestOf: the same files have the same hash of 64 digits, and others another one.
func TestOf(t *testing.T) {
	h := fingerprint.OfFiles(bcpace.Sources)
	if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(h) || h != fingerprint.OfFiles(bcpace.Sources) || h == fingerprint.OfFiles(numtext.Sources) {
		t.Errorf("the hash is %q, want 64 hexadecimal digits that are those of the core alone", h)
	}
}
