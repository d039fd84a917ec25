//go:build long

package bcpace_test

import (
	"testing"

	"pgregory.net/rapid"
)

func TestResumeContinuous(t *testing.T) { rapid.Check(t, resumeContinuous) }
