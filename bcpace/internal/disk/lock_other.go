//go:build !unix

package disk

import (
	"errors"
	"os"
)

const atOnce = 0

// Lock says that there are no locks.
func Lock(*os.File) error { return errors.ErrUnsupported }
