//go:build unix

// Package outputs00 compares what the cells of notebooks 00 to 06 give with what is committed.
package outputs00

import (
	"testing"

	"bayescpace/notebooks/internal/runnertest"
)

func TestNotebooks(t *testing.T) { runnertest.Outputs(t, "00", "07") }
