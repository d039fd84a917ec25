package bcpace_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestSources: every package below the core that it imports is among its sources.
func TestSources(t *testing.T) {
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
			t.Errorf("package %s is not part of Sources: add %s/*.go to go:embed", path, dir)
		}
	}
}
