//go:build unix

package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// lockPrivate takes a lock of the private folder. The one called lock is taken
// exclusively for set-up, and shared by those that use what set-up made. While
// another process is in the way it calls waiting once, and continues trying until
// ctx ends. The lock goes with its process, however that ends.
func lockPrivate(ctx context.Context, p Place, name string, exclusive bool, waiting func()) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(p.Private, name), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening the private folder's lock: %w", err)
	}
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	for first := true; ; first = false {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, fmt.Errorf("locking %s: %w", p.short(f.Name()), err)
		}
		if first && waiting != nil {
			waiting()
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}
