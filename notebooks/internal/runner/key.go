package runner

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bayescpace/notebooks/internal/sealed"
)

// teachers are the folders of the course that students do not get: nbgrader's sources, and
// the key with the answers, rubrics and submissions to try. Git ignores both folders, and
// has them sealed in one file.
var teachers = []string{"source", "key"}

// sealedName is the name of that file in the folder of the course.
const sealedName = "teachers.sealed"

// wordPath is where a teacher may keep the word, in a file that nobody else can read.
func wordPath() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("finding the folder of the teachers' word: %w", err)
	}
	return filepath.Join(dir, "bayescpace", "word"), nil
}

// Word reads the teachers' word from its file. Without that file, the error is fs.ErrNotExist.
func Word() (string, error) {
	path, err := wordPath()
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("looking for the teachers' word: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("others can read the teachers' word: chmod 600 %s", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading the teachers' word: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// askWord is Word, or without a file the next line of ask.
func (s *Session) askWord(ask io.Reader) (string, error) {
	word, err := Word()
	if !errors.Is(err, fs.ErrNotExist) {
		return word, err
	}
	path, err := wordPath()
	if err != nil {
		return "", err
	}
	s.line("The teachers' word, which shows on the screen (a file " + path + " of mode 600 saves typing it):")
	line, err := bufio.NewReader(ask).ReadString('\n')
	if err != nil && err != io.EOF {
		return "", fmt.Errorf("reading the teachers' word: %w", err)
	}
	if line = strings.TrimSpace(line); line == "" {
		return "", errors.New("no word was given; notebooks/assignments/README.md says how a teacher gets it")
	}
	return line, nil
}

// OpenKey is Open with the word of its file or of ask.
func (s *Session) OpenKey(ask io.Reader) error {
	word, err := s.askWord(ask)
	if err != nil {
		return err
	}
	return s.Open(word)
}

// SealKey is Seal with the word of its file or of ask.
func (s *Session) SealKey(ask io.Reader) error {
	word, err := s.askWord(ask)
	if err != nil {
		return err
	}
	return s.Seal(word)
}

// Open writes the teachers' folders from the sealed file, for nobody else to read. If a file
// that is there differs from the sealed one, Open writes nothing and names it.
func (s *Session) Open(word string) error {
	dir := filepath.Join(s.Notebooks, "assignments")
	archive, err := s.opened(word)
	if err != nil {
		return err
	}
	files := make(map[string][]byte) // what is missing
	n := 0
	err = fs.WalkDir(archive, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(archive, path)
		if err != nil {
			return err
		}
		n++
		to := filepath.Join(dir, filepath.FromSlash(path))
		switch have, err := os.ReadFile(to); {
		case errors.Is(err, fs.ErrNotExist):
			files[to] = data
		case err != nil:
			return err
		case !bytes.Equal(have, data):
			return fmt.Errorf("%s differs from what is sealed: keep it with go run ./notebooks key seal, or move it away and open again", to)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("opening %s: %w", sealedName, err)
	}
	for to, data := range files {
		if err := writeSecret(to, data); err != nil {
			return err
		}
	}
	s.line(fmt.Sprintf("%d files are in %s and %s of %s; git ignores them", n, teachers[0], teachers[1], dir))
	return nil
}

// opened returns the files of the sealed one.
func (s *Session) opened(word string) (fs.FS, error) {
	path := filepath.Join(s.Notebooks, "assignments", sealedName)
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the teachers' part of the course: %w", err)
	}
	data, err := sealed.Open(word, file)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("reading what is in %s: %w", path, err)
	}
	return archive, nil
}

// Seal writes the sealed file from the teachers' folders, with the word that the present
// file has. What the present file has must be in the folders too, changed or not.
func (s *Session) Seal(word string) error {
	dir := filepath.Join(s.Notebooks, "assignments")
	archive, err := s.opened(word)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; to change the word, open the file, remove it, and seal anew", err)
	}
	if err == nil {
		if err := allThere(archive, dir); err != nil {
			return err
		}
	}
	var data bytes.Buffer
	w := zip.NewWriter(&data)
	for _, folder := range teachers {
		files := os.DirFS(dir)
		err := fs.WalkDir(files, folder, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && strings.HasPrefix(d.Name(), "."): // checkpoints of Jupyter
				return fs.SkipDir
			case d.IsDir():
				return nil
			case !d.Type().IsRegular():
				return fmt.Errorf("%s is no ordinary file: put a copy of what it leads to there", path)
			}
			content, err := fs.ReadFile(files, path)
			if err != nil {
				return err
			}
			to, err := w.Create(path)
			if err == nil {
				_, err = to.Write(content)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("packing the teachers' folders: %w", err)
		}
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("packing the teachers' folders: %w", err)
	}
	file, err := sealed.Seal(word, data.Bytes())
	if err != nil {
		return fmt.Errorf("sealing the teachers' folders: %w", err)
	}
	if err := writeFile(filepath.Join(dir, sealedName), file); err != nil {
		return err
	}
	s.line(fmt.Sprintf("%s has the folders %s; commit it", filepath.Join(dir, sealedName), strings.Join(teachers, " and ")))
	return nil
}

// allThere says which files of an archive are not in dir.
func allThere(archive fs.FS, dir string) error {
	return fs.WalkDir(archive, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(path))); err != nil {
			return fmt.Errorf("%s is sealed, and would be lost: %w; run go run ./notebooks key open first, or remove %s to seal without it", path, err, sealedName)
		}
		return nil
	})
}
