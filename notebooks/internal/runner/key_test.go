package runner

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayescpace/notebooks/internal/sealed"
)

const throwAway = "a word for this test alone"

// teacher is a session on a course of one file in each of the teachers' folders, in a
// home without a word.
func teacher(t *testing.T) (s *Session, said *bytes.Buffer) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	said = new(bytes.Buffer)
	dir := t.TempDir()
	s = NewSession(Place{Root: dir, Notebooks: filepath.Join(dir, "notebooks"), Private: filepath.Join(dir, ".bayescpace")}, said)
	for _, name := range []string{"source/a/a.ipynb", "key/answers.md", "key/.ipynb_checkpoints/answers.md", "submitted/ann/a/a.ipynb"} {
		if err := writeFile(s.inCourse(name), []byte("text of "+name)); err != nil {
			t.Fatal(err)
		}
	}
	return s, said
}

// inCourse is the path of a file of the course.
func (s *Session) inCourse(name string) string {
	return filepath.Join(s.Notebooks, "assignments", filepath.FromSlash(name))
}

func TestKey(t *testing.T) {
	s, said := teacher(t)
	if err := s.SealKey(strings.NewReader(throwAway + "\n")); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said.String(), "The teachers' word") {
		t.Errorf("the word was not asked for: %s", said)
	}
	file, err := os.ReadFile(s.inCourse(sealedName))
	if err != nil || bytes.Contains(file, []byte("answers")) {
		t.Errorf("the sealed file tells a name in it, or cannot be read: %v", err)
	}
	for _, folder := range teachers {
		if err := os.RemoveAll(s.inCourse(folder)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.OpenKey(strings.NewReader("another word than that\n")); !errors.Is(err, sealed.ErrWord) {
		t.Errorf("opening with another word: %v", err)
	}
	// The word may lie in a file, which nobody else may read.
	path, err := wordPath()
	if err == nil {
		err = writeFile(path, []byte(throwAway+"\n"))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []fs.FileMode{0o644, 0o640, 0o604, 0o620} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if err := s.OpenKey(nil); err == nil || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("a word in a file of mode %o: %v", mode, err)
		}
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.OpenKey(nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"source/a/a.ipynb", "key/answers.md"} {
		if data, err := os.ReadFile(s.inCourse(name)); err != nil || string(data) != "text of "+name {
			t.Errorf("%s is %q, %v", name, data, err)
		}
	}
	if _, err := os.Stat(s.inCourse("key/.ipynb_checkpoints")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a checkpoint was sealed: %v", err)
	}
}

// What a teacher has changed is neither overwritten nor sealed under a mistyped word.
func TestKeyKeepsChanges(t *testing.T) {
	s, _ := teacher(t)
	if err := s.SealKey(strings.NewReader(throwAway)); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(s.inCourse("key/answers.md"), []byte("better")); err != nil {
		t.Fatal(err)
	}
	if err := s.OpenKey(strings.NewReader(throwAway)); err == nil || !strings.Contains(err.Error(), "answers.md differs from what is sealed") {
		t.Errorf("opening over a change: %v", err)
	}
	if err := s.SealKey(strings.NewReader("a word that was mistyped")); !errors.Is(err, sealed.ErrWord) {
		t.Errorf("sealing under another word: %v", err)
	}
	if err := s.SealKey(strings.NewReader(throwAway)); err != nil {
		t.Fatal(err)
	}
	if err := s.OpenKey(strings.NewReader(throwAway)); err != nil {
		t.Errorf("opening what was sealed anew: %v", err)
	}
}

// What is sealed and not in the folders would be lost; opening writes all or nothing.
func TestKeyLosesNothing(t *testing.T) {
	s, _ := teacher(t)
	if err := writeFile(s.inCourse("source/b/b.ipynb"), []byte("b")); err != nil {
		t.Fatal(err)
	}
	if err := s.Seal(throwAway); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(s.inCourse("source/b")); err != nil {
		t.Fatal(err)
	}
	if err := s.Seal(throwAway); err == nil || !strings.Contains(err.Error(), "source/b/b.ipynb is sealed, and would be lost") {
		t.Errorf("sealing without a file that is sealed: %v", err)
	}
	if err := writeFile(s.inCourse("source/a/a.ipynb"), []byte("changed")); err != nil {
		t.Fatal(err)
	}
	if err := s.Open(throwAway); err == nil || !strings.Contains(err.Error(), "a.ipynb differs") {
		t.Errorf("opening over a change: %v", err)
	}
	if _, err := os.Stat(s.inCourse("source/b/b.ipynb")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("opening wrote a file beside one that differs: %v", err)
	}
	if err := os.Remove(s.inCourse("source/a/a.ipynb")); err != nil {
		t.Fatal(err)
	}
	if err := s.Open(throwAway); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(s.inCourse("source/b/b.ipynb"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("a file that was opened has the mode %v (%v), want one that nobody else reads", info.Mode(), err)
	}
	if err := os.Symlink("/etc/hostname", s.inCourse("key/link")); err != nil {
		t.Fatal(err)
	}
	if err := s.Seal(throwAway); err == nil || !strings.Contains(err.Error(), "no ordinary file") {
		t.Errorf("sealing a link: %v", err)
	}
}

func TestKeyNeedsAWord(t *testing.T) {
	s, _ := teacher(t)
	for word, want := range map[string]string{"\n": "no word was given", "": "no word was given", "short\n": "want 20 or more"} {
		if err := s.SealKey(strings.NewReader(word)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the word %q: %v, want an error that says %q", word, err, want)
		}
	}
}
