package handout

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
)

//go:embed start.txt
var page []byte

// StartPage is the page's name in the work folder.
const StartPage = "START.md"

// StartFiles returns the page and its pictures, by the names that they have in the work folder of a clone.
func StartFiles(clone string) (map[string][]byte, error) {
	files := map[string][]byte{StartPage: page}
	for _, name := range []string{"room.png", "first-cell.png"} {
		data, err := os.ReadFile(filepath.Join(clone, ".github", name))
		if err != nil {
			return nil, fmt.Errorf("reading a picture of the start page: %w", err)
		}
		files["pictures/"+name] = data
	}
	return files, nil
}
