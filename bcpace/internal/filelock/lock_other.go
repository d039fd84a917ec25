//go:build !unix

package filelock

import (
	"errors"
	"os"
)

// Lock says that there are no locks.
func Lock(*os.File) error { return errors.ErrUnsupported }
