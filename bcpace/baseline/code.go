// Package baseline has an algorithm to compare with in each package below.
package baseline

import (
	"embed"

	"bayescpace/bcpace"
)

//go:embed *.go */*.go internal/*/*.go
var sources embed.FS

// CodeHash identifies the code of the packages below, as bcpace.CodeHash does that of the core.
func CodeHash() string { return bcpace.HashSources(sources) }
