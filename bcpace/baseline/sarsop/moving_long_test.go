//go:build long

package sarsop_test

import "testing"

// TestMovingLong is checkMoving on 3,000 models.
func TestMovingLong(t *testing.T) { checkMoving(t, 3000) }
