package runner

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
)

// startPage is the page on which lab opens the work folder: three ways in.
//
//go:embed start.md
var startPage []byte

// startName is its name in the work folder.
const startName = "START.md"

// startFiles returns the page and its pictures, by the names that they have in the work folder.
func (p Place) startFiles() (map[string][]byte, error) {
	files := map[string][]byte{startName: startPage}
	for _, name := range []string{"room.png", "first-cell.png"} {
		data, err := os.ReadFile(filepath.Join(p.Root, ".github", name))
		if err != nil {
			return nil, fmt.Errorf("reading a picture of the start page: %w", err)
		}
		files["pictures/"+name] = data
	}
	return files, nil
}
