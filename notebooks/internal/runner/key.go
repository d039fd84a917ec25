package runner

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// teachers are the folders of the course that students do not get: nbgrader's sources, and
// the key with the answers, rubrics and submissions to try. Git ignores both folders; Seal
// packs them into one encrypted file, which git keeps.
var teachers = []string{"source", "key"}

// sealedName is the name of that file in the folder of the course. originName is that of the
// file that says which sealed file the teachers' folders are as old as: its SHA-256.
const (
	sealedName = "teachers.sealed"
	originName = "key/.sealed"
)

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
	// On Windows modes do not say who may read.
	if info, err := os.Stat(path); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("others can read the teachers' word: chmod 600 %s", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading the teachers' word: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// askWord is Word, or without a file the next line of ask. A word that is the first one of a
// sealed file is asked for twice, as a slip would lock what is sealed with it.
func (s *Session) askWord(ctx context.Context, ask io.Reader, first bool) (string, error) {
	word, err := Word()
	if !errors.Is(err, fs.ErrNotExist) {
		return word, err
	}
	path, _ := wordPath() // where Word has looked
	lines := bufio.NewReader(ask)
	s.line("The teachers' word, which shows on the screen (a file %s of mode 600 saves typing it):", path)
	if word, err = readLine(ctx, lines); err != nil {
		return "", err
	}
	if word == "" {
		return "", errors.New("no word was given; notebooks/assignments/README.md says how a teacher gets it")
	}
	if first {
		s.line("The word once more, as %s is sealed with it from now on:", sealedName)
		again, err := readLine(ctx, lines)
		if err != nil {
			return "", err
		}
		if again != word {
			return "", errors.New("the two words differ; nothing was sealed")
		}
	}
	return word, nil
}

// readLine returns the next line without the spaces around it, or the cause of ctx.
func readLine(ctx context.Context, lines *bufio.Reader) (string, error) {
	var line string
	var err error
	read := make(chan struct{})
	go func() { // which waits without end for a line that never comes
		line, err = lines.ReadString('\n')
		close(read)
	}()
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case <-read:
	}
	if err != nil && err != io.EOF {
		return "", fmt.Errorf("reading the teachers' word: %w", err)
	}
	return strings.TrimSpace(line), nil
}

// OpenKey is Open with the word of its file or of ask.
func (s *Session) OpenKey(ctx context.Context, ask io.Reader) error {
	word, err := s.askWord(ctx, ask, false)
	if err != nil {
		return err
	}
	return s.Open(word)
}

// SealKey is Seal with the word of its file or of ask.
func (s *Session) SealKey(ctx context.Context, ask io.Reader) error {
	_, err := os.Stat(s.inCourse(sealedName))
	word, err := s.askWord(ctx, ask, errors.Is(err, fs.ErrNotExist))
	if err != nil {
		return err
	}
	return s.Seal(word)
}

// inCourse is the path of a file of the course.
func (s *Session) inCourse(name string) string {
	return filepath.Join(s.Notebooks, "assignments", filepath.FromSlash(name))
}

// Open writes the teachers' folders from the sealed file, for nobody else to read: it closes
// the folders to others where they are open. If a file that is there differs from the sealed
// one, Open writes nothing and names it.
func (s *Session) Open(word string) error {
	files, origin, err := s.opened(word)
	if err != nil {
		return err
	}
	missing := make(map[string][]byte)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		to := s.inCourse(name)
		switch have, err := os.ReadFile(to); {
		case errors.Is(err, fs.ErrNotExist):
			missing[to] = files[name]
		case err != nil:
			return fmt.Errorf("opening %s: %w", sealedName, err)
		case !bytes.Equal(have, files[name]):
			return fmt.Errorf("opening %[2]s: %[1]s differs from what is sealed: if you have changed it, go run ./notebooks key seal keeps your change; if %[2]s is newer, as after a git pull, move your file away, open again, and make your change anew", to, sealedName)
		}
	}
	for to, data := range missing {
		if err := writeSecret(to, data); err != nil {
			return err
		}
	}
	if err := s.noteOrigin(origin); err != nil {
		return err
	}
	for _, folder := range teachers {
		if err := os.Chmod(s.inCourse(folder), 0o700); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("closing a teachers' folder to others: %w", err)
		}
	}
	s.line("%d files are in %s and %s of %s; git ignores them", len(files), teachers[0], teachers[1], s.inCourse(""))
	return nil
}

// noteOrigin notes the sealed file that has what the teachers' folders have.
func (s *Session) noteOrigin(origin string) error {
	return writeSecret(s.inCourse(originName), []byte(origin+"\n"))
}

// checkOrigin says if the teachers' folders are not as new as the sealed file.
func (s *Session) checkOrigin(origin string) error {
	const ways = "move the folders source and key away, go run ./notebooks key open, and make your changes anew; or remove " + sealedName + " to seal your folders in its place"
	noted, err := os.ReadFile(s.inCourse(originName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("nothing says that %s was opened here, and it may be newer than the folders: go run ./notebooks key open; if a file differs, %s", sealedName, ways)
	case err != nil:
		return fmt.Errorf("reading which %s was opened: %w", sealedName, err)
	case strings.TrimSpace(string(noted)) != origin:
		return fmt.Errorf("%s has changed since you opened it, and sealing would lose what is new there: %s", sealedName, ways)
	}
	return nil
}

// opened returns the files of the sealed one by their names, and the SHA-256 of that.
func (s *Session) opened(word string) (files map[string][]byte, origin string, err error) {
	path := s.inCourse(sealedName)
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, "", fmt.Errorf("reading the teachers' part of the course: %w", err)
	}
	data, err := unseal(word, file)
	if err != nil {
		return nil, "", fmt.Errorf("opening %s: %w", path, err)
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err == nil {
		files, err = filesBelow(archive, ".")
	}
	if err != nil {
		return nil, "", fmt.Errorf("reading what is in %s: %w", path, err)
	}
	return files, originOf(file), nil
}

// filesBelow returns the files of folders by their names.
func filesBelow(root fs.FS, folders ...string) (map[string][]byte, error) {
	files := make(map[string][]byte)
	for _, folder := range folders {
		err := fs.WalkDir(root, folder, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && path != "." && strings.HasPrefix(d.Name(), "."): // checkpoints of Jupyter
				return fs.SkipDir
			case d.IsDir() || path == originName:
				return nil
			case !d.Type().IsRegular():
				return fmt.Errorf("%s is no ordinary file: put a copy of what it leads to there", path)
			}
			files[path], err = fs.ReadFile(root, path)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// originOf is the SHA-256 of a sealed file.
func originOf(file []byte) string { return fmt.Sprintf("%x", sha256.Sum256(file)) }

// Seal writes the sealed file from the teachers' folders, with the word that the present
// file has. What the present file has must be in the folders too, changed or not.
func (s *Session) Seal(word string) error {
	sealed, origin, err := s.opened(word)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; to change the word, open the file, remove it, and seal anew", err)
	}
	if err == nil {
		if err := s.checkOrigin(origin); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sealed)) {
		if _, err := os.Lstat(s.inCourse(name)); err != nil {
			return fmt.Errorf("%s is sealed, and would be lost: %w; run go run ./notebooks key open first, or remove %s to seal without it", name, err, sealedName)
		}
	}
	packed, err := pack(s.inCourse(""))
	var file []byte
	if err == nil {
		file, err = seal(word, packed)
	}
	if err != nil {
		return fmt.Errorf("sealing the teachers' folders: %w", err)
	}
	if err = writeFile(s.inCourse(sealedName), file); err == nil {
		err = s.noteOrigin(originOf(file))
	}
	if err != nil {
		return err
	}
	s.line("%s has the folders %s; commit it", s.inCourse(sealedName), strings.Join(teachers, " and "))
	return nil
}

// pack makes an archive of the teachers' folders in dir.
func pack(dir string) ([]byte, error) {
	files, err := filesBelow(os.DirFS(dir), teachers...)
	if err != nil {
		return nil, err
	}
	var data bytes.Buffer
	w := zip.NewWriter(&data)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		to, failed := w.Create(name)
		if err = cmp.Or(err, failed); err == nil {
			_, err = to.Write(files[name])
		}
	}
	err = cmp.Or(err, w.Close())
	return data.Bytes(), err
}
