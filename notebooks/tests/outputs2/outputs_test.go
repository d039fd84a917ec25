//go:build unix

// Package outputs2 has one part of the notebooks' outputs for its test.
package outputs2

import (
	"testing"

	"bayescpace/notebooks/internal/runnertest"
)

func TestNotebooks(t *testing.T) { runnertest.Outputs(t, 2, 4) }
