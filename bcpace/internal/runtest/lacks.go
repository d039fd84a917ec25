package runtest

import "os"

// Lacks ends a test that needs what this machine lacks: it is skipped, but in CI, which must
// have everything, it fails.
func Lacks(t interface {
	TB
	Skip(...any)
}, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}
