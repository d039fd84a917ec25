package bcpace_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bayescpace/bcpace"
)

func TestCodeHash(t *testing.T) {
	if h := bcpace.CodeHash(); !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(h) || h != bcpace.CodeHash() {
		t.Errorf("CodeHash is %q, want 64 hexadecimal digits", h)
	}
	// Every folder below internal whose code the core runs must be embedded.
	text, err := os.ReadFile("codehash.go")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("internal/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if dir := filepath.ToSlash(filepath.Dir(f)); !strings.Contains(string(text), dir+"/*.go") {
			t.Errorf("%s is not part of CodeHash: add %s/*.go to go:embed", f, dir)
		}
	}
}
