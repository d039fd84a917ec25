package runner

import (
	"path/filepath"
	"strings"
	"testing"
)

// maxCellLines is the most lines of a code cell: it fits on a screen together with what
// it shows. What needs more belongs into a package.
const maxCellLines = 20

// TestCellsAreShort looks at every committed notebook. In an assignment the cells in which
// students write, and the tests, may be longer.
func TestCellsAreShort(t *testing.T) {
	var paths []string
	for _, pattern := range []string{"*.ipynb", "assignments/*/*/*.ipynb"} {
		found, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		if len(found) == 0 {
			t.Errorf("there is no notebook %s", pattern)
		}
		paths = append(paths, found...)
	}
	for _, path := range paths {
		nb, err := ReadNotebook(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range nb.CodeCells() {
			metadata, _ := c["metadata"].(map[string]any)
			if grader, _ := metadata["nbgrader"].(map[string]any); grader["solution"] == true || grader["grade"] == true {
				continue
			}
			if n := len(strings.Split(c.Source(), "\n")); n > maxCellLines {
				t.Errorf("%s: code cell %d has %d lines, want at most %d:\n%s", Title(path), i+1, n, maxCellLines, c.Source())
			}
		}
	}
}
