package bcpace_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"bayescpace/bcpace"
)

func TestCodeHash(t *testing.T) {
	if h := bcpace.CodeHash(); !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(h) || h != bcpace.CodeHash() {
		t.Errorf("CodeHash is %q, want 64 hexadecimal digits", h)
	}
	// Every package below the core that it imports must be embedded.
	text, err := os.ReadFile("codehash.go")
	if err != nil {
		t.Fatal(err)
	}
	deps, err := exec.Command("go", "list", "-deps", "bayescpace/bcpace").Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.FieldsSeq(string(deps)) {
		if dir, ok := strings.CutPrefix(path, "bayescpace/bcpace/"); ok && !strings.Contains(string(text), dir+"/*.go") {
			t.Errorf("package %s is not part of CodeHash: add %s/*.go to go:embed", path, dir)
		}
	}
}
