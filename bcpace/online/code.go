package online

import "embed"

// Sources are the Go files of this package and of those below, see bcpace.Sources.
//
//go:embed *.go */*.go
var Sources embed.FS
