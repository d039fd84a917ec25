// Package baseline has an algorithm to compare with in each package below.
package baseline

import "embed"

// Sources are the Go files of the packages below, see bcpace.Sources.
//
//go:embed *.go */*.go
var Sources embed.FS
