package process_test

import (
	"os"
	"testing"
)

// read returns the text of a file.
func read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
