package runner

import (
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// The verb run leaves the executed notebooks in the private folder, and notes what
// each was made of. The tests take them from there where that is still the same, as
// they would otherwise do again what the first command of the README has just done.

func (p Place) out() string      { return filepath.Join(p.Private, "out") }
func (p Place) executed() string { return filepath.Join(p.Private, "executed.json") }

// sourcesKey is the key of all but the notebook that its outputs depend on: every
// file of the clone but tests, notebooks, texts, what is hidden and the work folder.
func (p Place) sourcesKey() (string, error) {
	var names, paths []string
	err := filepath.WalkDir(p.Root, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && path != p.Root && (name[0] == '.' || name == "testdata" || path == p.work()):
			return filepath.SkipDir
		case d.Type().IsRegular() && !strings.HasSuffix(name, "_test.go") && !slices.Contains([]string{".ipynb", ".md"}, filepath.Ext(name)):
			names, paths = append(names, strings.TrimPrefix(path, p.Root)), append(paths, path)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	content, err := fileKey(paths...)
	return key(append(names, content, runtime.Version())...), err
}

// sources are those of all cells of a notebook.
func (nb *Notebook) sources() (texts []string) {
	for _, c := range nb.Cells() {
		texts = append(texts, Text(c["cell_type"]), c.Source())
	}
	return texts
}

// executedKey is the key of an executed notebook: of what it was made of and what
// came of it. A notebook or page that something else has written since has another.
func (p Place) executedKey(sources string, nb *Notebook) (string, error) {
	to := filepath.Join(p.out(), Title(nb.path))
	files, err := fileKey(to+".ipynb", to+".html")
	return key(append(nb.sources(), sources, files)...), err
}

// note remembers what the executed notebook e, which is in the private folder with
// its page, was made of, unless that has changed while it was executed.
func (s *Session) note(e Executed, sources string) error {
	if now, err := s.sourcesKey(); err != nil || now != sources {
		return err
	}
	k, err := s.executedKey(sources, e.Notebook)
	if err != nil {
		return err
	}
	all := readStamps(s.executed())
	all[Title(e.Path)] = k
	return all.write(s.executed())
}

// LastExecuted returns the notebook at path as "go run ./notebooks run" has executed
// it to its end, and its page, if nothing that it depends on has changed since.
func (s *Session) LastExecuted(path string) (e Executed, page string, ok bool) {
	to := filepath.Join(s.out(), Title(path))
	want := readStamps(s.executed())[Title(path)]
	sources, err := s.sourcesKey()
	if err != nil || want == "" {
		return Executed{}, "", false
	}
	committed, err := ReadNotebook(path)
	if err != nil {
		return Executed{}, "", false
	}
	if k, err := s.executedKey(sources, committed); err != nil || k != want {
		return Executed{}, "", false
	}
	nb, err := ReadNotebook(to + ".ipynb")
	return Executed{Path: path, Notebook: nb}, to + ".html", err == nil
}
