// Package goenv says which of a user's settings of the go command do not go with the
// workspace in which cells are compiled.
package goenv

import "strings"

// WorkspaceFlags takes -mod and -modfile out of GOFLAGS, which the go command
// refuses in a workspace. The result is never empty when something changed,
// because an empty variable would let "go env -w GOFLAGS" through again.
func WorkspaceFlags(flags string) (cleaned string, changed bool) {
	var kept []string
	for _, f := range strings.Fields(flags) {
		name, _, _ := strings.Cut(strings.TrimLeft(f, "-"), "=")
		if name == "mod" || name == "modfile" {
			changed = true
			continue
		}
		kept = append(kept, f)
	}
	if changed && len(kept) == 0 {
		kept = []string{"-buildvcs=auto"}
	}
	return strings.Join(kept, " "), changed
}
