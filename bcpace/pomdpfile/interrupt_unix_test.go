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
	write := func(text string, wait <-chan struct{}) {
		w, err := os.OpenFile(path, os.O_WRONLY, 0) // waits for the reader
		if err != nil {
			t.Error(err)
			return
		}
		w.WriteString(text)
		<-wait
		w.Close()
	}
	now := make(chan struct{})
	close(now)
	go write(every, now)
	if m, err := ReadFile(t.Context(), path); err != nil || m.NumStates() != 3 {
		t.Fatal(m, err)
	}

	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	go write("discount: 0.9", ctx.Done())
	go cancel(why)
	if _, err := ReadFile(ctx, path); !errors.Is(err, why) {
		t.Error("with a writer that waits:", err)
	}
	if _, err := ReadFile(ctx, path); !errors.Is(err, why) {
		t.Error("without a writer:", err)
	}
}
