// Package internal has what the packages of bcpace share in the packages below.
package internal

import (
	"embed"

	"bayescpace/bcpace"
)

//go:embed *.go */*.go
var sources embed.FS

// CodeHash identifies the code of the packages below, as bcpace.CodeHash does that of the core.
func CodeHash() string { return bcpace.HashSources(sources) }
