//go:build long

package solvertest

import (
	"testing"

	"bayescpace/bcpace/solvers"
)

// TestPromises is TestPromisesOfFewerModels for Algorithm 1, with as many models as the others
// have there.
func TestPromises(t *testing.T) { keepPromises(t, solvers.BayesCPACE, promiseModels) }
