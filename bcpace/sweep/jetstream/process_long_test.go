//go:build long && unix

package jetstream

import "testing"

// TestKilledCoordinator kills a coordinator with its server at 20 moments.
func TestKilledCoordinator(t *testing.T) { killCoordinator(t, 20, 1500) }
