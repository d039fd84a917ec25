//go:build long && linux

package cmd

import "testing"

// TestSweepKilled kills a sweep of 7,000 trials when more than 2,000 are done.
func TestSweepKilled(t *testing.T) { killSweep(t, 7000, 2000) }
