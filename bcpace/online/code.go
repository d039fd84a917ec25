package online

import (
	"embed"

	"bayescpace/bcpace"
)

//go:embed *.go */*.go
var sources embed.FS

// CodeHash identifies the code of this package and those below, as bcpace.CodeHash does that of the core.
func CodeHash() string { return bcpace.HashSources(sources) }
