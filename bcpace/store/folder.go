package store

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"bayescpace/bcpace/internal/disk"
)

// module is the last element of the module path of this project: a home may
// stand before it.
const module = "bayescpace"

// Folder returns the folder of the store: $BAYESCPACE_STORE if that is set;
// else .bayescpace/store in the nearest folder above the working folder, or
// above the notebook, that holds this project's go.mod or a go.work that uses
// it; else a folder of this project in the user's cache.
func Folder() (string, error) {
	if dir := os.Getenv("BAYESCPACE_STORE"); dir != "" {
		return filepath.Abs(dir)
	}
	var from []string
	if wd, err := os.Getwd(); err == nil {
		from = append(from, wd)
	}
	if dir := os.Getenv("GONB_DIR"); dir != "" {
		from = append(from, dir)
	}
	for _, dir := range from {
		if root, ok := projectAbove(dir); ok {
			return filepath.Join(root, ".bayescpace", "store"), nil
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("store: no folder to keep results in: %w; set BAYESCPACE_STORE to one", err)
	}
	return filepath.Join(cache, module, "store"), nil
}

// projectAbove walks up from dir to the folder that holds the project, or a
// workspace with it.
func projectAbove(dir string) (string, bool) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", false
	}
	for {
		if isProject(filepath.Join(dir, "go.mod")) || usesProject(filepath.Join(dir, "go.work")) {
			return dir, true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", false
		}
		dir = up
	}
}

// isProject reports whether a go.mod is that of this project.
func isProject(file string) bool {
	for _, line := range goLines(file) {
		if rest, ok := strings.CutPrefix(line, "module "); ok {
			return path.Base(unquote(rest)) == module
		}
	}
	return false
}

// usesProject reports whether a go.work uses this project.
func usesProject(file string) bool {
	in := false
	for _, line := range goLines(file) {
		switch {
		case line == "use (":
			in = true
			continue
		case line == ")":
			in = false
			continue
		case strings.HasPrefix(line, "use "):
			line = line[len("use "):]
		case !in:
			continue
		}
		dir := unquote(line)
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(filepath.Dir(file), dir)
		}
		if isProject(filepath.Join(dir, "go.mod")) {
			return true
		}
	}
	return false
}

// goLines reads the lines of a go.mod or go.work without comments and blanks.
func goLines(name string) []string {
	f, err := disk.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	var lines []string
	for scan := bufio.NewScanner(io.LimitReader(f, 1<<20)); scan.Scan(); {
		line, _, _ := strings.Cut(scan.Text(), "//")
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

func unquote(s string) string { return strings.Trim(strings.TrimSpace(s), "\"`") }
