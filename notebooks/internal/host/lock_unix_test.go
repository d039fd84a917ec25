//go:build unix

package host

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestLateNote: who has just taken a lock may note what it does a moment later, and the one who waits says that.
func TestLateNote(t *testing.T) {
	folder := t.TempDir()
	f, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	told := make(chan string, 1)
	locked := make(chan error, 1)
	go func() {
		unlock, err := LockFolder(t.Context(), folder, "lock", true, func(holder string) { told <- holder })
		if err == nil {
			unlock()
		}
		locked <- err
	}()
	time.Sleep(20 * time.Millisecond)
	fmt.Fprintf(f, "%d go run ./notebooks lab\n", os.Getpid())
	if got, want := <-told, fmt.Sprintf("go run ./notebooks lab (process %d)", os.Getpid()); got != want {
		t.Errorf("waits for %q, want %q", got, want)
	}
	f.Close()
	if err := <-locked; err != nil {
		t.Error(err)
	}
}
