//go:build long && linux

package cmd

import "testing"

// TestSweepKilled kills a sweep of 20,000 trials when more than 2,000 are done.
func TestSweepKilled(t *testing.T) { killSweep(t, 20000, 2000) }
