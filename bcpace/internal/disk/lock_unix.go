//go:build unix

package disk

import (
	"errors"
	"os"
	"syscall"
)

// atOnce opens a pipe into which nobody writes without waiting.
const atOnce = syscall.O_NONBLOCK

// Lock locks a file until it is closed or its process ends. The error is ErrLocked
// where another process holds the lock; other errors say that there are no locks.
func Lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}
