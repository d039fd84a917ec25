//go:build unix

// Package outputs16 compares what the cells of notebooks 16 to the last give with what is committed.
package outputs16

import (
	"testing"

	"bayescpace/notebooks/internal/runnertest"
)

func TestNotebooks(t *testing.T) { runnertest.Outputs(t, "16", "99") }
