package runner

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// work is the folder that lab opens: its user's own, ignored by git. It is in the
// clone because what runs have been stored is found from there, and because a
// container that is made anew keeps the clone and not the home.
func (p Place) work() string { return filepath.Join(p.Root, "work") }

//go:embed start.txt
var startText []byte

// startPage is the name of the page in the work folder on which JupyterLab opens, and languagePage that of one that it names.
const (
	startPage    = "START.md"
	languagePage = "GO_FROM_PYTHON.md"
)

// startFiles returns the pages and their pictures, by the names that they have in the work folder of a clone.
func startFiles(clone string) (map[string][]byte, error) {
	files := map[string][]byte{startPage: startText}
	for name, from := range map[string]string{languagePage: "notebooks/" + languagePage, "pictures/room.png": ".github/room.png", "pictures/first-cell.png": ".github/first-cell.png"} {
		data, err := os.ReadFile(filepath.Join(clone, filepath.FromSlash(from)))
		if err != nil {
			return nil, fmt.Errorf("reading what the start page names: %w", err)
		}
		files[name] = data
	}
	return files, nil
}

// released returns the paths of the notebooks and of what students get of the
// assignments, by the names that their copies have in the work folder.
func (p Place) released() (map[string]string, error) {
	p.Notebooks = filepath.Join(p.Root, "notebooks")
	notebooks, err := p.List()
	if err != nil {
		return nil, err
	}
	assignments, _ := fs.Glob(os.DirFS(p.Notebooks), "assignments/release/*/*.ipynb") // none where there is no such folder
	released := make(map[string]string)
	for _, path := range notebooks {
		released[filepath.Base(path)] = path
	}
	for _, name := range assignments {
		released[filepath.Join("assignments", filepath.Base(name))] = filepath.Join(p.Notebooks, filepath.FromSlash(name))
	}
	return released, nil
}

// copies is a folder with copies of notebooks that belong to its user.
type copies struct {
	dir    string
	record map[string]copied // by the path of the copy in the folder
}

// copied is what is known of a copy.
type copied struct {
	File  string // key of the file as it was written: with another one, its user has changed it
	Cells string // key of the cells of the newest release that its user has, in this file or beside it
}

// recordOf is the path of the record of the copies in a folder.
func recordOf(dir string) string { return filepath.Join(dir, ".bayescpace.json") }

// layOut puts a copy of each released notebook, and the pages, into the folder dir. A copy that is
// gone is made again. One that its user has changed stays as it is; a release with
// other cells is then put beside it, which the lines returned tell.
func layOut(dir string, released map[string]string, pages map[string][]byte) (notes []string, err error) {
	c := copies{dir, make(map[string]copied)}
	old, err := os.ReadFile(recordOf(dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading what is known of the copies in the work folder: %w", err)
	}
	// Without a record, a copy that is not the release itself counts as changed.
	if json.Unmarshal(old, &c.record) != nil {
		c.record = make(map[string]copied)
	}
	for _, name := range slices.Sorted(maps.Keys(released)) {
		beside, err := c.update(name, released[name])
		if err != nil {
			return nil, err
		}
		if beside != "" {
			notes = append(notes, fmt.Sprintf("%s is changed and stays as it is; the newer release is beside it, as %s", name, filepath.Base(beside)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(pages)) { // one that its user has changed stays
		if _, err := c.put(filepath.FromSlash(name), pages[name], copied{File: key(string(pages[name]))}); err != nil {
			return nil, err
		}
	}
	record, _ := json.MarshalIndent(c.record, "", "  ") // plain data
	return notes, writeFile(recordOf(dir), record)
}

// update brings the copy called name up to the release at path. Where it puts the
// release beside the copy, it returns under which name.
func (c copies) update(name, path string) (beside string, err error) {
	nb, err := ReadNotebook(path)
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading a notebook: %w", err)
	}
	release := copied{key(string(data)), key(nb.sources()...)}
	if done, err := c.put(name, data, release); done || err != nil {
		return "", err
	}
	known := c.record[name]
	if mine, err := ReadNotebook(filepath.Join(c.dir, name)); err == nil && key(mine.sources()...) == release.Cells {
		known.Cells = release.Cells // it was executed, for example
	}
	for n, done := 1, known.Cells == release.Cells; !done; n++ {
		beside = strings.TrimSuffix(name, ".ipynb") + "-new.ipynb"
		if n > 1 {
			beside = strings.TrimSuffix(name, ".ipynb") + fmt.Sprintf("-new-%d.ipynb", n)
		}
		if done, err = c.put(beside, data, release); err != nil {
			return "", err
		}
	}
	known.Cells = release.Cells
	c.record[name] = known
	return beside, nil
}

// put makes the file called name the release, unless its user has changed it.
func (c copies) put(name string, data []byte, release copied) (done bool, err error) {
	path := filepath.Join(c.dir, name)
	have, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("reading a copy of a notebook: %w", err)
	}
	if err == nil && key(string(have)) != release.File && key(string(have)) != c.record[name].File {
		return false, nil
	}
	if err := writeFile(path, data); err != nil {
		return false, err
	}
	c.record[name] = release
	return true, nil
}
