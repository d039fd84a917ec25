package despot_test

import (
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/hidden/despot"
	"bayescpace/bcpace/hidden/internal/hiddentest"
)

func planner(b bcpace.Budget) func(m *hidden.Model) (hidden.Planner, error) {
	return despot.Solver{Budget: b}.Planner
}

func TestAllocations(t *testing.T) { hiddentest.Allocations(t, planner) }

func BenchmarkDecision(b *testing.B) { hiddentest.Decisions(b, planner) }
