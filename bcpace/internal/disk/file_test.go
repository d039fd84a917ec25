//go:build unix

package disk_test

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"bayescpace/bcpace/internal/disk"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(in("file"), []byte("content"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(in("pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", in("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for link, to := range map[string]string{"link": in("file"), "zero": "/dev/zero", "pipe link": in("pipe")} {
		if err := os.Symlink(to, in(link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"file", "link"} {
		f, err := disk.Open(in(name))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(f); err != nil || string(text) != "content" {
			t.Errorf("%s: read %q, %v", name, text, err)
		}
		f.Close()
	}
	for name, what := range map[string]string{in("pipe"): "a pipe", in("pipe link"): "a pipe", in("socket"): "a socket", dir: "a folder", in("zero"): "a device", "/dev/null": "a device"} {
		if _, err := disk.Open(name); !errors.Is(err, disk.ErrNotRegular) || !strings.Contains(err.Error(), name+" is "+what) {
			t.Errorf("%s: error %v, want that it is %s", name, err, what)
		}
	}
	if _, err := disk.Open(in("none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}
