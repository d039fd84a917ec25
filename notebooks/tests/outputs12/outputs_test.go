//go:build unix

// Package outputs12 compares what the cells of notebooks 12 to 15 give with what is committed.
package outputs12

import (
	"testing"

	"bayescpace/notebooks/internal/runnertest"
)

func TestNotebooks(t *testing.T) { runnertest.Outputs(t, "12", "16") }
