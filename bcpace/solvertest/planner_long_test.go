//go:build long

package solvertest

import "testing"

// TestPlannersDeterminism is TestPlannersDeterminismOfFewScenarios with all scenarios.
func TestPlannersDeterminism(t *testing.T) { planSame(t, "") }
