// Package internal has what the packages of bcpace share in the packages below.
package internal

import "embed"

// Sources are the Go files of the packages below, see bcpace.Sources.
//
//go:embed *.go */*.go
var Sources embed.FS
