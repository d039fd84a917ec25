//go:build long

package certified_test

import "testing"

func TestContinuousPolicies(t *testing.T) { continuousPolicies(t, 1, true) }
