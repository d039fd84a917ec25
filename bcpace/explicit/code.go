package explicit

import "embed"

// Sources are the Go files of this package, see bcpace.Sources.
//
//go:embed *.go
var Sources embed.FS
