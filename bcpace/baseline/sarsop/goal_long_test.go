//go:build long

package sarsop_test

import "testing"

// TestManyGoals is TestGoals for more models and more trials.
func TestManyGoals(t *testing.T) { goals(t, 600, 40) }
