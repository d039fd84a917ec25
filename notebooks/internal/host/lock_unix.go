//go:build unix

package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// pause is between two tries.
const pause = 100 * time.Millisecond

// LockFolder takes the lock of a folder that has this name there, for this process alone or shared. While
// another process is in the way it calls waiting once, and continues trying until ctx ends. The lock goes
// with its process, however that ends.
func LockFolder(ctx context.Context, folder, name string, exclusive bool, waiting func()) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(folder, name), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening the lock of a folder: %w", err)
	}
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	for tell := sync.OnceFunc(waiting); ; tell() {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, fmt.Errorf("locking %s: %w", f.Name(), err)
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}
