//go:build unix

// Package outputs4 has one part of the notebooks' outputs for its test.
package outputs4

import (
	"testing"

	"bayescpace/notebooks/internal/runnertest"
)

func TestNotebooks(t *testing.T) { runnertest.Outputs(t, 4, 4) }
