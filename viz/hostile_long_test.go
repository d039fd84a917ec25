//go:build long

package viz

import "testing"

// TestHostileNames has every chart.
func TestHostileNames(t *testing.T) { hostileNames(t, func(string) bool { return true }) }
