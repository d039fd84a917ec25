//go:build unix

// Package outputs1 has one part of the notebooks' outputs for its test.
package outputs1

import (
	"testing"

	"bayescpace/notebooks/internal/runnertest"
)

func TestNotebooks(t *testing.T) { runnertest.Outputs(t, 1, 4) }
