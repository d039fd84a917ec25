package store

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// broken fails after the first bytes, as a full disk does.
type broken struct{}

var errBroken = errors.New("no space left")

func (broken) WriteTo(w io.Writer) (int64, error) {
	n, _ := io.WriteString(w, "half")
	return int64(n), errBroken
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "run.bcp")
	read := func(name, want string) {
		t.Helper()
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s holds %q (error %v), want %q", name, got, err, want)
		}
	}
	for _, text := range []string{"first", "second"} {
		if err := CheckFile(name); err != nil {
			t.Fatal(err)
		}
		if err := WriteFile(name, bytes.NewBufferString(text)); err != nil {
			t.Fatal(err)
		}
		read(name, text)
	}
	if err := WriteFile(name, broken{}); !errors.Is(err, errBroken) || !strings.Contains(err.Error(), name) {
		t.Errorf("got error %v, want %v and the name of the file", err, errBroken)
	}
	read(name, "second")

	link := filepath.Join(dir, "link")
	if err := os.Symlink(name, link); err != nil {
		t.Fatal("the toolkit runs on Linux and macOS, which have symbolic links:", err)
	}
	if err := WriteFile(link, bytes.NewBufferString("third")); err != nil {
		t.Fatal(err)
	}
	read(name, "third")
	if target, err := os.Readlink(link); err != nil || target != name {
		t.Errorf("the link was replaced (%q, error %v)", target, err)
	}
	onlyFiles(t, dir, "link", "run.bcp")
}

// onlyFiles expects a folder to have just these files, given in order.
func onlyFiles(t testing.TB, dir string, want ...string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range all {
		got = append(got, f.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("the folder has %q, want %q", got, want)
	}
}

// TestPermissions expects a new file to be readable for all, and one that is
// replaced to stay as private as it was.
func TestPermissions(t *testing.T) {
	name := filepath.Join(t.TempDir(), "run.bcp")
	for _, want := range []fs.FileMode{0o644, 0o600, 0o640} {
		if want != 0o644 {
			if err := os.Chmod(name, want); err != nil {
				t.Fatal(err)
			}
		}
		if err := WriteFile(name, bytes.NewBufferString("x")); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(name); err != nil || info.Mode() != want {
			t.Errorf("permissions %v (error %v), want %v", info.Mode(), err, want)
		}
	}
}

// TestWriteWithinWrite writes a file while it is being written. The one who ends
// last has it.
func TestWriteWithinWrite(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "run.bcp")
	err := WriteFile(name, Content(func(w io.Writer) error {
		io.WriteString(w, "ou")
		if err := CheckFile(name); err != nil {
			return err
		}
		if err := WriteFile(name, bytes.NewBufferString("inner")); err != nil {
			return err
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != "inner" {
			t.Errorf("within the write the file holds %q (error %v)", got, err)
		}
		_, err := io.WriteString(w, "ter")
		return err
	}))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != "outer" {
		t.Errorf("after it the file holds %q (error %v)", got, err)
	}
	onlyFiles(t, dir, "run.bcp")
}

// TestManyWriters expects a whole file of one of the writers at any moment.
//
//test:race
func TestManyWriters(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "run.bcp")
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for range 10 {
				want := strings.Repeat(string(rune('a'+i)), 1000)
				if err := WriteFile(name, bytes.NewBufferString(want)); err != nil {
					t.Error(err)
					return
				}
				got, err := os.ReadFile(name)
				if err != nil || len(got) != 1000 || strings.Trim(string(got), string(got[:1])) != "" {
					t.Errorf("got %.20q… (error %v)", got, err)
					return
				}
			}
		})
	}
	group.Wait()
	onlyFiles(t, dir, "run.bcp")
}

// TestCheckFile expects CheckFile and WriteFile to refuse the same names.
func TestCheckFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	dangling := filepath.Join(dir, "dangling")
	if err := os.Symlink(filepath.Join(dir, "missing"), dangling); err != nil {
		t.Fatal("the toolkit runs on Linux and macOS, which have symbolic links:", err)
	}
	for name, want := range map[string]string{
		"":                                  "names no file",
		dir:                                 "is a folder",
		dir + string(os.PathSeparator):      "names no file",
		filepath.Join(dir, "no", "run.bcp"): "no such file",
		filepath.Join(file, "run.bcp"):      "not a directory",
		os.DevNull:                          "not a regular file",
		dangling:                            "leads nowhere",
		filepath.Join(dir, "a\x00b"):        "invalid argument",
		filepath.Join(dir, strings.Repeat("x", 300)): "name too long",
	} {
		for what, err := range map[string]error{"CheckFile": CheckFile(name), "WriteFile": WriteFile(name, bytes.NewBufferString("x"))} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s(%q): got error %v, want one that says %q", what, name, err, want)
			}
		}
	}
	if err := CheckFile(filepath.Join(dir, "no", "run.bcp")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not fs.ErrNotExist", err)
	}
	sealed := filepath.Join(dir, "sealed")
	if err := os.Mkdir(sealed, 0o555); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 { // root may write anywhere
		if err := CheckFile(filepath.Join(sealed, "run.bcp")); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("a folder without permission: error %v", err)
		}
	}
}
