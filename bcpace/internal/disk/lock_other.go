//go:build !unix

package disk

import (
	"errors"
	"os"
)

// Lock says that there are no locks.
func Lock(*os.File) error { return errors.ErrUnsupported }
