//go:build unix

// Package outputs3 has one part of the notebooks' outputs for its test.
package outputs3

import (
	"testing"

	"bayescpace/notebooks/internal/runnertest"
)

func TestNotebooks(t *testing.T) { runnertest.Outputs(t, 3, 4) }
