// Package startpage is the page on which the lab opens: three ways in.
package startpage

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
)

//go:embed start.txt
var page []byte

// Name is the page's name in the work folder.
const Name = "START.md"

// Files returns the page and its pictures, by the names that they have in the work folder of a clone.
func Files(clone string) (map[string][]byte, error) {
	files := map[string][]byte{Name: page}
	for _, name := range []string{"room.png", "first-cell.png"} {
		data, err := os.ReadFile(filepath.Join(clone, ".github", name))
		if err != nil {
			return nil, fmt.Errorf("reading a picture of the start page: %w", err)
		}
		files["pictures/"+name] = data
	}
	return files, nil
}
