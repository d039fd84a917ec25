//go:build unix

package runner

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	dir := filepath.Join(t.TempDir(), "at 50%x") // which is no format
	s = NewSession(Place{Root: dir, Notebooks: filepath.Join(dir, "notebooks"), Private: filepath.Join(dir, ".bayescpace")}, said)
	for _, name := range []string{"source/a/a.ipynb", "key/answers.md", "key/.ipynb_checkpoints/answers.md", "submitted/ann/a/a.ipynb"} {
		if err := writeFile(s.inCourse(name), []byte("text of "+name)); err != nil {
			t.Fatal(err)
		}
	}
	return s, said
}

func TestKey(t *testing.T) {
	s, said := teacher(t)
	if err := s.SealKey(t.Context(), strings.NewReader(throwAway+"\n"+throwAway+"s\n")); err == nil || !strings.Contains(err.Error(), "the two words differ") {
		t.Errorf("sealing for the first time with a slip in the word: %v", err)
	}
	if err := s.SealKey(t.Context(), strings.NewReader(throwAway+"\n"+throwAway+"\n")); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said.String(), "The teachers' word") || !strings.Contains(said.String(), "50%x") || strings.Contains(said.String(), "%!") {
		t.Errorf("asking for the word and sealing say %s", said)
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
	if err := s.OpenKey(t.Context(), strings.NewReader("another word than that\n")); !errors.Is(err, ErrWord) {
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
		if err := s.OpenKey(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("a word in a file of mode %o: %v", mode, err)
		}
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.OpenKey(t.Context(), nil); err != nil {
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
	if err := s.Seal(throwAway); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(s.inCourse("key/answers.md"), []byte("better")); err != nil {
		t.Fatal(err)
	}
	if err := s.OpenKey(t.Context(), strings.NewReader(throwAway)); err == nil || !strings.Contains(err.Error(), "answers.md differs from what is sealed") {
		t.Errorf("opening over a change: %v", err)
	}
	if err := s.SealKey(t.Context(), strings.NewReader("a word that was mistyped")); !errors.Is(err, ErrWord) {
		t.Errorf("sealing under another word: %v", err)
	}
	if err := s.SealKey(t.Context(), strings.NewReader(throwAway)); err != nil {
		t.Fatal(err)
	}
	if err := s.OpenKey(t.Context(), strings.NewReader(throwAway)); err != nil {
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

// What a colleague has sealed since is not sealed over, and Open says how to go on.
func TestKeyKeepsWhatIsNewer(t *testing.T) {
	mine, _ := teacher(t)
	theirs, _ := teacher(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	pull := func(from, to *Session) {
		t.Helper()
		file, err := os.ReadFile(from.inCourse(sealedName))
		must(err)
		must(writeFile(to.inCourse(sealedName), file))
	}
	refused := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error that says %q", err, want)
		}
	}
	must(mine.Seal(throwAway))
	pull(mine, theirs)
	refused(theirs.Seal(throwAway), "nothing says that teachers.sealed was opened here")
	must(theirs.Open(throwAway)) // whose files are the same
	must(writeFile(theirs.inCourse("key/answers.md"), []byte("theirs")))
	must(theirs.Seal(throwAway))
	must(theirs.Seal(throwAway))
	pull(theirs, mine)
	must(writeFile(mine.inCourse("source/a/a.ipynb"), []byte("mine")))
	refused(mine.Seal(throwAway), "teachers.sealed has changed since you opened it")
	refused(mine.Open(throwAway), "make your change anew")
	for _, folder := range teachers {
		must(os.Rename(mine.inCourse(folder), mine.inCourse(folder+"-away")))
	}
	must(mine.Open(throwAway))
	must(writeFile(mine.inCourse("source/a/a.ipynb"), []byte("mine")))
	must(mine.Seal(throwAway))
	pull(mine, theirs)
	refused(theirs.Seal(throwAway), "has changed since you opened it")
	for _, folder := range teachers {
		must(os.RemoveAll(theirs.inCourse(folder)))
	}
	must(theirs.Open(throwAway))
	for name, want := range map[string]string{"key/answers.md": "theirs", "source/a/a.ipynb": "mine"} {
		if data, err := os.ReadFile(theirs.inCourse(name)); err != nil || string(data) != want {
			t.Errorf("%s is %q, %v; want %q", name, data, err, want)
		}
	}
}

// Folders that others can read are closed, also where Open has nothing to write.
func TestKeyClosesFolders(t *testing.T) {
	s, _ := teacher(t)
	if err := s.Seal(throwAway); err != nil {
		t.Fatal(err)
	}
	for _, folder := range teachers {
		if err := os.Chmod(s.inCourse(folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Open(throwAway); err != nil {
		t.Fatal(err)
	}
	for _, folder := range teachers {
		if info, err := os.Stat(s.inCourse(folder)); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the folder %s has the mode %v (%v), want one that nobody else reads", folder, info.Mode(), err)
		}
	}
}

// An interrupt ends the program where it waits for the word.
//
//test:race
func TestKeyPromptEnds(t *testing.T) {
	s, _ := teacher(t)
	never, w := io.Pipe()
	defer w.Close()
	stop := errors.New("stop")
	for name, ask := range map[string]func(context.Context, io.Reader) error{"open": s.OpenKey, "seal": s.SealKey} {
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- ask(ctx, never) }()
		cancel(stop)
		if err := <-ended; !errors.Is(err, stop) {
			t.Errorf("key %s: %v, want %v", name, err, stop)
		}
	}
}

func TestKeyNeedsAWord(t *testing.T) {
	s, _ := teacher(t)
	for word, want := range map[string]string{"\n": "no word was given", "": "no word was given", "short\nshort\n": "want 20 or more"} {
		if err := s.SealKey(t.Context(), strings.NewReader(word)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the word %q: %v, want an error that says %q", word, err, want)
		}
	}
}
