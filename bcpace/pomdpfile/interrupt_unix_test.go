//go:build unix

package pomdpfile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe is read to its end where it has a writer; where it has none or one that
// says nothing, its opening ends with the context.
func TestReadPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.pomdp")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	opened := make(chan error)
	go func() {
		w, err := os.OpenFile(path, os.O_WRONLY, 0) // waits for the reader
		if err == nil {
			w.WriteString(every)
			err = w.Close()
		}
		opened <- err
	}()
	if m, err := ReadFile(t.Context(), path); err != nil || m.NumStates() != 3 {
		t.Fatal(m, err)
	}
	if err := <-opened; err != nil {
		t.Fatal(err)
	}

	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	w, err := os.OpenFile(path, os.O_RDWR, 0) // does not wait
	if err != nil {
		t.Fatal(err)
	}
	w.WriteString("discount: 0.9")
	go cancel(why)
	if _, err := ReadFile(ctx, path); !errors.Is(err, why) {
		t.Error("with a writer that waits:", err)
	}
	w.Close()
	if _, err := ReadFile(ctx, path); !errors.Is(err, why) {
		t.Error("without a writer:", err)
	}
}
