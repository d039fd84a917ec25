//go:build unix

package store

import (
	"errors"
	"os"
	"syscall"
)

// lock locks a file until it is closed or its process ends. The error is errLocked
// where another process holds the lock; other errors say that there are no locks.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}
