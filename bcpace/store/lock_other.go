//go:build !unix

package store

import (
	"errors"
	"os"
)

// lock says that there are no locks.
func lock(*os.File) error { return errors.ErrUnsupported }
