package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Place names the folders that the program works in. All paths are absolute.
type Place struct {
	Root      string // the module's root
	Notebooks string // the notebooks, and the kernel's working directory
	Private   string // everything that set-up installs
}

// ours matches the go.mod of this project, with or without a home before its
// name.
var ours = regexp.MustCompile(`^module (\S+/)?bayescpace\r?\n`)

// FindPlace finds the module's root in dir or a parent of it.
func FindPlace(dir string) (Place, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Place{}, fmt.Errorf("finding the clone: %w", err)
	}
	// One clone has one name, so that a link to it is not taken for a moved clone.
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for at := dir; ; at = filepath.Dir(at) {
		mod, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err == nil && ours.Match(mod) {
			return Place{Root: at, Notebooks: filepath.Join(at, "notebooks"), Private: filepath.Join(at, ".bayescpace")}, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Place{}, fmt.Errorf("finding the clone: %w", err)
		}
		if at == filepath.Dir(at) {
			return Place{}, fmt.Errorf("%s is not inside a clone of bayescpace; change to the clone and run: go run ./notebooks", dir)
		}
	}
}

func (p Place) bin() string        { return filepath.Join(p.Private, "bin") }
func (p Place) labBin() string     { return filepath.Join(p.Private, "lab", "bin") }
func (p Place) venv() string       { return filepath.Join(p.Private, "venv") }
func (p Place) python() string     { return filepath.Join(p.Private, "venv", "bin", "python") }
func (p Place) lib() string        { return filepath.Join(p.Private, "lib") }
func (p Place) logs() string       { return filepath.Join(p.Private, "logs") }
func (p Place) out() string        { return filepath.Join(p.Private, "out") }
func (p Place) kernelspec() string { return filepath.Join(p.Private, "jupyter", "kernels", kernelName) }

// short gives a path as a person in the clone would write it.
func (p Place) short(path string) string {
	if rel, err := filepath.Rel(p.Root, path); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}

// makePrivate makes the private folder and that for logs, and tells when nothing can be written
// there. Once they are there it leaves the private folder as it was, its time included: the go
// command gives the last result of a test again only if no folder that the test looks at has
// changed.
func (p Place) makePrivate() error {
	err := os.MkdirAll(p.Private, 0o755)
	if err == nil {
		// Unlike os.MkdirAll it does not look at the folder, which changes with each log.
		if err = os.Mkdir(p.logs(), 0o755); errors.Is(err, fs.ErrExist) {
			err = nil
		}
	}
	if err == nil {
		err = tryFile(p.logs())
	}
	if err != nil {
		return fmt.Errorf("everything is installed in %s, and nothing can be written there: %w; clone to a folder of your own", p.Private, err)
	}
	return nil
}

var notebookName = regexp.MustCompile(`^[0-9][0-9][a-z]?_.+\.ipynb$`)

// List returns the paths of the notebooks, NN_topic.ipynb or, between two of them, NNa_topic.ipynb, in order.
func (p Place) List() ([]string, error) {
	entries, err := os.ReadDir(p.Notebooks)
	if err != nil {
		return nil, fmt.Errorf("listing the notebooks: %w", err)
	}
	var paths []string
	for _, e := range entries {
		if notebookName.MatchString(e.Name()) && !e.IsDir() {
			paths = append(paths, filepath.Join(p.Notebooks, e.Name()))
		}
	}
	return paths, nil
}

// choose returns those of the notebooks that the names mean, in the
// notebooks' order, or all of them without names. A name is a notebook's
// file name with or without folder and ending, its number, or its topic.
func choose(paths, names []string) ([]string, error) {
	if len(names) == 0 {
		return paths, nil
	}
	wanted := make(map[string]bool)
	var unknown, known []string
	for _, path := range paths {
		known = append(known, Title(path))
	}
	for _, name := range names {
		want := strings.TrimSuffix(filepath.Base(name), ".ipynb")
		found := false
		for i, title := range known {
			if number, topic, _ := strings.Cut(title, "_"); want == title || want == number || want == topic {
				wanted[paths[i]], found = true, true
			}
		}
		if !found {
			unknown = append(unknown, strconv.Quote(name))
		}
	}
	if len(unknown) > 0 {
		return nil, usageError{fmt.Sprintf("no notebook %s; the notebooks are: %s", strings.Join(unknown, ", "), strings.Join(known, ", "))}
	}
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return !wanted[path] }), nil
}

// Title is a notebook's file name without folder and ending.
func Title(path string) string { return strings.TrimSuffix(filepath.Base(path), ".ipynb") }

const (
	kernelName    = "bayescpace"
	kernelDisplay = "Go (Bayes-CPACE)"
	goplsVersion  = "v0.21.1" // the newest that builds with the Go of go.mod
)
