//go:build long

package answer

import (
	"testing"

	"pgregory.net/rapid"
)

func TestAlgorithmStepByStep(t *testing.T) { rapid.Check(t, algorithmStepByStep) }
