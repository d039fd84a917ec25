package collection

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// modelFile is a model file, and others of the folder that have the same bytes.
type modelFile struct {
	name, path string // name is the path within the folder
	same       []string
}

// filesOf lists the model files of a folder and those within it, by name.
func filesOf(folder, only string) (list []*modelFile, err error) {
	first := make(map[[sha256.Size]byte]*modelFile)
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !isModel(path) {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil || !strings.Contains(name, only) {
			return err
		}
		sum, err := sumOf(path)
		if err != nil {
			return err
		}
		if f := first[sum]; f != nil {
			f.same = append(f.same, name)
			return nil
		}
		first[sum] = &modelFile{name: name, path: path}
		list = append(list, first[sum])
		return nil
	})
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s has no model files, want .pomdp, .mdp or .pomdpx", folder)
	}
	return list, err
}

// isModel reports whether a file is a model file by its name.
func isModel(path string) bool {
	name := strings.TrimSuffix(strings.ToLower(path), ".gz")
	return slices.Contains([]string{".pomdp", ".mdp", ".pomdpx"}, filepath.Ext(name))
}

func sumOf(path string) (sum [sha256.Size]byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return sum, err
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}
