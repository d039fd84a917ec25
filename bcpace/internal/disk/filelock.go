package disk

import "errors"

// ErrLocked says that another process holds the lock of a file.
var ErrLocked = errors.New("locked by another process")
