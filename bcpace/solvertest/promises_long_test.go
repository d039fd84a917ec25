//go:build long

package solvertest

import "testing"

// TestPromises is TestPromisesOfFewerModels with as many models for Algorithm 1 as for the
// others.
func TestPromises(t *testing.T) { keepPromises(t, 300) }
