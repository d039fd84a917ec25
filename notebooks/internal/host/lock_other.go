//go:build !unix

package host

import "context"

// LockFolder does nothing where the kernel does not run.
func LockFolder(context.Context, string, string, bool, func()) (unlock func(), err error) {
	return func() {}, nil
}
