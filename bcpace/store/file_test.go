package store

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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
	if left, _ := filepath.Glob(filepath.Join(dir, tempPattern)); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
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
