//go:build unix

package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	pause     = 100 * time.Millisecond // between two tries
	noteTries = 10                     // after which who waits does so for a holder that has noted nothing
)

// LockFolder takes the lock of a folder that has this name there, for this process alone or shared. While
// another process is in the way it calls waiting once, with what that does as far as it is
// known, and continues trying until ctx ends. One that has just taken the lock has a second to note
// what it does. The lock goes with its process, however that ends.
func LockFolder(ctx context.Context, folder, name string, exclusive bool, waiting func(holder string)) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(folder, name), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening the lock of a folder: %w", err)
	}
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	for try := 0; ; try++ {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		if err == nil {
			noteHolder(f)
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, fmt.Errorf("locking %s: %w", f.Name(), err)
		}
		if waiting != nil {
			if who, noted := holder(f); noted || try >= noteTries {
				waiting(who)
				waiting = nil
			}
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// noteHolder notes in a lock who has it, for those who wait. Of several that share it, the last one is noted.
func noteHolder(f *os.File) {
	words := append([]string{"go run ./notebooks"}, os.Args[1:]...)
	if f.Truncate(0) == nil {
		fmt.Fprintf(f, "%d %s\n", os.Getpid(), strings.Join(words, " ")) // nobody depends on it
	}
}

// holder says who has a lock, and whether that is noted and the process still there.
func holder(f *os.File) (who string, noted bool) {
	text := make([]byte, 512)
	n, _ := f.ReadAt(text, 0)
	line, _, _ := strings.Cut(string(text[:n]), "\n")
	number, words, _ := strings.Cut(line, " ")
	pid, err := strconv.Atoi(number)
	if err != nil || pid <= 0 || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return "another run of this program", false
	}
	return fmt.Sprintf("%s (process %d)", words, pid), true
}
