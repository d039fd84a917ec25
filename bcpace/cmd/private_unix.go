//go:build unix

package cmd

import (
	"os"
	"syscall"
)

// ours reports whether a file belongs to who runs this program.
func ours(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Getuid()
}
