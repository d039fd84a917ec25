package numtext

import (
	"embed"

	"bayescpace/bcpace"
)

//go:embed *.go
var sources embed.FS

// CodeHash identifies the code of this package, as bcpace.CodeHash does that of the core.
func CodeHash() string { return bcpace.HashSources(sources) }
