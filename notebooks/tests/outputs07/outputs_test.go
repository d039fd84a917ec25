//go:build unix

// Package outputs07 compares what the cells of notebooks 07 to 11 give with what is committed.
package outputs07

import (
	"testing"

	"bayescpace/notebooks/internal/runnertest"
)

func TestNotebooks(t *testing.T) { runnertest.Outputs(t, "07", "12") }
