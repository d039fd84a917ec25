//go:build long

package sarsop_test

import "testing"

// TestManyGoals is TestGoals for more models, of which hardly any is left unsolved.
func TestManyGoals(t *testing.T) { goals(t, 600, 30) }
