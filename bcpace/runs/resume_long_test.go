//go:build long

package runs_test

import (
	"testing"

	"pgregory.net/rapid"
)

func TestResumeContinuous(t *testing.T) { rapid.Check(t, resumeContinuous) }
